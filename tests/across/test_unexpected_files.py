"""Files that are not what a command expects: what was got is said, and which command takes it.

`test_every_file_every_command.py` has the table of all kinds of files and all commands.
"""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

import gristmill as gm
from gristmill.apps.columns import read_columns
from gristmill.apps.loading import open_machine
from gristmill.cli import COMMANDS, run
from gristmill.data.formats.kinds import COLUMNS, CONLLU, GRAM, LABELS, PROPOSITIONS, ROWS, TABLE, TEXT, TREES, kind_of
from tests.across.file_kinds import TEXTS

TRAINING = ["", "--online", "--online --stream"]
SEVERAL = sp.csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])


def call(*arguments):
    return run([str(argument) for argument in arguments])


def feed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: False))


# --- training ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", TRAINING)
@pytest.mark.parametrize("content", ["age,job\n31,miller\n45,baker\n", "yes\nno\nyes\n", "1\n-1\n"])
def test_training_refuses_data_in_which_no_example_has_a_feature(write, tmp_path, capsys, way, content):
    assert call("train", write(content, "data"), tmp_path / "model", *way.split()) == 1
    said = capsys.readouterr().err
    assert "data: no example has a feature; expected rows in svmlight format, `label id:value id:value ...`" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "model").exists()


def test_a_table_is_said_to_be_one_with_what_to_do(write, tmp_path, capsys):
    assert call("train", write(TEXTS["csv"], "table.csv"), tmp_path / "model") == 1
    said = capsys.readouterr().err
    assert "table.csv: expected rows in svmlight format or trees, got a table: gristmill train takes it" in said
    assert "--target COLUMN" in said


def test_a_stream_from_a_pipe_without_features_leaves_no_model(monkeypatch, tmp_path, capsys):
    feed(monkeypatch, b"1\n-1\n" * 5)
    arguments = ("train", "-", tmp_path / "model", "--online", "--stream", "--classes=-1,1", "-q")
    assert call(*arguments) == 1
    assert "<stdin>: no example has a feature" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("way", TRAINING)
def test_values_that_are_all_below_the_threshold_are_no_features(write, tmp_path, capsys, way):
    data = write("1 1:0.2 2:0.1\n-1 1:0.1\n", "data")
    assert call("train", data, tmp_path / "model", "--binarize", "0.5", *way.split()) == 1
    assert "data: no example has a feature" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("way", TRAINING)
def test_examples_without_features_among_others_are_learned(write, tmp_path, way):
    data = write("yes\nno 2:1\nyes # none\nno 2:1 3:1\n", "data")
    assert call("train", data, tmp_path / "model", "-q", *way.split()) == 0
    assert gm.load(tmp_path / "model").classes.tolist() == ["no", "yes"]


def test_tuning_refuses_it_too(write, capsys):
    data, rows = write("yes\nno\n" * 4, "data"), write(TEXTS["rows"], "rows")
    for arguments in ([data, "--folds", 2], [rows, data], [data, rows, "--online"], [rows, data, "--online"]):
        assert call("tune", *arguments) == 1
        assert "data: no example has a feature" in capsys.readouterr().err


def test_estimators_answer_as_svc_does():
    """An array of zeros is no mistake of format."""
    X, y = np.zeros((5, 3)), [0, 1, 1, 1, 0]
    svc = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    assert gm.KernelSVC(degree=2).fit(X, y).predict(X).tolist() == svc.predict(X).tolist()


def test_a_part_of_a_stream_may_have_no_features():
    learner = gm.OnlineKernelClassifier()
    learner.partial_fit(np.zeros((2, 3)), [0, 1], classes=[0, 1])
    assert learner.partial_fit(np.eye(3)[:2], [0, 1]).predict(np.eye(3)[:2]).tolist() == [0, 1]


# --- scoring ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def words(write, tmp_path):
    """A model whose classes are words, so that any word may be a label."""
    assert call("train", write("yes 1:1\nno 2:1\n" * 3, "train"), tmp_path / "words", "-q") == 0
    return tmp_path / "words"


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain", "svm-classify"])
def test_words_a_line_are_not_taken_for_labels(words, write, capsys, command):
    files = (words, write("また行きたい\n来たい\n", "text"))
    assert call(command, *(reversed(files) if command == "svm-classify" else files)) == 1
    said = capsys.readouterr().err
    assert "text: no example has a feature" in said
    assert "no line begins with a class of the model; the file looks like text: gristmill segment takes it" in said


def test_rows_without_features_are_scored(words, write, capsys):
    assert call("predict", words, write("yes\nno\n", "labels")) == 0
    assert len(capsys.readouterr().out.split()) == 2
    assert call("evaluate", words, write("other 1:1\nyes 1:1\n", "unknown")) == 0
    assert "1 example with labels that are no classes of the model" in capsys.readouterr().err


# --- pipes and compressed files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["predict {} -", "evaluate {} -", "explain {} -"])
def test_what_comes_from_a_pipe_is_recognised_too(words, monkeypatch, capsys, command):
    feed(monkeypatch, TEXTS["conllu"].encode())
    assert call(*command.format(words).split()) == 1
    assert "<stdin>: expected rows in svmlight format, got CoNLL-U: gristmill parse" in capsys.readouterr().err
    feed(monkeypatch, b"yes 1:1\nno 2:1\n")
    assert call(*command.format(words).split()) == 0


def test_compressed_files_are_recognised_by_what_they_hold(words, write, capsys):
    data = write(gzip.compress(TEXTS["trees"].encode()), "trees.gz")
    assert call("predict", words, data) == 1
    assert "trees.gz: expected rows in svmlight format, got trees: " in capsys.readouterr().err


# --- valid files are never refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "opal 1:1 2:1\nruby 3:1\n",  # labels as programs are called
        "svm_type 1:1\nother 2:1\n",
        "(a) 1:1\n[b] 2:1\n",
        "a,b 1:1\nc,d 2:1\n",
        "# a comment, and more\n\n1 qid:3 1:1 # one, two\n-1 qid:3 2:1\n",
        "\ufeff1 1:1\n-1 2:1\n",
    ],
)
def test_rows_with_odd_labels_are_rows(write, tmp_path, text):
    path = write(text, "rows")
    if not text.startswith("\ufeff"):  # which is a part of a label
        assert kind_of(text.encode()).kind == ROWS
    assert call("train", path, tmp_path / "model", "-q") == 0


@pytest.mark.parametrize(
    "text", ["( ( O\nnow RB B-NP\n) ) O\n", "1 CD B-NP\n2 CD I-NP\n", "a,b,c NN O\n1,2,3 CD B-X\n"]
)
def test_columns_with_odd_tokens_are_columns(write, text):
    assert read_columns(write(text)).columns == 3


@pytest.mark.parametrize(
    "text",
    [
        "(Laughter) he said\n",
        "(he laughs)\n",
        "Lunch 12:30\nDinner 20:00\n",
        "one, two, three\nfour, five, six\n",
        "opal is a stone\n",
        "12:30 is noon\n",
        "a b c\nd e f\n",
    ],
)
def test_text_is_text(text):
    found = kind_of(text.encode())
    assert not found.certain


def test_a_damaged_file_of_the_right_kind_is_not_called_another(write, tmp_path, capsys):
    assert call("train", write("1 1:1\n-1 2:1\n1 3:x\n", "rows"), tmp_path / "model") == 1
    said = capsys.readouterr().err
    assert "rows:3:5: " in said
    assert "looks like" not in said


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("rows", ROWS), ("labels", LABELS), ("gram", GRAM), ("trees", TREES), ("sentences", TREES)),
        *(("props", PROPOSITIONS), ("conllu", CONLLU), ("columns", COLUMNS), ("csv", TABLE), ("tsv", TABLE)),
        *(("text", TEXT), ("segmented", TEXT), ("unsegmented", TEXT)),
    ],
)
def test_kinds_are_recognised_by_the_beginning_of_a_file(name, kind):
    text = TEXTS[name].encode()
    assert kind_of(text).kind == kind
    if name not in ("gram", "text", "labels"):
        assert kind_of(text * (40_000 // len(text))).kind == kind  # of which the last line is cut


@pytest.mark.parametrize("header", ["age,job,income\n", '"age";"job";"income"\n', "a|b|c"])
def test_a_header_alone_is_a_table_without_rows(write, capsys, header):
    assert kind_of(header.encode()) == (TABLE, False, " without rows")
    assert call("inspect", write(header, "table.csv")) == 0
    assert call("train", write(header, "table.csv"), "model", "--target", "c") == 1
    assert "the table has a header and no rows" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["one, two, three\n", "a,b\n", "a,b|c\n", "Well,well,well, he said\n"])
def test_a_line_of_text_is_no_header(line):
    assert kind_of(line.encode()).kind != TABLE


# --- models -----------------------------------------------------------------------------------------------------------


def test_a_tagger_is_no_machine_on_rows(tmp_path):
    gm.apps.Tagger("F:0:0").fit([[("a", "X"), ("b", "Y")]]).save(tmp_path / "tagger")
    with pytest.raises(gm.FormatError, match="tagger: expected a machine on rows or trees, got a tagger: use `gristm"):
        open_machine(tmp_path / "tagger")
    assert isinstance(gm.load(tmp_path / "tagger"), gm.apps.Tagger)


def test_a_format_that_loses_the_tagger_says_so(tmp_path, capsys):
    gm.apps.Tagger("F:0:0").fit([[("a", "X"), ("b", "Y"), ("c", "Z")]]).save(tmp_path / "tagger")
    for name, loses in (("gristmill", False), ("yamcha", False), ("opal", True)):
        assert call("convert", tmp_path / "tagger", tmp_path / "out", "--format", name) == 0
        assert ("holds its machine alone, which tag cannot run" in capsys.readouterr().err) == loses


def test_one_of_several_machines_is_named(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), SEVERAL, np.ones(4), 0.0, classes=[0, 1])
    gm.Machines({"one": machine, "two": machine}).save(tmp_path / "several")
    assert open_machine(tmp_path / "several", "two").n_support == 4
    with pytest.raises(ValueError, match="several holds 2 machines; say which by --machine, or write one to a file by"):
        open_machine(tmp_path / "several")


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        ("predcit a b", "there is no command 'predcit'; did you mean 'predict'"),
        ("Train a b", "there is no command 'Train'; did you mean 'train'"),
        ("classify_trees run", "did you mean 'classify-trees'"),
        ("tag rnu", "there is no command 'rnu'; did you mean 'run'?"),
        ("parse evalute", "did you mean 'evaluate'?"),
        ("train a b --onlin", "'--online'"),
        ("--versoin", "Did you mean '--version'?"),
    ],
)
def test_what_is_mistyped_gets_a_suggestion(capsys, arguments, suggestion):
    assert call(*arguments.split()) == 2
    assert suggestion in capsys.readouterr().err


def test_what_is_like_no_command_gets_all_of_them(capsys):
    assert call("xyz") == 2
    assert f"there is no command 'xyz'; there are {', '.join(COMMANDS)}" in capsys.readouterr().err


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", TRAINING)
def test_a_feature_is_no_label(options, tmp_path, capsys):
    """Any word may be a label, so lines without one must not be learned as classes called 1:1."""
    (tmp_path / "data").write_text("a 2:1\n1:1 3:1\n2:1 4:1\n")
    assert run(["train", str(tmp_path / "data"), str(tmp_path / "m"), "-q", *options.split()]) == 1
    assert "data:2:1: expected a label, got the feature 1:1" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
    with pytest.raises(ValueError, match="a label must not look like a feature, got '1:1'"):
        gm.write_svmlight(tmp_path / "out", np.eye(2), ["1:1", "b"])


def test_words_and_times_are_text(tmp_path, capsys):
    (tmp_path / "text").write_text("Bus 12:30 13:30\nTrain 14:30 15:30\n")
    assert kind_of((tmp_path / "text").read_bytes()).certain is False
