"""A pool of subtrees, each stored once, in which new trees are made: millions of examples in seconds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from gristmill.data.forest import Forest, decoded_labels
from gristmill.data.relations.tree_view import Span, TreeView

Key = tuple[int, ...]  # a node: its symbol and its children

_VIEWS = 64  # views that are cached: examples of one tree mostly come together


class SubtreePool:
    """The different subtrees of a forest, to which nodes are added. Children have smaller numbers than parents."""

    def __init__(self, forest: Forest) -> None:
        forest.check_unfolding()  # views list all nodes of a tree
        texts, text_ends, marks, node_ends, values, roots = forest.flat()
        spelled = zip(decoded_labels(texts, text_ends), marks.tolist(), strict=True)
        self.symbols: dict[tuple[str, int], int] = {symbol: number for number, symbol in enumerate(spelled)}
        self.spelled = list(self.symbols)  # label and mark of the symbols in the trees
        flat = values.tolist()
        self.keys: list[Key] = [tuple(flat[begin:end]) for begin, end in pairwise([0, *node_ends.tolist()])]
        self.numbers = {key: number for number, key in enumerate(self.keys)}  # of all nodes
        self.roots: list[int] = roots.tolist()
        self.view = lru_cache(_VIEWS)(self._view)
        self._marked: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.roots)

    def node(self, *key: int) -> int:
        """The number of a node; a new one is added."""
        return self.numbers.setdefault(key, len(self.numbers))

    def symbol(self, label: str, mark: int = 0) -> int:
        return self.symbols.setdefault((label, mark), len(self.symbols))

    def marked(self, symbol: int, mark: int) -> int:
        """A symbol of the trees, with a mark."""
        found = self._marked.get((symbol, mark))
        if found is None:
            found = self._marked[symbol, mark] = self.symbol(self.spelled[symbol][0], mark)
        return found

    def forest(self, roots: Iterable[int]) -> Forest:
        """The forest with these roots; the iterable may add nodes to the pool."""
        tops = np.fromiter(roots, dtype=np.uint32)
        texts = [label.encode() for label, _ in self.symbols]
        return Forest.from_flat(
            b"".join(texts),
            np.cumsum(np.fromiter(map(len, texts), dtype=np.int64)),
            np.fromiter((mark for _, mark in self.symbols), dtype=np.uint32),
            np.cumsum(np.fromiter(map(len, self.numbers), dtype=np.int64)),
            np.fromiter(chain.from_iterable(self.numbers), dtype=np.uint32),
            tops,
        )

    def _view(self, tree: int) -> TreeView:
        numbers, parents, places, depths = map(list, zip(*reversed(self._walk_backwards(tree)), strict=True))
        size = len(numbers)
        spelled = [self.spelled[self.keys[number][0]] for number in numbers]
        begins, firsts = list(range(size)), [size] * size
        spans: list[Span] = []
        leaves: list[int] = []
        for node, number in enumerate(numbers):
            parent = parents[node] = size - 1 - parents[node]
            if len(self.keys[number]) == 1:
                firsts[node] = len(leaves)
                leaves.append(node)
            spans.append((firsts[node], len(leaves) - 1))
            begins[parent] = min(begins[parent], begins[node])
            firsts[parent] = min(firsts[parent], firsts[node])
        labels, marks = [label for label, _ in spelled], [mark for _, mark in spelled]
        return TreeView(labels, marks, parents, places, depths, begins, spans, leaves, numbers)

    def _walk_backwards(self, tree: int) -> list[tuple[int, int, int, int]]:
        """(number, parent, place, depth) from the root on, last children first: the post-order from its end."""
        walked: list[tuple[int, int, int, int]] = []
        waiting = [(self.roots[tree], 0, 0, 0)]
        while waiting:
            at, here = len(walked), waiting.pop()
            walked.append(here)
            number, _, _, depth = here
            waiting += [(child, at, place, depth + 1) for place, child in enumerate(self.keys[number][1:])]
        return walked
