"""Explanations of tables are held against all sets of fields before anything is timed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from benchmarks import table_explanations as claim
from benchmarks.measure import Timing
from gristmill.explanations import Explanation

DRAW = np.random.default_rng(0)
X = pd.DataFrame({"a": DRAW.integers(0, 5, 90), "b": DRAW.choice(list("xyz"), 90), "c": DRAW.normal(size=90).round(1)})
Y = np.where((X["a"] > 2) ^ (X["b"] == "x"), "yes", "no")
DATA = claim.Data(X, Y, X[:4])


@pytest.fixture(scope="module")
def model():
    return gm.TableClassifier(bins=4, C=1.0, degree=2).fit(X, Y)


def test_right_answers_pass(model):
    claim.check(model, DATA)


@pytest.mark.parametrize("part", ["values", "interactions"])
def test_wrong_ones_do_not(model, part, monkeypatch):
    explain = gm.explain

    def wrong(*arguments, **options):
        found: Explanation = explain(*arguments, **options)
        numbers = getattr(found, part)
        return found if numbers is None else replace(found, **{part: numbers + 1e-6})

    monkeypatch.setattr(gm, "explain", wrong)
    with pytest.raises(AssertionError):
        claim.check(model, DATA)


def test_times_stand_beside_those_of_the_same_table_and_kind():
    def outcome(explained, explainer, seconds):
        return claim.Outcome("adult", explained, explainer, Timing(seconds, seconds, seconds, 1))

    found = [
        outcome(claim.VALUES, claim.FRAME, 2e-6),
        outcome(claim.PAIRS, claim.FRAME, 4e-6),
        outcome(claim.PAIRS, claim.SHAP, 8e-3),
    ]
    lines = [claim._line(one, found) for one in found]
    assert lines[2] == ["adult", claim.PAIRS, claim.SHAP, "8,000.00", "2,000.0"]
    assert lines[0][-1] == "1.0"
