"""gristmill counterfactual, and explain --why-not: as the library answers."""

from __future__ import annotations

import json

import pytest

import gristmill as gm
from gristmill.cli import run
from tests.cli.explain_files import row_files
from tests.cli.table_files import LEARNED, people


@pytest.fixture
def rows(tmp_path):
    return row_files(tmp_path)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A model of a table, its rows, and their file."""
    folder, frame = tmp_path_factory.mktemp("table"), people()
    model = gm.TableClassifier().fit(frame[LEARNED], frame["risk"])
    model.machine_.save(folder / "model")
    frame[LEARNED].to_csv(folder / "people.csv", index=False)
    return model, frame[LEARNED], folder


def asked(capsys, *arguments):
    code = run(["counterfactual", *map(str, arguments)])
    found = capsys.readouterr()
    assert code == 0, found.err
    return found.out


def test_answers_are_those_of_the_library(rows, capsys):
    said = asked(capsys, rows.model, rows.data, "--row", 2, "-k", 2)
    found = gm.counterfactual(rows.machine, rows.X[1:2], k=2)
    assert said == f"row 2: predicted {found.prediction}, true label b\n{found}\n"
    said = asked(capsys, rows.model, rows.data, "--json", "--target", "c", "--max-changes", 4, "--disjoint", "-k", 2)
    explainer = gm.DecisionExplainer(rows.machine)
    for at, line in enumerate(said.splitlines()):
        expected = explainer.counterfactual(rows.X[at : at + 1], "c", 2, max_changes=4, disjoint=True)
        assert json.loads(line) == {"row": at + 1, "true_label": rows.labels[at], **expected.as_dict()}


def test_groups_and_columns_are_counted_as_in_the_data(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(1), [{0, 2}, {1, 3}], [1.0, -1.0], 0.0, ["no", "yes"], first_id=1)
    machine.save(tmp_path / "model")
    (tmp_path / "data").write_text("no 2:1 4:1\n")
    where = tmp_path / "model", tmp_path / "data"
    said = asked(capsys, *where, "--group", "word=1-2", "--immutable", 4, "--add-only", 3, "--json")
    expected = gm.counterfactual(
        machine, gm.ids([[1, 3]]), groups={"word": [0, 1]}, immutable=[3], add_only=[2]
    ).as_dict()
    assert json.loads(said)["answers"] == expected["answers"]
    said = asked(capsys, *where, "--cost", "1=5", "--cost", "2=3", "--group", "word=1,2", "--at-most-one", "word")
    assert "yes with 2 changes for 4" in said


def test_tables_are_changed_by_their_columns(table, capsys):
    model, frame, folder = table
    where = folder / "model", folder / "people.csv"
    risks = model.predict(frame)
    row = int((risks == "bad").argmax())
    said = asked(capsys, *where, "--row", row + 1, "--immutable", "housing", "--cost", "distance", "--json")
    found = gm.counterfactual(model, frame[row : row + 1], immutable="housing", costs="distance")
    assert json.loads(said)["answers"] == found.as_dict()["answers"]
    said = asked(capsys, *where, "--row", row + 1, "--min-probability", 0.9, "--target", "good")
    assert "good with probability 0.9 or more" in said
    assert asked(capsys, *where, "--row", row + 1, "--sufficient").endswith(
        f"{gm.sufficient(model, frame[row : row + 1])}\n"
    )
    assert asked(capsys, *where, "--row", row + 1, "--radius").endswith(
        f"{gm.flip_radius(model, frame[row : row + 1])}\n"
    )


def test_explanations_say_why_not_another_class(rows, capsys):
    assert run(["explain", str(rows.model), str(rows.data), "--why-not", "c", "--json"]) == 0
    scorer = rows.machine.compile()
    for at, line in enumerate(capsys.readouterr().out.splitlines()):
        found, row = json.loads(line)["why_not"], rows.X[at : at + 1]
        if scorer.predict(row)[0] == "c":
            assert found is None
        else:
            assert found == gm.counterfactual(rows.machine, row, "c").as_dict()
    assert run(["explain", str(rows.model), str(rows.data), "--why-not", "c", "--row", "2"]) == 0
    assert str(gm.counterfactual(rows.machine, rows.X[1:2], "c")) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sufficient", "--radius"], "give --sufficient or --radius, not both"),
        (["--sufficient", "--target", "a"], "give --sufficient or --target, not both"),
        (["--target", "z"], "target must be one of the classes"),
        (["--group", "word"], "--group is NAME=A,B or NAME=A-B"),
        (["--cost", "f1"], "--cost is NAME=NUMBER"),
        (["--immutable", "f99"], "immutable names 'f99'"),
    ],
)
def test_options_without_sense_are_refused(rows, capsys, options, message):
    assert run(["counterfactual", str(rows.model), str(rows.data), *options]) != 0
    assert message in capsys.readouterr().err


def test_why_not_needs_a_class(rows, capsys):
    assert run(["explain", str(rows.model), str(rows.data), "--why-not", "z"]) != 0
    assert "there is no class 'z'" in capsys.readouterr().err
