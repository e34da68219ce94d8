"""The first nodes of trees in pre-order: of trees that share subtrees, which may have more nodes than memory holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Outline = tuple[list[str], list[int]]  # labels, and the places of their parents: -1 for the root


def first_nodes(flat: Sequence[Any], most: int) -> list[Outline]:
    """Of each tree in the arrays of `Forest.flat`, at most so many nodes.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.data.tree_outlines import first_nodes
    >>> first_nodes(gm.Forest.from_strings(["(S (NP dog) (VP barks))"]).flat(), 3)
    [(['S', 'NP', 'dog'], [-1, 0, 1])]
    """
    texts, text_ends, marks, node_ends, nodes, roots = flat
    labels = _labels(bytes(texts), text_ends.tolist(), marks.tolist())
    starts = [0, *node_ends.tolist()]
    return [_outline(labels, starts, nodes, int(root), most) for root in roots]


def _labels(texts: bytes, ends: list[int], marks: list[int]) -> list[str]:
    begins = [0, *ends]
    spelled = (texts[begin:end].decode() for begin, end in zip(begins, ends, strict=False))
    return [f"{text}*{mark}" if mark else text for text, mark in zip(spelled, marks, strict=True)]


def _outline(labels: list[str], starts: list[int], nodes: Any, root: int, most: int) -> Outline:
    found: Outline = [], []
    waiting = [(root, -1)]
    while waiting and len(found[0]) < most:
        node, parent = waiting.pop()
        label, *children = nodes[starts[node] : starts[node + 1]].tolist()
        waiting += [(child, len(found[0])) for child in reversed(children)]
        found[0].append(labels[label])
        found[1].append(parent)
    return found
