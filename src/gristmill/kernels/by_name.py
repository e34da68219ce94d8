"""Kernels of rows by name, with settings as scikit-learn has them: gamma may be 'scale' or 'auto', found from rows.

Where no setting is given, 'poly' is (<x, y> + 1)^2 as everywhere here; 'rbf' and 'sigmoid' are scikit-learn's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill.data.rows import Rows
from gristmill.kernels.named import ROW_KERNELS
from gristmill.kernels.overlap import OverlapKernel
from gristmill.kernels.polynomial import PolynomialKernel
from gristmill.kernels.sets import RBFKernel, SigmoidKernel

SCALE, AUTO = "scale", "auto"
GAMMAS = (SCALE, AUTO)

_UNKNOWN = 1.0  # gamma, before there are rows


def row_kernel(name: str, rows: Rows | None, *, degree: Any = 2, gamma: Any = None, coef0: Any = None) -> OverlapKernel:
    """The kernel of rows of this name; settings that it does not have are not looked at.

    Parameters
    ----------
    name : str
        One of `ROW_KERNELS`.
    rows : Rows or None
        What gamma is found from, as the kernel compares it; None: any gamma will do for now.
    degree : int
    gamma : float, 'scale', 'auto' or None
        None: 1 for 'poly', 'scale' for others.
    coef0 : float or None
        None: 1 for 'poly', 0 for 'sigmoid'.
    """
    if name == "poly":
        return PolynomialKernel(degree, _number(1.0 if gamma is None else gamma, rows), 1.0 if coef0 is None else coef0)
    if name == "rbf":
        return RBFKernel(_number(SCALE if gamma is None else gamma, rows))
    if name == "sigmoid":
        return SigmoidKernel(_number(SCALE if gamma is None else gamma, rows), 0.0 if coef0 is None else coef0)
    return ROW_KERNELS[name]


def finds_gamma(name: Any, gamma: Any) -> bool:
    """Whether gamma of the kernel of this name is found from rows."""
    scaled = isinstance(name, str) and name in ("rbf", "sigmoid")
    return (isinstance(gamma, str) and (scaled or name == "poly")) or (gamma is None and scaled)


def gamma_of(gamma: str, rows: Rows) -> float:
    """What 'scale' or 'auto' stand for: 1 / (features * variance of all values), or 1 / features.

    Both are 1 where that is no number: without features, or where all values are equal. Weights of rows do not count.
    """
    if gamma not in GAMMAS:
        raise ValueError(f"gamma must be a number, 'scale' or 'auto', got {gamma!r}")
    spread = rows.n_features * (_variance(rows) if gamma == SCALE else 1.0)
    return 1.0 / spread if spread > 0 else 1.0


def _number(gamma: Any, rows: Rows | None) -> Any:
    if not isinstance(gamma, str):
        return gamma
    if rows is None:
        gamma_of(gamma, _NOTHING)  # checks it
        return _UNKNOWN
    return gamma_of(gamma, rows)


_NOTHING = Rows(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), n_features=0)


def _variance(rows: Rows) -> float:
    """Of all values, zeros included."""
    count = len(rows) * rows.n_features
    if count == 0:
        return 0.0
    if rows.is_binary:
        share = len(rows.ids) / count
        return share - share**2  # as scikit-learn has it for sparse matrices
    mean = float(rows.values.sum()) / count
    squares = float(np.square(rows.values - mean).sum())
    return (squares + (count - len(rows.ids)) * mean**2) / count
