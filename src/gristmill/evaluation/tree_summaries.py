"""How alike the trees of a data set are, and machines on trees in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.evaluation.summaries import OutputSummary, summarise_outputs
from gristmill.kernels import Kernel, Normalized, SubsetTreeKernel
from gristmill.machines.structured import StructuredMachine

BINS = 10
NOTHING, EVERYTHING = 0.01, 0.95  # similarities up to and from here on
_SAMPLE = 400  # trees: 79,800 pairs


@dataclass(frozen=True)
class SimilaritySummary:
    """Normalised kernel values between pairs of different trees of a sample, evenly spread over the data set."""

    trees: int  # in the sample
    pairs: int
    average: float
    bins: list[int]  # pairs with a value in [0, 0.1), ..., [0.9, 1]
    nothing: float  # share of pairs that are 0.01 alike or less
    everything: float  # share of pairs that are 0.95 alike or more

    @property
    def warnings(self) -> list[str]:
        """What makes learning from such values hard."""
        found = []
        if self.nothing > 0.5:
            found.append(
                f"{self.nothing:.1%} of the pairs share nearly nothing (up to {NOTHING}): the matrix is close to a "
                "diagonal one; a smaller decay, a partial tree kernel or simpler labels make trees more alike"
            )
        if self.everything and self.everything < 0.5 and self.average < 0.5:
            found.append(
                f"{self.everything:.2%} of the pairs share nearly everything (from {EVERYTHING}) while the average is "
                f"{self.average:.3f}: few similarities outweigh all others"
            )
        return found


def summarise_similarity(
    forest: Forest, kernel: Kernel | None = None, *, n_jobs: int | None = None, progress: Progress | None = None
) -> SimilaritySummary:
    """How alike pairs of trees are by a kernel, normalised; None is the subset tree kernel. The same at every call."""
    different = forest[np.sort(np.unique(forest._roots, return_index=True)[1])]
    sample = different[np.unique(np.linspace(0, len(different) - 1, min(len(different), _SAMPLE)).astype(np.intp))]
    values = Normalized(kernel or SubsetTreeKernel())(sample, n_jobs=n_jobs, progress=progress)
    pairs = values[np.tril_indices(len(sample), -1)]
    which = np.clip((pairs * BINS).astype(np.intp), 0, BINS - 1)
    return SimilaritySummary(
        trees=len(sample),
        pairs=len(pairs),
        average=float(pairs.mean()) if len(pairs) else 0.0,
        bins=np.bincount(which, minlength=BINS).tolist(),
        nothing=float((pairs <= NOTHING).mean()) if len(pairs) else 0.0,
        everything=float((pairs >= EVERYTHING).mean()) if len(pairs) else 0.0,
    )


@dataclass(frozen=True)
class TreeMachineSummary(OutputSummary):
    """A machine on trees in numbers."""

    subtrees: dict[str, int]  # different ones, by field
    node_sharing: dict[str, float]  # nodes for each
    provenance: dict[str, Any]
    frequent: list[tuple[str, int]]  # none


def summarise_tree_machine(machine: StructuredMachine) -> TreeMachineSummary:
    """Count."""
    support = machine.support
    fields = support.fields if isinstance(support, Examples) else {"trees": support}
    forests = {name: field for name, field in fields.items() if isinstance(field, Forest)}
    subtrees = {name: forest.n_subtrees for name, forest in forests.items()}
    nodes = {name: int(forest.sizes()[0].sum()) for name, forest in forests.items()}
    return TreeMachineSummary(
        **summarise_outputs(machine),
        kernel=repr(machine.kernel),
        subtrees=subtrees,
        node_sharing={name: nodes[name] / max(subtrees[name], 1) for name in forests},
        provenance=dict(machine.provenance),
        frequent=[],
    )
