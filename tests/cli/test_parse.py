"""gristmill parse: from files to files."""

from __future__ import annotations

import gzip
import io
import json
import sys
from types import SimpleNamespace

import pytest

from gristmill.apps import DependencyParser
from gristmill.apps.learning import LearningInterrupted, learn
from gristmill.apps.parsing import learning
from gristmill.apps.parsing import treebank as treebank_module
from gristmill.apps.parsing.model import MALT_NAMES
from gristmill.apps.parsing.pseudo_projective import SCHEMES
from gristmill.apps.parsing.scores import score_conllu, score_files
from gristmill.apps.parsing.tree import DependencyTree
from gristmill.cli import run
from gristmill.scoring.engines import ENGINES
from tests.across.interrupting import interrupt
from tests.apps.parsing.small_treebanks import ALGORITHMS, MALT_MODEL, crossing, head_final, plain, sentences, text_of

KNOWN, NEW = sentences(30), sentences(20, seed=1)
TEXT, BARE = text_of(KNOWN), text_of(plain(KNOWN))


@pytest.fixture
def files(tmp_path):
    contents = {
        "known": TEXT,
        "new": text_of(NEW),
        "bare": BARE,
        "empty": "",
        "comments": "# nothing\n\n",
        "ja": text_of(head_final()),
        "crossing": text_of([*KNOWN, *crossing()]),
        "templates": "# ours\ns0.{form,upos}\nb0.upos  s1.upos\n",
        "malt.xml": MALT_MODEL,
        "malt.par": "POS\tSTACK\nPOS\tINPUT\nDEP\tSTACK\t0\t0\t0\t-1\nLEX\tINPUT\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


@pytest.fixture
def model(files):
    assert call("train", files / "known", files / "model", "-q", "-C", 1, "--epochs", 30) == 0
    return files / "model"


def call(*arguments):
    return run(["parse", *map(str, arguments)])


def feed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def out_of(capsys):
    return capsys.readouterr().out


# --- train ------------------------------------------------------------------------------------------------------------


def test_good_defaults_need_no_options(files, capsys):
    assert call("train", files / "known", files / "model") == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert f"gristmill: 30 sentences, {sum(map(len, KNOWN))} words; " in said.err
    assert DependencyParser.load(files / "model").machine_ == DependencyParser().fit(KNOWN).machine_


def test_what_was_learned_is_said_to_machines(files, capsys):
    assert (
        call("train", files / "crossing", files / "model", "--json", "-q", "--split", "b0.upos", "--split-threshold", 5)
        == 0
    )
    said = capsys.readouterr()
    summary = json.loads(said.out)
    parser = DependencyParser(split="b0.upos", split_threshold=5).fit(files / "crossing")
    assert said.err == ""
    assert (summary["sentences"], summary["skipped"], summary["relations"]) == (36, 6, parser.relations_)
    assert (summary["rows"], summary["features"]) == (parser.n_rows_, parser.n_features_)
    assert (summary["machines"], summary["interrupted"]) == (len(parser.machine_), False)
    assert summary["support"] == sum(machine.n_support for machine in parser.machine_.values())


def test_skipped_sentences_are_told(files, capsys):
    assert call("train", files / "crossing", files / "model", "--split", "b0.upos", "--split-threshold", 5) == 0
    said = capsys.readouterr().err
    assert "36 sentences (6 skipped" in said
    assert " machines with " in said


def test_settings_reach_the_parser(files):
    options = (
        "--templates",
        "{s0,s1,b0}.upos",
        "--solver",
        "smo",
        "--multiclass",
        "ovo",
        "-d",
        3,
        "-C",
        0.5,
        "-j",
        2,
        "-q",
    )
    assert call("train", files / "known", files / "model", *options, "--split", "b0.upos", "--split-threshold", 9) == 0
    settings = {"solver": "smo", "multiclass": "ovo", "degree": 3, "C": 0.5, "split": "b0.upos", "split_threshold": 9}
    expected = DependencyParser(templates="{s0,s1,b0}.upos", **settings).fit(KNOWN)
    assert DependencyParser.load(files / "model").machine_ == expected.machine_


@pytest.mark.parametrize("name", [*ALGORITHMS, *MALT_NAMES])
def test_every_algorithm_has_its_name(files, name):
    file = files / ("ja" if name in ("head-final", "cascaded") else "known")
    assert call("train", file, files / "model", "-a", name, "--epochs", 3, "-q") == 0
    assert DependencyParser.load(files / "model").machine_ == DependencyParser(name, epochs=3).fit(file).machine_


@pytest.mark.parametrize("lifting", SCHEMES)
def test_crossing_arcs_are_lifted(files, lifting):
    assert call("train", files / "crossing", files / "model", "--pseudo-projective", lifting, "-q") == 0
    expected = DependencyParser(pseudo_projective=lifting).fit(files / "crossing").machine_
    assert DependencyParser.load(files / "model").machine_ == expected


def test_an_oracle_and_units_are_chosen(files):
    assert call("train", files / "known", files / "one", "-a", "nivreeager", "--oracle", "dynamic", "-q") == 0
    assert call("train", files / "ja", files / "two", "-a", "head-final", "--chunks", "case aux punct", "-q") == 0
    eager = DependencyParser("arc-eager", oracle="dynamic").fit(KNOWN)
    assert DependencyParser.load(files / "one").machine_ == eager.machine_
    assert DependencyParser.load(files / "two").engine_.model.chunks.joins == "case aux punct"


@pytest.mark.parametrize(
    ("name", "algorithm", "templates"),
    [
        ("templates", "swap", "s0.form s0.upos b0.upos s1.upos"),
        ("malt.xml", "nivreeager", "s0.xpos b0.form s0.ldep.deprel"),
        ("malt.xml", "arc-eager", "s0.xpos b0.form s0.ldep.deprel"),
        ("malt.xml", "nivrestandard", "s1.xpos s0.form s1.ldep.deprel"),
        ("malt.xml", "arc-standard", "s1.xpos s0.form s1.ldep.deprel"),
        ("malt.par", "nivreeager", "s0.xpos b0.xpos s0.ldep.deprel b0.form"),
    ],
)
def test_templates_come_from_a_file(files, name, algorithm, templates):
    assert (
        call("train", files / "known", files / "model", "--templates", f"@{files / name}", "-a", algorithm, "-q") == 0
    )
    expected = DependencyParser(algorithm, templates=templates).fit(KNOWN).machine_
    found = DependencyParser.load(files / "model").machine_
    assert sorted(found.feature_names) == sorted(expected.feature_names)
    assert found["all"].n_support == pytest.approx(expected["all"].n_support, abs=2)


def test_files_may_be_standard_input_and_output(files, monkeypatch, capsysbinary):
    feed(monkeypatch, gzip.compress(TEXT.encode()))
    assert call("train", "-", "-", "-q", "-C", 1, "--epochs", 30) == 0
    trained = capsysbinary.readouterr().out
    feed(monkeypatch, trained)
    assert call("run", "-", files / "bare") == 0
    assert capsysbinary.readouterr().out.decode() == TEXT
    (files / "model").write_bytes(trained)
    feed(monkeypatch, BARE.encode())
    assert call("run", files / "model", "-", "-o", "-") == 0
    assert capsysbinary.readouterr().out.decode() == TEXT


def test_an_interrupted_parser_is_kept(files, monkeypatch, capsys):
    def stopped(*data, **options):
        raise LearningInterrupted(learn(*data, **options))

    monkeypatch.setattr(learning, "learn", stopped)
    assert (
        call("train", files / "known", files / "model", "--json", "--split", "b0.upos", "--split-threshold", 5) == 130
    )
    said = capsys.readouterr()
    assert (json.loads(said.out)["interrupted"], json.loads(said.out)["machines"]) == (True, 1)
    assert f"interrupted; what was learned so far is in {files / 'model'}" in said.err
    assert len(DependencyParser.load(files / "model").parse(plain(NEW))) == len(NEW)


def test_nothing_is_written_if_nothing_was_learned(files, monkeypatch, capsys):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(learning, "learn", stopped)
    assert call("train", files / "known", files / "model") == 130
    assert capsys.readouterr().err.endswith("gristmill: error: interrupted\n")
    assert not (files / "model").exists()


def test_ctrl_c_keeps_what_was_learned(files):
    (files / "many").write_text(text_of(sentences(300)), encoding="utf-8")
    said = interrupt("parse", "train", files / "many", files / "model", "--epochs", 10_000_000)
    assert f"interrupted; what was learned so far is in {files / 'model'}" in said
    assert len(DependencyParser.load(files / "model").parse(plain(NEW))) == len(NEW)


# --- run --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [300, 1 << 20])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_writes_what_the_parser_finds(files, model, monkeypatch, engine, block):
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    options = ("--engine", engine, "--beam", 2, "--temperature", 0.5, "-j", 2)
    assert call("run", model, files / "new", "-o", files / "out", *options) == 0
    parsed = DependencyParser.load(model, beam=2, temperature=0.5).parse(plain(NEW))
    assert (files / "out").read_text(encoding="utf-8") == "".join(tree.conllu() for tree in parsed)


def test_trees_are_drawn(files, model, capsys):
    assert call("run", model, files / "bare", "--pretty") == 0
    assert out_of(capsys) == "".join(f"{DependencyTree(words).draw()}\n" for words in KNOWN)


@pytest.mark.parametrize("name", ["empty", "comments"])
def test_without_words_there_is_nothing_to_do(files, model, capsys, name):
    assert call("run", model, files / name, "-o", files / "out") == 0
    assert (files / "out").read_bytes() == (files / name).read_bytes()
    assert call("run", model, files / name, "--pretty") == 0
    assert call("draw", files / name) == 0
    assert out_of(capsys) == ""
    assert call("evaluate", model, files / name, "--json") == 0
    assert json.loads(out_of(capsys))["las"]["gold"] == 0


def test_half_written_files_are_not_left(files, model, monkeypatch):
    monkeypatch.setattr(treebank_module, "BLOCK", 300)
    (files / "broken").write_text(TEXT + "1 a\n", encoding="utf-8")
    (files / "out").write_text("before")
    assert call("run", model, files / "broken", "-o", files / "out") == 1
    assert (files / "out").read_text() == "before"
    assert not [*files.glob(".gristmill*")]


# --- evaluate ---------------------------------------------------------------------------------------------------------


def test_a_model_is_judged(files, model, capsys):
    assert call("evaluate", model, files / "new", "--json") == 0
    found = "".join(tree.conllu() for tree in DependencyParser.load(model).parse(plain(NEW)))
    expected = score_conllu((files / "new").read_text(encoding="utf-8"), found)
    assert json.loads(out_of(capsys)) == json.loads(json.dumps(expected.as_dict()))


def test_two_files_are_compared(files, model, capsys):
    assert call("run", model, files / "new", "-o", files / "out") == 0
    assert call("evaluate", files / "new", "--system", files / "out", "--json") == 0
    expected = score_files(files / "new", files / "out").as_dict()
    assert json.loads(out_of(capsys)) == json.loads(json.dumps(expected))


def test_a_table_is_shown(files, model, capsys):
    words = sum(map(len, KNOWN))
    assert call("evaluate", model, files / "known", "--relations") == 0
    shown = [line.split() for line in out_of(capsys).splitlines()]
    assert ["LAS", *["100.00"] * 3, *[str(words)] * 3] in shown
    assert ["root", "30", "100.00", "100.00"] in shown
    assert f"30 sentences, {words} words".split() in shown


# --- draw -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [300, 1 << 20])
def test_trees_of_a_file_are_drawn(files, capsys, monkeypatch, block):
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    trees = [DependencyTree(words) for words in KNOWN]
    assert call("draw", files / "known", "--style", "tree") == 0
    assert out_of(capsys) == "".join(f"{tree.draw('tree')}\n" for tree in trees)
    for number in (1, 7, 30):
        assert call("draw", files / "known", "--number", number) == 0
        assert out_of(capsys) == f"{trees[number - 1].draw()}\n"


@pytest.mark.parametrize("how", [(), ("--svg",)])
def test_files_are_read_up_to_the_tree_that_is_drawn(files, capsys, monkeypatch, how):
    monkeypatch.setattr(treebank_module, "BLOCK", 300)
    (files / "broken").write_text(TEXT + "1 a\n", encoding="utf-8")
    tree = DependencyTree(KNOWN[2])
    assert call("draw", files / "broken", "--number", 3, *how) == 0
    assert out_of(capsys) == (tree.svg() if how else f"{tree.draw()}\n")
    assert call("draw", files / "broken", "--number", 99, *how) == 1


def test_only_terminals_have_a_width(files, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True, buffer=io.BytesIO()))
    assert call("run", model, files / "bare", "--pretty", "-o", files / "drawn") == 0
    expected = "".join(f"{DependencyTree(words).draw()}\n" for words in KNOWN)
    assert (files / "drawn").read_text(encoding="utf-8") == expected


def test_a_picture_is_drawn(files, capsys):
    assert call("draw", files / "known", "--svg", "-o", files / "first.svg") == 0
    assert (files / "first.svg").read_text(encoding="utf-8") == DependencyTree(KNOWN[0]).svg()
    assert call("draw", files / "known", "--svg", "--number", 3) == 0
    assert out_of(capsys) == DependencyTree(KNOWN[2]).svg()


# --- models and help --------------------------------------------------------------------------------------------------


def test_a_model_is_inspected(model, capsys):
    assert run(["inspect", str(model), "--json"]) == 0
    assert "LEFT:nsubj" in out_of(capsys)


@pytest.mark.parametrize("command", [[], ["train"], ["run"], ["evaluate"], ["draw"]])
def test_help_says_how(command, capsys):
    assert call(*command, "--help") == 0
    said = out_of(capsys)
    assert "FILE" in said
    assert max(map(len, said.splitlines())) <= 130
