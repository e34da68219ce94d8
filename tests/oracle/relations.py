"""Relations by the book: trees are nested tuples, nodes are told apart by their place in post-order."""

from __future__ import annotations

from typing import NamedTuple

from tests.oracle.trees import children, label


class Node(NamedTuple):
    label: str
    span: tuple[int, int]
    begin: int
    way: list[int]  # itself and all above it


def outline(tree):
    """The nodes in post-order."""
    nodes, leaves = [], [0]

    def walk(tree):
        begin, first = len(nodes), leaves[0]
        for child in children(tree):
            walk(child)
        leaves[0] += not children(tree)
        at = len(nodes)
        nodes.append(Node(label(tree), (first, leaves[0] - 1), begin, [at]))
        for child in range(begin, at):
            nodes[child].way.append(at)

    walk(tree)
    return nodes


def around(tree, marks, form, below=True):
    """The tree around marked nodes: {position: mark}."""
    nodes = outline(tree)
    tops = [at for at in range(len(nodes)) if all(at in nodes[node].way for node in marks)]
    top = len(nodes) - 1 if form == "whole" else min(tops)
    first = min(nodes[node].span[0] for node in marks)
    last = max(nodes[node].span[1] for node in marks)

    def is_kept(at):
        if form == "minimal":
            return nodes[at].span[0] <= last and first <= nodes[at].span[1]
        if form == "path":
            return any(at in nodes[node].way or (below and node in nodes[at].way) for node in marks)
        return True

    def cut(tree, at):
        """The node at a position, and where the one before its first node stands."""
        kept, next_child = [], at - 1
        for child in reversed(children(tree)):
            made, after = cut(child, next_child)
            kept = [made, *kept] if is_kept(next_child) else kept
            next_child = after
        name = label(tree) + (f"*{marks[at]}" if at in marks else "")
        return (name, *kept) if kept else name, next_child

    return cut(_subtree(tree, len(nodes) - 1, top), top)[0]


def _subtree(tree, at, wanted):
    if at == wanted:
        return tree
    position = at - 1
    for child in reversed(children(tree)):
        size = len(outline(child))
        if position - size < wanted <= position:
            return _subtree(child, position, wanted)
        position -= size
    raise AssertionError("no such node")
