"""The command line, run as a user runs it."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import COMMANDS, demo, run
from gristmill.evaluation.metrics import accuracy, class_scores
from gristmill.machines.formats import write
from tests.across.interrupting import interrupt_program


@pytest.fixture
def task(tmp_path):
    """A model file, a data file, and what is in them."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 20)) < 0.3).astype(float)
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    machine = gm.Machine(gm.PolynomialKernel(2), X[:30], y[:30] * 0.1, -0.05, classes=[-1, 1])
    model, data = tmp_path / "model.safetensors", tmp_path / "data.svm"
    machine.save(model)
    gm.write_svmlight(data, X, y)
    return model, data, machine, X, y


def call(*arguments):
    return run([str(argument) for argument in arguments])


def test_predict_prints_a_label_a_line(task, capsys):
    model, data, machine, X, _ = task
    assert call("predict", model, data) == 0
    assert [int(line) for line in capsys.readouterr().out.split()] == machine.compile().predict(X).tolist()


def test_predict_scores_read_back_to_the_same_doubles(task, tmp_path):
    model, data, machine, X, _ = task
    assert call("predict", model, data, "--scores", "-o", tmp_path / "scores", "-j", "2") == 0
    assert np.array_equal(np.loadtxt(tmp_path / "scores"), machine.compile().decision_function(X))


def test_predict_json_has_label_and_scores(task, capsys):
    model, data, machine, X, _ = task
    assert call("predict", model, data, "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["label"] for line in lines] == machine.compile().predict(X).tolist()
    assert [line["scores"] for line in lines] == machine.compile().decision_function(X).tolist()


def test_predict_reads_standard_input_and_writes_standard_output(task, capsysbinary, monkeypatch):
    model, data, machine, X, _ = task
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))
    assert call("predict", model, "-") == 0
    assert capsysbinary.readouterr().out.split() == [b"%d" % label for label in machine.compile().predict(X)]


def test_evaluate_json_equals_the_metrics(task, capsys):
    model, data, machine, X, y = task
    assert call("evaluate", model, data, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    answers = machine.compile().predict(X)
    assert result["accuracy"] == accuracy(y, answers)
    assert [c["f1"] for c in result["classes"]] == [c.f1 for c in class_scores(y, answers)]


def test_evaluate_prints_a_table(task, capsys):
    model, data, *_ = task
    assert call("evaluate", model, data) == 0
    assert "precision" in capsys.readouterr().out


def test_evaluate_regression(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}], [2.0], 1.0)
    machine.save(tmp_path / "m")
    gm.write_svmlight(tmp_path / "d", [{0}, set(), {0}], [3.0, 2.0, 4.0])
    assert call("evaluate", tmp_path / "m", tmp_path / "d", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["mean_squared_error"] == pytest.approx(2 / 3)
    assert result["r2"] == pytest.approx(0.0)


def test_convert_there_and_back_keeps_the_scores(task, tmp_path):
    model, _, machine, X, _ = task
    assert call("convert", model, tmp_path / "libsvm", "--format", "libsvm") == 0
    assert call("convert", tmp_path / "libsvm", tmp_path / "back") == 0
    again = gm.load(tmp_path / "back")
    assert np.allclose(again.compile().decision_function(X), machine.compile().decision_function(X), rtol=0, atol=1e-12)


def test_convert_refuses_what_the_format_cannot_hold_and_writes_nothing(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=["a", "b"]).save(tmp_path / "m")
    assert call("convert", tmp_path / "m", tmp_path / "out", "--format", "libsvm") == 1
    assert "whole numbers" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_inspect_data_prints_the_paper_s_table(task, capsys):
    _, data, _, X, _ = task
    assert call("inspect", data, "--degree", "3", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    rows = [frozenset(np.flatnonzero(row)) for row in X]
    assert summary["examples"] == 60
    assert summary["average"] == pytest.approx(X.sum() / 60)
    assert summary["distinct"] == {str(d): len(_conjunctions(rows, d)) for d in (1, 2, 3)}
    assert summary["conjunctions"]["2"] == pytest.approx(np.mean([len(r) + len(r) * (len(r) - 1) / 2 for r in rows]))


def test_inspect_names_the_rows_of_the_paper_s_table_of_data(task, capsys):
    """Table 1 of Yoshinaga and Kitsuregawa 2010, to be read off."""
    _, data, _, X, _ = task
    assert call("inspect", data, "--degree", "3") == 0
    shown = capsys.readouterr().out
    rows = [frozenset(np.flatnonzero(row)) for row in X]
    figures = {"examples |T|": f"{len(rows)}", "features |F|": f"{len(_conjunctions(rows, 1))}"}
    figures["active features |x|: average"] = f"{np.mean([len(row) for row in rows]):.2f}"
    for degree in (2, 3):
        sizes = [len(_conjunctions([row], degree)) for row in rows]
        figures[f"conjunctions |x^{degree}|: average"] = f"{np.mean(sizes):,.1f}"
        figures[f"different conjunctions |F^{degree}|"] = f"{len(_conjunctions(rows, degree)):,}"
    lines = [" ".join(line.replace("│", " ").replace("|", "|").split()) for line in shown.splitlines()]
    assert [name for name, value in figures.items() if f"{name} {value}" not in lines] == []


def _conjunctions(rows, degree):
    from itertools import combinations

    return {s for row in rows for size in range(1, degree + 1) for s in combinations(sorted(row), size)}


def test_inspect_model_prints_the_paper_s_table(task, capsys):
    model, _, machine, *_ = task
    assert call("inspect", model, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["support"] == 30
    assert summary["positive_per_output"] == (machine.coef > 0).sum()
    assert summary["postings"] == len(machine.support.ids) / len(np.unique(machine.support.ids))


@pytest.mark.parametrize("which", ["model", "data"])
def test_inspect_draws_tables_for_people(task, capsys, which):
    path = task[0] if which == "model" else task[1]
    assert call("inspect", path) == 0
    assert "|F|" in capsys.readouterr().out


def test_inspect_shows_real_valued_files(tmp_path, capsys):
    gm.write_svmlight(tmp_path / "d", np.array([[0.5, 0.0], [1.0, 2.0]]), [1, -1])
    assert call("inspect", tmp_path / "d") == 0
    assert "real" in capsys.readouterr().out


def test_data_ids_are_counted_as_the_model_counts_them(tmp_path, capsys):
    """A model without id 0 among its support vectors still fits data that have it."""
    model = b"svm_type c_svc\nkernel_type polynomial\ndegree 2\ngamma 1\ncoef0 1\nnr_class 2\ntotal_sv 2\nrho 0\n"
    model += b"label 1 -1\nnr_sv 1 1\nSV\n1 1:1 2:1\n-1 3:1\n"
    (tmp_path / "m").write_bytes(model)
    (tmp_path / "d").write_bytes(b"1 0:1 1:1\n-1 3:1\n")
    assert call("predict", tmp_path / "m", tmp_path / "d", "--scores") == 0
    assert capsys.readouterr().out.split() == ["3.0", "-3.0"]


def test_errors_name_file_line_and_column_and_exit_with_1(task, tmp_path, capsys):
    bad = tmp_path / "bad.svm"
    bad.write_text("1 3:1\n1 x:1\n")
    assert call("predict", task[0], bad) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"gristmill: error: {bad}:2:3: ")
    assert captured.out == ""


def test_a_missing_file_is_an_error_not_a_traceback(capsys):
    assert call("inspect", "no/such/file") == 1
    assert "No such file" in capsys.readouterr().err


def test_wrong_usage_exits_with_2(capsys):
    assert call("predict") == 2
    assert call("predict", "-", "-") == 2
    capsys.readouterr()


def test_values_other_than_0_and_1_warn_on_standard_error(task, tmp_path, capsys):
    gm.write_svmlight(tmp_path / "counts", np.array([[2.0, 1.0]]), [1])
    assert call("predict", task[0], tmp_path / "counts") == 0
    assert "warning: X holds values other than 0 and 1" in capsys.readouterr().err
    assert call("predict", task[0], tmp_path / "counts", "--binarize", "refuse") == 1


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_there(command, capsys):
    assert call(*command.split(), "--help") == 0
    assert "Usage" in capsys.readouterr().out


def test_predict_does_not_import_scikit_learn(task):
    code = (
        "import sys; from gristmill.cli import run; "
        f"run(['predict', {str(task[0])!r}, {str(task[1])!r}]); "
        "assert not {'sklearn', 'matplotlib', 'rich', 'narwhals'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.slow  # the program, on data that take it seconds
def test_ctrl_c_ends_a_long_prediction_within_a_second(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 200)) < 0.2).astype(float)
    write(gm.Machine(gm.PolynomialKernel(2), X, np.ones(4000), 0.0, classes=[0, 1]), tmp_path / "m", "gristmill")
    gm.write_svmlight(tmp_path / "d", np.tile(X, (25, 1)), np.ones(100_000))
    options = ["--engine", "direct", "-o", tmp_path / "out"]
    assert "interrupted" in interrupt_program("predict", tmp_path / "m", tmp_path / "d", *options)
    assert not (tmp_path / "out").exists()


def test_demo_prints_its_table_as_json(capsys, monkeypatch):
    monkeypatch.setattr(demo, "MODULES", ("argparse", "ast", "doctest", "inspect"))
    monkeypatch.setattr(demo, "ROUNDS", 1)
    assert call("demo", "--size", "300", "--json") == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [r["title"] for r in results] == ["digits", "names in Python source"]
    assert all(line["agreement"] == 1.0 for r in results for line in r["lines"])
    assert [learned["learner"] for learned in results[0]["learners"]] == ["SVC", "OnlineKernelClassifier"]
    assert all(learned["accuracy"] > 0.8 for r in results for learned in r["learners"])


def test_a_model_that_does_not_know_counts_from_1_whatever_the_data_show(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}, {1}], [1.0, 10.0], 0.0, classes=[-1, 1]).save(tmp_path / "m")
    (tmp_path / "d").write_bytes(b"1 1:1\n1 0:1\n")
    assert call("predict", tmp_path / "m", tmp_path / "d", "--scores") == 1
    assert "zero_based" in capsys.readouterr().err
    assert call("predict", tmp_path / "m", tmp_path / "d", "--scores", "--zero-based") == 0
    assert capsys.readouterr().out.split() == ["10.0", "1.0"]


def test_a_model_that_knows_how_it_counts_is_not_contradicted(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=[-1, 1], first_id=1)
    machine.save(tmp_path / "m")
    (tmp_path / "d").write_bytes(b"1 1:1\n")
    assert call("predict", tmp_path / "m", tmp_path / "d", "--zero-based") == 1
    assert "counts features from 1" in capsys.readouterr().err


def test_inspect_keeps_labels_apart_and_counts_ids_as_the_file_does(tmp_path, capsys):
    (tmp_path / "d").write_bytes(b"1000001 5:1\n1000002 5:1\n0.5 6:1\n")
    assert call("inspect", tmp_path / "d", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["labels"] == {"0.5": 1, "1000001": 1, "1000002": 1}
    assert summary["frequent"] == [[5, 2], [6, 1]]


def test_a_closed_pipe_ends_quietly(task):
    model, data, *_ = task
    command = f"{sys.executable} -m gristmill predict {model} {data} --scores | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.slow  # starts programs; test_ending.py has some in make test
def test_closed_streams_are_errors_not_tracebacks(task):
    model, data, *_ = task
    for redirection in (f"{data} >&-", "- <&-"):
        command = f"{sys.executable} -m gristmill predict {model} {redirection}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr


def test_evaluate_without_examples_gives_null_not_nan(task, tmp_path, capsys):
    (tmp_path / "empty").write_bytes(b"")
    assert call("evaluate", task[0], tmp_path / "empty", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] is None
