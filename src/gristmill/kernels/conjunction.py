"""The kernel of machines that are weights of conjunctions: a table of what combinations of features weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.examples import aligned
from gristmill.data.rows import Rows, as_rows, over_shared_columns
from gristmill.kernels.base import FeatureKernel, KernelRows, validate_no_fields


@dataclass(frozen=True)
class ConjunctionKernel(FeatureKernel):
    """k(x, s) = 1 where x has all features of s, else 0.

    A machine with this kernel is a sum of weights: its support rows are conjunctions of features, its coefficients what
    each adds to a score wherever it holds. A row without features is a constant. Values are 0 and 1.

    The kernel is not symmetric, so nothing can be trained with it: learners such as `KernelLogisticRegression` and
    `TableClassifier` keep what they have learned in this form.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.ConjunctionKernel()(gm.ids([[0, 1, 2], [2]]), gm.ids([[0, 2], [2], []]))
    array([[1., 1., 1.],
           [0., 1., 1.]])
    >>> machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [0, 2]]), [2.0, -0.5], 1.0)
    >>> machine.compile().decision_function(gm.ids([[0], [0, 2], [2]]))
    array([3. , 2.5, 1. ])
    """

    takes_values = False
    support_noun = "conjunction"

    @property
    def is_symmetric(self) -> bool:
        return False

    @property
    def formula(self) -> str:
        return "1 where all features of a conjunction hold"

    def examples(self, X: Any) -> Rows:
        """X as Rows of 0 and 1; ValueError for other values."""
        validate_no_fields(X)
        rows = as_rows(X, binarize=False)
        if not rows.is_binary:
            other = rows.values[rows.values != 1][0]
            raise ValueError(
                f"conjunctions are of features that are there or not: values must be 0 and 1, got {other:g}"
            )
        return rows

    def longest(self, support: Rows) -> int:
        return int(support.lengths.max(initial=0))

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        """k(a, a) for each row of A: 1."""
        return np.ones(len(self.examples(A)))

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """Whether each row of A has all features of each row of B: they have as many in common as the latter has."""
        rows = self.examples(A)
        conjunctions = rows if B is None else self.examples(B)
        rows, conjunctions = over_shared_columns(aligned(rows, conjunctions), conjunctions)
        width = max(rows.n_features, conjunctions.n_features)
        shared = (rows.to_csr(width) @ conjunctions.to_csr(width).T).toarray()
        return np.asarray(shared == conjunctions.lengths, dtype=np.float64)

    def rows(self, A: Any) -> ConjunctionRows:
        """A provider of k(x, a) for the conjunctions a of A."""
        return ConjunctionRows(self, self.examples(A))


class ConjunctionRows(KernelRows):
    """Rows of k(x, s) for the conjunctions s of the provider."""

    def __init__(self, kernel: ConjunctionKernel, data: Rows) -> None:
        self.kernel = kernel
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The rows with these numbers."""
        return self.against(self.data.take(numbers), n_jobs=n_jobs, progress=progress)

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """k(x, s) for the rows x of X and all conjunctions s of the provider."""
        return self.kernel.direct(X, self.data, n_jobs=n_jobs, progress=progress)
