"""What is in a data set of trees: sizes, sharing, labels and productions.

Everything is counted over the different subtrees, each of which knows how often it occurs, so the cost grows with
those and not with the nodes of all trees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Int64s
from gristmill.data.forest import Forest


@dataclass(frozen=True)
class TreeSummary:
    """A data set of trees in numbers. Pairs are those of all trees with all trees, each with itself included."""

    trees: int
    labels: dict[str, int]  # of examples, the most frequent first
    nodes: int
    nodes_per_tree: float
    leaves: int
    leaves_per_tree: float
    levels_per_tree: float
    deepest: int  # in levels; a tree of one node has one
    most_children: int
    node_labels: int  # different ones
    productions: int  # different ones: a label with the labels of its children
    subtrees: int  # different ones
    different_trees: int
    node_sharing: float  # nodes / different subtrees
    tree_sharing: float  # trees / different trees
    marked: int  # nodes
    label_matches: float  # pairs of nodes with equal labels, for a pair of trees on average
    production_matches: float  # pairs of inner nodes with equal productions, likewise
    frequent: list[tuple[str, int]]  # (production, occurrences)


def summarise_trees(forest: Forest, labels: Iterable[Any] | None = None, *, top: int = 10) -> TreeSummary:
    """Count; `labels` are those of the examples, `top` says how many of the most frequent productions to name."""
    graph = _Graph(forest)
    times = graph.occurrences()
    names, production = graph.productions()
    of_labels, of_productions = _totals(graph.label, times), _totals(production, times * ~graph.is_leaf)
    _, leaves, levels = forest.sizes()
    trees, nodes, different = len(forest), int(times.sum()), len(np.unique(graph.roots))
    return TreeSummary(
        trees=trees,
        labels=_counted(labels),
        nodes=nodes,
        nodes_per_tree=_ratio(nodes, trees),
        leaves=int(leaves.sum()),
        leaves_per_tree=_ratio(int(leaves.sum()), trees),
        levels_per_tree=_ratio(int(levels.sum()), trees),
        deepest=int(levels.max(initial=0)),
        most_children=int(graph.n_children.max(initial=0)),
        node_labels=int(np.count_nonzero(of_labels)),
        productions=int(np.count_nonzero(of_productions)),
        subtrees=len(times),
        different_trees=different,
        node_sharing=_ratio(nodes, len(times)),
        tree_sharing=_ratio(trees, different),
        marked=int(times[graph.marks[graph.label] > 0].sum()),
        label_matches=_matches(of_labels, trees),
        production_matches=_matches(of_productions, trees),
        frequent=[(graph.spelled(names[at]), int(of_productions[at])) for at in _largest(of_productions, top)],
    )


class _Graph:
    """The different subtrees of a forest; children have smaller numbers than their parents."""

    def __init__(self, forest: Forest) -> None:
        self.texts, self.text_ends, self.marks, ends, self.values, self.roots = forest.flat()
        self.starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else np.empty(0, np.int64)
        self.ends = ends
        self.n_children: Int64s = ends - self.starts - 1
        self.label: Int64s = self.values[self.starts].astype(np.int64)
        self.is_leaf = self.n_children == 0

    def occurrences(self) -> Int64s:
        """How often each subtree occurs in all trees: parents hand theirs on to their children, level by level."""
        times = np.bincount(self.roots, minlength=len(self.starts)).astype(np.int64)
        parents = np.repeat(np.arange(len(self.starts)), self.n_children)
        children = np.delete(self.values, self.starts).astype(np.int64)
        level = self._levels()[parents]
        order = np.argsort(level, kind="stable")[::-1]
        parents, children = parents[order], children[order]
        for edges in np.split(np.arange(len(order)), np.flatnonzero(np.diff(level[order])) + 1):
            np.add.at(times, children[edges], times[parents[edges]])
        return times

    def _levels(self) -> Int64s:
        every = np.arange(len(self.starts), dtype=np.uint32)
        below = Forest.from_flat(self.texts, self.text_ends, self.marks, self.ends, self.values, every)
        return below.sizes()[2].astype(np.int64)

    def productions(self) -> tuple[list[bytes], Int64s]:
        """The different productions, as labels one after the other, and the number of the one of each subtree."""
        is_child = np.ones(len(self.values), dtype=bool)
        is_child[self.starts] = False
        symbols = self.values.copy()
        symbols[is_child] = self.label[self.values[is_child]]
        text, size = symbols.tobytes(), symbols.itemsize
        numbers: dict[bytes, int] = {}
        bounds = zip((self.starts * size).tolist(), (self.ends * size).tolist(), strict=True)
        found = [numbers.setdefault(text[begin:end], len(numbers)) for begin, end in bounds]
        return list(numbers), np.array(found, dtype=np.int64)

    def spelled(self, production: bytes) -> str:
        """NP -> D N."""
        label, *children = (self._name(symbol) for symbol in np.frombuffer(production, dtype=self.values.dtype))
        return f"{label} -> {' '.join(children)}"

    def _name(self, symbol: int) -> str:
        begin = int(self.text_ends[symbol - 1]) if symbol else 0
        mark = int(self.marks[symbol])
        text: str = self.texts[begin : int(self.text_ends[symbol])].decode()
        return f"{text}*{mark}" if mark else text


def _totals(numbers: Int64s, times: Int64s) -> Int64s:
    totals = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(totals, numbers, times)
    return totals


def _matches(totals: Int64s, trees: int) -> float:
    return _ratio(sum(times * times for times in totals.tolist()), trees * trees)


def _largest(totals: Int64s, top: int) -> list[int]:
    order = np.argsort(-totals, kind="stable")[:top]
    return [at for at in order.tolist() if totals[at]]


def _ratio(count: int, by: int) -> float:
    return count / by if by else 0.0


def _counted(labels: Iterable[Any] | None) -> dict[str, int]:
    counts = Counter(str(label) for label in (() if labels is None else labels))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
