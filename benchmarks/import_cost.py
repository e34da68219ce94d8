"""Claim: `import gristmill` costs less than 1.5 times `import numpy, scipy.sparse`."""

from __future__ import annotations

import functools
import subprocess
import sys

from benchmarks.measure import alternate, record

ROUNDS = 15
STATEMENTS = {
    "python alone": "pass",
    "numpy, scipy.sparse": "import numpy, scipy.sparse",
    "gristmill": "import gristmill",
    "scikit-learn's SVC": "import sklearn.svm",
}


def main() -> None:
    sides = {name: functools.partial(_run, code) for name, code in STATEMENTS.items()}
    for call in sides.values():
        call()  # compiled files and caches
    timings = alternate(sides, ROUNDS)
    base = timings["numpy, scipy.sparse"].median
    rows = [[name, f"{1e3 * t.median:.0f}", f"{t.median / base:.2f}"] for name, t in timings.items()]
    notes = ["Whole processes, start of the interpreter included."]
    record("import_cost", "Import time", ["import", "ms (median)", "ratio"], rows, notes, timings)


def _run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    main()
