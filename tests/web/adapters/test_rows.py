"""/api/score and /api/explain for rows: what they say is what the library says, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.probability import Sigmoid
from gristmill.scoring.deciding import trusted_scores
from gristmill.web import create_app
from tests.properties import share
from tests.web.served import asking, serving

SUPPORT, COEF = [{0, 1}, {1, 2}, {3}], [1.0, -0.5, 0.75]
NAMES = ["money", "bank", "river", "Boat"]


@pytest.fixture(scope="module")
def foods(site):
    with asking(site("foods")) as client:
        yield client


def results(client, path, **request):
    answer = client.post(path, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def score(client, *rows):
    return results(client, "/api/score", rows=rows)


def explain(client, *rows, **options):
    return results(client, "/api/explain", rows=rows, **options)


@pytest.fixture(scope="module")
def served():
    """A client of a machine of two classes, made anew with other settings."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def ask(machine=None, **more):
            options = {key: more.pop(key) for key in ("binarize", "engine", "limits") if key in more}
            made = machine or gm.Machine(
                gm.PolynomialKernel(2), SUPPORT, COEF, 0.0, ["water", "finance"], **{"feature_names": NAMES} | more
            )
            return stack.enter_context(asking(stack.enter_context(serving(create_app(made, **options)))))

        yield ask


# --- scores -----------------------------------------------------------------------------------------------------------


@share(0.3)
@given(rows=st.lists(st.sets(st.integers(0, 5)), max_size=4))
def test_scores_and_labels_are_the_librarys(foods, models, rows):
    machine = models("foods")
    scorer = machine.compile()
    found = score(foods, *([machine.feature_names[feature] for feature in sorted(row)] for row in rows))
    assert [one["label"] for one in found] == (scorer.predict(rows).tolist() if rows else [])
    expected = trusted_scores(scorer, rows) if rows else np.empty((0, 3))
    assert [list(one["scores"].values()) for one in found] == expected.tolist()
    assert all(list(one["scores"]) == ["bread", "cheese", "fruit"] and one["value"] is None for one in found)


def test_features_that_are_unknown_are_told_and_count_nothing(foods):
    known, more = score(foods, ["salty"], ["salty", "spicy", ""])
    assert more == {**known, "unknown": ["spicy", ""]}


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.25), gm.TanimotoKernel()], ids=str)
@pytest.mark.parametrize("naming", [{"feature_names": NAMES}, {"first_id": 1}], ids=["names", "numbers"])
def test_features_that_are_unknown_make_rows_longer_where_the_kernel_sees_it(served, kernel, naming):
    machine = gm.Machine(kernel, SUPPORT, COEF, 0.0, ["water", "finance"], **naming)
    names = [NAMES[0], NAMES[3], "shore", "ferry"] if "feature_names" in naming else [1, 4, 70, 2**31 - 1]
    row = gm.ids([[0, 3, 4, 5]])
    client = served(machine)
    (found,) = score(client, names)
    assert found["scores"]["finance"] == machine.compile().decision_function(row)[0]
    assert found["unknown"] == names[2:]
    (why,) = explain(client, names, interactions=True, without=True)
    (expected,) = gm.explain(machine, row, interactions=True)
    assert {part["name"]: part["value"] for part in why["features"]} == dict(
        zip(names, expected.values[:, 0].tolist(), strict=True)
    )
    without = {part["name"]: part["without"]["score"] for part in why["features"]}
    assert without[names[3]] == machine.compile().decision_function(gm.ids([[0, 3, 4]]))[0]
    assert set(names[2:]) in [set(pair["features"]) for pair in why["interactions"]]


def test_a_feature_that_is_unknown_and_0_is_not_there(served):
    client = served(gm.Machine(gm.RBFKernel(0.5), SUPPORT, COEF, 0.0, ["water", "finance"], feature_names=NAMES))
    one, same = score(client, {"bank": 1, "shore": 0}, {"bank": 1})
    assert one == {**same, "unknown": ["shore"]}


def test_a_number_is_the_answer_of_regression_and_values_count(site, models):
    machine = models("numbered")
    with asking(site("numbered")) as client:
        found = score(client, {"0": 0.5, "3": 2}, ["1", "2"], [])
        X = np.array([[0.5, 0, 0, 2], [0, 1, 1, 0], [0, 0, 0, 0]])
        assert [one["value"] for one in found] == machine.compile().decision_function(X).tolist()
        assert [one["label"] for one in found] == [None] * 3
        assert client.get("/api/model").json()["task"] == "numbers"
        assert client.get("/api/model").json()["values"] is True


def test_features_are_counted_as_data_files_do(served):
    client = served(feature_names=None, first_id=1)
    assert score(client, [1, 2], ["1", "2"])[0] == score(client, [1, 2], ["1", "2"])[1]
    machine = gm.Machine(gm.PolynomialKernel(2), SUPPORT, COEF, 0.0, ["water", "finance"])
    assert score(client, [1, 2])[0]["scores"]["finance"] == machine.compile().decision_function([{0, 1}])[0]
    assert client.post("/api/score", json={"rows": [[0]]}).json()["error"]["where"] == "rows[0][0]"
    assert score(client, [2**31 - 1])[0]["unknown"] == [2**31 - 1]


def test_values_become_one_above_the_threshold(served):
    client = served(binarize=0.5)
    one, same = score(client, {"money": 0.6, "bank": 0.5, "river": -3}, ["money"])
    assert one == same


def test_values_can_be_refused_or_kept(served):
    refused = served(binarize=None).post("/api/score", json={"rows": [["bank"], {"money": 2}]})
    assert (refused.status_code, refused.json()["error"]["where"]) == (400, "rows[1].money")
    machine = gm.Machine(gm.PolynomialKernel(2), SUPPORT, COEF, 0.0, ["water", "finance"])
    (found,) = score(served(binarize=False), {"money": 2})
    expected = machine.compile("direct", binarize=False).decision_function(np.array([[2.0, 0, 0, 0]]))
    assert found["scores"]["finance"] == expected[0]


def test_probabilities_are_those_of_the_scorer(served):
    sigmoid = Sigmoid(np.array([-1.5]), np.array([0.25]))
    machine = gm.Machine(gm.PolynomialKernel(2), SUPPORT, COEF, 0.0, ["a", "b"], probability=sigmoid)
    (found,) = score(served(machine), [0, 3])
    assert list(found["probabilities"].values()) == machine.compile().predict_proba([{0, 3}])[0].tolist()
    assert list(found["probabilities"]) == ["a", "b"]


def test_scores_beyond_doubles_are_null(served):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1e308], 0.0, ["a", "b"])
    (found,) = score(served(machine), [0])
    assert found["scores"] == {"b": None}


# --- why --------------------------------------------------------------------------------------------------------------


@share(0.2)
@given(row=st.sets(st.integers(0, 5), min_size=1))
def test_an_explanation_is_the_librarys(foods, models, row):
    machine, ids = models("foods"), sorted(row)
    names = [machine.feature_names[feature] for feature in ids]
    (found,) = explain(foods, names, interactions=True)
    explained = gm.explain(machine, gm.ids([ids]), interactions=True)[0]
    output = machine.classes.tolist().index(found["output"])
    assert found["output"] == found["label"] == explained.output_names[explained.predicted]
    assert found["baseline"] == explained.base[output]
    assert found["score"] == found["scores"][found["output"]]
    values = dict(zip(names, explained.values[:, output].tolist(), strict=True))
    assert {one["name"]: one["value"] for one in found["features"]} == values
    sizes = [abs(one["value"]) for one in found["features"]]
    assert sizes == sorted(sizes, reverse=True)
    pairs = [(" & ".join(one["features"]), one["value"]) for one in found["interactions"]]
    assert pairs == [(one.name, one.value) for one in explained.top_pairs()]


def test_another_output_can_be_asked_about(foods, models):
    (found,) = explain(foods, ["salty", "soft"], output="cheese")
    explained = gm.explain(models("foods"), [{0, 3}])[0]
    assert found["output"] == "cheese"
    assert [one["value"] for one in found["features"]] == [one.value for one in explained.top(output="cheese")]


@share(0.2)
@given(row=st.sets(st.integers(0, 5), min_size=1))
def test_without_is_the_answer_for_the_row_that_lacks_the_feature(foods, models, row):
    names = models("foods").feature_names
    (found,) = explain(foods, [names[feature] for feature in sorted(row)], without=True)
    for one in found["features"]:
        (other,) = score(foods, [names[feature] for feature in sorted(row) if names[feature] != one["name"]])
        assert one["without"] == {
            "label": other["label"],
            "value": None,
            "score": other["scores"][found["output"]],
        }


def test_what_would_change_it_is_what_the_library_says(foods, models):
    row = ["money", "bank"]
    (found,) = explain(foods, row, changes=True)
    machine = models("foods")
    names = machine.machine.feature_names if hasattr(machine, "machine") else machine.feature_names
    expected = gm.counterfactual(machine, gm.ids([sorted(names.index(name) for name in row if name in names)]))
    assert found["changes"]["proven"] == expected.is_proven
    assert found["changes"]["said"] == expected.verdict()
    assert [one["name"] for answer in found["changes"]["answers"] for one in answer["changes"]] == [
        one.name for answer in expected for one in answer.changes
    ]
    assert "changes" not in explain(foods, row)[0]


def test_who_decided_it_is_what_the_library_says(foods, models):
    row, machine = ["crunchy", "salty"], models("foods")
    (found,) = explain(foods, row, influence=True)
    ids = sorted(machine.feature_names.index(name) for name in row)
    (decided,) = gm.influence(machine, gm.ids([ids], machine.n_features))
    for side in ("for", "against"):
        expected = decided.top(3, found["output"], side)
        assert [(one["name"], one["value"]) for one in found["influence"][side]] == [
            (one.name, one.value) for one in expected
        ]
        assert all(
            set(one["shared"]) <= set(row) and not set(one["others"]) & set(row) for one in found["influence"][side]
        )
    assert "influence" not in explain(foods, row)[0]


def test_an_empty_row_is_the_baseline(foods):
    (found,) = explain(foods, [], interactions=True, without=True)
    assert found["features"] == found["interactions"] == []
    assert found["baseline"] == found["score"]


def test_real_values_are_explained_too(site, models):
    with asking(site("numbered")) as client:
        (found,) = explain(client, {"0": 0.5, "3": 2}, without=True, interactions=True)
    explained = gm.explain(models("numbered"), np.array([[0.5, 0, 0, 2]]), interactions=True)[0]
    values = dict(zip(explained.ids.tolist(), explained.values[:, 0].tolist(), strict=True))
    assert {one["name"]: one["value"] for one in found["features"]} == pytest.approx(values)
    assert [one["value"] for one in found["interactions"]] == pytest.approx(
        [one.value for one in explained.top_pairs()]
    )


def test_pairs_of_classes_are_explained_by_the_class_that_won(served):
    coef = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0]])
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}], coef, [0.0, 0.1, 0.2], ["a", "b", "c"], "ovo")
    (found,) = explain(served(machine), [0, 1])
    explained = gm.explain(machine, [{0, 1}])[0]
    assert found["output"] == found["label"] == explained.outputs.name(explained.predicted)
    assert found["score"] == pytest.approx(explained.outputs.column(explained.score, explained.predicted))


# --- names ------------------------------------------------------------------------------------------------------------


def test_completion_gives_frequent_features_first_whatever_the_case(served):
    client = served()
    found = client.get("/api/features", params={"prefix": "b"}).json()["features"]
    assert found == [{"name": "bank", "support": 2}, {"name": "Boat", "support": 1}]
    assert client.get("/api/features", params={"prefix": "BO"}).json()["features"] == found[1:]
    assert client.get("/api/features", params={"limit": 1}).json()["features"] == found[:1]
    assert client.get("/api/features", params={"prefix": "x"}).json()["features"] == []
    assert client.get("/api/features", params={"limit": 0}).json()["error"]["where"] == "limit"


def test_completion_of_numbers(served):
    client = served(feature_names=None, first_id=1)
    found = client.get("/api/features").json()["features"]
    assert found == [{"name": n, "support": s} for n, s in ((2, 2), (1, 1), (3, 1), (4, 1))]
    assert client.get("/api/features", params={"prefix": "3"}).json()["features"] == [{"name": 3, "support": 1}]


def test_examples_are_support_rows_of_either_sign(served):
    given_examples = served().get("/api/model").json()["examples"]
    assert given_examples == [["money", "bank"], ["bank", "river"], ["Boat"]]


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.5), gm.TanimotoKernel()])
def test_kernels_of_sets_are_explained_as_the_library_does(kernel):
    machine = gm.Machine(kernel, SUPPORT, COEF, 0.0, ["water", "finance"], feature_names=NAMES)
    with serving(create_app(machine)) as site, asking(site) as client:
        (found,) = explain(client, ["money", "bank", "Boat"], interactions=True)
    (row,) = gm.explain(machine, [{0, 1, 3}], interactions=True)
    assert {part["name"]: part["value"] for part in found["features"]} == dict(
        zip(row.names, row.values[:, 0].tolist(), strict=True)
    )
    assert found["baseline"] == row.base[0]
    assert len(found["interactions"]) == np.count_nonzero(row.interactions)
