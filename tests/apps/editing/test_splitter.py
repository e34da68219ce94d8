"""Splitter: the words of tokens, however they are cased, and CoNLL-U with ranges of words."""

from __future__ import annotations

import pytest

from gristmill.apps import Splitter
from gristmill.base.errors import FormatError
from gristmill.scoring.engines import ENGINES

SPLIT = {"au": ["à", "le"], "Au": ["À", "le"], "du": ["de", "le"]}
TEXTS = ["Il va au bois", "Au bois", "Le mur du bois", "Il vient du mur", "Il va au mur au bois", "Le bois du mur"]
TOKENS = [text.split() for text in TEXTS]
WORDS = [[SPLIT.get(token, [token]) for token in tokens] for tokens in TOKENS]

GIVEN = """\
# text = Il va au bois.
1\tIl\t_\t_\t_\t_\t_\t_\t_\t_
2\tva\t_\t_\t_\t_\t_\t_\t_\t_
3\tau\t_\t_\t_\t_\t_\t_\t_\t_
4\tbois\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
5\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""
FOUND = """\
# text = Il va au bois.
1\tIl\t_\t_\t_\t_\t_\t_\t_\t_
2\tva\t_\t_\t_\t_\t_\t_\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\t_\t_\t_\t_\t_\t_\t_\t_
4\tle\t_\t_\t_\t_\t_\t_\t_\t_
5\tbois\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
6\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def splitter():
    return Splitter(C=1.0).fit(TOKENS, WORDS)


def test_what_was_learned_from_is_split_as_it_was(splitter):
    assert splitter.split(TOKENS) == WORDS
    assert splitter.score(TOKENS, WORDS) == 1.0


def test_words_are_cased_as_their_token(splitter):
    assert splitter.split(["Du", "bois"]) == [["De", "le"], ["bois"]]


def test_forms_that_are_often_split_in_one_way_are_not_decided(splitter):
    known = splitter.engine_.model.scripts
    assert set(known) >= {"au", "du", "bois"}
    assert len(splitter.explain(["Il", "va", "au", "village"])) == 2  # va, which is there twice, and village


def test_a_form_that_is_split_now_and_then_is_decided_by_what_is_around_it():
    tokens = [["je", "des"], ["tu", "des"]] * 4
    words = [[["je"], ["de", "les"]], [["tu"], ["des"]]] * 4
    splitter = Splitter(C=1.0).fit(tokens, words)
    assert splitter.split([["je", "des"], ["tu", "des"]]) == words[:2]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_the_same_words(splitter, engine, tmp_path):
    splitter.save(tmp_path / "model")
    tokens = [["aux", "murs", "d"], ["DU", "Bois", "vau"]]
    assert Splitter.load(tmp_path / "model", engine=engine).split(tokens) == splitter.split(tokens)


def test_tokens_that_are_split_are_ranges(splitter):
    assert splitter.split_conllu(GIVEN.encode()).decode() == FOUND


def test_ranges_that_are_given_stay(splitter):
    given = FOUND.replace("\tau\t", "\tdu\t").replace("\tle\t", "\tcela\t")
    assert splitter.split_conllu(given.encode()).decode() == given


def test_empty_nodes_follow_the_numbers_of_words(splitter):
    node = "4.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    found = splitter.split_conllu(GIVEN.replace("5\t.", f"{node}5\t.").encode()).decode()
    assert f"5\tbois\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n{node.replace('4.1', '5.1')}6\t." in found


def test_files(splitter, tmp_path):
    (tmp_path / "given").write_text(GIVEN)
    assert splitter.split_file(tmp_path / "given", tmp_path / "found") == 5
    assert (tmp_path / "found").read_text() == FOUND
    scores = splitter.evaluate_file(tmp_path / "found")
    assert (scores.gold, scores.predicted, scores.correct, scores.tokens) == (1, 1, 1, 5)


def test_tokens_that_are_never_split_can_be_learned(tmp_path):
    (tmp_path / "given").write_text(GIVEN)
    assert Splitter().fit_conllu(tmp_path / "given").split(["au", "mur"]) == [["au"], ["mur"]]


def test_there_must_be_tokens():
    with pytest.raises(FormatError, match="no tokens"):
        Splitter().fit([], [])
