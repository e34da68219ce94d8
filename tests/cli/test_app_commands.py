"""What tag, segment, classify-trees and roles have in common: nothing is lost, and what is wrong is named."""

from __future__ import annotations

import sys

import pytest

from gristmill.apps.tagging.tagger import Tagger
from gristmill.cli import run

FILES = {
    "tag": "the D B-NP\nmill N I-NP\ngrinds V B-VP\n",
    "segment": "また 行き たい 。\n海 を 見 たい 。\n",
    "classify-trees": "a\t(S (W who))\nb\t(S (W where))\n",
    "roles": "".join(f"d\t{number}\t(S (N dogs) (VP (V saw) (N cats) (R so)) (. .))\n" for number in range(6)),
}
PROPS = "".join(f"d\t{number}\t1\tsee.01\t0-0:ARG0 1-1:V 2-2:ARG1\n" for number in range(6))


class App:
    """One of them, with a file to learn from."""

    def __init__(self, name, folder):
        self.name, self.file, self.model, self.props = name, folder / "file", folder / "model", folder / "props"
        self.file.write_text(FILES[name], encoding="utf-8")
        self.props.write_text(PROPS)

    def train(self, model, *more):
        files = [self.file, *([self.props] if self.name == "roles" else [])]
        return run([self.name, "train", *map(str, (*files, model, *more)), "-q"])

    def run(self, output, file=None):
        files = [file or self.file, *([self.props] if self.name == "roles" else [])]
        return run([self.name, "run", *map(str, (self.model, *files, "-o", output))])


@pytest.fixture(params=FILES)
def app(request, tmp_path):
    return App(request.param, tmp_path)


@pytest.fixture
def trained(app):
    assert app.train(app.model) == 0
    return app


def linked(path):
    (path.parent / "link").symlink_to(path)
    return path.parent / "link"


@pytest.mark.parametrize("name", [lambda path: path, linked])
def test_what_is_learned_from_is_not_replaced_by_the_model(app, name, capsys):
    assert app.train(name(app.file)) == 2
    assert "is read, and would be replaced: name another file to write to" in capsys.readouterr().err
    assert app.file.read_text(encoding="utf-8") == FILES[app.name]


@pytest.mark.parametrize("name", [lambda path: path, linked])
def test_a_model_is_not_replaced_by_its_answers(trained, name, capsys):
    before = trained.model.read_bytes()
    assert trained.run(name(trained.model)) == 2
    assert "is read, and would be replaced" in capsys.readouterr().err
    assert trained.model.read_bytes() == before


def test_other_things_that_are_learned_from_are_not_replaced(tmp_path):
    roles, tag = App("roles", tmp_path), App("tag", tmp_path)
    tag.model.write_text("F:0:0")
    assert tag.train(tag.model, "--templates", f"@{tag.model}") == 2
    assert roles.train(roles.props) == 2
    assert (tag.model.read_text(), roles.props.read_text()) == ("F:0:0", PROPS)


def test_answers_do_not_replace_what_was_asked(trained, capsys):
    before = trained.file.read_bytes()
    assert trained.run(trained.file) == 2
    assert "is read, and would be replaced" in capsys.readouterr().err
    assert trained.file.read_bytes() == before


def test_an_old_model_may_be_replaced(trained):
    assert trained.train(trained.model) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/full")
def test_a_full_device_is_named(trained, capsys):
    assert trained.run("/dev/full") == 1
    assert "gristmill: error: /dev/full: No space left on device" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["tag", "segment", "classify-trees"])
def test_an_empty_file_has_no_shares(tmp_path, capsys, name):
    app, empty = App(name, tmp_path), tmp_path / "empty"
    empty.write_text("")
    assert app.train(app.model) == 0
    assert run([name, "evaluate", str(app.model), str(empty)]) == 0
    shown = capsys.readouterr().out
    assert " - " in shown.replace("\n", " \n")
    assert "0.00" not in shown


def test_a_tag_that_an_encoding_cannot_spell_is_said(tmp_path, capsys):
    Tagger("F:0:0", C=1.0).fit([[("the", "D"), ("mill", "Mühle")]]).save(tmp_path / "model")
    (tmp_path / "file").write_text("the\nmill\r\nthe\n")
    assert run(["tag", "run", str(tmp_path / "model"), str(tmp_path / "file"), "--encoding", "ascii"]) == 1
    assert "ascii cannot spell the tag 'Mühle': convert the file to UTF-8" in capsys.readouterr().err


def test_lines_that_begin_as_comments_do_are_tokens(tmp_path, capsys):
    app = App("tag", tmp_path)
    assert app.train(app.model) == 0
    (tmp_path / "hash").write_text("# N\n")
    assert app.run("-", tmp_path / "hash") == 0
    assert capsys.readouterr().out.startswith("# N ")
    assert run(["tag", "run", "--help"]) == 0
    assert "also one that begins with #" in " ".join(capsys.readouterr().out.split())
