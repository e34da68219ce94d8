"""Rows held out, to choose settings by: drawn once, every class in each part, fewer parts where rows are many."""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Indices
from gristmill.solvers.tables.training import TableTask

_PARTS = 5
_FEWEST = 20  # rows; with fewer nothing is held out
_JUDGED = ((2_000, 5), (5_000, 3), (20_000, 2))  # up to so many rows, so many parts; else one


def folds(task: TableTask, rng: np.random.Generator) -> list[tuple[Indices, Indices]]:
    """Rows to learn from and rows held out, of each part that is judged; none where rows are too few."""
    n = len(task.targets)
    if n < _FEWEST:
        return []
    part = np.full(n, -1)
    for rows in _kinds(task):
        shuffled = rng.permutation(rows)
        if len(rows) > 1:  # the only row of a class is always learned from
            part[shuffled] = (np.arange(len(rows)) + rng.integers(_PARTS)) % _PARTS
    judged = next((count for most, count in _JUDGED if n <= most), 1)
    found = [(np.flatnonzero(part != at), np.flatnonzero(part == at)) for at in range(judged)]
    return [(learn, held) for learn, held in found if len(held)]


def _kinds(task: TableTask) -> list[Indices]:
    """The rows of each class; values are of one kind."""
    if not task.n_classes:
        return [np.arange(len(task.targets))]
    return [np.flatnonzero(task.targets == c) for c in range(task.n_classes)]
