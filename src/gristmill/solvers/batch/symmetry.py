"""Whether a Gram matrix is one: solvers rely on K(i, j) = K(j, i). One look at every pair, little memory."""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Floats

_STRIP = 64  # rows that are compared with as many columns at once
# Of the largest entry: what numbers of 32 bits, and text of six digits, may differ by without anybody's fault.
_ROUNDING = 1e-5


def check_symmetric(matrix: Floats, name: str) -> None:
    """Refuse a matrix of finite numbers that differs from its transpose by more than rounding."""
    allowed = _ROUNDING * max(matrix.max(initial=0.0), -matrix.min(initial=0.0))
    for begin in range(0, len(matrix), _STRIP):
        end = begin + _STRIP
        differs = np.abs(matrix[begin:end, begin:] - matrix[begin:, begin:end].T) > allowed
        if differs.any():
            i, j = (begin + int(at) for at in np.argwhere(differs)[0])
            raise ValueError(
                f"{name} must be symmetric, but [{i}, {j}] is {float(matrix[i, j])!r} and [{j}, {i}] is "
                f"{float(matrix[j, i])!r}"
            )
