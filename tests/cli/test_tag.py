"""gristmill tag: from files to files."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

import gristmill as gm
from gristmill.apps import columns
from gristmill.apps.learning import LearningInterrupted, learn
from gristmill.apps.tagging import tagger as tagger_module
from gristmill.apps.tagging.chunks import SCHEMES
from gristmill.apps.tagging.scores import score_chunks
from gristmill.apps.tagging.tagger import Tagger
from gristmill.cli import run
from gristmill.machines.formats import write
from tests.across.interrupting import interrupt
from tests.apps.tagging.chunked_sentences import plain, sentences, spelled, tags_of, text_of

KNOWN, NEW = sentences(40), sentences(20, seed=1)
TEXT, BARE = text_of(KNOWN), text_of(plain(KNOWN))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "known").write_text(TEXT, encoding="utf-8")
    (tmp_path / "new").write_text(text_of(NEW), encoding="utf-8")
    (tmp_path / "bare").write_text(BARE, encoding="utf-8")
    (tmp_path / "empty").write_text("")
    (tmp_path / "uneven").write_text("the D B-NP\nmill N\n")
    (tmp_path / "latin").write_bytes(b"the D B-NP\nM\xfchle N I-NP\n")
    return tmp_path


@pytest.fixture
def model(files):
    assert call("train", files / "known", files / "model", "-q", "-C", 1, "--epochs", 30) == 0
    return files / "model"


def call(*arguments):
    return run(["tag", *map(str, arguments)])


def feed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def out_of(capsys):
    return capsys.readouterr().out


# --- train ------------------------------------------------------------------------------------------------------------


def test_good_defaults_need_no_options(files, capsys):
    assert call("train", files / "known", files / "model") == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "gristmill: 40 sentences, 272 tokens, 6 tags; " in said.err
    assert Tagger.load(files / "model").machine_ == Tagger().fit(KNOWN).machine_


def test_what_was_learned_is_said_to_machines(files, capsys):
    assert call("train", files / "known", files / "model", "--json", "-q") == 0
    said = capsys.readouterr()
    summary, tagger = json.loads(said.out), Tagger().fit(KNOWN)
    assert said.err == ""
    assert (summary["sentences"], summary["tokens"], summary["columns"]) == (40, 272, 3)
    assert (summary["features"], summary["support"]) == (tagger.n_features_, tagger.machine_.n_support)
    assert (summary["tags"], summary["interrupted"]) == (tagger.tags_, False)


def test_settings_reach_the_tagger(files):
    options = ("--templates", "F:0:0..", "--solver", "smo", "--multiclass", "ovo", "-d", 3, "-C", 0.5, "-j", 2, "-q")
    more = ("--direction", "backward", "--tag-scheme", "bioes")
    assert call("train", files / "known", files / "model", *options, *more) == 0
    expected = Tagger(
        "F:0:0..", solver="smo", multiclass="ovo", degree=3, C=0.5, direction="backward", tag_scheme="BIOES"
    )
    assert Tagger.load(files / "model").machine_ == expected.fit(KNOWN).machine_


def test_templates_come_from_a_file(files):
    templates = "# of CRF++\nU00:%x[0,0]\nU01:%x[-1,1]/%x[0,1]\nB\n"
    (files / "template").write_text(templates)
    assert call("train", files / "known", files / "model", "--templates", f"@{files / 'template'}", "-q") == 0
    assert Tagger.load(files / "model").machine_ == Tagger(templates).fit(KNOWN).machine_


def test_files_may_be_standard_input_and_output(files, monkeypatch, capsysbinary):
    feed(monkeypatch, TEXT.encode())
    assert call("train", "-", "-", "-q") == 0
    trained = capsysbinary.readouterr().out
    feed(monkeypatch, trained)
    assert call("run", "-", files / "bare") == 0
    expected = capsysbinary.readouterr().out
    (files / "model").write_bytes(trained)
    feed(monkeypatch, BARE.encode())
    assert call("run", files / "model", "-", "-o", "-") == 0
    assert capsysbinary.readouterr().out == expected


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_an_interrupted_machine_is_kept(files, monkeypatch, capsys, multiclass):
    def stopped(*data, **options):
        raise LearningInterrupted(learn(*data, **options))

    monkeypatch.setattr(tagger_module, "learn", stopped)
    assert call("train", files / "known", files / "model", "--multiclass", multiclass, "--json") == 130
    said = capsys.readouterr()
    assert json.loads(said.out)["interrupted"] is True
    assert f"interrupted; what was learned so far is in {files / 'model'}" in said.err
    assert Tagger.load(files / "model").tag([("the", "D")]) == ["B-NP"]


def test_ctrl_c_keeps_what_was_learned(files):
    (files / "many").write_text(text_of(sentences(300)), encoding="utf-8")
    said = interrupt("tag", "train", files / "many", files / "model", "--multiclass", "ovo", "--epochs", 10_000_000)
    assert f"interrupted; what was learned so far is in {files / 'model'}" in said
    assert len(Tagger.load(files / "model").tag(plain(NEW)[0])) == len(NEW[0])


# --- run --------------------------------------------------------------------------------------------------------------


def test_the_tag_is_one_column_more(files, model):
    assert call("run", model, files / "bare", "-o", files / "out", "-j", 2) == 0
    assert (files / "out").read_text(encoding="utf-8") == TEXT


def test_lines_stay_as_they_are(files, model, capsysbinary):
    (files / "odd").write_bytes(b"\xef\xbb\xbf the\tD\tx \r\n\n  \nmill  N x\nEOS\n.\t. x")
    assert call("run", model, files / "odd") == 0
    expected = b" the\tD\tx\tB-NP\r\n\n  \nmill  N x B-NP\nEOS\n.\t. x B-NP\n"
    assert capsysbinary.readouterr().out == expected


def test_every_engine_writes_the_same(files, model, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK", 100)
    found = set()
    for engine in ("direct", "inverted", "expanded", "split", "auto"):
        assert call("run", model, files / "new", "-o", files / "out", "--engine", engine) == 0
        found.add((files / "out").read_bytes())
    assert len(found) == 1


def test_an_encoding_is_kept(files):
    latin = text_of([[("Mühle", "N", "B-NP"), ("mahlt", "V", "O")]]).encode("latin-1")
    (files / "latin").write_bytes(latin)
    assert call("train", files / "latin", files / "model", "--encoding", "latin-1", "-q") == 0
    assert call("run", files / "model", files / "latin", "-o", files / "out") == 0
    assert "Mühle N B-NP B-NP" in (files / "out").read_bytes().decode("latin-1")


def test_only_tabs_separate_columns_if_asked(files):
    (files / "tabs").write_text("New York\tB-LOC\nis\tO\n")
    assert call("train", files / "tabs", files / "model", "--tabs", "--templates", "F:0:0", "-C", 1, "-q") == 0
    assert call("run", files / "model", files / "tabs", "--tabs", "-o", files / "out") == 0
    assert (files / "out").read_text() == "New York\tB-LOC\tB-LOC\nis\tO\tO\n"


def test_chunks_are_shown_in_brackets(files, model, capsys):
    (files / "few").write_text("the D\nmill N\ngrinds V\n. .\n\nwind N\n")
    assert call("run", model, files / "few", "--pretty") == 0
    assert out_of(capsys) == "[NP the mill ] [VP grinds ] .\n[NP wind ]\n"


def test_other_tags_are_shown_behind_words(files, capsys):
    (files / "kinds").write_text("the D\nmill N\n")
    assert call("train", files / "kinds", files / "model", "-C", 1, "-q") == 0
    assert call("run", files / "model", files / "kinds", "--pretty") == 0
    assert out_of(capsys) == "the/D mill/N\n"


def test_a_model_of_yamcha_is_run(files, model, capsysbinary):
    tagger = Tagger("F:-1..1:0.. T:-1", multiclass="ovo", C=1.0, epochs=30).fit(KNOWN)
    write(tagger.machine_, files / "yamcha", "yamcha")
    assert call("run", files / "yamcha", files / "bare") == 0
    assert capsysbinary.readouterr().out.decode() == TEXT


# --- evaluate ---------------------------------------------------------------------------------------------------------


def scores(model):
    return score_chunks(tags_of(NEW), Tagger.load(model).tag(plain(NEW)))


@pytest.mark.parametrize("block", [60, 1 << 20])
def test_a_model_is_judged(files, model, capsys, monkeypatch, block):
    monkeypatch.setattr(columns, "BLOCK", block)
    assert call("evaluate", model, files / "new", "--json") == 0
    assert json.loads(out_of(capsys)) == json.loads(json.dumps(scores(model).as_dict()))


@pytest.mark.parametrize("block", [60, 1 << 20])
def test_two_columns_are_compared(files, model, capsys, monkeypatch, block):
    assert call("run", model, files / "new", "-o", files / "tagged") == 0
    monkeypatch.setattr(columns, "BLOCK", block)
    assert call("evaluate", files / "tagged", "--conlleval") == 0
    assert out_of(capsys) == scores(model).conlleval()


def test_a_table_is_shown(files, model, capsys):
    assert call("evaluate", model, files / "known") == 0
    shown = [line.split() for line in out_of(capsys).splitlines()]
    count = str(sum(tag.startswith("B-") for tags in tags_of(KNOWN) for tag in tags))
    assert ["all", "100.00", "100.00", "100.00", count, count, count] in shown
    assert "272 tokens, 100.00 % of them with the right tag".split() in shown


def test_tags_may_be_types_of_tokens(files, capsys):
    (files / "two").write_text("a B-X B-X\nb I-X O\n")
    assert call("evaluate", files / "two", "--raw", "--json") == 0
    raw = json.loads(out_of(capsys))
    assert [score["type"] for score in raw["types"]] == ["B-X", "I-X"]
    assert raw["total"]["correct"] == 1
    assert call("evaluate", files / "two", "--json") == 0
    assert json.loads(out_of(capsys))["total"]["correct"] == 0


def test_an_empty_file_has_no_scores(files, model, capsys):
    for arguments in ((files / "empty",), (model, files / "empty")):
        assert call("evaluate", *arguments, "--json") == 0
        assert json.loads(out_of(capsys))["tokens"] == 0
    assert call("run", model, files / "empty") == 0
    assert out_of(capsys) == ""


# --- convert ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunks_are_spelled_in_another_way_and_back(files, scheme, monkeypatch, capsysbinary):
    monkeypatch.setattr(columns, "BLOCK", 70)
    assert call("convert", files / "known", "--tag-scheme", scheme.lower(), "-o", files / "other") == 0
    assert (files / "other").read_text(encoding="utf-8") == text_of(spelled(KNOWN, scheme))
    assert call("convert", files / "other", "--tag-scheme", "IOB2") == 0
    assert capsysbinary.readouterr().out.decode() == TEXT


def test_an_empty_file_is_converted(files, capsysbinary):
    assert call("convert", files / "empty", "--tag-scheme", "IOB1") == 0
    assert capsysbinary.readouterr().out == b""


# --- models and errors ------------------------------------------------------------------------------------------------


def test_a_model_is_inspected(model, capsys):
    assert run(["inspect", str(model), "--json"]) == 0
    shown = json.loads(out_of(capsys))
    assert "tagger" in json.dumps(shown)
    assert run(["inspect", str(model)]) == 0
    assert "B-NP" in out_of(capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "{}/empty", "{}/m"), "empty: there are no tokens"),
        (("train", "{}/none", "{}/m"), "none: No such file"),
        (("train", "{}/known", "{}/none/m"), "none/m: No such file"),
        (("train", "{}/known", "{}"), "Is a directory"),
        (("train", "{}/known", "-", "--json"), "standard output has the model"),
        (("train", "{}/known", "{}/m", "--templates", "F:0"), "expected F:rows:columns"),
        (("train", "{}/known", "{}/m", "--templates", "F:0:2"), "there is no column 2"),
        (("train", "{}/known", "{}/m", "--templates", "F:0:0 T:0"), "is not known when a token is tagged"),
        (("train", "{}/known", "{}/m", "-C", "-1"), "C"),
        (("train", "{}/known", "{}/m", "--solver", "smo", "--multiclass", "native"), "use 'ovr' or 'ovo'"),
        (("train", "{}/uneven", "{}/m"), "uneven:2:7: "),
        (("train", "{}/latin", "{}/m"), "latin:2:2: "),
        (("train", "{}/known", "{}/m", "--encoding", "utf-16"), "convert them to UTF-8"),
        (("run", "{}/known", "{}/new"), "known"),
        (("run", "{}/other", "{}/new"), "other: expected a tagger, got a machine on rows: use `gristmill predict`"),
        (("run", "-", "-"), "only one file can be standard input"),
        (("run", "{}/model", "{}/uneven"), "uneven:2:7: "),
        (("run", "{}/model", "{}/latin"), "latin:2:2: "),
        (("run", "{}/model", "{}/words"), "words: tokens have 1 column; the tagger looks at 2"),
        (
            ("evaluate", "{}/model", "{}/bare"),
            "bare: tokens have 2 columns with the tag; the tagger looks at 2 in addition",
        ),
        (("evaluate", "{}/words"), "words: expected 2 columns or more, got 1"),
        (("evaluate", "-", "-"), "only one file can be standard input"),
        (("evaluate", "{}/model", "{}/new", "{}/new"), "expected FILE, or MODEL and FILE"),
        (("convert", "{}/kinds", "--tag-scheme", "IOB1"), "kinds: 'D' is not the tag of a chunk"),
        (("convert", "{}/known", "--tag-scheme", "XML"), "XML"),
    ],
)
def test_what_cannot_be_done_is_said(files, model, capsys, arguments, message):
    (files / "words").write_text("the\nmill\n")
    (files / "kinds").write_text("the D\nmill N\n")
    gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=["no", "yes"]).save(files / "other")
    assert call(*(argument.replace("{}", str(files)) for argument in arguments)) in (1, 2)
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not (files / "m").exists()


def test_best_tags_are_one_column_more(folder_of_columns, capsys):
    train, model, new = (str(folder_of_columns / name) for name in ("train", "model", "new"))
    assert run(["tag", "train", train, model, "-q"]) == 0
    assert run(["tag", "run", model, new]) == 0
    plain = capsys.readouterr().out.split("\n")
    assert run(["tag", "run", model, new, "--best", "2"]) == 0
    found = capsys.readouterr().out.split("\n")
    assert [line.rpartition(" ")[0] for line in found] == plain
    tagger = Tagger.load(model)
    expected = [token for sentence in tagger.candidates([["a"], ["b", "c"]]) for token in sentence]
    shown = [line.rpartition(" ")[2].split(",") for line in found if line]
    assert shown == [[f"{tag}={score:.4g}" for tag, score in token] for token in expected]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--best", "2", "--pretty"), "give one of them"),
        (("--confidence", "--pretty"), "--confidence writes columns, --pretty sentences"),
        (("--best", "0"), "0 is not in the range"),
    ],
)
def test_best_tags_are_for_columns(folder_of_columns, capsys, arguments, message):
    train, model, new = (str(folder_of_columns / name) for name in ("train", "model", "new"))
    assert run(["tag", "train", train, model, "-q"]) == 0
    assert run(["tag", "run", model, new, *arguments]) == 2
    assert message in capsys.readouterr().err


# --- constraints and probabilities ------------------------------------------------------------------------------------


def test_constraints_are_the_models_unless_a_run_has_others(files, capsys):
    weak = ("--templates", "F:0:0:suffix:1", "-q")
    assert call("train", files / "known", files / "ruled", *weak, "--constraints", "chunks") == 0
    assert call("train", files / "known", files / "free", *weak) == 0
    ways = [("ruled",), ("free", "--constraints", "chunks"), ("free",), ("ruled", "--constraints", "none")]
    written, judged = [], []
    for model, *options in ways:
        assert call("run", files / model, files / "new", *options) == 0
        written.append(out_of(capsys))
        assert call("evaluate", files / model, files / "new", *options) == 0
        judged.append(out_of(capsys))
    assert written[0] == written[1] != written[2] == written[3]
    assert judged[0] == judged[1] != judged[2] == judged[3]


def test_tags_that_are_not_those_of_chunks_have_no_constraints(folder_of_columns, capsys):
    train, model, new = (str(folder_of_columns / name) for name in ("train", "model", "new"))
    assert run(["tag", "train", train, model, "-q", "--constraints", "chunks"]) == 1
    assert run(["tag", "train", train, model, "-q"]) == 0
    assert run(["tag", "run", model, new, "--constraints", "chunks"]) == 1
    assert capsys.readouterr().err.count("constraints='chunks' is for tags of chunks") == 2


@pytest.mark.parametrize("dev", [None, "0.25", "new"])
def test_probabilities_come_from_folds_or_from_other_sentences(files, capsys, dev):
    options = () if dev is None else ("--dev", files / dev if dev == "new" else dev)
    assert call("train", files / "known", files / "model", "--probability", "-q", *options) == 0
    expected = Tagger.load(files / "model")
    slope = expected.machine_.probability.slope
    expected.calibrate(*((NEW,) if dev == "new" else (KNOWN,)), folds=0 if dev == "new" else 5)
    assert slope == expected.machine_.probability.slope
    capsys.readouterr()
    assert call("run", files / "model", files / "bare", "--confidence") == 0
    lines = [line.split() for line in out_of(capsys).splitlines() if line]
    sure = [share for sentence in expected.confidences(plain(KNOWN)) for share in sentence]
    assert [line[3] for line in lines] == [f"{share:.4f}" for share in sure]
    assert call("run", files / "model", files / "bare", "--confidence", "--best", 2) == 0
    again = [line.split() for line in out_of(capsys).splitlines() if line]
    assert [line[:4] for line in again] == lines
    assert all(line[4].startswith(f"{line[2]}={float(line[4].split(',')[0].split('=')[1]):.4g},") for line in again)


def test_a_model_without_probabilities_says_how_to_have_them(model, files, capsys):
    assert call("run", model, files / "new", "--confidence") == 1
    assert "use `gristmill tag train --probability`" in capsys.readouterr().err


@pytest.mark.parametrize("option", [("--constraints", "chunks"), ("--probability",), ("--keep-examples",)])
def test_several_columns_have_none_of_them(files, capsys, option):
    (files / "some.conllu").write_text("1\ta\ta\tX\tY\t_\t_\t_\t_\t_\n2\tb\tb\tY\tX\t_\t_\t_\t_\t_\n\n")
    assert call("train", files / "some.conllu", files / "model", "--conllu", "all", *option) == 2
    assert f"{option[0]} is for one column at a time, as in --conllu upos" in capsys.readouterr().err


def test_one_column_of_conllu_has_probabilities(files, capsys):
    word = "{0}\t{1}\t_\t{2}\t_\t_\t_\t_\t_\t_\n"
    text = "".join(word.format(1, a, "X") + word.format(2, b, "Y") + "\n" for a, b in ("ab", "cd", "ad", "cb", "ef"))
    (files / "some.conllu").write_text(text)
    for options in ((), ("--dev", files / "some.conllu")):
        arguments = (files / "some.conllu", files / "model", "--conllu", "upos", "--probability", "-q")
        assert call("train", *arguments, *options) == 0
        assert Tagger.load(files / "model").machine_.probability.slope[0] > 0
    assert call("run", files / "model", files / "some.conllu", "--confidence") == 2
    assert "CoNLL-U has no column for --confidence" in capsys.readouterr().err


@pytest.fixture
def folder_of_columns(tmp_path):
    (tmp_path / "train").write_text("a A\nb B\nc C\n\n" * 5 + "b B\na C\n\n")
    (tmp_path / "new").write_text("a\n\nb\nc\n")
    return tmp_path
