"""Two builds of gristmill side by side: no engine slower, and the same bits.

    python -m benchmarks.two_builds OLD/bin/python [NEW/bin/python]

Each interpreter has a gristmill of its own. Both run every case in turn, in one process each; what they compute must be
equal to the last bit. Seconds are those of the processor, on one thread: a busy machine disturbs them least. Ratios
below 1 mean that the new build is faster.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

import numpy as np

ROUNDS = 7
Case = Callable[[], Any]


def cases() -> dict[str, Callable[[], Case]]:
    """What makes each case; what that returns is timed."""
    made: dict[str, Callable[[], Case]] = {}
    for engine, rows in (("direct", 300), ("inverted", 5000), ("split", 20_000), ("expanded", 40_000)):
        made[f"score BaseNP, {engine}"] = lambda e=engine, n=rows: _scores(_base_np(), e, n)  # type: ignore[misc]
    for engine, rows in (("inverted", 3000), ("split", 10_000), ("expanded", 20_000)):
        made[f"decide chunk tags, {engine}"] = lambda e=engine, n=rows: _labels(e, n)  # type: ignore[misc]
    made["learn BaseNP online"] = lambda: _learning(*_data()[:2])
    made["learn chunk tags online"] = lambda: _learning(*_tags()[:2])
    for name in ("sst", "ptk", "lo", "c-marked"):
        made[f"rows of {name}"] = lambda k=name: _tree_rows(k)  # type: ignore[misc]
    made["score questions, sst"] = lambda: _tree_scores("sst")
    made["score questions, ptk"] = lambda: _tree_scores("ptk")
    made["operator of sst, compiled and applied"] = _operator
    made["smo, questions"] = _smo
    made["tag sentences"] = _tagging
    return made


@cache
def _data() -> Any:
    from benchmarks import conll

    (X, y), (queries, _) = conll.load()
    return X, y, queries


@cache
def _tags() -> Any:
    from benchmarks import conll

    (X, y), (queries, _) = conll.load_tags()
    return X, y, queries


@cache
def _base_np() -> Any:
    return _learned(*_data()[:2])


@cache
def _chunk_tags() -> Any:
    return _learned(*_tags()[:2])


def _learned(X: Any, y: Any) -> Any:
    import gristmill as gm

    return gm.OnlineKernelClassifier(degree=2, C=0.01, epochs=3).fit(X[:40_000], y[:40_000]).machine_


def _scores(machine: Any, engine: str, rows: int) -> Case:
    scorer, queries = machine.compile(engine), _data()[2][:rows]
    return lambda: scorer.decision_function(queries)


def _labels(engine: str, rows: int) -> Case:
    scorer, queries = _chunk_tags().compile(engine), _tags()[2][:rows]
    return lambda: [str(label) for label in scorer.predict(queries)]


def _learning(X: Any, y: Any) -> Case:
    return lambda: _learned(X, y).compile("inverted").decision_function(_data()[2][:200])


@cache
def _questions(count: int = 3000) -> Any:
    import gristmill as gm
    from benchmarks.trees import QC, trees_of

    return gm.Forest.from_strings(trees_of(QC)[:count])


def _tree_kernel(name: str) -> Any:
    import gristmill as gm

    return {
        "sst": gm.SubsetTreeKernel(),
        "ptk": gm.PartialTreeKernel(),
        "lo": gm.OrderedTreeKernel(),
        "c-marked": gm.ProductionTreeKernel(marked=True),
    }[name]


def _tree_rows(name: str) -> Case:
    trees, kernel = _questions(), _tree_kernel(name)
    return lambda: kernel(trees[:300], trees)


def _tree_scores(name: str) -> Case:
    import gristmill as gm

    trees = _questions()
    coef = np.sin(np.arange(3 * 2000)).reshape(2000, 3)
    scorer = gm.Machine(gm.Normalized(_tree_kernel(name)), trees[:2000], coef, np.zeros(3)).compile("forest")
    return lambda: scorer.decision_function(trees[2000:])


def _operator() -> Case:
    trees, kernel = _questions(), _tree_kernel("sst")
    weights = np.cos(np.arange(len(trees)))
    return lambda: kernel.operator(trees) @ weights


def _smo() -> Case:
    import gristmill as gm

    trees = _questions(1500)
    y = np.arange(len(trees)) % 3
    return lambda: gm.KernelSVC("sst", solver="smo", C=1).fit(trees, y).decision_function(trees[:50])


def _tagging() -> Case:
    from benchmarks.corpus import chunked
    from gristmill.apps.tagging.tagger import Tagger

    tagger = Tagger(epochs=2).fit(list(chunked("train"))[:2000])
    sentences = [[tuple(token[:2]) for token in sentence] for sentence in chunked("test")]
    return lambda: [tagger.tag(sentence) for sentence in sentences[:500]]


# --- one process a build ---------------------------------------------------------------------------------------------


def serve() -> None:
    """Run the cases named on standard input; answer with seconds and a digest."""
    makers, ready = cases(), {}
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            ready[name] = makers[name]()
        start = time.process_time()
        found = ready[name]()
        seconds = time.process_time() - start
        content = found.tobytes() if isinstance(found, np.ndarray) else json.dumps(found).encode()
        print(json.dumps([seconds, hashlib.sha256(content).hexdigest()]), flush=True)


class Build:
    """An interpreter with its gristmill."""

    def __init__(self, python: str) -> None:
        command = [python, "-W", "ignore", "-m", "benchmarks.two_builds", "--serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, name: str) -> tuple[float, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        seconds, digest = json.loads(self.process.stdout.readline())
        return seconds, digest


def compare(old: Build, new: Build, name: str) -> str:
    """A line about one case."""
    seconds: dict[Build, list[float]] = {old: [], new: []}
    for turn in range(ROUNDS + 1):
        found = {build: build.run(name) for build in (old, new)}
        if found[old][1] != found[new][1]:
            raise AssertionError(f"{name}: the builds give different answers")
        for build, (taken, _) in found.items():
            seconds[build] += [taken] if turn > 0 else []  # the first one makes what is made once
    before, after = min(seconds[old]), min(seconds[new])
    middle = median(b / a for a, b in zip(seconds[old], seconds[new], strict=True))
    return f"{name:40}{1e3 * before:10.1f}{1e3 * after:10.1f}{after / before:10.2f}{middle:10.2f}"


def main(pythons: list[str]) -> None:
    if pythons == ["--serve"]:
        return serve()
    if len(pythons) not in (1, 2):
        sys.exit("usage: python -m benchmarks.two_builds OLD/bin/python [NEW/bin/python]")
    old, new = Build(pythons[0]), Build(pythons[1] if len(pythons) == 2 else sys.executable)
    print(f"{'':40}{'old, ms':>10}{'new, ms':>10}{'ratio':>10}{'median':>10}   {ROUNDS} rounds")
    for name in cases():
        print(compare(old, new, name), flush=True)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
