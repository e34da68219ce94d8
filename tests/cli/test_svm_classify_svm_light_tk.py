"""svm-classify prints what SVM-light-TK prints, F1 included, and its help says which digits differ."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.machines.formats import write

TREES = ["(S (A a) (B b))", "(S (A a) (C c))", "(S (C c))", "(S (B b) (C d))", "(S (A a) (B b) (C c))"]


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Scores are above 0 for trees with an A."""
    monkeypatch.chdir(tmp_path)
    support = gm.Forest.from_strings(["(S (A a))"])
    machine = gm.Machine(gm.SubsetTreeKernel(decay=1.0), support, [1.0], -0.5, classes=[-1, 1])
    write(machine, "model", "svmlight-tk")
    return tmp_path


def printed(capsys, labels, model="model"):
    gm.write_svmlight_tk("data", TREES, labels)
    assert run(["svm-classify", "-v", "1", "data", model]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_model_of_svm_light_tk_gets_its_f1_line(model, capsys):
    lines = printed(capsys, [1, -1, 1, -1, 1])  # found: the first, the second and the last
    assert lines[1:] == [
        "Accuracy on test set: 60.00% (3 correct, 2 incorrect, 5 total)",
        "Precision/recall on test set: 66.67%/66.67%",
        "F1-measure on test set: 66.67%",
    ]


def test_so_does_any_machine_on_trees(model, capsys):
    gm.load("model").save("own")
    assert printed(capsys, [1, -1, 1, 1, 1], "own")[-1] == "F1-measure on test set: 57.14%"


def test_shares_of_nothing_are_not_a_number_as_in_c(model, capsys):
    assert printed(capsys, [-1] * 5)[-2:] == [
        "Precision/recall on test set: 0.00%/-nan%",
        "F1-measure on test set: -nan%",
    ]


def test_svmlight_s_models_get_no_such_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.Machine(gm.PolynomialKernel(1), np.eye(2), [1.0, -1.0], 0.0, classes=[-1, 1]).save("model")
    gm.write_svmlight("data", np.eye(2), [1, -1])
    assert run(["svm-classify", "-v", "1", "data", "model"]) == 0
    assert "F1" not in capsys.readouterr().out


def test_the_help_says_how_often_digits_differ(capsys):
    assert run(["svm-classify", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "of 247,648 scores compared none differed" in said
    assert "64 of 94" in said


@pytest.mark.parametrize(("name", "kernel", "differ"), [("cdr", "cdr_linear.model", 44), ("ddi", "ddi.tk.model", 20)])
def test_scores_differ_from_svm_light_tk_s_own_as_often_as_the_help_says(
    corpora, tmp_path, monkeypatch, capsys, name, kernel, differ
):
    monkeypatch.chdir(tmp_path)
    folder = corpora / "models" / "svmlight_tk"
    for source, target in ((f"{name}.test", "data"), (kernel, "model"), (f"{name}.test.predictions", "theirs")):
        (tmp_path / target).write_bytes(gzip.decompress((folder / f"{source}.gz").read_bytes()))
    assert run(["svm-classify", "-v", "0", "data", "model", "ours"]) == 0
    ours, theirs = ((tmp_path / which).read_text().split() for which in ("ours", "theirs"))
    assert sum(a != b for a, b in zip(ours, theirs, strict=True)) == differ
    values = np.array(ours, dtype=float), np.array(theirs, dtype=float)
    np.testing.assert_allclose(*values, rtol=2e-6)
    assert np.array_equal(values[0] > 0, values[1] > 0)
    capsys.readouterr()
