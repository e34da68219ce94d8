"""The benchmark of bounds on overlaps: what it calls certain is certain, and what it counts is all that is needed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, overlap_bounds, set_kernels
from tests.benchmarks.test_svm import decisions
from tests.kernels.set_kernels import features, id_rows

KERNELS = overlap_bounds.kernels(0.3)


@st.composite
def scores(draw):
    """A score above 0 as a sum, and which support rows have the features of x."""
    support = draw(st.lists(features, min_size=1, max_size=5))
    x, kernel = draw(features), draw(st.sampled_from(KERNELS))
    coef = draw(st.lists(st.floats(0.1, 5) | st.floats(-5, -0.1), min_size=len(support), max_size=len(support)))
    machine = gm.Machine(kernel, id_rows(support), coef, draw(st.floats(-2, 2)))
    rows, query = machine.rows.to_csr(40), id_rows([x]).to_csr(40)
    sign = 1.0 if machine.compile("direct").decision_function(id_rows([x]))[0] > 0 else -1.0
    columns = rows.tocsc()[:, query.indices].toarray().T > 0
    return overlap_bounds.score_of(machine, rows, query, sign), columns


@given(scores())
def test_least_terms_are_no_larger_than_terms_and_bounds_no_larger_than_the_score(drawn):
    score, columns = drawn
    slack = 1e-9 * (abs(score.intercept) + np.abs(score.coef).sum())
    assert (score.unknown <= score.terms + slack).all()
    if score.is_certain_by_lengths or score.is_certain_by_sums() or score.postings_to_read(columns) < columns.sum():
        assert score.value > -slack
    assert 0 <= score.rows_at_best() <= score.rows_most_open_first() <= len(score.coef)


@given(scores())
def test_fewer_rows_than_the_best_order_needs_never_do(drawn):
    score, _ = drawn
    few = score.rows_at_best()
    gains = np.sort(score.terms - score.unknown)[::-1]
    if 0 < few < len(gains):
        assert score.intercept + score.unknown.sum() + gains[: few - 1].sum() <= 1e-9


def test_a_page_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(set_kernels, "corpora_of", lambda _: {"made": (decisions(60, 1), decisions(30, 2))})
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    overlap_bounds.main(set_kernels.Sizes(None, 0, 40, 0, ()), 5)
    found = json.loads((tmp_path / "overlap_bounds.json").read_text(encoding="utf-8"))
    assert [row[0] for row in found["rows"]] == ["made"] * 5 + ["fingerprints"] * 5
    by_sums = found["columns"].index("certain by sums, %")
    assert [row[by_sums] for row in found["rows"] if row[1] in ("CosineKernel()", "DiceKernel()")] == ["100.0"] * 4
    assert "overlap_bounds" in benchmarks_main.CLAIMS


def test_terms_that_are_not_the_machine_s_end_it(monkeypatch):
    X, y = decisions(40, 1)
    machine = gm.KernelSVC("rbf", gamma=0.3).fit(X, y).machine_
    monkeypatch.setattr(overlap_bounds.Score, "value", 1e9)
    with pytest.raises(AssertionError, match="is not"):
        overlap_bounds.looks(machine, X[:2])
