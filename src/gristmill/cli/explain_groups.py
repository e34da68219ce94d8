"""Groups of columns as the command line names them: gristmill explain --groups."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import click

from gristmill.base.errors import FormatError
from gristmill.base.files import decoded, display_name, read_bytes
from gristmill.display.words import counted
from gristmill.explanations.groups import BETWEEN
from gristmill.machines.machine import Machine

_Named = tuple[str, list[Any]]

_WORDS: dict[str, Literal["fields", "columns", False]] = {"fields": "fields", "columns": "columns", "none": False}


def groups_for(machine: Machine, texts: Sequence[str]) -> Any:
    """What `gm.explain` takes as groups: None where nothing is said."""
    if not texts:
        return None
    if len(texts) == 1 and texts[0] in _WORDS:
        return _WORDS[texts[0]]
    found: dict[str, list[Any]] = {}
    for text in texts:
        if text in _WORDS:
            raise click.UsageError(f"--groups {text} says all: leave the other --groups away")
        for name, columns in _groups(text, machine):
            if name in found:
                raise click.UsageError(f"--groups names {name!r} twice")
            found[name] = [_column(one, machine) for one in columns]
    return found


def _groups(text: str, machine: Machine) -> Iterator[_Named]:
    if text.endswith("*"):
        yield _of_prefix(text.removesuffix("*"), machine)
    elif "=" in text and not text.endswith(".json"):
        name, _, columns = text.partition("=")
        yield name, columns.split(",")
    else:
        yield from _of_file(text)


def _of_prefix(prefix: str, machine: Machine) -> _Named:
    names = _names(machine)
    columns = [name for name in names if name.startswith(prefix)]
    if not columns:
        there = f"of {counted(len(names), 'name')}" if names else "the machine has no names of columns"
        raise click.UsageError(f"--groups {prefix}*: no column begins with {prefix!r}, {there}")
    return prefix.rstrip(BETWEEN) or prefix, columns


def _names(machine: Machine) -> Sequence[str]:
    """Of the columns of tables where the machine reads tables."""
    return machine.encoding.names if machine.encoding is not None else machine.feature_names or ()


def _of_file(path: str) -> Iterator[_Named]:
    """A JSON object from names to lists of columns."""
    try:
        found = json.loads(decoded(read_bytes(path)))
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", display_name(path), error.lineno, error.colno) from error
    if not isinstance(found, dict) or not all(_is_list_of_columns(columns) for columns in found.values()):
        raise FormatError(
            'groups are a JSON object from names to lists of columns, as {"sky": ["sky_rain", "sky_sun"]}',
            display_name(path),
        )
    yield from found.items()


def _is_list_of_columns(columns: Any) -> bool:
    return isinstance(columns, list) and all(isinstance(one, str) or type(one) is int for one in columns)


def _column(column: str | int, machine: Machine) -> str | int:
    """A name; else a number as data files count features. Tables have names."""
    text = str(column)
    if machine.encoding is not None or text in (machine.feature_names or ()) or not text.isdecimal():
        return text
    return int(text) - (machine.first_id or 0)
