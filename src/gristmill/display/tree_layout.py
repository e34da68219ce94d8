"""Where the nodes of a tree stand: leaves in one line at the bottom, others above the middle of their children.

Every subtree has a strip of its own, so boxes never touch and edges cross nothing. No recursion: trees may be deep.
Cost: the number of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DEEPEST = 40  # levels that are drawn
MOST = 400  # nodes that are drawn
_GAP = 10.0  # between strips


@dataclass(frozen=True)
class Placed:
    """A node on the picture: `node` is its number in the tree, -1 for the mark of what was cut off."""

    node: int
    parent: int  # among those placed; -1 for the root
    across: float  # its middle
    width: float
    level: int  # 0 for the leaves


def check_parents(parents: Sequence[int]) -> list[int]:
    """ValueError where they are no tree with parents before their children."""
    found = [int(parent) for parent in parents]
    for node, parent in enumerate(found):
        if not (parent == -1 if node == 0 else 0 <= parent < node):
            wanted = "-1, for the root" if node == 0 else f"one of the nodes before it, 0 to {node - 1}"
            raise ValueError(f"the parent of node {node} must be {wanted}; got {parent}")
    return found


def kept(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Nodes that are drawn, and those of them that lose children: the first `MOST`, `DEEPEST` levels of them."""
    depths, shown = [0] * len(parents), [False] * len(parents)
    found, cut = list[int](), dict[int, None]()
    for node, parent in enumerate(parents):
        depths[node] = depths[parent] + 1 if node else 0
        if node == 0 or (shown[parent] and depths[node] < DEEPEST and len(found) < MOST):
            shown[node] = True
            found.append(node)
        elif shown[parent]:
            cut[parent] = None
    return found, list(cut)


def place(parents: Sequence[int], widths: Sequence[float], nodes: Sequence[int]) -> list[Placed]:
    """Nodes by their parents among themselves; `nodes` are their numbers in the tree."""
    children = _children(parents)
    levels, strips = [0] * len(parents), [0.0] * len(parents)
    for at in reversed(range(len(parents))):
        levels[at] = 1 + max((levels[child] for child in children[at]), default=-1)
        strips[at] = max(widths[at], _together(children[at], strips))
    across = _across(children, widths, strips)
    lists = zip(nodes, parents, across, widths, levels, strict=True)
    return [Placed(*one) for one in lists]


def _children(parents: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for at, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(at)
    return children


def _together(children: Sequence[int], strips: Sequence[float]) -> float:
    return sum(strips[child] for child in children) + _GAP * max(len(children) - 1, 0)


def _across(children: Sequence[Sequence[int]], widths: Sequence[float], strips: Sequence[float]) -> list[float]:
    """The middle of each node: between its first and last child, but within its own strip."""
    begins = [0.0] * len(children)
    for at, own in enumerate(children):
        begin = begins[at] + (strips[at] - _together(own, strips)) / 2
        for child in own:
            begins[child] = begin
            begin += strips[child] + _GAP
    across = [begin + strip / 2 for begin, strip in zip(begins, strips, strict=True)]
    for at in reversed(range(len(children))):
        if children[at]:
            middle = (across[children[at][0]] + across[children[at][-1]]) / 2
            room = (strips[at] - widths[at]) / 2
            across[at] = begins[at] + strips[at] / 2 + min(max(middle - begins[at] - strips[at] / 2, -room), room)
    return across
