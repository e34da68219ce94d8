"""Which nodes are related: examples of all pairs of nodes that labels choose."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from itertools import product

from gristmill.data.forest import Forest
from gristmill.data.relations.marking import outlines

Example = tuple[int, dict[int, int]]  # a tree, and the marks of its nodes
Choice = Callable[[str], bool] | Container[str]


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
    for number, tree in enumerate(outlines(forest)):
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
