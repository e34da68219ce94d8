"""Examples of related nodes (pairs chosen by label), and trees with marks on such nodes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from gristmill.base.checks import is_whole
from gristmill.data.forest import Forest
from gristmill.data.relations.fragments import FORMS, Form, Fragments
from gristmill.data.relations.subtree_pool import SubtreePool
from gristmill.data.relations.tree_view import TreeView

Example = tuple[int, dict[int, int]]  # a tree, and the marks of its nodes
Choice = Callable[[str], bool] | Container[str]

_MOST = 2**32 - 1  # a mark in a forest


def pairs(
    forest: Forest, first: Choice, second: Choice | None = None, *, ordered: bool = True, nested: bool = True
) -> Iterator[Example]:
    """Examples for `mark`: each pair of different nodes of a tree, the one with mark 1, the other with mark 2.

    Parameters
    ----------
    forest : Forest
        Of any kind: parse trees, dependency trees, XML, syntax trees of programs.
    first, second : callable or container of str
        Which nodes, by label: a function that gives a bool, or the labels themselves. None: the same as `first`.
    ordered : bool
        False makes one example of two nodes that could be either, in which the first in post-order has mark 1.
    nested : bool
        False leaves out pairs of which one node is above the other.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import mark, pairs
    >>> forest = Forest.from_strings(["(S (NP dogs) (VP (V see) (NP cats)))"])
    >>> list(mark(forest, pairs(forest, {"NP"}, ordered=False)))
    ['(S (NP*1 dogs) (VP (V see) (NP*2 cats)))']
    >>> list(mark(forest, pairs(forest, {"V"}, str.isupper, nested=False), "path"))
    ['(S (NP*2 dogs) (VP (V*1 see)))', '(VP (V*1 see) (NP*2 cats))']
    """
    chooses_first = _chooser(first)
    chooses_second = chooses_first if second is None else _chooser(second)
    for number, tree in enumerate(tree_views(forest)):
        ones = [node for node, label in enumerate(tree.labels) if chooses_first(label)]
        others = [node for node, label in enumerate(tree.labels) if chooses_second(label)]
        either = set(ones) & set(others)
        for one, other in product(ones, others):
            is_twin = not ordered and one > other and one in either and other in either
            is_nested = tree.is_above(one, other) or tree.is_above(other, one)
            if one != other and not is_twin and (nested or not is_nested):
                yield number, {one: 1, other: 2}


def _chooser(choice: Choice) -> Callable[[str], bool]:
    if isinstance(choice, str):
        raise ValueError(f"expected labels or a function of labels, got the string {choice!r}; write {{{choice!r}}}")
    return choice if callable(choice) else choice.__contains__


def tree_views(forest: Forest) -> Iterator[TreeView]:
    """The trees of a forest, each with its nodes in post-order.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import tree_views
    >>> (tree,) = tree_views(Forest.from_strings(["(S (NP dogs) (VP bark))"]))
    >>> tree.labels, tree.spans
    (['dogs', 'NP', 'bark', 'VP', 'S'], [(0, 0), (0, 0), (1, 1), (1, 1), (0, 1)])
    """
    pool = SubtreePool(forest)
    return (pool.view(tree) for tree in range(len(pool)))


def mark(
    forest: Forest, examples: Iterable[tuple[int, Mapping[int, int]]], form: Form = "whole", *, below: bool = True
) -> Forest:
    """Trees with marks on some of their nodes, or what is left of the trees around them.

    Parameters
    ----------
    forest : Forest
        Marks that are there stay, but for those of nodes that get another.
    examples : iterable of (int, {int: int})
        The number of a tree and, by position in post-order, the marks of some of its nodes: whole numbers from 1 on.
        Examples of one tree should follow each other: the tree is then prepared once.
    form : {'whole', 'subtree', 'minimal', 'path'}
        What is kept: the whole tree; the lowest node above all marked ones and all below it; of that, what is between
        the first and the last leaf of marked nodes (the smallest tree of Moschitti 2004 and of Culotta and Sorensen
        2004); or the branches to marked nodes alone, without siblings. In any form all that is below a marked
        node is kept.
    below : bool
        For paths: False leaves out what is below marked nodes, too; for dependency trees that is the path itself.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import mark
    >>> forest = Forest.from_strings(["(S (NP (D the) (N dog)) (ADVP now) (VP (V saw) (NP cats)))"])
    >>> for form in ("whole", "minimal", "path"):
    ...     print(*mark(forest, [(0, {3: 2, 8: 1})], form))
    (S (NP (D the) (N*2 dog)) (ADVP now) (VP (V*1 saw) (NP cats)))
    (S (NP (N*2 dog)) (ADVP now) (VP (V*1 saw)))
    (S (NP (N*2 dog)) (VP (V*1 saw)))
    """
    _check_form(form, below)
    pool = SubtreePool(forest)
    return pool.forest(_mark(pool, _checked_marks(pool, examples, form), form, below))


def mark_in(pool: SubtreePool, examples: Iterable[tuple[int, Mapping[int, int]]], form: Form) -> Iterator[int]:
    """The same in a pool, without checks of the nodes; gives numbers of trees in the pool."""
    _check_form(form, True)
    return _mark(pool, examples, form, True)


def spanning(forest: Forest, form: Form = "minimal", *, below: bool = True) -> Forest:
    """What is left of marked trees around the marked nodes; `form` and `below` are those of `mark`.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import spanning
    >>> forest = Forest.from_strings(["(S a (NP b (N*1 c) d) (VP e (V*2 f)) g)"], marks=True)
    >>> print(*spanning(forest), *spanning(forest, "subtree"), *spanning(forest, "path"), sep="\\n")
    (S (NP (N*1 c) d) (VP e (V*2 f)))
    (S a (NP b (N*1 c) d) (VP e (V*2 f)) g)
    (S (NP (N*1 c)) (VP (V*2 f)))
    """
    return mark(forest, enumerate(marked_nodes(forest)), form, below=below)


def marked_nodes(forest: Forest) -> list[dict[int, int]]:
    """For each tree the positions of its marked nodes, and their marks.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import marked_nodes
    >>> marked_nodes(Forest.from_strings(["(S (NP*2 dogs) (VP*1 bark))"], marks=True))
    [{1: 2, 3: 1}]
    """
    return [{node: mark for node, mark in enumerate(tree.marks) if mark} for tree in tree_views(forest)]


def unmarked(forest: Forest) -> Forest:
    """The same trees without marks."""
    texts, text_ends, marks, *rest = forest.flat()
    return Forest.from_flat(texts, text_ends, np.zeros_like(marks), *rest)


def _mark(
    pool: SubtreePool, examples: Iterable[tuple[int, Mapping[int, int]]], form: Form, below: bool
) -> Iterator[int]:
    here, fragments = -1, None
    for tree, marks in examples:
        if fragments is None or tree != here:
            here, fragments = tree, Fragments(pool, pool.view(tree), form, below)
        yield fragments.tree(marks)


def _checked_marks(pool: SubtreePool, examples: Iterable[Any], form: Form) -> Iterator[tuple[int, Mapping[int, int]]]:
    for number, (tree, marks) in enumerate(checked(pool, examples, fault_of_mark)):
        if not marks and form != "whole":
            raise ValueError(f"example {number}: there is no marked node to find the smallest tree of")
        yield tree, marks


def _check_form(form: str, below: bool) -> None:
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(map(repr, FORMS))}, got {form!r}")
    if not below and form != "path":
        raise ValueError(f"below=False is for form 'path', not for {form!r}")


def checked(
    pool: SubtreePool, examples: Iterable[Any], fault: Callable[[Any], str | None]
) -> Iterator[tuple[int, Mapping[int, Any]]]:
    """The examples, each checked; `fault` says what is wrong with the value of a node. ValueError with the number."""
    for number, example in enumerate(examples):
        try:
            yield _checked(pool, example, fault)
        except ValueError as error:
            raise ValueError(f"example {number}: {error}") from None


def fault_of_mark(given: Any) -> str | None:
    """What is wrong with a mark, or None."""
    if is_whole(given) and 1 <= given <= _MOST:
        return None
    return f"a mark is a whole number from 1 to {_MOST}, got {given!r}"


def fault_of_label(given: Any) -> str | None:
    """What is wrong with a label, or None."""
    return None if isinstance(given, str) and given else f"a label must be a string that is not empty, got {given!r}"


def _checked(pool: SubtreePool, example: Any, fault: Callable[[Any], str | None]) -> tuple[int, Mapping[int, Any]]:
    if not isinstance(example, tuple | list) or len(example) != 2 or not isinstance(example[1], Mapping):
        expected = "the number of a tree and a dict by position in post-order"
        raise ValueError(f"expected {expected}, as (0, {{3: 1}}), got {example!r}")
    tree, nodes = example
    if not is_whole(tree) or not 0 <= tree < len(pool):
        raise ValueError(f"there are {len(pool)} trees, counted from 0, but none {tree!r}")
    size = len(pool.view(tree))
    for node, given in nodes.items():
        if not is_whole(node) or not 0 <= node < size:
            raise ValueError(f"tree {tree} has {size} nodes, counted from 0, but none {node!r}")
        if (said := fault(given)) is not None:
            raise ValueError(said)
    return tree, nodes
