"""Small sets to tune on: trees and rows of 0 and 1, of two classes or three, with equal examples among them."""

from __future__ import annotations

import numpy as np

import gristmill as gm

WORDS = "abcdefgh"


def trees(size, n_classes=3, seed=0):
    """Bracketed strings; the class shows in some of the labels, and is wrong now and then."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=size)
    made = []
    for label in labels:
        shown = label if rng.random() < 0.85 else rng.integers(n_classes)
        parts = [f"(N{rng.integers(3)} {WORDS[rng.integers(4)]})" for _ in range(rng.integers(1, 3))]
        made.append(f"(S (X{shown} {WORDS[rng.integers(2)]}) {' '.join(parts)})")
    return made, np.array(["num", "hum", "loc"])[labels]


def forest(size, n_classes=3, seed=0):
    made, labels = trees(size, n_classes, seed)
    return gm.Forest.from_strings(made), labels


def rows(size, seed=0):
    """A table of 0 and 1, and whether two of its features meet."""
    rng = np.random.default_rng(seed)
    X = (rng.random((size, 12)) < 0.4).astype(float)
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + rng.random(size) / 2 > 0.4, 1, -1)


def same(one, other):
    """Whether two searches found the same, but for seconds."""
    facts = [[(t.setting, t.round, t.scores, t.support, t.converged) for t in found.trials] for found in (one, other)]
    return facts[0] == facts[1] and one.best == other.best
