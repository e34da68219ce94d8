"""The engine split fits wherever expanded does, unless the user draws a line that does not."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm

RNG = np.random.default_rng(13)
SHARE = np.geomspace(0.5, 0.02, 40)  # of the rows that have a feature: none is rare by the rule of 0.5 %
X = (RNG.random((300, 40)) < SHARE).astype(float)
ROOM = 300_000  # bytes: a third of what the line of the paper takes
MACHINE = gm.Machine(gm.PolynomialKernel(6), X, RNG.normal(size=(300, 1)), [0.1], classes=["no", "yes"])


def test_split_draws_another_line_where_that_of_the_paper_does_not_fit() -> None:
    room = MACHINE.compile("expanded", max_bytes=ROOM).nbytes
    scorer = MACHINE.compile("split", max_bytes=ROOM)
    assert room <= ROOM
    assert scorer.nbytes <= ROOM
    assert scorer.report().tiers[2] > 0
    direct = MACHINE.compile("direct")
    np.testing.assert_allclose(scorer.decision_function(X), direct.decision_function(X), atol=1e-6)
    assert np.array_equal(scorer.predict(X), direct.predict(X))


def test_where_it_fits_the_line_is_that_of_the_paper() -> None:
    for options in ({}, {"max_bytes": 1 << 30}):
        assert MACHINE.compile("split", **options).report().tiers == MACHINE.compile("split", rare=0.005).report().tiers
        assert MACHINE.compile("split", **options).report().tiers[2] == 0


def test_a_line_of_the_user_stays_where_it_is() -> None:
    with pytest.raises((ValueError, MemoryError), match="max_bytes"):
        MACHINE.compile("split", rare=0.005, max_bytes=ROOM)
    assert MACHINE.compile("split", rare=40).report().tiers[2] > 0


def test_a_file_of_a_moved_line_is_not_taken_for_one_of_a_fixed_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "scorer"
    moved = MACHINE.compile("split", max_bytes=ROOM, cache=path)
    again = MACHINE.compile("split", max_bytes=ROOM, cache=path)
    assert again.report().tiers == moved.report().tiers
    assert "read from" in again.report().reason
    fixed = MACHINE.compile("split", rare=40, cache=path)
    assert fixed.report().tiers != moved.report().tiers
