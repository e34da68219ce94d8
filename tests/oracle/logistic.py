"""Kernel logistic regression by the book: every conjunction written out as a column, minimised by scipy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from tests.oracle.conjunctions import subsets
from tests.oracle.polynomial import kernel as polynomial
from tests.oracle.polynomial import subset_weight


def columns(rows, parameters):
    """phi(x) of sets of features: for each conjunction that some row holds, the root of its subset weight where x does.

    Their dot products are (gamma |x & y| + coef0)^degree.
    """
    found = sorted({s for row in rows for s in subsets(row, parameters[0])}, key=sorted)
    roots = [float(subset_weight(*parameters, len(s))) ** 0.5 for s in found]
    return np.array([[root * (s <= row) for s, root in zip(found, roots, strict=True)] for row in rows])


def losses(scores, labels):
    """The loss of each row and its gradient by the scores: one column for two classes, else one for each class."""
    if scores.shape[1] == 1:
        sign = 2 * labels - 1
        margins = sign * scores[:, 0]
        return np.logaddexp(0, -margins), (-sign * np.exp(-np.logaddexp(0, margins)))[:, None]
    top = scores.max(axis=1, keepdims=True)
    logarithms = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    own = np.eye(scores.shape[1])[labels]
    return -(logarithms * own).sum(axis=1), np.exp(logarithms) - own


def objective(w, matrix, labels, costs):
    """1/2 |w|^2 + sum_i C_i loss_i and its gradient; w: columns x outputs."""
    each, slope = losses(matrix @ w, labels)
    return float((w**2).sum() / 2 + costs @ each), w + matrix.T @ (costs[:, None] * slope)


def solve(matrix, labels, costs, outputs, max_iter=20_000):
    """w near the minimum, and two numbers that the minimum lies between."""
    shape = (matrix.shape[1], outputs)

    def flat(w):
        value, slope = objective(w.reshape(shape), matrix, labels, costs)
        return value, slope.ravel()

    how = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": 0.0, "gtol": 1e-12, "maxcor": 40}
    w = minimize(flat, np.zeros(shape[0] * outputs), jac=True, method="L-BFGS-B", options=how).x
    value, slope = flat(w)
    return w.reshape(shape), value - float(slope @ slope) / 2, value  # strongly convex with constant 1


def dual(coefficients, rows, targets, costs, parameters):
    """The dual objective of coefficients of different rows: a bound of the minimum from below.

    Coefficients are C_i (t_ik - p_ik): targets, the shares of classes in C_i, less probabilities; of two classes the
    second's alone.
    """
    K = np.array([[float(polynomial(*parameters, len(one & other))) for other in rows] for one in rows])
    square = np.einsum("ik,ij,jk->", coefficients, K, coefficients)
    if coefficients.shape[1] == 1:
        coefficients = np.hstack([-coefficients, coefficients])
    shares = np.clip(targets - coefficients / costs[:, None], 0.0, 1.0)
    entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=1)
    return float(costs @ entropy - square / 2)
