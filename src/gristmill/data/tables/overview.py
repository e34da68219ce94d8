"""What was read of a table: of each column its kind, missing values, how many different values, and a typical one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.data.tables.columns import Column
from gristmill.data.tables.frames import Table
from gristmill.data.tables.words import text_of


@dataclass(frozen=True)
class ColumnOverview:
    """One column.

    Parameters
    ----------
    name, kind : str
    missing : int
        Rows without a value.
    distinct : int
        Different values in the others.
    typical : float, str or None
        Of numbers and dates the median, which some row has; else the most frequent value. None: all are missing.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    typical: float | str | None


def overview(table: Table) -> list[ColumnOverview]:
    """The columns of a table, in its order.

    Examples
    --------
    >>> from gristmill.data.tables.frames import read_table
    >>> from gristmill.data.tables.overview import overview
    >>> rows = [{"age": 34, "housing": "own"}, {"age": 47, "housing": "rent"}, {"age": None, "housing": "own"}]
    >>> [(one.missing, one.distinct, one.typical) for one in overview(read_table(rows))]
    [(1, 2, 34.0), (0, 2, 'own')]
    """
    return [_of_column(table.read(at)) for at in range(len(table.names))]


def _of_column(column: Column) -> ColumnOverview:
    if column.kind in ("number", "date"):
        values = column.numbers() if column.kind == "number" else column.dates()
        known, counts = np.unique(values[~column.missing()], return_counts=True)
        at = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
        texts = known.tolist() if column.kind == "number" else list(map(text_of, known.tolist()))
    else:
        words = column.words()
        counts = np.bincount(words.codes[words.codes >= 0], minlength=len(words.texts))
        at, texts = int(counts.argmax()) if len(counts) else 0, words.texts
    typical = texts[at] if counts.any() else None
    return ColumnOverview(column.name, column.kind, int(column.missing().sum()), int(np.count_nonzero(counts)), typical)
