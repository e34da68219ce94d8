"""Kernels made of kernels: normalised, scaled, added, and each on its own field of the examples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import compared_trees
from gristmill.kernels.base import Kernel, KernelRows, validate_no_fields
from gristmill.kernels.trees import TreeKernel, tree_rows


class _Wrapper(Kernel):
    """A kernel that compares what its inner kernel compares."""

    kernel: Kernel

    @property
    def marked(self) -> bool:  # type: ignore[override]
        return self.kernel.marked

    @property
    def reads(self) -> str:  # type: ignore[override]
        return self.kernel.reads

    @property
    def is_symmetric(self) -> bool:
        return self.kernel.is_symmetric

    @property
    def is_semidefinite(self) -> bool:
        return self.kernel.is_semidefinite

    @property
    def is_nonnegative(self) -> bool:
        return self.kernel.is_nonnegative

    def examples(self, X: Any) -> Any:
        return self.kernel.examples(X)

    def vanishes(self, A: Any) -> Flags:
        return self.kernel.vanishes(A)


@dataclass(frozen=True, repr=False)
class Normalized(_Wrapper):
    """k(x, y) / sqrt(k(x, x) k(y, y)); a self-kernel of zero counts as 1.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.Normalized(gm.SubsetTreeKernel())(["(NP (D the) (N dog))"])
    array([[1.]])
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        _check_kernel(self.kernel)

    def __repr__(self) -> str:
        return f"Normalized({self.kernel!r})"

    def bound(self, A: Any) -> Floats:
        data = self.examples(A)
        if self.is_semidefinite:
            return np.ones(len(data))
        diagonal = self.kernel.diag(data)
        return np.where(diagonal > 0, self.kernel.bound(data) / np.where(diagonal > 0, diagonal, 1.0), 1.0)

    def rows(self, A: Any) -> KernelRows:
        data = self.examples(A)
        if isinstance(self.kernel, TreeKernel):
            return tree_rows(self.kernel, data, normalised=True)
        return _NormalizedRows(self.kernel, data)

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        return np.where(self.kernel.diag(A, n_jobs=n_jobs) > 0, 1.0, 0.0)

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        A = self.examples(A)
        B = None if B is None else self.examples(B)
        left = self.kernel.inverse_norms(A, n_jobs=n_jobs)
        right = left if B is None else self.kernel.inverse_norms(B, n_jobs=n_jobs)
        return self.kernel.direct(A, B, n_jobs=n_jobs, progress=progress) * left[:, None] * right


@dataclass(frozen=True, repr=False)
class ScaledKernel(_Wrapper):
    """weight * k(x, y), with weight > 0."""

    kernel: Kernel
    weight: float

    def __post_init__(self) -> None:
        _check_kernel(self.kernel)
        if not isinstance(self.weight, Real) or isinstance(self.weight, bool) or not 0 < self.weight < math.inf:
            raise ValueError(f"a kernel must be multiplied by a number above 0, got {self.weight!r}")
        object.__setattr__(self, "weight", float(self.weight))

    def __repr__(self) -> str:
        return f"{self.weight:g} * {_bracketed(self.kernel)}"

    def bound(self, A: Any) -> Floats:
        return self.weight * self.kernel.bound(A)

    def rows(self, A: Any) -> KernelRows:
        return _SumRows(self.examples, [(self.weight, self.kernel.rows(A))])

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        return _in_range(self.weight * self.kernel.diag(A, n_jobs=n_jobs))

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return _in_range(self.weight * self.kernel.direct(A, B, n_jobs=n_jobs, progress=progress))


@dataclass(frozen=True, repr=False)
class SumKernel(Kernel):
    """k1(x, y) + k2(x, y) + ..."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ValueError("a sum needs at least two kernels")
        for part in self.parts:
            _check_kernel(part)
        kinds = sorted({part.reads for part in self.parts})
        if len(kinds) > 1:
            raise ValueError(f"kernels on {' and on '.join(kinds)} do not add up; name fields, as in k.on('trees')")

    @classmethod
    def of(cls, *kernels: Kernel) -> SumKernel:
        """The sum; nested sums are flattened."""
        parts = [part for kernel in kernels for part in (kernel.parts if isinstance(kernel, SumKernel) else (kernel,))]
        return cls(tuple(parts))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))

    @property
    def marked(self) -> bool:  # type: ignore[override]
        return any(part.marked for part in self.parts)

    @property
    def reads(self) -> str:  # type: ignore[override]
        return self.parts[0].reads

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part in self.parts)

    @property
    def is_semidefinite(self) -> bool:
        return all(part.is_semidefinite for part in self.parts)

    @property
    def is_nonnegative(self) -> bool:
        return all(part.is_nonnegative for part in self.parts)

    def vanishes(self, A: Any) -> Flags:
        return np.asarray(np.all([part.vanishes(A) for part in self.parts], axis=0))

    def bound(self, A: Any) -> Floats:
        data = self.examples(A)
        return np.asarray(np.sum([part.bound(data) for part in self.parts], axis=0))

    def examples(self, X: Any) -> Any:
        if self.reads == "trees":
            validate_no_fields(X)
            return compared_trees(X, marked=self.marked)
        if self.reads != "fields":
            return self.parts[0].examples(X)
        for part in self.parts:
            X = part.examples(X)
        return X

    def rows(self, A: Any) -> KernelRows:
        data = self.examples(A)
        return _SumRows(self.examples, [(1.0, part.rows(data)) for part in self.parts])

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        data = self.examples(A)
        return _in_range(np.sum([part.diag(data, n_jobs=n_jobs) for part in self.parts], axis=0))

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        left = self.examples(A)
        right = None if B is None else self.examples(B)
        parts = [part.direct(left, right, n_jobs=n_jobs, progress=progress) for part in self.parts]
        return _in_range(np.sum(parts, axis=0))


@dataclass(frozen=True, repr=False)
class FieldKernel(Kernel):
    """A kernel on one field of `Examples`."""

    kernel: Kernel
    field: str

    def __post_init__(self) -> None:
        _check_kernel(self.kernel)
        if not isinstance(self.field, str) or not self.field:
            raise ValueError(f"on() needs the name of a field, got {self.field!r}")

    def __repr__(self) -> str:
        return f"{_bracketed(self.kernel)}.on({self.field!r})"

    reads = "fields"

    @property
    def marked(self) -> bool:  # type: ignore[override]
        return self.kernel.marked

    @property
    def is_symmetric(self) -> bool:
        return self.kernel.is_symmetric

    @property
    def is_semidefinite(self) -> bool:
        return self.kernel.is_semidefinite

    @property
    def is_nonnegative(self) -> bool:
        return self.kernel.is_nonnegative

    def vanishes(self, A: Any) -> Flags:
        return self.kernel.vanishes(self._of_field(A))

    def bound(self, A: Any) -> Floats:
        return self.kernel.bound(self._of_field(A))

    def examples(self, X: Any) -> Examples:
        """X; for a marked kernel, with the trees of its field read with marks and checked for them."""
        if not isinstance(X, Examples):
            raise ValueError(
                f"this kernel compares the field {self.field!r}; give gristmill.Examples, got {type(X).__name__}"
            )
        if not self.marked:
            return X
        taken = self.kernel.examples(X[self.field])
        return X if taken is X[self.field] else Examples(**{**X.fields, self.field: taken})

    def rows(self, A: Any) -> KernelRows:
        return _SumRows(self._of_field, [(1.0, self.kernel.rows(self._of_field(A)))])

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        return self.kernel.diag(self._of_field(A), n_jobs=n_jobs)

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        right = None if B is None else self._of_field(B)
        return self.kernel.direct(self._of_field(A), right, n_jobs=n_jobs, progress=progress)

    def _of_field(self, X: Any) -> Any:
        return self.examples(X)[self.field]


class _NormalizedRows(KernelRows):
    def __init__(self, kernel: Kernel, data: Any) -> None:
        self._kernel = kernel
        self._rows = kernel.rows(data)
        self._scale = kernel.inverse_norms(data)

    def __len__(self) -> int:
        return len(self._rows)

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        X = self._kernel.examples(X)
        scale = self._kernel.inverse_norms(X, n_jobs=n_jobs)
        return self._rows.against(X, n_jobs=n_jobs, progress=progress) * scale[:, None] * self._scale

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        rows = self._rows.take(numbers, n_jobs=n_jobs, progress=progress)
        return rows * self._scale[numbers][:, None] * self._scale

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        rows = self._rows.gram(n_jobs=n_jobs, progress=progress) * self._scale[:, None] * self._scale
        return np.tril(rows) + np.tril(rows, -1).T  # products in another order differ in the last bit


class _SumRows(KernelRows):
    """Rows added with weights; `examples` turns data into what all parts compare."""

    def __init__(self, examples: Callable[[Any], Any], parts: list[tuple[float, KernelRows]]) -> None:
        self._examples = examples
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts[0][1])

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        data = self._examples(X)
        return self._sum([rows.against(data, n_jobs=n_jobs, progress=progress) for _, rows in self._parts])

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return self._sum([rows.take(numbers, n_jobs=n_jobs, progress=progress) for _, rows in self._parts])

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return self._sum([rows.gram(n_jobs=n_jobs, progress=progress) for _, rows in self._parts])

    def _sum(self, matrices: list[Floats]) -> Floats:
        with np.errstate(over="ignore"):
            total = matrices[0] if self._parts[0][0] == 1 else self._parts[0][0] * matrices[0]
            for (weight, _), matrix in zip(self._parts[1:], matrices[1:], strict=True):
                total += matrix if weight == 1 else weight * matrix
        return _in_range(total)


def _in_range(values: Any) -> Floats:
    if not np.isfinite(values).all():
        at = np.argwhere(~np.isfinite(values))[0].tolist()
        raise ValueError(f"the kernel of example {at[0]} with example {at[-1]} leaves the range of double")
    return np.asarray(values)


def _bracketed(kernel: Kernel) -> str:
    return f"({kernel!r})" if isinstance(kernel, SumKernel | ScaledKernel) else repr(kernel)


def _check_kernel(kernel: Any) -> None:
    if not isinstance(kernel, Kernel):
        raise ValueError(f"expected a gristmill kernel, got {kernel!r}")
