"""The playground in a browser: rows of features."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.web import create_app
from tests.web.playground_models import STRANGE
from tests.web.served import serving

pytestmark = pytest.mark.slow  # in a browser

Keys = pytest.importorskip("selenium.webdriver").Keys


def row_of(machine, *names):
    return np.isin(machine.feature_names, names).astype(float)[None]


def scored(machine, *names):
    """Label, scores by class."""
    scorer, X = machine.compile(), row_of(machine, *names)
    return scorer.predict(X)[0], dict(zip(machine.classes, scorer.decision_function(X)[0].tolist(), strict=True))


def expected(machine, *names):
    label, scores = scored(machine, *names)
    return label, scores[label]


@pytest.fixture
def machine(models):
    return models("foods")


@pytest.fixture
def empty(page, site):
    """A page on which nothing is typed yet."""
    page.open(f"{site('foods')}#why=").type(Keys.BACKSPACE)
    while page.all(".chip"):
        page.press(".chip-cross")
    return page


def test_an_example_is_answered_when_the_page_opens(page, site, machine):
    page.open(site("foods"))
    names = page.texts(".chip-name")
    assert names
    assert (page.verdict, page.score) == expected(machine, *names)
    assert page.one("h1").text


def test_typed_features_are_answered_as_the_library_does(empty, machine):
    empty.type("salty ", "crunchy", Keys.ENTER)
    empty.wait(lambda: len(empty.all(".chip")) == 2)
    empty.settled()
    label, scores = scored(machine, "salty", "crunchy")
    assert (empty.verdict, empty.score) == (label, scores[label])
    shown = dict(zip(empty.texts(".classes th[scope=row]"), empty.numbers(".classes data"), strict=True))
    assert shown == scores
    (explained,) = gm.explain(machine, row_of(machine, "salty", "crunchy"), interactions=True)
    parts = explained.as_dict(label)
    assert empty.contributions() == {
        "baseline": parts["baseline"],
        **{part["name"]: part["value"] for part in parts["features"]},
        f"the score of {label}": parts["score"],
    }
    (pair,) = parts["interactions"]
    assert empty.contributions("Pairs") == {"salty & crunchy": pair["value"]}


def test_a_feature_is_switched_off_and_on_again(page, site, machine):
    page.open(f"{site('foods')}#on=salty&on=soft&on=green")
    whole = page.verdict, page.score
    assert whole == expected(machine, "salty", "soft", "green")
    page.press(".chip-name", "soft")
    label, scores = scored(machine, "salty", "green")
    assert (page.verdict, page.score) == (label, scores[label])
    assert whole[0] in page.one(".compared").text
    assert page.numbers(".compared data") == [scored(machine, "salty", "soft", "green")[1][label]]
    assert page.texts("[aria-pressed=false]") == ["soft"]
    page.press(".chip-name", "soft")
    assert (page.verdict, page.score) == whole
    assert not page.one(".compared").is_displayed()


def test_beside_each_feature_stands_what_would_be_without_it(page, site, machine):
    names = ["sweet", "crunchy", "soft", "round"]
    page.open(f"{site('foods')}#{'&'.join(f'on={name}' for name in names)}")
    label = page.verdict
    shown = page.without()
    assert set(shown) == set(names)
    for name in names:
        other, scores = scored(machine, *(one for one in names if one != name))
        assert shown[name] == (scores[label], "" if other == label else other)
    assert any(other for _, other in shown.values()), "no feature flips the answer: the test shows little"


def test_who_decided_it_is_told_when_somebody_asks(page, site, machine):
    page.open(site("foods"))
    assert not page.texts(".deciders table")
    page.press(".deciders summary", "Who decided it")
    shown = page.wait(lambda: page.settled().texts(".deciders th"))
    (found,) = gm.influence(machine, row_of(machine, *page.texts(".chip-name")))
    assert shown == [one.name for side in ("for", "against") for one in found.top(3, page.verdict, side)]


def test_another_output_can_be_asked_about(page, site, machine):
    page.open(f"{site('foods')}#on=salty&on=sweet")
    other = next(name for name in machine.classes if name != page.verdict)
    page.type(other, into=".choice select")
    page.wait(lambda: f"why={other}" in page.driver.current_url)
    label, scores = scored(machine, "salty", "sweet")
    assert (page.verdict, page.score) == (label, scores[other])
    assert page.contributions()[f"the score of {other}"] == scores[other]
    page.open(page.driver.current_url)
    assert page.score == scores[other]


def test_an_answer_that_is_a_number_is_compared_with_one_number(page, site, models):
    page.open(f"{site('numbered')}#on=0&off=1")
    scorer = models("numbered").compile()
    assert page.numbers(".verdict data") == [scorer.decision_function(np.array([[1.0, 0, 0, 0]]))[0]]
    assert page.numbers(".compared data") == [scorer.decision_function(np.array([[1.0, 1, 0, 0]]))[0]]
    assert page.one(".compared").text.count(page.one(".compared data").text) == 1
    assert "the value" in page.contributions()


def test_of_several_values_the_one_that_is_told_about_is_the_answer(page):
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], [[1.0, 2.0], [0.5, -1]], [0.0, 1], scheme="regression")
    with serving(create_app(machine)) as address:
        page.open(f"{address}#on=0&why=value 0")
        assert page.numbers(".verdict data") == [machine.compile().decision_function([{0}])[0, 0]]
        assert page.texts(".verdict .score") == ["value 0"]
        assert page.contributions()["the value 0"] == page.numbers(".verdict data")[0]


def test_classes_behind_a_press_stay_open_and_have_the_same_scale(page):
    classes, names = [f"c{at}" for at in range(9)], ["x", "y"]
    coef = np.arange(18.0).reshape(2, 9) - 7
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], coef, np.zeros(9), classes, "ovr", feature_names=names)
    with serving(create_app(machine)) as address:
        page.open(f"{address}#on=x&on=y").press("summary")
        widths = page.driver.execute_script(
            "return [...document.querySelectorAll('.classes .gm-bar')].map((bar) => parseFloat(bar.style.width))"
        )
        scores = np.abs(page.numbers(".classes data"))
        np.testing.assert_allclose(widths, 50 * scores / scores.max(), rtol=1e-4)
        page.press(".chip-name", "x")
        assert page.one("details[open] table").is_displayed()


def test_examples_are_shown_as_far_as_they_have_room(page, models):
    examples = {
        "ab cd": ["ab", "cd"],
        f"{'a' * 28} …": ["a" * 28, "bcdef", "g"],
        f"{'a' * 29}… …": ["a" * 50, "b"],
        f"{' '.join(map(str, range(20, 30)))} …": list(map(str, range(20, 40))),
    }
    with serving(create_app(models("foods"), examples=examples.values())) as address:
        page.open(address)
        assert page.texts(".example") == list(examples)


def test_names_are_completed(empty, machine):
    empty.type("s")
    empty.wait(lambda: len(empty.all("[role=option]")) == 3)
    assert {option.get_attribute("data-name") for option in empty.all("[role=option]")} == {"salty", "sweet", "soft"}
    first = empty.all("[role=option]")[0].get_attribute("data-name")
    empty.key(Keys.ARROW_DOWN).key(Keys.ENTER)
    assert empty.texts(".chip-name") == [first]
    assert (empty.verdict, empty.score) == expected(machine, first)
    empty.type("sw")
    empty.wait(lambda: len(empty.all("[role=option]")) == 1)
    empty.press("[role=option]")
    assert empty.texts(".chip-name") == [first, "sweet"]


def test_what_the_model_does_not_know_is_said(empty, machine):
    empty.type("salty unheard-of ")
    empty.wait(lambda: "unheard-of unknown" in empty.texts(".chip-name"))
    assert (empty.verdict, empty.score) == expected(machine, "salty")


def test_what_the_model_does_not_know_makes_rows_longer_where_it_sees_that(page, site, models):
    page.open(f"{site('round_foods')}#on=salty&on=unheard-of")
    scores = models("round_foods").compile().decision_function(gm.ids([[0, 6]]))[0].tolist()
    assert page.texts(".chip-name") == ["salty", "unheard-of unknown"]
    assert page.one(".chip-name[title]").get_attribute("title").endswith("it only makes the row longer")
    assert dict(zip(page.texts(".classes th[scope=row]"), page.numbers(".classes data"), strict=True)) == dict(
        zip(models("round_foods").classes.tolist(), scores, strict=True)
    )
    assert "unheard-of" in page.contributions()


def test_many_features_are_pasted_at_once(empty, machine):
    paste = """
      const data = new DataTransfer();
      data.setData("text", arguments[0]);
      arguments[1].dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, cancelable: true, bubbles: true }));
    """
    empty.driver.execute_script(paste, 'salty,sweet\n"soft"', empty.one("input"))
    empty.wait(lambda: empty.texts(".chip-name") == ["salty", "sweet", "soft"])
    empty.settled()
    assert (empty.verdict, empty.score) == expected(machine, "salty", "sweet", "soft")


def test_the_address_holds_what_is_on_the_page(empty, page):
    empty.type("salty sweet ")
    empty.wait(lambda: len(empty.all(".chip")) == 2)
    empty.press(".chip-name", "sweet")
    before = page.verdict, page.score, page.texts(".chip-name"), page.texts("[aria-pressed=false]")
    page.wait(lambda: "off=sweet" in page.driver.current_url)
    page.open(page.driver.current_url)
    assert (page.verdict, page.score, page.texts(".chip-name"), page.texts("[aria-pressed=false]")) == before


def test_names_are_text_whatever_they_hold(page, site, models):
    machine = models("strange")
    page.open(site("strange"))
    while page.all(".chip"):
        page.press(".chip-cross")
    page.type(*(f'"{name.replace(chr(34), chr(34) * 2)}" ' for name in STRANGE if name.isascii()))
    page.wait(lambda: len(page.all(".chip")) == 4)
    page.settled()
    assert set(page.texts(".chip-name")) == {name for name in STRANGE if name.isascii()}
    entries = page.driver.execute_script(
        "return new URLSearchParams(arguments[0].map((name) => ['on', name])).toString()", STRANGE
    )
    page.open(f"{site('strange')}#{entries}")
    scorer, X = machine.compile(), np.ones((1, 6))
    assert (page.verdict, page.score) == (scorer.predict(X)[0], scorer.decision_function(X)[0])
    assert set(page.texts(".chip-name")) == set(STRANGE)
    assert not page.all("main script, main b > *")
    assert "playground" in page.driver.title
    assert page.complaints() == []


def test_numbers_with_values_give_a_number(page, site, models):
    page.open(f"{site('numbered')}#why=")
    while page.all(".chip"):
        page.press(".chip-cross")
    page.type("0:2.5 ", "3 ")
    page.wait(lambda: len(page.all(".chip")) == 2)
    page.settled()
    assert page.texts(".chip-name") == ["0 = 2.5", "3"]
    value = models("numbered").compile().decision_function(np.array([[2.5, 0, 0, 1]]))[0]
    assert page.numbers(".verdict data") == [value]


def test_a_feature_that_is_refused_is_marked_and_the_old_answer_looks_old(page, site):
    page.open(f"{site('numbered')}#on=0&on=1")
    before = page.numbers(".verdict data")
    page.type("seven ")
    page.wait(lambda: page.texts(".chip[data-wrong] .chip-name") == ["seven"])
    page.wait(lambda: page.is_stale)
    assert "numbers" in page.one(".field .error").text
    assert page.numbers(".verdict data") == before
    assert page.one(".stale-note").is_displayed()
    page.press(".chip-name", "seven")
    page.wait(lambda: not page.is_stale)
    assert not page.one(".field .error").text


def test_a_known_name_that_looks_like_a_value_is_a_name(page, site):
    page.open(f"{site('strange')}#why=").type("w=2 ja=2 ")
    page.wait(lambda: len(page.all(".chip")) == 2)
    page.settled()
    assert page.texts(".chip-name") == ["w=2", "ja = 2 unknown"]


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        (("worst radius", Keys.ENTER), ["worst radius"]),
        (("worst radius worst ", "round", Keys.ENTER), ["worst radius", "worst", "round unknown"]),
        (("worst round ",), ["worst", "round unknown"]),
        (("mean area of cells,", "worst", Keys.ENTER), ["mean area of cells", "worst"]),
        (('"mean, in all" ',), ["mean, in all"]),
        (("mean area=2.5", Keys.ENTER), ["mean unknown", "area = 2.5 unknown"]),
        (("worst rad", Keys.ARROW_DOWN, Keys.ENTER), ["worst radius"]),
    ],
)
def test_a_name_with_blanks_is_typed_as_it_is_suggested(page, site, typed, taken):
    page.open(f"{site('measures')}#why=")
    while page.all(".chip"):
        page.press(".chip-cross")
    for keys in typed:
        if keys == Keys.ARROW_DOWN:
            page.wait(lambda: page.all("[role=option]"))
        page.type(keys)
    page.wait(lambda: len(page.all(".chip")) == len(taken))
    page.settled()
    assert page.texts(".chip-name") == taken


def test_a_pasted_name_with_blanks_is_taken_as_it_is(page, site):
    page.open(site("measures"))
    assert page.called("features", "partsOf", 'worst radius, "mean, in all",worst,') == [
        "worst radius",
        '"mean, in all"',
        "worst",
    ]
    assert page.called("features", "blanksOf", 'a "b c" d') == [1, 7]


def test_words_are_separated_by_blanks_and_commas_outside_of_quotes(page, site):
    page.open(site("foods"))

    def words(text):
        return [word["text"] for word in page.called("features", "wordsOf", text)]

    assert words("a, b\tc\n") == ["a", "b", "c"]
    assert words('"two words" x') == ["two words", "x"]
    assert words('"say ""so""" ""') == ['say "so"']
    assert words('"left open') == ["left open"]
    assert words("") == []
