"""LIBSVM in the place of a parser's engine, as MaltParser has it: the same decisions, the same trees.

A pairwise machine, which LIBSVM's files can hold, decides on the sentences of a sample. LIBSVM's Python module is asked
about the very configurations that the parser meets; the trees that its decision values lead to are asserted to be the
parser's own, as are the values up to rounding.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.chunking import cpu_seconds
from benchmarks.machines import magnitude
from benchmarks.measure import Timing, in_turn
from benchmarks.parsing import text_of, write
from gristmill import _core
from gristmill.apps.parsing.engine import ParserEngine, ParseTrace
from gristmill.apps.parsing.model import ALGORITHMS, action_of
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.treebank import read_conllu
from gristmill.machines.formats import read_machine
from gristmill.machines.formats import write as write_model

PAIRWISE: dict[str, Any] = {"solver": "dual-cd", "multiclass": "ovo"}
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Replaced:
    """Of a sample: its size, what decided, and CPU seconds of LIBSVM's decisions and of whole runs by engine."""

    sentences: int
    decisions: int
    machines: int
    support: int
    libsvm: float
    engines: Mapping[str, Timing]
    nbytes: Mapping[str, int]

    def over_libsvm(self, engine: str) -> float:
        """How many times as fast as LIBSVM, whose time is that of its decisions alone."""
        return self.libsvm / self.engines[engine].median


def available() -> bool:
    """Whether LIBSVM's module is there."""
    try:
        import libsvm.svmutil  # noqa: F401
    except ImportError:
        return False
    return True


def replaced(
    treebank: str, options: Mapping[str, Any], size: int | None, sample: int, engines: Sequence[str], rounds: int
) -> Replaced:
    """With the first `size` sentences to learn from. AssertionError where trees differ."""
    with tempfile.TemporaryDirectory() as name:
        folder, test = Path(name), text_of(treebank, "test")
        parser = DependencyParser(**options, **PAIRWISE, n_jobs=1)
        parser.fit(write(folder / "train", text_of(treebank, "train", size))).save(folder / "model")
        text = write(folder / "text", test[:: max(1, len(test) // sample)][:sample])
        engine, columns = parser.engine_, read_conllu(text).columns
        lengths = np.diff(columns.starts()).tolist()
        traces = [engine.trace(columns, number) for number in range(len(lengths))]
        libsvm = {part: _by_libsvm(engine, part, traces, folder / "libsvm") for part in engine.scorers}
        _assert_same(engine, traces, lengths, {part: scores for part, (scores, _) in libsvm.items()})
        sides = {one: DependencyParser.load(folder / "model", engine=one, n_jobs=1) for one in engines}
        clocks = {one: _clock(side, text, folder / one) for one, side in sides.items()}
        in_turn(clocks, 1)
        timings = in_turn(clocks, rounds)
        assert len({(folder / one).read_bytes() for one in engines}) == 1
    machines = [scorer.machine for scorer in engine.scorers.values()]
    nbytes = {one: side.engine_.scorers.nbytes for one, side in sides.items()}
    decisions = sum(len(trace.parts) for trace in traces)
    support = sum(machine.n_support for machine in machines)
    seconds = sum(seconds for _, seconds in libsvm.values())
    return Replaced(len(traces), decisions, len(machines), support, seconds, timings, nbytes)


def _clock(side: DependencyParser, text: Path, output: Path) -> Callable[[], float]:
    return partial(cpu_seconds, partial(side.parse_file, text, output))


def _by_libsvm(engine: ParserEngine, part: str, traces: Sequence[ParseTrace], path: Path) -> tuple[Scores, float]:
    """Decision values for all that a machine has to decide on, and the CPU seconds that LIBSVM took."""
    from libsvm.svmutil import svm_load_model, svm_predict

    machine = engine.scorers[part].machine
    X = [trace.rows.to_csr()[np.array(trace.parts) == part] for trace in traces]
    asked = sp.vstack(X).tocsr()
    if machine.n_outputs == 0 or asked.shape[0] == 0:
        return np.empty((asked.shape[0], machine.n_outputs)), 0.0
    write_model(machine.replace(classes=list(range(machine.n_classes))), path, "libsvm")
    model, found = svm_load_model(str(path)), list[Any]()
    seconds = cpu_seconds(lambda: found.extend(svm_predict([], asked, model, "-q")))
    again, values = read_machine(path), np.array(found[2])
    turned = np.asarray(again.classes).tolist() != list(range(machine.n_classes))  # of two, the first may be 1
    np.testing.assert_array_equal(np.asarray(again.classes)[again.decision.classes(values)], found[0])
    scores = -values if turned else values
    own = engine.scorers[part].decision_function(asked).reshape(scores.shape)
    assert np.all(np.abs(scores - own) <= 1e-9 * magnitude(machine, asked).reshape(scores.shape))
    return scores, seconds


# --- trees ------------------------------------------------------------------------------------------------------------


def _assert_same(
    engine: ParserEngine, traces: Sequence[ParseTrace], lengths: Sequence[int], scores: Mapping[str, Scores]
) -> None:
    """LIBSVM's decision values choose, step by step, what the parser chose."""
    number = {name: at for at, name in enumerate(engine.model.relations)}
    meant = {
        part: [action_of(name, number) for name in np.asarray(scorer.machine.classes).tolist()]
        for part, scorer in engine.scorers.items()
    }
    left = {part: iter(rows) for part, rows in scores.items()}
    for trace, words in zip(traces, lengths, strict=True):
        walk = _core.Walk(ALGORITHMS[engine.model.algorithm], words)
        for part, action in zip(trace.parts, trace.actions, strict=True):
            possible = np.array([move in walk.legal for move, _ in meant[part]])
            row = next(left[part])
            if possible.any():
                (chosen,) = engine.scorers[part].machine.decision.among(row[None], possible)
                assert meant[part][chosen] == action
            walk.take(*action)
        assert not walk.legal
