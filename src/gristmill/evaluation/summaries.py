"""What is in a data set or a machine: the statistics of the papers (PKI/PKE 2003 and kernel slicing 2010, Tables 1)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme


@dataclass(frozen=True)
class DataSummary:
    """A data set in numbers.

    `conjunctions[d]` and `distinct[d]` count sets of 1 to d features: |x^d| on average, and |F^d|.
    """

    examples: int
    labels: dict[str, int]
    entries: int
    features: int  # that occur
    width: int  # columns
    binary: bool
    shortest: int
    average: float
    longest: int
    once: int  # features that occur only once
    coverage: dict[int, float]  # share of all entries that belong to the n most frequent features
    conjunctions: dict[int, float]
    distinct: dict[int, int]
    first_id: int  # what the file calls column 0
    frequent: list[tuple[int | str, int]]  # (id in the file, occurrences)


@dataclass(frozen=True)
class OutputSummary:
    """What all machines have, in numbers. Counts per output are averages over the outputs, as in the paper."""

    scheme: str
    kernel: str
    classes: list[Any] | None
    outputs: int
    support: int
    support_per_output: float
    positive_per_output: float
    negative_per_output: float


@dataclass(frozen=True)
class MachineSummary(OutputSummary):
    """A machine on rows in numbers."""

    features: int
    width: int
    binary: bool
    average: float  # |X_j|
    longest: int
    postings: float  # B: average |h(i)| over the features that occur
    probability: str | None
    provenance: dict[str, Any]
    first_id: int | None  # what data files call column 0
    frequent: list[tuple[int | str, int]]  # (name, or id in data files, occurrences)


def summarise_data(
    rows: Rows,
    labels: NDArray[np.float64],
    *,
    first_id: int = 0,
    degree: int = 2,
    top: int = 10,
    progress: Progress | None = None,
) -> DataSummary:
    """Count; conjunctions of up to `degree` (1 to 3) features are counted one by one, which takes time for 3."""
    counts = _counts(rows)
    lengths = rows.lengths
    names, sizes = np.unique(labels, return_counts=True)
    return DataSummary(
        examples=len(rows),
        labels={_label(name): int(size) for name, size in zip(names, sizes, strict=True)},
        entries=len(rows.ids),
        features=len(counts),
        width=rows.n_features,
        binary=rows.is_binary,
        shortest=int(lengths.min()) if len(lengths) else 0,
        average=float(lengths.mean()) if len(lengths) else 0.0,
        longest=int(lengths.max(initial=0)),
        once=sum(count == 1 for _, count in counts),
        coverage=_coverage(counts, len(rows.ids)),
        conjunctions={d: _average_conjunctions(lengths, d) for d in range(1, degree + 1)},
        distinct=_distinct(rows, degree, progress),
        first_id=first_id,
        frequent=[(column + first_id, times) for column, times in counts[:top]],
    )


def summarise_outputs(machine: Machine) -> dict[str, Any]:
    """The fields of OutputSummary but the kernel."""
    coef, outputs = machine.coef, max(machine.n_outputs, 1)
    hidden = machine.classes is None or machine.scheme is Scheme.ONE_CLASS
    return {
        "scheme": str(machine.scheme),
        "classes": None if hidden or machine.classes is None else machine.classes.tolist(),
        "outputs": machine.n_outputs,
        "support": machine.n_support,
        "support_per_output": float((coef != 0).sum()) / outputs,
        "positive_per_output": float((coef > 0).sum()) / outputs,
        "negative_per_output": float((coef < 0).sum()) / outputs,
    }


def summarise_machine(machine: Machine, *, top: int = 10) -> MachineSummary:
    """Count."""
    rows, counts = machine.support, _counts(machine.support)
    return MachineSummary(
        **summarise_outputs(machine),
        kernel=f"({machine.kernel.gamma:g} <x, y> + {machine.kernel.coef0:g})^{machine.kernel.degree}",
        features=len(counts),
        width=machine.n_features,
        binary=machine.is_binary_valued,
        average=float(rows.lengths.mean()) if len(rows) else 0.0,
        longest=int(rows.lengths.max(initial=0)),
        postings=len(rows.ids) / len(counts) if counts else 0.0,
        probability=None if machine.probability is None else machine.probability.kind,
        provenance=dict(machine.provenance),
        first_id=machine.first_id,
        frequent=[(_feature(machine, column), times) for column, times in counts[:top]],
    )


def _feature(machine: Machine, column: int) -> int | str:
    return machine.feature_names[column] if machine.feature_names else column + (machine.first_id or 0)


def _label(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _counts(rows: Rows) -> list[tuple[int, int]]:
    """(column, occurrences), most frequent first, ties by id."""
    ids, counts = np.unique(rows.ids, return_counts=True)
    order = np.lexsort((ids, -counts))
    return [(int(ids[at]), int(counts[at])) for at in order]


def _coverage(counts: list[tuple[int, int]], entries: int) -> dict[int, float]:
    steps = (128, 2048)
    return {step: sum(count for _, count in counts[:step]) / entries for step in steps} if entries else {}


def _average_conjunctions(lengths: NDArray[np.int64], degree: int) -> float:
    if not len(lengths):
        return 0.0
    sizes, counts = np.unique(lengths, return_counts=True)
    per_size = [sum(comb(int(size), k) for k in range(1, degree + 1)) for size in sizes]
    return sum(n * int(c) for n, c in zip(per_size, counts, strict=True)) / len(lengths)


def _distinct(rows: Rows, degree: int, progress: Progress | None) -> dict[int, int]:
    total, distinct = 0, {}
    for size in range(1, degree + 1):
        total += _core.count_conjunctions(rows.offsets, rows.ids, size, progress)
        distinct[size] = total
    return distinct
