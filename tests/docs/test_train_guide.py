"""What the guide says about `gristmill train` runs as printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.cli.svm_learn import svm_learn
from gristmill.cli.svm_train import svm_train

GUIDE = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
SECTION = GUIDE[GUIDE.index("## Train a batch SVM") : GUIDE.index("## Trees")]
BLOCKS = re.findall(r"```console\n(.*?)```", SECTION, re.DOTALL)


def masked(text):
    return re.sub(r"\d[\d.,]*", "#", text)


def run_block(block, capsys):
    """Run what stands behind `$ gristmill`, and compare what is printed below it but for its numbers."""
    for command, shown in re.findall(r"^\$ gristmill ([^>\n]*).*\n((?:(?!\$).*\n)*)", block, re.MULTILINE):
        assert run(shlex.split(command)) == 0
        printed = capsys.readouterr()
        assert not shown or masked(printed.err) == masked(shown)


@pytest.mark.slow  # learns from 5,000 questions
def test_the_guide_learns_from_questions(corpora, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("train.tk.gz", "test.tk.gz"):
        (tmp_path / name).symlink_to((corpora / "qc" / name).resolve())
    run_block(BLOCKS[0], capsys)


def test_the_guide_learns_probabilities(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("train.svm", "test.svm"):
        gm.write_svmlight(name, np.eye(4), [1, 1, 2, 3])
    run_block(BLOCKS[1], capsys)
    assert gm.load("model.safetensors").probability.kind == "softmax"


def test_the_guide_writes_for_other_programs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.write_svmlight("train.svm", np.eye(4), [1, 1, 2, 3])
    gm.write_svmlight_tk("train.tk", ["(S (A a))", "(S (B b))"], [1, -1])
    run_block(BLOCKS[2], capsys)
    assert gm.load("libsvm.model").provenance["format"] == "libsvm"
    assert gm.load("tk.model").provenance["format"] == "svmlight-tk"


def test_the_guide_keeps_options_in_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.write_svmlight("train.svm", np.eye(4), [1, 1, 2, 3])
    run_block(BLOCKS[3], capsys)
    assert 'class-weight = ["1=2"]\n' in Path("train.toml").read_text()


def test_the_guide_knows_every_letter():
    """Those that are refused or have no effect are hidden."""
    shown = [
        param for command in (svm_train, svm_learn) for param in command.params if not getattr(param, "advanced", True)
    ]
    letters = {name for param in shown for name in param.opts if re.fullmatch("-[A-Za-z]", name)}
    documented = set(re.findall(r"`(-[A-Za-z])(?: [^`]*)?`", SECTION))
    assert letters - documented <= {"-s", "-z", "-j"}  # of which one value is taken; threads
