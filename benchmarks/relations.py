"""Node relations of PropBank, as marked trees: arguments of a role and the other arguments of the same verbs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import corpora
from gristmill.apps.roles import Proposition, RoleCounts, Sentences, role_examples
from gristmill.data.formats.propbank import read_propbank

Family = type[gm.OrderedTreeKernel] | type[gm.ProductionTreeKernel]
FAMILIES: dict[str, Family] = {"K_lo^r": gm.OrderedTreeKernel, "K_c^r": gm.ProductionTreeKernel}
WORDS, DELEXICALISED = "ewt.train", "wsj_delex.train_02-21"


def marked_kernel(name: str, decay: float = 0.2) -> gm.OrderedTreeKernel | gm.ProductionTreeKernel:
    """By its name in the paper."""
    family = FAMILIES[name]
    return family(decay, marked=True)


@dataclass(frozen=True)
class Relations:
    """Examples of one role."""

    trees: gm.Forest
    labels: NDArray[np.int8]
    counts: RoleCounts

    @property
    def positives(self) -> int:
        return int((self.labels > 0).sum())

    @property
    def sentences(self) -> NDArray[np.int64]:
        """A number for each example; those of one sentence have the same."""
        return gm.relations.unmarked(self.trees)._roots.astype(np.int64)


def relations(name: str, role: str, positives: int | None = None) -> Relations:
    """Of a set, up to so many positive examples; whole sentences, words in lower case."""
    made = role_examples(*_corpus(name), role, max_positives=positives)
    return Relations(made.trees, made.labels, made.counts)


@cache
def _corpus(name: str) -> tuple[Sentences, list[Proposition]]:
    folder = corpora() / "srl"
    return read_propbank(folder / f"{name}.trees.gz", folder / f"{name}.props.gz")
