"""Statistics of data sets and machines, as in the papers (PKI/PKE 2003 and kernel slicing 2010, Tables 1).

Also how similar the trees of a data set are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Int64s
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.kernels import Normalized, SubsetTreeKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme


@dataclass(frozen=True)
class DataSummary:
    """Statistics of a data set.

    `conjunctions[d]` and `distinct[d]` count sets of 1 to d features: |x^d| on average, and |F^d|.
    """

    examples: int
    labels: dict[str, int]
    entries: int
    features: int  # that occur
    width: int  # columns
    binary: bool
    shortest: int
    average: float
    longest: int
    once: int  # features that occur only once
    coverage: dict[int, float]  # share of all entries that belong to the n most frequent features
    conjunctions: dict[int, float]
    distinct: dict[int, int]
    first_id: int  # what the file calls column 0
    frequent: list[tuple[int | str, int]]  # (id in the file, occurrences)


@dataclass(frozen=True)
class OutputSummary:
    """Statistics that all machines have. Counts per output are averages over the outputs, as in the paper."""

    scheme: str
    kernel: str
    classes: list[Any] | None
    outputs: int
    noun: str  # of what supports it: support vector, or conjunction
    support: int
    support_per_output: float
    positive_per_output: float
    negative_per_output: float


@dataclass(frozen=True)
class MachineSummary(OutputSummary):
    """Statistics of a machine on rows."""

    features: int
    width: int
    binary: bool
    average: float  # |X_j|
    longest: int
    postings: float  # B: average |h(i)| over the features that occur
    probability: str | None
    provenance: dict[str, Any]
    first_id: int | None  # what data files call column 0
    frequent: list[tuple[int | str, int]]  # (name or id in data files, occurrences)


def summarise_data(
    rows: Rows,
    labels: Floats,
    *,
    first_id: int = 0,
    degree: int = 2,
    top: int = 10,
    progress: Progress | None = None,
) -> DataSummary:
    """Count; conjunctions of up to `degree` (1 to 3) features are counted one by one, which takes time for 3."""
    counts = _counts(rows)
    lengths = rows.lengths
    names, sizes = np.unique(labels, return_counts=True)
    return DataSummary(
        examples=len(rows),
        labels={_label(name): int(size) for name, size in zip(names, sizes, strict=True)},
        entries=len(rows.ids),
        features=len(counts),
        width=rows.n_features,
        binary=rows.is_binary,
        shortest=int(lengths.min()) if len(lengths) else 0,
        average=float(lengths.mean()) if len(lengths) else 0.0,
        longest=int(lengths.max(initial=0)),
        once=sum(count == 1 for _, count in counts),
        coverage=_coverage(counts, len(rows.ids)),
        conjunctions={d: _average_conjunctions(lengths, d) for d in range(1, degree + 1)},
        distinct=_distinct(rows, degree, progress),
        first_id=first_id,
        frequent=[(column + first_id, times) for column, times in counts[:top]],
    )


def summarise_outputs(machine: Machine) -> dict[str, Any]:
    """The fields of OutputSummary but the kernel."""
    coef, outputs = machine.coef, max(machine.n_outputs, 1)
    hidden = machine.classes is None or machine.scheme is Scheme.ONE_CLASS
    return {
        "scheme": str(machine.scheme),
        "classes": None if hidden or machine.classes is None else machine.classes.tolist(),
        "outputs": machine.n_outputs,
        "noun": machine.kernel.support_noun or "support vector",
        "support": machine.n_support,
        "support_per_output": float((coef != 0).sum()) / outputs,
        "positive_per_output": float((coef > 0).sum()) / outputs,
        "negative_per_output": float((coef < 0).sum()) / outputs,
    }


def summarise_machine(machine: Machine, *, top: int = 10) -> MachineSummary:
    """Count."""
    rows, counts = machine.rows, _counts(machine.rows)
    return MachineSummary(
        **summarise_outputs(machine),
        kernel=machine.feature_kernel.formula,
        features=len(counts),
        width=machine.n_features,
        binary=machine.is_binary_valued,
        average=float(rows.lengths.mean()) if len(rows) else 0.0,
        longest=int(rows.lengths.max(initial=0)),
        postings=len(rows.ids) / len(counts) if counts else 0.0,
        probability=None if machine.probability is None else machine.probability.kind,
        provenance=dict(machine.provenance),
        first_id=machine.first_id,
        frequent=[(_feature(machine, column), times) for column, times in counts[:top]],
    )


def _feature(machine: Machine, column: int) -> int | str:
    return machine.feature_names[column] if machine.feature_names else column + (machine.first_id or 0)


def _label(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _counts(rows: Rows) -> list[tuple[int, int]]:
    """(column, occurrences), most frequent first, ties by id."""
    ids, counts = np.unique(rows.ids, return_counts=True)
    order = np.lexsort((ids, -counts))
    return [(int(ids[at]), int(counts[at])) for at in order]


def _coverage(counts: list[tuple[int, int]], entries: int) -> dict[int, float]:
    steps = (128, 2048)
    return {step: sum(count for _, count in counts[:step]) / entries for step in steps} if entries else {}


def _average_conjunctions(lengths: Int64s, degree: int) -> float:
    if not len(lengths):
        return 0.0
    sizes, counts = np.unique(lengths, return_counts=True)
    per_size = [sum(comb(int(size), k) for k in range(1, degree + 1)) for size in sizes]
    return sum(n * int(c) for n, c in zip(per_size, counts, strict=True)) / len(lengths)


def _distinct(rows: Rows, degree: int, progress: Progress | None) -> dict[int, int]:
    total, distinct = 0, {}
    for size in range(1, degree + 1):
        total += _core.count_conjunctions(rows.offsets, rows.ids, size, progress)
        distinct[size] = total
    return distinct


# --- trees ------------------------------------------------------------------------------------------------------------

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
        """Reasons why learning from such values is hard."""
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


def summarise_similarity(forest: Forest, *, progress: Progress | None = None) -> SimilaritySummary:
    """Similarity of pairs of trees by the normalised subset tree kernel. The same at every call."""
    different = forest[np.sort(np.unique(forest._roots, return_index=True)[1])]
    sample = different[np.unique(np.linspace(0, len(different) - 1, min(len(different), _SAMPLE)).astype(np.intp))]
    values = Normalized(SubsetTreeKernel())(sample, progress=progress)
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
    """Statistics of a machine on trees."""

    subtrees: dict[str, int]  # different ones, by field
    node_sharing: dict[str, float]  # nodes for each
    provenance: dict[str, Any]
    frequent: list[tuple[str, int]]  # none


def summarise_tree_machine(machine: Machine) -> TreeMachineSummary:
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
