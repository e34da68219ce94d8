"""TableModel: the tables that were learned, as a function of codes and as a machine."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.threads import resolve_jobs
from gristmill.solvers.tables.plan import TablePlan

_BYTE = 256


def narrowed(codes: NDArray[Any], bins: Sequence[int]) -> NDArray[Any]:
    """Codes in Fortran order, as bytes where all columns have at most 256 bins."""
    return np.asfortranarray(codes, dtype=np.uint8 if max(bins, default=1) <= _BYTE else np.uint16)


class TableModel:
    """f(x) = b + an entry of each term's table.

    Parameters
    ----------
    plan : TablePlan
    tables : float64 array
        Of all terms, one after the other: an entry for each bin of its fields and each output.
    intercepts : float64 array
        One for each output.
    """

    def __init__(self, plan: TablePlan, tables: Floats, intercepts: Floats) -> None:
        self.plan = plan
        self.intercepts = intercepts
        self._tables = tables

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("plan", "intercepts", "_tables")}

    @property
    def nbytes(self) -> int:
        return int(self._tables.nbytes)

    @functools.cached_property
    def tables(self) -> dict[tuple[int, ...], Floats]:
        """The table of each term, by the numbers of its fields: an axis for each field, and one for outputs."""
        found, begin, bins = {}, 0, self.plan.bins
        for term in self.plan.terms:
            shape = (*(bins[number] for number in term), len(self.intercepts))
            found[term] = self._tables[begin : begin + int(np.prod(shape))].reshape(shape)
            begin += int(np.prod(shape))
        return found

    @functools.cached_property
    def _compiled(self) -> _core.TableScores:
        terms = [list(term) for term in self.plan.terms]
        return _core.TableScores(np.array(self.plan.bins, dtype=np.uint32), terms, self._tables, self.intercepts)

    def scores(self, codes: NDArray[Any], n_jobs: int | None = None) -> Floats:
        """Rows x outputs."""
        out = np.empty((len(codes), len(self.intercepts)))
        self._compiled.score(narrowed(codes, self.plan.bins), out, resolve_jobs(n_jobs))
        return out

    @functools.cached_property
    def error_bound(self) -> float:
        """What scores differ at most from exact sums of the tables' entries, in whatever order they are added."""
        sizes = [np.abs(table).max(initial=0.0) for table in self.tables.values()]
        size = float(np.abs(self.intercepts).max(initial=0.0) + sum(sizes))
        return 4 * (len(sizes) + 2) * np.finfo(np.float64).eps * size

    def conjunctions(self, starts: NDArray[np.int64]) -> tuple[sp.csr_matrix, Floats]:
        """The entries other than 0: rows of the one-hot columns that their fields begin at, and weights by outputs."""
        ids, lengths, weights = [], [], []
        for term, table in self.tables.items():
            cells = np.nonzero(np.abs(table).max(axis=-1))
            ids.append(np.stack([starts[n] + at for n, at in zip(term, cells, strict=True)], axis=1).ravel())
            lengths.append(np.full(len(cells[0]), len(term)))
            weights.append(table[cells])
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, dtype=int), *lengths]))])
        columns = np.concatenate([np.empty(0, dtype=np.int64), *ids]).astype(np.int32)
        shape = (len(offsets) - 1, int(starts[-1]))
        rows = sp.csr_matrix((np.ones(len(columns)), columns, offsets.astype(np.int64)), shape=shape)
        return rows, np.concatenate([np.empty((0, len(self.intercepts))), *weights])
