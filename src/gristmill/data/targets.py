"""What is asked of y before scikit-learn looks at it: that every example has a target, and a number to regress on."""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill.data.tables.words import is_missing
from gristmill.display.words import counted, quoted_label


def check_no_missing(y: Any) -> None:
    """ValueError that says which targets are None, NaN, NaT or pandas' NA."""
    if _holds_numbers(y):  # scikit-learn looks for NaN and infinity there
        return
    values = np.asarray(y, dtype=object)  # as texts, NaN would be 'nan'
    rows = [row for row, value in enumerate(values.ravel()) if is_missing(value)] if values.ndim else []
    if rows:
        raise ValueError(
            f"Input y contains NaN: the target is missing in {counted(len(rows), 'row')}, the first is row {rows[0]}; "
            "leave rows without a target out"
        )


def check_values(y: Any) -> None:
    """ValueError that says which target is no number, for regression; nothing is missing."""
    if _holds_numbers(y) and y.dtype.kind not in "SU":
        return
    values = () if y is None else np.asarray(y, dtype=object).ravel()  # scikit-learn refuses None
    row = next((row for row, value in enumerate(values) if not _is_number(value)), None)
    if row is not None:
        name = getattr(y, "name", None)
        of = "" if name is None else f" {name!r}"
        raise ValueError(
            f"the target{of} has to be numbers for regression, got {quoted_label(values[row])} in row {row}: convert "
            "it to numbers, or learn classes with a classifier"
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _holds_numbers(y: Any) -> bool:
    dtype = getattr(y, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind != "O"
