"""Rows of one-hot columns as codes: of each row and field the number of its bin."""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Indices
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine


def field_codes(rows: Rows, machine: Machine) -> tuple[Indices, tuple[int, ...]]:
    """Codes, and how many there are of each field: one more than bins, for rows that are in none of them.

    A row in two bins of a field is refused.
    """
    encoding = machine.encoding
    assert encoding is not None
    starts, n_fields = encoding.starts, len(encoding.fields)
    sizes = np.diff(starts)
    present = rows.ids < starts[-1]
    ids = rows.ids[present]
    row = np.repeat(np.arange(len(rows)), rows.lengths)[present]
    field = np.searchsorted(starts, ids, side="right") - 1
    codes = np.tile(sizes, (len(rows), 1))
    codes[row, field] = ids - starts[field]
    if len(ids) != np.count_nonzero(codes < sizes):
        both = int(np.flatnonzero(np.bincount(row * n_fields + field, minlength=codes.size) > 1)[0])
        name = encoding.fields[both % n_fields].name
        raise ValueError(
            f"row {both // n_fields} is in two bins of {name!r}: fields are explained for rows with one bin of each; "
            "use groups=False, which explains each bin by itself"
        )
    return codes, tuple((sizes + 1).tolist())
