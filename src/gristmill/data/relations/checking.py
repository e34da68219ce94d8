"""Examples at the door: a tree that is there, and nodes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any

from gristmill.data.relations.subtree_pool import Grove

_MOST = 2**32 - 1  # a mark in a forest


def checked(
    grove: Grove, examples: Iterable[Any], fault: Callable[[Any], str | None]
) -> Iterator[tuple[int, Mapping[int, Any]]]:
    """Pairs of a tree and what its nodes get; ValueError for others. A function says what is wrong with a node's."""
    for number, example in enumerate(examples):
        try:
            yield _checked(grove, example, fault)
        except ValueError as error:
            raise ValueError(f"example {number}: {error}") from None


def fault_of_mark(given: Any) -> str | None:
    if _is_whole(given) and 1 <= given <= _MOST:
        return None
    return f"a mark is a whole number from 1 to {_MOST}, got {given!r}"


def fault_of_label(given: Any) -> str | None:
    return None if isinstance(given, str) and given else f"a label must be a string that is not empty, got {given!r}"


def _checked(grove: Grove, example: Any, fault: Callable[[Any], str | None]) -> tuple[int, Mapping[int, Any]]:
    if not isinstance(example, tuple | list) or len(example) != 2 or not isinstance(example[1], Mapping):
        wanted = "the number of a tree and a dict by position in post-order"
        raise ValueError(f"expected {wanted}, as (0, {{3: 1}}), got {example!r}")
    tree, nodes = example
    if not _is_whole(tree) or not 0 <= tree < len(grove):
        raise ValueError(f"there are {len(grove)} trees, counted from 0, but none {tree!r}")
    size = len(grove.outline(tree))
    for node, given in nodes.items():
        if not _is_whole(node) or not 0 <= node < size:
            raise ValueError(f"tree {tree} has {size} nodes, counted from 0, but none {node!r}")
        if (said := fault(given)) is not None:
            raise ValueError(said)
    return tree, nodes


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
