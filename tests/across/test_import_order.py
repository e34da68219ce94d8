"""Every module can be the first that a program imports."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gristmill

ROOT = Path(gristmill.__file__).parent

# One child a module, of a process that has what they all need.
IMPORT_EACH = """
import importlib, os, sys, traceback

import click, numpy, scipy.sparse, sklearn

def imports(name):
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0

print(*(name for name in sys.argv[1:] if not imports(name)))
"""


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def when_imported(nodes: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run with the module: none of functions, none for type checkers alone."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from when_imported(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from when_imported([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)])


def named_by(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [name for alias in node.names for name in (node.module or "", f"{node.module}.{alias.name}")]


def packages_of(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:size]) for size in range(1, len(parts))]


def needs(importer: str, path: Path, known: dict[str, Path]) -> set[str]:
    """What must be complete before a module is: what it imports, and the packages around that, but for its own."""
    named = {name for node in when_imported(ast.parse(path.read_text("utf-8")).body) for name in named_by(node)}
    named -= {"gristmill"}  # the package gives its names when they are first used
    around = {package for name in named for package in packages_of(name)} - set(packages_of(importer))
    return ((named | around) & known.keys()) - {importer}


def test_no_module_waits_for_itself() -> None:
    known = modules()
    graphlib.TopologicalSorter({name: needs(name, path, known) for name, path in known.items()}).prepare()


@pytest.mark.slow
def test_every_module_can_be_imported_first() -> None:
    names = [name for name in modules() if not name.endswith("__main__")]
    program = subprocess.run([sys.executable, "-c", IMPORT_EACH, *names], check=False, capture_output=True, text=True)
    assert (program.stdout.strip(), program.stderr) == ("", "")
