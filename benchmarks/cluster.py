"""Claim: exact training over partitions costs at most 1.5 times the CPU of one machine, and gives its answers.

BaseNP decisions (CoNLL-2000) and links (dependency parsing) with polynomial kernels, and boundaries of semantic roles
(trees), in files that two workers read. Labels of one machine and of the cluster are compared, and the certified gap,
before CPU counts: that of the client and of the workers, from files to the machine. Dask's own work is part of it;
imports are not, on either side. Then files are annotated by one and by two workers, with what a task costs beyond the
work itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

import gristmill as gm
from benchmarks import links
from benchmarks.boundaries import boundaries
from benchmarks.measure import Missing, Table, record
from benchmarks.svm_contest import load

WORKERS, PARTS = 2, 8
_FEW = 100  # of each class, before anything is timed
APART = 0.001  # share of labels that may differ: both stop within a tolerance
COLUMNS = [
    *("data", "kernel", "C", "examples", "side", "CPU s", "over one machine", "seconds", "rounds", "working set"),
    *("support", "MB moved", "gap", "labels apart"),
]


@dataclass(frozen=True)
class Case:
    data: str
    kernel: str
    C: float
    n: int | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def estimator(self, kind: Callable[..., Any], **more: Any) -> Any:
        return kind(self.kernel, C=self.C, **dict(self.options), **more)


FULL = (
    Case("BaseNP", "poly", 0.001, options=(("degree", 2),)),
    Case("BaseNP", "poly", 0.001, options=(("degree", 3),)),
    Case("links", "poly", 0.001, options=(("degree", 2),)),
    Case("boundaries", "sst", 0.1, 1_000_000),
)
QUICK = (Case("BaseNP", "poly", 0.001, 60_000, options=(("degree", 2),)),)


def main(cases: tuple[Case, ...] = FULL) -> None:
    with _cluster(WORKERS) as client:
        rows = [row for case in cases for row in _measured(case, client)]
    record(
        "cluster",
        "Training over partitions beside one machine",
        COLUMNS,
        rows,
        [
            f"{PARTS} files, {WORKERS} workers of one thread on this machine, and the client. CPU is that of all these "
            "processes, from reading the files on; of one machine that of its process, from reading the same files on.",
            "*Gap*: the certified one, relative to the objective. *Labels apart*: of all training examples.",
        ],
        {},
        more=[_annotation()],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


def _measured(case: Case, client: Any) -> Iterator[list[Any]]:
    from gristmill import cluster

    X, y = _data(case)
    _train_few(case, client, X, y)
    with TemporaryDirectory() as folder:
        files = _written(X, y, Path(folder))
        begin, clock = time.process_time(), time.perf_counter()
        one = case.estimator(gm.KernelSVC).fit(*_read(files))
        alone, seconds = time.process_time() - begin, time.perf_counter() - clock
        begin, clock, before = time.process_time(), time.perf_counter(), _cpu(client)
        many = case.estimator(cluster.KernelSVC, client=client, zero_based=False).fit(files)
        spent = time.process_time() - begin + _cpu(client) - before
        elapsed = time.perf_counter() - clock
    says = [fitted.machine_.compile().decision_function(X) > 0 for fitted in (one, many)]
    apart = float(np.mean(says[0] != says[1]))
    assert apart <= APART, f"{case}: {apart:.4%} of the labels differ"
    name = " ".join([case.kernel, *(f"{key} {value}" for key, value in case.options)])
    shared = [case.data, name, case.C, len(y)]
    dash = ["-"] * 2
    yield [*shared, "one machine", f"{alone:.2f}", "1", f"{seconds:.1f}", *dash, one.machine_.n_support, *dash, "-"]
    moved = sum(found.bytes_moved for found in many.rounds_) / 1e6
    facts = [len(many.rounds_), max(found.working_set for found in many.rounds_), many.machine_.n_support]
    last = [f"{moved:.0f}", f"{many.rounds_[-1].gap:.1e}", f"{apart:.4%}"]
    yield [*shared, "cluster", f"{spent:.2f}", f"{spent / alone:.2f}", f"{elapsed:.1f}", *facts, *last]


def _train_few(case: Case, client: Any, X: Any, y: Any) -> None:
    """All processes import what they need."""
    from gristmill import cluster

    some = np.concatenate([np.flatnonzero(y == label)[:_FEW] for label in np.unique(y)])
    for clf in (case.estimator(gm.KernelSVC), case.estimator(cluster.KernelSVC, client=client)):
        clf.fit(X[some], y[some])


def _data(case: Case) -> tuple[Any, Any]:
    if case.data == "boundaries":
        assert case.n is not None
        task = boundaries(case.n)
        return task.X, task.y
    (X, y), _ = links.load() if case.data == "links" else load(case.data)
    return sp.csr_matrix(X)[: case.n], np.asarray(y)[: case.n]


def _written(X: Any, y: Any, folder: Path) -> list[Path]:
    files = []
    for number, part in enumerate(np.array_split(np.arange(len(y)), PARTS)):
        some = slice(int(part[0]), int(part[-1]) + 1)
        if isinstance(X, gm.Forest):
            files.append(folder / f"{number}.trees")
            gm.write_trees(files[-1], X[some], y[some])
        else:
            files.append(folder / f"{number}.svm")
            gm.write_svmlight(files[-1], X[some], y[some], zero_based=False)
    return files


def _read(files: list[Path]) -> tuple[Any, Any]:
    """All files on one machine."""
    if files[0].suffix == ".trees":
        parts = [gm.read_trees(path) for path in files]
        forest = parts[0][0]
        for other, _ in parts[1:]:
            forest.extend(other)
        return forest, np.concatenate([labels for _, labels in parts])
    parts = [gm.read_svmlight(path, zero_based=False) for path in files]
    width = max(X.shape[1] for X, _ in parts)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    return sp.vstack([X for X, _ in parts], format="csr"), np.concatenate([labels for _, labels in parts])


def _cpu(client: Any) -> float:
    return float(sum(client.run(time.process_time).values()))


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    try:
        from gristmill.cluster.clients import opened

        with opened("local", workers) as client:
            yield client
    except ImportError as error:
        raise Missing(str(error)) from error


# --- annotation -------------------------------------------------------------------------------------------------------

_FILES, _LINES = 64, 3_000


def _annotation() -> Table:
    """Files of BaseNP decisions, predicted by path: per task what one process needs, and with one and two workers."""
    from gristmill.cluster.predicting import predict

    (X, y), (test, gold) = load("BaseNP")
    machine = gm.KernelSVC(degree=2, C=0.001).fit(sp.csr_matrix(X)[:60_000], np.asarray(y)[:60_000]).machine_
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        machine.save(folder / "model")
        machine.compile("expanded", cache=folder / "model.scorer")
        part, labels = sp.csr_matrix(test)[:_LINES], np.asarray(gold)[:_LINES]
        files = [folder / f"{number}.svm" for number in range(_FILES)]
        for path in files:
            gm.write_svmlight(path, part, labels, zero_based=False)
        expected = machine.compile().predict(part)
        for workers in (1, WORKERS):
            with _cluster(workers) as client:
                client.gather(client.compute(predict(folder / "model", files[:workers])))  # opens the model
                begin, before = time.perf_counter(), _cpu(client)
                found = client.gather(client.compute(predict(folder / "model", files)))
                seconds, spent = time.perf_counter() - begin, _cpu(client) - before
                assert all((answers == expected).all() for answers in found)
            cells = (seconds, _FILES / seconds, _FILES * _LINES / seconds, 1000 * spent / _FILES)
            rows.append([workers, *(f"{cell:.4g}" for cell in cells)])
    columns = ["workers", "seconds", "files a second", "examples a second", "CPU ms a task"]
    return Table(f"{_FILES} files of {_LINES:,} examples, predicted by a model on disk", columns, rows)
