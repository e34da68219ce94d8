"""Columns that a model has learned from: what a run must fill in as well, and the warning where it does not.

A model has learned from a column if its templates look at it and it was filled in a tenth of the training words or
more. A run leaves it empty if it is filled ten times less often than in training. Of few words nothing is said unless
so many empty ones in a row would be unheard of: a share of 0.7 takes 8 words, of 1 a single one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gristmill import _core
from gristmill.apps.templates import Templates
from gristmill.base.warnings import EmptyColumnsWarning, outside

LEAST = 0.1  # share of training words from which on a column is learned from; assumed for files that keep no shares
_EMPTY = 0.1  # of the share in training, up to which a run has left a column empty
_CHANCE = 1e-4  # that as many words have nothing there by chance
_NOTHING = ("", "_")


def filled_shares(columns: _core.Columns, places: Iterable[int]) -> list[float]:
    """Which share of tokens has something in each of these columns."""
    return [round(_filled(columns, place) / max(columns.tokens, 1), 4) for place in places]


def check_shares(shares: Iterable[float]) -> None:
    """ValueError unless all are shares."""
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ValueError(f"shares of filled columns must lie between 0 and 1, got {share!r:.40}")


def named_columns(templates: Templates, names: Sequence[str]) -> set[int]:
    """Columns that features with these names begin with something of, for models that keep no shares."""
    begins = dict[int, list[str]]()
    for begin, look in (item.pieces[0] for item in templates.items if item.pieces):
        if look.column is not None:
            begins.setdefault(look.column, []).append(begin)
    return {column for column, texts in begins.items() if _is_named(tuple(texts), templates, names)}


def _is_named(begins: tuple[str, ...], templates: Templates, names: Sequence[str]) -> bool:
    longest = sorted(begins, key=len, reverse=True)
    before, start, behind, end = map(re.escape, templates.outside)
    is_outside = re.compile(f"{before}[0-9]+{start}|{behind}[0-9]+{end}")
    for name in names:
        if name.startswith(begins):
            value = name[len(next(text for text in longest if name.startswith(text))) :]
            if value not in _NOTHING and not is_outside.fullmatch(value):
                return True
    return False


@dataclass
class ColumnCheck:
    """Warns, once for each column, where a model has learned from it and a run leaves it empty."""

    model: str  # such as "the parser"
    tokens: str  # such as "words"
    places: Mapping[str, int]  # of columns that templates look at, by the names to call them
    shares: Mapping[str, float | None]  # filled in training, None where a model keeps none
    advice: str
    _known: set[str] = field(default_factory=set)

    def __call__(self, columns: _core.Columns) -> None:
        """Look at the columns of a run, or of a part of it."""
        missing = [name for name in self.places if name not in self._known and self._is_empty(name, columns)]
        if missing:
            self._known |= set(missing)
            warnings.warn(self._message(missing, columns.tokens), EmptyColumnsWarning, stacklevel=outside())

    def _is_empty(self, name: str, columns: _core.Columns) -> bool:
        share = self.shares.get(name, 0.0)
        expected = LEAST if share is None else share
        if expected < LEAST or (1 - expected) ** columns.tokens > _CHANCE:
            return False
        return _filled(columns, self.places[name]) <= _EMPTY * expected * columns.tokens

    def _message(self, missing: Sequence[str], tokens: int) -> str:
        listed = [f"{name}{self._share_of(name)}" for name in missing]
        together = " and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else listed[0]
        are = "these columns are" if len(listed) > 1 else "this column is"
        return (
            f"{self.model} learned from {together}, but {are} empty in (nearly) all of the {self.tokens} given "
            f"({tokens:,}): expect worse answers. {self.advice}"
        )

    def _share_of(self, name: str) -> str:
        share = self.shares[name]
        return "" if share is None else f" (filled in {100 * share:.0f} % of its training {self.tokens})"


def _filled(columns: _core.Columns, place: int) -> int:
    return sum(cell not in _NOTHING for cell in columns.column(place))
