"""A view of a tree: its nodes in post-order, with parents, depths and the leaves they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gristmill.data.tree_sources import PostOrder, add_parents

Span = tuple[int, int]  # first and last leaf, counted from 0


@dataclass(frozen=True)
class TreeView:
    """A tree as lists with an entry for each node, in post-order. The root is the last node.

    Attributes
    ----------
    labels : list of str
    marks : list of int
        0 for none.
    parents : list of int
        Positions; the root is its own parent.
    places : list of int
        Among the children of the parent.
    depths : list of int
        0 for the root.
    begins : list of int
        Position of the first node of the subtree; its nodes are `begins[node]` to `node`.
    spans : list of (int, int)
        The first and the last leaf below the node, or itself, counted from 0.
    leaves : list of int
        Positions of the leaves.
    """

    labels: list[str]
    marks: list[int]
    parents: list[int]
    places: list[int]
    depths: list[int]
    begins: list[int]
    spans: list[Span]
    leaves: list[int]
    numbers: list[int]  # of the nodes in the pool

    def __len__(self) -> int:
        return len(self.labels)

    def covering(self, first: int, last: int) -> int | None:
        """The highest node that has exactly these leaves, or None.

        Examples
        --------
        >>> from gristmill import Forest
        >>> from gristmill.data.relations import tree_views
        >>> (tree,) = tree_views(Forest.from_strings(["(S (NP (N dogs)) (VP (V bark)))"]))
        >>> tree.labels[tree.covering(0, 0)], tree.covering(1, 2)
        ('NP', None)
        """
        return self._highest.get((first, last))

    def lowest_above(self, first: int, last: int) -> int:
        """The lowest node above all of these leaves; of those with the same leaves the highest.

        Examples
        --------
        >>> from gristmill import Forest
        >>> from gristmill.data.relations import tree_views
        >>> (tree,) = tree_views(Forest.from_strings(["(TOP (S (NP (N dogs)) (VP (V bark) (R now))))"]))
        >>> [tree.labels[tree.lowest_above(*leaves)] for leaves in ((0, 0), (1, 2), (0, 1))]
        ['NP', 'VP', 'TOP']
        """
        return self._highest[self.spans[self.common(self.leaves[first], self.leaves[last])]]

    def is_highest(self, node: int) -> bool:
        """Whether no node above has the same leaves."""
        return self._highest[self.spans[node]] == node

    def is_above(self, upper: int, lower: int) -> bool:
        """Whether one node is the other or dominates it."""
        return self.begins[upper] <= lower <= upper

    def common(self, left: int, right: int) -> int:
        """The lowest node above both, or one of them."""
        while not self.begins[left] <= right <= left:
            left = self.parents[left]
        return left

    def path_to_root(self, node: int) -> list[int]:
        """The node and all above it, the root last."""
        path = [node]
        for _ in range(self.depths[node]):
            path.append(self.parents[path[-1]])
        return path

    @cached_property
    def children(self) -> list[list[int]]:
        """Positions of the children of each node."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents[:-1]):
            below[parent].append(node)
        return below

    @cached_property
    def _highest(self) -> dict[Span, int]:
        return {span: node for node, span in enumerate(self.spans)}  # an upper node comes later


def post_order(parents: Sequence[int | None]) -> list[int]:
    """Positions in post-order of the nodes of a tree that is given by parents, as in `Forest.from_parents`.

    Examples
    --------
    The words of a dependency tree, the second of which is the root:

    >>> from gristmill.data.relations import post_order
    >>> post_order([1, -1, 3, 1])
    [0, 3, 1, 2]
    """
    out = PostOrder()
    add_parents(out, [str(node) for node in range(len(parents))], parents)
    positions = [0] * len(parents)
    for position, node in enumerate(out.labels):
        positions[int(node)] = position
    return positions
