"""Table machines by the book: every feature written out as a column, the objective minimised by scipy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def column_features(codes, bins, ordered, onehot, thermometer, monotone=0):
    """Columns for the bins of one field, and for each whether its weights must not be negative.

    Two bins i, j of the n ordered ones share onehot [i = j] + thermometer (1 - |i - j| / (n - 1)), others [i = j].
    """
    found = []
    height = np.sqrt((thermometer or 1.0) / max(ordered - 1, 1))
    is_ordered = codes < ordered
    for t in range(1, ordered):
        above, below = is_ordered & (codes >= t), is_ordered & (codes < t)
        if monotone:
            found.append((height * (above if monotone > 0 else below), True))
        elif thermometer:
            found += [(height * above, False), (height * below, False)]
    if ordered == 1 and thermometer and not monotone:
        found.append((height * is_ordered, False))
    for bin_ in range(bins):
        if bin_ >= ordered:
            found.append((1.0 * (codes == bin_), False))
        elif onehot and not monotone:
            found.append((np.sqrt(onehot) * (codes == bin_), False))
    return found


def features(codes, similarities, terms):
    """All features of the rows, the flags of those with weights from 0 on, and the columns' terms.

    similarities: (bins, ordered, onehot, thermometer, monotone) by number; terms: (columns, similarities, scale).
    """
    columns, flags, owners = [], [], []
    for number, (fields, used, scale) in enumerate(terms):
        products = [(np.full(len(codes), float(scale)), False)]
        for field, similarity in zip(fields, used, strict=True):
            parts = column_features(codes[:, field].astype(int), *similarities[similarity])
            products = [(a * b, s or t) for a, s in products for b, t in parts]
        columns += [column for column, _ in products]
        flags += [flag for _, flag in products]
        owners += [number] * len(products)
    matrix = np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0))
    return matrix, np.array(flags, dtype=bool), np.array(owners, dtype=int)


def losses(loss, y, scores):
    """The loss of each row and its derivative by the scores."""
    if loss == "squared":
        return (y - scores[:, 0]) ** 2 / 2, scores - y[:, None]
    if loss == "logistic":
        sign = 2 * y - 1
        margins = sign * scores[:, 0]
        return np.logaddexp(0, -margins), (-sign / (1 + np.exp(np.minimum(margins, 700))))[:, None]
    top = scores.max(axis=1, keepdims=True)
    shares = np.exp(scores - top)
    total = shares.sum(axis=1, keepdims=True)
    own = np.eye(scores.shape[1])[y.astype(int)]
    return np.log(total[:, 0]) + top[:, 0] - (scores * own).sum(axis=1), shares / total - own


def objective(x, matrix, y, weights, loss, C, outputs):
    """1/2 |w|^2 + C sum_i w_i loss, and its gradient; x is all weights, then the intercepts."""
    w, b = x[:-outputs].reshape(-1, outputs), x[-outputs:]
    each, slope = losses(loss, y, matrix @ w + b)
    slope = C * weights[:, None] * slope
    gradient = np.concatenate([(w + matrix.T @ slope).ravel(), slope.sum(axis=0)])
    return float((w**2).sum() / 2 + C * weights @ each), gradient


def solve(matrix, flags, y, weights, loss, C, outputs=1):
    """Weights (features x outputs), intercepts and the objective at the minimum."""
    start = np.zeros((matrix.shape[1] + 1) * outputs)
    bounds = [(0.0 if flag else None, None) for flag in np.repeat(flags, outputs)] + [(None, None)] * outputs
    how = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 0.0, "gtol": 1e-11, "maxcor": 40}
    args = (matrix, y, weights, loss, C, outputs)
    for _ in range(3):  # a line search that fails on rounding starts anew
        start = minimize(objective, start, args, "L-BFGS-B", jac=True, bounds=bounds, options=how).x
    value, _ = objective(start, *args)
    intercepts = start[-outputs:]
    return start[:-outputs].reshape(-1, outputs), intercepts - (intercepts.mean() if outputs > 1 else 0), value
