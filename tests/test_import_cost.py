"""What `import gristmill` may not pull in."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["sklearn", "matplotlib", "safetensors", "narwhals", "click", "rich", "pandas", "polars"]
SCORING = """
machine = gristmill.Machine(gristmill.PolynomialKernel(2), [[0, 1], [2]], [1.0, -1.0], 0.0, classes=[0, 1])
machine.compile().predict([[0], [2], []])
"""


@pytest.mark.parametrize("code", ["", SCORING], ids=["import", "scoring"])
def test_heavy_packages_stay_out(code):
    program = f"import sys, gristmill\n{code}\nprint(*sorted({set(HEAVY)} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_names_that_need_sklearn_import_it_when_used():
    program = "import sys, gristmill; gristmill.accelerate; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
