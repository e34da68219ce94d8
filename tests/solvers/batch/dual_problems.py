"""Dual problems for the tests of batch solvers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import svm

NO_START = np.zeros(0)
ROOMY = 1 << 30


def csr(id_lists):
    """Rows of ids as the core takes them."""
    offsets = np.cumsum([0, *map(len, id_lists)], dtype=np.int64)
    return offsets, np.array([id for ids in id_lists for id in ids], dtype=np.int32)


def gram(id_lists, degree=2):
    """(|x & y| + 1)^degree."""
    table = np.zeros((len(id_lists), 1 + max((id for ids in id_lists for id in ids), default=0)))
    for at, ids in enumerate(id_lists):
        table[at, list(ids)] = 1
    return (table @ table.T + 1) ** degree


def gram_rows(K):
    return _core.gram_rows(np.ascontiguousarray(K, dtype=float))


def counted_rows(id_lists, degree=2, max_bytes=ROOMY):
    kernel = _core.SetKernel.polynomial(_core.PolynomialKernel(degree, 1.0, 1.0))
    return _core.counted_rows(kernel, *csr(id_lists), max_bytes)


def called_rows(K, block=1, max_bytes=ROOMY):
    return _core.called_rows(len(K), K.diagonal().copy(), lambda numbers: K[numbers], block, max_bytes)


def problem(dual, examples=None, start=NO_START):
    """What the core solves: the variables of `dual` are these rows."""
    examples = np.arange(len(dual.y)) if examples is None else examples
    return _core.DualProblem(
        np.asarray(examples, dtype=np.uint32),
        dual.y.astype(np.int8),
        dual.p.astype(float),
        dual.C.astype(float),
        np.asarray(start, dtype=float),
        dual.equality,
        dual.constant,
    )


def classification(K, y, C, equality=True, constant=0.0):
    y = np.asarray(y, dtype=float)
    return svm.Dual(
        np.asarray(K, dtype=float), y, -np.ones(len(y)), np.broadcast_to(C, len(y)) * 1.0, equality, constant
    )


def solve(rows, *problems, tol=1e-8, max_iter=-1, shrinking=True, n_jobs=1):
    """The solutions."""
    solver = _core.SmoSolver(rows, list(problems), tol, max_iter, shrinking)
    solver.solve(n_jobs, None)
    found = [solver.solution(at) for at in range(len(problems))]
    return found[0] if len(found) == 1 else found


def facts(solution):
    """All of a solution, to be compared bit for bit."""
    return (
        solution.alpha.tobytes(),
        solution.intercept,
        solution.objective,
        solution.violation,
        solution.iterations,
        solution.converged,
    )


def noisy(n, features=40, seed=0, flips=0.2):
    """Random rows of 10 ids, and labels that half follow from them."""
    rng = np.random.default_rng(seed)
    id_lists = [sorted(rng.choice(features, size=10, replace=False).tolist()) for _ in range(n)]
    signs = np.array([1.0 if sum(ids) > 5 * features else -1.0 for ids in id_lists])
    return id_lists, np.where(rng.random(n) < flips, -signs, signs)


@st.composite
def duals(draw, max_size=10):
    """Small problems with their rows: equal examples, conflicting labels, odd linear terms, all kinds of intercept."""
    ids = st.frozensets(st.integers(0, 6), max_size=5).map(sorted)
    id_lists = draw(st.lists(ids, min_size=1, max_size=max_size))
    n = len(id_lists)
    signs = draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=n, max_size=n))
    bounds = draw(st.lists(st.sampled_from([0.01, 0.1, 1.0, 3.0]), min_size=n, max_size=n))
    linear = draw(st.just([-1.0] * n) | st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5]), min_size=n, max_size=n))
    equality = draw(st.booleans())
    constant = 0.0 if equality else draw(st.sampled_from([0.0, 1.0, 4.0]))
    dual = svm.Dual(gram(id_lists), np.array(signs), np.array(linear), np.array(bounds), equality, constant)
    return id_lists, dual
