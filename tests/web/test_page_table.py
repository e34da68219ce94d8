"""The playground in a browser: the form of a table."""

from __future__ import annotations

from datetime import date

import pytest

import gristmill as gm
from gristmill.explanations import shapes_of
from gristmill.web import create_app
from tests.web.served import serving

pytestmark = pytest.mark.slow  # in a browser

Keys = pytest.importorskip("selenium.webdriver").Keys


@pytest.fixture
def machine(models):
    return models("people")


@pytest.fixture
def form(page, site):
    return page.open(site("people"))


def control(page, name):
    """What is labelled so."""
    label = next(one for one in page.all(".form-field label") if one.text == name)
    return page.one(f"#{label.get_attribute('for')}")


def fill(page, name, *keys):
    control(page, name).send_keys(*keys)
    return page.settled()


def typed(page, name, text):
    return fill(page, name, Keys.CONTROL, "a", Keys.NULL, text)


def row_on(page):
    """What stands in the form."""
    value = {name: control(page, name).get_property("value") for name in ("age", "housing", "income", "joined", "paid")}
    return {
        "age": float(value["age"]) if value["age"] else None,
        "housing": value["housing"],
        "income": float(value["income"]) if value["income"] else None,
        "member": control(page, "member").is_selected(),
        "paid": {"true": True, "false": False, "": None}[value["paid"]],
        "joined": date.fromisoformat(value["joined"]),
    }


def expected(machine, row):
    scorer = machine.compile()
    return scorer.predict([row])[0], scorer.decision_function([row])[0]


def test_a_typical_row_is_answered_when_the_page_opens(form, machine):
    kinds = [one.get_attribute("type") for one in form.all(".form-field :is(input, select)")]
    assert kinds == ["number", "select-one", "number", "checkbox", "select-one", "date"]
    assert (form.verdict, form.score) == expected(machine, row_on(form))
    assert not form.complaints()


def test_every_change_is_answered_as_the_library_does(form, machine):
    typed(form, "age", "22")
    fill(form, "housing", "rent")
    control(form, "member").click()
    form.settled()
    typed(form, "income", "1042.5")
    assert row_on(form)["age"] == 22
    assert row_on(form)["housing"] == "rent"
    assert form.verdict == "bad"
    assert (form.verdict, form.score) == expected(machine, row_on(form))
    assert form.contributions()["housing = rent"] < 0


def test_what_would_change_the_answer_is_found_when_somebody_asks(form, machine):
    assert not form.texts(".changes table")
    form.press(".changes summary", "What would change it")
    (answer,) = form.wait(lambda: form.settled().texts(".changes table"))
    found = gm.counterfactual(machine, row_on(form))
    assert form.texts(".changes .hint") == [f"{found.verdict()}."]
    assert f"for {found[0].prediction}" in answer
    for change in found[0].changes:
        assert f"{change.name}{change.before} → {change.after}" in answer


def test_what_each_column_adds_is_drawn_when_somebody_asks(form, machine):
    assert not form.all(".shapes svg")
    form.press(".shapes summary", "What each column adds")
    form.wait(lambda: form.all(".shapes svg rect"))
    shapes = shapes_of(machine)
    drawn = [*shapes.of(1)[:12], *shapes.of(2)[:4]]
    captions = form.texts(".shapes figcaption")
    assert len(captions) == len(drawn)
    assert all(one.names[0] in caption for one, caption in zip(drawn, captions, strict=True))


def test_what_training_did_not_have_is_marked(form):
    typed(form, "age", Keys.BACKSPACE)
    assert "training had no such value" in form.texts(".form-field.marked")[0]
    typed(form, "income", Keys.BACKSPACE)  # training had missing ones
    assert len(form.all(".form-field.marked")) == 1


def test_the_address_holds_what_was_typed(form, page, machine):
    typed(form, "age", "22")
    fill(form, "housing", "rent")
    form.wait(lambda: "row.age=22" in form.driver.current_url)
    form.wait(lambda: (form.verdict, form.score) == expected(machine, row_on(form)))
    shown = form.verdict, form.score
    page.open(form.driver.current_url)
    page.wait(lambda: (page.verdict, page.score) == shown)
    assert row_on(page)["housing"] == "rent"
    page.press("button", "Typical values")
    assert row_on(page)["age"] != 22
    assert (page.verdict, page.score) == expected(machine, row_on(page))


def test_examples_fill_the_form(page, machine):
    row = {"age": 22, "housing": "rent", "income": None, "member": True, "paid": True, "joined": "2021-04-01"}
    with serving(create_app(machine, examples=[row])) as address:
        page.open(address).press(".example", "22, rent")
        assert row_on(page) == row | {"joined": date(2021, 4, 1)}
        assert (page.verdict, page.score) == expected(machine, row_on(page))
