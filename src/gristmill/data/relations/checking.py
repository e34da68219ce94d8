"""Checks of examples: the number of a tree, and marks or labels for some of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gristmill.base.checks import is_whole
from gristmill.data.relations.subtree_pool import SubtreePool

_MOST = 2**32 - 1  # a mark in a forest


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
