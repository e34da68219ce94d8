"""What the documentation says runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import gristmill.collection
import gristmill.estimators.accelerated
import gristmill.estimators.importing
import gristmill.estimators.one_class
import gristmill.estimators.online
import gristmill.estimators.svc
import gristmill.estimators.svr
import gristmill.examples
import gristmill.forest
import gristmill.formats.svmlight
import gristmill.kernels.combined
import gristmill.kernels.polynomial
import gristmill.kernels.trees
import gristmill.machine
import gristmill.operators
import gristmill.structured

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "module",
    [
        gristmill.examples,
        gristmill.forest,
        gristmill.kernels.combined,
        gristmill.kernels.polynomial,
        gristmill.kernels.trees,
        gristmill.structured,
        gristmill.machine,
        gristmill.operators,
        gristmill.collection,
        gristmill.estimators.accelerated,
        gristmill.estimators.importing,
        gristmill.estimators.one_class,
        gristmill.estimators.online,
        gristmill.estimators.svc,
        gristmill.estimators.svr,
        gristmill.formats.svmlight,
    ],
    ids=lambda module: module.__name__,
)
def test_docstring_examples_run_as_printed(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tutorial_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code
    exec("\n".join(code), {})
    assert "engine" in capsys.readouterr().out


def test_the_guide_to_trees_runs_from_top_to_bottom():
    text = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    trees = text[text.index("## Trees") : text.index("## Stand-ins")]
    code = re.findall(r"```python\n(.*?)```", trees, re.DOTALL)
    assert code
    exec("\n".join(code), {})


@pytest.mark.parametrize("page", ["operators.md", "svm.md"])
def test_pages_print_what_they_show(page, capsys):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert sum(bool(shown) for _, shown in blocks) == text.count("```text") > 0
    names = {}
    for code, shown in blocks:
        exec(code, names)
        assert capsys.readouterr().out == shown


def test_the_readme_names_commands_that_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = set(re.findall(r"^gristmill ([\w-]+)", "\n".join(blocks), re.MULTILINE))
    from gristmill.cli import COMMANDS

    assert commands
    assert commands <= set(COMMANDS)
