"""A sum of kernels taken apart: what each plain kernel in it adds to a score.

f(x) - b is a sum over the leaves of the kernel; each sees one field of the examples, its coefficients hold the weights
and the norms of the support examples, and norms of x are left, by which it is divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.kernels import FieldKernel, Kernel, Normalized, PolynomialKernel, ScaledKernel, SumKernel
from gristmill.kernels.trees import TreeKernel, inverse_norms

Floats = NDArray[np.float64]


class Norm(NamedTuple):
    """Of examples, or of a field of them, by a kernel."""

    kernel: Kernel
    field: str | None

    def inverse(self, data: Any, n_jobs: int | None) -> Floats:
        return inverse_norms(self.kernel.diag(field_of(data, self.field), n_jobs=n_jobs))


class Leaf(NamedTuple):
    """sum_i coef[i] k(s_i, x) / norms of x, for a kernel of trees or of rows."""

    kernel: TreeKernel | PolynomialKernel
    field: str | None
    support: Any
    coef: Floats
    norms: tuple[Norm, ...]

    def scale(self, data: Any, n_jobs: int | None) -> Floats:
        """What its value for each example is multiplied by."""
        scale = np.ones(len(data))
        for norm in self.norms:
            scale *= norm.inverse(data, n_jobs)
        return scale


def leaves(
    kernel: Kernel, support: Any, coef: Floats, field: str | None = None, norms: tuple[Norm, ...] = ()
) -> Iterator[Leaf]:
    """Those of a kernel; ValueError where it is none of trees and rows."""
    if isinstance(kernel, TreeKernel | PolynomialKernel):
        yield Leaf(kernel, field, support, coef, norms)
    elif isinstance(kernel, Normalized):
        scaled = coef * inverse_norms(kernel.kernel.diag(support))[:, None]
        yield from leaves(kernel.kernel, support, scaled, field, (*norms, Norm(kernel.kernel, field)))
    elif isinstance(kernel, ScaledKernel):
        yield from leaves(kernel.kernel, support, kernel.weight * coef, field, norms)
    elif isinstance(kernel, FieldKernel):
        yield from leaves(kernel.kernel, support[kernel.field], coef, kernel.field, norms)
    elif isinstance(kernel, SumKernel):
        for part in kernel.parts:
            yield from leaves(part, support, coef, field, norms)
    else:
        raise ValueError(f"neither the nodes of trees nor features can say what {kernel!r} adds to a score")


def field_of(data: Any, field: str | None) -> Any:
    return data if field is None else data[field]
