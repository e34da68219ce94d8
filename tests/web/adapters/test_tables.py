"""/api for a machine that reads tables: what it says of rows is what the library says."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

import gristmill as gm
from gristmill.explanations import shapes_of
from gristmill.explanations.shape_pictures import shape_picture
from gristmill.machines.table_files import KEY, TableSource
from gristmill.web import create_app
from tests.web.served import asking, serving

ROW = {"age": 25, "housing": "rent", "income": 1042.5, "member": True, "paid": None, "joined": "2021-04-01"}


@pytest.fixture(scope="module")
def people(site):
    with asking(site("people")) as client:
        yield client


@pytest.fixture(scope="module")
def machine(models):
    return models("people")


def results(client, path, **request):
    answer = client.post(path, json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def as_python(row):
    return row | {"joined": date.fromisoformat(row["joined"])}


def test_scores_are_those_of_the_machine(people, machine):
    rows = [ROW | {"age": age, "housing": housing} for age in (19, 30, 52) for housing in ("own", "rent", "boat", None)]
    scorer, table = machine.compile(), [as_python(row) for row in rows]
    found = results(people, "/api/score", rows=rows)
    assert [one["label"] for one in found] == scorer.predict(table).tolist()
    assert [one["scores"]["good"] for one in found] == scorer.decision_function(table).tolist()
    assert np.allclose([one["probabilities"]["good"] for one in found], scorer.predict_proba(table)[:, 1])


def test_explanations_are_those_of_the_library(people, machine):
    (found,) = results(people, "/api/explain", rows=[ROW], interactions=True)
    (explained,) = gm.explain(machine, [as_python(ROW)], interactions=True)
    parts = explained.as_dict()
    assert found["baseline"] == parts["baseline"]
    assert {part["name"]: part["value"] for part in found["features"]} == {
        part["name"]: part["value"] for part in parts["features"]
    }
    assert found["baseline"] + sum(part["value"] for part in found["features"]) == pytest.approx(found["score"])
    assert len(found["interactions"]) > 0


def test_changes_are_those_of_the_library(people, machine):
    (found,) = results(people, "/api/explain", rows=[ROW], changes=True)
    expected = gm.counterfactual(machine, [as_python(ROW)])
    (answer,) = found["changes"]["answers"]
    assert found["changes"]["said"] == expected.verdict()
    assert [(one["name"], one["before"], one["after"]) for one in answer["changes"]] == [
        (one.name, one.before, one.after) for one in expected[0].changes
    ]
    assert answer["label"] == expected[0].prediction != found["label"]


def test_columns_come_in_any_order_and_may_lack_where_training_had_missing_values(people):
    turned = dict(reversed(ROW.items()))
    del turned["paid"]
    (one, other) = results(people, "/api/score", rows=[ROW, turned])
    assert one == other


def test_values_that_training_did_not_have_are_named(people):
    assert "unknown" not in results(people, "/api/score", rows=[ROW])[0]
    row = ROW | {"housing": "boat", "age": None, "income": 1e9}
    assert results(people, "/api/score", rows=[row])[0]["unknown"] == ["age", "housing"]


REFUSED = [
    (["age"], "rows[0]", "a row is an object with a value for each column"),
    (ROW | {"agee": 1}, "rows[0].agee", "there is no column 'agee'"),
    ({name: ROW[name] for name in ROW if name != "age"}, "rows[0].age", "give null if it is not known"),
    (ROW | {"age": "25"}, "rows[0].age", "'age' is a number or null, got '25'"),
    (ROW | {"age": True}, "rows[0].age", "'age' is a number or null"),
    (ROW | {"age": 10**400}, "rows[0].age", "'age' is a number or null"),
    (ROW | {"income": 1e301}, "rows[0].income", "'income' is a number or null"),
    (ROW | {"member": "yes"}, "rows[0].member", "'member' is true or false or null"),
    (ROW | {"joined": "May"}, "rows[0].joined", "'joined' is a date, as 2024-05-31 or null"),
    (ROW | {"joined": " "}, "rows[0].joined", "'joined' is a date"),
    (ROW | {"housing": ["own"]}, "rows[0].housing", "'housing' is a text, a number or a boolean or null"),
]


@pytest.mark.parametrize(("row", "where", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_what_is_no_row_is_refused_with_its_place(people, row, where, message):
    answer = people.post("/api/score", json={"rows": [row]})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["where"]) == ("bad_input", where)
    assert message in error["message"]


def form_of(client):
    facts = client.get("/api/model").json()
    return facts, {column["name"]: column for column in facts["form"]}


def test_the_model_tells_its_columns(people, machine):
    facts, form = form_of(people)
    assert (facts["kind"], facts["inputs"], facts["target"]) == ("table", ["rows"], None)
    assert {name: column["kind"] for name, column in form.items()} == {
        **{"age": "number", "housing": "category", "income": "number", "member": "boolean", "paid": "boolean"},
        "joined": "date",
    }
    assert form["housing"]["options"] == ["free", "own", "rent"]
    assert {name for name, column in form.items() if column["missing"]} == {"income", "paid"}
    assert all(column["options"] is None for name, column in form.items() if name != "housing")
    fields = [(own["name"], tuple(own["bins"])) for column in form.values() for own in column["fields"]]
    assert fields == [(own.name, own.bins) for own in machine.encoding.fields]
    assert people.get("/api/features").json() == {"features": []}


def test_shapes_are_drawn_as_in_reports(people, machine):
    found = people.get("/api/shapes").json()["results"]
    shapes = shapes_of(machine)
    drawn = [*shapes.of(1)[:12], *shapes.of(2)[:4]]
    assert [tuple(one["columns"]) for one in found] == [one.names for one in drawn]
    assert {one["output"] for one in found} == {"good"}
    for one in found:
        assert one["svg"].startswith("<svg")
        assert f"{one['svg']}</figure>" in shape_picture(shapes[tuple(one["columns"])])


def test_a_machine_that_is_no_sum_of_tables_has_no_shapes(machine):
    support = gm.ids([list(range(0, 4)), [1, 2]], n_features=machine.n_features)
    other = machine.replace(support=support, coef=[1.0, -1.0])
    with serving(create_app(other)) as address, asking(address) as client:
        assert client.get("/api/shapes").json() == {"results": []}


def test_defaults_are_values_of_training(people):
    _, form = form_of(people)
    defaults = {name: column["default"] for name, column in form.items()}
    assert "unknown" not in results(people, "/api/score", rows=[defaults])[0]
    assert 20 <= defaults["age"] < 60
    assert defaults["joined"].startswith("2000-0")  # all dates are of one year, which the bins do not show


def test_defaults_are_typical_where_the_file_was_known(machine):
    typical = {"age": 37.0, "housing": "own", "income": 1007.5, "member": "True", "paid": None, "joined": "2021-05-01"}
    known = machine.replace(provenance={KEY: TableSource("risk", typical=typical).to_spec()})
    with serving(create_app(known)) as address, asking(address) as client:
        facts, form = form_of(client)
        assert facts["target"] == "risk"
        defaults = {name: column["default"] for name, column in form.items()}
        assert defaults == typical | {"member": True}
        assert facts["examples"] == [defaults]


def test_a_spike_with_most_rows_is_the_default():
    rows = [{"gain": 0 if at % 10 else 1000 + at} for at in range(200)]
    machine = gm.TableRegressor(C=1.0, degree=1, bins=8).fit(rows, [row["gain"] / 100 for row in rows]).machine_
    with serving(create_app(machine)) as address, asking(address) as client:
        assert form_of(client)[1]["gain"]["default"] == 0
