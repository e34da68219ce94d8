"""Column dropout: some training sentences lack columns, so that a parser also knows what to do where a run lacks them.

A parser that always saw lemmas relies on them; on words without any, machines with conjunctions of features are lost.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS

DROPPED = (
    "lemma",
    "xpos",
    "feats",
)  # that a run may lack; forms are always there, and UPOS is what all taggers fill in
DEFAULT_DROPOUT = 0.2


def check_dropout(share: Any) -> None:
    """ValueError unless it is a share that leaves something to learn from."""
    if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= float(share) < 1:
        raise ValueError(f"column_dropout must be a number from 0 on, below 1, got {share!r}")


def drop_columns(columns: _core.Columns, share: float, seed: int = 0) -> _core.Columns:
    """Columns of words, where each column that a run may lack is empty in so large a share of sentences, at random."""
    if share == 0:
        return columns
    lengths = np.diff(columns.starts())
    is_dropped = np.random.default_rng(seed).random((len(lengths), len(DROPPED))) < share
    cells = [columns.column(place) for place in range(len(COLUMNS))]
    for name, chosen in zip(DROPPED, is_dropped.T, strict=True):
        place = COLUMNS.index(name)
        lacking = np.repeat(chosen, lengths).tolist()
        cells[place] = ["" if lacks else cell for lacks, cell in zip(lacking, cells[place], strict=True)]
    return _core.Columns.of_cells([cell for word in zip(*cells, strict=True) for cell in word], len(COLUMNS), lengths)
