"""gristmill inspect of tables, and of models that read tables: their columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

import click

from gristmill.cli.screen import count, overview_table, table
from gristmill.data.formats.kinds import TABLE, kind_of
from gristmill.data.formats.table_files import PARQUET, TableReading, parse_table
from gristmill.data.tables.overview import overview
from gristmill.machines.machine import Machine
from gristmill.machines.table_files import TableSource


def is_table(content: bytes) -> bool:
    return content.startswith(PARQUET) or kind_of(content).kind == TABLE


def show_table(content: bytes, path: str, *, as_json: bool) -> None:
    """Print the columns of a table."""
    found = parse_table(content, TableReading(), path)
    columns = overview(found)
    if as_json:
        click.echo(json.dumps({"format": "table", "rows": found.n_rows, "columns": [asdict(one) for one in columns]}))
        return
    table("table", ["", ""], [("rows", count(found.n_rows)), ("columns", count(len(columns)))])
    overview_table(columns)


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
