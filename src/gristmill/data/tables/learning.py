"""What a column of training makes of its field: bins of numbers, categories that occur often enough, parts of dates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices, Int32s, Int64s
from gristmill.data.tables.binning import equal_mass_bins
from gristmill.data.tables.coders import Coder, DateCoder, NumberCoder, WordCoder
from gristmill.data.tables.columns import Column, WordColumn
from gristmill.data.tables.cuts import at_round_gaps, cuts_between, is_whole
from gristmill.data.tables.dates import PARTS, has_times, part_of
from gristmill.data.tables.fields import KINDS, MISSING, OTHER, Field, special_word
from gristmill.data.tables.words import in_order, number_words, span_words, text_of

MOST_OWN = 65_000  # bins of a field that are neither missing nor other
MOST_RARE = 10_000  # merged categories that are remembered, to tell them from unseen ones

Kind = str | Sequence[Any]


@dataclass(frozen=True)
class Settings:
    """Parameters of the encoder that a column needs."""

    bins: int
    min_frequency: int


def learn_column(column: Column, name: str, kind: Kind | None, settings: Settings) -> Coder:
    """What is learned about a column; `kind` is what it is told to be, or the levels of an ordered category."""
    if kind is None:
        kind = "category" if column.missing().all() else column.kind
    if not isinstance(kind, str):
        return _ordered(column.words(), name, levels_of(kind), settings)
    if kind == "number":
        return _number(column.numbers(), _Named(name, name, kind), settings.bins)
    if kind == "category":
        return _category(column.words(), name, settings.min_frequency)
    if kind == "boolean":
        return _boolean(column.words(), name)
    if kind == "date":
        return _date(column, name, settings.bins)
    words = column.words()
    return _ordered(words, name, words.texts if words.is_ordered else in_order(words.texts), settings)


def check_kind(name: str, kind: Any) -> None:
    """Raise ValueError unless it is a kind or a list of levels."""
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"kinds[{name!r}] must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
    elif not isinstance(kind, list | tuple):
        raise ValueError(f"kinds[{name!r}] must be a kind or the list of levels of an ordered category, got {kind!r}")
    else:
        levels_of(kind)


def levels_of(values: Sequence[Any]) -> list[str]:
    """The texts of the levels of an ordered category, from the first to the last."""
    texts = [text_of(value) for value in values]
    if not texts or len(set(texts)) != len(texts):
        raise ValueError(f"the levels of an ordered category must be one or more different ones, got {list(values)!r}")
    return texts


# --- numbers and dates ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Named:
    """How a field will be called."""

    name: str
    column: str
    kind: str


def _number(values: Floats, named: _Named, bins: int, spell: Callable[[float], str] | None = None) -> NumberCoder:
    known, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    starts, edges, words = _bins_of(known, counts, bins, spell)
    n_missing = len(values) - int(counts.sum())
    masses = [*_masses(counts, starts), n_missing]
    missing = len(words) if n_missing else None
    words += (MISSING,) if n_missing else ()
    own = Field(named.name, named.column, named.kind, words, len(edges), missing, None)
    return NumberCoder(own, edges, int(np.argmax(masses)))


def _bins_of(
    known: Floats, counts: Int64s, bins: int, spell: Callable[[float], str] | None
) -> tuple[Indices, Floats, tuple[str, ...]]:
    """First values, edges and words of the bins."""
    if not len(known):
        return np.empty(0, dtype=np.intp), np.empty(0), ()
    whole = is_whole(known)
    starts = at_round_gaps(known, counts, equal_mass_bins(counts, bins), whole)
    cuts = cuts_between(known, starts, whole)
    words = number_words(known, starts, cuts, whole) if spell is None else span_words(starts, list(map(spell, known)))
    return starts, np.append(cuts, math.inf), words


def _masses(counts: Int64s, starts: Indices) -> list[int]:
    return np.add.reduceat(counts, starts).tolist() if len(starts) else []


def _date(column: Column, name: str, bins: int) -> DateCoder:
    values = column.dates()
    found = {part: part_of(values, part) for part in PARTS if part != "hour" or has_times(values)}
    kept = {part: own for part, own in found.items() if len(np.unique(own[~np.isnan(own)])) > 1}
    coders = {
        part: _number(own, _Named(f"{name}: {part}", name, "date"), bins, None if part == "year" else PARTS[part])
        for part, own in (kept or {"year": found["year"]}).items()
    }
    return DateCoder(coders)


# --- words ------------------------------------------------------------------------------------------------------------


def _counts(words: WordColumn) -> Int64s:
    return np.bincount(words.codes[words.codes >= 0], minlength=len(words.texts))


def _category(words: WordColumn, name: str, min_frequency: int) -> WordCoder:
    counts = dict(zip(words.texts, _counts(words).tolist(), strict=True))
    by_count = sorted((text for text in counts if counts[text]), key=lambda text: (-counts[text], text))
    kept = in_order([text for text in by_count[:MOST_OWN] if counts[text] >= min_frequency])
    place = {text: number for number, text in enumerate(kept)}
    rare = [text for text in by_count if text not in place]
    own = _word_field(words, name, "category", kept, n_ordered=0)
    return WordCoder(own, place, len(kept), frozenset(rare[:MOST_RARE]))


def _word_field(words: WordColumn, name: str, kind: str, bins: Sequence[str], n_ordered: int) -> Field:
    """A field with a bin for other texts behind its own, and one for missing values if there are some."""
    more = [special_word(OTHER, bins)]
    has_missing = bool(words.missing().any())
    if has_missing:
        more.append(special_word(MISSING, [*bins, *more]))
    return Field(name, name, kind, (*bins, *more), n_ordered, len(bins) + 1 if has_missing else None, len(bins))


def _ordered(words: WordColumn, name: str, levels: Sequence[str], settings: Settings) -> WordCoder:
    counts = dict(zip(words.texts, _counts(words).tolist(), strict=True))
    present = [number for number, level in enumerate(levels) if counts.get(level)]
    starts = equal_mass_bins(np.array([counts[levels[number]] for number in present], dtype=np.int64), settings.bins)
    bins = span_words(starts, [levels[number] for number in present])
    firsts = [present[start] for start in starts]
    place = np.maximum(np.searchsorted(firsts, np.arange(len(levels)), side="right") - 1, 0).tolist()
    own = _word_field(words, name, "ordered", bins, n_ordered=len(bins))
    return WordCoder(own, dict(zip(levels, place, strict=True)), len(bins), _rare(counts, levels))


def _rare(counts: dict[str, int], levels: Sequence[str]) -> frozenset[str]:
    """Texts of training that are no levels."""
    foreign = {text for text, count in counts.items() if count} - set(levels)
    return frozenset(sorted(foreign, key=lambda text: (-counts[text], text))[:MOST_RARE])


_BOOLEANS = {"False": 0, "false": 0, "0": 0, "True": 1, "true": 1, "1": 1}


def _boolean(words: WordColumn, name: str) -> WordCoder:
    bins = np.array([_BOOLEANS.get(text, -1) for text in words.texts] + [-1], dtype=np.int32)
    counts = _counts(words)
    foreign = [words.texts[at] for at in np.flatnonzero((bins[:-1] < 0) & (counts > 0)) if words.texts[at]]
    if foreign:
        raise ValueError(
            f"column {name!r} is told to be boolean and holds {foreign[0]!r}; booleans are True and False, 1 and 0, "
            "'true' and 'false', and None"
        )
    return _boolean_coder(bins[words.codes], name)


def _boolean_coder(values: Int32s, name: str) -> WordCoder:
    masses = np.bincount(values + 1, minlength=3)[[1, 2, 0]]
    has_missing = bool(masses[2])
    bins = ("False", "True", MISSING)[: 2 + has_missing]
    own = Field(name, name, "boolean", bins, 0, 2 if has_missing else None, None)
    return WordCoder(own, _BOOLEANS | ({"": 2} if has_missing else {}), int(np.argmax(masses)))
