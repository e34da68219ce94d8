"""Morphological taggers: UPOS, then XPOS and features at once, filled into CoNLL-U."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

import gristmill as gm
from gristmill import _core
from gristmill.apps import DependencyParser, MorphologicalTagger, Tagger
from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.parsing.cross_filling import cross_fill
from gristmill.apps.parsing.treebank import fill_tags, read_conllu
from gristmill.apps.tagging import morphology
from gristmill.apps.tagging.morphology import TEMPLATES
from gristmill.base.errors import FormatError
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import sentences, text_of

KNOWN, NEW = sentences(40), sentences(10, seed=1)
TEXT = text_of(KNOWN)


def conllu(text):
    return _core.Conllu.parse(text.encode())


def untagged(words):
    return [[replace(word, upos="_", xpos="_", feats="_") for word in sentence] for sentence in words]


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "train.conllu"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def tagger():
    return MorphologicalTagger(folds=3, epochs=3).fit(KNOWN)


def by_hand(text, other, folds):
    """Two taggers one after the other, the tag of the second being two columns."""

    def tagged(words, tags):
        starts = words.columns.starts().tolist()
        cells = [*zip(words.columns.column(0), *tags, strict=True)]
        return [cells[begin:end] for begin, end in pairwise(starts)]

    def upos_of(known):
        return Tagger(TEMPLATES, epochs=3).fit_conllu(known)

    first = upos_of(text)
    crossed = cross_fill(text, lambda known: lambda rest: fill_tags(rest, [upos_of(known)]), folds) if folds else text
    both = [
        f"{xpos}/{feats or '_'}" for xpos, feats in zip(text.columns.column(3), text.columns.column(4), strict=True)
    ]
    templates = f"{TEMPLATES} F:-2..2:1.."
    second = Tagger(templates, epochs=3).fit(tagged(text, [crossed.columns.column(2), both]))
    upos = fill_tags(other, [first]).columns.column(2)
    found = [tag.split("/") for sentence in second.tag(tagged(other, [upos])) for tag in sentence]
    return [(tag, xpos, "" if feats == "_" else feats) for tag, (xpos, feats) in zip(upos, found, strict=True)]


@pytest.mark.parametrize("folds", [0, 3])
def test_tags_are_those_of_two_taggers_one_after_the_other(folds):
    other = conllu(text_of(untagged(NEW)))
    tagger = MorphologicalTagger(folds=folds, epochs=3).fit(KNOWN)
    found = fill_tags(other, [tagger]).columns
    cells = [*zip(*(found.column(place) for place in (2, 3, 4)), strict=True)]
    assert cells == by_hand(conllu(TEXT), other, folds)


def test_words_keep_all_but_their_tags(tagger):
    for words, found in zip(NEW, tagger.tag(untagged(NEW)), strict=True):
        assert [(word.form, word.lemma) for word in found] == [(word.form, word.lemma) for word in words]
    assert tagger.tag([*NEW[0]]) == tagger.tag([*map(list, NEW)])[0]
    assert tagger.tag([[], [*NEW[0]]]) == [[], tagger.tag([*NEW[0]])]


@pytest.mark.parametrize("columns", ["upos", "xpos", "feats", "upos,feats", "feats,xpos"])
def test_other_columns_than_those_that_were_learned_stay(columns):
    tagger = MorphologicalTagger(columns, folds=0, epochs=2).fit(KNOWN)
    names = [name for name in ("upos", "xpos", "feats") if name in columns]
    assert list(tagger.conllu_columns_) == names
    for words, found in zip(untagged(NEW), tagger.tag(untagged(NEW)), strict=True):
        for word, tagged in zip(words, found, strict=True):
            assert all(name in names or getattr(tagged, name) == "_" for name in ("upos", "xpos", "feats"))
            assert replace(tagged, **dict.fromkeys(names, "_")) == replace(word, head=None, deprel=None)


def test_columns_that_are_empty_are_not_learned():
    without = [[replace(word, xpos="_") for word in words] for words in KNOWN]
    assert MorphologicalTagger(folds=0, epochs=2).fit(without).conllu_columns_ == ("upos", "feats")


def test_a_file_holds_all_of_it(tagger, tmp_path, treebank):
    tagger.save(tmp_path / "model")
    loaded = gm.load(tmp_path / "model", n_jobs=2)
    assert isinstance(loaded, MorphologicalTagger)
    assert loaded.get_params() == tagger.get_params() | {"n_jobs": 2}
    assert loaded.tag(untagged(NEW)) == tagger.tag(untagged(NEW))
    with pytest.raises(FormatError, match="a morphological tagger: use `gristmill tag"):
        Tagger.load(tmp_path / "model")


def test_scores_are_shares_of_words(tagger):
    gold, found = KNOWN, tagger.tag(untagged(KNOWN))
    pairs = [pair for one in zip(gold, found, strict=True) for pair in zip(*one, strict=True)]
    scores = tagger.evaluate(KNOWN)
    for name in ("upos", "xpos", "feats"):
        assert scores.accuracy[name] == sum(getattr(a, name) == getattr(b, name) for a, b in pairs) / len(pairs)
    assert scores.main == tagger.score(KNOWN) == sum(a.cells == b.cells for a, b in pairs) / len(pairs)
    assert scores.words == len(pairs)
    assert MorphologicalTagger.evaluate(tagger, []).main == 0.0


def test_an_explanation_is_of_the_first_step(tagger):
    explained = tagger.explain([word.form for word in NEW[0]])
    assert explained.tags == tuple(word.upos for word in tagger.tag(untagged(NEW)[0]))


def test_engines_and_threads_give_the_same_tags(tagger):
    expected = tagger.tag(untagged(NEW))
    for engine in ("direct", "inverted", "expanded"):
        other = MorphologicalTagger(folds=3, epochs=3, engine=engine, n_jobs=2).fit(KNOWN)
        assert other.tag(untagged(NEW)) == expected


# --- the shell --------------------------------------------------------------------------------------------------------


def test_the_shell_learns_tags_and_evaluates(treebank, tmp_path, capsys):
    model, new, out = (str(tmp_path / name) for name in ("model", "new.conllu", "out.conllu"))
    assert run(["tag", "train", str(treebank), model, "--conllu", "all", "--folds", "3", "--epochs", "3", "-q"]) == 0
    (tmp_path / "new.conllu").write_text(text_of(untagged(NEW)))
    assert run(["tag", "run", model, new, "-o", out]) == 0
    tagger = MorphologicalTagger(folds=3, epochs=3).fit(KNOWN)
    assert read_conllu(out).columns.column(4) == fill_tags(conllu(text_of(NEW)), [tagger]).columns.column(4)
    capsys.readouterr()
    assert run(["tag", "evaluate", model, str(treebank), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == tagger.evaluate(KNOWN).as_dict()


def test_the_shell_fills_one_column_of_a_file_of_conllu(treebank, tmp_path, capsys):
    model, new = str(tmp_path / "model"), str(tmp_path / "new.conllu")
    assert run(["tag", "train", str(treebank), model, "--conllu", "upos", "-q"]) == 0
    (tmp_path / "new.conllu").write_text(text_of(NEW))
    assert run(["tag", "run", model, new]) == 0
    tagger = Tagger(TEMPLATES).fit_conllu(treebank)
    assert capsys.readouterr().out.encode() == fill_tags(conllu(text_of(NEW)), [tagger]).filled()
    assert run(["tag", "evaluate", model, new, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["accuracy"]) == ["upos"]


def test_parsers_take_it_for_their_tags(treebank, tmp_path, tagger):
    tagger.save(tmp_path / "tags")
    command = ["parse", "train", str(treebank), str(tmp_path / "parser"), "--tagger", str(tmp_path / "tags")]
    assert run([*command, "--folds", "2", "--epochs", "2", "-q"]) == 0
    by_hand = DependencyParser(epochs=2).fit(treebank, taggers=[tagger], folds=2)
    shell = DependencyParser.load(tmp_path / "parser")
    assert shell.machine_["all"].feature_names == by_hand.machine_["all"].feature_names
    assert run(["parse", "evaluate", str(tmp_path / "parser"), str(treebank), "--tagger", str(tmp_path / "tags")]) == 0


# --- interrupts and refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("calls", "columns"), [(1, ("upos",)), (2, ("upos",)), (3, ("upos", "xpos", "feats"))])
def test_an_interrupt_keeps_the_steps_that_were_learned(monkeypatch, calls, columns):
    """The first call is that of UPOS, the second one that of a fold, the last one that of XPOS and features."""
    left, learn = [calls], morphology.learn

    def stopped(*given, **settings):
        left[0] -= 1
        if left[0] == 0:
            raise LearningInterrupted(learn(*given, **settings))
        return learn(*given, **settings)

    monkeypatch.setattr(morphology, "learn", stopped)
    monkeypatch.setattr(morphology, "cross_fill", lambda text, learn_from, folds: learn_from(text)(text))
    tagger = MorphologicalTagger()
    with pytest.raises(LearningInterrupted):
        tagger.fit(KNOWN)
    assert tagger.conllu_columns_ == columns
    assert all(word.upos != "_" for word in tagger.tag([*untagged(NEW)[0]]))


@pytest.mark.parametrize(
    "settings",
    [
        {"columns": "lemma"},
        {"columns": "upos,upos"},
        {"columns": ""},
        {"columns": ["upos"]},
        {"folds": 1},
        {"folds": -1},
        {"folds": 2.5},
        {"templates": "F:0:1"},
        {"templates": 3},
        {"engine": "warp"},
        {"degree": 0},
    ],
)
def test_wrong_parameters_are_refused(settings):
    with pytest.raises(ValueError, match=r"columns|folds|templates|engine|degree"):
        MorphologicalTagger(**settings)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\tNOUN\t", "\t_\t", "train.conllu: word [0-9]+ of the file has no upos"),
        ("\tNO\t", "\tN O\t", "train.conllu: word [0-9]+ of the file has a blank in its xpos, 'N O'"),
    ],
)
def test_cells_that_teach_nothing_are_refused_with_their_file(treebank, old, new, message):
    treebank.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(FormatError, match=message):
        MorphologicalTagger(folds=0).fit(treebank)


def test_a_treebank_without_tags_is_refused():
    with pytest.raises(FormatError, match="there is nothing to learn: upos, xpos, feats are empty"):
        MorphologicalTagger().fit(untagged(KNOWN))


def test_the_shell_refuses_other_columns(treebank, tmp_path, capsys):
    assert run(["tag", "train", str(treebank), str(tmp_path / "model"), "--conllu", "lemma"]) != 0
    assert "columns must be 'auto' or some of upos, xpos, feats" in capsys.readouterr().err
