"""A machine on trees taken apart into sums over fragments, one for each tree kernel it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.kernels import FieldKernel, Kernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.trees import (
    ProductionTreeKernel,
    SubsetTreeKernel,
    SubtreeKernel,
    TreeKernel,
    inverse_norms,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FragmentPart:
    """scale(x) * sum_i coef[i] k(s_i, trees(x)), for one kernel on trees."""

    kernel: TreeKernel
    support: Forest
    coef: sp.csr_matrix  # support trees x outputs, with what normalisation makes of it
    trees: Callable[[Any], Forest]
    scale: Callable[[Any], Floats]
    field: str | None = None  # of the examples, where they have fields

    @property
    def unit(self) -> str:
        """What the size of a fragment is a number of."""
        whole = SubtreeKernel | SubsetTreeKernel | ProductionTreeKernel
        return "production" if isinstance(self.kernel, whole) else "node"


def fragment_parts(kernel: Kernel, support: Any, coef: Any) -> list[FragmentPart]:
    """The parts of a machine with this kernel; ValueError where one of them has no fragments."""
    return list(_parts(kernel, support, sp.csr_matrix(coef), lambda X: X, lambda X: np.ones(len(X))))


def _parts(
    kernel: Kernel, support: Any, coef: sp.csr_matrix, view: Callable[[Any], Any], scale: Callable[[Any], Floats]
) -> Iterator[FragmentPart]:
    if isinstance(kernel, TreeKernel):
        trees = kernel.examples
        yield FragmentPart(kernel, trees(support), coef, lambda X: trees(view(X)), scale)
    elif isinstance(kernel, Normalized):
        norms = kernel.kernel.diag
        scaled = sp.diags(inverse_norms(norms(support))) @ coef
        yield from _parts(kernel.kernel, support, scaled, view, lambda X: scale(X) * inverse_norms(norms(view(X))))
    elif isinstance(kernel, ScaledKernel):
        yield from _parts(kernel.kernel, support, kernel.weight * coef, view, scale)
    elif isinstance(kernel, FieldKernel):
        field = kernel.field
        for part in _parts(kernel.kernel, support[field], coef, lambda X: view(X)[field], scale):
            yield replace(part, field=field)
    elif isinstance(kernel, SumKernel):
        for one in kernel.parts:
            yield from _parts(one, support, coef, view, scale)
    else:
        raise ValueError(f"fragments are parts of trees, and {kernel!r} does not compare trees")


# --- mining -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MinedFragments:
    """Fragments of one part of a machine, heaviest first."""

    part: FragmentPart
    forest: Forest
    weights: Floats
    outputs: NDArray[np.uint32]
    sizes: NDArray[np.int64]
    support: NDArray[np.int64]
    embeddings: Floats

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, some: slice) -> MinedFragments:
        return MinedFragments(
            self.part,
            self.forest[some],
            self.weights[some],
            self.outputs[some],
            self.sizes[some],
            self.support[some],
            self.embeddings[some],
        )

    def carried(self, data: Any, outputs: range, progress: Progress | None) -> tuple[Floats, Floats, Floats]:
        """Arrays of trees x outputs: what the fragments carry of a score, without signs, and how many others there are.

        All are normalised as the score is.
        """
        native, trees = self.part.kernel._native, self.part.trees(data)
        indexed = trees.indexed()
        carried, magnitudes, listed = (np.zeros((len(trees), len(outputs))) for _ in range(3))
        own = self.forest._store, self.forest._roots, self.outputs - np.uint32(outputs.start), self.weights
        _core.carry_fragments(native, indexed, *own, carried, magnitudes, listed, progress)
        every = np.empty(len(trees))
        _core.count_all_fragments(native, indexed, every)
        scale = self.part.scale(data)[:, None]
        others = np.maximum(every[:, None] - listed, 0)
        return scale * carried, scale * magnitudes, scale * others


def mine_fragments(part: FragmentPart, outputs: range, limits: tuple[Any, ...]) -> MinedFragments:
    """The heaviest fragments of a part for some outputs; limits are those of the core."""
    coef = part.coef[:, list(outputs)].tocsr()
    coef.eliminate_zeros()
    used = np.flatnonzero(np.diff(coef.indptr))
    coef = coef[used]
    starts, columns = coef.indptr.astype(np.int64), coef.indices.astype(np.int32)
    indexed = part.support[used].indexed()
    store, roots, weights, found, sizes, support, embeddings = _core.heaviest_fragments(
        part.kernel._native, indexed, starts, columns, coef.data, len(outputs), *limits
    )
    numbers = found + np.uint32(outputs.start)
    return MinedFragments(part, Forest(store, roots), weights, numbers, sizes, support, embeddings)
