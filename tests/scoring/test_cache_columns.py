"""Kept tables have columns of 16 bits; files with wider ones, of older releases, are built anew."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.scoring import cache


def machine(outputs):
    rng = np.random.default_rng(3)
    rows = gm.ids([sorted(rng.choice(30, 5, replace=False).tolist()) for _ in range(60)])
    return gm.Machine(gm.PolynomialKernel(2), rows, rng.normal(size=(60, outputs)), np.zeros(outputs))


def with_kind(path, kind):
    """The file, as if its tables were of another kind."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    own = json.loads(header["__metadata__"][cache.KEY])
    own["numbers"]["kind"] = kind
    header["__metadata__"][cache.KEY] = json.dumps(own)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])


@pytest.mark.parametrize(("outputs", "kind"), [(1, 0), (4, 2)])
def test_kinds_keep_their_numbers(outputs, kind, tmp_path):
    path, ours = tmp_path / "scorer", machine(outputs)
    made, mapped = (ours.compile("expanded", cache=path) for _ in range(2))
    assert cache.numbers(path)["kind"] == kind
    assert "mapped" in mapped.report().reason
    assert (mapped.decision_function(ours.support) == made.decision_function(ours.support)).all()
    with_kind(path, kind)  # which changes nothing
    assert "mapped" in ours.compile("expanded", cache=path).report().reason


@pytest.mark.parametrize(("outputs", "kind"), [(1, 1), (4, 3), (1, 2), (4, 0), (1, 4)])
def test_other_kinds_are_built_anew(outputs, kind, tmp_path):
    path, ours = tmp_path / "scorer", machine(outputs)
    made = ours.compile("expanded", cache=path)
    with_kind(path, kind)
    again = ours.compile("expanded", cache=path)
    assert "mapped" not in again.report().reason
    assert (again.decision_function(ours.support) == made.decision_function(ours.support)).all()
    assert "mapped" in ours.compile("expanded", cache=path).report().reason
