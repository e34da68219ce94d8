"""No command writes to a file that it reads, whatever links or redirections lead to it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gristmill.cli import run

ROWS = b"1 1:1 2:1\n-1 2:1 3:1\n1 1:1 3:1\n-1 3:1\n"

COMMANDS = [  # IN is a file that is read, OUT the same one
    "train IN OUT",
    "export IN -o OUT --language c",
    "train IN OUT --online",
    "train IN OUT --loss logistic",
    "train IN OUT --target y",
    "train IN OUT -k sst",
    "train IN model --save-config OUT",
    "tune IN OUT --folds 2",
    "tune other IN OUT",
    "tune IN other model --plot OUT",
    "tune IN other OUT --online",
    "forget model --data IN --rows 1 -o OUT",
    "forget IN --data data --rows 1 -o OUT",
    "predict model IN -o OUT",
    "predict IN data -o OUT",
    "convert IN OUT",
    "svm-train IN OUT",
    "svm-learn IN OUT",
    "svm-predict IN model OUT",
    "svm-classify IN model OUT",
    "kernel IN -k poly -o OUT",
    "kernel other --against IN -k poly -o OUT",
    "nearest IN --kernel tanimoto -k 1 -o OUT",
    "tokenize train IN OUT",
    "tokenize run model IN -o OUT",
    "split-words run model IN -o OUT",
    "lemmatize run model IN -o OUT",
    "tag train IN OUT",
    "tag train other OUT --dev IN",
    "tag run model IN -o OUT",
    "tag convert IN --tag-scheme BIOES -o OUT",
    "segment train IN OUT",
    "segment run model IN -o OUT",
    "segment join IN -o OUT",
    "parse train IN OUT",
    "parse run model IN -o OUT",
    "parse run model other --tagger IN -o OUT",
    "parse draw IN -o OUT",
    "pipeline train IN OUT",
    "pipeline run model IN -o OUT",
    "classify-trees train IN OUT",
    "classify-trees run model IN -o OUT",
    "roles train IN other OUT",
    "roles run model IN other -o OUT",
    "report model --data IN -o OUT",
    "report IN --data other -o OUT",
]
LINKS = {
    "the same": lambda file, link: file,
    "symbolic": lambda file, link: link.symlink_to(file) or link,
    "hard": lambda file, link: link.hardlink_to(file) or link,
    "spelled": lambda file, link: file.parent / ".." / file.parent.name / file.name,
}


def words(command, folder, output):
    names = {"IN": folder / "in", "OUT": output}
    return [
        str(names.get(word, folder / word if word in ("other", "model", "data") else word)) for word in command.split()
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_an_input_is_refused(tmp_path, capsys, command):
    for name in ("in", "other", "data"):
        (tmp_path / name).write_bytes(ROWS)
    assert run(words(command, tmp_path, tmp_path / "in")) == 2
    assert "in is read, and would be replaced: name another file to write to" in capsys.readouterr().err
    assert (tmp_path / "in").read_bytes() == ROWS


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_links_are_looked_through(tmp_path, capsys, link):
    (tmp_path / "in").write_bytes(ROWS)
    assert run(words("train IN OUT", tmp_path, link(tmp_path / "in", tmp_path / "link"))) == 2
    assert "is read, and would be replaced" in capsys.readouterr().err
    assert (tmp_path / "in").read_bytes() == ROWS


@pytest.mark.parametrize("shell", ["- {0}/in < {0}/in", pytest.param("{0}/in - >> {0}/in", marks=pytest.mark.slow)])
def test_redirections_are_looked_through(tmp_path, shell):
    (tmp_path / "in").write_bytes(ROWS)
    command = f"{sys.executable} -m gristmill train {shell.format(tmp_path)}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, "is read, and would be replaced" in done.stderr) == (2, True)
    assert (tmp_path / "in").read_bytes() == ROWS


def test_a_file_of_a_folder_that_is_read_is_not_replaced(tmp_path, capsys):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a").write_bytes(ROWS)
    assert run(["convert", str(tmp_path / "models"), str(tmp_path / "models" / "a")]) == 2
    assert "models/a, in " in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["train data OUT", "train OUT model", "convert . OUT", "kernel data -k poly -o OUT"]
)
def test_a_loop_of_links_is_refused_before_the_work(tmp_path, capsys, monkeypatch, command):
    monkeypatch.setattr("gristmill.cli.train_batch.train_svm", None)
    (tmp_path / "data").write_bytes(ROWS)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert run(words(command.replace(" . ", f" {tmp_path} "), tmp_path, tmp_path / "loop")) == 1
    said = capsys.readouterr().err
    assert said.startswith("gristmill: ")
    assert "loop: Too many levels of symbolic links" in said or "no model files" in said


@pytest.mark.parametrize("command", ["train data OUT --save-config OUT", "tune data OUT --folds 2 --plot OUT"])
def test_two_outputs_in_one_file_are_refused(tmp_path, capsys, command):
    (tmp_path / "data").write_bytes(ROWS)
    assert run(words(command, tmp_path, tmp_path / "new.svg")) == 2
    assert "new.svg would be written twice: name another file" in capsys.readouterr().err
    assert not (tmp_path / "new.svg").exists()


def test_devices_may_be_read_and_written(tmp_path, capsys):
    (tmp_path / "in").write_bytes(ROWS)
    assert run(["train", str(tmp_path / "in"), "/dev/null"]) == 0
