"""Engines for every other kernel: on trees, on examples of several fields, and combined kernels on rows."""

from __future__ import annotations

import abc
import functools
from typing import Any

import numpy as np

from gristmill.base.arrays import Bytes, Floats
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.kernels.conversion.forest import ConvertedForest
from gristmill.machines.machine import Machine
from gristmill.scoring.composed import Made, Mapped, Source, make_part
from gristmill.scoring.engines import EPSILON, VANISHING, Engine, register
from gristmill.scoring.options import CompileOptions

_TINY = 1e-150
_VANISHING = VANISHING * 2.0**960  # normalised kernels divide by norms, which are refused below 2^-960
_FEW_KERNELS = 200_000  # that the definition computes in a moment


class KernelEngine(Engine):
    """What engines for any kernel share: bounds of rounding by norms.

    A score lies within ``4 (n + 16) eps (|b| + sum_i |a_i| sqrt(k(s_i, s_i)) sqrt(k(x, x)))`` of the definition's,
    where n is the number of nodes of all support trees, of rows in lists made of them and of nodes of the largest tree
    scored, which no sum exceeds. Infinite for kernels that are negative somewhere: then the definition decides.
    """

    terms = 0  # that a score may be a sum of, beyond support examples and nodes

    @classmethod
    def takes(cls, machine: Machine) -> bool:
        return not machine.explains_features

    def bounds(self, X: Any) -> Floats:
        with np.errstate(invalid="ignore"):  # a kernel that is negative has no norm
            norms = np.sqrt(self.machine.kernel.bound(X))
        bounds = self._rounding(X, norms[:, None] * self._magnitudes)
        return np.asarray(np.where(np.isnan(bounds), np.inf, bounds))

    def _rounding(self, X: Any, magnitudes: Floats) -> Floats:
        """How far rounding takes sums whose terms add up to the magnitudes, signs aside."""
        largest = max((int(forest.sizes()[0].max(initial=0)) for forest in _forests(X)), default=0)
        scale = 4 * (self._most_terms + largest + 16) * EPSILON
        return np.asarray(scale * (np.abs(self.machine.intercept) + magnitudes) + scale * _VANISHING)

    @functools.cached_property
    def _magnitudes(self) -> Floats:
        """sum_i |a_i| sqrt(k(s_i, s_i)) per output."""
        machine = self.machine
        with np.errstate(invalid="ignore"):  # also of a coefficient of 0 and a kernel without a bound
            norms = np.sqrt(machine.kernel.bound(machine.support))
            return np.asarray(np.abs(machine.dense_coef()).T @ norms)

    @functools.cached_property
    def _most_terms(self) -> int:
        nodes = sum(int(forest.sizes()[0].sum()) for forest in _forests(self.machine.support))
        return self.machine.n_support + nodes + self.terms

    def resolved(self, X: Any, threads: int) -> Floats:
        """By the definition, but for many kernels only where the sum of absolute terms leaves a doubt too."""
        machine = self.machine
        is_few = len(X) * machine.n_support <= _FEW_KERNELS
        if is_few or not np.isfinite(self.bounds(X)).all() or not self._is_nonnegative(X):
            return super().resolved(X, threads)
        scores = self.scores(X, threads, None)
        magnitudes = self._absolute.scores(X, threads, None)
        is_unsure = machine.decision.unsure(scores, self._rounding(X, magnitudes))
        if self._is_coarse:
            is_unsure &= magnitudes.any(axis=1)  # else nothing is in common: exactly b
        doubtful = np.flatnonzero(is_unsure)
        if len(doubtful):
            scores[doubtful] = super().resolved(X.take(doubtful), threads)
        return scores

    def _is_nonnegative(self, X: Any) -> bool:
        """Whether no kernel is below 0: else the sum of absolute terms is not that of absolute coefficients."""
        values = (rows.values for data in (X, self.machine.support) for rows in _rows(data))
        return self.machine.kernel.is_nonnegative and all((some >= 0).all() for some in values)

    @functools.cached_property
    def _is_coarse(self) -> bool:
        """No coefficient is so small that products with kernels might vanish."""
        sizes = np.abs(self.machine.dense_coef())
        return bool(np.all((sizes == 0) | (sizes > _TINY)))

    @functools.cached_property
    def _absolute(self) -> Folded:
        """sum_i |a_i| k(s_i, x)"""
        machine = self.machine
        coef = np.abs(machine.dense_coef())
        return Folded(Machine(machine.kernel, machine.support, coef, np.zeros(coef.shape[1])), Made())


class _ByValues(KernelEngine):
    """Values of the kernel with all support examples, a block of examples at a time."""

    _BLOCK = 256

    @abc.abstractmethod
    def values(self, X: Any, threads: int) -> Floats:
        """Examples x support examples."""

    def scores(self, X: Any, threads: int, progress: Progress | None) -> Floats:
        machine = self.machine
        out = np.empty((len(X), machine.n_outputs))
        coef = np.asfortranarray(machine.dense_coef())
        for begin in range(0, len(X), self._BLOCK):
            values = self.values(X.take(np.arange(begin, min(begin + self._BLOCK, len(X)))), threads)
            for output in range(machine.n_outputs):  # row by row: a product of matrices would add in any order
                out[begin : begin + len(values), output] = (values * coef[:, output]).sum(axis=1)
            if progress is not None:
                progress(begin + len(values), len(X))
        return out + machine.intercept


@register("rows", "forest", "examples")
class KernelDirect(_ByValues):
    """The definition."""

    name = "direct"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> KernelDirect:
        return cls(machine)

    def values(self, X: Any, threads: int) -> Floats:
        return self.machine.kernel.direct(X, self.machine.support, n_jobs=threads)


@register("rows", "forest", "examples")
class Folded(KernelEngine):
    """The machine folded onto the different subtrees of its support trees; vectors by the engines for rows."""

    name = "forest"

    def __init__(self, machine: Machine, source: Source) -> None:
        super().__init__(machine)
        self._source = source
        self._part = make_part(machine.kernel, machine.support, machine.dense_coef(), source)
        self.terms = self._part.terms

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions, *, to_keep: bool = False) -> Folded:
        return cls(machine, Made(options.progress, max_bytes=options.max_bytes, is_kept=to_keep))

    def arrays(self) -> dict[str, Bytes] | None:
        """What a file keeps; None where that cannot be kept."""
        return self._source.arrays

    @classmethod
    def restored(cls, machine: Machine, arrays: dict[str, Bytes]) -> Folded:
        """From what a file keeps."""
        return cls(machine, Mapped(arrays))

    @property
    def nbytes(self) -> int:
        return self._part.nbytes

    def scores(self, X: Any, threads: int, progress: Progress | None) -> Floats:
        return self._part.scores(X, threads, progress) + self.machine.intercept


@register("forest")
class Converted(_ByValues):
    """Rows of the conversion that examples and support trees share; other trees are compared without it."""

    name = "converted"

    def __init__(self, machine: Machine, support: ConvertedForest) -> None:
        super().__init__(machine)
        self.terms = support.stats.patterns
        self._nbytes = support.stats.nbytes
        self._rows = machine.kernel.rows(support)

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Converted:
        if not isinstance(machine.support, ConvertedForest):
            raise ValueError("engine 'converted' needs support trees of a ConvertedForest, as a fit to one leaves them")
        return cls(machine, machine.support)

    @property
    def nbytes(self) -> int:
        return self._nbytes

    def values(self, X: Any, threads: int) -> Floats:
        return self._rows.against(X, n_jobs=threads)


def _rows(X: Any) -> list[Rows]:
    fields = X.fields.values() if isinstance(X, Examples) else [X]
    return [field for field in fields if isinstance(field, Rows)]


def _forests(X: Any) -> list[Forest]:
    fields = X.fields.values() if isinstance(X, Examples) else [X]
    return [field for field in fields if isinstance(field, Forest)]
