"""gristmill explain: rows, whole files and machines, as the library explains them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import explain_data
from gristmill.explanations import fragments_of, rules_of
from gristmill.machines.formats import write
from tests.cli.explain_files import call, feed, objects, printed

# --- machines ---------------------------------------------------------------------------------------------------------


def test_a_machine_on_rows_is_its_heaviest_conjunctions(rows, capsys):
    assert call(rows.model) == 0
    assert printed(capsys) == f"{rules_of(rows.machine, top=20)}\n"
    assert call(rows.model, "--top", 3, "--class", "b", "--min-support", 2, "--max-size", 1, "-j", 2) == 0
    assert printed(capsys) == f"{rules_of(rows.machine, top=3, output=1, min_support=2, max_size=1)}\n"


def test_all_that_weigh_enough_as_json(rows, capsys):
    assert call(rows.model, "--min-weight", 2.5, "--json", "--class", 2) == 0
    (found,) = objects(capsys)
    assert found == json.loads(rules_of(rows.machine, min_weight=2.5, output=2).to_json())
    assert all(abs(rule["weight"]) >= 2.5 for rule in found["rules"])


def test_a_machine_on_trees_is_its_heaviest_fragments(trees, capsys):
    assert call(trees.model, "--top", 4) == 0
    assert printed(capsys) == f"{fragments_of(trees.machine, top=4)}\n"
    assert call(trees.model, "--max-size", 1, "--min-support", 2, "--json") == 0
    assert objects(capsys) == [fragments_of(trees.machine, top=20, max_size=1, min_support=2).as_dict()]


def test_names_of_classes_go_before_numbers_of_outputs(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], [[1, 2, 3], [3, 2, 1]], [0, 0, 0], [2, 1, 0], "ovr")
    machine.save(tmp_path / "m")
    assert call(tmp_path / "m", "--json", "--class", "2") == 0
    assert {rule["output"] for rule in objects(capsys)[0]["rules"]} == {0}


# --- rows -------------------------------------------------------------------------------------------------------------


def test_rows_are_drawn_as_the_library_draws_them(rows, capsys):
    assert call(rows.model, rows.data, "--rows", 3, "--top", 4) == 0
    answers = rows.machine.compile().predict(rows.X)
    drawn = [
        f"row {number + 1}: predicted {answers[number]}, true label {rows.labels[number]}\n{row.draw(top=4)}\n"
        for number, row in enumerate(gm.explain(rows.machine, rows.X[:3]))
    ]
    assert printed(capsys) == "\n".join(drawn)


def test_json_has_a_line_for_every_row_and_adds_up(rows, capsys):
    assert call(rows.model, rows.data, "--json") == 0
    found = objects(capsys)
    scores = rows.machine.compile().decision_function(rows.X)
    assert [one["row"] for one in found] == list(range(1, 31))
    assert [one["label"] for one in found] == rows.machine.compile().predict(rows.X).tolist()
    assert [one["true_label"] for one in found] == rows.labels
    np.testing.assert_allclose([one["scores"] for one in found], scores, atol=1e-9)
    for one, row in zip(found, scores, strict=True):
        assert one["score"] == pytest.approx(row["abc".index(one["output"])])
        assert one["baseline"] + sum(f["value"] for f in one["features"]) == pytest.approx(one["score"])


def test_json_of_few_features_keeps_the_sum(rows, capsys):
    assert call(rows.model, rows.data, "--json", "--top", 2, "--class", "c", "--interactions") == 0
    for one in objects(capsys):
        assert (len(one["features"]) <= 2, len(one["interactions"]) <= 2, one["output"]) == (True, True, "c")
        values = sum(f["value"] for f in one["features"])
        assert one["baseline"] + values + one["other_features"] == pytest.approx(one["score"])


def test_people_get_ten_rows_and_hear_of_others(rows, capsys):
    assert call(rows.model, rows.data) == 0
    shown = capsys.readouterr()
    assert shown.out.count("predicted") == 10
    assert "these are the first 10; --rows N or --row N shows others" in shown.err
    assert call(rows.model, rows.data, "-q") == 0
    assert capsys.readouterr().err == ""
    assert call(rows.model, rows.data, "--rows", 0) == 0
    shown = capsys.readouterr()
    assert (shown.out.count("predicted"), shown.err) == (30, "")


def test_one_row_alone(rows, capsys):
    assert call(rows.model, rows.data, "--row", 30, "--interactions") == 0
    (row,) = gm.explain(rows.machine, rows.X[29:], interactions=True)
    said, drawn = printed(capsys).split("\n", 1)
    assert said.startswith("row 30: predicted ")
    assert drawn == f"{row}\n"
    assert call(rows.model, rows.data, "--row", 31) == 2
    assert "data has 30 rows, none of number 31" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--interactions",)])
def test_blocks_and_parts_change_nothing(rows, monkeypatch, capsys, more):
    assert call(rows.model, rows.data, "--json", *more) == 0
    whole = printed(capsys)
    monkeypatch.setattr(explain_data, "_BLOCK", 100)
    monkeypatch.setattr(sys.modules["gristmill.cli.explain"], "_BYTES", 400)
    assert call(rows.model, rows.data, "--json", *more, "-j", 2) == 0
    assert printed(capsys) == whole
    assert call(rows.model, rows.data, "--json", "--row", 17, *more) == 0
    assert printed(capsys) == whole.splitlines(keepends=True)[16]


def test_rows_come_from_standard_input(rows, monkeypatch, capsys):
    feed(monkeypatch, rows.data.read_bytes())
    assert call(rows.model, "-", "--rows", 2, "--json") == 0
    assert [one["row"] for one in objects(capsys)] == [1, 2]


def test_rows_are_compared_with_a_baseline(rows, tmp_path, capsys):
    (tmp_path / "other").write_text("a 2:1 5:1\nb 1:1\n")
    assert call(rows.model, rows.data, "--row", 1, "--baseline", tmp_path / "other") == 0
    (row,) = gm.explain(rows.machine, rows.X[:1], baseline=[{1, 4}])
    assert printed(capsys).endswith(f"\n{row}\n")
    (tmp_path / "empty").write_text("\n")
    assert call(rows.model, rows.data, "--baseline", tmp_path / "empty") == 1
    assert "has no row to compare with" in capsys.readouterr().err


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.2), gm.TanimotoKernel()])
def test_kernels_of_sets_are_explained_as_the_library_does(rows, tmp_path, capsys, kernel):
    machine, path = rows.machine.replace(kernel=kernel), tmp_path / "sets"
    machine.save(path)
    (tmp_path / "other").write_text("a 2:1 5:1\n")
    for options, how in (((), {}), (("--baseline", tmp_path / "other"), {"baseline": [{1, 4}]})):
        assert call(path, rows.data, "--row", 1, "--interactions", *options) == 0
        (row,) = gm.explain(machine, rows.X[:1], interactions=True, **how)
        assert printed(capsys).endswith(f"\n{row}\n")
    assert call(path, rows.data, "--global", "--top", 3) == 0
    assert printed(capsys) == f"{gm.importance(machine, rows.X).draw(top=3)}\n"
    assert call(path) == 1
    assert "weigh no conjunctions" in capsys.readouterr().err


def test_absent_columns_can_be_dropped_from_an_rbf_kernel(rows, tmp_path, capsys):
    machine, path = rows.machine.replace(kernel=gm.RBFKernel(0.2)), tmp_path / "rbf"
    machine.save(path)
    assert call(path, rows.data, "--row", 2, "--absent", "dropped", "--top", 20) == 0
    (row,) = gm.explain(machine, rows.X[1:2], absent="dropped")
    assert printed(capsys).endswith(f"\n{row.draw(top=20)}\n")
    assert call(rows.model, rows.data, "--absent", "dropped") == 1
    assert "for the RBF kernel" in capsys.readouterr().err
    assert call(path, rows.data, "--absent", "dropped", "--interactions") == 2
    assert "not both" in capsys.readouterr().err


def test_values_are_taken_for_1_with_one_warning_or_computed_with(tmp_path, monkeypatch, capsys):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1}], [1.0, -2.0], 0.5, classes=[-1, 1], first_id=1)
    machine.save(tmp_path / "m")
    X = np.array([[0.5, 3.0], [2.0, 0.0], [0.0, 4.0]])
    gm.write_svmlight(tmp_path / "d", X, [1, -1, 1])
    monkeypatch.setattr(explain_data, "_BLOCK", 8)
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    shown = capsys.readouterr()
    assert shown.err.count("warning: X holds values other than 0 and 1") == 1
    scores = [json.loads(line)["score"] for line in shown.out.splitlines()]
    np.testing.assert_allclose(scores, machine.compile().decision_function(X > 0))
    assert call(tmp_path / "m", tmp_path / "d", "--json", "--binarize", "keep") == 0
    scores = [one["score"] for one in objects(capsys)]
    np.testing.assert_allclose(scores, machine.compile("direct", binarize=False).decision_function(X))


def test_features_are_numbered_as_data_files_number_them(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], [1.0, 10.0], 0.0, classes=[-1, 1]).save(tmp_path / "m")
    (tmp_path / "d").write_text("1 1:1\n")
    for option, value in (((), 1.0), (("--zero-based",), 10.0)):
        assert call(tmp_path / "m", tmp_path / "d", "--json", *option) == 0
        ((feature,),) = (one["features"] for one in objects(capsys))
        assert (feature["name"], feature["value"]) == ("1", value)
    assert call(tmp_path / "m", "--json") == 0
    assert [rule["names"] for rule in objects(capsys)[0]["rules"]] == [["2"], ["1"]]


def test_features_unknown_to_the_model_add_nothing(rows, tmp_path, capsys):
    (tmp_path / "more").write_text("a 1:1 2:1 999:1\nunheard-of 999:1\n")
    assert call(rows.model, tmp_path / "more", "--json") == 0
    first, second = objects(capsys)
    assert {feature["name"] for feature in first["features"]} <= {"f0", "f1"}
    assert (second["features"], second["true_label"]) == ([], "unheard-of")
    assert call(rows.model, tmp_path / "more", "--interactions") == 0
    assert "true label unheard-of" in printed(capsys)


def test_regression_has_values(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}], [2.25], 1.0).save(tmp_path / "m")
    (tmp_path / "d").write_text("3.5 1:1\n2\n")
    assert call(tmp_path / "m", tmp_path / "d") == 0
    assert "row 1: predicted 3.25, true label 3.5\n" in printed(capsys)
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    assert [(one["label"], one["true_label"]) for one in objects(capsys)] == [(3.25, 3.5), (1.0, 2.0)]


@pytest.mark.parametrize("format_name", ["libsvm", "svmlight"])
def test_models_of_other_programs(tmp_path, capsys, format_name):
    X = [{0, 1}, {1, 2}, {0, 2}]
    machine = gm.Machine(gm.PolynomialKernel(3), X, [1.0, -0.5, -0.25], 0.1, classes=[-1, 1])
    write(machine, tmp_path / "m", format_name)
    gm.write_svmlight(tmp_path / "d", X, [1, -1, -1])
    assert call(tmp_path / "m", tmp_path / "d", "--json") == 0
    found, imported = objects(capsys), gm.load(tmp_path / "m")
    np.testing.assert_allclose([one["score"] for one in found], imported.compile().decision_function(X), rtol=1e-9)
    assert {feature["name"] for one in found for feature in one["features"]} == {"1", "2", "3"}
    assert call(tmp_path / "m") == 0
    assert printed(capsys) == f"{rules_of(imported, top=20)}\n"


def test_pairs_of_classes(tmp_path, capsys):
    coef = [[1.0, -2.0, 0.5], [0.5, 1.0, -1.0]]
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}], coef, [0.0] * 3, [1, 2, 3], "ovo", first_id=1)
    machine.save(tmp_path / "m")
    (tmp_path / "d").write_text("1 1:1\n")
    assert call(tmp_path / "m", tmp_path / "d", "--json", "--class", "1 : 3") == 0
    (found,) = objects(capsys)
    assert (found["output"], found["score"]) == ("1 : 3", pytest.approx(found["scores"][1]))


# --- whole files ------------------------------------------------------------------------------------------------------


def test_importance_over_a_file(rows, monkeypatch, capsys):
    monkeypatch.setattr(explain_data, "_BLOCK", 100)
    expected = gm.importance(rows.machine, rows.X, interactions=True)
    assert call(rows.model, rows.data, "--global", "--interactions", "--top", 5, "--class", "a") == 0
    assert printed(capsys) == f"{expected.draw('a', 5)}\n"
    assert call(rows.model, rows.data, "--global", "--json") == 0
    (found,) = objects(capsys)
    assert (found["rows"], "interactions" in found) == (30, False)
    values = {one.name: one.value for one in expected.top()}
    assert {one["name"]: pytest.approx(one["magnitude"]) for one in found["features"]} == values


# --- who decided it ---------------------------------------------------------------------------------------------------


def test_support_rows_that_decided_are_drawn_as_the_library_draws_them(rows, capsys):
    assert call(rows.model, rows.data, "--rows", 2, "--influence", "--top", 3) == 0
    found = gm.influence(rows.machine, rows.X[:2])
    printed_rows = printed(capsys)
    for own in found:
        assert own.draw(top=3) in printed_rows
    assert call(rows.model, rows.data, "--row", 1, "--influence", "--json", "--top", 2) == 0
    (row,) = objects(capsys)
    assert row["influence"] == json.loads(found[0].to_json(top=2))["influence"]


def test_support_trees_that_decided_are_drawn(trees, capsys):
    assert call(trees.model, trees.labelled, "--row", 1, "--influence") == 0
    assert "score (loud)" in printed(capsys)


def test_influence_is_of_single_examples(rows, capsys):
    assert call(rows.model, rows.data, "--influence", "--global") != 0
    assert "not both" in capsys.readouterr().err
