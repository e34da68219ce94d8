"""Claim: a model of 20,000 support vectors loads in under 0.2 s, and at least 3x faster than its own program loads it.

LIBSVM is timed in memory (its Python module). SVMlight, TinySVM and opal are programs: they are timed answering a file
of one example, which is loading and little else (opal also builds its tries meanwhile, as we do when compiling), where
$GRISTMILL_SVMLIGHT, $GRISTMILL_TINYSVM and $GRISTMILL_OPAL name the folders of svm_classify, svm_classify and opal.
YamCha, where it is on PATH, is started on nothing: the claim does not hold for it, because it maps its file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll
from benchmarks.measure import Timing, alternate, record
from gristmill.data.rows import as_rows
from gristmill.machines.formats import read_machine, write

SUPPORT, ROUNDS = 20_000, 9

Sides = dict[str, Callable[[], Any]]


def main(support: int = SUPPORT, rounds: int = ROUNDS) -> None:
    machine = _machine(support)
    raw: dict[str, dict[str, Timing]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = {"LIBSVM": _libsvm(machine, folder)} | {p: _program(p, machine, folder) for p in PROGRAMS}
        sides["YamCha"] = _yamcha(machine, folder)
        machine.save(folder / "own")
        _check(machine, folder / "own")
        sides["own format"] = {
            "gristmill": partial(read_machine, folder / "own"),
            "gristmill, and compile": lambda: read_machine(folder / "own").compile(),
        }
        for program, readers in sides.items():
            if readers:
                raw[program] = alternate(readers, rounds)
    record(
        "load_models",
        f"Loading a model of {support:,} support vectors",
        ["file of", "reader", "ms (median)", "spread", "speed-up"],
        [row for program, timings in raw.items() for row in _rows(program, timings)],
        [
            "12 features a support vector; every number checked, scores compared before anything was timed.",
            "SVMlight, TinySVM and opal are whole programs that answer one example; YamCha is started on no input.",
            "YamCha maps its compiled file into memory unread; a reader that checks all of it cannot be faster.",
        ],
        raw,
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, 3)


def _rows(program: str, timings: dict[str, Timing]) -> list[list[str]]:
    base = timings[program].median if program in timings else None
    return [
        [
            program,
            reader,
            f"{1e3 * t.median:.1f}",
            f"{1e3 * t.fastest:.1f}-{1e3 * t.slowest:.1f}",
            f"{base / t.median:.1f}x" if base else "",
        ]
        for reader, t in timings.items()
    ]


def _machine(support: int) -> gm.Machine:
    (X, y), _ = conll.load()
    X, y = conll.sample((X, y), support)
    coef = y * np.random.default_rng(0).random(support)
    order = np.argsort(-y, kind="stable")
    return gm.Machine(gm.PolynomialKernel(2), X[order], coef[order], 0.0, classes=[-1, 1])


def _check(machine: gm.Machine, path: Path) -> None:
    queries = conll.sample(conll.load()[1], 100)[0]
    wanted = machine.compile("direct").decision_function(queries)
    assert np.array_equal(read_machine(path).compile("direct").decision_function(queries), wanted)


def _written(machine: gm.Machine, folder: Path, name: str) -> Path:
    path = folder / name
    write(machine, path, name)
    _check(machine, path)
    return path


def _libsvm(machine: gm.Machine, folder: Path) -> Sides:
    path = _written(machine, folder, "libsvm")
    readers: Sides = {"gristmill": partial(read_machine, path)}
    try:
        from libsvm.svmutil import svm_load_model
    except ImportError:
        return readers
    return {"LIBSVM": lambda: svm_load_model(str(path)), **readers}


def _yamcha(machine: gm.Machine, folder: Path) -> Sides:
    """Where yamcha is on PATH. It maps a compiled model into memory and reads nothing until it must."""
    program = shutil.which("yamcha")
    if program is None:
        return {}
    names = [f"F:+0:0:{feature}" for feature in range(machine.n_features)]
    named = gm.Machine(
        machine.kernel, machine.support, machine.coef, machine.intercept, ["I", "B"], feature_names=names
    )
    path = folder / "yamcha"
    write(named, path, "yamcha")
    _check_by_name(named, read_machine(path))
    run = partial(subprocess.run, [program, "-m", str(path)], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return {"YamCha": run, "gristmill": partial(read_machine, path)}


def _check_by_name(machine: gm.Machine, again: gm.Machine) -> None:
    """YamCha keeps the features that occur, in an order of its own."""
    rows = as_rows(conll.sample(conll.load()[1], 100)[0])
    place = {name: column for column, name in enumerate(again.feature_names or ())}
    names = [[f"F:+0:0:{i}" for i in rows.one(row).ids] for row in range(len(rows))]
    theirs = [[place[name] for name in row if name in place] for row in names]
    assert np.array_equal(again.compile().predict(theirs), machine.compile().predict(rows))


PROGRAMS = ("SVMlight", "TinySVM", "opal")


def _program(program: str, machine: gm.Machine, folder: Path) -> Sides:
    home = os.environ.get(f"GRISTMILL_{program.upper()}")
    if home is None:
        return {}
    path = _written(machine, folder, program.lower())
    example, answers = folder / "example", folder / "answers"
    gm.write_svmlight(example, [{0}], [1])
    commands = {
        "SVMlight": [f"{home}/svm_classify", "-v", "0", str(example), str(path), str(answers)],
        "TinySVM": [f"{home}/svm_classify", "-V", str(example), str(path)],
        "opal": [f"{home}/opal", "-O", "3", "-", str(path), str(example)],
    }
    run = partial(subprocess.run, commands[program], check=True, capture_output=True)
    _check_answer(program, run, machine, answers)
    return {
        program: run,
        "gristmill": partial(read_machine, path),
        "gristmill, and compile": lambda: read_machine(path).compile(),
    }


def _check_answer(program: str, run: Callable[[], Any], machine: gm.Machine, answers: Path) -> None:
    """The program's answer to the one example is ours, as far as it prints digits."""
    printed = run().stdout.decode()
    text = answers.read_text() if program == "SVMlight" else printed.split("\n")[0].split()[1]
    score = machine.compile().decision_function([{0}])[0]
    assert np.isclose(float(text), score, rtol=1e-5), (program, text, score)


if __name__ == "__main__":
    main()
