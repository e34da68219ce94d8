"""gristmill explain --groups and --background: the players and the background that the library takes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from gristmill.cli import run
from tests.cli.explain_files import call, objects, printed
from tests.cli.table_files import LEARNED, QUICK, people

MEMBERS = {"a": ["f0", "f5"], "f1": ["f1", "f10", "f11"]}


def drawn(explanation):
    return [f"{row}\n" for row in explanation]


def first(capsys):
    """The drawing of the first row, without the line that says what was predicted."""
    return printed(capsys).split("\n", 1)[1]


# --- rows -------------------------------------------------------------------------------------------------------------


def test_groups_are_columns_by_name_by_prefix_or_of_a_file(rows, tmp_path, capsys):
    (tmp_path / "groups.json").write_text(json.dumps(MEMBERS))
    expected = drawn(gm.explain(rows.machine, rows.X[:1], groups=MEMBERS))
    for groups in (["a=f0,f5", "f1*"], ["a=f0,f5", "f1=f1,f10,f11"], [tmp_path / "groups.json"]):
        options = [word for group in groups for word in ("--groups", group)]
        assert call(rows.model, rows.data, "--row", 1, *options) == 0
        assert [first(capsys)] == expected


def test_numbers_of_columns_are_those_of_data_files(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1, 2}], [1.0, -2.0], 0.5, classes=[-1, 1], first_id=1)
    machine.save(tmp_path / "m")
    (tmp_path / "d").write_text("1 1:1 2:1 3:1\n")
    (tmp_path / "g.json").write_text('{"both": [1, 2]}')
    expected = drawn(gm.explain(machine, gm.ids([[0, 1, 2]]), groups={"both": [0, 1]}))
    for groups in ("both=1,2", tmp_path / "g.json"):
        assert call(tmp_path / "m", tmp_path / "d", "--row", 1, "--groups", groups) == 0
        assert [first(capsys)] == expected


def test_a_background_is_all_rows_of_a_file(rows, capsys):
    assert call(rows.model, rows.data, "--row", 3, "--background", rows.data, "--interactions", "--json") == 0
    (found,) = objects(capsys)
    (expected,) = gm.explain(rows.machine, rows.X[2:3], background=rows.X, interactions=True)
    assert found["baseline"] == pytest.approx(expected.base[found["output"] == np.array(["a", "b", "c"])][0])
    assert found["features"] == json.loads(json.dumps(expected.as_dict()))["features"]


@pytest.mark.parametrize("more", [[], ["--interactions"]])
def test_averages_are_those_of_groups_against_the_background(rows, capsys, more):
    options = ["--groups", "f1*", "--background", rows.data, "--global", "--json", *more]
    assert call(rows.model, rows.data, *options) == 0
    how = {"groups": {"f1": MEMBERS["f1"]}, "background": rows.X, "interactions": bool(more)}
    assert objects(capsys) == [json.loads(gm.importance(rows.machine, rows.X, **how).to_json())]


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    people().to_csv(folder / "people.csv", index=False)
    assert run(["train", str(folder / "people.csv"), str(folder / "risk"), "--target", "risk", *QUICK]) == 0
    return folder


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ([], {}),
        (["--groups", "fields"], {"groups": "fields"}),
        (["--groups", "columns"], {"groups": "columns"}),
        (["--groups", "none"], {"groups": False}),
        (["--groups", "home=housing,income"], {"groups": {"home": ["housing", "income"]}}),
        (["--groups", "home=housing,income", "--background", "fields"], {"groups": {"home": ["housing", "income"]}}),
        (["--background", "people.csv"], {"background": people()[LEARNED]}),
        (
            ["--background", "people.csv", "--groups", "m*"],
            {"background": people()[LEARNED], "groups": {"m": ["member"]}},
        ),
    ],
)
def test_tables_are_explained_as_the_library_does(table, monkeypatch, capsys, options, how):
    monkeypatch.chdir(table)
    assert call("risk", "people.csv", "--rows", 2, "--json", *options) == 0
    machine, X = gm.load(table / "risk"), pd.read_csv(table / "people.csv")[LEARNED]
    expected = [row.as_dict() for row in gm.explain(machine, X[:2], **how)]
    for found, own in zip(objects(capsys), expected, strict=True):
        assert found["baseline"] == pytest.approx(own["baseline"])
        assert {one["name"]: one["value"] for one in found["features"]} == pytest.approx(
            {one["name"]: one["value"] for one in own["features"]}
        )


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--groups", "f1*", "--groups", "f1=f2"], "--groups names 'f1' twice"),
        (["--groups", "fields", "--groups", "f1*"], "--groups fields says all: leave the other --groups away"),
        (["--groups", "g*"], "--groups g*: no column begins with 'g', of 12 names"),
        (["--baseline", "data", "--background", "data"], "give --baseline or --background, not both"),
        (["--groups", "-", "--background", "-"], "only one file can be standard input"),
    ],
)
@pytest.mark.usefixtures("rows")
def test_what_does_not_go_together(tmp_path, monkeypatch, capsys, options, said):
    monkeypatch.chdir(tmp_path)
    assert call("model", "data", *options) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "bad.json:1:2: not JSON"),
        ("[1, 2]", "bad.json: groups are a JSON object from names to lists of columns"),
        ('{"a": "f0"}', "bad.json: groups are a JSON object"),
        ('{"a": [true]}', "bad.json: groups are a JSON object"),
        ('{"a": []}', "a group has one column or more, got none"),
        ('{"a": ["g0"]}', "groups name a column that the machine does not have: 'g0'"),
    ],
)
def test_files_of_groups_that_are_wrong(rows, tmp_path, capsys, text, said):
    (tmp_path / "bad.json").write_text(text)
    assert call(rows.model, rows.data, "--groups", tmp_path / "bad.json") == 1
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_background_needs_rows(rows, tmp_path, capsys):
    (tmp_path / "empty").write_text("\n")
    assert call(rows.model, rows.data, "--background", tmp_path / "empty") == 1
    assert "empty has no row to compare with" in capsys.readouterr().err


def test_trees_have_no_groups(trees, capsys):
    assert call(trees.model, trees.plain, "--groups", "a=b") == 2
    assert "--groups: for rows of features; this machine is on trees" in capsys.readouterr().err
