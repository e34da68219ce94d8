"""What the engine for combined kernels is made of: a sum of kernels with the support, for every kind of kernel."""

from __future__ import annotations

import abc
import functools
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Bytes, Floats
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.kernels import FeatureKernel, FieldKernel, Kernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.trees import TreeKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import Engine
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import Direct, cheapest


class Part(abc.ABC):
    """sum_i coef[i] k(s_i, x) for one kernel."""

    nbytes = 0
    terms = 0  # that a score may be a sum of, beyond the nodes of trees

    @abc.abstractmethod
    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats: ...


def make_part(kernel: Kernel, support: Any, coef: Floats, source: Source) -> Part:
    """The part for a kernel, whatever it is made of."""
    if isinstance(kernel, TreeKernel):
        return _Trees(kernel, source.scorer(kernel, kernel.examples(support), coef), coef.shape[1])
    if isinstance(kernel, FeatureKernel):
        return _Rows(kernel, support, coef)
    if isinstance(kernel, Normalized):
        scaled = coef * source.inverse_norms(kernel.kernel, support)
        return _Normalized(kernel.kernel, make_part(kernel.kernel, support, scaled, source))
    if isinstance(kernel, ScaledKernel):
        return make_part(kernel.kernel, support, kernel.weight * coef, source)
    if isinstance(kernel, FieldKernel):
        return _Field(kernel.field, make_part(kernel.kernel, support[kernel.field], coef, source))
    if isinstance(kernel, SumKernel):
        return _Sum([make_part(part, support, coef, source) for part in kernel.parts])
    raise ValueError(f"engine 'forest' does not know the kernel {kernel!r}; use engine='direct'")


# --- where the core's scorers come from -------------------------------------------------------------------------------


class Source(abc.ABC):
    """Scorers of the core for the tree kernels of a machine, in their order; `arrays` are what a file keeps of them."""

    arrays: dict[str, Bytes] | None = None

    @abc.abstractmethod
    def scorer(self, kernel: TreeKernel, forest: Forest, coef: Floats) -> _core.ForestScorer: ...

    @abc.abstractmethod
    def inverse_norms(self, kernel: Kernel, support: Any) -> Floats:
        """1 / sqrt(k(s, s)) of the support, as a column."""


class Made(Source):
    """Scorers that are made now."""

    def __init__(
        self, progress: Progress | None = None, *, max_bytes: int | None = None, is_kept: bool = False
    ) -> None:
        self.arrays = {}
        self._max_bytes = max_bytes
        self._progress = progress
        self._is_kept = is_kept
        self._made = 0

    def scorer(self, kernel: TreeKernel, forest: Forest, coef: Floats) -> _core.ForestScorer:
        if self._is_kept:
            forest = _plain(forest)
        machine = (kernel._native, forest._store, forest._roots, np.ascontiguousarray(coef).ravel(), coef.shape[1])
        max_bytes, max_steps = _core.worthwhile(len(np.unique(forest._roots)))
        room = max_bytes if self._max_bytes is None else min(self._max_bytes, max_bytes)
        try:
            native = _core.ForestScorer.by_lists(*machine, room, max_steps, self._progress)
        except _core.OperatorTooLargeError:  # wide trees
            native = _core.ForestScorer.by_vectors(*machine)
        if self._max_bytes is not None and native.nbytes > self._max_bytes:
            other = _core.ForestScorer.by_vectors(*machine)
            native = other if other.nbytes < native.nbytes else native
        found = cast("dict[str, Bytes] | None", native.arrays())
        if found is None or self.arrays is None:
            self.arrays = None  # vectors are made while trees are scored
        else:
            self.arrays |= {f"{self._made}/{name}": array for name, array in found.items()}
        self._made += 1
        return native

    def inverse_norms(self, kernel: Kernel, support: Any) -> Floats:
        return kernel.inverse_norms(support)[:, None]


class Mapped(Source):
    """Scorers that were kept."""

    def __init__(self, arrays: Mapping[str, Bytes]) -> None:
        self._arrays = arrays
        self._given = 0

    def scorer(self, kernel: TreeKernel, forest: Forest, coef: Floats) -> _core.ForestScorer:
        prefix = f"{self._given}/"
        own = {key.removeprefix(prefix): array for key, array in self._arrays.items() if key.startswith(prefix)}
        self._given += 1
        forest = _plain(forest)
        return _core.ForestScorer.restore(kernel._native, forest._store, forest._roots, coef.shape[1], own)

    def inverse_norms(self, kernel: Kernel, support: Any) -> Floats:
        """What was kept has them in it, unless vectors are compared, which are not kept."""
        return np.ones((len(support), 1)) if kernel.reads == "trees" else kernel.inverse_norms(support)[:, None]


def _plain(forest: Forest) -> Forest:
    """The forest with nothing else in its store, where the numbers of symbols depend on the trees alone."""
    return Forest.from_flat(*forest.flat())


# --- parts ------------------------------------------------------------------------------------------------------------


class _Trees(Part):
    def __init__(self, kernel: TreeKernel, native: _core.ForestScorer, outputs: int) -> None:
        self._kernel = kernel
        self._native = native
        self._outputs = outputs
        self.nbytes = native.nbytes
        self.terms = native.n_rows

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        forest = self._kernel.examples(data)
        out = np.empty((len(forest), self._outputs))
        self._native.score(forest._store, forest._roots, out, threads, progress)
        return out


class _Rows(Part):
    """Vectors: by the fast engines where all values are 1, by the definition elsewhere."""

    def __init__(self, kernel: FeatureKernel, support: Any, coef: Floats) -> None:
        self._machine = Machine(kernel, support, coef, np.zeros(coef.shape[1]))
        self._fast = cheapest(self._machine, CompileOptions())[0] if self._machine.is_binary_valued else None
        self.nbytes = 0 if self._fast is None else self._fast.nbytes
        self.terms = 0 if self._fast is None else self._fast.conjunctions or 0

    @functools.cached_property
    def _real(self) -> Engine:
        return Direct.build(self._machine, CompileOptions(binarize=False))

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        rows = self._machine.examples(data, binarize=False)
        engine = self._fast if self._fast is not None and rows.is_binary else self._real
        return engine.scores(rows, threads, None)


class _Normalized(Part):
    def __init__(self, kernel: Kernel, inner: Part) -> None:
        self._kernel = kernel
        self._inner = inner
        self.nbytes = inner.nbytes
        self.terms = inner.terms

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        scale = self._kernel.inverse_norms(data, n_jobs=threads)
        return self._inner.scores(data, threads, progress) * scale[:, None]


class _Field(Part):
    def __init__(self, field: str, inner: Part) -> None:
        self._field = field
        self._inner = inner
        self.nbytes = inner.nbytes
        self.terms = inner.terms

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return self._inner.scores(data[self._field], threads, progress)


class _Sum(Part):
    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self.nbytes = sum(part.nbytes for part in parts)
        self.terms = sum(part.terms for part in parts)

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return np.asarray(sum(part.scores(data, threads, progress) for part in self._parts))
