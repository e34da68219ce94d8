"""A short soak finds nothing, and a soak would find what is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import soak
from benchmarks.load_client import Load

ROUND = Load(4, 100, 0, 0, 50.0, p50=0.01, p90=0.01, p99=0.02, p999=0.03, slowest=0.04)


def judged(**changes):
    found = soak.Soak(rounds=[ROUND, ROUND], killed=[1], replaced=[0.1], memory={7: [(0.1, 1000), (0.2, 1000)]})
    for name, value in changes.items():
        setattr(found, name, value)
    soak._judge(found, clients=4)
    return found.broken


def test_what_must_not_happen_is_found():
    assert judged() == []
    assert judged(rounds=[ROUND, replace(ROUND, lost=4)]) == []
    assert "round 0: 1 connections lost" in judged(rounds=[replace(ROUND, lost=1), ROUND])
    assert "round 1: 2 requests were refused" in judged(rounds=[ROUND, replace(ROUND, errors=2)])
    assert "not replaced" in judged(replaced=[soak.MOST_TO_REPLACE])[0]
    assert "grew" in judged(memory={7: [(0.1, 0), (0.2, 2 * soak.MOST_GROWTH)]})[0]


@pytest.mark.slow
def test_a_short_soak_finds_nothing():
    found = soak.soak(seconds=40, clients=8)
    assert not found.broken, str(found)
    assert len(found.killed) == len(found.replaced) == 2
    assert set(found.refusals) <= {"400", "403", "404", "413", "431", "closing"}
    assert len(found.slow) == 3
