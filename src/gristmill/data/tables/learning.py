"""What a column of training makes of its field: bins of numbers, categories that occur often enough, parts of dates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices, Int64s
from gristmill.data.tables.binning import equal_mass_bins
from gristmill.data.tables.coders import Coder, DateCoder, NumberCoder, WordCoder
from gristmill.data.tables.columns import Column, WordColumn
from gristmill.data.tables.cuts import are_whole, at_round_gaps, cuts_between
from gristmill.data.tables.dates import PARTS, has_times, part_of
from gristmill.data.tables.fields import KINDS, MAX_BINS, MISSING, OTHER, Field, distinct, special_word
from gristmill.data.tables.words import in_order, number_words, span_words, text_of

MAX_OWN_BINS = MAX_BINS - 2  # there is room for missing and other
MAX_RARE = 10_000  # merged categories that are remembered, to tell them from unseen ones

Kind = str | Sequence[Any]


@dataclass(frozen=True)
class Settings:
    """Parameters of the encoder that a column needs."""

    bins: int
    min_frequency: int


def learn_column(column: Column, kind: Kind | None, settings: Settings) -> Coder:
    """What is learned about a column; `kind` is what it is declared to be, or the levels of an ordered category."""
    if kind is None:
        kind = "category" if column.missing().all() else column.kind
    if kind == "number":
        return _number(column.numbers(), column.name, settings.bins)
    if kind == "date":
        return _date(column, settings.bins)
    words = column.words()
    if kind == "category":
        return _category(words, settings.min_frequency)
    if kind == "boolean":
        return _boolean(words)
    if not isinstance(kind, str):
        levels = levels_of(kind)
    else:
        levels = words.texts if words.is_ordered else in_order(words.texts)
    return _ordered(words, levels, settings.bins)


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


def _number(values: Floats, column: str, bins: int, part: str | None = None) -> NumberCoder:
    """Of a column of numbers, or of a part of dates."""
    known, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    starts, edges, words = _bins_of(known, counts, bins, None if part is None else PARTS[part])
    n_missing = len(values) - int(counts.sum())
    masses = [*(np.add.reduceat(counts, starts) if len(starts) else []), n_missing]
    name, kind = (column, "number") if part is None else (f"{column}: {part}", "date")
    bin_words = (*words, MISSING) if n_missing else words
    field = Field(name, column, kind, bin_words, len(edges), len(words) if n_missing else None, None)
    return NumberCoder(field, edges, int(np.argmax(masses)))


def _bins_of(
    known: Floats, counts: Int64s, bins: int, spell: Callable[[float], str] | None
) -> tuple[Indices, Floats, tuple[str, ...]]:
    """First values, edges and words of the bins."""
    if not len(known):
        return np.empty(0, dtype=np.intp), np.empty(0), ()
    whole, starts = are_whole(known), equal_mass_bins(counts, bins)
    if spell is None:  # there are no round months
        starts = at_round_gaps(known, counts, starts, whole)
    cuts = cuts_between(known, starts, whole)
    words = number_words(known, starts, cuts, whole) if spell is None else span_words(starts, list(map(spell, known)))
    return starts, np.append(cuts, math.inf), words


def _date(column: Column, bins: int) -> DateCoder:
    values = column.dates()
    parts = {part: part_of(values, part) for part in PARTS if part != "hour" or has_times(values)}
    differ = [part for part, numbers in parts.items() if len(np.unique(numbers[~np.isnan(numbers)])) > 1]
    return DateCoder({part: _number(parts[part], column.name, bins, part) for part in differ or ["year"]})


# --- words ------------------------------------------------------------------------------------------------------------


def _counts(words: WordColumn) -> dict[str, int]:
    """How many rows hold each text, of those that are held; the most frequent ones first."""
    counts = np.bincount(words.codes[words.codes >= 0], minlength=len(words.texts)).tolist()
    held = [(text, count) for text, count in zip(words.texts, counts, strict=True) if count]
    return dict(sorted(held, key=lambda pair: (-pair[1], pair[0])))


def _word_coder(words: WordColumn, kind: str, bins: Sequence[str], bin_of: dict[str, int]) -> WordCoder:
    """With a bin for other texts behind its own, and one for missing values if there are some."""
    more = [special_word(OTHER, bins)]
    has_missing = bool(words.missing().any())
    if has_missing:
        more.append(special_word(MISSING, [*bins, *more]))
    n_ordered, missing = len(bins) if kind == "ordered" else 0, len(bins) + 1 if has_missing else None
    field = Field(words.name, words.name, kind, (*bins, *more), n_ordered, missing, len(bins))
    rare = [text for text in _counts(words) if text not in bin_of]
    return WordCoder(field, bin_of, len(bins), frozenset(rare[:MAX_RARE]))


def _category(words: WordColumn, min_frequency: int) -> WordCoder:
    frequent = [text for text, count in _counts(words).items() if count >= min_frequency]
    kept = in_order(frequent[:MAX_OWN_BINS])
    return _word_coder(words, "category", kept, {text: number for number, text in enumerate(kept)})


def _ordered(words: WordColumn, levels: Sequence[str], bins: int) -> WordCoder:
    """Levels that training did not have are in the bin of the one before."""
    counts = _counts(words)
    present = [number for number, level in enumerate(levels) if level in counts]
    starts = equal_mass_bins(np.array([counts[levels[number]] for number in present], dtype=np.int64), bins)
    firsts = [present[start] for start in starts]
    numbers = np.maximum(np.searchsorted(firsts, np.arange(len(levels)), side="right") - 1, 0).tolist()
    names = distinct(span_words(starts, [levels[number] for number in present]))
    return _word_coder(words, "ordered", names, dict(zip(levels, numbers, strict=True)))


_BOOLEANS = {"False": 0, "false": 0, "FALSE": 0, "0": 0, "True": 1, "true": 1, "TRUE": 1, "1": 1}


def _boolean(words: WordColumn) -> WordCoder:
    masses = [0, 0, int(words.missing().sum())]
    for text, count in _counts(words).items():
        if text and text not in _BOOLEANS:
            raise ValueError(
                f"column {words.name!r}: expected a boolean, got {text!r}; booleans are True and False, 1 and 0, "
                "'true' and 'false', and None"
            )
        masses[_BOOLEANS.get(text, 2)] += count
    missing = 2 if masses[2] else None
    bins = ("False", "True") if missing is None else ("False", "True", MISSING)
    field = Field(words.name, words.name, "boolean", bins, 0, missing, None)
    return WordCoder(field, _BOOLEANS if missing is None else _BOOLEANS | {"": missing}, int(np.argmax(masses)))
