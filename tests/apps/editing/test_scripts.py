"""Edit scripts: what they make of forms, which of them is taken, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.editing.scripts import LEMMAS, PARTS, fewest_scripts, lower, read_script, script_of

TEXTS = st.text(alphabet="aAbBcÉéİßŒ.+-=!: ", min_size=1, max_size=8)


@given(TEXTS, TEXTS, st.sampled_from([LEMMAS, PARTS]), st.booleans())
def test_a_script_makes_its_result_of_its_form(form, result, casings, copies):
    assert read_script(script_of(form, result, casings, copies=copies)).apply(form) == result


@pytest.mark.parametrize(
    ("form", "result", "script"),
    [
        *(("Worse", "bad", "lower!bad"), ("cats", "cat", "lower:=-"), ("Paris", "Paris", "title:=")),
        *(("USA", "USA", "upper:="), ("iPhones", "iPhone", "keep:=-"), ("gesehen", "sehen", "lower:--=")),
    ],
)
def test_scripts_of_lemmas(form, result, script):
    assert script_of(form, result) == script


def test_copies_keep_characters_before_and_behind_the_longest_part():
    assert script_of("gegangen", "gehen") == "lower:=------+h+e+n"
    assert script_of("gegangen", "gehen", copies=True) == "lower:=----+h.."
    assert script_of("מתאילנד", "מ תאילנד", copies=True) == "lower:.+ ="


@pytest.mark.parametrize(("form", "words"), [("au", "à le"), ("Au", "À le"), ("AU", "À LE")])
def test_one_script_makes_the_words_of_a_token_however_it_is_cased(form, words):
    script = script_of("au", "à le", PARTS)
    assert read_script(script).apply(form) == words


def test_a_script_of_more_characters_than_a_form_has_cannot_be_applied():
    assert read_script("lower:-=---").apply("abc") is None
    assert read_script("lower:-=---").apply("abcde") == "b"


def test_nothing_is_no_result_and_no_word():
    assert read_script("lower:--=").apply("ab") is None
    assert read_script("alike:-+\t=").apply("ab") is None
    assert read_script("alike:.+\t=").apply("ab") == "a\tb"


def test_form_of_mixed_case_has_no_words_that_are_cased_alike():
    assert read_script("alike:=-").apply("iPhones") is None


def test_whatever_takes_fewer_scripts_is_taken():
    forms, results = ["gehst", "steht", "sagt"], ["gehen", "stehen", "sagen"]
    assert fewest_scripts(forms, results) == [script_of(*pair) for pair in zip(forms, results, strict=True)]
    cut = ["xaby", "xcdy"], ["x aby", "x cdy"]
    assert len(set(fewest_scripts(*cut))) == 1


@given(TEXTS)
def test_lower_case_has_as_many_characters(text):
    assert len(lower(text)) == len(text)


@pytest.mark.parametrize("script", ["", "lower", "lower:", "loud:=", "lower:x=", "lower:=+", "lower:=-="])
def test_what_is_no_script_is_refused(script):
    with pytest.raises(ValueError, match="expected an edit script"):
        read_script(script)


@pytest.mark.parametrize(("script", "form"), [("keep:-=", "a"), ("alike:+\t=", "au"), ("alike:=+\t", "au")])
def test_a_script_that_would_leave_a_word_empty_cannot_be_applied(script, form):
    assert read_script(script).apply(form) is None
