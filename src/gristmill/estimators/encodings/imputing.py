"""SimpleImputer: missing values are in the bin of what fills them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.impute import SimpleImputer

from gristmill.data.tables.words import is_missing
from gristmill.estimators.encodings.parts import Cells, Part, cannot, converts


@converts(SimpleImputer)
def filled(step: Any, parts: Sequence[Part]) -> list[Part]:
    """The columns, filled; columns of 0 and 1 have nothing to fill."""
    if not is_missing(step.missing_values):
        raise cannot(
            step,
            f"it takes {step.missing_values!r} for missing",
            "replace it by None in the table, or let an encoder have it",
        )
    if step.add_indicator:
        raise cannot(step, "it adds indicators", "an encoder with a category for missing values has them")
    found: list[Part] = []
    for part, value in zip(parts, step.statistics_.tolist(), strict=True):
        if not is_missing(value):  # it leaves out columns without any value
            found.append(_filled(part, value))
    return found


def _filled(part: Part, value: Any) -> Part:
    return replace(part, fill=value) if isinstance(part, Cells) and part.fill is None else part
