"""Engines on the command line: options, and compiled scorers next to the model."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.cli.options import BYTES, RARE


@pytest.fixture
def task(tmp_path):
    """A model, another model, data, and the rows in them."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 20)) < 0.3).astype(float)
    for name, scale in (("model", 0.1), ("other", -0.2)):
        gm.Machine(gm.PolynomialKernel(2), X[:30], rng.normal(size=30) * scale, -0.05, classes=[-1, 1]).save(
            tmp_path / name
        )
    gm.write_svmlight(tmp_path / "data", X, np.ones(60))
    return tmp_path, gm.load(tmp_path / "model"), X


def call(*arguments):
    return run([str(argument) for argument in arguments])


# --- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [("500M", 500_000_000), ("2G", 2 * 10**9), ("1.5k", 1500), ("1KiB", 1024), ("4000", 4000), ("2gb", 2 * 10**9)],
)
def test_sizes_are_read_as_people_write_them(text, expected):
    assert BYTES.convert(text, None, None) == expected


@pytest.mark.parametrize(("text", "expected"), [("12", 12), ("0.005", 0.005), ("0.5%", 0.005), ("1.0", 1.0), ("0", 0)])
def test_rare_is_a_count_or_a_share(text, expected):
    found = RARE.convert(text, None, None)
    assert found == pytest.approx(expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "options", ["--max-bytes 5x", "--max-bytes iB", "--rare 1.5", "--rare few", "--sigma -1", "--xi 0"]
)
def test_options_that_mean_nothing_are_wrong_usage(task, capsys, options):
    assert call("predict", task[0] / "model", task[0] / "data", *options.split()) == 2
    assert options.split()[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--sigma 0.1", "belong to engine='expanded'"),
        ("--engine expanded --rare 3", "belongs to engine='split'"),
        ("--engine inverted --max-bytes 10", "more than max_bytes=10"),
        ("--engine expanded --binarize keep", "needs binary rows"),
    ],
)
def test_what_the_library_refuses_is_one_line_and_exit_code_1(task, capsys, options, reason):
    assert call("predict", task[0] / "model", task[0] / "data", *options.split()) == 1
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        "--engine direct",
        "--engine inverted --max-bytes 1M",
        "--engine expanded",
        "--engine split --rare 10%",
        "--engine split --rare 8",
        "--engine expanded --sigma 0.01 --xi 2 --certified",
    ],
)
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_no_engine_changes_an_answer(task, capsys, command, options):
    folder = task[0]
    assert call(command, folder / "model", folder / "data") == 0
    usual = capsys.readouterr().out
    assert call(command, folder / "model", folder / "data", *options.split()) == 0
    assert capsys.readouterr() == (usual, "")


def test_sigma_without_certified_gives_the_labels_of_the_approximation(task, capsys):
    folder, machine, X = task
    assert call("predict", folder / "model", folder / "data", "--engine", "expanded", "--sigma", "0.2") == 0
    answers = [int(line) for line in capsys.readouterr().out.split()]
    assert answers == machine.compile("expanded", sigma=0.2).predict(X).tolist()


# --- convert ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", ["--engine expanded", "--engine split --rare 3", "--engine expanded --sigma 0.1"])
def test_convert_keeps_the_compiled_scorer_beside_the_model_and_says_so(task, capsys, options):
    folder, machine, _ = task
    assert call("convert", folder / "model", folder / "new", *options.split()) == 0
    assert gm.load(folder / "new") == machine
    assert (folder / "new.scorer").is_file()
    said = capsys.readouterr().err
    assert options.split()[1] in said
    assert all(word in said for word in ("conjunctions", "kB", " s\n", "new.scorer"))


def test_convert_without_engine_writes_the_model_alone(task):
    folder = task[0]
    assert call("convert", folder / "model", folder / "new") == 0
    assert not (folder / "new.scorer").exists()


def test_convert_says_that_an_older_scorer_lies_there(task, capsys):
    folder = task[0]
    assert call("convert", folder / "model", folder / "new", "--engine", "expanded") == 0
    capsys.readouterr()
    assert call("convert", folder / "other", folder / "new") == 0
    assert "new.scorer was there before" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    ["--format libsvm --engine expanded", "--engine inverted", "--engine direct", "--sigma 0.1", "--max-bytes 1M"],
)
def test_convert_refuses_to_compile_where_nothing_would_come_of_it(task, capsys, options):
    folder = task[0]
    assert call("convert", folder / "model", folder / "new", *options.split()) == 2
    assert "--engine" in capsys.readouterr().err
    assert not list(folder.glob("new*"))


def test_convert_to_standard_output_does_not_compile(task, capsys):
    assert call("convert", task[0] / "model", "-", "--engine", "expanded") == 2
    assert "'-'" in capsys.readouterr().err


def test_convert_writes_nothing_if_the_scorer_does_not_fit(task, capsys):
    folder = task[0]
    assert call("convert", folder / "model", folder / "new", "--engine", "expanded", "--max-bytes", "50") == 1
    assert "max_bytes=50" in capsys.readouterr().err
    assert not list(folder.glob("new*"))


def test_convert_compiles_one_machine_of_a_collection(task, capsys):
    folder, machine, _ = task
    gm.Machines({"a": machine, "b": gm.load(folder / "other")}).save(folder / "many")
    assert call("convert", folder / "many", folder / "new", "--engine", "expanded") == 1
    assert "--machine" in capsys.readouterr().err
    assert not list(folder.glob("new*"))
    assert call("convert", folder / "many", folder / "new", "--engine", "expanded", "--machine", "b") == 0
    assert (folder / "new.scorer").is_file()


def test_convert_says_when_auto_needs_no_file(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(2, 1.0, -1.0), [{0}, {1}], [1.0, -1.0], 0.0, classes=[-1, 1]).save(tmp_path / "m")
    assert call("convert", tmp_path / "m", tmp_path / "n", "--engine", "auto") == 0
    assert "needs no file" in capsys.readouterr().err
    assert not (tmp_path / "n.scorer").exists()


# --- use --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def compiled(task):
    assert call("convert", task[0] / "model", task[0] / "model", "--engine", "expanded") == 0
    return task


@pytest.mark.parametrize("options", ["", "--engine auto", "--engine expanded", "--max-bytes 1M"])
def test_predict_maps_the_scorer_beside_the_model(compiled, capsys, monkeypatch, options):
    folder, machine, X = compiled
    monkeypatch.setattr("gristmill.machines.machine.Machine.compile", None)  # nothing is compiled
    capsys.readouterr()
    assert call("predict", folder / "model", folder / "data", "--scores", *options.split()) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    monkeypatch.undo()
    assert [float(line) for line in printed.out.split()] == machine.compile("expanded").decision_function(X).tolist()


@pytest.mark.parametrize("command", ["predict", "evaluate"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: shutil.copy(folder / "other", folder / "model"), "belongs to another machine"),
        (lambda folder: (folder / "model.scorer").write_text("?"), "is no compiled scorer"),
        (lambda folder: _flip(folder / "model.scorer"), "is damaged"),
    ],
    ids=["another", "no scorer", "damaged"],
)
def test_a_scorer_that_does_not_belong_is_not_used_with_a_note_and_left_as_it_is(
    compiled, capsys, command, change, reason
):
    folder = compiled[0]
    change(folder)
    left = (folder / "model.scorer").read_bytes()
    capsys.readouterr()
    assert call(command, folder / "model", folder / "data") == 0
    answers, said = capsys.readouterr()
    assert reason in said
    assert "compiled anew" in said
    assert (folder / "model.scorer").read_bytes() == left
    (folder / "model.scorer").unlink()
    assert call(command, folder / "model", folder / "data") == 0
    assert capsys.readouterr() == (answers, "")


def _flip(path):
    data = bytearray(path.read_bytes())
    data[-100] ^= 255
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("made", "requested", "reason"),
    [
        ("expanded", "--engine split", "engine 'expanded'"),
        ("expanded", "--engine expanded --sigma 0.1", "sigma=0.0"),
        ("expanded --sigma 0.1", "", "sigma=0.1"),
        ("expanded --sigma 0.1", "--engine expanded", "sigma=0.1"),
        ("expanded --xi 2", "--engine auto", "xi=2"),
        ("split --rare 3", "--engine split --rare 8", "as rare"),
        ("expanded", "--max-bytes 700", "max_bytes=700"),
    ],
)
def test_a_scorer_made_otherwise_is_not_used(task, capsys, made, requested, reason):
    folder = task[0]
    assert call("convert", folder / "model", folder / "model", "--engine", *made.split()) == 0
    capsys.readouterr()
    call("predict", folder / "model", folder / "data", *requested.split())
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("made", "requested"),
    [
        ("expanded --sigma 0.1", "--engine expanded --sigma 0.1"),
        ("expanded --sigma 0.1", "--engine expanded --sigma 0.1 --certified"),
        ("split --rare 10%", "--engine split --rare 3"),
        ("split --rare 3", "--engine split"),
        ("split", "--engine auto"),
        ("expanded", "--engine inverted"),
    ],
)
def test_a_scorer_that_serves_is_used_without_a_word(task, capsys, made, requested):
    folder = task[0]
    assert call("convert", folder / "model", folder / "model", "--engine", *made.split()) == 0
    capsys.readouterr()
    assert call("predict", folder / "model", folder / "data", *requested.split()) == 0
    assert capsys.readouterr().err == ""


def test_a_directory_of_models_may_hold_scorers(compiled):
    folder = compiled[0]
    (folder / "data").unlink()
    assert list(gm.load(folder)) == ["model", "other"]


def test_predict_writes_no_files(task):
    folder = task[0]
    before = sorted(folder.iterdir())
    assert call("predict", folder / "model", folder / "data", "--engine", "expanded") == 0
    assert sorted(folder.iterdir()) == before


# --- inspect ----------------------------------------------------------------------------------------------------------


def test_inspect_shows_the_scorer_beside_the_model(compiled, capsys):
    folder, machine, _ = compiled
    capsys.readouterr()
    assert call("inspect", folder / "model", "--json") == 0
    found = json.loads(capsys.readouterr().out)["scorer"]
    report = machine.compile("expanded").report()
    assert found["belongs"]
    assert found["exact"]
    assert found["engine"] == "expanded"
    assert (found["conjunctions"], found["nbytes"]) == (report.conjunctions, report.nbytes)
    assert found["tiers"] == list(report.tiers)
    assert call("inspect", folder / "model") == 0
    printed = capsys.readouterr().out
    assert "belongs to this model" in printed
    assert "features dense, common, rare" in printed


@pytest.mark.parametrize("content", [None, b"?"])
def test_inspect_says_that_a_scorer_does_not_belong(compiled, capsys, content):
    folder = compiled[0]
    if content is None:
        shutil.copy(folder / "other", folder / "model")
    else:
        (folder / "model.scorer").write_bytes(content)
    capsys.readouterr()
    assert call("inspect", folder / "model") == 0
    assert "no: it" in capsys.readouterr().out
    assert call("inspect", folder / "model", "--json") == 0
    assert json.loads(capsys.readouterr().out)["scorer"]["belongs"] is False


@pytest.mark.parametrize("engine", ["auto", "direct", "inverted", "bits", "expanded", "split"])
def test_inspect_compiles_and_reports(task, capsys, engine):
    folder, machine, _ = task
    assert call("inspect", folder / "model", "--engine", engine, "--json") == 0
    found = json.loads(capsys.readouterr().out)["compiled"]
    report = machine.compile(engine).report()
    assert (found["engine"], found["reason"], found["nbytes"]) == (report.engine, report.reason, report.nbytes)
    assert found["work"] == pytest.approx(report.work)
    assert call("inspect", folder / "model", "--engine", engine) == 0
    assert "expected for a row" in capsys.readouterr().out
    assert not list(folder.glob("*.scorer"))


def test_inspect_compiles_collections(task, capsys):
    folder, machine, _ = task
    gm.Machines({"a": machine, "b": gm.load(folder / "other")}).save(folder / "many")
    assert call("inspect", folder / "many", "--engine", "expanded", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["compiled"]["engines"] == {"expanded": 2}
    assert found["compiled"]["nbytes"] == sum(one["compiled"]["nbytes"] for one in found["machines"].values())
    assert call("inspect", folder / "many", "--engine", "expanded") == 0
    assert "expansion" in capsys.readouterr().out


def test_inspect_refuses_to_compile_data(task, capsys):
    assert call("inspect", task[0] / "data", "--engine", "expanded") == 1
    assert "no model" in capsys.readouterr().err
    assert call("inspect", task[0] / "model", "--sigma", "1") == 2


def test_a_model_of_our_own_gets_a_scorer_where_it_is(task):
    folder, machine, _ = task
    gm.write(machine, folder / "ours", format="gristmill")
    before = (folder / "ours").read_bytes()
    assert call("convert", folder / "ours", folder / "ours", "--engine", "expanded") == 0
    assert (folder / "ours").read_bytes() == before
    assert (folder / "ours.scorer").is_file()


@pytest.mark.parametrize(("form", "options"), [("libsvm", ["--engine", "expanded"]), ("gristmill", [])])
def test_no_other_model_is_converted_to_itself(task, capsys, form, options):
    folder, machine, _ = task
    gm.write(machine, folder / "here", format=form)
    before = (folder / "here").read_bytes()
    assert call("convert", folder / "here", folder / "here", *options) == 2
    assert "is read, and would be replaced" in capsys.readouterr().err
    assert (folder / "here").read_bytes() == before
