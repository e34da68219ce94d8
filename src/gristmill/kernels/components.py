"""The plain kernels of a combined kernel, and what each adds to a score.

A machine whose kernel is a sum is a sum of machines: f(x) - b is the sum of its components. Each component has a
kernel of trees or of rows on one field of the examples. Its coefficients include the weights of the combination and
the norms of the support examples; the norms of x remain as a factor.

Operators and scorers do not use this list: they apply the norm after an inner sum, which rounds differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.kernels.base import Kernel
from gristmill.kernels.combined import FieldKernel, Normalized, ScaledKernel, SumKernel


class Norm(NamedTuple):
    """The norm of examples, or of one field of them, under a kernel."""

    kernel: Kernel
    field: str | None

    def inverse(self, data: Any, n_jobs: int | None) -> Floats:
        return self.kernel.inverse_norms(field_of(data, self.field), n_jobs=n_jobs)


class Component(NamedTuple):
    """sum_i coef[i] k(s_i, x) / norms of x, for one plain kernel."""

    kernel: Kernel
    field: str | None
    support: Any
    coef: Floats  # support examples x outputs
    norms: tuple[Norm, ...]

    def examples(self, data: Any) -> Any:
        """What the kernel compares of the data: trees or rows."""
        return self.kernel.examples(field_of(data, self.field))

    def scale(self, data: Any, n_jobs: int | None = None) -> Floats:
        """The factor for each example: 1 / its norms."""
        scale = np.ones(len(data))
        for norm in self.norms:
            scale *= norm.inverse(data, n_jobs)
        return scale


def components(
    kernel: Kernel, support: Any, coef: Floats, field: str | None = None, norms: tuple[Norm, ...] = ()
) -> Iterator[Component]:
    """The components of a machine with this kernel, support and coefficients (dense), in the order of the kernel."""
    if isinstance(kernel, Normalized):
        scaled = coef * kernel.kernel.inverse_norms(support)[:, None]
        yield from components(kernel.kernel, support, scaled, field, (*norms, Norm(kernel.kernel, field)))
    elif isinstance(kernel, ScaledKernel):
        yield from components(kernel.kernel, support, kernel.weight * coef, field, norms)
    elif isinstance(kernel, FieldKernel):
        yield from components(kernel.kernel, support[kernel.field], coef, kernel.field, norms)
    elif isinstance(kernel, SumKernel):
        for part in kernel.parts:
            yield from components(part, support, coef, field, norms)
    else:
        yield Component(kernel, field, support, coef, norms)


def field_of(data: Any, field: str | None) -> Any:
    return data if field is None else data[field]
