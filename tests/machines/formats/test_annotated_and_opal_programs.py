"""What we write, read by the programs themselves.

Set GRISTMILL_SVMLIGHT, GRISTMILL_TINYSVM and GRISTMILL_OPAL to the folders of svm_classify, svm_classify, and opal and
opal-multi; without them these tests are skipped. The programs print six to eight digits.
"""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest

import gristmill as gm
from gristmill.machines.formats import write

PAIRS = ("+1", "-1")


def run(variable, program, *arguments):
    home = os.environ.get(variable)
    if home is None:
        pytest.skip(f"set {variable} to the folder of {program} to compare with it")
    command = [f"{home}/{program}", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def svmlight(model, data, folder, linear):
    run("GRISTMILL_SVMLIGHT", "svm_classify", "-v", 0, data, model, folder / "out")
    return np.loadtxt(folder / "out")


def tinysvm(model, data, folder, linear):
    lines = run("GRISTMILL_TINYSVM", "svm_classify", "-V", data, model)
    return np.array([float(line.split()[1]) for line in lines[:-4]])


def opal(model, data, folder, linear):
    lines = run("GRISTMILL_OPAL", "opal", *(["-t", 0] if linear else []), "-O", 3, "-", model, data)
    return np.array([float(line.split()[1]) for line in lines if line.startswith(PAIRS)])


@pytest.mark.parametrize("program", [svmlight, tinysvm, opal], ids=lambda program: program.__name__)
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("first_id", [None, 0, 1])
def test_scores_are_the_program_s_own(program, degree, first_id, tmp_path):
    rng = np.random.default_rng(degree)
    support = (rng.random((30, 12)) < 0.4).astype(float)
    support[:, 3] = 1  # opal has no empty rows
    support[:, 0] = 0  # nor these programs a feature 0
    kernel = gm.PolynomialKernel(degree) if degree else gm.PolynomialKernel(1, 1.0, 0.0)
    machine = gm.Machine(kernel, support, rng.normal(size=30), 0.0, classes=[-1, 1], first_id=first_id)
    queries = (rng.random((20, 12)) < 0.4).astype(float)
    queries[:, 0] = 0
    queries[:, 5] = 1
    write(machine, tmp_path / "model", program.__name__)
    gm.write_svmlight(tmp_path / "data", queries, np.ones(20), zero_based=first_id == 0)
    scores = program(tmp_path / "model", tmp_path / "data", tmp_path, degree == 0)
    assert scores == pytest.approx(machine.compile().decision_function(queries), rel=1e-5, abs=1e-5)
