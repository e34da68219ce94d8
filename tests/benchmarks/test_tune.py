"""The benchmark of tuning, on a few made-up questions."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, tune_questions
from tests.tuning.sets_to_tune_on import trees


@pytest.fixture
def questions(tmp_path, monkeypatch):
    (tmp_path / "qc").mkdir()
    for part, size, seed in (("train", 150, 0), ("test", 30, 1)):
        lines = [f"{label}\t{tree}\n" for tree, label in zip(*trees(size, seed=seed), strict=True)]
        (tmp_path / f"qc/{part}.tk.gz").write_bytes(gzip.compress("".join(lines).encode()))
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    return tmp_path


def test_all_sides_are_measured(questions):
    tune_questions.main(kernels=["st", "sst"], decays=[0.2, 0.6], samples=[60], n=120)
    result = json.loads((questions / "data" / "tune_questions.json").read_text())
    assert [row[0] for row in result["rows"]] == ["GridSearchCV", "gm.tune(search='exact')", "gm.tune"]
    assert result["rows"][0][1] == result["rows"][1][1] == 24
    assert result["rows"][2][1] < 24
    assert len(result["plots"]) == 3
    assert "tune_questions" in benchmarks_main.CLAIMS


def test_other_scores_end_the_comparison(questions):
    data = tune_questions.Questions.read(100)
    exact = gm.tune(data.X, data.y, kernels="sst", C=[1], parameters={"decay": [0.2]}, search="exact")
    scores = {(str(trial.setting.kernel_setting), trial.setting.C): trial.score for trial in exact.trials}
    tune_questions.assert_equal(exact, scores)
    with pytest.raises(AssertionError):
        tune_questions.assert_equal(exact, {key: score - 0.02 for key, score in scores.items()})
    assert np.array_equal(np.unique(data.folds()), np.arange(5))
