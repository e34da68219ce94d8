"""Numbers as bins: the columns are those of KBinsDiscretizer and Binarizer, to the last bit of an edge."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import Binarizer, KBinsDiscretizer

from gristmill.estimators.encodings.machine import encoding_of
from tests.estimators.encodings.same_columns import NUMBERS, assert_same_columns, fitted, frames

STRATEGIES = st.sampled_from(["uniform", "quantile"])


@given(frames(kinds=("number", "whole"), missing=False), frames(kinds=("number",)), st.integers(2, 5), STRATEGIES)
def test_columns_are_those_of_the_discretizer(tables, others, n_bins, strategy):
    training, table = tables
    step = fitted(KBinsDiscretizer(n_bins, encode="onehot", strategy=strategy, quantile_method="linear"), training)
    assert_same_columns(step, training)
    assert_same_columns(step, table)
    near = np.concatenate(
        [[np.nextafter(edge, -np.inf), edge, np.nextafter(edge, np.inf)] for edge in step.bin_edges_[0]]
    )
    near = near[np.isfinite(near)]
    assert_same_columns(step, pd.DataFrame(dict.fromkeys(training, near)))
    assert_same_columns(
        step, pd.DataFrame(dict.fromkeys(training, others[1].iloc[:, 0]))
    )  # perhaps with missing numbers


@given(frames(kinds=("number", "whole")), NUMBERS)
def test_columns_are_those_of_the_binarizer(tables, threshold):
    _, table = tables
    step = Binarizer(threshold=threshold).fit(table.fillna(0.0))
    assert_same_columns(step, table)
    assert_same_columns(
        step, pd.DataFrame({name: np.nextafter(threshold, [-np.inf, threshold, np.inf]) for name in table})
    )


def test_words_tell_which_end_is_inside():
    step = KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform").fit(pd.DataFrame({"age": [20.0, 50.0]}))
    encoding, _ = encoding_of([step])
    assert encoding.feature_names == ["age < 30", "age 30 to <40", "age >= 40"]
    encoding, places = encoding_of([Binarizer(threshold=2.5).fit(pd.DataFrame({"age": [1.0]}))])
    assert encoding.feature_names == ["age <= 2.5", "age > 2.5"]
    assert places.tolist() == [1]


def test_a_column_of_one_bin_is_constant():
    table = pd.DataFrame({"age": [3.0, 3.0]})
    with pytest.warns(UserWarning, match="constant"):
        step = KBinsDiscretizer(3, encode="onehot").fit(table)
    assert_same_columns(step, table)


@given(frames(kinds=("number", "boolean")), st.sampled_from([0.0, 0.4]))
def test_a_threshold_stands_for_what_estimators_do_with_columns_as_they_are(tables, binarize):
    _, table = tables
    step = ColumnTransformer([("all", "passthrough", list(table))]).fit(table)
    encoding, places = encoding_of([step], binarize=binarize)
    values = table.to_numpy(dtype=np.float64)
    if np.isnan(values).any():
        with pytest.raises(ValueError, match="a missing number"):
            encoding.codes(table)
    else:
        assert np.array_equal(encoding.one_hot(encoding.codes(table)).toarray()[:, places], values > binarize)


@pytest.mark.parametrize("binarize", [None, False])
def test_without_a_threshold_values_other_than_0_and_1_are_refused(binarize):
    table = pd.DataFrame({"x": [0, 1, 1], "flag": [True, False, True]})
    encoding, places = encoding_of([ColumnTransformer([("all", "passthrough", [0, 1])]).fit(table)], binarize=binarize)
    assert np.array_equal(encoding.one_hot(encoding.codes(table)).toarray()[:, places], table.astype(float))
    with pytest.raises(ValueError, match="column 'x', row 1: got '2', which training did not have; it knows '0', '1'"):
        encoding.codes(pd.DataFrame({"x": [1.0, 2.0], "flag": [0, 1]}))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (KBinsDiscretizer(2, encode="ordinal"), "Use encode=.onehot."),
        (KBinsDiscretizer(2, encode="onehot", dtype=np.float32), "rounds numbers to float32"),
        (Binarizer(threshold=np.inf), "infinite"),
    ],
)
def test_what_no_bins_can_say_is_refused(step, message):
    with pytest.raises(ValueError, match=message):
        encoding_of([step.fit(pd.DataFrame({"x": [1.0, 2.0, 3.0]}))])
