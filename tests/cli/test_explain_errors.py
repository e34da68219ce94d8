"""gristmill explain: what is wrong is named, and nothing hangs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gristmill as gm
from tests.across.interrupting import interrupt
from tests.cli.explain_files import call, objects


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model", "--row", "1"], "--row: for examples: name a file of them as DATA"),
        (["model", "--global"], "--global: for examples"),
        (["model", "--binarize", "keep"], "--binarize: for examples"),
        (["model", "data", "--min-weight", "1", "--max-size", "2"], "--max-size, --min-weight: for the machine itself"),
        (["model", "--min-weight", "1", "--top", "2"], "give --top or --min-weight, not both"),
        (["model", "data", "--row", "1", "--rows", "2"], "give --row or --rows, not both"),
        (["model", "data", "--global", "--rows", "2"], "give --rows or --global, not both"),
        (["model", "data", "--shares", "rooted"], "--shares: for trees; this machine is on rows"),
        (["trees.model", "plain", "--interactions"], "--interactions: for rows of features; this machine is on trees"),
        (["trees.model", "plain", "--global"], "--global: for rows of features; this machine is on trees"),
        (["trees.model", "plain", "--json", "--top", "2"], "--json has all nodes of a tree"),
        (["model", "data", "--class", "d"], "there is no class 'd'; there are a, b, c, or 0 to 2"),
        (["model", "--class", "3"], "there is no class '3'"),
        (["-", "-"], "only one file can be standard input, not MODEL and DATA"),
        (["model", "-", "--baseline", "-"], "only one file can be standard input, not DATA and --baseline"),
    ],
)
@pytest.mark.usefixtures("rows", "trees")
def test_what_does_not_go_together(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call(*arguments) == 2
    shown = capsys.readouterr()
    assert said in " ".join(shown.err.split())
    assert shown.out == ""


def test_files_that_are_not_there_or_not_right(rows, trees, tmp_path, capsys):
    assert call(rows.model, tmp_path / "none") == 1
    assert "none: No such file" in capsys.readouterr().err
    (tmp_path / "bad").write_text("a 1:1\nb x:1\n")
    assert call(rows.model, tmp_path / "bad") == 1
    assert "bad:2:3: " in capsys.readouterr().err
    assert call(trees.model, rows.data) == 1
    assert "the file looks like rows in svmlight format: gristmill train" in capsys.readouterr().err
    assert call(trees.model, trees.plain, "--one-based") == 1
    assert "this machine is on trees" in capsys.readouterr().err


def test_a_model_that_knows_how_it_counts_is_not_contradicted(tmp_path, capsys):
    gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=[-1, 1], first_id=1).save(tmp_path / "m")
    assert call(tmp_path / "m", "--zero-based") == 1
    assert "counts features from 1" in capsys.readouterr().err


def test_a_file_without_examples(rows, trees, tmp_path, capsys):
    (tmp_path / "empty").write_text("\n")
    for model, what in ((rows.model, "rows"), (trees.model, "trees")):
        assert call(model, tmp_path / "empty") == 0
        assert f"empty has no {what}" in capsys.readouterr().err
        assert call(model, tmp_path / "empty", "--json", "-q") == 0
        assert capsys.readouterr() == ("", "")
    assert call(rows.model, tmp_path / "empty", "--global", "--json") == 0
    assert objects(capsys) == [{"rows": 0, "features": []}]


def test_nothing_is_imported_that_is_not_needed(rows):
    code = (
        "import sys; from gristmill.cli import run; "
        f"run(['explain', {str(rows.model)!r}, {str(rows.data)!r}]); "
        "assert not {'sklearn', 'matplotlib', 'rich', 'shap'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_ctrl_c_ends_a_long_explanation(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 120)) < 0.5).astype(float)
    gm.Machine(gm.PolynomialKernel(3), X, rng.normal(size=2000), 0.0, classes=[0, 1]).save(tmp_path / "m")
    gm.write_svmlight(tmp_path / "d", np.tile(X, (10, 1)), np.ones(20_000))
    assert "interrupted" in interrupt("explain", tmp_path / "m", tmp_path / "d", "--global", "--interactions")
