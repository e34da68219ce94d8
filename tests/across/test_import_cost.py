"""What `import gristmill` may not pull in."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gristmill

HEAVY = ["sklearn", "matplotlib", "safetensors", "narwhals", "click", "rich", "pandas", "polars"]
SCORING = """
machine = gristmill.Machine(gristmill.PolynomialKernel(2), [{0, 1}, {2}], [1.0, -1.0], 0.0, classes=[0, 1])
machine.compile().predict([{0}, {2}, set()])
"""
NOT_FOR_A_VERSION = [*(name for name in HEAVY if name != "click"), "numpy", "scipy", "gristmill._core"]


@pytest.mark.parametrize("code", ["", SCORING], ids=["import", "scoring"])
def test_heavy_packages_stay_out(code):
    program = f"import sys, gristmill\n{code}\nprint(*sorted({set(HEAVY)} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_names_that_need_sklearn_import_it_when_used():
    program = "import sys, gristmill; gristmill.accelerate; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize("code", ["gristmill", "gristmill.cli"])
def test_a_package_that_nobody_uses_yet_imports_neither_numpy_nor_the_core(code):
    program = f"import sys, {code}\nprint(*sorted({set(NOT_FOR_A_VERSION)} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("arguments", [["--version"], ["predcit"]])
def test_what_needs_no_command_imports_no_numpy(arguments):
    program = (
        f"import sys; from gristmill.cli import run; run({arguments})\n"
        f"print('imported:', *sorted({set(NOT_FOR_A_VERSION)} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["imported:"]


@pytest.mark.parametrize("package", ["batch", "cutting_plane", "online"])
def test_solvers_can_be_imported_in_any_order(package):
    program = f"import gristmill.solvers.{package}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_public_name_is_found_and_stays():
    for name in gristmill.__all__:
        assert getattr(gristmill, name) is getattr(gristmill, name)
    with pytest.raises(AttributeError, match="no attribute 'Machin'"):
        _ = gristmill.Machin
