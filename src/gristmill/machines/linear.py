"""Linear machines as weights: a support row for each feature, its coefficients the weights, instead of one an example.

    f(x) = b + sum_i a_i (gamma |s_i & x| + c0) = (b + c0 sum_i a_i) + sum over features j of x of w_j,
    w_j = gamma * sum of a_i over the support rows that have j

So a machine of degree 1 has as many support rows as it has features with a weight, however many examples it has seen.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gristmill.data.rows import Rows, over_shared_columns
from gristmill.kernels.polynomial import PolynomialKernel
from gristmill.machines.machine import Machine


def as_weights(machine: Machine) -> Machine:
    """A machine of degree 1 as the weights of its features; any other machine as it is. Scores are the same."""
    kernel = machine.kernel
    if not isinstance(kernel, PolynomialKernel) or kernel.degree != 1 or machine.n_support == 0:
        return machine
    coef = sp.csr_matrix(machine.coef)
    (rows,) = over_shared_columns(machine.rows)
    weights = sp.csr_matrix(kernel.gamma * (rows.to_csr().T @ coef))
    weights.eliminate_zeros()
    used = np.flatnonzero(np.diff(weights.indptr)).astype(np.int32)
    if len(used) == 0:
        return machine
    columns = np.arange(rows.n_features, dtype=np.int32) if rows is machine.rows else np.unique(machine.rows.ids)
    return machine.replace(
        kernel=PolynomialKernel(1, coef0=0.0),
        support=Rows(np.arange(len(used) + 1), columns[used], n_features=machine.rows.n_features),
        coef=weights[used].toarray() if isinstance(machine.coef, np.ndarray) else weights[used],
        intercept=machine.intercept + kernel.coef0 * np.asarray(coef.sum(axis=0)).reshape(-1),
    )
