"""Ablation: a row without its first feature, without its second, and so on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gristmill.data.rows import NO_VALUES, Rows


def ablated_rows(ids: ArrayLike, values: ArrayLike, n_features: int) -> Rows:
    """One row for each feature of a row: the row without that feature.

    Examples
    --------
    >>> from gristmill.explanations.ablation import ablated_rows
    >>> [row.ids.tolist() for row in map(ablated_rows([2, 5, 7], [1, 1, 1], 8).one, range(3))]
    [[5, 7], [2, 7], [2, 5]]
    """
    kept = np.asarray(ids, dtype=np.int32)
    size = len(kept)
    others = ~np.eye(size, dtype=bool).ravel()
    data = np.tile(np.asarray(values, dtype=np.float64), size)[others]
    offsets = np.arange(size + 1, dtype=np.int64) * max(size - 1, 0)
    return Rows(offsets, np.tile(kept, size)[others], NO_VALUES if (data == 1).all() else data, n_features)
