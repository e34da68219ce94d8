"""Functions of Python source files, as syntax trees."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, decoded, display_name, read_bytes
from gristmill.base.warnings import SkippedFileWarning
from gristmill.data.forest import Forest


class Functions(NamedTuple):
    """Functions and methods, those inside others too."""

    trees: Forest
    places: list[str]  # file:line name


def read_functions(path: PathLike) -> Functions:
    """The functions of a file, of standard input ('-'), or of all `.py` files below a folder.

    Docstrings are left out. A file of a folder that does not parse is passed over with a SkippedFileWarning; a single
    one raises FormatError.
    """
    places: list[str] = []
    forest = Forest.from_ast(_noted(path, places))
    if not places:
        raise FormatError("there are no Python functions in it", display_name(path))
    return Functions(forest, places)


def _noted(path: PathLike, places: list[str]) -> Iterator[ast.AST]:
    for place, function in _functions(path):
        places.append(place)
        yield function


def _functions(path: PathLike) -> Iterator[tuple[str, ast.AST]]:
    if str(path) == "-" or not Path(path).is_dir():
        yield from _of_source(display_name(path), _parsed(path))
        return
    for file in sorted(Path(path).rglob("*.py")):
        try:
            module = _parsed(file)
        except FormatError as error:
            warnings.warn(f"{error}; the file is passed over", SkippedFileWarning, stacklevel=2)
            continue
        yield from _of_source(str(file), module)


def _parsed(path: PathLike) -> ast.Module:
    try:
        return ast.parse(decoded(read_bytes(path)))
    except SyntaxError as error:
        raise FormatError(f"no Python: {error.msg}", display_name(path), error.lineno, error.offset) from error
    except ValueError as error:
        raise FormatError(f"no Python: {error}", display_name(path)) from error


def _of_source(name: str, module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            yield f"{name}:{node.lineno} {node.name}", node
