"""Targets that are missing are refused by row, by every learner, whatever holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gristmill as gm

N = 30
X = np.random.default_rng(0).integers(0, 2, (N, 3))
CLASSES = ["yes", "no", "no"] * 10
MISSING = [None if row in (4, 9) else value for row, value in enumerate(CLASSES)]
CLASSIFIERS = [
    gm.TableClassifier(degree=1, C=0.1),
    gm.KernelLogisticRegression(),
    gm.KernelSVC(),
    gm.OnlineKernelClassifier(C=0.1),
]
HELD = {
    "list": MISSING,
    "NaN among texts": [np.nan if value is None else value for value in MISSING],
    "NaT": [pd.NaT if value is None else value for value in MISSING],
    "array": np.array(MISSING, dtype=object),
    "series": pd.Series(MISSING),
    "texts of pandas": pd.Series(MISSING, dtype="string"),
    "categories": pd.Series(MISSING, dtype="category"),
    "categorical": pd.Categorical(MISSING),
    "booleans": pd.Series([None if value is None else value == "yes" for value in MISSING], dtype="boolean"),
    "whole numbers": pd.Series([None if value is None else len(value) for value in MISSING], dtype="Int64"),
    "polars": pl.Series(MISSING),
}


def name_of(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("clf", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("y", HELD.values(), ids=HELD)
def test_missing_classes_are_refused_by_row(clf, y):
    with pytest.raises(ValueError, match="the target is missing in 2 rows, the first is row 4; leave rows"):
        clf.fit(X, y)


@pytest.mark.parametrize("model", [gm.TableRegressor(degree=1, C=0.1), gm.KernelSVR()], ids=name_of)
@pytest.mark.parametrize("kind", [list, pl.Series])
def test_missing_numbers_are_refused_by_row(model, kind):
    with pytest.raises(ValueError, match="the target is missing in 1 row, the first is row 7"):
        model.fit(X, kind([None if row == 7 else float(row) for row in range(N)]))


@pytest.mark.parametrize("model", [gm.TableRegressor(degree=1, C=0.1), gm.KernelSVR()], ids=name_of)
@pytest.mark.parametrize("kind", [list, np.array, pl.Series, pd.Series])
def test_a_target_that_is_no_number_is_named(model, kind):
    with pytest.raises(ValueError, match=r"has to be numbers for regression, got 'low' in row 3: convert it"):
        model.fit(X, kind([*map(str, range(3)), "low"] + ["high"] * (N - 4)))
    with pytest.raises(ValueError, match="the target 'price' has to be numbers"):
        model.fit(X, pd.Series(["low"] * N, name="price"))


@pytest.mark.parametrize("clf", CLASSIFIERS[:3], ids=name_of)
def test_no_rows_are_said_to_be_that(clf):
    with pytest.raises(ValueError, match=r"0 sample|no rows to learn from"):
        clf.fit(X[:0], [])


def test_a_table_without_rows_is_said_to_be_that():
    with pytest.raises(ValueError, match="there are no rows to learn from"):
        gm.TableClassifier().fit(pd.DataFrame({"a": [1.0]})[:0], [])


@pytest.mark.parametrize("clf", CLASSIFIERS, ids=name_of)
def test_all_that_hold_classes_are_taken(clf):
    expected = clf.fit(X, CLASSES).predict(X).tolist()
    for kind in (np.array, pd.Series, pd.Categorical, pl.Series):
        assert clf.fit(X, kind(CLASSES)).predict(X).tolist() == expected


@pytest.mark.parametrize("clf", CLASSIFIERS[:3], ids=name_of)
def test_a_class_alone_is_named(clf):
    with pytest.raises(ValueError, match="greater than one; got 1 class: 'yes'"):
        clf.fit(X, ["yes"] * N)
