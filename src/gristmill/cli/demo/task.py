"""A classification task of the demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Task:
    """Data split in two, and the parameters of the SVC that suits them."""

    title: str
    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    svc: dict[str, Any]


def split(title: str, X: Any, y: NDArray[Any], n_train: int, svc: dict[str, Any]) -> Task:
    """Shuffle by a fixed seed and cut."""
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:n_train], order[n_train:]
    return Task(title, X[train], y[train], X[test], y[test], svc)
