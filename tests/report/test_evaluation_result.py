"""True labels as numbers of classes, and short names."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.report.evaluation_result import short_names, truth_of

MACHINE = gm.Machine(gm.PolynomialKernel(1), [{0}], [[1.0, 2.0, 3.0]], [0.0, 0.0, 0.0], [1, 2, 3], "ovr")
WORDS = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, ["no", "yes"])
VALUES = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0)


def test_labels_are_found_among_classes_whatever_numbers_they_are():
    truth = truth_of(MACHINE, np.array([2.0, 1.0, 7.5, np.nan, 3.0]))
    assert truth.numbers.tolist() == [0, 1, 2, 4]
    assert truth.values.tolist() == [1, 0, 3, 2]
    assert truth.names == ("1", "2", "3", "7.5")


def test_words_and_missing_labels():
    truth = truth_of(WORDS, ["yes", None, "", "maybe", "no"])
    assert truth.numbers.tolist() == [0, 3, 4]
    assert truth.names == ("no", "yes", "maybe")
    assert truth.values.tolist() == [1, 2, 0]
    assert truth_of(WORDS, [None, None]) is None


def test_labels_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match=r"none of the labels .* the data have 1, 2, the machine 'no', 'yes'"):
        truth_of(WORDS, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"the data have '1', '2', the machine 1, 2, 3"):
        truth_of(MACHINE, ["1", "2"])
    with pytest.raises(ValueError, match="labels are numbers or str, got b'yes'"):
        truth_of(WORDS, [b"yes"])
    with pytest.raises(ValueError, match="one label for each example"):
        truth_of(WORDS, [["yes"]])
    with pytest.raises(ValueError, match="compared with numbers, got 'yes'"):
        truth_of(VALUES, ["yes"])


@pytest.mark.parametrize("value", [float("inf"), -1e200])
def test_values_that_cannot_be_squared_are_refused(value):
    with pytest.raises(ValueError, match=r"true values must lie within 1e\+150, got"):
        truth_of(VALUES, [1.0, value])


def test_whole_numbers_beyond_a_float_stay_apart():
    large = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, [2**60, 2**60 + 1])
    assert truth_of(large, np.array([2**60 + 1, 2**60])).values.tolist() == [1, 0]


def test_short_names_are_short_and_stay_apart():
    assert short_names(["a", "b" * 50, "b" * 49], 10) == ("a", f"{'b' * 9}…", f"{'b' * 9}… (3)")
