"""The benchmark of kernels of sets: small data become a page, and other answers end the comparison."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, set_kernels
from tests.benchmarks.test_svm import decisions

TINY = set_kernels.Sizes(None, 0, 90, 60, (0.05,), rounds=1)


@pytest.fixture
def corpora(monkeypatch):
    """One corpus that is made."""
    monkeypatch.setattr(set_kernels, "corpora_of", lambda _: {"a9a": (decisions(80, 1), decisions(50, 2))})


def test_all_cases_become_a_page(corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    set_kernels.main(TINY)
    found = json.loads((tmp_path / "set_kernels.json").read_text(encoding="utf-8"))
    data = ["a9a"] * 2 + ["fingerprints"] + ["fingerprints, 3 classes"] * 2 + ["dense floats"] * 2
    assert [row[0] for row in found["rows"]] == data
    assert all(len(row) == len(found["columns"]) for row in found["rows"])
    assert "set_kernels" in benchmarks_main.CLAIMS


def test_labels_that_differ_where_svc_is_sure_end_the_comparison(corpora):
    case = set_kernels.cases(TINY)[0]
    svc, (X, _) = set_kernels.train_svc(case), case.test
    theirs = set_kernels.predict_svc(case, svc, X)
    assert set_kernels.labels_apart(case, svc, [(X, theirs, theirs)]) == 0
    with pytest.raises(AssertionError, match="a label differs at a score of"):
        set_kernels.labels_apart(case, svc, [(X, -theirs, theirs)])
    with pytest.raises(AssertionError, match="is not -2"):
        set_kernels.apart(case, -2.1, -2.0)


def test_gram_matrices_and_gammas_are_those_of_the_definition():
    (X, _), _ = set_kernels.fingerprints(20)
    table = X.toarray()
    one, other = table[3] > 0, table[7] > 0
    assert set_kernels.tanimoto(X, X)[3, 7] == (one & other).sum() / (one | other).sum()
    assert set_kernels.scale_of(X) == pytest.approx(1 / (table.shape[1] * table.var()))
    lengths = np.asarray(X.sum(axis=1))
    assert 50 <= lengths.min() <= lengths.max() <= 100
