"""Numbers that a threshold would make worthless: the warning says so, and what to do."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import gristmill as gm

WHAT_TO_DO = (
    r"carry little or no information this way: \d+ of 30 columns become constant.*KBinsDiscretizer.*binarize=False"
)


def _cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:200], y[:200]


@pytest.mark.parametrize("make", [gm.KernelSVC, gm.OnlineKernelClassifier, gm.KernelSVR])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda X: X.tolist()], ids=["array", "sparse", "list"])
def test_a_table_of_floats_gets_a_warning_that_says_what_to_do(make, form):
    X, y = _cancer()
    with pytest.warns(gm.DataConversionWarning, match=WHAT_TO_DO):
        make(degree=2).fit(form(X), y)


def test_what_it_says_helps():
    X, y = _cancer()
    binned = make_pipeline(KBinsDiscretizer(4, encode="onehot"), gm.KernelSVC(degree=2))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Bins whose width|The current default behavior")
        assert binned.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    scaled = X / X.max(axis=0)
    assert gm.KernelSVC(degree=2, binarize=False).fit(scaled[::2], y[::2]).score(scaled[1::2], y[1::2]) > 0.85


def _warning(X):
    with pytest.warns(gm.DataConversionWarning) as found:
        gm.KernelSVC(degree=1).fit(X, [0, 1] * (len(X) // 2))
    assert len(found) == 1
    return str(found[0].message)


def test_a_column_that_becomes_constant_is_counted():
    said = _warning(np.array([[0.5, 0, 1], [0.25, 1, 0], [2.0, 1, 1], [1.0, 0, 1]]))
    assert "1 of 3 columns become constant" in said
    said = _warning(np.array([[-0.5, 0, 1], [-0.25, 1, 0], [0, 1, 1], [0, 0, 1]]))
    assert "1 of 3 columns become constant" in said


def test_many_values_that_change_are_counted_where_no_column_becomes_constant():
    said = _warning(np.array([[0.5, -2.0], [-1.0, 2.0], [0.5, -2.0], [-1.0, 2.0]]))
    assert "100% of all values change" in said


def test_counts_of_words_are_thresholded_without_advice():
    said = _warning(np.array([[2, 0, 0, 1], [0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]]))
    assert said.endswith("those above 0 become 1, the others 0")


def test_scoring_a_row_gives_no_advice():
    """One row of numbers is constant in every column, and that says nothing."""
    clf = gm.KernelSVC(degree=2).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.warns(gm.DataConversionWarning, match="the others 0$"):
        clf.predict([[0.5, 2.0]])
