"""Texts of values and words of bins."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.data.tables.cuts import LARGEST

BOOLEANS = {text: text.capitalize() for text in ("True", "true", "False", "false")} | {
    "TRUE": "True",
    "FALSE": "False",
}
_LEAST_DIGITS = 6
_WHOLE = re.compile(r"[+-]?\d+")


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | np.floating | np.datetime64) and bool(value != value)  # noqa: PLR0124


def text_of(value: Any) -> str:
    """What a category is known by: 1, 1.0 and '1' are one category, a date is written as ISO 8601 has it.

    Examples
    --------
    >>> from datetime import datetime
    >>> from gristmill.data.tables.words import text_of
    >>> text_of("own"), text_of(2.0), text_of(True), text_of(datetime(2024, 5, 1))
    ('own', '2', 'True', '2024-05-01')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating | Decimal):
        return number_text(float(value))
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00") if isinstance(value, datetime) else value.isoformat()
    return str(value)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number, without a point where it is whole."""
    return str(int(value)) if abs(value) < 1e16 and value.is_integer() else repr(value)


def spelled_number(text: str) -> str:
    """What `text_of` says of the number that a cell of a file spells; other texts as they are.

    Examples
    --------
    >>> from gristmill.data.tables.words import spelled_number
    >>> spelled_number("007"), spelled_number("7.0"), spelled_number("seven")
    ('7', '7', 'seven')
    """
    if _WHOLE.fullmatch(text):
        return str(int(text))
    try:
        return number_text(float(text) + 0.0)
    except ValueError:
        return text


def spelled_boolean(text: str) -> str:
    """'True' for 'TRUE'; other texts as they are."""
    return BOOLEANS.get(text, text)


SPELLINGS: Mapping[str, Callable[[str], str]] = {"number": spelled_number, "boolean": spelled_boolean}  # by kind


def in_order(texts: Sequence[str]) -> list[str]:
    """Numbers by their size, then other texts by the alphabet.

    Examples
    --------
    >>> from gristmill.data.tables.words import in_order
    >>> in_order(["b", "10", "a", "9"])
    ['9', '10', 'a', 'b']
    """
    return sorted(texts, key=lambda text: (_size(text), text))


def _size(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        return math.inf
    return math.inf if math.isnan(size) else size


# --- words of bins ----------------------------------------------------------------------------------------------------


def number_words(values: Floats, starts: Indices, cuts: Floats, whole: bool) -> tuple[str, ...]:
    """The value where a bin had one in training; else '37-41' with both ends for whole numbers.

    For others '0.25-0.3' without the lower end. The first bin is '<= 36', the last one '>= 60' or '> 57.2'.
    """
    ends = [*starts[1:].tolist(), len(values)]
    alone = [end - start == 1 for start, end in zip(starts, ends, strict=True)]
    edges = [-math.inf, *cuts.tolist(), math.inf]
    ranges = [_range(lower, upper, whole) for lower, upper in pairwise(edges)]
    exact = [float(values[start]) for start in starts]
    for digits in range(_LEAST_DIGITS, 18):
        words = [
            _short(value, digits) if single else words
            for value, single, words in zip(exact, alone, ranges, strict=True)
        ]
        if len(set(words)) == len(words):
            break
    return tuple(words)


def _short(value: float, digits: int) -> str:
    """Whole numbers as they are, others with so many digits."""
    return number_text(value if abs(value) < 1e16 and value.is_integer() else float(f"{value:.{digits}g}"))


def distinct_numbers(values: Sequence[float]) -> list[str]:
    """Texts of different numbers, with no more digits than keep them different, but for six."""
    for digits in range(_LEAST_DIGITS, 18):
        texts = [_short(value, digits) for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def _range(lower: float, upper: float, whole: bool) -> str:
    first = math.isinf(lower)
    if upper >= LARGEST:
        if first:
            return "finite"
        return f">= {number_text(lower + 1)}" if whole else f"> {number_text(lower)}"
    end = number_text(upper)
    if first:
        return f"<= {end}"
    begin = number_text(lower + 1 if whole else lower)
    plain = not any(mark in begin + end for mark in "-e")  # of signs and of exponents
    return f"{begin}-{end}" if plain else f"{begin} to {end}"


def span_words(starts: Indices, names: Sequence[str]) -> tuple[str, ...]:
    """Words of bins of things that have names, in their order: 'March', or 'March to May'."""
    ends = [*starts[1:].tolist(), len(names)]
    return tuple(
        names[start] if end - start == 1 else f"{names[start]} to {names[end - 1]}"
        for start, end in zip(starts.tolist(), ends, strict=True)
    )
