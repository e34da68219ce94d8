"""Columns as codes: what was learned about one column, and the bins that its values fall into.

A coder fills its columns of a matrix of codes. It keeps no data of training but edges of bins and texts of categories,
and its state is plain: numbers, texts, lists and dicts, which JSON holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats
from gristmill.data.tables.columns import Column
from gristmill.data.tables.dates import PARTS, part_of
from gristmill.data.tables.fields import Field

Codes = NDArray[np.uint16]


class Coder(Protocol):
    """What was learned about a column."""

    @property
    def fields(self) -> tuple[Field, ...]: ...

    def fill(self, column: Column, codes: Codes) -> None:
        """Put the bins of the rows into the columns of `codes`, one for each field."""
        ...

    def unseen(self, column: Column) -> Flags:
        """Rows whose value training did not have: a category, or a missing value."""
        ...

    def state(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class NumberCoder:
    """A number falls into the first bin whose edge is not below it; a missing one into the bin behind the last.

    Parameters
    ----------
    field : Field
    edges : float64 array
        The upper ends of the ordered bins; the last is infinite.
    default : int or None
        The bin of missing numbers where training had none: that of most of its rows. None: they are refused.
    """

    field: Field
    edges: Floats
    default: int | None

    def __post_init__(self) -> None:
        """Refuse a state that gives codes without bins."""
        field, edges = self.field, self.edges
        n_bins = len(edges) + (field.missing is not None)
        fits = len(field.bins) == n_bins and field.n_ordered == len(edges) and 0 <= (self.default or 0) < n_bins
        if not fits or field.missing not in (None, len(edges)) or field.other is not None:
            raise ValueError(f"the edges of field {field.name!r} do not fit its bins")
        if len(edges) and not ((edges[1:] > edges[:-1]).all() and edges[-1] == math.inf):
            raise ValueError(f"the edges of field {field.name!r} do not ascend")

    @property
    def fields(self) -> tuple[Field, ...]:
        return (self.field,)

    def bins_of(self, values: Floats) -> NDArray[np.intp]:
        """The bins of numbers; NaN counts as larger than all."""
        found = np.searchsorted(self.edges, values)
        if self.field.missing is None:
            nowhere = found == len(self.edges)
            if self.default is None and nowhere.any():
                raise _refusal(self.field, int(nowhere.argmax()), "a missing number")
            found[nowhere] = self.default or 0
        return found

    def fill(self, column: Column, codes: Codes) -> None:
        codes[:, 0] = self.bins_of(column.numbers())

    def unseen(self, column: Column) -> Flags:
        return self.unseen_numbers(column.numbers())

    def unseen_numbers(self, values: Floats) -> Flags:
        missing = np.isnan(values)
        if self.field.missing is None:
            return missing
        return ~missing if not len(self.edges) else np.zeros(len(missing), dtype=bool)

    def state(self) -> dict[str, Any]:
        edges = [edge if math.isfinite(edge) else str(edge) for edge in self.edges.tolist()]
        return {"field": field_state(self.field), "edges": edges, "default": self.default}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> NumberCoder:
        edges = np.array([float(edge) for edge in state["edges"]])
        return cls(field_of_state(state["field"]), edges, _default_of_state(state))


@dataclass(frozen=True, eq=False)
class WordCoder:
    """A text falls into the bin it has; other texts into `default`.

    Parameters
    ----------
    field : Field
    bin_of : dict of str to int
    default : int or None
        The bin of other texts, and of missing values where training had none: `other` where there is one, else that of
        most rows of training. None: they are refused, as other texts of booleans are.
    rare : frozenset of str
        Texts of training that were merged, the most frequent ones where there are many.
    """

    field: Field
    bin_of: Mapping[str, int]
    default: int | None
    rare: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a state that gives codes without bins."""
        if not all(0 <= number < len(self.field.bins) for number in (self.default or 0, *self.bin_of.values())):
            raise ValueError(f"the categories of field {self.field.name!r} do not fit its bins")

    @property
    def fields(self) -> tuple[Field, ...]:
        return (self.field,)

    def fill(self, column: Column, codes: Codes) -> None:
        words, default = column.words(), -1 if self.default is None else self.default
        missing = default if self.field.missing is None else self.field.missing
        other = -1 if self.field.kind == "boolean" else default  # a third one is none
        known = [self.bin_of.get(text, other if text else default) for text in words.texts]
        found = np.array([*known, missing], dtype=np.int32)[words.codes]  # a code of -1 takes the last
        if (found < 0).any():
            row = int((found < 0).argmax())
            raise _refusal(
                self.field, row, "a missing value" if words.codes[row] < 0 else repr(words.texts[words.codes[row]])
            )
        codes[:, 0] = found

    def unseen(self, column: Column) -> Flags:
        words = column.words()
        found = [text not in self.bin_of and text not in self.rare for text in words.texts]
        return np.array([*found, self.field.missing is None], dtype=bool)[words.codes]

    def state(self) -> dict[str, Any]:
        return {
            "field": field_state(self.field),
            "bin_of": dict(self.bin_of),
            "default": self.default,
            "rare": sorted(self.rare),
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> WordCoder:
        bins = {str(text): int(number) for text, number in state["bin_of"].items()}
        rare = frozenset(str(text) for text in state["rare"])
        return cls(field_of_state(state["field"]), bins, _default_of_state(state), rare)


@dataclass(frozen=True, eq=False)
class DateCoder:
    """The parts of a date that differ in training, each as a number."""

    parts: Mapping[str, NumberCoder]

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(coder.field for coder in self.parts.values())

    def fill(self, column: Column, codes: Codes) -> None:
        values = column.dates()
        for number, (part, coder) in enumerate(self.parts.items()):
            codes[:, number] = coder.bins_of(part_of(values, part))

    def unseen(self, column: Column) -> Flags:
        part, coder = next(iter(self.parts.items()))
        return coder.unseen_numbers(part_of(column.dates(), part))

    def state(self) -> dict[str, Any]:
        return {"parts": {part: coder.state() for part, coder in self.parts.items()}}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> DateCoder:
        known = state["parts"]
        if not known or not set(known) <= set(PARTS):
            raise ValueError(f"parts of a date must be some of {', '.join(PARTS)}, got {list(known)}")
        # in the order in which they are learned: JSON with sorted keys has lost it
        return cls({part: NumberCoder.of_state(known[part]) for part in PARTS if part in known})


@dataclass(frozen=True, eq=False)
class JoinedCoder:
    """Several codings of a column, one after the other; of a column that is not used, none."""

    coders: tuple[Coder, ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(field for coder in self.coders for field in coder.fields)

    def fill(self, column: Column, codes: Codes) -> None:
        begin = 0
        for coder in self.coders:
            end = begin + len(coder.fields)
            coder.fill(column, codes[:, begin:end])
            begin = end

    def unseen(self, column: Column) -> Flags:
        return np.asarray(np.any([coder.unseen(column) for coder in self.coders], axis=0))

    def state(self) -> dict[str, Any]:
        return {"coders": [state_of(coder) for coder in self.coders]}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> JoinedCoder:
        return cls(tuple(coder_of_state(one) for one in state["coders"]))


def renamed(coder: Coder, column: str) -> Coder:
    """The same for a column of another name."""
    if isinstance(coder, NumberCoder | WordCoder):
        field = coder.field
        name = column + field.name.removeprefix(field.column)
        return replace(coder, field=replace(field, name=name, column=column))
    if isinstance(coder, DateCoder):
        return DateCoder(
            {part: replace(own, field=renamed(own, column).fields[0]) for part, own in coder.parts.items()}
        )
    assert isinstance(coder, JoinedCoder)
    return JoinedCoder(tuple(renamed(own, column) for own in coder.coders))


def _refusal(field: Field, row: int, got: str) -> ValueError:
    some = ", ".join(map(repr, field.bins[:10])) + ", ..." * (len(field.bins) > 10)
    return ValueError(f"column {field.column!r}, row {row}: got {got}, which training did not have; it knows {some}")


# --- states -----------------------------------------------------------------------------------------------------------

_CODERS: dict[str, Any] = {"number": NumberCoder, "words": WordCoder, "date": DateCoder, "joined": JoinedCoder}


def state_of(coder: Coder) -> dict[str, Any]:
    """Plain data, which `coder_of_state` makes a coder of again."""
    kind = next(name for name, coder_type in _CODERS.items() if isinstance(coder, coder_type))
    return {"coder": kind} | coder.state()


def coder_of_state(state: Mapping[str, Any]) -> Coder:
    coder: Coder = _CODERS[state["coder"]].of_state(state)
    return coder


def _default_of_state(state: Mapping[str, Any]) -> int | None:
    return None if state["default"] is None else int(state["default"])


def field_state(field: Field) -> dict[str, Any]:
    return asdict(field) | {"bins": list(field.bins)}


def field_of_state(state: Mapping[str, Any]) -> Field:
    return Field(**{**state, "bins": tuple(map(str, state["bins"]))})
