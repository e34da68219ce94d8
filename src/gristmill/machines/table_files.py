"""Files of tables for a machine with an encoding: its columns by name, and the column that it predicts if it is there.

A machine that was learned from a file keeps in its provenance, as `table`, what the file was read with. What is missing
in a file of text is kept by its encoding, which reads cells of other tables in this way.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import PathLike, display_name
from gristmill.base.progress import Progress
from gristmill.base.warnings import TableWarning, outside
from gristmill.data.formats.delimited import MISSING
from gristmill.data.formats.table_files import TableReading, read_table_file
from gristmill.data.rows import Rows
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.frames import Table
from gristmill.display.words import counted
from gristmill.machines.machine import Machine

KEY = "table"  # in provenance


@dataclass(frozen=True)
class TableSource:
    """What a machine was learned from.

    Parameters
    ----------
    target : str or None
        The column that it predicts; None: nothing is known.
    dropped : tuple of str
        Columns that were left out.
    reading : TableReading
    typical : mapping
        A typical value of each column.
    """

    target: str | None = None
    dropped: tuple[str, ...] = ()
    reading: TableReading = field(default_factory=TableReading)
    typical: Mapping[str, Any] = field(default_factory=dict)

    def to_spec(self) -> dict[str, Any]:
        """For provenance, without what the encoding keeps."""
        return {
            "target": self.target,
            "dropped": list(self.dropped),
            "separator": self.reading.separator,
            "kinds": dict(self.reading.kinds),
            "typical": dict(self.typical),
        }

    @classmethod
    def of(cls, machine: Machine) -> TableSource:
        """That of a machine; nothing is known of one that was not learned from a file."""
        spec = machine.provenance.get(KEY)
        if spec is None:
            return cls()
        try:
            kept = None if machine.encoding is None else machine.encoding.missing
            kinds = {str(name): str(kind) for name, kind in spec.get("kinds", {}).items()}
            reading = TableReading(spec.get("separator"), MISSING if kept is None else kept, kinds)
            return cls(
                spec.get("target"), tuple(map(str, spec.get("dropped", ()))), reading, dict(spec.get("typical", {}))
            )
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"what the machine says of its table is damaged: {error}") from None


def read_table_for(machine: Machine, path: PathLike, *, progress: Progress | None = None) -> tuple[Rows, NDArray[Any]]:
    """Rows of one-hot columns and labels, of a file that has the machine's columns in any order.

    Labels are strings where the machine's classes are, else numbers, of booleans 0 and 1; '' and nan: there is none.
    """
    assert machine.encoding is not None
    source = TableSource.of(machine)
    table = read_table_file(path, source.reading, progress)
    with naming(display_name(path)), refusing():
        truth = _target_of(table, source, machine.encoding)
        labels = _labels(table, truth, machine)
        rows = machine.encoding.rows(machine.encoding.codes(_columns_of(table, truth, source, machine.encoding)))
    return rows, labels


def _target_of(table: Table, source: TableSource, encoding: Encoding) -> str | None:
    """The column of true answers: the one that was learned, else the only one that the machine does not read."""
    if source.target is not None:
        return source.target if source.target in table.names else None
    others = [name for name in table.names if name not in encoding.names] if encoding.is_named else []
    return others[0] if len(others) == 1 else None


def _columns_of(table: Table, truth: str | None, source: TableSource, encoding: Encoding) -> Table:
    """What the machine reads."""
    names = [name for name in table.names if name != truth]
    if not encoding.is_named:
        if len(names) != len(encoding.names):
            raise FormatError(f"it has {counted(len(names), 'column')}, the model reads {len(encoding.names)}")
        return Table(encoding.names, False, table.n_rows, table.only(names).read)
    absent = [name for name in encoding.names if name not in names]
    if absent:
        lacking = f"is no column {_listed(absent)}" if len(absent) == 1 else f"are no columns {_listed(absent)}"
        raise FormatError(f"there {lacking}, which the model reads; there are {_listed(names)}")
    unknown = [name for name in names if name not in (*encoding.names, *source.dropped)]
    if unknown:
        warnings.warn(f"the model does not read {_listed(unknown)}", TableWarning, stacklevel=outside())
    return table.only(encoding.names)


def _listed(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most)


def _labels(table: Table, truth: str | None, machine: Machine) -> NDArray[Any]:
    is_words = machine.classes is not None and machine.classes.dtype.kind == "U"
    if truth is None:
        return np.full(table.n_rows, "" if is_words else np.nan)
    column = table.read(table.names.index(truth))
    if not is_words:
        return column.numbers()
    words = column.words()
    return np.array([*words.texts, ""])[words.codes]
