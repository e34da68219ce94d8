"""Claim: a machine of many outputs scores them all at least twice as fast as a scorer for each.

Chunk tags of CoNLL-2000, d = 2: a machine a tag, trained apart (by opal on all examples, or by LIBSVM on some where
opal is not on PATH), and the same machines as one, whose support rows are those of any.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import gristmill as gm
from benchmarks import conll
from benchmarks.examples import Data, sample
from benchmarks.measure import Timing, alternate, record
from benchmarks.peer_machines import read, train_libsvm, train_opal
from benchmarks.peers import found
from gristmill.data.rows import Rows, as_rows
from gristmill.scoring.scorer import Scorer

DEGREE, LIBSVM_TRAIN, ROUNDS = 2, 5_000, 9
ONE, EACH = "one machine", "a machine a tag"
COLUMNS = ["outputs", "support rows", "engine", "side", "us an example (median)", "fastest", "over one machine", "MB"]


def main(size: int | None = None, rounds: int = ROUNDS) -> None:
    """With fewer examples to learn from where there is a `size`."""
    train, (queries, _) = conll.load_tags()
    size = size or (None if found("opal") else LIBSVM_TRAIN)
    X, tags = train if size is None else sample(train, size)
    names = np.unique(tags).tolist()
    machines = [_trained((X, np.where(tags == name, 1, -1))) for name in names]
    one, each = joined(machines, names).compile(), [machine.compile() for machine in machines]
    check(one, each, queries)
    rows = as_rows(queries)
    timings = alternate(_sides(one, each, rows), rounds)
    record(
        "many_outputs",
        "Many outputs at once",
        COLUMNS,
        [_line(side, timings, [one] if side.startswith(ONE) else each, len(rows)) for side in timings],
        _notes(len(rows), len(tags), rounds),
        timings,
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, 3)


def _sides(one: Scorer, each: Sequence[Scorer], rows: Rows) -> dict[str, Callable[[], Any]]:
    return {
        f"{ONE}: all scores": partial(one.decision_function, rows),
        f"{ONE}: label": partial(one.predict, rows),
        f"{EACH}: all scores": lambda: scores_of(each, rows),
        f"{EACH}: label": lambda: scores_of(each, rows).argmax(axis=1),
    }


def _line(side: str, timings: dict[str, Timing], scorers: Sequence[Scorer], n_rows: int) -> list[Any]:
    timing, base = timings[side], timings[f"{ONE}: {side.split(': ')[1]}"]
    return [
        sum(scorer.machine.n_outputs for scorer in scorers),
        f"{sum(scorer.machine.n_support for scorer in scorers):,}",
        ", ".join(sorted({scorer.engine for scorer in scorers})),
        side,
        f"{1e6 * timing.median / n_rows:.3g}",
        f"{1e6 * timing.fastest / n_rows:.3g}",
        f"{timing.median / base.median:.2f}x",
        f"{sum(scorer.nbytes for scorer in scorers) / 1e6:.1f}",
    ]


def joined(machines: Sequence[gm.Machine], names: Sequence[str]) -> gm.Machine:
    """One machine with an output for each; equal support rows become one."""
    numbers: dict[bytes, int] = {}
    entries: list[tuple[int, int, float]] = []
    for output, machine in enumerate(machines):
        ids, offsets = machine.rows.ids, machine.rows.offsets.tolist()
        for row, a in enumerate(np.asarray(machine.coef).ravel().tolist()):
            key = ids[offsets[row] : offsets[row + 1]].tobytes()
            entries.append((numbers.setdefault(key, len(numbers)), output, a))
    rows, outputs, coef = zip(*entries, strict=True)
    support = gm.ids(np.frombuffer(key, dtype=np.int32) for key in numbers)
    intercepts = [float(machine.intercept[0]) for machine in machines]
    shared = sp.csr_matrix((coef, (rows, outputs)), shape=(len(numbers), len(machines)))
    return gm.Machine(machines[0].kernel, support, shared, intercepts, list(names), "one-vs-rest", first_id=1)


def scores_of(scorers: Sequence[Scorer], X: Any) -> NDArray[np.float64]:
    """A column for each scorer."""
    return np.column_stack([scorer.decision_function(X) for scorer in scorers])


def check(one: Scorer, each: Sequence[Scorer], X: Any) -> None:
    """All scores are the same, and the label is that of the highest."""
    scores, apart = one.decision_function(X), scores_of(each, X)
    assert np.all(np.abs(scores - apart) <= 1e-9 * (1 + np.abs(apart).max()))
    labels, clear = np.asarray(one.machine.classes)[apart.argmax(axis=1)], _gap(apart) > 1e-6
    assert np.array_equal(one.predict(X)[clear], labels[clear])


def _gap(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    highest = np.sort(scores, axis=1)
    return np.asarray(highest[:, -1] - highest[:, -2])


def _trained(data: Data) -> gm.Machine:
    with tempfile.TemporaryDirectory() as folder:
        if found("opal"):
            return read(train_opal(data, DEGREE, 0.005, Path(folder)))
        return read(train_libsvm(data, DEGREE, 0.001, Path(folder)))


def _notes(n_rows: int, learned: int, rounds: int) -> list[str]:
    trainer = "opal" if found("opal") else "LIBSVM"
    return [
        f"Chunk tags of CoNLL-2000, (<x, y> + 1)^{DEGREE}, trained by {trainer} on {learned:,} examples; {n_rows:,} "
        f"test examples, one thread, medians of {rounds} rounds, all sides in turn.",
        "Scores were equal to 1e-9 of the largest, and labels equal, before anything was timed. A label of a machine a "
        "tag needs all scores; one machine stops when the highest is certain.",
    ]


if __name__ == "__main__":
    main()
