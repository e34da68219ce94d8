"""Operators over trees: which method they take, what they refuse, and how they behave in scipy."""

from __future__ import annotations

import copy
import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import identity
from scipy.sparse.linalg import aslinearoperator, cg, eigsh

import gristmill as gm
from gristmill import _core
from tests.across.interrupting import SOON, seconds_to_stop
from tests.data.tree_strategies import MAY_BE_UNMARKED
from tests.kernels.test_operators import near, random_weights, same_bits, some_kernels, stop
from tests.kernels.test_trees import forest, random_trees

pytestmark = MAY_BE_UNMARKED


@pytest.fixture(scope="module")
def crowd():
    return forest(random_trees(90, seed=1, labels=["a", "b", "a*1"], largest=12))


# --- which method -----------------------------------------------------------------------------------------------------


@some_kernels
def test_a_compiled_operator_keeps_to_max_bytes(kernel, crowd):
    enough = kernel.operator(crowd, method="compiled").nbytes
    assert kernel.operator(crowd, method="compiled", max_bytes=enough).nbytes == enough
    for too_few in (0, 1000, enough - 1):
        with pytest.raises(ValueError, match=f"max_bytes = {too_few}"):
            kernel.operator(crowd, method="compiled", max_bytes=too_few)


@pytest.mark.parametrize("kernel", [gm.PartialTreeKernel(), gm.SubsetTreeKernel()], ids=repr)
def test_a_list_that_is_too_long_is_refused_before_it_is_compiled(kernel):
    """It would take 1.6 GB: by itself, or by lists that wait."""
    X, start = gm.Forest.from_strings(["(a " * 20_000 + "x" + ")" * 20_000]), time.monotonic()
    with pytest.raises(ValueError, match="max_bytes"):
        kernel.operator(X, method="compiled", max_bytes=4 << 20)
    assert time.monotonic() - start < SOON


@some_kernels
def test_an_extended_operator_keeps_to_max_bytes(kernel, crowd):
    op = kernel.operator(crowd, method="compiled")
    op.extend(crowd[:30])
    enough = op.nbytes
    for max_bytes in (enough - 1, enough):
        op = kernel.operator(crowd, method="compiled", max_bytes=max_bytes)
        if max_bytes < enough:
            with pytest.raises(ValueError, match="max_bytes"):
                op.extend(crowd[:30])
        else:
            op.extend(crowd[:30])
            assert op.nbytes == enough


def test_a_gram_matrix_keeps_to_max_bytes(crowd):
    size = len(crowd) ** 2 * 8
    assert gm.SubsetTreeKernel().operator(crowd, method="gram", max_bytes=size).nbytes == size
    with pytest.raises(ValueError, match=f"max_bytes={size - 1}"):
        gm.SubsetTreeKernel().operator(crowd, method="gram", max_bytes=size - 1)


@pytest.mark.parametrize(("max_bytes", "method"), [(None, "compiled"), (512, "gram"), (511, "rows"), (0, "rows")])
@some_kernels
def test_auto_takes_what_fits_and_says_why(kernel, max_bytes, method):
    """Eight large trees: a matrix of 512 bytes."""
    X, W = forest(random_trees(8, seed=2, largest=80)), random_weights(8, 3)
    op = kernel.operator(X, max_bytes=max_bytes)
    assert method in op.method.split("+")  # a sum may have room for one matrix
    assert (f"max_bytes = {max_bytes}" in op.report().reason) == (method != "compiled")
    near(op @ W, kernel.direct(X), W)
    op.extend(X[:4])
    near(op @ np.vstack([W, W[:4]]), kernel.direct(X[[*range(8), *range(4)]]), np.vstack([W, W[:4]]))


@pytest.mark.parametrize(("limits", "reason"), [((2**40, 100), "longer"), ((100, 2**40), "max_bytes = 100")])
def test_auto_does_not_compile_what_takes_more_than_it_saves(limits, reason, crowd, monkeypatch):
    kernel, W = gm.PartialTreeKernel(), random_weights(len(crowd), 2)
    monkeypatch.setattr(_core, "worthwhile", lambda trees: limits)
    op = kernel.operator(crowd)
    assert op.method == "gram"
    assert reason in op.report().reason
    near(op @ W, kernel.direct(crowd), W)
    assert kernel.operator(crowd, method="compiled").method == "compiled"


def test_report_shows_method_and_sizes(crowd):
    op = gm.SubsetTreeKernel().operator(crowd)
    report = op.report()
    assert (report.n, report.n_trees, report.n_subtrees) == (len(crowd), len({*crowd}), crowd.n_subtrees)
    assert (report.method, report.nbytes, report.kernel) == ("compiled", op.nbytes, repr(op.kernel))
    for part in ("compiled", f"{len(crowd)}, {report.n_trees} distinct", repr(op.kernel)):
        assert part in str(report)


def test_kernels_on_vectors_have_operators_but_cannot_be_compiled():
    kernel, X = gm.PolynomialKernel(2), [{1, 2}, {2}]
    W = np.array([1.0, -2.0])
    for method in ("auto", "gram", "rows"):
        near(kernel.operator(X, method=method) @ W, kernel(X), W)
    with pytest.raises(ValueError, match="only tree kernels can be compiled"):
        kernel.operator(X, method="compiled")
    with pytest.raises(ValueError, match="only an operator over trees can be extended"):
        kernel.operator(X).extend(X)


def test_rows_of_more_than_a_million_examples_are_taken_one_by_one():
    X = gm.Forest.from_strings(["(a b)"])[np.zeros(1_100_000, dtype=int)]
    with pytest.raises(KeyError, match="enough"):  # after the first
        gm.SubtreeKernel().operator(X, method="rows").apply(np.ones(len(X)), progress=stop)


@pytest.mark.parametrize(
    "options",
    [{"method": "dense"}, {"max_bytes": -1}, {"max_bytes": "1G"}, {"max_bytes": float("nan")}, {"n_jobs": 0}],
    ids=str,
)
def test_bad_options_are_refused(options, crowd):
    with pytest.raises(ValueError, match=next(iter(options))):
        gm.SubsetTreeKernel().operator(crowd, **options)


def test_max_bytes_may_be_more_than_there_is(crowd):
    assert gm.SubsetTreeKernel().operator(crowd, method="compiled", max_bytes=2**80).method == "compiled"


# --- behaviour --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["compiled", "gram"])
@some_kernels
def test_progress_hears_of_it_and_may_stop_it(kernel, method, crowd):
    calls = []
    kernel.operator(crowd, method=method, progress=lambda *call: calls.append(call))
    assert calls
    assert all(0 <= done <= total for done, total in calls)
    assert calls[-1][0] == calls[-1][1]
    with pytest.raises(KeyError, match="enough"):
        kernel.operator(crowd, method=method, progress=stop)


@pytest.mark.parametrize("method", ["compiled", "rows"])
def test_progress_hears_of_a_product_and_may_stop_it(method, crowd):
    op, W, calls = gm.SubsetTreeKernel().operator(crowd, method=method), random_weights(len(crowd), 2), []
    product = op.apply(W, progress=lambda *call: calls.append(call))
    assert calls
    with pytest.raises(KeyError, match="enough"):
        op.apply(W, progress=stop)
    same_bits(op @ W, product)


@pytest.mark.parametrize("kernel", [gm.SubsetTreeKernel(), gm.PartialTreeKernel()], ids=str)
def test_ctrl_c_stops_compiling(kernel):
    X = gm.Forest.from_strings(["(a " * 20_000 + "x" + ")" * 20_000])
    assert seconds_to_stop(lambda: kernel.operator(X, method="compiled")) < SOON


@pytest.mark.parametrize(
    ("W", "error"),
    [
        (np.ones(89), "90 examples"),
        (np.ones((91, 2)), "90 examples"),
        (np.ones((90, 1, 1)), "90 examples"),
        (1.0, "90 examples"),
        (np.full(90, np.nan), "NaN"),
        (np.full((90, 2), np.inf), "infinity"),
        (np.full(90, 1j), "complex"),
        (np.full(90, "1.5a"), "1.5a"),
        (identity(90), "array"),
        ([None] * 90, "objects"),
    ],
    ids=["short", "long", "deep", "number", "NaN", "infinite", "complex", "text", "sparse", "objects"],
)
def test_bad_weights_are_refused(W, error, crowd):
    for op in (gm.SubsetTreeKernel().operator(crowd, method=method) for method in ("compiled", "gram", "rows")):
        with pytest.raises(ValueError, match=error):
            op @ W
        with pytest.raises(ValueError, match=error):
            op.apply(W)


LARGE = ("c", *[("b", *[("a", *[("p", "x")] * 16)] * 16)] * 16)  # 2^16 fragments, then about 2^256, then 2^4096


@pytest.mark.parametrize(
    "kernel",
    [
        gm.SubsetTreeKernel(1.0),
        gm.ProductionTreeKernel(1.0, marked=True),
        gm.PartialTreeKernel(1.0, 1.0),
        gm.PartialTreeKernel(1.0, 1.0, single_nodes=False),
        gm.OrderedTreeKernel(1.0),
        gm.Normalized(gm.SubsetTreeKernel(1.0)),
        gm.Normalized(gm.PartialTreeKernel(1.0, 1.0)),
        gm.SubtreeKernel(1.0) + gm.OrderedTreeKernel(1.0),
    ],
    ids=str,
)
def test_overflow_is_an_error_that_names_the_tree(kernel):
    X = forest([*random_trees(7, seed=4), LARGE, *random_trees(2, seed=5)])
    with pytest.raises(ValueError, match=r"\btree 7\b.*range of double"):
        kernel.operator(X) @ np.ones(10)
    op = kernel.operator(X[:5])
    with pytest.raises(ValueError, match=r"\btree 7\b.*range of double"):
        op.extend(X[5:])
    assert np.isfinite(op @ np.ones(5)).all()


@pytest.mark.parametrize("method", ["compiled", "gram", "rows"])
@pytest.mark.parametrize(
    ("kernel", "weight"),
    [
        (gm.SubsetTreeKernel(1.0), 1e307),
        (gm.Normalized(gm.SubsetTreeKernel(1.0)), 1e308),
        (1e307 * gm.SubsetTreeKernel(1.0), 1.0),
        (1e307 * gm.SubsetTreeKernel(1.0) + gm.SubtreeKernel(), 1.0),
    ],
    ids=str,
)
def test_sums_that_leave_the_range_are_an_error(kernel, weight, method, crowd):
    with pytest.raises(ValueError, match="range of double"):
        kernel.operator(crowd, method=method) @ np.full(len(crowd), weight)


# --- in scipy ---------------------------------------------------------------------------------------------------------


@some_kernels
def test_operator_is_its_own_transpose(kernel, crowd):
    op, W = kernel.operator(crowd), random_weights(len(crowd), 2)
    assert op.dtype == np.float64
    for same in (op.T, op.H, op.transpose(), op.adjoint()):
        same_bits(same @ W, op @ W)
    same_bits(op.rmatvec(W[:, 0]), op @ W[:, 0])
    same_bits(op.rmatmat(W), op @ W)
    same_bits(op.dot(W), op.matmat(W))


@some_kernels
def test_conjugate_gradients_solve_kernel_ridge(kernel, crowd):
    gram, y = kernel(crowd), np.random.default_rng(3).normal(size=len(crowd))
    ridge = kernel.operator(crowd) + 0.1 * aslinearoperator(identity(len(crowd)))
    solution, status = cg(ridge, y, rtol=1e-10, maxiter=5000)
    assert status == 0
    np.testing.assert_allclose(gram @ solution + 0.1 * solution, y, atol=1e-6)


@some_kernels
def test_eigenvalues_are_those_of_the_gram_matrix(kernel, crowd):
    values = eigsh(kernel.operator(crowd), k=5, return_eigenvectors=False, v0=np.ones(len(crowd)))
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(kernel(crowd))[-5:], rtol=1e-8)


@pytest.mark.parametrize("method", ["compiled", "gram", "rows"])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda op: pickle.loads(pickle.dumps(op))],
                         ids=["copy", "deepcopy", "pickle"])  # fmt: skip
def test_a_copy_gives_the_same_bits_and_grows_apart(again, method, crowd):
    op, W = gm.Normalized(gm.PartialTreeKernel()).operator(crowd[:80], method=method), random_weights(len(crowd), 2)
    op.extend(crowd[80:])
    product, other = op @ W, again(op)
    assert other.report() == replace(op.report(), nbytes=other.nbytes)
    same_bits(other @ W, product)
    other.extend(crowd[:1])
    assert other.shape == (len(crowd) + 1, len(crowd) + 1)
    same_bits(op @ W, product)


def kernel_k_means(op, k):
    """Lloyd's algorithm where all that is seen are products with the Gram matrix; starts far apart."""
    seeds = [0]
    for _ in range(k - 1):
        seeds.append(np.argmin((op @ np.eye(len(op.diagonal()))[:, seeds]).max(axis=1)))
    clusters = np.argmax(op @ np.eye(op.shape[0])[:, seeds], axis=1)
    while True:
        members = np.eye(k)[clusters] / np.bincount(clusters, minlength=k)
        products = op @ members
        nearest = np.argmin(np.sum(members * products, axis=0) - 2 * products, axis=1)
        if (nearest == clusters).all():
            return clusters
        clusters = nearest


def test_k_means_separates_kinds_of_trees():
    rng = np.random.default_rng(6)
    names = lambda count: [f"w{n}" for n in rng.integers(0, 4, count)]  # noqa: E731
    kinds = [
        lambda: "(Q (WH {}) (V {}) (N {}))".format(*names(3)),
        lambda: "(S (N {}) (V {}) (PP (P {}) (N {})))".format(*names(4)),
        lambda: "(I (V {}) (N {} {}))".format(*names(3)),
    ]
    of_kind = rng.integers(0, 3, 200)
    clusters = kernel_k_means(gm.Normalized(gm.SubsetTreeKernel()).operator([kinds[kind]() for kind in of_kind]), 3)
    assert len({*zip(clusters, of_kind, strict=True)}) == len({*clusters}) == 3
