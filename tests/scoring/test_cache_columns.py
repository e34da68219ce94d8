"""Kept tables have columns of 16 bits; files with wider ones, of older releases, are built anew."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.scoring import cache
from tests.scoring.test_cache_file import forged


def machine(outputs):
    rng = np.random.default_rng(3)
    rows = gm.ids([sorted(rng.choice(30, 5, replace=False).tolist()) for _ in range(60)])
    return gm.Machine(gm.PolynomialKernel(2), rows, rng.normal(size=(60, outputs)), np.zeros(outputs))


def with_kind(path, kind):
    """The file, as if its tables were of another kind."""
    path.write_bytes(forged(path.read_bytes(), lambda header: header["numbers"].update(kind=kind)))


@pytest.mark.parametrize(("outputs", "kind"), [(1, 0), (4, 2)])
def test_kinds_keep_their_numbers(outputs, kind, tmp_path):
    path, ours = tmp_path / "scorer", machine(outputs)
    made, again = (ours.compile("expanded", cache=path) for _ in range(2))
    assert cache.numbers(path)["kind"] == kind
    assert again.report().reason.startswith("read from")
    assert (again.decision_function(ours.support) == made.decision_function(ours.support)).all()
    with_kind(path, kind)  # which changes nothing
    assert ours.compile("expanded", cache=path).report().reason.startswith("read from")


@pytest.mark.parametrize(("outputs", "kind"), [(1, 1), (4, 3), (1, 2), (4, 0), (1, 4)])
def test_other_kinds_are_built_anew(outputs, kind, tmp_path):
    path, ours = tmp_path / "scorer", machine(outputs)
    made = ours.compile("expanded", cache=path)
    with_kind(path, kind)
    again = ours.compile("expanded", cache=path)
    assert not again.report().reason.startswith("read from")
    assert (again.decision_function(ours.support) == made.decision_function(ours.support)).all()
    assert ours.compile("expanded", cache=path).report().reason.startswith("read from")
