"""From ids to a value each; as large as there are ids, whatever the largest of them is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class IdTable:
    """Values of ids, none of which is listed twice; all other ids have one value.

    Examples
    --------
    >>> import numpy as np
    >>> from gristmill.base.id_table import IdTable
    >>> table = IdTable(np.array([2_000_000_000, 7]), np.array([10, 20]), absent=-1)
    >>> table.of(np.array([7, 8, 2_000_000_000]))
    array([20, -1, 10])
    """

    def __init__(self, ids: NDArray[Any], values: NDArray[Any], absent: Any) -> None:
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._values = np.append(values[order], np.array(absent, dtype=values.dtype))

    def of(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The value of each of these ids."""
        return self._values[place_among(self._ids, ids)]


def place_among(known: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.intp]:
    """Where each of these ids stands among the known ones, which ascend; their number for an id that does not."""
    if len(known) == 0:
        return np.zeros(len(ids), dtype=np.intp)
    at = np.searchsorted(known, ids)
    is_known = known[np.minimum(at, len(known) - 1)] == ids
    return np.where(is_known, at, len(known)).astype(np.intp)
