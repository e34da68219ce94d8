"""Parts of dates: numbers, and the words for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.data.tables.columns import Dates
from gristmill.data.tables.words import number_text

_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

PARTS: dict[str, Callable[[float], str] | None] = {
    "year": None,  # named as numbers are
    "month": lambda month: _MONTHS[int(month) - 1],
    "day of week": lambda day: _WEEKDAYS[int(day)],
    "hour": number_text,
}


def part_of(values: Dates, part: str) -> Floats:
    """The year; the month from 1 to 12; the day of week, Monday is 0; the hour. NaN where there is no date.

    Examples
    --------
    >>> import numpy as np
    >>> from gristmill.data.tables.dates import PARTS, part_of
    >>> when = np.array(["2024-05-31T17:45", "NaT"], dtype="datetime64[us]")
    >>> [part_of(when, part).tolist() for part in PARTS]
    [[2024.0, nan], [5.0, nan], [4.0, nan], [17.0, nan]]
    """
    numbers: Floats = _numbers(values, part).astype(np.float64)
    numbers[np.isnat(values)] = np.nan
    return numbers


def _numbers(values: Dates, part: str) -> Any:
    if part == "year":
        return values.astype("datetime64[Y]").astype(np.int64) + 1970
    if part == "month":
        return values.astype("datetime64[M]").astype(np.int64) % 12 + 1
    days = values.astype("datetime64[D]")
    if part == "day of week":
        return (days.astype(np.int64) + 3) % 7  # 1970 began on a Thursday
    return (values - days).astype("timedelta64[h]").astype(np.int64)


def has_times(values: Dates) -> bool:
    """Whether some date has a time of day other than midnight."""
    known = values[~np.isnat(values)]
    return bool((known != known.astype("datetime64[D]")).any())
