"""feature_names in `fit`: names for data without, which the machine and everything said about it then have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gristmill as gm

NAMES = ["red", "green", "blue"]
X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
Y = [0, 0, 1, 1]
LEARNERS = [
    gm.KernelSVC(),
    gm.KernelLogisticRegression(),
    gm.KernelSVR(),
    gm.KernelOneClassSVM(),
    gm.KernelRanker(),
    gm.OnlineKernelClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("made", [np.asarray, sp.csr_matrix, lambda X: gm.ids([np.flatnonzero(row) for row in X])])
def test_the_machine_has_the_names(learner, made):
    learner.fit(made(X), Y, feature_names=NAMES)
    assert learner.machine_.feature_names == tuple(NAMES)
    assert not hasattr(learner, "feature_names_in_")  # data without names go on being read without a warning
    learner.predict(made(X))
    assert set(gm.explain(learner, made(X[:1]))[0].names) == {"red", "blue"}
    learner.fit(made(X), Y)
    assert learner.machine_.feature_names is None


def test_names_of_a_vocabulary_may_be_more_than_columns():
    clf = gm.KernelSVC().fit(gm.ids([[0], [1]]), [0, 1], feature_names=["a", "b", "never seen"])
    assert gm.explain(clf, gm.ids([[1]]))[0].names == ("b",)


@pytest.mark.parametrize("names", [["red"], "red", 3, []])
def test_too_few_names_are_refused(names):
    with pytest.raises(ValueError, match="a name for each of 3 columns of X"):
        gm.KernelSVC().fit(X, Y, feature_names=names)


def test_names_of_a_frame_are_its_own():
    frame = pd.DataFrame(X, columns=NAMES)
    assert gm.KernelSVC().fit(frame, Y, feature_names=NAMES).machine_.feature_names == tuple(NAMES)
    with pytest.raises(ValueError, match="X has names of columns and feature_names are others"):
        gm.OnlineKernelClassifier().fit(frame, Y, feature_names=NAMES[::-1])


@pytest.mark.parametrize(
    ("kernel", "data"), [("sst", ["(S (A a))", "(S (B b))"] * 2), ("precomputed", X @ X.T + np.eye(4)), (np.dot, X)]
)
def test_other_data_than_rows_have_no_names(kernel, data):
    if kernel is np.dot:
        kernel = lambda A, B: A @ B.T  # noqa: E731
    with pytest.raises(ValueError, match="feature_names are for rows"):
        gm.KernelSVC(kernel).fit(data, Y, feature_names=["a", "b", "c", "d"])


def test_streams_keep_the_names_of_the_first_data():
    clf = gm.OnlineKernelClassifier()
    clf.partial_fit(X, Y, classes=[0, 1], feature_names=NAMES).partial_fit(X, Y)
    assert clf.machine_.feature_names == tuple(NAMES)
    clf.partial_fit(X, Y, feature_names=NAMES[::-1])
    assert clf.machine_.feature_names == tuple(NAMES[::-1])
    warm = gm.OnlineKernelClassifier(warm_start=True).fit(X, Y, feature_names=NAMES).fit(X, Y)
    assert warm.machine_.feature_names == tuple(NAMES)
