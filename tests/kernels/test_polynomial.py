"""PolynomialKernel: its weights, its Gram matrices and the index behind them."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

import gristmill as gm
from tests.data.strategies import FEATURES, as_dicts, eighths, odd_kernels, positive_eighths, rows
from tests.oracle import polynomial as oracle

KNOWN_WEIGHTS = {
    1: (1, 1),
    2: (1, 3, 2),
    3: (1, 7, 12, 6),
    4: (1, 15, 50, 60, 24),
    5: (1, 31, 180, 390, 360, 120),
}

expandable_kernels = st.builds(
    gm.PolynomialKernel, st.integers(0, 12), positive_eighths, st.integers(0, 40).map(lambda n: n / 8)
)
real_rows = st.lists(st.dictionaries(st.integers(0, FEATURES - 1), eighths.filter(bool), max_size=FEATURES), max_size=6)


def parameters(kernel):
    return kernel.degree, kernel.gamma, kernel.coef0


def table(dicts):
    return np.array([[row.get(feature, 0) for feature in range(FEATURES)] for row in dicts]).reshape(-1, FEATURES)


def assert_equals_oracle(gram, kernel, left, right):
    """Each entry within 1e-14 of the base's largest power, as the base may cancel."""
    for x, row in zip(left, gram, strict=True):
        for y, got in zip(right, row, strict=True):
            shared = oracle.dot(x, y)
            scale = (abs(Fraction(kernel.gamma) * shared) + abs(Fraction(kernel.coef0))) ** kernel.degree
            assert abs(Fraction(got) - oracle.kernel(*parameters(kernel), shared)) <= scale / 10**14


def zipfian(n_rows, n_features, length, seed):
    """Binary rows whose features are few and frequent, or many and rare."""
    draws = np.random.default_rng(seed).zipf(1.3, (n_rows, length)) % n_features
    row_numbers = np.repeat(np.arange(n_rows), length)
    counts = sp.csr_matrix((np.ones(draws.size), (row_numbers, draws.ravel())), shape=(n_rows, n_features))
    counts.data[:] = 1
    return counts


# --- subset weights ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degree", "weights"), KNOWN_WEIGHTS.items())
def test_subset_weights_are_the_papers(degree, weights):
    np.testing.assert_array_equal(gm.PolynomialKernel(degree).subset_weights(), weights)


@given(kernel=expandable_kernels)
def test_subset_weights_equal_the_oracle(kernel):
    weights = kernel.subset_weights()
    assert len(weights) == kernel.degree + 1
    for size, got in enumerate(weights):
        expected = oracle.subset_weight(*parameters(kernel), size)
        assert abs(Fraction(got) - expected) <= expected / 10**14


@given(kernel=expandable_kernels, shared=st.integers(0, 20))
def test_subset_weights_add_up_to_the_kernel(kernel, shared):
    total = sum(Fraction(weight) * comb(shared, size) for size, weight in enumerate(kernel.subset_weights()))
    expected = oracle.kernel(*parameters(kernel), shared)
    assert abs(total - expected) <= expected / 10**13


@pytest.mark.parametrize("coef0", [0.0, 1 / 8, 1.0, 5.0])
def test_nothing_cancels_at_degree_twelve(coef0):
    weights = gm.PolynomialKernel(12, 1 / 8, coef0).subset_weights()
    expected = [oracle.subset_weight(12, Fraction(1, 8), Fraction(coef0), size) for size in range(13)]
    np.testing.assert_allclose(weights, [float(w) for w in expected], rtol=1e-14)


@pytest.mark.parametrize(("gamma", "coef0"), [(0.0, 1.0), (-1.0, 1.0), (1.0, -0.5)])
def test_subset_weights_are_refused_where_they_could_be_negative(gamma, coef0):
    with pytest.raises(ValueError, match="gamma > 0 and coef0 >= 0"):
        gm.PolynomialKernel(2, gamma, coef0).subset_weights()


@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(12, 1e100), gm.PolynomialKernel(1000)], ids=str)
def test_subset_weights_beyond_double_are_refused(kernel):
    with pytest.raises(ValueError, match="range of double"):
        kernel.subset_weights()


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [-1, 1001, 1.5, True, "2", "two", None, float("nan"), float("inf")], ids=repr)
def test_a_bad_degree_is_refused(degree):
    with pytest.raises(ValueError, match="degree must be a whole number"):
        gm.PolynomialKernel(degree)


@pytest.mark.parametrize("name", ["gamma", "coef0"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), "one", None], ids=repr)
def test_a_bad_gamma_or_coef0_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a finite number"):
        gm.PolynomialKernel(2, **{name: value})


@pytest.mark.parametrize(
    ("kernel", "expandable"),
    [
        (gm.PolynomialKernel(1, 0.5, 0.0), True),
        (gm.PolynomialKernel(12), True),
        (gm.PolynomialKernel(0), False),
        (gm.PolynomialKernel(13), False),
        (gm.PolynomialKernel(2, -1.0), False),
        (gm.PolynomialKernel(2, 1.0, -1.0), False),
    ],
    ids=str,
)
def test_expandable_says_whether_conjunctions_have_weights(kernel, expandable):
    assert kernel.expandable is expandable


@pytest.mark.parametrize("X", [[set(range(100))], np.full((1, 100), 2.0)], ids=["binary", "real"])
@pytest.mark.parametrize("method", ["__call__", "diag"])
@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(12, 1e100), gm.PolynomialKernel(2, 1e307)], ids=str)
def test_overflow_is_an_error_that_says_so(kernel, method, X):
    with pytest.raises(ValueError, match=r"range of double.*smaller degree, gamma or coef0"):
        getattr(kernel, method)(X)


# --- Gram matrices ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degree", "value"), [(2, 16), (3, 64)])
def test_the_papers_example(degree, value):
    a, b, c, d, e = range(5)
    assert gm.PolynomialKernel(degree)([{a, b, c, d}], [{a, b, d, e}]) == [[value]]


@given(kernel=odd_kernels(), left=rows, right=rows)
def test_gram_equals_the_oracle(kernel, left, right):
    assert_equals_oracle(kernel(left, right), kernel, as_dicts(left), as_dicts(right))


@given(kernel=odd_kernels(), left=real_rows, right=real_rows)
def test_gram_of_real_values_equals_the_oracle(kernel, left, right):
    assert_equals_oracle(kernel(table(left), table(right)), kernel, left, right)


@given(kernel=odd_kernels(), left=rows, right=real_rows)
def test_gram_of_binary_and_real_rows_equals_the_oracle(kernel, left, right):
    assert_equals_oracle(kernel(left, table(right)), kernel, as_dicts(left), right)
    assert_equals_oracle(kernel(table(right), left), kernel, right, as_dicts(left))


@given(kernel=odd_kernels(), X=st.one_of(rows, real_rows.map(table)))
def test_gram_of_one_side_is_symmetric_with_diag_on_its_diagonal(kernel, X):
    gram = kernel(X)
    np.testing.assert_array_equal(gram, kernel(X, X))
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(kernel.diag(X), np.diagonal(gram))


@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(3), gm.PolynomialKernel(0, 2.0, 0.0)], ids=str)
def test_rows_that_share_nothing_have_the_value_at_zero(kernel):
    np.testing.assert_array_equal(kernel([set(), {1}], [set(), {2}]), np.full((2, 2), kernel.values(0)[0]))


@pytest.mark.parametrize(("left", "right"), [([], [{1}]), ([{1}], []), ([], [])])
def test_no_rows_give_an_empty_gram(left, right):
    assert gm.PolynomialKernel()(left, right).shape == (len(left), len(right))


# --- row provider -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [[{0, 1}, set(), {1, 2}, {5}], np.array([[0.5, 2], [0, 0], [1, 1], [0, -3]])], ids=len)
@pytest.mark.parametrize(
    "which",
    [0, -1, np.int64(2), [2, 0], [0, 0], [], slice(1, 3), slice(None, None, -1), [True, False, True, False]],
    ids=str,
)
def test_the_row_provider_gives_rows_of_the_gram(X, which):
    kernel = gm.PolynomialKernel(3, 0.5)
    np.testing.assert_array_equal(kernel.rows(X)[which], kernel(X)[which])


@given(kernel=odd_kernels(), X=rows, queries=rows)
def test_the_row_provider_against_others_is_their_gram(kernel, X, queries):
    provider = kernel.rows(X)
    assert len(provider) == len(X)
    np.testing.assert_array_equal(provider.against(queries), kernel(queries, X))


def test_the_row_provider_refuses_a_row_that_is_not_there():
    with pytest.raises(IndexError):
        gm.PolynomialKernel().rows([{1}, {2}])[2]


# --- the index behind -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def zipfian_rows():
    """Enough rows for byte columns as well as postings."""
    X = zipfian(3000, 5000, 30, seed=1)
    counts = np.asarray(X.sum(axis=0)).ravel()
    assert (counts * 16 >= 3000).any()
    assert ((counts > 0) & (counts * 16 < 3000)).any()
    return X


def test_columns_and_postings_together_count_overlaps(zipfian_rows):
    queries = zipfian(300, 5000, 40, seed=2)
    overlaps = (queries @ zipfian_rows.T).toarray()
    np.testing.assert_array_equal(gm.PolynomialKernel(1, 1.0, 0.0)(queries, zipfian_rows), overlaps)


def test_threads_do_not_change_a_bit(zipfian_rows):
    kernel = gm.PolynomialKernel(3, 0.3, 0.7)
    one = kernel(zipfian_rows[:200], zipfian_rows)
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(kernel(zipfian_rows[:200], zipfian_rows, n_jobs=n_jobs), one)


@pytest.mark.parametrize("length", [255, 256, 65535, 65536])
@pytest.mark.parametrize("n_others", [0, 1100], ids=["postings", "columns"])
def test_counters_are_wide_enough_for_long_rows(length, n_others):
    """More rows than 1024 turn their features into columns; the long row's own features stay postings."""
    long = set(range(length))
    data = [long, *([{0, 1}] * n_others)]
    gram = gm.PolynomialKernel(1, 1.0, 0.0)([long, {0, length - 1}], data)
    np.testing.assert_array_equal(gram[:, 0], [length, 2])
    np.testing.assert_array_equal(gram[:, 1:], np.broadcast_to([[2], [1]], (2, n_others)))


@pytest.mark.parametrize("length", [300, 65600])
def test_columns_count_in_wide_counters(length):
    """Every row has every feature, so all features are columns."""
    X = sp.csr_matrix(np.ones((1024, 300), dtype=np.int8))
    wide = sp.hstack([X, sp.csr_matrix((1024, length - 300), dtype=np.int8)]).tolil()
    wide[0, :] = 1
    gram = gm.PolynomialKernel(1, 1.0, 0.0)(wide.tocsr(), wide.tocsr()[:1])
    np.testing.assert_array_equal(gram[:, 0], [length] + [300] * 1023)


# --- in scikit-learn --------------------------------------------------------------------------------------------------


def test_svc_takes_the_kernel_as_a_callable():
    rng = np.random.default_rng(3)
    X = (rng.random((120, 15)) < 0.4).astype(float)
    y = rng.integers(0, 3, 120)
    ours = SVC(kernel=gm.PolynomialKernel(2)).fit(X[:80], y[:80])
    theirs = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X[:80], y[:80])
    np.testing.assert_array_equal(ours.predict(X[80:]), theirs.predict(X[80:]))
