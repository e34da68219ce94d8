"""Files that hold a table: text with separators (CSV, TSV), or Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from gristmill.base.errors import FormatError, refusing
from gristmill.base.files import PathLike, display_name, read_bytes
from gristmill.base.progress import Progress
from gristmill.data.formats.delimited import MISSING, parse_delimited
from gristmill.data.formats.kinds import PARQUET, TABLE
from gristmill.data.formats.reading import reading
from gristmill.data.tables.frames import Table, read_table


@dataclass(frozen=True)
class TableReading:
    """How a table is read from text; Parquet says all this itself.

    Parameters
    ----------
    separator : str or None
        None: what the first line shows.
    missing : tuple of str
        Cells that are missing values.
    kinds : mapping
        What columns are, by name, where they need not look like it.
    """

    separator: str | None = None
    missing: tuple[str, ...] = MISSING
    kinds: Mapping[str, str] = field(default_factory=dict)


def read_table_file(path: PathLike, how: TableReading | None = None, progress: Progress | None = None) -> Table:
    """The table of a file, or of standard input for '-'; at least one row."""
    with reading(path, TABLE) as looked:
        content = read_bytes(path)
        table = parse_table(looked.content(content), how or TableReading(), display_name(path), progress)
    if not table.n_rows:  # not by `reading`: what a single line looks like says nothing
        raise FormatError("the table has a header and no rows", display_name(path))
    return table


def parse_table(content: bytes, how: TableReading, path: str | None = None, progress: Progress | None = None) -> Table:
    """The table of the content of a file, which may have no rows."""
    if content.startswith(PARQUET):
        with refusing():
            return read_table(_parquet_frame(content), may_be_empty=True)
    return parse_delimited(
        content, separator=how.separator, missing=how.missing, kinds=how.kinds, path=path, progress=progress
    )


def _parquet_frame(content: bytes) -> Any:
    """By whichever library is there."""
    for library, module, reader in (("pyarrow", "pyarrow.parquet", "read_table"), ("polars", "polars", "read_parquet")):
        try:
            read = getattr(import_module(module), reader)
        except ModuleNotFoundError:
            continue
        try:
            return read(io.BytesIO(content))
        except Exception as error:  # of types of these libraries' own
            raise FormatError(f"{library} cannot read the Parquet file: {error}") from error
    raise FormatError("Parquet needs pyarrow or polars: pip install pyarrow")
