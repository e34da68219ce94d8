"""A tagger of another kind beside ours, where it is installed: python-crfsuite, conditional random fields.

With the words and parts of speech of the window that ours looks at, as its own example for CoNLL-2000 does.
"""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.corpus import Token
from benchmarks.measure import Table
from gristmill.apps.tagging.scores import score_chunks

ITERATIONS, WINDOW = 50, 2

Clock = Callable[[Callable[[], Any]], float]


def crfsuite(train: Sequence[list[Token]], test: Sequence[list[Token]], clock: Clock) -> Table | None:
    """Its F1 and seconds; None where it is not installed."""
    if importlib.util.find_spec("pycrfsuite") is None:
        return None
    program = importlib.import_module("pycrfsuite")
    trainer, tagger, found = program.Trainer(verbose=False), program.Tagger(), list[list[str]]()
    trainer.set_params({"max_iterations": ITERATIONS, "c1": 1.0, "c2": 1e-3})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        learning = clock(lambda: _learn(trainer, train, model))
        tagger.open(model)
        tagging = clock(lambda: found.extend(tagger.tag(list(features(sentence))) for sentence in test))
        tagger.close()
    f1 = score_chunks([[token[-1] for token in sentence] for sentence in test], found).total.f1
    rate = sum(map(len, test)) / tagging
    columns = ["program", "F1, %", "training, CPU s", "tokens a second"]
    return Table("Beside conditional random fields", columns, [_row(f1, learning, rate)])


def _row(f1: float, learning: float, rate: float) -> list[Any]:
    return [f"python-crfsuite, {ITERATIONS} iterations", f"{100 * f1:.2f}", f"{learning:.1f}", f"{rate:,.0f}"]


def _learn(trainer: Any, train: Sequence[list[Token]], model: str) -> None:
    for sentence in train:
        trainer.append(list(features(sentence)), [token[-1] for token in sentence])
    trainer.train(model)


def features(sentence: Sequence[Token]) -> Iterator[list[str]]:
    """Of each token: words and parts of speech around it, and neighbours together."""
    for at in range(len(sentence)):
        near = {
            place - at: sentence[place] for place in range(max(at - WINDOW, 0), min(at + WINDOW + 1, len(sentence)))
        }
        names = [f"{'wp'[kind]}{row}={token[kind]}" for row, token in near.items() for kind in (0, 1)]
        names += [f"p{a}{b}={near[a][1]}|{near[b][1]}" for a, b in pairwise(near)]
        yield [*names, *(f"w{a}{b}={near[a][0]}|{near[b][0]}" for a, b in ((-1, 0), (0, 1)) if {a, b} <= near.keys())]
