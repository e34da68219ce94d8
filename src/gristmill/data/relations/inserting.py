"""Nodes inserted above others and removed again: marks as nodes, which every kernel sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gristmill.data.forest import Forest
from gristmill.data.relations.marking import checked, fault_of_label, marked_nodes, unmarked
from gristmill.data.relations.subtree_pool import SubtreePool
from gristmill.data.relations.tree_view import TreeView


def insert_above(forest: Forest, examples: Iterable[tuple[int, Mapping[int, str]]]) -> Forest:
    """Trees with new nodes in them: for each a tree's number and, by position in post-order, labels to put above nodes.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import insert_above
    >>> forest = Forest.from_strings(["(S (NP dogs) (VP bark))"])
    >>> list(insert_above(forest, [(0, {1: "ARG0"}), (0, {2: "V", 4: "TOP"})]))
    ['(S (ARG0 (NP dogs)) (VP bark))', '(TOP (S (NP dogs) (VP (V bark))))']
    """
    pool = SubtreePool(forest)
    return pool.forest([_inserted(pool, tree, labels) for tree, labels in checked(pool, examples, fault_of_label)])


def marks_as_nodes(forest: Forest, name: Callable[[int], str] = "*{}".format) -> Forest:
    """Trees without marks, with a node above each one that had one (Kashima and Koyanagi 2002).

    Any kernel sees marks then. `name` gives the label of a mark's node.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import marks_as_nodes
    >>> list(marks_as_nodes(Forest.from_strings(["(S (NP*2 dogs) (VP bark*1))"], marks=True)))
    ['(S (*2 (NP dogs)) (VP (*1 bark)))']
    """
    labels = ({node: name(mark) for node, mark in marks.items()} for marks in marked_nodes(forest))
    return insert_above(unmarked(forest), enumerate(labels))


def without_nodes(forest: Forest, is_out: Callable[[str], bool]) -> Forest:
    """Trees without some inner nodes, whose children take their place; `is_out` chooses them by label.

    A leaf stays, and so does a root of several children.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import without_nodes
    >>> list(without_nodes(Forest.from_strings(["(S (*2 (NP dogs)) (VP (*1 bark)))"]), lambda label: label[0] == "*"))
    ['(S (NP dogs) (VP bark))']
    """
    pool = SubtreePool(forest)
    return pool.forest([_thinned(pool, tree, is_out) for tree in range(len(pool))])


def _inserted(pool: SubtreePool, tree: int, labels: Mapping[int, str]) -> int:
    view, made = pool.view(tree), dict[int, int]()
    for node in sorted(_and_above(view, labels)):
        symbol, *children = pool.keys[view.numbers[node]]
        for child in view.children[node]:
            if child in made:
                children[view.places[child]] = made[child]
        made[node] = pool.node(symbol, *children)
        if node in labels:
            made[node] = pool.node(pool.symbol(labels[node]), made[node])
    return made.get(len(view) - 1, pool.roots[tree])


def _and_above(view: TreeView, nodes: Iterable[int]) -> set[int]:
    """The nodes and all above them, each visited once: trees may be deep."""
    found: set[int] = set()
    for node in nodes:
        while node not in found:  # the root is its own parent
            found.add(node)
            node = view.parents[node]
    return found


def _thinned(pool: SubtreePool, tree: int, is_out: Callable[[str], bool]) -> int:
    view = pool.view(tree)
    kept: list[list[int]] = []  # what takes the place of each node
    for node, below in enumerate(view.children):
        children = [number for child in below for number in kept[child]]
        is_root = node == len(view) - 1
        if below and is_out(view.labels[node]) and not (is_root and len(children) != 1):
            kept.append(children)
        else:
            kept.append([pool.node(pool.keys[view.numbers[node]][0], *children)])
    return kept[-1][0]
