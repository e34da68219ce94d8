"""Scorers for machines on trees: the definition, and the machine folded onto different subtrees."""

from __future__ import annotations

import abc
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.data import as_rows
from gristmill.engines import Effort
from gristmill.examples import Examples
from gristmill.forest import Forest
from gristmill.kernels import FieldKernel, Kernel, Normalized, PolynomialKernel, Progress, ScaledKernel, SumKernel
from gristmill.kernels.trees import TreeKernel, inverse_norms
from gristmill.machine import Machine
from gristmill.scorer import VANISHING, Scorer
from gristmill.structured import StructuredMachine
from gristmill.threads import resolve_jobs

Floats = NDArray[np.float64]

STRUCTURED_ENGINES = ("auto", "direct", "forest")


def compile_structured(machine: StructuredMachine, engine: str, max_bytes: int | None) -> StructuredScorer:
    """See `StructuredMachine.compile`."""
    if engine not in STRUCTURED_ENGINES:
        names = ", ".join(map(repr, STRUCTURED_ENGINES))
        raise ValueError(f"engine must be one of {names} for a machine on trees, got {engine!r}")
    if engine == "direct":
        return StructuredScorer(machine, _Direct(machine), "as asked", max_bytes)
    folded = _Folded(machine)
    if max_bytes is None or folded.nbytes <= max_bytes:
        reason = "as asked" if engine == "forest" else "every different subtree is looked at once"
        return StructuredScorer(machine, folded, reason, max_bytes)
    if engine == "forest":
        raise ValueError(f"engine 'forest' takes {folded.nbytes} bytes for this machine, more than {max_bytes=}")
    reason = f"forest did not fit: it takes {folded.nbytes} bytes"
    return StructuredScorer(machine, _Direct(machine), reason, max_bytes)


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


class _Direct(_Engine):
    """The definition, a block of examples at a time."""

    name = "direct"
    _BLOCK = 256

    def run(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        machine = self.machine
        out = np.empty((len(data), machine.n_outputs))
        coef = np.asfortranarray(machine.dense_coef())
        for begin in range(0, len(data), self._BLOCK):
            block = _numbered(data, np.arange(begin, min(begin + self._BLOCK, len(data))))
            values = machine.kernel.direct(block, machine.support, n_jobs=threads)
            for output in range(machine.n_outputs):  # row by row: a product of matrices would add in any order
                out[begin : begin + len(values), output] = (values * coef[:, output]).sum(axis=1)
            if progress is not None:
                progress(begin + len(values), len(data))
        return out + machine.intercept


class _Folded(_Engine):
    """The machine folded onto the different subtrees of its support trees."""

    name = "forest"

    def __init__(self, machine: StructuredMachine) -> None:
        super().__init__(machine)
        self._part = _part(machine.kernel, machine.support, machine.dense_coef())
        self.nbytes = self._part.nbytes

    def run(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return self._part.scores(data, threads, progress) + self.machine.intercept


class _Part(abc.ABC):
    """sum_i coef[i] k(s_i, x) for one kernel."""

    nbytes = 0

    @abc.abstractmethod
    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats: ...


def _part(kernel: Kernel, support: Any, coef: Floats) -> _Part:
    if isinstance(kernel, TreeKernel):
        return _TreePart(kernel, kernel.examples(support), coef)
    if isinstance(kernel, PolynomialKernel):
        return _RowsPart(kernel, support, coef)
    if isinstance(kernel, Normalized):
        return _NormalizedPart(kernel.kernel, support, coef)
    if isinstance(kernel, ScaledKernel):
        return _part(kernel.kernel, support, kernel.weight * coef)
    if isinstance(kernel, FieldKernel):
        return _FieldPart(kernel.field, _part(kernel.kernel, support[kernel.field], coef))
    if isinstance(kernel, SumKernel):
        return _SumPart([_part(part, support, coef) for part in kernel.parts])
    raise ValueError(f"engine 'forest' does not know the kernel {kernel!r}; use engine='direct'")


class _TreePart(_Part):
    def __init__(self, kernel: TreeKernel, forest: Forest, coef: Floats) -> None:
        self._kernel = kernel
        self._outputs = coef.shape[1]
        machine = (kernel._native, forest._store, forest._roots, np.ascontiguousarray(coef).ravel(), self._outputs)
        try:
            self._native = _core.ForestScorer.by_lists(*machine, *_core.worthwhile(len(np.unique(forest._roots))))
        except _core.OperatorTooLarge:  # wide trees
            self._native = _core.ForestScorer.by_vectors(*machine)
        self.nbytes = self._native.nbytes

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        forest = self._kernel.examples(data)
        out = np.empty((len(forest), self._outputs))
        self._native.score(forest._store, forest._roots, out, threads, progress)
        return out


class _RowsPart(_Part):
    """Vectors: by the fast engines where all values are 1, by the definition elsewhere."""

    def __init__(self, kernel: PolynomialKernel, support: Any, coef: Floats) -> None:
        self._machine = Machine(kernel, support, coef, np.zeros(coef.shape[1]))
        self._fast = self._machine.compile() if self._machine.is_binary_valued else None
        self.nbytes = 0 if self._fast is None else self._fast.nbytes

    @functools.cached_property
    def _real(self) -> Scorer:
        return self._machine.compile("direct", binarize=False)

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        rows = as_rows(data, binarize=False)
        scorer = self._fast if self._fast is not None and rows.is_binary else self._real
        return scorer.decision_function(rows, n_jobs=threads).reshape(len(rows), -1)


class _NormalizedPart(_Part):
    def __init__(self, kernel: Kernel, support: Any, coef: Floats) -> None:
        self._kernel = kernel
        self._inner = _part(kernel, support, coef * inverse_norms(kernel.diag(support))[:, None])
        self.nbytes = self._inner.nbytes

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        scale = inverse_norms(self._kernel.diag(data, n_jobs=threads))
        return self._inner.scores(data, threads, progress) * scale[:, None]


class _FieldPart(_Part):
    def __init__(self, field: str, inner: _Part) -> None:
        self._field = field
        self._inner = inner
        self.nbytes = inner.nbytes

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return self._inner.scores(data[self._field], threads, progress)


class _SumPart(_Part):
    def __init__(self, parts: list[_Part]) -> None:
        self._parts = parts
        self.nbytes = sum(part.nbytes for part in parts)

    def scores(self, data: Any, threads: int, progress: Progress | None) -> Floats:
        return np.asarray(sum(part.scores(data, threads, progress) for part in self._parts))


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

    def __str__(self) -> str:
        return "\n".join(
            [
                f"engine    {self.engine} ({self.reason})",
                f"exact     {'yes' if self.exact else 'no'}",
                f"memory    {self.nbytes / 1e6:.1f} MB",
                f"machine   {self.n_support} support examples, {self.n_outputs} outputs",
                f"kernel    {self.kernel}",
            ]
        )


class StructuredScorer(Scorer):
    """Evaluates a machine on trees, or on examples of several fields. Immutable and safe to share between threads."""

    machine: StructuredMachine

    def __init__(self, machine: StructuredMachine, engine: _Engine, reason: str, max_bytes: int | None) -> None:
        super().__init__(machine, engine, reason, False, {"max_bytes": max_bytes})  # type: ignore[arg-type]
        self._definition = engine if isinstance(engine, _Direct) else None  # type: ignore[assignment]

    def report(self) -> StructuredReport:  # type: ignore[override]
        machine = self.machine
        return StructuredReport(
            self.engine, self._reason, True, self.nbytes, machine.n_support, machine.n_outputs, repr(machine.kernel)
        )

    def effort(self, X: Any, n_jobs: int | None = None) -> Effort:
        """Everything is looked at: trees have no shorter way to a label."""
        return Effort(len(self._rows(X)), 0, 0, 0)

    def error_bound(self, X: Any) -> Floats:
        """How far a score may lie from the definition's, by rounding.

        Bounded by ``4 (n + 16) eps (|b| + sum_i |a_i| sqrt(k(s_i, s_i)) sqrt(k(x, x)))``, where n is the number of
        nodes of all support trees and of the largest tree scored, which no sum exceeds. Infinite for kernels that are
        negative somewhere: then the definition decides.
        """
        return super().error_bound(X)

    def _rows(self, X: Any) -> Any:
        return self.machine.kernel.examples(X)

    @staticmethod
    def _some(rows: Any, numbers: NDArray[np.intp]) -> Any:
        return _numbered(rows, numbers)

    def _decide_early(self, rows: Any, n_jobs: int | None, progress: Progress | None) -> None:
        return None

    def _direct_scores(self, rows: Any, n_jobs: int | None) -> Floats:
        return _Direct(self.machine).run(rows, resolve_jobs(n_jobs), None)

    def _bounds(self, rows: Any) -> Floats:
        total, terms = self._reach
        largest = max((int(forest.sizes()[0].max(initial=0)) for forest in _forests(rows)), default=0)
        scale = 4 * (terms + largest + 16) * float(np.finfo(np.float64).eps)
        with np.errstate(invalid="ignore"):  # a kernel that is negative has no norm
            norms = np.sqrt(self.machine.kernel.bound(rows))
        bounds = scale * (np.abs(self.machine.intercept) + norms[:, None] * total) + scale * VANISHING
        return np.asarray(np.where(np.isnan(bounds), np.inf, bounds))

    @functools.cached_property
    def _reach(self) -> tuple[Floats, int]:
        """sum_i |a_i| sqrt(k(s_i, s_i)) per output, and how many numbers are added up at most."""
        machine = self.machine
        with np.errstate(invalid="ignore"):
            norms = np.sqrt(machine.kernel.bound(machine.support))
        total = np.asarray(np.abs(machine.dense_coef()).T @ norms)
        return total, machine.n_support + sum(int(forest.sizes()[0].sum()) for forest in _forests(machine.support))


def _forests(support: Any) -> list[Forest]:
    if isinstance(support, Forest):
        return [support]
    if isinstance(support, Examples):
        return [field for field in support.fields.values() if isinstance(field, Forest)]
    return []


def _numbered(data: Any, numbers: NDArray[np.intp]) -> Any:
    return data[numbers] if isinstance(data, Forest | Examples) else data.take(numbers)
