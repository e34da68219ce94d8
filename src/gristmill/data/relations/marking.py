"""Marks on nodes of trees: put on, found, taken off, and the smallest trees that contain them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gristmill.data.forest import Forest
from gristmill.data.relations.checking import checked, fault_of_mark
from gristmill.data.relations.fragments import FORMS, Form, Fragments
from gristmill.data.relations.subtree_pool import Grove
from gristmill.data.relations.tree_view import Outline


def outlines(forest: Forest) -> Iterator[Outline]:
    """The trees of a forest, each with its nodes in post-order.

    Examples
    --------
    >>> from gristmill import Forest
    >>> from gristmill.data.relations import outlines
    >>> (tree,) = outlines(Forest.from_strings(["(S (NP dogs) (VP bark))"]))
    >>> tree.labels, tree.spans
    (['dogs', 'NP', 'bark', 'VP', 'S'], [(0, 0), (0, 0), (1, 1), (1, 1), (0, 1)])
    """
    grove = Grove(forest)
    return (grove.outline(tree) for tree in range(len(grove)))


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
        Examples of one tree should follow each other: it is looked at once then.
    form : {'whole', 'subtree', 'minimal', 'path'}
        What is kept: the whole tree; the lowest node above all marked ones and all below it; of that, what is between
        the first and the last leaf of marked nodes (the smallest tree of Moschitti 2004 and of Culotta and Sorensen
        2004); or the branches to marked nodes alone, with nothing beside them. In any form all that is below a marked
        node is kept.
    below : bool
        For paths: False leaves out what is below marked nodes, too, which for dependency trees is the path itself.

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
    grove = Grove(forest)
    return grove.forest(_mark(grove, _checked(grove, examples, form), form, below))


def mark_in(grove: Grove, examples: Iterable[tuple[int, Mapping[int, int]]], form: Form) -> Iterator[int]:
    """The same with nodes that are known to be there: numbers in a grove."""
    _check_form(form, True)
    return _mark(grove, examples, form, True)


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
    return [{node: mark for node, mark in enumerate(tree.marks) if mark} for tree in outlines(forest)]


def unmarked(forest: Forest) -> Forest:
    """The same trees without marks."""
    texts, text_ends, marks, *rest = forest.flat()
    return Forest.from_flat(texts, text_ends, np.zeros_like(marks), *rest)


def _mark(grove: Grove, examples: Iterable[tuple[int, Mapping[int, int]]], form: Form, below: bool) -> Iterator[int]:
    here, fragments = -1, None
    for tree, marks in examples:
        if fragments is None or tree != here:
            here, fragments = tree, Fragments(grove, grove.outline(tree), form, below)
        yield fragments.tree(marks)


def _checked(grove: Grove, examples: Iterable[Any], form: Form) -> Iterator[tuple[int, Mapping[int, int]]]:
    for number, (tree, marks) in enumerate(checked(grove, examples, fault_of_mark)):
        if not marks and form != "whole":
            raise ValueError(f"example {number}: there is no marked node to find the smallest tree of")
        yield tree, marks


def _check_form(form: str, below: bool) -> None:
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(map(repr, FORMS))}, got {form!r}")
    if not below and form != "path":
        raise ValueError(f"below=False is for form 'path', not for {form!r}")
