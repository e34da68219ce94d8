"""The table of the papers' items names what exists, and leaves none out."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from functools import cache
from pathlib import Path

import click
import pytest

import gristmill as gm
from benchmarks import papers
from benchmarks.__main__ import CLAIMS
from gristmill.cli import gristmill as command_line
from gristmill.scoring.scorer import Scorer

ROOT = Path(__file__).parents[2]
PAPERS = papers.papers()
ITEMS = [item for paper in PAPERS for item in paper.items]
COUNTS = {"1": 44, "2": 41, "3": 18, "4": 22, "5": 31, "X": 14}
EXAMPLES = {"machine": gm.Machine, "scorer": Scorer, "forest": gm.Forest, "clf": gm.KernelSVC}  # names for `use`

each_item = pytest.mark.parametrize("item", ITEMS, ids=[item.id for item in ITEMS])


def test_every_item_stands_in_the_table_once():
    expected = [f"{part}.{number:02}" for part, count in COUNTS.items() for number in range(1, count + 1)]
    assert [item.id for item in ITEMS] == expected


def test_the_page_is_written_from_the_table():
    assert papers.page_path().read_text(encoding="utf-8") == papers.page(PAPERS), "run python -m benchmarks.papers"


@each_item
def test_an_item_is_described_located_proven_and_within_reach(item):
    assert item.words.endswith(".")
    assert item.rooms
    assert item.tests
    assert item.use
    assert item.status in papers.STATUSES
    assert item.status == "proven" or item.note, "what is not proven says why"
    assert item.kind != "experiment" or item.benchmarks, "an experiment names its benchmark"


@each_item
def test_what_an_item_names_exists(item):
    assert [room for room in item.rooms if not (ROOT / room).exists()] == []
    assert [test for test in item.tests if not exists(test)] == []
    assert [name for name in item.benchmarks if name not in CLAIMS] == []
    for figure in item.figures:
        assert figure.ours.look_up()
    for picture in item.pictures:
        assert picture.look_up()


@each_item
def test_an_item_is_used_as_the_table_says(item):
    for use in item.use:
        if use.startswith("gristmill "):
            check_command(shlex.split(use)[1:])
        elif use.startswith("python -m benchmarks "):
            assert set(use.split()[3:]) - {"--quick"} <= {*CLAIMS, "papers"}
        else:
            check_python(use)


def test_what_does_not_exist_is_found_out():
    assert not exists("tests/docs/test_papers.py::test_of_nothing")
    assert not exists("tests/core/rows/rows_tests.cpp::nothing")
    for use in ("gm.PolynomialKernel(grade=2)", "gm.NoKernel()", "machine.compile(engine='direct', rarer=1)"):
        with pytest.raises((AssertionError, AttributeError)):
            check_python(use)
    for command in (["trains"], ["train", "--no-such-option"], ["tag", "walk"]):
        with pytest.raises(AssertionError):
            check_command(command)
    with pytest.raises(LookupError, match="0 rows begin with"):
        papers.Place("score_conll", ["no such row"], 0).look_up()


# --- tests -----------------------------------------------------------------------------------------------------------


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and name in functions(ROOT / path)


@cache
def functions(path: Path) -> frozenset[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".cpp":
        return frozenset(re.findall(r"^\w[\w:<> ]* (\w+)\(\) \{", text, re.MULTILINE))
    tree = ast.parse(text)
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for group in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        found |= {f"{group.name}::{node.name}" for node in group.body if isinstance(node, ast.FunctionDef)}
    return frozenset(found)


# --- commands --------------------------------------------------------------------------------------------------------


def check_command(words: list[str]) -> None:
    """The command exists, and has the options. Places of files are not looked at."""
    command: click.Command = command_line
    context = click.Context(command)
    while words and isinstance(command, click.Group):
        name, *words = words
        found = command.get_command(context, name)
        assert found is not None, f"no command {name}"
        command, context = found, click.Context(found, parent=context)
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    used = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
    assert used <= known | {"--help"}, f"no options {used - known}"


# --- Python ----------------------------------------------------------------------------------------------------------


def check_python(text: str) -> None:
    """Names can be looked up from `gm` or EXAMPLES, and calls name parameters that exist."""
    for node in ast.walk(ast.parse(text, mode="exec")):
        if isinstance(node, ast.Call):
            check_call(node)
        elif isinstance(node, ast.Attribute):
            look_up(node)


def check_call(call: ast.Call) -> None:
    function = look_up(call.func)
    if function is None:
        return
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    unknown = {keyword.arg for keyword in call.keywords} - set(parameters)
    assert not unknown, f"{ast.unparse(call.func)} has no {unknown}"


def look_up(node: ast.expr) -> object:
    """What an expression names; of a call, the class that is called. None where only running it would tell."""
    if isinstance(node, ast.Name):
        return {"gm": gm, "gristmill": gm, **EXAMPLES}.get(node.id)
    if isinstance(node, ast.Call):
        function = look_up(node.func)
        return function if inspect.isclass(function) else None
    if isinstance(node, ast.Attribute):
        owner = look_up(node.value)
        return None if owner is None else getattr(owner, node.attr)
    return None
