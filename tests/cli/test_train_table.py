"""gristmill train --target: a table in a file gives the machine that TableClassifier or TableRegressor learns."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.estimators import table_base
from tests.cli.table_files import LEARNED, QUICK, people


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.fixture
def model(tmp_path):
    return tmp_path / "model"


def frame_of(path):
    return pd.read_csv(path, parse_dates=["joined"])


def same(machine, estimator):
    """The same but for what it says of its file, and keeps of how cells are read there."""
    encoding = replace(machine.encoding, missing=None, kinds=None)
    return machine.replace(provenance={}, encoding=encoding) == estimator.machine_.replace(provenance={})


# --- what is learned --------------------------------------------------------------------------------------------------


def test_the_machine_is_that_of_the_estimator(data, model):
    assert call("train", data, model, "--target", "risk", *QUICK) == 0
    frame = frame_of(data)
    assert same(gm.load(model), gm.TableClassifier(C=1.0, degree=2).fit(frame[LEARNED], frame["risk"]))


def test_numbers_are_predicted_where_the_target_has_many(data, model):
    assert call("train", data, model, "--target", "score", "-C", 1, "--degree", 1, "--drop", "id,risk", "-q") == 0
    frame = frame_of(data)
    assert same(gm.load(model), gm.TableRegressor(C=1.0, degree=1).fit(frame[LEARNED], frame["score"]))


def test_options_are_those_of_the_estimator(data, model):
    options = ["--bins", 4, "--min-frequency", 2, "--kind", "housing=rent<free<own", "--monotone", "age=+1"]
    options += ["--pairs", "age:housing", "--class-weight", "bad=2", "--tol", 0.01, "--random-state", 3]
    assert call("train", data, model, "--target", "risk", *options, *QUICK) == 0
    frame = frame_of(data)
    estimator = gm.TableClassifier(
        **{"C": 1.0, "degree": 2, "bins": 4, "min_frequency": 2, "kinds": {"housing": ["rent", "free", "own"]}},
        **{"monotone": {"age": 1}, "interactions": [("age", "housing")], "class_weight": {"bad": 2}},
        **{"tol": 0.01, "random_state": 3},
    )
    assert same(gm.load(model), estimator.fit(frame[LEARNED], frame["risk"]))


def test_options_are_kept_in_a_file(data, model, tmp_path):
    options = ["--target", "risk", "--kind", "age=ordered", "--kind", "housing=rent<free<own", "--monotone", "age=-1"]
    options += ["--pairs", "age:housing", "--na", "-,NA", "--separator", ","]
    config = tmp_path / "table.toml"
    assert call("train", data, model, *options, *QUICK, "--save-config", config) == 0
    assert call("train", data, tmp_path / "again", "--config", config) == 0
    assert (tmp_path / "again").read_bytes() == model.read_bytes()


@pytest.mark.parametrize(("said", "value"), [("none", False), ("all", "all")])
def test_pairs_may_be_none_or_all(data, model, said, value):
    assert call("train", data, model, "--target", "risk", "--pairs", said, *QUICK) == 0
    frame = frame_of(data)
    estimator = gm.TableClassifier(C=1.0, degree=2, interactions=value)
    assert same(gm.load(model), estimator.fit(frame[LEARNED], frame["risk"]))


TARGETS = [
    (["0", "1"], "classes", [0, 1]),
    (["1", "2", "3"], "classes", [1, 2, 3]),
    (["0.5", "1", "2"], "numbers", None),
    (list(map(str, range(11))), "numbers", None),
    (["true", "false"], "classes", [False, True]),
    (["no", "yes", "7"], "classes", ["7", "no", "yes"]),
    (["1e16", "2e16"], "numbers", None),
]


@pytest.mark.parametrize(("values", "task", "classes"), TARGETS, ids=[" ".join(values) for values, *_ in TARGETS])
def test_a_target_is_a_class_or_a_number_by_what_it_holds(tmp_path, model, values, task, classes):
    lines = [f"{at % 3},{values[at % len(values)]}" for at in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]))
    assert call("train", tmp_path / "t.csv", model, "--target", "y", "-C", 1, "--degree", 1, "-q") == 0
    found = gm.load(model)
    assert (found.classes is None) == (task == "numbers")
    assert classes is None or found.classes.tolist() == classes
    assert classes is None or [type(one) for one in found.classes.tolist()] == [type(one) for one in classes]


def test_the_task_can_be_said(tmp_path, model):
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *(f"{at % 3},{at % 2}" for at in range(20))]))
    how = ("train", tmp_path / "t.csv", model, "--target", "y", "-C", 1, "--degree", 1, "-q")
    assert call(*how, "--task", "regression") == 0
    assert gm.load(model).classes is None
    assert call(*how, "--task", "classification") == 0
    assert gm.load(model).classes.tolist() == [0, 1]


# --- what is said -----------------------------------------------------------------------------------------------------


def test_columns_and_what_was_chosen_are_shown(data, model, capsys):
    assert call("train", data, model, "--target", "risk", "--degree", 1, "--drop", "id,score") == 0
    said = capsys.readouterr()
    assert [line.split()[:3] for line in said.out.splitlines() if line.split()[1:2] == ["category"]] == [
        ["housing", "category", "0"],
        ["risk", "category", "target"],
    ]
    assert "2 classes, bad, good" in said.err
    assert "loss of rows held out" in said.err


def test_what_was_said_of_columns_is_shown_beside_what_they_look_like(data, model, capsys):
    assert call("train", data, model, "--target", "risk", "--kind", "age=category", *QUICK[:-1]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["age", "number", "as", "category"] in [line[:4] for line in lines]
    assert ["id", "number", "left", "out"] in [line[:4] for line in lines]


def test_json_has_columns_and_what_was_chosen(data, model, capsys):
    assert call("train", data, model, "--target", "risk", "--json", *QUICK) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["task"], found["classes"], found["degree"], found["C"]) == ("classification", ["bad", "good"], 2, 1.0)
    columns = {one["name"]: one for one in found["columns"]}
    frame = people()
    assert columns["income"]["missing"] == frame["income"].isna().sum()
    assert columns["age"]["distinct"] == frame["age"].nunique()
    assert {name: one["kind"] for name, one in columns.items()} == {
        **{"id": "number", "age": "number", "housing": "category", "income": "number", "member": "boolean"},
        **{"joined": "date", "score": "number", "risk": "category"},
    }


def test_a_model_on_standard_output_stands_alone_there(data, capsysbinary):
    assert call("train", data, "-", "--target", "risk", *QUICK[:-1]) == 0
    said = capsysbinary.readouterr()
    assert said.out[8:9] == b"{"
    assert b"housing" in said.err


def test_a_table_comes_from_standard_input(data, model, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))
    assert call("train", "-", model, "--target", "risk", *QUICK) == 0
    assert gm.load(model).classes.tolist() == ["bad", "good"]


def test_an_interrupted_training_writes_what_was_learned(data, model, monkeypatch, capsys):
    learned = table_base.train

    def stopped(*arguments, **how):
        raise table_base.TableInterrupted(learned(*arguments, **how))

    monkeypatch.setattr(table_base, "train", stopped)
    assert call("train", data, model, "--target", "risk", *QUICK) == 130
    assert "interrupted; what was learned so far is in" in capsys.readouterr().err
    assert gm.load(model).encoding.names == tuple(LEARNED)


# --- what is refused --------------------------------------------------------------------------------------------------

REFUSED = [
    ("--target Risk", 1, "people.csv: there is no column 'Risk'; did you mean 'risk'?"),
    ("--target risk --drop ID", 1, "people.csv: there is no column 'ID'; there are id, age, housing"),
    ("--target income", 1, "people.csv:2:14: column 'income': the target is missing in 12 rows"),
    ("--target risk --task regression", 1, "people.csv:2:36: column 'risk': expected a number, got 'good'"),
    ("--target risk --kind age=date", 1, "people.csv:2:6: column 'age': expected a date"),
    ("--target risk --kind age=bool", 2, "'age=bool' is not COLUMN=VALUE with one of number, category"),
    ("--target risk --separator ab", 2, "'ab' is not one character"),
    ("--target risk --pairs age", 2, "'age' is no pair of columns"),
    ("--target risk --class-weight Bad=2", 2, "there is no class 'Bad'; did you mean 'bad'?"),
    ("--target score --class-weight bad=2", 2, "--class-weight is for classes"),
    ("--target risk -C foo", 2, "'foo' is neither a number nor 'auto'"),
    ("--target risk --online", 2, "--online: not for tables"),
    ("--target risk --kernel poly", 2, "--kernel: not for tables"),
    ("--target risk --format libsvm", 2, "only gristmill holds the columns of a table"),
    ("--bins 4", 2, "--bins: for tables, with --target COLUMN only"),
    ("--target risk --degree 7", 1, "degree must be"),
    ("--target risk --monotone housing=1", 1, "monotone: column 'housing' is a category and has no order"),
    ("--target age --separator |", 1, "people.csv: there is no column 'age'"),
]


@pytest.mark.parametrize(("options", "code", "message"), REFUSED, ids=[options for options, *_ in REFUSED])
def test_what_does_not_fit_is_refused(data, model, capsys, options, code, message):
    assert call("train", data, model, *options.split(), "-q") == code
    said = capsys.readouterr().err
    assert message in said
    assert not model.exists()


def test_a_table_needs_a_column_to_learn_from(tmp_path, model, capsys):
    (tmp_path / "t.csv").write_text("y,z\n1,2\n2,3\n")
    assert call("train", tmp_path / "t.csv", model, "--target", "y", "--drop", "z") == 1
    assert "there is no column to learn from, besides 'y'" in capsys.readouterr().err


def test_a_target_of_one_class_is_refused_by_name(tmp_path, model, capsys):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n")
    assert call("train", tmp_path / "t.csv", model, "--target", "y", "-q") == 1
    assert "t.csv: column 'y': every row has 'a'; classes must be two or more" in capsys.readouterr().err


@pytest.mark.parametrize("columns", ["xyl", "lxy"])
def test_a_column_that_cannot_be_read_can_be_dropped(tmp_path, model, capsys, columns):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"x": [1, 2] * 20, "y": ["a", "b"] * 20, "l": [[1], [2]] * 20})
    table[list(columns)].write_parquet(tmp_path / "t.parquet")
    how = (tmp_path / "t.parquet", model, "--target", "y", "-C", 1, "--degree", 1)
    assert call("train", *how) == 1
    assert "t.parquet: column 'l' holds List(Int64)" in capsys.readouterr().err
    assert call("train", *how, "--drop", "l") == 0
    assert "1 field, 0 interactions" in capsys.readouterr().err
    assert gm.load(model).encoding.names == ("x",)


def test_missing_values_and_the_separator_can_be_said(tmp_path, model):
    lines = [f"{'-' if at % 5 else at} {at % 2}" for at in range(30)]
    (tmp_path / "t.txt").write_text("\n".join(["x y", *lines]))
    how = ("--separator", " ", "--na", "-,NA", "--target", "y", "-C", 1, "--degree", 1, "-q")
    assert call("train", tmp_path / "t.txt", model, *how) == 0
    (field,) = gm.load(model).encoding.fields
    assert (field.kind, field.missing is None) == ("number", False)
    assert np.isfinite(gm.load(model).coef).all()
