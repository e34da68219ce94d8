"""Gram matrices as linear operators that never exist in memory: `kernel.operator(X)`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, cast

import numpy as np
from scipy.sparse.linalg import LinearOperator

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.forest import Forest, as_forest
from gristmill.display.numbers import memory
from gristmill.kernels import Kernel, Normalized, TreeKernel
from gristmill.kernels.base import check_symmetric
from gristmill.kernels.operator_parts import NO_LIMIT, Compiled, Options, Part, make_part, worthwhile_part

METHODS = ("auto", "compiled", "gram", "rows")
DEFAULT_BYTES = 4 << 30


class KernelOperator(LinearOperator):  # type: ignore[misc]
    """The Gram matrix K of a kernel over examples, as a scipy LinearOperator: `op @ W` is K W.

    Made by `kernel.operator(X)`. Symmetric, float64, exact. The result does not depend on the number of threads, nor a
    column of it on the other columns.

    Attributes
    ----------
    kernel : Kernel
    method : str
        'compiled', 'gram' or 'rows'; for sums of kernels that differ, all of them joined by '+'.
    nbytes : int
        Memory the operator takes.

    Examples
    --------
    >>> import gristmill as gm
    >>> op = gm.SubsetTreeKernel(decay=1.0).operator(["(S (A a) (B b))", "(S (A c) (B b))", "(S (A a))"])
    >>> op.shape, op.method
    ((3, 3), 'compiled')
    >>> op @ [1.0, 0.0, -1.0]
    array([ 5.,  3., -2.])
    """

    def __init__(self, kernel: Kernel, data: Any, options: Options, part: Part | None = None) -> None:
        super().__init__(np.dtype(np.float64), (len(data), len(data)))
        self.kernel = kernel
        self._data = data
        self._options = options
        self._part = make_part(kernel, data, options) if part is None else part

    @property
    def method(self) -> str:
        return "+".join(dict.fromkeys(part.method for part in self._part.leaves()))

    @property
    def nbytes(self) -> int:
        return self._part.nbytes

    @property
    def n_trees(self) -> int:
        """Distinct trees; 0 where no kernel was compiled."""
        return max((part.native.n_trees for part in self._compiled()), default=0)

    @property
    def n_subtrees(self) -> int:
        """Distinct subtrees of all trees; 0 where no kernel was compiled."""
        return max((part.native.n_subtrees for part in self._compiled()), default=0)

    def apply(self, W: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """K W for a vector or a matrix with a row for each example; `n_jobs` instead of the operator's own."""
        weights = np.asarray(W)
        if weights.dtype == object:
            raise ValueError("expected an array of weights, got objects")
        if weights.ndim not in (1, 2) or weights.shape[0] != self.shape[0]:
            raise ValueError(f"expected weights for {self.shape[0]} examples, got an array of shape {weights.shape}")
        if np.iscomplexobj(weights):
            raise ValueError("expected real weights, got complex ones")
        columns = np.ascontiguousarray(weights if weights.ndim == 2 else weights[:, None], dtype=np.float64)
        if not np.isfinite(columns).all():
            raise ValueError("weights must be numbers, got NaN or infinity")
        threads = self._options.threads if n_jobs is None else resolve_jobs(n_jobs)
        with np.errstate(over="ignore", invalid="ignore"):
            result = self._part.multiply(columns, threads, progress)
        if not np.isfinite(result).all():
            example = int(np.argwhere(~np.isfinite(result))[0, 0])
            raise ValueError(f"the sum for example {example} leaves the range of double; use smaller weights or decay")
        return result.reshape(weights.shape)

    def extend(self, X: Any, *, progress: Progress | None = None) -> None:
        """Append trees. Only productions (or labels) with new subtrees are compiled again.

        A compiled operator then equals `kernel.operator(..., method="compiled")` of all trees, to the last bit;
        'auto' might now choose otherwise. After an error the operator is unchanged.
        """
        larger = self.extended(X, progress=progress)
        self._part = larger._part
        self._data = larger._data
        self.__dict__.pop("_diagonal", None)
        self.shape = (len(self._data), len(self._data))

    def extended(self, X: Any, *, progress: Progress | None = None) -> KernelOperator:
        """An operator over these trees and those of X; this one stays as it is."""
        if not isinstance(self._data, Forest):
            raise ValueError("only an operator over trees can be extended; make a new one of all examples")
        data = self._data[:]
        data.extend(self._more(X))
        options = replace(self._options, progress=progress)
        try:
            part = self._part.extended(data, len(self._data), options)
        except _core.OperatorTooLargeError:
            if options.method != "auto":
                raise
            part = make_part(self.kernel, data, options)
        return KernelOperator(self.kernel, data, self._options, part)

    def restricted(self, numbers: Indices, data: Any) -> KernelOperator:
        """The operator over the examples with these numbers, which are `data`; reuses what is known of them."""
        return KernelOperator(
            self.kernel, data, self._options, self._part.restricted(self.kernel, data, numbers, self._options)
        )

    def _more(self, X: Any) -> Any:
        """Trees to append, read as those before."""
        if isinstance(X, Forest | str | bytes) or self.kernel.reads != "trees":
            return self.kernel.examples(X)
        trees = list(X)
        if all(isinstance(tree, str) for tree in trees):
            return list(map(str, trees))
        return as_forest(trees, marks=bool(self._data._reading.get("marks")))

    def diagonal(self) -> Floats:
        """k(x, x) for each example."""
        return self._diagonal.copy()

    @functools.cached_property
    def _diagonal(self) -> Floats:
        return self.kernel.diag(self._data, n_jobs=self._options.threads)

    @property
    def examples(self) -> Any:
        """The examples, as the kernel compares them: a Forest, for instance to make a Machine of a solution."""
        return self._data[:] if isinstance(self._data, Forest) else self._data

    def report(self) -> OperatorReport:
        """The method, why it was chosen, and sizes."""
        parts = list(self._part.leaves())
        reason = "; ".join(dict.fromkeys(part.reason for part in parts))
        return OperatorReport(
            self.method, reason, self.shape[0], self.n_trees, self.n_subtrees, self.nbytes, repr(self.kernel)
        )

    def _compiled(self) -> list[Compiled]:
        return [part for part in self._part.leaves() if isinstance(part, Compiled)]

    def __matmul__(self, other: Any) -> Any:
        return super().__matmul__(other) if isinstance(other, LinearOperator) else self.apply(other)

    def __reduce__(self) -> Any:
        """Pickles the examples; the copy is compiled again."""
        return KernelOperator, (self.kernel, self._data, replace(self._options, progress=None))

    def _matvec(self, x: Any) -> Floats:
        return self.apply(x)

    def _matmat(self, X: Any) -> Floats:
        return self.apply(X)

    def _adjoint(self) -> KernelOperator:
        return self

    def _transpose(self) -> KernelOperator:
        return self


def worthwhile_operator(kernel: Kernel, forest: Forest, n_jobs: int | None) -> KernelOperator | None:
    """The compiled operator of a tree kernel; None where that takes more than the matrix or its rows would."""
    of_trees = kernel.kernel if isinstance(kernel, Normalized) else kernel
    if not isinstance(of_trees, TreeKernel):
        return None
    options = Options("compiled", DEFAULT_BYTES, resolve_jobs(n_jobs), None)
    data = forest[:]
    try:
        return KernelOperator(kernel, data, options, worthwhile_part(cast(Any, kernel), data, options))
    except _core.OperatorTooLargeError:
        return None


@dataclass(frozen=True)
class OperatorReport:
    """The method of an operator, why it was chosen, and its sizes."""

    method: str
    reason: str
    n: int
    n_trees: int
    n_subtrees: int
    nbytes: int
    kernel: str

    def __str__(self) -> str:
        trees = f", {self.n_trees:,} distinct, {self.n_subtrees:,} distinct subtrees" if self.n_trees else ""
        return "\n".join(
            [
                f"method    {self.method} ({self.reason})",
                f"examples  {self.n:,}{trees}",
                f"memory    {memory(self.nbytes)}",
                f"kernel    {self.kernel}",
            ]
        )


def make_operator(
    kernel: Kernel, X: Any, method: str, max_bytes: int | None, n_jobs: int | None, progress: Progress | None
) -> KernelOperator:
    """See `Kernel.operator`."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    check_symmetric(kernel, "an operator")
    data = kernel.examples(X)
    if max_bytes is not None and (not isinstance(max_bytes, Integral) or max_bytes < 0):
        raise ValueError(f"max_bytes must be a whole number of bytes or None, got {max_bytes!r}")
    limit = DEFAULT_BYTES if max_bytes is None else min(int(max_bytes), NO_LIMIT)
    options = Options(method, limit, resolve_jobs(n_jobs), progress)
    return KernelOperator(kernel, data[:] if isinstance(data, Forest) else data, options)
