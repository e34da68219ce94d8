"""The machine of whatever has one, and rows for it."""

from __future__ import annotations

from typing import Any

from gristmill.data import Binarize, Rows, as_rows
from gristmill.machine import Machine


def machine_of(model: Any) -> Machine:
    """A Machine as it is, that of a Scorer, of a fitted estimator, or of a fitted scikit-learn model."""
    if isinstance(model, Machine):
        return model
    for name in ("machine", "machine_"):
        found = getattr(model, name, None)
        if isinstance(found, Machine):
            return found
    if type(model).__module__.partition(".")[0] == "sklearn":
        from gristmill.estimators import from_sklearn

        return from_sklearn(model)
    raise ValueError(f"expected a machine, or a scorer or fitted estimator that has one, got {type(model).__name__}")


def rows_for(machine: Machine, X: Any, binarize: Binarize = 0.0) -> Rows:
    """X as rows; columns that have names as the machine has them."""
    rows, names = as_rows(X, binarize=binarize), machine.feature_names
    return rows if names is None or rows.feature_names is None else rows.aligned(names)
