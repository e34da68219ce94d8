"""Logistic problems for tests: rows, labels and costs, as hypothesis draws them and as the core takes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import logistic as oracle
from tests.solvers.batch.dual_problems import ROOMY, csr

FEATURES = 6


@dataclass(frozen=True)
class Task:
    """Different rows, and examples of them: equal ones, too, and of contrary labels."""

    parameters: tuple  # of the kernel
    rows: list  # of sets
    examples: list  # numbers of rows
    labels: np.ndarray
    costs: np.ndarray
    classes: int

    @property
    def outputs(self):
        return 1 if self.classes == 2 else self.classes

    @property
    def matrix(self):
        return oracle.columns([self.rows[number] for number in self.examples], self.parameters)

    @property
    def used(self):
        """The rows that some example is."""
        return sorted(set(self.examples))

    def by_class(self):
        """Of the used rows: the sum of the costs of each class."""
        sums = np.zeros((len(self.rows), self.classes))
        np.add.at(sums, (list(self.examples), self.labels), self.costs)
        return sums[self.used]

    def expanded(self, n_jobs=1):
        native = _core.PolynomialKernel(*self.parameters)
        return _core.ExpandedRows(native, *csr([sorted(self.rows[number]) for number in self.used]), ROOMY, n_jobs)

    def solver(self, seed=0):
        sums = self.by_class()
        shares = sums / sums.sum(axis=1, keepdims=True)
        targets = np.ascontiguousarray(shares[:, 1:] if self.classes == 2 else shares)
        return _core.LogisticSolver(self.expanded(), sums.sum(axis=1), targets, seed)

    def coefficients(self, solver):
        return solver.coefficients().reshape(len(self.used), self.outputs)

    def dual_parts(self):
        """Rows, the shares of classes in their costs, and the costs."""
        sums = self.by_class()
        return [self.rows[number] for number in self.used], sums / sums.sum(axis=1, keepdims=True), sums.sum(axis=1)

    def reached(self, solver):
        """The objective of what was reached, by the book: w is the sum of coefficients times columns."""
        every = oracle.columns(self.rows, self.parameters)
        w = every[self.used].T @ self.coefficients(solver)
        value, _ = oracle.objective(w, every[self.examples], self.labels, self.costs)
        return value


@st.composite
def tasks(draw, max_degree=3):
    """Up to three classes; empty rows, duplicates with contrary labels and costs of all sizes happen."""
    sets = st.frozensets(st.integers(0, FEATURES - 1), max_size=FEATURES)
    rows = draw(st.lists(sets, min_size=1, max_size=6, unique=True))
    classes = draw(st.integers(2, 4))
    numbers = st.integers(0, len(rows) - 1)
    examples = draw(st.lists(numbers, min_size=1, max_size=10))
    size = len(examples)
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=size, max_size=size))
    costs = draw(st.lists(st.sampled_from([1 / 64, 0.25, 1.0, 8.0, 100.0]), min_size=size, max_size=size))
    coef0 = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    parameters = (draw(st.integers(1, max_degree)), draw(st.sampled_from([0.125, 1.0, 2.0])), coef0)
    return Task(parameters, rows, examples, np.array(labels), np.array(costs), classes)
