"""Lemmatizer: lemmas of words as they were learned and of others, in Python and in files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps import Lemmatizer, Word
from gristmill.apps.editing.examples import cells_of, commonest, distinct
from gristmill.base.errors import FormatError
from gristmill.base.warnings import EmptyColumnsWarning
from gristmill.scoring.engines import ENGINES

SAID = [
    ("runs", "run", "VERB"),
    ("cats", "cat", "NOUN"),
    ("The", "the", "DET"),
    ("this", "this", "DET"),
    ("Tom", "Tom", "PROPN"),
    ("was", "be", "AUX"),
    ("sings", "sing", "VERB"),
    ("hats", "hat", "NOUN"),
]
WORDS = [[Word(*cells) for cells in SAID]]
CONLLU = (
    "".join(f"{at}\t{form}\t{lemma}\t{tag}\t_\t_\t_\t_\t_\t_\n" for at, (form, lemma, tag) in enumerate(SAID, 1)) + "\n"
)

CELLS = st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", ""])] * 3), max_size=12)


@pytest.fixture(scope="module")
def lemmatizer():
    return Lemmatizer(C=1.0).fit(WORDS)


def columns_of(cells, width=3):
    return _core.Columns.of_cells([cell for word in cells for cell in word], width, np.ones(len(cells), dtype=np.int64))


def test_what_was_learned_from_has_its_lemmas(lemmatizer):
    assert lemmatizer.lemmatize(WORDS) == [[lemma for _, lemma, _ in SAID]]
    assert lemmatizer.score(WORDS) == 1.0


def test_words_that_were_never_seen_have_lemmas_made_alike(lemmatizer):
    assert lemmatizer.lemmatize([("dogs", "NOUN"), ("Swims", "VERB")]) == ["dog", "swim"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_the_same_lemmas(lemmatizer, engine, tmp_path):
    lemmatizer.save(tmp_path / "model")
    words = [[(form, tag) for form in ("x", "ss", "Was", "mats", "Runs")] for tag in ("NOUN", "VERB", "X")]
    assert Lemmatizer.load(tmp_path / "model", engine=engine).lemmatize(words) == lemmatizer.lemmatize(words)


def test_the_best_script_that_can_be_applied_is_taken():
    """Of one character nothing is left by the script that most words have."""
    lemmatizer = Lemmatizer("F:0:1").fit([[Word("abc", "a", "X"), Word("xyz", "x", "X"), Word("a", "a", "Y")]])
    assert lemmatizer.lemmatize([("abc", "X"), ("q", "X")]) == ["a", "q"]


def test_alike_words_have_the_lemma_that_most_of_them_have():
    several = [[Word("saw", lemma, "VERB")] for lemma in ("saw", "see", "see")]
    assert Lemmatizer().fit(several).lemmatize([("saw", "VERB")]) == ["see"]


def test_lemmas_that_are_all_their_forms_can_be_learned():
    assert Lemmatizer().fit([[Word("海", "海"), Word("を", "を")]]).lemmatize(["見"]) == ["見"]


def test_a_file_is_written_again_with_lemmas(lemmatizer, tmp_path):
    (tmp_path / "given").write_text(CONLLU.replace("\tcat\t", "\t_\t"))
    assert lemmatizer.lemmatize_file(tmp_path / "given", tmp_path / "found") == len(SAID)
    assert (tmp_path / "found").read_text() == CONLLU
    scores = lemmatizer.evaluate_file(tmp_path / "given")
    assert (scores.words, scores.correct) == (len(SAID) - 1, len(SAID) - 1)


def test_a_file_teaches_what_its_words_do(lemmatizer, tmp_path):
    (tmp_path / "given").write_text(CONLLU)
    assert Lemmatizer(C=1.0).fit_conllu(tmp_path / "given").machine_ == lemmatizer.machine_


def test_an_explanation_names_the_script(lemmatizer):
    explained = lemmatizer.explain([("dogs", "NOUN")])
    assert explained[0].label == "lower:=-"
    assert explained.words == ("dog",)


def test_empty_columns_are_warned_of(lemmatizer):
    with pytest.warns(EmptyColumnsWarning, match="the lemmatizer learned from upos"):
        lemmatizer.lemmatize(["dogs"] * 20)


def test_words_without_lemmas_teach_nothing():
    with pytest.raises(FormatError, match="no word has a lemma"):
        Lemmatizer().fit([["dogs"]])


def test_templates_look_at_the_word_alone():
    with pytest.raises(ValueError, match="row 0 only"):
        Lemmatizer("F:-1:0")


@given(CELLS)
def test_words_that_differ_are_numbered(cells):
    numbers, different = distinct(columns_of(cells))
    assert [different[number] for number in numbers.tolist()] == cells
    assert len(set(different)) == len(different)
    assert cells_of(columns_of(cells)) == cells


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=10))
def test_the_commonest_result_is_the_first_in_order_of_those_that_are_as_common(pairs):
    found = commonest([(word,) for word, _ in pairs], [result for _, result in pairs])
    for word in {word for word, _ in pairs}:
        own = [result for other, result in pairs if other == word]
        assert found[word,] == sorted(set(own), key=lambda one: (-own.count(one), one))[0]
