"""C="auto": the price of an error by the scale of the data in the space of the kernel, from sums alone.

A machine answers with w . phi(x), and |w|^2 is what C is weighed against. If all phi(x) were s times as long, the same
answers would need 1 / s^2 of the price. So C is a factor over the squared mean length, which is SVMlight's rule; the
factor depends on the loss. Lengths are distances from the empty example: an intercept takes up what all examples share.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.checks import check_positive
from gristmill.data.rows import Rows
from gristmill.kernels.base import Kernel
from gristmill.kernels.combined import FieldKernel, ScaledKernel, SumKernel

AUTO: Literal["auto"] = "auto"

# By folds over many data sets, see docs/results/auto_cost.md. A logistic loss pushes all examples, a hinge only some.
FACTORS = {"hinge": 1.0, "logistic": 10.0}


def scaled_cost(squares: Floats, weights: Floats | None = None, *, loss: str = "hinge", spread: float = 1.0) -> float:
    """C for examples of these squared lengths; 1 where all are empty.

    Parameters
    ----------
    squares : float array
        |phi(x) - phi(empty)|^2 of the examples, see `squared_lengths`; of anything below 0, as for a matrix that is
        no kernel, 0 is taken.
    weights : float array or None
        Of the examples: one of weight 2 counts as two.
    loss : {'hinge', 'logistic'}
    spread : float
        The scale of the targets, in regression.
    """
    lengths = np.sqrt(np.maximum(squares, 0.0))
    factors = np.ones(len(lengths)) if weights is None else weights
    total = math.fsum(factors)  # rounded once, so that the order of the examples does not matter
    mean = math.fsum(factors * lengths) / total if total > 0 else 0.0
    cost = FACTORS[loss] * spread / mean**2 if mean > 0 else 0.0
    return cost if 0 < cost < math.inf else 1.0


def squared_lengths(kernel: Kernel, X: Any) -> Floats:
    """|phi(x) - phi(empty)|^2 for examples as the kernel takes them; an empty tree or sequence has phi = 0."""
    if isinstance(kernel, SumKernel):
        return np.asarray(np.sum([squared_lengths(part, X) for part in kernel.parts], axis=0))
    if isinstance(kernel, ScaledKernel):
        return kernel.weight * squared_lengths(kernel.kernel, X)
    if isinstance(kernel, FieldKernel):
        return squared_lengths(kernel.kernel, X[kernel.field])
    own = kernel.diag(X)
    if not isinstance(X, Rows):
        return own
    empty = Rows(np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32), n_features=X.n_features)
    return own - 2 * kernel(X, empty)[:, 0] + kernel.diag(empty)


def online_cost(mean_square: float, epochs: int) -> float:
    """The largest step of online learning, as opal chooses it, by mean k(x, x): all passes together add up to one."""
    return 1.0 / (epochs * mean_square) if mean_square > 0 else 1.0


def check_cost(C: Any) -> None:
    """Raise ValueError unless it is 'auto' or a finite number above 0."""
    if isinstance(C, str) and C == AUTO:
        return
    try:
        check_positive("C", C)
    except ValueError as error:
        raise ValueError(str(error).replace(", got", " or 'auto', got")) from None
