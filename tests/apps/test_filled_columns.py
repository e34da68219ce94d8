"""Columns that a model learned from and a run leaves empty: a warning that names them, once."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import pytest

import gristmill as gm
from gristmill.apps import DependencyParser, Tagger, Word
from gristmill.apps.base import with_provenance
from gristmill.apps.parsing import treebank
from gristmill.apps.parsing.treebank import read_trees
from gristmill.base.errors import FormatError
from gristmill.base.warnings import EmptyColumnsWarning
from gristmill.cli import run
from gristmill.machines.formats import read_model
from tests.apps.treebank_files import english, japanese

COLUMNS = {"LEMMA": 2, "UPOS": 3, "XPOS": 4, "FEATS": 5}
TEMPLATES = {"LEMMA": "s0.lemma", "UPOS": "s0.upos", "XPOS": "s1.xpos/s0.form", "FEATS": "b0.feats:parts"}


def text_of(sentences):
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


def with_features(sentences):
    """Nouns, which are two words in five or more, have features."""
    return [[line.replace("\tNN\t_", "\tNN\tNumber=Sing") for line in lines] for lines in sentences]


def without(text, *columns):
    """The text with columns that are empty."""
    lines = [line.split("\t") for line in text.split("\n")]
    for cells in lines:
        for column in columns if len(cells) == 10 else ():
            cells[COLUMNS[column]] = "_"
    return "\n".join(map("\t".join, lines))


KNOWN, NEW = text_of(with_features(english(40, 0))), text_of(with_features(english(20, 1)))


@pytest.fixture
def write(tmp_path):
    def written(text, name="file"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    path = tmp_path_factory.mktemp("known") / "file"
    path.write_text(KNOWN)
    return DependencyParser(epochs=2).fit(path)


@pytest.fixture
def model(parser, tmp_path):
    """A file, so that every test has a parser that has not warned yet."""
    parser.save(tmp_path / "model")
    return tmp_path / "model"


def named(message):
    return [column for column in COLUMNS if column in message.partition(" but ")[0]]


def warned(call):
    """The columns that are named in the warnings of a call, and its answer."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        answer = call()
    assert all(one.category is EmptyColumnsWarning for one in found)
    return [named(str(one.message)) for one in found], answer


# --- parsers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [["LEMMA"], ["FEATS"], ["LEMMA", "FEATS"], ["LEMMA", "UPOS", "XPOS", "FEATS"]])
def test_a_parser_names_the_columns_that_a_file_leaves_empty(model, write, tmp_path, missing):
    parser, path = DependencyParser.load(model), write(without(NEW, *missing))
    assert warned(lambda: parser.parse_file(path, tmp_path / "out"))[0] == [missing]
    assert warned(lambda: parser.parse_file(path, tmp_path / "out"))[0] == []  # once


def test_what_is_there_is_not_warned_of(model, write, tmp_path):
    assert warned(lambda: DependencyParser.load(model).parse_file(write(NEW), tmp_path / "out"))[0] == []


def test_columns_that_training_left_empty_may_be_empty(write, tmp_path):
    parser = DependencyParser(epochs=2).fit(write(without(KNOWN, "LEMMA", "FEATS")))
    assert warned(lambda: parser.parse_file(write(without(NEW, "LEMMA", "FEATS")), tmp_path / "out"))[0] == []
    assert warned(lambda: parser.parse_file(write(without(NEW, *COLUMNS)), tmp_path / "out"))[0] == [["UPOS", "XPOS"]]


@pytest.mark.parametrize("column", COLUMNS)
def test_columns_that_templates_do_not_look_at_may_be_empty(write, tmp_path, column):
    parser = DependencyParser(templates=f"{{s0,s1}}.form {TEMPLATES[column]}", epochs=2).fit(write(KNOWN))
    others = [name for name in COLUMNS if name != column]
    assert warned(lambda: parser.parse_file(write(without(NEW, *others)), tmp_path / "out"))[0] == []
    assert warned(lambda: parser.parse_file(write(without(NEW, *COLUMNS)), tmp_path / "out"))[0] == [[column]]


def test_a_column_that_machines_are_split_by_counts(write, tmp_path):
    parser = DependencyParser(templates="{s0,s1,b0}.form", split="b0.xpos", split_threshold=5).fit(write(KNOWN))
    assert warned(lambda: parser.parse_file(write(without(NEW, *COLUMNS)), tmp_path / "out"))[0] == [["XPOS"]]


@pytest.mark.parametrize("algorithm", ["head-final", "cascaded"])
def test_parsers_of_units_know_the_columns_of_words(write, tmp_path, algorithm):
    parser = DependencyParser(algorithm, epochs=2).fit(write(text_of(japanese(40, 0))))
    new = text_of(japanese(10, 1))
    assert warned(lambda: parser.parse_file(write(new), tmp_path / "out"))[0] == []
    bare = write(without(new, "UPOS", "XPOS"))
    assert warned(lambda: parser.parse_file(bare, tmp_path / "out"))[0] == [["UPOS", "XPOS"]]


def test_a_rare_column_is_not_one_to_learn_from(write, tmp_path):
    sentences = with_features(english(1, 0)) + english(40, 1)
    parser = DependencyParser(epochs=2).fit(write(text_of(sentences)))
    assert parser.engine_.model.filled["feats"] < 0.1
    assert warned(lambda: parser.parse_file(write(without(NEW, "FEATS")), tmp_path / "out"))[0] == []


def test_sentences_from_python_are_looked_at_too(model):
    bare = [("the", "DET"), ("cat", "NOUN"), ("sees", "VERB")]
    for call in (lambda one: one.parse(bare), lambda one: one.parse([bare]), lambda one: one.explain(bare)):
        parser = DependencyParser.load(model)
        assert warned(lambda: call(parser))[0] == [["LEMMA", "XPOS"]]  # noqa: B023 - called at once
        assert warned(lambda: call(parser))[0] == []  # noqa: B023


def test_a_few_words_without_features_are_nothing_unusual(model):
    full = {"lemma": "the", "upos": "DET", "xpos": "DT"}  # determiners have none
    parser = DependencyParser.load(model)
    assert warned(lambda: parser.parse([[Word("the", **full)] * 5]))[0] == []
    assert warned(lambda: parser.parse([[Word("the", **full)] * 200]))[0] == [["FEATS"]]


def test_the_warning_says_how_often_a_column_was_filled_and_what_to_do(model, write, tmp_path):
    parser, path = DependencyParser.load(model), write(without(NEW, "LEMMA", "FEATS"))
    message = (
        r"the parser learned from LEMMA \(filled in 100 % of its training words\) and FEATS \(filled in \d\d % of its "
        r"training words\), but these columns are empty in \(nearly\) all of the words given \(\d+\): "
        "expect worse answers. Fill in what is missing .*--tagger.*, or train a parser on a treebank in which it is "
        "empty too"
    )
    with pytest.warns(EmptyColumnsWarning, match=message):
        parser.parse_file(path, tmp_path / "out")


def test_a_file_is_warned_of_once_however_many_blocks_it_has(model, write, tmp_path, monkeypatch):
    monkeypatch.setattr(treebank, "BLOCK", 200)
    parser, path = DependencyParser.load(model), write(without(NEW, "LEMMA"))
    assert sum(1 for _ in treebank.conllu_blocks(path)) > 3
    assert warned(lambda: parser.parse_file(path, tmp_path / "out"))[0] == [["LEMMA"]]


def test_files_of_older_releases_are_known_by_the_names_of_their_features(parser, write, tmp_path):
    first = parser.machine_["all"]
    old = {name: value for name, value in first.provenance["parser"].items() if name != "filled"}
    gm.Machines({"all": with_provenance(first, {"parser": old})}).save(tmp_path / "old")
    again, path = DependencyParser.load(tmp_path / "old"), write(without(NEW, "LEMMA", "FEATS"))
    with pytest.warns(EmptyColumnsWarning, match="learned from LEMMA and FEATS, but these columns are empty"):
        again.parse_file(path, tmp_path / "out")
    again = DependencyParser.load(tmp_path / "old")
    assert warned(lambda: again.parse_file(write(NEW), tmp_path / "out"))[0] == []


@pytest.mark.parametrize("filled", [{"lemma": 2.0}, {"lemma": "all"}, {"shoes": 0.5}, [1.0]])
def test_shares_that_are_none_are_refused(parser, tmp_path, filled):
    first = parser.machine_["all"]
    known = first.provenance["parser"] | {"filled": filled}
    gm.Machines({"all": with_provenance(first, {"parser": known})}).save(tmp_path / "model")
    with pytest.raises(FormatError, match="not a sound parser: shares"):
        DependencyParser.load(tmp_path / "model")


# --- the command line -------------------------------------------------------------------------------------------------


def test_parse_run_and_evaluate_warn_once(model, write, capsys):
    path = write(without(NEW, "LEMMA", "FEATS"))
    for command in ("run", "evaluate"):
        assert run(["parse", command, str(model), str(path)]) == 0
        said = capsys.readouterr().err
        assert said.count("gristmill: warning: ") == 1
        assert named(said) == ["LEMMA", "FEATS"]
    assert run(["parse", "evaluate", str(model), str(write(NEW))]) == 0
    assert capsys.readouterr().err == ""


def test_plain_text_without_a_tagger_is_warned_of(model, write, tmp_path, capsys):
    text = str(write("the cat sees dog\n"))
    assert run(["parse", "run", str(model), text, "--text"]) == 0
    assert named(capsys.readouterr().err) == ["LEMMA", "UPOS", "XPOS"]
    Tagger(epochs=2).fit_conllu(write(KNOWN, "known"), "upos").save(tmp_path / "upos")
    Tagger(epochs=2).fit_conllu(write(KNOWN, "known"), "xpos").save(tmp_path / "xpos")
    taggers = ["--tagger", str(tmp_path / "upos"), "--tagger", str(tmp_path / "xpos")]
    assert run(["parse", "run", str(model), text, "--text", *taggers]) == 0
    assert named(capsys.readouterr().err) == ["LEMMA"]


def test_explain_and_report_warn_too(model, write, tmp_path, capsys):
    path = str(write(without(NEW, "LEMMA")))
    assert run(["explain", str(model), path, "--json"]) == 0
    assert named(capsys.readouterr().err) == ["LEMMA"]
    assert run(["report", str(model), "--data", path, "-o", str(tmp_path / "page.html")]) == 0
    assert named(capsys.readouterr().err) == ["LEMMA"]


# --- taggers ----------------------------------------------------------------------------------------------------------


CHUNKS = [[("the", "DT", "B"), ("cat", "NN", "I"), ("sleeps", "VB", "O")], [("dogs", "NN", "B"), ("eat", "VB", "O")]]


def spelled(sentences):
    return "".join("".join(" ".join(token) + "\n" for token in sentence) + "\n" for sentence in sentences)


def blanked(sentences, column, cell):
    return [[(*token[:column], cell, *token[column + 1 :]) for token in sentence] for sentence in sentences]


@pytest.mark.parametrize("cell", ["_", ""])
def test_a_tagger_names_the_columns_that_are_empty(cell):
    tagger = Tagger("F:-1..1:0.. T:-1").fit(CHUNKS)
    bare = [[token[:2] for token in sentence] for sentence in blanked(CHUNKS, 1, cell)]
    message = r"the tagger learned from column 1 \(filled in 100 % of its training tokens\), but this column is empty"
    with pytest.warns(EmptyColumnsWarning, match=message):
        tagger.tag(bare)
    tagger.tag(bare)  # once


def test_a_tagger_that_learned_from_nothing_in_a_column_takes_nothing_there():
    bare = blanked(CHUNKS, 1, "_")
    Tagger("F:-1..1:0.. T:-1").fit(bare).evaluate(bare)
    Tagger("F:-1..1:0 T:-1").fit(CHUNKS).evaluate(bare)  # or did not look at it


def test_tag_run_and_evaluate_warn_once(write, tmp_path, capsys):
    Tagger("F:-1..1:0.. T:-1").fit(CHUNKS).save(tmp_path / "model")
    path = str(write(spelled(blanked(CHUNKS, 1, "_"))))
    for command in ("run", "evaluate"):
        assert run(["tag", command, str(tmp_path / "model"), path]) == 0
        said = capsys.readouterr().err
        assert said.count("gristmill: warning: ") == 1
        assert "column 1" in said


@pytest.mark.parametrize("templates", ["F:-1..1:0.. T:-1", "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[-1,1]\nB\n"])
@pytest.mark.parametrize("filled", [True, False])
def test_taggers_of_older_releases_are_known_by_the_names_of_their_features(tmp_path, templates, filled):
    known = CHUNKS * 20 if filled else blanked(CHUNKS * 20, 1, "_")
    machine = Tagger(templates).fit(known).machine_
    old = {name: value for name, value in machine.provenance["tagger"].items() if name != "filled"}
    with_provenance(machine, {"tagger": old}).save(tmp_path / "old")
    tagger, bare = Tagger.load(tmp_path / "old"), blanked(CHUNKS * 20, 1, "_")
    found, _ = warned(lambda: tagger.evaluate(bare))
    assert len(found) == filled


def test_the_share_of_filled_cells_is_in_the_file(parser, tmp_path):
    shares = parser.engine_.model.filled
    assert shares["form"] == shares["lemma"] == shares["upos"] == 1.0
    assert 0.3 < shares["feats"] < 0.7
    parser.save(tmp_path / "model")
    again = read_model(tmp_path / "model")["all"].provenance["parser"]["filled"]
    assert again == json.loads(json.dumps(shares))


def test_the_columns_of_a_treebank_of_python_are_counted():
    words = [Word("cats", upos="NOUN", head=2, deprel="nsubj"), Word("sleep", upos="VERB", head=0, deprel="root")]
    turned = [replace(words[1], head=0), replace(words[0], head=1, deprel="obj")]
    parser = DependencyParser().fit([words, turned])
    assert parser.engine_.model.filled == {"form": 1.0, "lemma": 0.0, "upos": 1.0, "xpos": 0.0, "feats": 0.0}
    assert warned(lambda: parser.parse([[replace(word, upos="_") for word in words]]))[0] == [["UPOS"]]


def test_scores_warn_as_parsing_does(model, write):
    parser, path = DependencyParser.load(model), write(without(NEW, "LEMMA"))
    found, scores = warned(lambda: parser.evaluate(path))
    assert found == [["LEMMA"]]
    assert scores.las.gold == read_trees(path).columns.tokens
