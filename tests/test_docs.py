"""What the documentation says runs."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gristmill.apps.arc_drawing
import gristmill.apps.arc_svg
import gristmill.apps.chunk_scores
import gristmill.apps.chunks
import gristmill.apps.dependency_parser
import gristmill.apps.parse_scores
import gristmill.apps.segmenter
import gristmill.apps.tagger
import gristmill.apps.tree_classifier
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
import gristmill.tuning.front
from gristmill.apps.roles import read_propbank, write_labelled_trees

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "module",
    [
        gristmill.apps.arc_drawing,
        gristmill.apps.arc_svg,
        gristmill.apps.chunk_scores,
        gristmill.apps.chunks,
        gristmill.apps.dependency_parser,
        gristmill.apps.parse_scores,
        gristmill.apps.segmenter,
        gristmill.apps.tagger,
        gristmill.apps.tree_classifier,
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
        gristmill.tuning.front,
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


PAGES = [
    *("explain.md", "operators.md", "parser.md", "relations.md", "relations_of_pairs.md", "segmenter.md", "svm.md"),
    *("tagger.md", "tree_classifier.md", "tuning.md"),
]


@pytest.mark.parametrize("page", PAGES)
def test_pages_print_what_they_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|console)\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert sum(bool(shown) for *_, shown in blocks) == text.count("```text") > 0
    names = {}
    for kind, code, shown in blocks:
        if kind == "console":
            check_console(code)
        else:
            exec(code, names)
            assert capsys.readouterr().out == shown
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert Path(picture).read_bytes() == (ROOT / "docs" / picture).read_bytes()


def check_console(block):
    """Run what stands behind `$`, and compare what it prints, but for white space and seconds."""
    gristmill = f'gristmill() {{ "{sys.executable}" -m gristmill "$@"; }}'
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        shell = ["bash", "-c", f"set -e\n{gristmill}\n{command}"]
        ran = subprocess.run(shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, encoding="utf-8")
        assert (ran.returncode, smoothed(ran.stdout)) == (0, smoothed(shown))


def smoothed(text):
    return re.sub(r"\d+\.\d s\b", "# s", " ".join(text.split()))


def test_the_propbank_files_that_formats_shows_are_what_is_read_and_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    section = text[text.index("### PropBank") : text.index("### KeLP")]
    files, labelled = (re.sub(" {2,}", "\t", block) for block in re.findall(r"```text\n(.*?)```", section, re.DOTALL))
    for name, lines in zip(["trees", "props"], files.split("\n\n"), strict=True):
        Path(name).write_text(lines, encoding="utf-8")
    write_labelled_trees("labelled", *read_propbank("trees", "props"))
    assert Path("labelled").read_text(encoding="utf-8") == labelled


def test_the_text_analysers_of_the_readme_run_as_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## Text analysers") : text.index("## From the shell")]
    check_console(re.findall(r"```console\n(.*?)```", section, re.DOTALL)[0])


def test_the_readme_names_commands_that_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = set(re.findall(r"^(?:\$ )?gristmill ([\w-]+)", "\n".join(blocks), re.MULTILINE))
    from gristmill.cli import COMMANDS

    assert commands
    assert commands <= set(COMMANDS)
