"""gristmill forget: a model without rows, as if they had never been in the file."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

N = 80
RNG = np.random.default_rng(3)
X = (RNG.random((N, 8)) < 0.35).astype(float)
NOISE = RNG.random(N)
LABELS = {
    "two": np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1.2, 1, -1),
    "three": np.where(NOISE > 0.7, 3, np.where(X[:, 0] > 0, 2, 1)),
}
TREES = [f"(S (A {a}) (B {b}))" for a, b in RNG.choice(list("abcd"), size=(N, 2))]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows_of(y):
    return [f"{label} " + " ".join(f"{at + 1}:1" for at in np.flatnonzero(x)) for label, x in zip(y, X, strict=True)]


def without(lines):
    return [line for number, line in enumerate(lines, 1) if number not in (3, 5, 6, 7, 40)]


def call(*arguments):
    return run(["forget", *map(str, arguments)])


def forgets(tmp_path, lines, *how):
    """The model without rows, and the model of a file that never had them."""
    data, less = write(tmp_path / "data", lines), write(tmp_path / "less", without(lines))
    for name, file in (("model", data), ("anew", less)):
        assert run(["train", str(file), str(tmp_path / name), "-q", "--tol", "1e-7", *how]) == 0
    asked = ["--data", data, "--rows", "3,5-7 40", "-o", tmp_path / "new", "-q"]
    assert call(tmp_path / "model", *asked) == 0
    return gm.load(tmp_path / "new"), gm.load(tmp_path / "anew")


def check_same(one, other, data):
    size = len(data)
    scores = [model.compile().decision_function(data).reshape(size, -1) for model in (one, other)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)
    assert one.classes.tolist() == other.classes.tolist()
    assert one.first_id == other.first_id
    assert one.provenance["C"] == other.provenance["C"]


@pytest.mark.parametrize("classes", list(LABELS))
@pytest.mark.parametrize(
    "how",
    [
        ["-C", "0.1"],
        ["-C", "auto", "--class-weight", "1=2"],
        ["-C", "0.1", "--multiclass", "ovr", "--no-intercept"],
        ["-C", "0.1", "--solver", "smo", "--probability"],
    ],
    ids=["plain", "auto", "no intercept", "probability"],
)
def test_models_on_rows_forget(tmp_path, classes, how):
    one, other = forgets(tmp_path, rows_of(LABELS[classes]), *how)
    check_same(one, other, X)
    if "--probability" in how:
        found = [model.compile().predict_proba(X) for model in (one, other)]
        assert found[0] == pytest.approx(found[1], abs=1e-4)


@pytest.mark.parametrize("classes", list(LABELS))
@pytest.mark.parametrize("how", [[], ["-C", "0.2", "--class-weight", "1=2"]], ids=["auto", "weights"])
def test_logistic_models_forget(tmp_path, classes, how):
    one, other = forgets(tmp_path, rows_of(LABELS[classes]), "--loss", "logistic", "--tol", "1e-12", *how)
    check_same(one, other, X)
    found = [model.compile().predict_proba(X) for model in (one, other)]
    assert found[0] == pytest.approx(found[1], abs=1e-4)
    assert one.provenance == other.provenance


def test_a_logistic_model_of_other_data_or_of_an_old_release_is_refused(tmp_path, capsys):
    data = write(tmp_path / "data", rows_of(LABELS["two"]))
    other = write(tmp_path / "other", rows_of(-LABELS["two"]))
    assert run(["train", str(data), str(tmp_path / "model"), "-q", "--loss", "logistic"]) == 0
    asked = ["--rows", "1", "-o", tmp_path / "new"]
    assert call(tmp_path / "model", "--data", other, *asked) != 0
    assert "not the solution of these data" in capsys.readouterr().err
    machine = gm.load(tmp_path / "model")
    old = {name: value for name, value in machine.provenance.items() if name != "polynomial"}
    machine.replace(provenance=old).save(tmp_path / "old")
    assert call(tmp_path / "old", "--data", data, *asked) != 0
    assert "did not write down" in capsys.readouterr().err


def test_models_on_trees_forget(tmp_path):
    lines = [f"{label}\t{tree}" for label, tree in zip(LABELS["two"], TREES, strict=True)]
    one, other = forgets(tmp_path, lines, "--kernel", "sst", "-C", "0.5")
    check_same(one, other, gm.Forest.from_strings(TREES))


def test_the_receipt_is_printed(tmp_path, capsys):
    data = write(tmp_path / "data", rows_of(LABELS["two"]))
    assert run(["train", str(data), str(tmp_path / "model"), "-q"]) == 0
    which = write(tmp_path / "which", ["1", "4-5"])
    asked = [tmp_path / "model", "--data", data, "--rows", f"@{which}", "-o", tmp_path / "new"]
    assert call(*asked) == 0
    assert "forgotten   3 examples" in capsys.readouterr().err
    assert call(*asked, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["forgotten"], found["remaining"]) == (3, N - 3)
    assert found["violation"] <= found["tol"]


def test_names_of_rows_that_are_none_are_refused(tmp_path, capsys):
    data = write(tmp_path / "data", rows_of(LABELS["two"]))
    assert run(["train", str(data), str(tmp_path / "model"), "-q"]) == 0
    for which, message in (
        ("0", "there is no row 0"),
        (f"{N + 1}", f"rows 1 to {N}"),
        ("two", "numbers and ranges"),
        (" ", "names no example"),
        (f"1-{N}", "nothing would be left"),
    ):
        assert call(tmp_path / "model", "--data", data, "--rows", which, "-o", tmp_path / "new") != 0
        assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_other_models_and_other_data_are_refused(tmp_path, capsys):
    lines = rows_of(LABELS["two"])
    data, less = write(tmp_path / "data", lines), write(tmp_path / "less", lines[1:])
    other = write(tmp_path / "other", rows_of(1 - LABELS["two"]))
    asked = ["--rows", "1", "-o", tmp_path / "new"]
    for how, file, message in (
        (["--online"], data, "online learner cannot forget"),
        (["-C", "10", "--tol", "1e-6"], less, "the file that"),
        ([], other, "no classes of the model"),
    ):
        assert run(["train", str(data), str(tmp_path / "model"), "-q", *how]) == 0
        assert call(tmp_path / "model", "--data", file, *asked) != 0
        assert message in capsys.readouterr().err
