"""What is said of rows: names, drawings, JSON, outputs, models of every kind."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.explanations import RowExplanation
from tests.explanations.machines_to_explain import bank_machine, large_machine

# --- what is said -----------------------------------------------------------------------------------------------------


def test_matrices_add_up_as_those_of_shap_do():
    machine, _, _ = large_machine(6, 100, 12, 2, gm.PolynomialKernel(3))
    explanation = gm.explain(machine, [set(range(12))], interactions=True)[0]
    for output in (0, 1):
        matrix = explanation.matrix(output)
        assert np.allclose(matrix, matrix.T)
        assert matrix.sum(axis=1) == pytest.approx(explanation.values[:, output])
        assert matrix.sum() == pytest.approx(explanation.score[output] - explanation.base[output])
        one, other = np.triu_indices(12, 1)
        assert 2 * matrix[one, other] == pytest.approx(explanation.interactions[:, output])


def test_the_heaviest_come_first_with_their_names():
    explanation = gm.explain(bank_machine(), [{0, 1, 2}], interactions=True)[0]
    assert [(one.name, one.value) for one in explanation.top(2)] == [("money", 4.0), ("bank", 2.0)]
    assert [one.name for one in explanation.top_pairs(1)] == ["money & bank"]
    assert explanation.top(0) == []


def test_an_output_is_named_numbered_or_the_winner():
    coef = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 1.0]])
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], coef, [0.0, 0.0, 0.0], ["a", "b", "c"], "ovr")
    explanation = gm.explain(machine, [{1}])[0]
    assert explanation.predicted == 1
    assert explanation.output("c") == 2
    assert explanation.output(0) == 0
    with pytest.raises(ValueError, match="one of 'a', 'b', 'c', got 'd'"):
        explanation.output("d")
    with pytest.raises(ValueError, match="from 0 to 2"):
        explanation.output(3)


def test_a_drawing_shows_bars_and_sums_up_the_rest():
    machine, _, _ = large_machine(7, 100, 30, 1, gm.PolynomialKernel(2), density=0.5)
    explanation = gm.explain(machine, [set(range(30))], interactions=True)[0]
    lines = explanation.draw(top=5).splitlines()
    assert lines[0].startswith("baseline")
    assert all("#" in line or "--" in line for line in lines[1:6])
    assert "other features" in lines[6]
    assert lines[7].startswith("score (value)")
    assert "interactions" in lines[9]
    whole = gm.explain(machine, [set(range(30))] * 5)
    assert str(whole).count("baseline") == 3
    assert "2 more rows" in str(whole)
    assert repr(whole) == "Explanation(5 rows, 150 values, 1 output)"


def test_json_holds_what_is_drawn():
    explanation = json.loads(gm.explain(bank_machine(), [{0, 1}, set()], interactions=True).to_json())
    first, second = explanation["rows"]
    assert first["output"] == "finance"
    assert [one["name"] for one in first["features"]] == ["money", "bank"]
    assert first["interactions"] == [{"features": [0, 1], "name": "money & bank", "value": 2.0}]
    assert first["baseline"] + sum(one["value"] for one in first["features"]) == first["score"]
    assert second["features"] == []


def test_rows_are_taken_like_those_of_a_list():
    explanation = gm.explain(bank_machine(), [{0}, {1}, {2}])
    assert len(explanation) == 3
    assert isinstance(explanation[-1], RowExplanation)
    assert explanation[-1].names == ("river",)
    with pytest.raises(IndexError):
        explanation[3]


def test_interactions_are_computed_on_request_only():
    explanation = gm.explain(bank_machine(), [{0, 1}])[0]
    with pytest.raises(ValueError, match="interactions=True"):
        explanation.top_pairs()
    with pytest.raises(ValueError, match="interactions=True"):
        explanation.matrix()


def test_interactions_beyond_memory_are_refused_before_they_are_computed():
    machine = bank_machine(feature_names=None)
    for X in ([list(range(40_000))], [list(range(30_000))] * 2):
        with pytest.raises(ValueError, match=r"GiB: (a row of 40,000 features|use importance)"):
            gm.explain(machine, gm.ids(X), interactions=True)
    with pytest.raises(ValueError, match="GiB"):
        gm.explain(machine, [{0}] * 5000, baseline=[set(range(1000))], interactions=True)


# --- models of every kind ---------------------------------------------------------------------------------------------


def test_scorers_estimators_and_models_of_scikit_learn_have_machines():
    from sklearn.svm import SVC

    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.4).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    svc = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    scores = svc.decision_function(X)
    for model in (svc, gm.from_sklearn(svc), gm.from_sklearn(svc).compile()):
        assert gm.explain(model, X).scores.ravel() == pytest.approx(scores)
    online = gm.OnlineKernelClassifier(degree=2).fit(X, y)
    assert gm.explain(online, X).scores.ravel() == pytest.approx(online.decision_function(X))
    with pytest.raises(ValueError, match="got str"):
        gm.explain("model", X)


def test_columns_of_frames_are_matched_by_name():
    import pandas as pd

    frame = pd.DataFrame({"river": [1, 0], "money": [0, 1], "bank": [1, 1]})
    explanation = gm.explain(bank_machine(), frame)
    assert explanation[0].names == ("bank", "river")
    assert explanation.scores.ravel().tolist() == bank_machine().compile().decision_function([{1, 2}, {0, 1}]).tolist()


def test_the_output_of_the_predicted_class_is_explained():
    """Also where scores differ by no more than rounding."""
    third = 1 / 3
    coef = np.array([[third, 1.0], [third, 0.0], [third, 0.0]])
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}, {1}, {2}], coef, [0.0, 0.0], ["a", "b"], "ovr")
    X = [[0, 1, 2], [2, 1, 0], [0]]
    answers = machine.compile().predict(gm.ids(X))
    assert [row.output_names[row.predicted] for row in gm.explain(machine, gm.ids(X))] == answers.tolist()


def test_of_pairs_of_classes_the_winner_is_explained():
    coef = np.array([[3.0, 1.0, -5.0]])  # a : b, a : c, b : c
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}], coef, [0.0] * 3, ["a", "b", "c"], "ovo")
    (row,) = gm.explain(machine, [{0}])
    assert (machine.compile().predict([{0}])[0], row.outputs.name(row.predicted)) == ("a", "a")
    away = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{0}], -coef, [0.0] * 3, ["a", "b", "c"], "ovo")
    (row,) = gm.explain(away, [{0}])
    assert (away.compile().predict([{0}])[0], row.outputs.name(row.predicted)) == ("b", "b")


def test_features_of_the_baseline_alone_are_shown_as_absent():
    (row,) = gm.explain(bank_machine(), [{0, 1}], baseline=[{1, 2}])
    assert row.names == ("money", "bank", "no river")
    assert "no river" in str(row)


def test_the_only_other_feature_is_shown_itself():
    machine, _, _ = large_machine(7, 100, 4, 1, gm.PolynomialKernel(2), density=1.0)
    (row,) = gm.explain(machine, [{0, 1, 2, 3}])
    assert "other" not in row.draw(top=3)
    assert "2 other features" in row.draw(top=2)


def test_control_characters_in_names_are_masked():
    (row,) = gm.explain(bank_machine(feature_names=["a\x1b[2J", "b\nc", "d"]), [{0, 1}])
    assert "\x1b" not in str(row)
    assert len(str(row).splitlines()) == 4


def test_zeros_have_no_sign():
    machine = gm.Machine(gm.PolynomialKernel(1, coef0=0.0), [{0}], [-1.0], -0.0)
    assert str(gm.explain(machine, [{1}])[0]).split() == ["baseline", "0", "score", "(value)", "0"]


def test_a_machine_without_outputs_cannot_be_explained():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], np.empty((1, 0)), [], ["only"], "ovo")
    with pytest.raises(ValueError, match="no output"):
        str(gm.explain(machine, [{0}])[0])


def test_numbers_beyond_double_are_refused():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {0}], [1e308, 1e308], 0.0)
    with pytest.raises(ValueError, match="range of double"):
        gm.explain(machine, [{0}])


def test_what_does_not_go_together_is_refused():
    machine = bank_machine()
    tree = gm.Machine(gm.SubsetTreeKernel(), ["(a b)"], [1.0], 0.0)
    for wrong in ({"interactions": True}, {"baseline": [[0]]}, {"binarize": False}):
        with pytest.raises(ValueError, match="is for explaining rows"):
            gm.explain(machine, **wrong)
        with pytest.raises(ValueError, match="this machine is on trees"):
            gm.explain(tree, ["(a b)"], **wrong)
    for wrong in ({"top": 3}, {"output": 0}):
        with pytest.raises(ValueError, match="is for explaining the machine itself"):
            gm.explain(machine, [[0]], **wrong)
    with pytest.raises(ValueError, match="whose kernel compares rows of features"):
        gm.Explainer(tree)
    with pytest.raises(ValueError, match="0 or more, or None, got -1"):
        gm.explain(machine, [{0}])[0].top(-1)


def test_slices_are_lists_of_rows():
    explanation = gm.explain(bank_machine(), [{0}, {1}, {2}], interactions=True)
    assert [row.names for row in explanation[1:]] == [("bank",), ("river",)]
    assert json.loads(explanation[0].to_json())["features"][0]["name"] == "money"
