"""--config and --save-config: options in TOML files."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

RNG = np.random.default_rng(3)
X = (RNG.random((40, 8)) < 0.5).astype(float)
Y = np.where(X[:, 0] == X[:, 1], 1, -1)


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gm.write_svmlight("d", X, Y)
    return tmp_path


def test_options_come_from_the_file(folder):
    (folder / "c.toml").write_text('degree = 3\ncost = 0.5\nclass-weight = ["1=2", "-1=0.5"]\nintercept = false\n')
    assert call("train", "d", "one", "--config", "c.toml") == 0
    words = ("-d", 3, "-C", 0.5, "--class-weight", "1=2", "--class-weight", "-1=0.5", "--no-intercept")
    assert call("train", "d", "two", *words) == 0
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()


def test_the_command_line_beats_the_file(folder):
    (folder / "c.toml").write_text("degree = 3\nquiet = true\n")
    assert call("train", "d", "one", "--config", "c.toml", "-d", 1) == 0
    assert gm.load("one").kernel.degree == 1


def test_what_is_given_is_written_and_read_again(folder, capsys):
    words = ("-d", "3", "--online", "-C", "1e-1", "--classes=-1,1", "--last", "--class-weight", "1=2", "-j", "1", "-q")
    assert call("train", "d", "one", *words, "--save-config", "c.toml") == 0
    assert tomllib.loads((folder / "c.toml").read_text()) == {
        **{"degree": 3, "online": True, "cost": "1e-1", "classes": "-1,1", "average": False, "quiet": True},
        **{"class-weight": ["1=2"], "jobs": 1},
    }
    assert call("train", "d", "two", "--config", "c.toml", "--save-config", "again.toml") == 0
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    assert (folder / "again.toml").read_bytes() == (folder / "c.toml").read_bytes()
    assert capsys.readouterr().err == ""


def test_lists_of_values(folder, capsys):
    (folder / "c.toml").write_text('degree = [1, 2]\ncost = "0.1,1"\nfolds = 2\n')
    assert call("tune", "d", "--config", "c.toml") == 0
    assert "4 settings" in capsys.readouterr().out


def test_options_of_a_file_count_as_given(folder, capsys):
    (folder / "c.toml").write_text("epochs = 3\n")
    assert call("train", "d", "m", "--config", "c.toml") == 2
    assert "--epochs: for online learning, with --online only" in capsys.readouterr().err


def test_commands_of_apps(folder):
    (folder / "t").write_text("the D\nmill N\n")
    (folder / "c.toml").write_text('templates = "F:0:0"\nepochs = 2\n')
    assert call("tag", "train", "t", "m", "--config", "c.toml", "-q") == 0
    assert gm.apps.Tagger.load("m").templates == "F:0:0"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("degre = 2", 1, "c.toml: `gristmill train` has no option --degre; did you mean 'degree'"),
        ("help = true", 1, "c.toml: `gristmill train` has no option --help"),
        ('config = "other"', 1, "has no option --config"),
        ("degree = \n", 1, "c.toml: Invalid value (at line 1"),
        ("online = 1", 1, "c.toml: online must be true or false, got 1"),
        ("degree = true", 1, "c.toml: degree must be a text, a number or a list of these, got True"),
        ("[degree]\nx = 1", 1, "c.toml: degree must be"),
        ("degree = 2.5", 2, "Invalid value for '-d' / '--degree': '2.5' is not a valid int"),
        ('kernel = "gauss"', 2, "'gauss' is not one of"),
    ],
)
def test_what_is_wrong_is_named(folder, capsys, text, code, message):
    (folder / "c.toml").write_text(text)
    assert call("train", "d", "m", "--config", "c.toml") == code
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (folder / "m").exists()
