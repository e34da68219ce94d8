"""What is asked of y before scikit-learn looks at it: that every example has a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill.data.tables.words import is_missing
from gristmill.display.words import counted


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


def _holds_numbers(y: Any) -> bool:
    dtype = getattr(y, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind != "O"
