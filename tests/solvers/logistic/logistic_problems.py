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

    def expanded(self, n_jobs=1):
        native = _core.PolynomialKernel(*self.parameters)
        return _core.ExpandedRows(native, *csr([sorted(row) for row in self.rows]), ROOMY, n_jobs)

    def solver(self, seed=0):
        how = (np.array(self.labels, dtype=np.uint32), np.array(self.costs, dtype=float), self.classes, seed)
        return _core.LogisticSolver(self.expanded(), np.array(self.examples, dtype=np.uint32), *how)

    def coefficients(self, solver):
        return solver.coefficients().reshape(len(self.rows), self.outputs)

    def reached(self, solver):
        """The objective of what was reached, by the book: w is the sum of coefficients times columns."""
        every = oracle.columns(self.rows, self.parameters)
        w = every.T @ self.coefficients(solver)
        value, _ = oracle.objective(w, every[self.examples], self.labels, self.costs)
        return value


@st.composite
def tasks(draw, max_degree=3, repeats=True):
    """Up to three classes; empty rows, duplicates with contrary labels and costs of all sizes happen."""
    sets = st.frozensets(st.integers(0, FEATURES - 1), max_size=FEATURES)
    rows = draw(st.lists(sets, min_size=1, max_size=6, unique=True))
    classes = draw(st.integers(2, 4))
    numbers = st.integers(0, len(rows) - 1)
    examples = draw(st.lists(numbers, min_size=1, max_size=10)) if repeats else list(range(len(rows)))
    size = len(examples)
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=size, max_size=size))
    costs = draw(st.lists(st.sampled_from([1 / 64, 0.25, 1.0, 8.0, 100.0]), min_size=size, max_size=size))
    coef0 = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    parameters = (draw(st.integers(1, max_degree)), draw(st.sampled_from([0.125, 1.0, 2.0])), coef0)
    return Task(parameters, rows, examples, np.array(labels), np.array(costs), classes)
