"""One training of a polynomial SVM in a process of its own: seconds, memory, the machine.

The process of a side in Python reads the examples, then trains under a clock; memory is by how much it grew at most
meanwhile. LIBSVM's svm-train is a program: seconds and memory are those of the whole of it, the reading of its file
included. `python -m benchmarks.svm_runs FOLDER` is a process that trains.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.examples import Data
from benchmarks.launch import call, launch
from benchmarks.operators import peak_growth
from benchmarks.peer_machines import write_examples
from benchmarks.peers import found
from benchmarks.svm_expansion import Expansion
from gristmill.machines.formats import read_machine

Floats = NDArray[np.float64]

CACHE = 1000  # MB for the rows of LIBSVM and scikit-learn
LIBSVM, SVC, LINEAR_SVC, LIBLINEAR = "svm-train", "scikit-learn SVC", "scikit-learn LinearSVC", "liblinear"
OURS = ("dual-cd", "smo")


@dataclass(frozen=True)
class Settings:
    """Of the kernel (<x, y> + 1)^degree and the machine."""

    degree: int
    C: float
    tol: float = 1e-3
    jobs: int = 1
    constant: bool = False  # the intercept is a constant feature of 1 with a price, as in liblinear


@dataclass(frozen=True)
class Report:
    """Of one training; `prepared` are those of the seconds that went into an expansion, `expanded` its bytes."""

    seconds: float
    bytes: int
    objective: float | None = None  # as the side says it
    prepared: float = 0.0
    expanded: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a side reports, and what it learned: a machine, or for linear ones the scores of the test part."""

    report: Report
    machine: gm.Machine | None
    scores: Floats


@dataclass(frozen=True)
class Task:
    """Examples as files, for all sides."""

    folder: Path
    test: sp.csr_matrix

    @classmethod
    def of(cls, train: Data, test: Data, folder: Path) -> Task:
        folder.mkdir()
        sp.save_npz(folder / "X.npz", train[0], compressed=False)
        np.save(folder / "y.npy", train[1])
        sp.save_npz(folder / "test.npz", test[0], compressed=False)
        write_examples(folder / "train", train)
        return cls(folder, test[0])

    def run(self, side: str, settings: Settings) -> Outcome:
        """Train once, in a process of its own."""
        return self._svm_train(settings) if side == LIBSVM else self._python(side, settings)

    def _python(self, side: str, settings: Settings) -> Outcome:
        order = {"side": side} | asdict(settings)
        (self.folder / "order.json").write_text(json.dumps(order), encoding="ascii")
        call([sys.executable, "-m", "benchmarks.svm_runs", str(self.folder)], Path(__file__).parents[1])
        report = Report(**json.loads((self.folder / "report.json").read_text(encoding="ascii")))
        if side not in (*OURS, SVC):
            return Outcome(report, None, np.load(self.folder / "scores.npy"))
        return self._outcome(report, read_machine(self.folder / "machine.safetensors"))

    def _svm_train(self, settings: Settings) -> Outcome:
        if settings.constant:
            raise ValueError("LIBSVM has no intercept with a price")
        kernel = f"-t 1 -d {settings.degree} -g 1 -r 1 -c {settings.C} -e {settings.tol} -m {CACHE}".split()
        done = launch([LIBSVM, *kernel, "train", "libsvm.model"], self.folder)
        said = re.search(r"obj = (\S+),", done.text)
        machine = read_machine(self.folder / "libsvm.model")
        return self._outcome(Report(done.seconds, done.bytes, float(said[1]) if said else None), machine)

    def _outcome(self, report: Report, machine: gm.Machine) -> Outcome:
        return Outcome(report, machine, machine.compile().decision_function(self.test))


def available(side: str) -> bool:
    """Whether the side can take part on this machine."""
    if side == LIBSVM:
        return found(LIBSVM)
    return side != LIBLINEAR or importlib.util.find_spec("liblinear") is not None


def objective_of(machine: gm.Machine) -> float:
    """1/2 a'Qa - sum a of the machine's own coefficients, by its definition."""
    coef = np.asarray(machine.dense_coef()).ravel()
    support = machine.rows.to_csr()
    without = machine.compile().decision_function(support) - machine.intercept[0]
    return float(0.5 * coef @ without - np.abs(coef).sum())


def support_of(machine: gm.Machine) -> set[tuple[bytes, bool]]:
    """The different support rows of each sign; equal examples may share a coefficient in any way."""
    rows, coef = machine.rows, np.asarray(machine.dense_coef()).ravel()
    spans = zip(rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), (coef > 0).tolist(), strict=True)
    return {(rows.ids[begin:end].tobytes(), sign) for begin, end, sign in spans}


# --- in the process that trains ---------------------------------------------------------------------------------------


def _ours(X: Any, y: Any, solver: str, settings: Settings, folder: Path) -> Report:
    model = gm.KernelSVC(
        degree=settings.degree,
        C=settings.C,
        tol=settings.tol,
        solver=solver,
        intercept_scaling=1.0 if settings.constant else None,
        n_jobs=settings.jobs,
    )
    report = _clocked(lambda: model.fit(X, y))
    model.machine_.save(folder / "machine.safetensors")
    return replace(report, objective=float(model.objective_[0]))


def _svc(X: Any, y: Any, settings: Settings, folder: Path) -> Report:
    import sklearn.svm

    kernel = {"kernel": "poly", "degree": settings.degree, "gamma": 1.0, "coef0": 1.0}
    model = sklearn.svm.SVC(**kernel, C=settings.C, tol=settings.tol, cache_size=CACHE)
    report = _clocked(lambda: model.fit(X, y))
    gm.from_sklearn(model).save(folder / "machine.safetensors")
    return report


def _expanded(X: Any, y: Any, side: str, settings: Settings, folder: Path) -> Report:
    """The same kernel as a dot product: of the constant feature, and of weighted conjunctions."""
    spelled, learned = [], []
    before = _clocked(lambda: spelled.append(Expansion.learn(X, settings.degree)))
    expansion, phi = spelled[0]
    scaling, train = float(np.sqrt(expansion.constant + 1.0)), _linear_svc if side == LINEAR_SVC else _liblinear
    after = _clocked(lambda: learned.append(train(phi, y, settings, scaling)))
    np.save(folder / "scores.npy", learned[0](expansion(sp.load_npz(folder / "test.npz"))))
    kept = int(phi.data.nbytes + phi.indices.nbytes + phi.indptr.nbytes)
    most = max(before.bytes, kept + after.bytes)
    return Report(before.seconds + after.seconds, most, prepared=before.seconds, expanded=kept)


def _linear_svc(phi: Any, y: Any, settings: Settings, scaling: float) -> Callable[[Any], Floats]:
    from sklearn.svm import LinearSVC

    how = {"loss": "hinge", "dual": True, "max_iter": 100_000, "random_state": 0}
    model = LinearSVC(C=settings.C, tol=settings.tol, intercept_scaling=scaling, **how).fit(phi, y)
    return lambda queries: np.asarray(model.decision_function(queries))


def _liblinear(phi: Any, y: Any, settings: Settings, scaling: float) -> Callable[[Any], Floats]:
    from liblinear.liblinearutil import problem, train  # type: ignore[import-not-found]

    how = f"-s 3 -c {settings.C} -e {settings.tol} -B {scaling:.17g} -q"
    model = train(problem(y, phi, bias=scaling), how)
    weights, bias = model.get_decfun()  # of the label that was seen first
    sign = 1.0 if model.get_labels()[0] == 1 else -1.0
    return lambda queries: sign * np.asarray(queries @ np.asarray(weights) + bias)


def _clocked(call: Callable[[], Any]) -> Report:
    seconds = []

    def clocked() -> None:
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)

    growth, _ = peak_growth(clocked)
    return Report(seconds[0], growth)


def main(folder: Path) -> None:
    order = json.loads((folder / "order.json").read_text(encoding="ascii"))
    side, settings = order.pop("side"), Settings(**order)
    X, y = sp.load_npz(folder / "X.npz"), np.load(folder / "y.npy")
    if side in OURS:
        report = _ours(X, y, side, settings, folder)
    elif side == SVC:
        report = _svc(X, y, settings, folder)
    else:
        report = _expanded(X, y, side, settings, folder)
    (folder / "report.json").write_text(json.dumps(asdict(report)), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
