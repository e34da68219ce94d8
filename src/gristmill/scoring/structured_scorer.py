"""Scorers for machines on trees: the definition, and the machine folded onto different subtrees."""

from __future__ import annotations

import abc
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.files import PathLike
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined
from gristmill.kernels.conversion.forest import ConvertedForest
from gristmill.machines.schemes import unsure
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.composed import Made, Mapped, Source, make_part
from gristmill.scoring.engines import Effort
from gristmill.scoring.scorer import VANISHING, Scorer

Floats = NDArray[np.float64]

STRUCTURED_ENGINES = ("auto", "direct", "forest", "converted")
_TINY = 1e-150
_FEW_KERNELS = 200_000  # that the definition computes in a moment


def compile_structured(
    machine: StructuredMachine,
    engine: str,
    max_bytes: int | None,
    progress: Progress | None = None,
    cache: PathLike | None = None,
) -> StructuredScorer:
    """See `StructuredMachine.compile`."""
    if engine not in STRUCTURED_ENGINES:
        names = ", ".join(map(repr, STRUCTURED_ENGINES))
        raise ValueError(f"engine must be one of {names} with the kernel {machine.kernel!r}, got {engine!r}")
    if engine == "direct":
        return StructuredScorer(machine, _Direct(machine), "as asked", max_bytes)
    if engine == "converted":
        return StructuredScorer(machine, _Converted(machine, max_bytes), "as asked", max_bytes)
    folded, reason = _folded(machine, max_bytes, progress, cache)
    if max_bytes is None or folded.nbytes <= max_bytes:
        reason = reason or ("as asked" if engine == "forest" else "every different subtree is looked at once")
        return StructuredScorer(machine, folded, reason, max_bytes)
    if engine == "forest":
        raise ValueError(f"engine 'forest' takes {folded.nbytes} bytes for this machine, more than {max_bytes=}")
    reason = f"forest did not fit: it takes {folded.nbytes} bytes"
    return StructuredScorer(machine, _Direct(machine), reason, max_bytes)


def kept_tree_scorer(machine: StructuredMachine, path: PathLike, max_bytes: int | None = None) -> Scorer | str:
    """The scorer in a file, mapped, if it belongs to the machine; else why not. Writes nothing."""
    from gristmill.machines.store import digest_of
    from gristmill.scoring import cache as scorer_store

    made = scorer_store.belongings(path)
    if made is None:
        return "is no compiled scorer"
    if made.get("machine") != digest_of(machine):
        return "belongs to another machine"
    folded = scorer_store.find(scorer_store.tree_identity(machine), path, _restored(machine))
    if folded is None:
        return "is damaged or of another release"
    if max_bytes is not None and folded.nbytes > max_bytes:
        return f"takes {folded.nbytes} bytes, more than max_bytes={max_bytes}"
    return StructuredScorer(machine, folded, f"mapped from {os.fspath(path)}", max_bytes)


def _folded(
    machine: StructuredMachine, max_bytes: int | None, progress: Progress | None, cache: PathLike | None
) -> tuple[_Folded, str]:
    """The machine folded, with a reason if it was mapped from its file; else it is written there."""
    if cache is None:
        return _Folded(machine, Made(progress, max_bytes=max_bytes)), ""
    from gristmill.scoring import cache as scorer_store

    identity = scorer_store.tree_identity(machine)
    found = scorer_store.find(identity, cache, _restored(machine))
    if found is not None:
        return found, f"mapped from {os.fspath(cache)}"
    source = Made(progress, max_bytes=max_bytes, is_kept=True)
    folded = _Folded(machine, source)
    if source.arrays is not None and (max_bytes is None or folded.nbytes <= max_bytes):
        scorer_store.keep(source.arrays, {}, identity, cache)
    return folded, ""


def _restored(machine: StructuredMachine) -> Callable[[Any, dict[str, NDArray[np.uint8]]], _Folded]:
    return lambda _, arrays: _Folded(machine, Mapped(arrays))


# --- engines ----------------------------------------------------------------------------------------------------------


class _Engine(abc.ABC):
    """What a Scorer asks of an engine."""

    name = ""
    exact = True
    nbytes = 0

    def __init__(self, machine: StructuredMachine) -> None:
        self.machine = machine

    @abc.abstractmethod
    def run(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        """Scores, examples x outputs."""


class _ByValues(_Engine):
    """Values of the kernel with all support examples, a block of examples at a time."""

    _BLOCK = 256

    @abc.abstractmethod
    def values(self, data: Any, threads: int) -> Floats:
        """Examples x support examples."""

    def run(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        machine = self.machine
        out = np.empty((len(data), machine.n_outputs))
        coef = np.asfortranarray(machine.dense_coef())
        for begin in range(0, len(data), self._BLOCK):
            values = self.values(_numbered(data, np.arange(begin, min(begin + self._BLOCK, len(data)))), threads)
            for output in range(machine.n_outputs):  # row by row: a product of matrices would add in any order
                out[begin : begin + len(values), output] = (values * coef[:, output]).sum(axis=1)
            if progress is not None:
                progress(begin + len(values), len(data))
        return out + machine.intercept


class _Direct(_ByValues):
    """The definition."""

    name = "direct"

    def values(self, data: Any, threads: int) -> Floats:
        return self.machine.kernel.direct(data, self.machine.support, n_jobs=threads)


class _Converted(_ByValues):
    """Rows of the conversion that examples and support trees share; other trees are compared without it."""

    name = "converted"

    def __init__(self, machine: StructuredMachine, max_bytes: int | None) -> None:
        super().__init__(machine)
        support = machine.support
        if not isinstance(support, ConvertedForest):
            raise ValueError("engine 'converted' needs support trees of a ConvertedForest, as a fit to one leaves them")
        self.nbytes = support.stats.nbytes
        if max_bytes is not None and self.nbytes > max_bytes:
            raise ValueError(f"engine 'converted' takes {self.nbytes} bytes for this machine, more than {max_bytes=}")
        self.terms = support.stats.patterns
        self._rows = machine.kernel.rows(support)

    def values(self, data: Any, threads: int) -> Floats:
        return self._rows.against(data, n_jobs=threads)


class _Folded(_Engine):
    """The machine folded onto the different subtrees of its support trees."""

    name = "forest"

    def __init__(self, machine: StructuredMachine, source: Source) -> None:
        super().__init__(machine)
        self._part = make_part(machine.kernel, machine.support, machine.dense_coef(), source)
        self.nbytes = self._part.nbytes
        self.terms = self._part.terms

    def run(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return self._part.scores(data, threads, progress) + self.machine.intercept


# --- scorer -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StructuredReport:
    """What a scorer is and why."""

    engine: str
    reason: str
    exact: bool
    nbytes: int
    n_support: int
    n_outputs: int
    kernel: str

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        return [
            ("engine", f"{self.engine} ({self.reason})"),
            ("exact", "yes" if self.exact else "no"),
            ("memory", memory(self.nbytes)),
            ("machine", f"{counted(self.n_support, 'support example')}, {counted(self.n_outputs, 'output')}"),
            ("kernel", self.kernel),
        ]

    def __str__(self) -> str:
        return lined(self.facts())


class StructuredScorer(Scorer):
    """Evaluates a machine on trees, or on examples of several fields. Immutable and safe to share between threads."""

    machine: StructuredMachine

    def __init__(self, machine: StructuredMachine, engine: _Engine, reason: str, max_bytes: int | None) -> None:
        super().__init__(machine, engine, reason, False, {"max_bytes": max_bytes})  # type: ignore[arg-type]
        self._definition = engine if isinstance(engine, _Direct) else None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        """Conversions do not travel, so neither does their engine."""
        rebuild, (machine, engine, *rest) = super().__reduce__()
        return rebuild, (machine, "auto" if engine == _Converted.name else engine, *rest)

    def report(self) -> StructuredReport:  # type: ignore[override]
        machine = self.machine
        return StructuredReport(
            self.engine, self._reason, True, self.nbytes, machine.n_support, machine.n_outputs, repr(machine.kernel)
        )

    def effort(self, X: Any, n_jobs: int | None = None) -> Effort:
        """Everything is looked at: trees have no shorter way to a label."""
        return Effort(len(self.examples(X)), 0, 0, 0)

    def error_bound(self, X: Any) -> Floats:
        """How far a score may lie from the definition's, by rounding.

        Bounded by ``4 (n + 16) eps (|b| + sum_i |a_i| sqrt(k(s_i, s_i)) sqrt(k(x, x)))``, where n is the number of
        nodes of all support trees, of rows in lists made of them and of nodes of the largest tree scored, which no sum
        exceeds. Infinite for kernels that are negative somewhere: then the definition decides.
        """
        return super().error_bound(X)

    @staticmethod
    def _some(rows: Any, numbers: NDArray[np.intp]) -> Any:
        return _numbered(rows, numbers)

    def _decide_early(self, rows: Any, n_jobs: int | None, progress: Progress | None) -> None:
        return None

    def _direct_scores(self, rows: Any, n_jobs: int | None) -> Floats:
        return _Direct(self.machine).run(rows, resolve_jobs(n_jobs), None)

    def _bounds(self, rows: Any) -> Floats:
        with np.errstate(invalid="ignore"):  # a kernel that is negative has no norm
            norms = np.sqrt(self.machine.kernel.bound(rows))
        bounds = self._rounded(rows, norms[:, None] * self._reach[0])
        return np.asarray(np.where(np.isnan(bounds), np.inf, bounds))

    def _rounded(self, rows: Any, magnitudes: Floats) -> Floats:
        """How far rounding takes sums whose terms add up to the magnitudes, signs aside."""
        largest = max((int(forest.sizes()[0].max(initial=0)) for forest in _forests(rows)), default=0)
        scale = 4 * (self._reach[1] + largest + 16) * float(np.finfo(np.float64).eps)
        return np.asarray(scale * (np.abs(self.machine.intercept) + magnitudes) + scale * VANISHING)

    def _settled(self, rows: Any, n_jobs: int | None) -> Floats:
        """By the definition, but for many kernels only where the sum of absolute terms leaves a doubt too."""
        if len(rows) * self.machine.n_support <= _FEW_KERNELS or not np.isfinite(self._bounds(rows)).all():
            return self._direct_scores(rows, n_jobs)
        scores = self._scores(rows, n_jobs, None)
        magnitudes = self._absolute.run(rows, resolve_jobs(n_jobs), None)
        is_unsure = unsure(self.machine.scheme, scores, self._rounded(rows, magnitudes))
        if self._is_coarse:
            is_unsure &= magnitudes.any(axis=1)  # else nothing is in common: exactly b
        doubtful = np.flatnonzero(is_unsure)
        if len(doubtful):
            scores[doubtful] = self._direct_scores(self._some(rows, doubtful), n_jobs)
        return scores

    @functools.cached_property
    def _is_coarse(self) -> bool:
        """No coefficient is so small that products with kernels might vanish."""
        sizes = np.abs(self.machine.dense_coef())
        return bool(np.all((sizes == 0) | (sizes > _TINY)))

    @functools.cached_property
    def _absolute(self) -> _Folded:
        """sum_i |a_i| k(s_i, x)"""
        machine = self.machine
        coef = np.abs(machine.dense_coef())
        return _Folded(StructuredMachine(machine.kernel, machine.support, coef, np.zeros(coef.shape[1])), Made())

    @functools.cached_property
    def _reach(self) -> tuple[Floats, int]:
        """sum_i |a_i| sqrt(k(s_i, s_i)) per output, and how many numbers are added up at most."""
        machine = self.machine
        with np.errstate(invalid="ignore"):
            norms = np.sqrt(machine.kernel.bound(machine.support))
        total = np.asarray(np.abs(machine.dense_coef()).T @ norms)
        nodes = sum(int(forest.sizes()[0].sum()) for forest in _forests(machine.support))
        terms = self._engine.terms if isinstance(self._engine, _Folded | _Converted) else 0
        return total, machine.n_support + nodes + terms


def _forests(support: Any) -> list[Forest]:
    if isinstance(support, Forest):
        return [support]
    if isinstance(support, Examples):
        return [field for field in support.fields.values() if isinstance(field, Forest)]
    return []


def _numbered(data: Any, numbers: NDArray[np.intp]) -> Any:
    return data[numbers] if isinstance(data, Forest | Examples) else data.take(numbers)
