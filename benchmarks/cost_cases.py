"""Machines to weigh engines on: those of the corpora, and drawn ones of every shape that a corpus does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll, links, machines, segmentation
from benchmarks.examples import Data, sample
from benchmarks.many_outputs import joined
from gristmill.data.rows import Rows, as_rows

QUERIES, TAG_TRAIN = 10_000, 5_000


@dataclass(frozen=True)
class Case:
    """A machine, and rows like those it will meet."""

    name: str
    make: Callable[[], tuple[gm.Machine, Rows]]


@dataclass(frozen=True)
class Shape:
    """Rows to be drawn: features that go by Zipf's law (skew 1), are all alike (skew 0), or lie in between."""

    length: int
    features: int
    skew: float = 1.0

    def __str__(self) -> str:
        kind = {0.0: "uniform", 1.0: "Zipfian"}.get(self.skew, f"skew {self.skew}")
        return f"{self.length} of {self.features:,} {kind}"

    def rows(self, count: int, rng: np.random.Generator) -> sp.csr_matrix:
        """Features drawn twice count once."""
        weights = np.arange(1, self.features + 1) ** -self.skew
        ids = rng.choice(self.features, size=(count, self.length), p=weights / weights.sum()).astype(np.int32)
        X = sp.csr_matrix(
            (np.ones(ids.size), ids.ravel(), np.arange(0, ids.size + 1, self.length)), shape=(count, self.features)
        )
        X.sum_duplicates()
        X.data[:] = 1
        return X


FURTHER = (
    machines.Task("BaseNP", 1, conll.load, 0.0),
    machines.Task("BaseNP", 3, conll.load, 0.0),
    machines.Task("segmentation", 2, segmentation.load, 0.0),
    machines.Task("links", 2, links.load, 0.0),
)

Drawn = tuple[Shape, tuple[int, ...], tuple[int, ...], int]  # shape, support rows, degrees, outputs
DRAWN: tuple[Drawn, ...] = (
    (Shape(12, 1_000), (1, 10, 100), (2,), 1),
    (Shape(12, 1_000), (10, 100), (3,), 1),
    (Shape(12, 1_000), (1, 10, 100), (2,), 10),
    (Shape(12, 10_000), (5_000,), (1, 2, 3, 4), 1),
    (Shape(12, 10_000, 0), (5_000,), (1, 2, 3), 1),
    (Shape(12, 10_000, 0), (5_000,), (2,), 10),
    (Shape(12, 300, 0), (1_000,), (2, 3, 4), 1),
    (Shape(12, 3_000, 0.5), (20_000,), (2, 3), 1),
    (Shape(25, 3_000), (1_500,), (2, 3, 4), 1),
    (Shape(40, 5_000), (2_000,), (2, 3), 1),
    (Shape(300, 5_000), (500,), (2,), 1),
    (Shape(60, 80, 0), (300,), (2, 3), 1),
    (Shape(12, 2_000), (2_000,), (2, 3), 2),
    (Shape(12, 2_000), (2_000,), (1, 2, 3), 10),
    (Shape(12, 2_000), (2_000,), (2,), 45),
    (Shape(40, 2_000), (500,), (2,), 10),
)


def cases() -> Iterator[Case]:
    """All of them; those of the corpora first."""
    yield from _corpus_cases()
    yield from drawn_cases()


def _corpus_cases() -> Iterator[Case]:
    for task in (*machines.TASKS, *FURTHER):
        yield Case(f"{task.name} d={task.degree}", partial(_of_task, task))
    for degree in (2, 3):
        yield Case(f"chunk tags d={degree}", partial(_of_tags, degree))


def drawn_cases(drawn_shapes: Sequence[Drawn] = DRAWN) -> Iterator[Case]:
    for shape, counts, degrees, outputs in drawn_shapes:
        for count in counts:
            for degree in degrees:
                many = f", {outputs} outputs" if outputs > 1 else ""
                yield Case(f"{count:,} rows of {shape} d={degree}{many}", partial(drawn, shape, count, degree, outputs))


def drawn(shape: Shape, count: int, degree: int, outputs: int) -> tuple[gm.Machine, Rows]:
    """Always the same for the same arguments."""
    rng = np.random.default_rng([count, degree, outputs, shape.length, shape.features])
    coef = rng.normal(size=(count, outputs))
    machine = gm.Machine(gm.PolynomialKernel(degree), shape.rows(count, rng), coef, np.zeros(outputs))
    return machine, distinct(shape.rows(QUERIES, rng))


def distinct(X: sp.csr_matrix) -> Rows:
    """Up to QUERIES different rows: repeats are scored once by every engine, and would flatter the slow ones."""
    rows = as_rows(X)
    offsets = rows.offsets.tolist()
    found: dict[bytes, int] = {}
    for at, (start, end) in enumerate(pairwise(offsets)):
        found.setdefault(rows.ids[start:end].tobytes(), at)
    return rows.take(np.array(list(found.values())[:QUERIES]))


def _of_task(task: machines.Task) -> tuple[gm.Machine, Rows]:
    return machines.trained(task), distinct(sample(task.load()[1], 2 * QUERIES)[0])


def _of_tags(degree: int) -> tuple[gm.Machine, Rows]:
    train, test = conll.load_tags()
    X, tags = sample(train, TAG_TRAIN)
    names = np.unique(tags).tolist()
    each = [_machine_of((X, np.where(tags == name, 1, -1)), degree) for name in names]
    return joined(each, names), distinct(sample(test, 2 * QUERIES)[0])


def _machine_of(data: Data, degree: int) -> gm.Machine:
    return gm.from_sklearn(SVC(kernel="poly", degree=degree, gamma=1.0, coef0=1.0, C=1.0).fit(*data))
