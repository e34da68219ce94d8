"""The definition of a machine, for rows whose label the tables leave open: its doubles, added up as `direct` does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Int64s
from gristmill.exporting.expansion import ranks_of
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class Definition:
    """Support rows, coefficients and kernel values.

    Parameters
    ----------
    starts, ranks : int64 arrays
        The support rows by the ranks of their features, ascending.
    first, outputs, coef : arrays
        Of each support row the outputs it has a coefficient for, and these.
    kernel : float64 array
        k by the number of shared features; empty where k is 1 for all features of the support row, else 0.
    intercept : float64 array
    """

    starts: Int64s
    ranks: Int64s
    first: Int64s
    outputs: Int64s
    coef: Floats
    kernel: Floats
    intercept: Floats

    @classmethod
    def of(cls, machine: Machine, features: Int64s) -> Definition:
        """That of a machine whose features have these ranks."""
        rows, coef = machine.rows, sp.csr_matrix(machine.coef)
        owners, ranks = np.repeat(np.arange(len(rows)), rows.lengths), ranks_of(rows.ids, features)
        longest = int(rows.lengths.max(initial=0))
        by_overlap = not isinstance(machine.kernel, ConjunctionKernel)
        return cls(
            rows.offsets,
            ranks[np.lexsort((ranks, owners))].astype(np.int64),
            coef.indptr.astype(np.int64),
            coef.indices.astype(np.int64),
            coef.data.astype(np.float64),
            machine.polynomial.values(longest) if by_overlap else np.empty(0),
            machine.intercept,
        )
