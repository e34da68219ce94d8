"""--dev of commands that train apps: parameters that are best on a file, or on a part of the training data."""

from __future__ import annotations

import re

import pytest

import gristmill as gm
from gristmill import _core
from gristmill.apps import DependencyParser, MorphologicalTagger, Segmenter, Tagger
from gristmill.apps.choosing import choose, learning_choices, system_choices
from gristmill.apps.columns import columns_of, split_columns
from gristmill.apps.parsing.cross_filling import split_conllu
from gristmill.apps.parsing.treebank import read_conllu
from gristmill.apps.segmentation.files import segmented_blocks, split_segmented
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import crossing, sentences, text_of

KNOWN, DEV = [*sentences(30), *crossing(6)], [*sentences(10, seed=1), *crossing(3, seed=1)]


@pytest.fixture
def folder(tmp_path):
    for name, words in (("train", KNOWN), ("dev", DEV)):
        (tmp_path / f"{name}.conllu").write_text(text_of(words))
        lines = ("".join(f"{word.form} {word.upos}\n" for word in sentence) + "\n" for sentence in words)
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return tmp_path


def call(folder, *arguments):
    named = (str(folder / one) if re.match(r"(train|dev|model)\b", one) else one for one in arguments)
    return run([arguments[0], "train", *[*named][1:]])


def chosen(app):
    return {name: value for name, value in app.get_params().items() if name in ("C", "degree", "epochs", "algorithm")}


def test_a_tagger_gets_the_parameters_that_are_best_on_the_file(folder, capsys):
    assert call(folder, "tag", "train.txt", "model", "--dev", "dev.txt") == 0
    tagger = Tagger()
    known = [[(word.form, word.upos) for word in sentence] for sentence in KNOWN]
    dev = [[(word.form, word.upos) for word in sentence] for sentence in DEV]
    trials = choose(tagger, learning_choices(tagger), lambda: tagger.fit(known).score(dev))
    assert chosen(gm.load(folder / "model")) == chosen(tagger)
    assert gm.load(folder / "model").tag(["the", "mill"]) == tagger.fit(known).tag(["the", "mill"])
    assert capsys.readouterr().err.count("gristmill: C=") == len(trials)


@pytest.mark.parametrize("dev", ["dev.words", "dev.conllu", "0.25"])
def test_a_segmenter_gets_the_parameters_that_are_best_on_the_file_or_share(folder, dev):
    for name, words in (("train", KNOWN), ("dev", DEV)):
        lines = (" ".join(word.form for word in sentence) + "\n" for sentence in words)
        (folder / f"{name}.words").write_text("".join(lines))
    assert call(folder, "segment", "train.words", "model", "--dev", dev, "-q", "--epochs", "2") == 0
    text, segmenter = (folder / "train.words").read_bytes(), Segmenter(epochs=2)
    parts = split_segmented(text, 0.25) if dev == "0.25" else (text, b"".join(segmented_blocks(folder / dev)))

    def score_of_words():
        return segmenter.fit_segmented(parts[0]).evaluate_segmented(parts[1]).main

    choose(segmenter, learning_choices(segmenter, ["epochs"]), score_of_words)
    assert chosen(gm.load(folder / "model")) == chosen(segmenter)
    assert gm.load(folder / "model").words_ == segmenter.fit_segmented(text).words_


def test_segmented_text_is_cut_behind_a_line():
    assert split_segmented(b"a b\nc d\ne f\n", 0.3) == (b"a b\nc d\n", b"e f\n")
    assert split_segmented(b"a b\nc d", 0.99) == (b"a b\n", b"c d\n")
    with pytest.raises(ValueError, match="a single sentence cannot be split"):
        split_segmented(b"a b\n", 0.5)


def test_a_parser_gets_a_system_too(folder):
    assert call(folder, "parse", "train.conllu", "model", "--dev", "dev.conllu", "-q", "--epochs", "2") == 0
    parser = DependencyParser(epochs=2)
    choices = [*system_choices(parser), *learning_choices(parser, ["epochs"])]
    choose(parser, choices, lambda: parser.fit(folder / "train.conllu").score(folder / "dev.conllu"))
    assert chosen(gm.load(folder / "model")) == chosen(parser)


def test_a_share_of_the_training_data_is_held_out_and_then_learned_from_as_well(folder):
    assert call(folder, "tag", "train.conllu", "model", "--conllu", "all", "--dev", "0.25", "-q", "-d", "2") == 0
    text = read_conllu(folder / "train.conllu")
    known, unseen = split_conllu(text, 0.25)
    tagger = MorphologicalTagger()
    choose(tagger, learning_choices(tagger, ["degree"]), lambda: tagger.fit_conllu(known).score(unseen))
    tagger.fit_conllu(text)
    loaded = gm.load(folder / "model")
    assert chosen(loaded) == chosen(tagger)
    assert loaded.machine_["upos"].feature_names == tagger.machine_["upos"].feature_names


def test_what_options_set_stays(folder, capsys):
    options = ("-C", "0.5", "-d", "1", "--epochs", "3")
    assert call(folder, "tag", "train.txt", "model", "--dev", "0.5", *options) == 0
    assert chosen(gm.load(folder / "model")) == {"C": 0.5, "degree": 1, "epochs": 3}
    assert call(folder, "parse", "train.conllu", "model", "--dev", "0.5", *options, "-a", "arc-standard") == 0
    assert chosen(gm.load(folder / "model")) == {"algorithm": "arc-standard", "C": 0.5, "degree": 1, "epochs": 3}


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.99])
def test_data_is_cut_behind_a_sentence(share):
    text = read_conllu_of(KNOWN)
    parts = split_conllu(text, share)
    assert [form for part in parts for form in part.columns.column(0)] == text.columns.column(0)
    columns = columns_of([[(word.form, word.upos) for word in sentence] for sentence in KNOWN])
    own = split_columns(columns, share)
    assert [tag for part in own for tag in part.column(1)] == columns.column(1)
    for one, other in (parts[0].columns, own[0]), (parts[1].columns, own[1]):
        assert one.starts().tolist() == other.starts().tolist()
        assert len(one) > 0
    assert abs(len(own[1]) - share * len(KNOWN)) <= 1


def read_conllu_of(words):
    return _core.Conllu.parse(text_of(words).encode())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dev", "1.5"), "1.5 is no share: it must lie between 0 and 1"),
        (("--dev", "0"), "0 is no share: it must lie between 0 and 1"),
        (("--dev", "none"), "none"),
    ],
)
def test_what_is_no_development_data_is_refused(folder, capsys, arguments, message):
    assert call(folder, "tag", "train.txt", "model", *arguments) != 0
    assert message in capsys.readouterr().err
    assert not (folder / "model").exists()


def test_a_tagger_that_knows_the_held_out_part_is_refused(folder, capsys):
    assert call(folder, "tag", "train.conllu", "model-tags", "--conllu", "all", "-q", "--epochs", "1") == 0
    assert call(folder, "parse", "train.conllu", "model", "--tagger", "model-tags", "--dev", "0.2") == 2
    assert "--dev takes a file, not a share" in capsys.readouterr().err


def test_a_single_sentence_cannot_be_split(folder, capsys):
    (folder / "train.txt").write_text("a A\nb B\n")
    assert call(folder, "tag", "train.txt", "model", "--dev", "0.5") == 1
    assert "a single sentence cannot be split" in capsys.readouterr().err


def test_a_parser_that_skips_crossing_arcs_names_the_remedy(folder, capsys):
    assert call(folder, "parse", "train.conllu", "model", "--epochs", "1") == 0
    assert "(6 skipped, arcs cross: use --pseudo-projective head, or -a swap)" in capsys.readouterr().err
    assert call(folder, "parse", "train.conllu", "model", "--epochs", "1", "-a", "swap") == 0
    assert "skipped" not in capsys.readouterr().err
