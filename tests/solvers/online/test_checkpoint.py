"""Checkpoints of earlier releases load."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.machines.store import pack, unpack
from gristmill.solvers.online import OnlineLearner, OnlineSettings, checkpoint


@pytest.mark.parametrize(("old", "new"), [("kernel", "inverted"), ("expand", "expanded"), ("slice", "slice")])
def test_old_names_of_engines_are_translated(tmp_path, old, new):
    learner = OnlineLearner(OnlineSettings(gm.PolynomialKernel(2), norm="kernel"), np.array([0, 1]))
    path = tmp_path / "state"
    checkpoint.save(learner, checkpoint.Run(0, None, 1, [1.0, 1.0], None), path)
    header, arrays = unpack(path.read_bytes(), checkpoint.KEY, checkpoint.VERSION, "checkpoint")
    header["learner"]["settings"]["engine"] = old
    path.write_bytes(pack(header, arrays, checkpoint.KEY))
    settings = checkpoint.load(path)[0].settings
    assert (settings.engine, settings.norm) == (new, "kernel")
