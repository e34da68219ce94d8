"""What transformers take and give: columns of the user's table as they are, and bins of fields made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from gristmill.base.arrays import Int64s
from gristmill.data.tables.coders import Coder


@dataclass(frozen=True)
class Cells:
    """A column of the user's table, as it is but for missing values that were filled.

    Parameters
    ----------
    column : int
        Its number in the table.
    name : str
    fill : str, number or None
        What stands for missing values; None: they are as they are.
    """

    column: int
    name: str
    fill: Any = None


@dataclass(frozen=True, eq=False)
class Coding:
    """What a transformer makes of a column: a coder; two codings differ though they may do the same.

    Parameters
    ----------
    column : int
    coder : Coder
    counts : tuple of int64 arrays or None
        Of each of its fields how many rows of training were in each bin, where that is known.
    """

    column: int
    coder: Coder
    counts: tuple[Int64s, ...] | None = None


@dataclass(frozen=True)
class Bit:
    """A column of 0 and 1: whether a row is in a bin of a field of a coding."""

    coding: Coding
    field: int
    bin: int


Part: TypeAlias = Cells | Bit
Converter: TypeAlias = Callable[[Any, Sequence[Part]], list[Part]]
_CONVERTERS: dict[type, Converter] = {}
_Any = TypeVar("_Any", bound=Converter)


def converts(kind: type) -> Callable[[_Any], _Any]:
    """Register the function for fitted transformers of this class: from the parts they take to those they give."""

    def register(converter: _Any) -> _Any:
        _CONVERTERS[kind] = converter
        return converter

    return register


def parts_after(step: Any, parts: Sequence[Part]) -> list[Part]:
    """What a fitted transformer makes of these; ValueError for other classes, as derived ones may do anything."""
    own = _CONVERTERS.get(type(step))
    if own is None and type(step).__module__.startswith("sklearn."):
        own = next((_CONVERTERS[base] for base in type(step).__mro__ if base in _CONVERTERS), None)
    if own is None:
        raise cannot(step, "it is none of the transformers that give bins of columns", _KNOWN)
    return own(step, parts)


_KNOWN = (
    "TableEncoder, OneHotEncoder, KBinsDiscretizer(encode='onehot') and Binarizer can, with SimpleImputer before them "
    "and feature selection behind"
)


def cannot(step: Any, why: str, instead: str) -> ValueError:
    """The error for a transformer that a model file does not hold."""
    return ValueError(
        f"a model file cannot hold this {type(step).__name__}: {why}. {instead[:1].upper()}{instead[1:]}. "
        "gristmill.save(..., encoding=False) saves the machine alone, for columns as the steps before it give them"
    )


def cells_of(step: Any, parts: Sequence[Part]) -> list[Cells]:
    """The parts, which must be columns of the table."""
    if not all(isinstance(part, Cells) for part in parts):
        raise cannot(step, "it takes what an encoder made", "give it columns of the table")
    return [part for part in parts if isinstance(part, Cells)]
