"""Claim: a model of 20,000 support vectors loads in under 0.2 s, LIBSVM's files 3x faster than LIBSVM loads them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll
from benchmarks.measure import Missing, alternate, record
from gristmill.formats import load_machine, write_model

SUPPORT, ROUNDS = 20_000, 9


def main() -> None:
    machine = _machine()
    with tempfile.TemporaryDirectory() as folder:
        own, libsvm = Path(folder) / "model.safetensors", Path(folder) / "libsvm.model"
        machine.save(own)
        write_model(machine, libsvm, "libsvm")
        sides = _sides(machine, own, libsvm)
        timings = alternate(sides, ROUNDS)
        sizes = {"own": own.stat().st_size, "libsvm": libsvm.stat().st_size}
    base = timings["LIBSVM svm_load_model"].median
    rows = [
        [side, f"{1e3 * t.median:.1f}", f"{1e3 * t.fastest:.1f}-{1e3 * t.slowest:.1f}", f"{base / t.median:.1f}x"]
        for side, t in timings.items()
    ]
    record(
        "load_models",
        f"Loading a model of {SUPPORT:,} support vectors",
        ["reader", "ms (median)", "spread", "speed-up"],
        rows,
        [
            f"12 features a support vector; LIBSVM file {sizes['libsvm'] / 1e6:.1f} MB, own {sizes['own'] / 1e6:.1f}.",
            "Checksum verified, every number checked; speed-up over LIBSVM.",
        ],
        timings,
    )


def _machine() -> gm.Machine:
    (X, y), _ = conll.load()
    X, y = conll.sample((X, y), SUPPORT)
    coef = y * np.random.default_rng(0).random(SUPPORT)
    order = np.argsort(-y, kind="stable")
    return gm.Machine(gm.PolynomialKernel(2), X[order], coef[order], 0.125, classes=[-1, 1])


def _sides(machine: gm.Machine, own: Path, libsvm: Path) -> dict[str, Callable[[], Any]]:
    try:
        from libsvm.svmutil import svm_load_model
    except ImportError:
        raise Missing("libsvm-official is not installed") from None
    queries = conll.sample(conll.load()[1], 100)[0]
    wanted = machine.compile("direct").decision_function(queries)
    for path in (own, libsvm):
        assert np.array_equal(load_machine(path).compile("direct").decision_function(queries), wanted)
    return {
        "LIBSVM svm_load_model": lambda: svm_load_model(str(libsvm)),
        "gristmill, LIBSVM file": lambda: load_machine(libsvm),
        "gristmill, own file": lambda: load_machine(own),
        "gristmill, own file, and compile": lambda: load_machine(own).compile(),
    }


if __name__ == "__main__":
    main()
