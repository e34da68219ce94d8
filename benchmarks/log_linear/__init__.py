"""l1-regularised log-linear models over conjunctions, which kernel learners are compared with.

They exist for the comparison only, so they are no part of gristmill: a C++ compiler makes a library of the files here
and a few of core/ when they are first needed, in build/. The compiler is `$CXX`, or c++, g++ or clang++ on PATH.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Missing
from gristmill.data.rows import Rows

ROOT = Path(__file__).parents[2]
SOURCES = (
    *("benchmarks/log_linear/interface.cpp", "benchmarks/log_linear/trainer.cpp"),
    *("core/rows/feature_map.cpp", "core/solve/online/rank_table.cpp"),
)
INCLUDED = ("benchmarks/log_linear", "core/base", "core/rows", "core/solve/online")  # folders of what these include
OPTIONS = "-std=c++20 -O3 -ffp-contract=off -fPIC -fvisibility=hidden -shared -I. -Icore".split()

_Advance = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_size_t, ctypes.c_size_t)


class LogLinearTrainer:
    """Stochastic gradient descent with cumulative penalty (Tsuruoka, Tsujii and Ananiadou 2009).

    Parameters
    ----------
    degree : int
        Features of the largest conjunctions.
    penalty : float
        C of `-1/n sum_j log p(y_j | x_j) + (C / n) |w|_1`.
    rate, decay : float
        The first step, and the factor of steps after each pass.
    keep_expanded : bool
        The conjunctions of every example, instead of making them in each pass.
    """

    def __init__(self, degree: int, penalty: float, rate: float, decay: float, keep_expanded: bool) -> None:
        self._library = library()
        self._native = self._library.log_linear_new(degree, penalty, rate, decay, keep_expanded)

    def __del__(self) -> None:
        if hasattr(self, "_native"):
            self._library.log_linear_delete(self._native)

    def learn(
        self, rows: Rows, labels: NDArray[np.int32], passes: int, progress: Callable[[int, int], object] | None = None
    ) -> None:
        """Labels are 0 or 1. What `progress` raises ends it."""
        raised = list[BaseException]()

        def advance(done: int, total: int) -> bool:
            try:
                if progress is not None:
                    progress(done, total)
            except BaseException as error:
                raised.append(error)
            return not raised

        error = self._library.log_linear_learn(self._native, _Examples.of(rows, labels), passes, _Advance(advance))
        if raised:
            raise raised[0]
        if error:
            raise RuntimeError(error.decode())

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Above 0 for label 1."""
        out = np.empty(len(rows))
        self._library.log_linear_score(self._native, _Examples.of(rows), out.ctypes.data)
        return out

    def objective(self, rows: Rows, labels: NDArray[np.int32]) -> float:
        return float(self._library.log_linear_objective(self._native, _Examples.of(rows, labels)))

    @property
    def conjunctions(self) -> int:
        """Seen so far."""
        return int(self._library.log_linear_conjunctions(self._native))

    @property
    def used(self) -> int:
        """Conjunctions with a weight."""
        return int(self._library.log_linear_used(self._native))

    @property
    def nbytes(self) -> int:
        return int(self._library.log_linear_nbytes(self._native))


class _Examples(ctypes.Structure):
    """Borrowed arrays."""

    _fields_ = (
        ("offsets", ctypes.c_void_p),
        ("ids", ctypes.c_void_p),
        ("labels", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    )

    @classmethod
    def of(cls, rows: Rows, labels: NDArray[np.int32] | None = None) -> _Examples:
        if labels is not None and (labels.shape != (len(rows),) or labels.dtype != np.int32):
            raise ValueError("a label of 32 bits for every row")
        arrays = (rows.offsets, rows.ids, np.empty(0, dtype=np.int32) if labels is None else labels)
        made = cls(*(array.ctypes.data for array in arrays), len(rows))
        made.arrays = arrays  # as long as they are borrowed
        return made


@functools.cache
def library() -> ctypes.CDLL:
    """The compiled functions with their types; Missing without a compiler, RuntimeError with what it complained of."""
    path = ROOT / "build" / "log_linear" / f"{_digest()}.so"
    if not path.exists():
        _compile(_compiler(), path)
    loaded = ctypes.CDLL(str(path))
    self, examples, size = ctypes.c_void_p, ctypes.POINTER(_Examples), ctypes.c_size_t
    for name, result, arguments in (
        ("new", self, [ctypes.c_uint, *[ctypes.c_double] * 3, ctypes.c_bool]),
        ("delete", None, [self]),
        ("learn", ctypes.c_char_p, [self, examples, size, _Advance]),
        ("score", None, [self, examples, ctypes.c_void_p]),
        ("objective", ctypes.c_double, [self, examples]),
        ("conjunctions", size, [self]),
        ("used", size, [self]),
        ("nbytes", size, [self]),
    ):
        function = getattr(loaded, f"log_linear_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


def _compiler() -> str:
    for name in filter(None, (os.environ.get("CXX"), "c++", "g++", "clang++")):
        if found := shutil.which(name):
            return found
    raise Missing("log-linear models need a C++ compiler: $CXX, or c++, g++ or clang++ on PATH")


def _digest() -> str:
    """Of the command and all sources: what was made of others is not used."""
    texts = [path.read_bytes() for path in map(ROOT.joinpath, SOURCES)]
    texts += [path.read_bytes() for folder in INCLUDED for path in sorted((ROOT / folder).glob("*.hpp"))]
    return hashlib.sha256(b"\0".join([" ".join(OPTIONS).encode(), *texts])).hexdigest()[:16]


def _compile(compiler: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:  # others may compile it at the same time
        made = Path(folder) / path.name
        command = [compiler, *OPTIONS, "-x", "c++", "-", "-o", str(made)]
        together = "".join(f'#include "{source}"\n' for source in SOURCES)  # one pass over the headers
        done = subprocess.run(command, cwd=ROOT, input=together, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
        made.replace(path)
