"""Pictures of the first trees of a forest.

Only the first nodes of a tree are taken: trees that share subtrees may have more nodes than memory holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.data.forest import Forest, decoded_labels
from gristmill.display.page import note, notebook, scroll
from gristmill.display.trees import svg_tree

FirstNodes = tuple[list[str], list[int]]  # labels, and positions of the parents: -1 for the root


def first_nodes(flat: Sequence[Any], most: int) -> list[FirstNodes]:
    """At most `most` nodes, in pre-order, of each tree in the arrays of `Forest.flat`.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.data.forest_view import first_nodes
    >>> first_nodes(gm.Forest.from_strings(["(S (NP dog) (VP barks))"]).flat(), 3)
    [(['S', 'NP', 'dog'], [-1, 0, 1])]
    """
    texts, text_ends, marks, node_ends, nodes, roots = flat
    spelled = zip(decoded_labels(bytes(texts), text_ends), marks.tolist(), strict=True)
    labels = [f"{text}*{mark}" if mark else text for text, mark in spelled]
    starts = [0, *node_ends.tolist()]
    return [_first_nodes(labels, starts, nodes, int(root), most) for root in roots]


def _first_nodes(labels: list[str], starts: list[int], nodes: Any, root: int, most: int) -> FirstNodes:
    found: FirstNodes = [], []
    waiting = [(root, -1)]
    while waiting and len(found[0]) < most:
        node, parent = waiting.pop()
        label, *children = nodes[starts[node] : starts[node + 1]].tolist()
        waiting += [(child, len(found[0])) for child in reversed(children)]
        found[0].append(labels[label])
        found[1].append(parent)
    return found


_DRAWN, _NODES = 3, 100  # trees, and nodes of each


def forest_picture(forest: Forest) -> str:
    """The first trees drawn, and how many there are."""
    few = forest[:_DRAWN]
    trees = zip(first_nodes(few.flat(), _NODES), few.sizes()[0].tolist(), strict=True)
    drawn = [
        scroll(f"Tree {number}", svg_tree(labels, parents, nodes=nodes))
        for number, ((labels, parents), nodes) in enumerate(trees)
    ]
    first = f"; the first {_DRAWN}" if len(forest) > _DRAWN else ""
    return notebook(note(f"{len(forest):,} trees, {forest.n_subtrees:,} different subtrees{first}"), drawn)
