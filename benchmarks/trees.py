"""Trees of the corpora, and SVM-light-TK on them, where it is on PATH."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Missing, corpora
from gristmill.kernels import Kernel
from gristmill.machines.formats import write


def lines_of(path: str) -> list[str]:
    """A corpus file, line by line."""
    with gzip.open(corpora() / path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def trees_of(path: str) -> list[str]:
    """The trees of a file that has one in the last column of each line."""
    return [line.rpartition("\t")[2] for line in lines_of(path)]


QC, GRCT, PTB = "qc/train.tk.gz", "qc/train.grct.tk.gz", "treebank/wsj_sample.trees.gz"
QC_TEST, AST = "qc/test.tk.gz", "ast/java_methods.trees.gz"


@dataclass(frozen=True)
class TreeKernelProgram:
    """SVM-light-TK's svm_classify. What it says it took is CPU time without reading and writing files."""

    program: str

    @classmethod
    def find(cls) -> TreeKernelProgram:
        """The program on PATH; SVMlight's own has the same name and knows no trees."""
        program = shutil.which("svm_classify")
        if program is None:
            raise Missing("no svm_classify of SVM-light-TK on PATH")
        if b"tree" not in Path(program).read_bytes():
            raise Missing(f"{program} is SVMlight's, not that of SVM-light-TK")
        return cls(program)

    def classify(
        self, kernel: Kernel, support: Sequence[str], queries: Sequence[str], folder: Path
    ) -> tuple[float, NDArray[np.float64]]:
        """Seconds, and the scores, of a machine with these support trees, each with weight 1."""
        machine = gm.Machine(kernel, gm.Forest.from_strings(support), np.ones(len(support)), 0.0, classes=[-1, 1])
        model, data, out = folder / "model", folder / "data", folder / "out"
        write(machine, model, "svmlight-tk")
        gm.write_svmlight_tk(data, queries, np.ones(len(queries)))
        done = subprocess.run([self.program, data, model, out], capture_output=True, text=True, check=True)
        found = re.search(r"cpu-seconds: *([0-9.]+)", done.stdout)
        if found is None:
            raise Missing(f"{self.program} does not say how long it took")
        return float(found[1]), np.loadtxt(out)
