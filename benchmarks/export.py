"""Claim: exported C and JavaScript decide every row as gristmill does, in microseconds.

Machines of degree 2, trained in the run: a9a, BaseNP and links (two classes), chunk tags (19 classes, one-vs-one).
Before anything is timed, the exported files label up to 100,000 rows: labels are equal, and scores within the bound
that each file states for the row. m2cgen, where it is installed, exports the same SVC of a9a to C.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll, links
from benchmarks.examples import Data, sample
from benchmarks.measure import Missing, Table, Timing, corpora, cpu_seconds_of, in_turn, record, seconds_of
from gristmill.data.rows import Rows, as_rows

COLUMNS = ["machine", "support rows", "outputs", "conjunctions", "side", "us a row (median)", "fastest"]
FILES = [
    "machine",
    "C, MB",
    "JavaScript, MB",
    "written in s",
    "compiled in s",
    "program, MB",
    "rows",
    "near a decision",
]
DRIVERS = Path(__file__).parent / "export_drivers"
ONE_BY_ONE = 1000  # rows that Python is given alone
SMALL = "a9a"  # what m2cgen can be asked for: it writes an expression of all support vectors
SCORED = 5000  # rows whose scores are compared; the drivers write so many


@dataclass(frozen=True)
class Sizes:
    """Examples to learn from, and to label."""

    train: int
    rows: int


FULL, QUICK = Sizes(5_000, 100_000), Sizes(500, 2_000)


def _a9a() -> tuple[Data, Data]:
    folder = corpora() / "binary"
    return gm.read_svmlight(folder / "a9a.gz"), gm.read_svmlight(folder / "a9a.t.gz")


CASES: dict[str, Callable[[], tuple[Data, Data]]] = {
    "a9a": _a9a,
    "BaseNP": conll.load,
    "links": links.load,
    "chunk tags": conll.load_tags,
}


def main(sizes: Sizes = FULL, rounds: int = 5) -> None:
    if shutil.which("gcc") is None or shutil.which("node") is None:
        raise Missing("gcc and node, which run what is exported")
    lines: list[list[Any]] = []
    files: list[list[Any]] = []
    raw: dict[str, Any] = {}
    for name, load in CASES.items():
        with tempfile.TemporaryDirectory() as place:
            folder, ((X, y), (queries, _)) = Path(place), load()
            part = sample((X, y), sizes.train)
            svc = _trained(name, part)
            case = case_of(name, gm.from_sklearn(svc), as_rows(_at_most(X, queries, sizes.rows)), folder)
            peers = _peer(svc, part, folder) if name == SMALL else {}
            raw[name] = in_turn(case.clocks() | peers, rounds)
        files.append(case.file_line())
        lines += [case.line(side, timing) for side, timing in raw[name].items()]
    record(
        "export",
        "Exported C and JavaScript",
        COLUMNS,
        lines,
        _notes(sizes, rounds),
        raw,
        more=[Table("Files", FILES, files)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK, 2)


def _notes(sizes: Sizes, rounds: int) -> list[str]:
    return [
        f"SVC(kernel='poly', degree=2, gamma=1, coef0=1), C=0.01 for a9a, else 1, trained on {sizes.train:,} examples.",
        "Before anything was timed, labels of C and JavaScript were those of `predict` for all rows, and scores of "
        f"{SCORED:,} rows within the bound of their row from those of the engine direct.",
        "Near a decision: rows for which the bound would not settle the label, if they had all the conjunctions that "
        "rows of their length can have; the support rows in the file decide.",
        f"All rows one after the other, {rounds} rounds in turn; processor time. C by gcc -O2. Python: `predict` "
        f"of one row at a time ({ONE_BY_ONE:,} of them), and of all at once: equal ones are scored once then.",
    ]


# --- one machine ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A machine, its files, and rows."""

    name: str
    machine: gm.Machine
    rows: Rows
    folder: Path
    exported: dict[str, Any]  # by language
    seconds: tuple[float, float]  # to write a file, to compile
    program_bytes: int

    @property
    def program(self) -> list[str]:
        return [str(self.folder / "program")]

    @property
    def script(self) -> list[str]:
        return ["node", str(DRIVERS / "run.js"), str(self.folder / "model.js")]

    def clocks(self) -> dict[str, Callable[[], float]]:
        scorer = self.machine.compile()
        some = [self.rows.one(at) for at in range(min(ONE_BY_ONE, len(self.rows)))]
        share = len(self.rows) / len(some)
        return {
            "exported C": partial(_told, self.program, self.folder),
            "exported JavaScript (node)": partial(_told, self.script, self.folder),
            f"Python, {scorer.engine}, row by row": lambda: (
                share * cpu_seconds_of(lambda: [scorer.predict(x) for x in some])
            ),
            f"Python, {scorer.engine}, all at once": lambda: cpu_seconds_of(lambda: scorer.predict(self.rows)),
        }

    def line(self, side: str, timing: Timing) -> list[Any]:
        machine, each = self.machine, 1e6 / len(self.rows)
        counts = machine.n_support, machine.n_outputs, f"{self.exported['c'].conjunctions:,}"
        return [self.name, *counts, side, f"{each * timing.median:.2f}", f"{each * timing.fastest:.2f}"]

    def file_line(self) -> list[Any]:
        sizes = [f"{self.exported[language].nbytes / 1e6:.1f}" for language in ("c", "js")]
        program = f"{self.program_bytes / 1e6:.1f}"
        took = [f"{seconds:.1f}" for seconds in self.seconds]
        return [self.name, *sizes, *took, program, f"{len(self.rows):,}", self.exported["c"].open_rows]


def _trained(name: str, part: Data) -> SVC:
    X, y = part
    return SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=0.01 if name == "a9a" else 1.0, cache_size=500).fit(
        X, y
    )


def case_of(name: str, machine: gm.Machine, rows: Rows, folder: Path) -> Case:
    """Write, compile, and hold answers against the machine's."""
    exported: dict[str, Any] = {}
    write = lambda: exported.update({e: gm.export(machine, folder / f"model.{e}", data=rows) for e in ("c", "js")})  # noqa: E731
    written = seconds_of(write) / 2
    _write_rows(rows, folder / "rows")
    compiled = seconds_of(lambda: _compile("run.c", folder, "program"))
    case = Case(name, machine, rows, folder, exported, (written, compiled), (folder / "program").stat().st_size)
    _check(case)
    return case


def _at_most(X: Any, queries: Any, count: int) -> Any:
    """Test rows, and where these are fewer, of training."""
    width = max(X.shape[1], queries.shape[1])
    parts = [
        sp.csr_matrix((part.data, part.indices, part.indptr), shape=(part.shape[0], width)) for part in (queries, X)
    ]
    return sp.vstack(parts, format="csr")[:count]


def _write_rows(rows: Rows, path: Path) -> None:
    lines = (
        " ".join(map(str, [len(own), *own])) for own in map(np.ndarray.tolist, np.split(rows.ids, rows.offsets[1:-1]))
    )
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def _compile(driver: str, folder: Path, program: str) -> None:
    command = ["gcc", "-O2", f"-I{folder}", str(DRIVERS / driver), "-o", str(folder / program), "-lm"]
    subprocess.run(command, check=True)


def _told(command: list[str], folder: Path) -> float:
    """The seconds that a program says it took for all rows; it writes its answers to files."""
    whole = [*command, *(str(folder / name) for name in ("rows", "classes", "scores"))]
    return float(subprocess.run(whole, check=True, capture_output=True, text=True).stdout)


def _check(case: Case) -> None:
    """AssertionError where a label differs, or a score lies beyond its bound."""
    machine = case.machine
    assert machine.classes is not None
    labels = machine.compile().predict(case.rows)
    some = case.rows.take(np.arange(min(SCORED, len(case.rows))))
    scores = machine.compile("direct").decision_function(some).reshape(len(some), -1)
    for command in (case.program, case.script):
        _told(command, case.folder)
        classes: NDArray[np.int64] = np.loadtxt(case.folder / "classes", dtype=np.int64, ndmin=1)
        found: NDArray[np.float64] = np.loadtxt(case.folder / "scores", ndmin=2)  # the bound, and the scores
        assert np.array_equal(machine.classes[classes], labels), command
        assert np.all(np.abs(found[:, 1:] - scores) <= found[:, :1]), command


# --- a peer -----------------------------------------------------------------------------------------------------------


def _peer(svc: SVC, part: Data, folder: Path) -> dict[str, Callable[[], float]]:
    """m2cgen's C of the same SVC, learned from dense rows as it asks for; nothing where it is not installed."""
    if importlib.util.find_spec("m2cgen") is None:
        return {}
    import m2cgen  # type: ignore[import-not-found]

    (X, y), source = part, folder / "peer.c"
    same = SVC(**svc.get_params()).fit(X.toarray(), y)
    source.write_text(m2cgen.export_to_c(same), encoding="utf-8")
    (folder / "peer.h").write_text(f"#define FEATURES {X.shape[1]}\n", encoding="utf-8")
    _compile("run_m2cgen.c", folder, "peer")
    return {"m2cgen C": partial(_told, [str(folder / "peer")], folder)}


if __name__ == "__main__":
    main()
