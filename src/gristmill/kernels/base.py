"""Kernel, a value object that compares examples, and KernelRows, which computes rows of its Gram matrix."""

from __future__ import annotations

import abc
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.rows import Rows

if TYPE_CHECKING:
    from gristmill.kernels.combined import FieldKernel, ScaledKernel, SumKernel
    from gristmill.kernels.operators import KernelOperator


_SMALLEST_NORM = 2.0**-960  # smaller sums may have lost digits to numbers below the range of double


class KernelRows(abc.ABC):
    """Rows of a Gram matrix, computed on demand: `provider[i]`, `provider[[i, j]]`, `provider.against(X)`."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """k(x, s) for the examples x of X and all examples s of the provider."""

    @abc.abstractmethod
    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The rows with these numbers."""

    def __getitem__(self, which: Any) -> Floats:
        numbers = np.arange(len(self))[which]
        rows = self.take(np.atleast_1d(numbers))
        return np.asarray(rows[0]) if np.ndim(numbers) == 0 else rows

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """All rows."""
        return self.take(np.arange(len(self)), n_jobs=n_jobs, progress=progress)


def validate_no_fields(X: Any) -> None:
    """ValueError for Examples: a kernel without a field cannot choose one."""
    if isinstance(X, Examples):
        names = ", ".join(map(repr, X.fields))
        raise ValueError(f"got Examples; name the field to compare, as in k.on('trees'): there are {names}")


def inverse_norms(diagonal: Floats) -> Floats:
    """1 / sqrt(k(a, a)) from k(a, a); 0 counts as 1. ValueError where it is too small to keep its digits."""
    small = (diagonal > 0) & (diagonal < _SMALLEST_NORM)
    if small.any():
        _fail_underflow(int(np.flatnonzero(small)[0]))
    return np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 1.0)


def _fail_underflow(example: int) -> NoReturn:
    raise ValueError(
        f"the kernel of example {example} with itself is too small for double, so that it cannot be normalised: use a "
        "larger decay, or other parameters that make the kernel larger"
    )


def check_symmetric(kernel: Kernel, what: str) -> None:
    """ValueError for a kernel that is not symmetric: `what` needs one."""
    if not kernel.is_symmetric:
        raise ValueError(
            f"{what} needs a symmetric kernel, and {kernel!r} is none: it asks whether a row has all features of a "
            "conjunction; it is for machines whose weights are known"
        )


class Kernel(abc.ABC):
    """A kernel. `k(A, B)` is a Gram matrix; `k1 + k2` and `0.5 * k` are kernels, `k.on("trees")` compares one field."""

    @abc.abstractmethod
    def rows(self, A: Any) -> KernelRows:
        """A provider of rows of the Gram matrix of A, for solvers."""

    @abc.abstractmethod
    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        """k(a, a) for each example of A."""

    @abc.abstractmethod
    def examples(self, X: Any) -> Any:
        """X, checked and in the form this kernel compares."""

    marked = False  # whether only fragments with a marked node count
    reads = ""  # how raw data are read: as 'trees', 'sequences', 'rows' or 'fields'
    takes_values = True  # whether rows may hold values other than 0 and 1
    support_noun = ""  # what a support example is, where it is no example

    @property
    def is_symmetric(self) -> bool:
        """Whether k(a, b) = k(b, a); solvers and operators need that."""
        return True

    @property
    def is_semidefinite(self) -> bool:
        """Whether k(a, b)^2 is at most k(a, a) k(b, b), as far as the kind of kernel and its settings tell."""
        return self.is_symmetric

    @property
    def is_nonnegative(self) -> bool:
        """Whether k(a, b) is never below 0, of rows whose values are not."""
        return True

    def inverse_norms(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        """1 / sqrt(k(a, a)), by which a normalised kernel is multiplied; 1 where nothing of a counts, so that it is 0.

        ValueError where k(a, a) is too small for double.
        """
        data = self.examples(A)
        diagonal = self.diag(data, n_jobs=n_jobs)
        zeros = np.flatnonzero(diagonal == 0)
        lost = zeros[~self.vanishes(data.take(zeros))] if len(zeros) else zeros
        if len(lost):
            _fail_underflow(int(lost[0]))
        return inverse_norms(diagonal)

    def vanishes(self, A: Any) -> Flags:
        """Of examples whose k(a, a) is 0 in doubles, whether it is 0 in real numbers, too."""
        return np.ones(len(A), dtype=np.bool_)

    def bound(self, A: Any) -> Floats:
        """Numbers such that k(a, b)^2 is at most the product of those of a and b: k(a, a), or more."""
        return self.diag(A)

    def __call__(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """Gram matrix of k(a, b) for the examples of A and B, of A with itself when B is None or A."""
        if B is None or B is A:
            return self.rows(A).gram(n_jobs=n_jobs, progress=progress)
        return self.rows(B).against(A, n_jobs=n_jobs, progress=progress)

    @abc.abstractmethod
    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The Gram matrix by the definition, pair by pair: the reference for the fast way."""

    def operator(
        self,
        X: Any,
        *,
        method: str = "auto",
        max_bytes: int | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> KernelOperator:
        """The Gram matrix of X as a linear operator that need not exist in memory: `op @ W`, or any scipy solver.

        Parameters
        ----------
        X : examples
        method : {'auto', 'compiled', 'gram', 'rows'}
            'compiled' turns a tree kernel over the distinct subtrees of X into one small exact operator, 'gram' keeps
            the matrix, 'rows' computes its rows every time. 'auto' compiles tree kernels, unless that would take more
            memory than the matrix or longer than some passes over its rows; then it keeps the matrix if it fits.
            The exception are wide nodes with many equal labels, for kernels that skip children.
        max_bytes : int or None
            Memory the operator may take; None is 4 GiB. 'auto' tries the next method, a named one raises
            ValueError.
        n_jobs : int or None
            Threads, to compile and to apply.
        progress : callable or None
            Called with (done, total) while compiling. Raise in it, or press Ctrl-C, to stop.
        """
        from gristmill.kernels.operators import make_operator

        return make_operator(self, X, method, max_bytes, n_jobs, progress)

    def on(self, field: str) -> FieldKernel:
        """The same kernel on one field of `Examples`."""
        from gristmill.kernels.combined import FieldKernel

        return FieldKernel(self, field)

    def __add__(self, other: Any) -> SumKernel:
        from gristmill.kernels.combined import SumKernel

        return SumKernel.of(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: Any) -> Kernel:
        """So that sum() takes kernels."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, weight: Any) -> ScaledKernel:
        from gristmill.kernels.combined import ScaledKernel

        return ScaledKernel(self, cast(float, weight)) if isinstance(weight, Real) else NotImplemented

    __rmul__ = __mul__


class FeatureKernel(Kernel):
    """A kernel of rows with which a score is a sum of weights of conjunctions: features can be explained one by one."""

    reads = "rows"

    @property
    @abc.abstractmethod
    def formula(self) -> str:
        """The kernel as people write it."""

    @abc.abstractmethod
    def longest(self, support: Rows) -> int:
        """How many features a conjunction that weighs something has at most."""
