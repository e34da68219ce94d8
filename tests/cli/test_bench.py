"""gristmill bench: every engine on a user's own model and data."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.evaluation import engines
from gristmill.scoring.scorer import Scorer
from tests.across.interrupting import interrupt

EXACT = ["direct", "inverted", "bits", "expanded", "split", "auto"]


@pytest.fixture
def task(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((90, 20)) < 0.3).astype(float)
    machine = gm.Machine(gm.PolynomialKernel(2), X[:30], rng.normal(size=30), -0.05, classes=[-1, 1])
    machine.save(tmp_path / "model")
    gm.write_svmlight(tmp_path / "data", X, np.ones(90))
    return tmp_path, machine, X


def call(*arguments):
    return run([str(argument) for argument in arguments])


def bench(task, capsys, *options):
    assert call("bench", task[0] / "model", task[0] / "data", "--rounds", "2", "--json", *options) == 0
    return json.loads(capsys.readouterr().out)


def test_all_engines_are_timed_beside_direct(task, capsys):
    found = bench(task, capsys)
    assert (found["rows"], found["rounds"], found["machines"]) == (90, 2, 1)
    assert [line["name"] for line in found["lines"]] == EXACT
    for line in found["lines"]:
        assert line["refused"] is None
        assert line["exact"]
        assert line["labels_equal"]
        assert line["largest_difference"] < 1e-12
        assert line["nbytes"] > 0
        for kind in ("scores", "labels"):
            assert 0 < line[kind]["fastest"] <= line[kind]["median"] <= line[kind]["slowest"]
            assert line[f"{kind}_speedup"] > 0
    assert found["lines"][0]["labels_speedup"] == 1
    assert found["lines"][-1]["engine"] == task[1].compile().engine
    assert {line["engine"] for line in found["threads"]} == {found["fastest"]}
    assert found["threads"][0]["threads"] == 1


def test_some_engines_and_some_rows(task, capsys):
    found = bench(task, capsys, "--engine", "split", "--rare", "5", "--rows", "7")
    assert [line["name"] for line in found["lines"]] == ["direct", "split"]
    assert found["rows"] == 7


def test_tables_for_people(task, capsys):
    assert call("bench", task[0] / "model", task[0] / "data", "--rounds", "1", "--sigma", "0.1") == 0
    printed = capsys.readouterr()
    assert all(name in printed.out for name in [*EXACT, "threads", "labels equal", "auto chose", "PKE"])
    assert printed.err == ""
    assert "\x1b" not in printed.out


def test_approximations_are_held_against_the_exact_scores(task, capsys):
    _, machine, X = task
    found = bench(task, capsys, "--sigma", "20,0.01", "--xi", "2")
    lines = [line for line in found["lines"] if line["approximation"]]
    assert [line["name"] for line in lines] == ["sigma 20, xi 2", "sigma 0.01, xi 2"]
    for line in lines:
        loss = line["approximation"]
        scorer = machine.compile("expanded", sigma=loss["sigma"], xi=2)
        exact = machine.compile("direct")
        assert not line["exact"]
        assert line["conjunctions"] == scorer.report().conjunctions
        assert loss["compared"] == 90
        assert loss["labels_differ"] == (scorer.predict(X) != exact.predict(X)).sum()
        errors = np.abs(scorer.decision_function(X) - exact.decision_function(X))
        assert loss["largest_error"] == pytest.approx(errors.max())
        assert loss["largest_error"] <= loss["largest_bound"]
        assert loss["within_bound"]
    assert lines[0]["conjunctions"] < lines[1]["conjunctions"]
    assert lines[0]["approximation"]["labels_differ"] > 0


def test_certified_labels_do_not_differ(task, capsys):
    found = bench(task, capsys, "--sigma", "1", "--certified")
    line = found["lines"][-1]
    assert line["approximation"]["labels_differ"] == 0
    assert line["labels_equal"]
    assert call("bench", task[0] / "model", task[0] / "data", "--certified") == 2


def test_an_engine_that_does_not_fit_is_left_out_with_the_reason(task, capsys):
    found = bench(task, capsys, "--max-bytes", "50")
    refused = {line["name"]: line["refused"] for line in found["lines"]}
    assert refused.pop("direct") is None
    assert all("max_bytes=50" in reason for reason in refused.values())
    assert call("bench", task[0] / "model", task[0] / "data", "--rounds", "1", "--max-bytes", "50") == 0
    assert "expanded left out" in capsys.readouterr().err


def test_direct_is_timed_on_some_rows_where_all_would_take_long(task, capsys, monkeypatch):
    monkeypatch.setattr(engines, "LONGEST", 1e-6)
    found = bench(task, capsys)
    assert found["lines"][0]["rows"] < 90
    assert found["compared"] == found["lines"][0]["rows"]
    assert all(line["labels_equal"] for line in found["lines"])
    assert call("bench", task[0] / "model", task[0] / "data", "--rounds", "1") == 0
    assert "of 90 rows" in capsys.readouterr().err


@pytest.mark.parametrize("longest", [10.0, 1e-6])
def test_nothing_is_timed_if_a_label_is_wrong(task, capsys, monkeypatch, longest):
    monkeypatch.setattr(engines, "LONGEST", longest)
    honest = Scorer.predict

    def predict(self, X, *arguments, **options):
        answers = honest(self, X, *arguments, **options)
        if self.engine == "split" and len(answers) == 90:
            answers[7] = -answers[7]
        return answers

    monkeypatch.setattr(Scorer, "predict", predict)
    assert call("bench", task[0] / "model", task[0] / "data", "--json") == 1
    printed = capsys.readouterr()
    assert "'split' gives other labels" in printed.err
    assert printed.out == ""


def test_collections_are_timed_as_a_whole_or_one_by_name(task, capsys):
    folder, machine, X = task
    other = gm.Machine(gm.PolynomialKernel(3), X[:5], np.ones(5), -3.0, classes=["no", "yes"])
    gm.Machines({"a": machine, "b": other}).save(folder / "model")
    both = bench(task, capsys, "--sigma", "0.5")
    assert both["machines"] == 2
    assert both["lines"][-1]["approximation"]["compared"] == 180
    alone = [bench(task, capsys, "--machine", name)["lines"] for name in "ab"]
    for line, *parts in zip(both["lines"], *alone, strict=False):
        assert line["nbytes"] == sum(part["nbytes"] for part in parts)


def test_regression_has_scores_alone(task, capsys):
    folder, _, X = task
    gm.Machine(gm.PolynomialKernel(2), X[:9], np.ones(9), 0.5).save(folder / "model")
    found = bench(task, capsys, "--sigma", "0.1")
    assert all(line["labels"] is None and line["labels_equal"] is None for line in found["lines"])
    assert call("bench", folder / "model", folder / "data", "--rounds", "1", "--sigma", "0.1") == 0
    assert "scores differ by" in capsys.readouterr().out


def test_real_values_are_for_direct_alone(task, capsys):
    folder, _, X = task
    gm.Machine(gm.PolynomialKernel(2), X[:9] * 0.5, np.ones(9), 0.5, classes=[0, 1]).save(folder / "model")
    found = bench(task, capsys, "--sigma", "0.1")
    assert [line["name"] for line in found["lines"] if line["refused"] is None] == ["direct", "auto"]
    found = bench(task, capsys, "--binarize", "keep")
    assert found["fastest"] == "direct"


def test_no_rows_are_an_error(task, capsys):
    (task[0] / "data").write_bytes(b"")
    assert call("bench", task[0] / "model", task[0] / "data") == 1
    assert "data: there are no examples in it" in capsys.readouterr().err


def test_wrong_usage_exits_with_2(task, capsys):
    assert call("bench", "-", "-") == 2
    assert call("bench", task[0] / "model", task[0] / "data", "--sigma", "0.1,x") == 2
    assert call("bench", task[0] / "model", task[0] / "data", "--sigma", "nan") == 2
    assert call("bench", "--help") == 0
    assert "--rounds" in capsys.readouterr().out


def test_bench_imports_nothing_heavy(task):
    code = (
        "import sys; from gristmill.cli import run; "
        f"run(['bench', {str(task[0] / 'model')!r}, {str(task[0] / 'data')!r}, '--rounds', '1']); "
        "assert not {'sklearn', 'matplotlib', 'narwhals', 'pandas', 'polars'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_ctrl_c_ends_a_long_comparison_within_a_second(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 200)) < 0.2).astype(float)
    gm.Machine(gm.PolynomialKernel(2), X, np.ones(4000), 0.0, classes=[0, 1]).save(tmp_path / "m")
    gm.write_svmlight(tmp_path / "d", X, np.ones(4000))
    assert "interrupted" in interrupt("bench", tmp_path / "m", tmp_path / "d", "--rounds", 1000)
