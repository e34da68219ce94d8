"""gristmill inspect of tables, and of models that read tables: their columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click

from gristmill.base.errors import naming, refusing
from gristmill.cli.screen import count, overview_table, table
from gristmill.data.formats.kinds import BINARY, COLUMNS, EMPTY, LABELS, TABLE, TEXT, UTF16, kind_of
from gristmill.data.formats.table_files import TableReading, parse_table
from gristmill.data.tables.overview import overview
from gristmill.machines.machine import Machine
from gristmill.machines.table_files import TableSource

_SUFFIXES = {".csv", ".tsv"}
_UNTELLING = (EMPTY, LABELS, TEXT, COLUMNS, UTF16, BINARY)  # what a file may look like that is none of these


def is_table(content: bytes, path: str) -> bool:
    """By the content; by the name where a table with a mistake in it looks like that."""
    kind = kind_of(content).kind
    is_named_so = not _SUFFIXES.isdisjoint(Path(path).suffixes)
    return kind == TABLE or (is_named_so and kind in _UNTELLING)


def show_table(content: bytes, path: str, *, as_json: bool) -> None:
    """Print the columns of a table."""
    found = parse_table(content, TableReading(), path)
    with naming(path), refusing():
        columns = overview(found) if found.n_rows else []
    if as_json:
        known = [asdict(one) for one in columns] or [{"name": name} for name in found.names]
        click.echo(json.dumps({"format": "table", "rows": found.n_rows, "columns": known}))
        return
    rows = count(found.n_rows) if found.n_rows else "0, there is a header alone"
    table("table", ["", ""], [("rows", rows), ("columns", count(len(found.names)))])
    if columns:
        overview_table(columns)
    else:
        table("columns", ["column"], [(name,) for name in found.names])


def column_lines(machine: Machine) -> Iterable[tuple[str, str]]:
    """What is said of a model that reads tables."""
    if machine.encoding is not None:
        yield "columns", count(len(machine.encoding.names))
        target = TableSource.of(machine).target
        if target is not None:
            yield "predicts", target


def show_columns(machine: Machine) -> None:
    """Print the fields of a model that reads tables."""
    if machine.encoding is not None:
        cells = [
            (field.name, field.kind, count(len(field.bins)), "" if field.missing is None else "yes")
            for field in machine.encoding.fields
        ]
        table("fields", ["name", "kind", "bins", "missing values"], cells, left=2)
