"""The benchmark of exported files, on a machine of a few support rows."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import export
from benchmarks.measure import in_turn
from gristmill.data.rows import as_rows
from tests.exporting.programs import found


def test_it_is_one_of_the_claims():
    assert "export" in benchmarks_main.CLAIMS


@pytest.mark.slow
def test_answers_are_checked_and_every_side_is_timed(tmp_path):
    found("gcc")
    found("node")
    rng = np.random.default_rng(0)
    machine = gm.Machine(
        gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2], [3]]), rng.normal(size=(3, 3)), np.zeros(3), [0, 1, 2], "ovr"
    )
    rows = as_rows((rng.random((50, 5)) < 0.5).astype(float))
    case = export.case_of("made up", machine, rows, tmp_path)
    assert len(case.file_line()) == len(export.FILES)
    timings = in_turn(case.clocks(), 2)
    assert [side.split(",")[0] for side in timings] == ["exported C", "exported JavaScript (node)", "Python", "Python"]
    assert all(len(case.line(side, timing)) == len(export.COLUMNS) for side, timing in timings.items())
