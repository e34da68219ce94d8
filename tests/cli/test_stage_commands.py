"""gristmill tokenize, split-words and lemmatize: from a treebank to a model, and from text to CoNLL-U."""

from __future__ import annotations

import json

import pytest

from gristmill.cli import run

TREEBANK = """\
# newpar
# text = Il va au bois.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tva\taller\tVERB\t_\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tbois\tbois\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

# text = Bois!
1\tBois\tboire\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""
STAGES = {
    "tokenize": ("Il va au bois. Bois!\n", ["# text = Bois!", "3\tau\t", "SpaceAfter=No"]),
    "split-words": (TREEBANK.replace("\tIl\t", "\tau\t"), ["1-2\tau\t", "1\tà\t", "2\tle\t"]),
    "lemmatize": (TREEBANK.replace("\taller\t", "\t_\t"), ["2\tva\taller\tVERB"]),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.conllu").write_text(TREEBANK * 4)
    return tmp_path


@pytest.mark.parametrize("name", STAGES)
def test_train_run_and_evaluate(name, folder, capsys):
    given, found = STAGES[name]
    (folder / "given").write_text(given)
    assert run([name, "train", "train.conllu", "model", "-C", "1"]) == 0
    assert "support row" in capsys.readouterr().err
    assert run([name, "run", "model", "given", "-o", "found"]) == 0
    text = (folder / "found").read_text()
    assert all(part in text for part in found)
    assert run([name, "evaluate", "model", "train.conllu"]) == 0
    assert "100.00" in capsys.readouterr().out
    assert run([name, "evaluate", "model", "train.conllu", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["tokens"]["f1"] == 1.0 if name == "tokenize" else scores["accuracy"] == 1.0


@pytest.mark.parametrize("name", STAGES)
def test_options_reach_the_app(name, folder, capsys):
    options = ["--degree", "3", "--epochs", "2", "-C", "0.5", "--templates", "F:0:0", "--json"]
    assert run([name, "train", "train.conllu", "model", *options]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"features", "support", "seconds", "interrupted"}
    assert run(["inspect", "model"]) == 0
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("F:0:0", "degree", "epochs"))


@pytest.mark.parametrize("name", STAGES)
def test_a_model_of_another_command_is_refused(name, folder, capsys):
    other = next(one for one in STAGES if one != name)
    assert run([other, "train", "train.conllu", "model", "-q"]) == 0
    assert run([name, "run", "model", "train.conllu"]) == 1
    assert f"use `gristmill {other} run`" in capsys.readouterr().err


@pytest.mark.parametrize("name", STAGES)
def test_bad_conllu_is_named_with_its_place(name, folder, capsys):
    (folder / "bad.conllu").write_text(TREEBANK + "1\tx\n")
    assert run([name, "train", "bad.conllu", "model"]) == 1
    assert "bad.conllu:15:1" in capsys.readouterr().err
    assert not (folder / "model").exists()


@pytest.mark.parametrize(
    ("name", "shown"), [("tokenize", "-> sentence"), ("split-words", "au ->"), ("lemmatize", "va ->")]
)
def test_explain_takes_sentences(name, shown, folder, capsys):
    (folder / "train.conllu").write_text(TREEBANK)
    (folder / "text").write_text("Il va au bois. Bois!\n")
    assert run([name, "train", "train.conllu", "model", "-q"]) == 0
    assert run(["explain", "model", "text" if name == "tokenize" else "train.conllu"]) == 0
    assert shown in capsys.readouterr().out
