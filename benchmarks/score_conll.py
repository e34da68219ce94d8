"""Claim: the inverted engine scores a scikit-learn / LIBSVM machine at least 40x faster than they do, same answers.

An SVC with more than 5,000 support vectors, trained on 20,000 CoNLL examples; the same machine in memory for
scikit-learn and for us, and as a file for LIBSVM's svm-predict (found on PATH). Scores of all engines are compared with
those of LIBSVM's Python module over 100,000 inputs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll
from benchmarks.machines import magnitude
from benchmarks.measure import Table, Timing, alternate, record
from gristmill.machines.formats import read_machine, write
from gristmill.scoring.engines import ENGINES

ROUNDS = 5


@dataclass(frozen=True)
class Sizes:
    """Examples to learn from, to time, and to compare scores on."""

    train: int
    test: int
    compared: int


FULL, QUICK = Sizes(20_000, 3_000, 100_000), Sizes(1_000, 300, 2_000)


def main(sizes: Sizes = FULL, rounds: int = ROUNDS) -> None:
    rows: list[list[Any]] = []
    gaps: list[list[Any]] = []
    raw: dict[str, Any] = {}
    for degree in (2, 3):
        machine, timings = _measure(degree, sizes, rounds)
        raw[f"degree {degree}"] = timings
        gaps += [[degree, f"{sizes.compared:,}", *cells] for cells in differences_from_libsvm(machine, sizes.compared)]
        base = timings["scikit-learn SVC.predict"].median
        for side, timing in timings.items():
            spread = f"{1e6 * timing.fastest / sizes.test:.2f}-{1e6 * timing.slowest / sizes.test:.2f}"
            each = 1e6 * timing.median / sizes.test
            rows.append([degree, machine.n_support, side, f"{each:.2f}", spread, f"{base / timing.median:.1f}x"])
    record(
        "score_conll",
        "Classification of CoNLL BaseNP decisions",
        ["degree", "support vectors", "engine", "us an example (median)", "spread", "speed-up"],
        rows,
        [
            f"SVC(kernel='poly', gamma=1, coef0=1, C=0.001) trained on {sizes.train:,} examples; {sizes.test:,} test "
            "examples, 12 active features each; speed-up over scikit-learn.",
            "Labels were equal, and scores within 1e-9 of |b| + sum |a_i| k(s_i, x), before anything was timed.",
            "The second table: the largest difference from the decision values of LIBSVM's Python module, over "
            "examples of the training part; and the largest quotient of it and |b| + sum |a_i| k(s_i, x).",
            "svm-predict and gristmill predict are whole programs: start, read model and data, write answers.",
        ],
        raw,
        more=[Table("Scores beside LIBSVM's", ["degree", "inputs", *DIFFERENCES], gaps)] if gaps else [],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK, 2)


def _measure(degree: int, sizes: Sizes, rounds: int) -> tuple[gm.Machine, dict[str, Timing]]:
    train, test = conll.load()
    X, y = conll.sample(train, sizes.train)
    queries, truth = conll.sample(test, sizes.test)
    svc = SVC(kernel="poly", degree=degree, gamma=1.0, coef0=1.0, C=0.001, cache_size=1000).fit(X, y)
    machine = gm.from_sklearn(svc)
    with tempfile.TemporaryDirectory() as folder:
        sides = _sides(svc, machine, queries, truth, Path(folder))
        return machine, alternate(sides, rounds)


def _sides(svc: SVC, machine: gm.Machine, X: Any, y: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    labels, scores = svc.predict(X), svc.decision_function(X)
    sides: dict[str, Callable[[], Any]] = {"scikit-learn SVC.predict": lambda: svc.predict(X)}
    for name, engine, jobs in (
        ("direct", "direct", 1),
        ("inverted", "inverted", 1),
        ("inverted, 2 threads", "inverted", 2),
    ):
        scorer = machine.compile(engine)
        assert np.array_equal(scorer.predict(X, jobs), labels)
        assert np.all(np.abs(scorer.decision_function(X, jobs) - scores) <= 1e-9 * magnitude(machine, X))
        sides[f"gristmill {name}"] = lambda s=scorer, j=jobs: s.predict(X, j)  # type: ignore[misc]
    model, data, answers = folder / "model", folder / "data", folder / "answers"
    write(machine, model, "libsvm")
    gm.write_svmlight(data, X, y)
    programs = {
        "gristmill predict": [sys.executable, "-m", "gristmill", "predict", str(model), str(data), "-o", str(answers)]
    }
    if shutil.which("svm-predict"):
        programs["LIBSVM svm-predict"] = ["svm-predict", str(data), str(model), str(answers)]
    for name, command in programs.items():
        sides[f"{name} (program)"] = lambda c=command: subprocess.run(c, check=True, capture_output=True)  # type: ignore[misc]
        sides[f"{name} (program)"]()
        assert np.array_equal(np.loadtxt(answers), labels), name
    return sides


# --- scores beside LIBSVM's -------------------------------------------------------------------------------------------

DIFFERENCES = ["engine", "largest difference", "over the magnitude"]


def differences_from_libsvm(machine: gm.Machine, inputs: int) -> list[list[str]]:
    """A line for each engine; none without LIBSVM's module. AssertionError where a label differs."""
    try:
        from libsvm.svmutil import svm_load_model, svm_predict
    except ImportError:
        return []
    X, _ = conll.sample(conll.load()[0], inputs, seed=2)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model"
        write(machine, path, "libsvm")
        labels, _, values = svm_predict([], X, svm_load_model(str(path)), "-q")
        again = read_machine(path)
    wanted, allowed, lines = np.array(values)[:, 0], magnitude(again, X), []
    for engine in ENGINES:
        scorer = again.compile(engine)
        assert np.array_equal(scorer.predict(X), labels), engine
        gap = np.abs(scorer.decision_function(X) - wanted)
        lines.append(
            [
                scorer.engine if engine != "auto" else f"auto: {scorer.engine}",
                f"{gap.max():.1e}",
                _quotient(gap, allowed),
            ]
        )
    return lines


def _quotient(gap: NDArray[np.float64], allowed: NDArray[np.float64]) -> str:
    return f"{(gap / allowed).max():.1e}"


if __name__ == "__main__":
    main()
