"""Forgetting and leave-one-out by the book: learn anew from the other examples."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone


def others(X, kept):
    """Some of the examples of whatever X is."""
    return [X[at] for at in kept] if isinstance(X, list) else X[kept]


def without(model, X, y, weights, gone):
    """The model, learned anew from the examples that are not gone."""
    kept = np.setdiff1d(np.arange(len(X)), gone)
    parts = [None if part is None else part[kept] for part in (y, weights)]
    return clone(model).fit(others(X, kept), *([] if y is None else parts[:1]), sample_weight=parts[1])


def scores(model, X):
    """Raw scores, examples x outputs."""
    return np.asarray(model._scores(X))


def left_out(model, X, y, weights, numbers):
    """Raw scores of examples, each by a model of all others."""
    return np.concatenate([scores(without(model, X, y, weights, [at]), others(X, [at])) for at in numbers])
