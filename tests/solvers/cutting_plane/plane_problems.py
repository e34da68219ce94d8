"""Small problems for the tests of cutting planes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core


@dataclass(frozen=True)
class Problem:
    """A Gram matrix, labels of 1 and -1, and costs."""

    K: np.ndarray
    y: np.ndarray
    costs: np.ndarray
    balanced: bool

    @property
    def total(self):
        return float(self.costs.sum())

    @property
    def shares(self):
        return self.costs / self.total

    def bundle(self):
        return _core.Bundle(self.y.astype(np.int8), self.costs, self.total, self.balanced)


def errata():
    """The data of the check run of docs/formulas.md E2: 60 rows, normalised (xx + 1)^2, C = 50 of the mean loss."""
    random = np.random.default_rng(0)
    X = (random.random((60, 12)) < 0.35).astype(float)
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1.0, -1.0)
    y[random.random(60) < 0.08] *= -1
    K = (X @ X.T + 1) ** 2
    K /= np.sqrt(np.outer(np.diag(K), np.diag(K)))
    return Problem(K, y, np.full(60, 50 / 60), False)


@st.composite
def problems(draw, max_size=12):
    """Both labels, equal examples (also with both), examples of nothing, all kinds of costs."""
    n = draw(st.integers(2, max_size))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rank = draw(st.integers(0, 5))
    X = random.integers(-1, 2, size=(n, rank)) if draw(st.booleans()) else random.normal(size=(n, rank))
    y = np.where(random.random(n) < 0.5, 1.0, -1.0)
    y[:2] = (1, -1)
    costs = 10.0 ** draw(st.floats(-3, 3)) * random.choice([0.5, 1.0, 3.0], size=n)
    return Problem((X @ X.T).astype(float), y, costs, draw(st.booleans()))


class Hand:
    """A bundle that is moved by hand; its planes are written down, too."""

    def __init__(self, problem):
        self.problem = problem
        self.bundle = problem.bundle()
        self.planes = []  # what each variable counts

    def first(self):
        if self.problem.balanced:
            for sign in (1, -1):
                self.add(self.bundle.cut_where(self.problem.y == sign))
        self.add(self.bundle.cut(0.0))

    def add(self, weights):
        self.planes.append(weights * self.problem.y)
        self.bundle.add(self.problem.K @ weights)

    def add_sample(self, variables, counts):
        plane = np.zeros(len(self.problem.y))
        plane[variables] = counts
        self.planes.append(plane)
        values = self.problem.K @ (plane * self.problem.y)
        self.bundle.add_sample(np.asarray(variables, dtype=np.uint32), np.asarray(counts, dtype=float), values)

    def solve(self, patience=1000):
        self.bundle.solve(patience)
        self.bundle.place(self.problem.K @ self.bundle.master.weights)

    def round(self, toward=0.1, patience=1000):
        """Returns how far the best point is above the planes, over the total."""
        self.solve(patience)
        self.bundle.search()
        self.add(self.bundle.cut(toward))
        return (self.bundle.best.objective - self.bundle.lower) / self.problem.total


# --- tasks of estimators ----------------------------------------------------------------------------------------------

LINEAR, POLY = gm.PolynomialKernel(1, 1.0, 0.0), gm.PolynomialKernel(2)
SST, PTK = gm.SubsetTreeKernel(), gm.PartialTreeKernel()
WORDS = ["a", "b", "c", "d"]


def dot(A, B):
    return np.asarray(A) @ np.asarray(B).T


@dataclass(frozen=True)
class Task:
    """What an estimator is given, and the Gram matrix behind it."""

    kernel: object
    X: object
    gram: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    options: dict
    keys: list | None = None  # equal ones are of equal examples; None: no two are

    def fitted(self, **options):
        clf = gm.KernelSVC(self.kernel, **{"binarize": False, **self.options, **options})
        return clf.fit(self.X, self.y, self.weights)

    def costs(self, fitted):
        """C of each example."""
        by_class = dict(zip(fitted.classes_, fitted.class_weight_, strict=True))
        return fitted.C * self.weights * np.array([by_class[label] for label in self.y])

    def caps(self, costs, side):
        """What a coefficient may be: equal examples of a side are one, whose coefficient the first of them has."""
        keys = list(zip(range(len(side)) if self.keys is None else self.keys, side, strict=True))
        return np.array([sum(cost for cost, key in zip(costs, keys, strict=True) if key == own) for own in keys])

    def sides(self, classes):
        """Of each output: 1, -1, or 0 for examples that do not take part."""
        if len(classes) == 2:
            return [np.where(self.y == classes[1], 1, -1)]
        if self.options.get("multiclass") == "ovr":
            return [np.where(self.y == one, 1, -1) for one in classes]
        pairs = itertools.combinations(classes, 2)
        return [(self.y == one).astype(int) - (self.y == other) for one, other in pairs]

    def totals(self, fitted):
        costs = self.costs(fitted)
        return np.array([costs[side != 0].sum() for side in self.sides(fitted.classes_)])


def tree_of(random, depth=0):
    label = random.choice(WORDS)
    if depth == 2 or random.random() < 0.4:
        return f"({label} {random.choice(WORDS)})"
    return f"({label} {' '.join(tree_of(random, depth + 1) for _ in range(random.integers(1, 3)))})"


def _rows(random, n):
    """Few features, so that rows are equal, empty or of one feature."""
    return (random.random((n, random.integers(1, 7))) < random.choice([0.15, 0.5])).astype(float)


def _data(kind, random, n):
    """A kernel, examples, the Gram matrix, and which examples are equal."""
    X = _rows(random, n)
    rows = [row.tobytes() for row in X]
    trees = [tree_of(random) for _ in range(n)]
    if kind == "rows":
        return POLY, X, POLY(X), rows
    if kind == "real rows":
        real = X + random.normal(size=X.shape)
        return LINEAR, real, dot(real, real), None
    if kind == "trees":
        return gm.Normalized(SST), trees, gm.Normalized(SST)(trees), trees
    if kind == "precomputed":
        return "precomputed", POLY(X), POLY(X), None
    if kind == "callable":
        return dot, X, dot(X, X), rows
    kernel = gm.Normalized(PTK).on("trees") + 0.5 * POLY.on("vectors")
    gram = gm.Normalized(PTK)(trees) + 0.5 * POLY(X)
    return kernel, gm.Examples(trees=trees, vectors=X), gram, list(zip(trees, rows, strict=True))


KINDS = ["rows", "real rows", "trees", "precomputed", "callable", "fields"]
INTERCEPTS = [{}, {"fit_intercept": False}, {"intercept_scaling": 1.0}, {"intercept_scaling": 0.5}]


@st.composite
def tasks(draw, kinds=KINDS, classes=(2,), sizes=(2, 20)):
    """All kinds of examples, weights (of 0 too) and intercepts."""
    n_classes = draw(st.sampled_from(classes))
    n = draw(st.integers(max(sizes[0], n_classes), sizes[1]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    kernel, X, gram, keys = _data(draw(st.sampled_from(kinds)), random, n)
    y = random.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    weights = np.ones(n)
    if draw(st.booleans()):
        weights = random.choice([0.0, 0.5, 1.0, 3.0], size=n)
        weights[:n_classes] = 1
    options = {"C": 10.0 ** draw(st.floats(-3, 3)), **draw(st.sampled_from(INTERCEPTS))}
    if draw(st.booleans()):
        options["class_weight"] = "balanced"
    if n_classes > 2:
        options["multiclass"] = draw(st.sampled_from(["ovo", "ovr"]))
    return Task(kernel, X, gram, y, weights, options, keys)


def blobs(n, seed=0, rare=None, features=12, flips=0.08):
    """Rows of 0 and 1 with noisy labels of a conjunction; `rare`: the share of positives."""
    random = np.random.default_rng(seed)
    X = (random.random((n, features)) < 0.35).astype(float)
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1, -1)
    y[random.random(n) < flips] *= -1
    if rare is not None:
        kept = np.concatenate([np.flatnonzero(y < 0), np.flatnonzero(y > 0)[: round(rare * n)]])
        X, y = X[kept], y[kept]
    return X, y
