"""gristmill train: what a batch SVM says about who did the work, and that none is done twice."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.solvers.batch import rows

RNG = np.random.default_rng(8)
X = (RNG.random((150, 25)) < 0.3).astype(float)
NOISE = RNG.random(150)
Y = np.where(X[:, 3] > NOISE, 3, np.where(X[:, 4] > NOISE, 1, 2))


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.mark.parametrize(("cost", "handed_over"), [(1e-3, [False, False, False]), (100, [False, True, False])])
def test_json_says_who_finished(tmp_path, capsys, cost, handed_over):
    gm.write_svmlight(tmp_path / "d", X, Y)
    assert (
        call("train", tmp_path / "d", tmp_path / "m", "-k", "linear", "-C", cost, "--solver", "dual-cd", "--json") == 0
    )
    found = capsys.readouterr()
    summary = json.loads(found.out)
    assert (summary["solver"], summary["handed_over"]) == ("dual-cd", handed_over)
    assert summary["kernel_bytes"] > 0
    assert gm.load(tmp_path / "m").provenance["handed_over"] == handed_over
    assert ("dual-cd and smo with" in found.err) == any(handed_over)


@pytest.mark.parametrize("kind", ["rows", "trees"])
def test_examples_are_looked_at_once(tmp_path, monkeypatch, kind):
    if kind == "rows":
        gm.write_svmlight(tmp_path / "d", X, Y)
    else:
        gm.write_trees(tmp_path / "d", [f"(S (A {n % 7}) (B {n}))" for n in range(150)], Y)
    calls = []
    monkeypatch.setattr(rows, "groups_of", lambda data, own=rows.groups_of: calls.append(len(data)) or own(data))
    assert call("train", tmp_path / "d", tmp_path / "m") == 0
    assert calls == [150]
