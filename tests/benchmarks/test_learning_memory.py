"""What learning with conjunctions takes, in processes of their own."""

from __future__ import annotations

import pytest

from benchmarks import learning_memory


def test_every_method_is_asked_for_every_degree(monkeypatch):
    jobs = []

    def in_process(job):
        jobs.append(job)
        return {"seconds": 1.0, "bytes": 2_000_000 * job["degree"]}

    monkeypatch.setattr(learning_memory, "_in_process", in_process)
    table = learning_memory.memory_table(700)
    assert [(job["degree"], job["method"]) for job in jobs] == [(row[0], row[1]) for row in table.rows]
    assert {job["examples"] for job in jobs} == {700}
    assert [row[-1] for row in table.rows] == ["4"] * 4 + ["6"] * 4


def test_too_much_memory_ends_self_training(monkeypatch):
    found = {"seconds": 1.0, "before": 0.9, "after": 0.9, "examples": 10, "support": 3}
    monkeypatch.setattr(learning_memory, "_in_process", lambda _: found | {"bytes": 10**9})
    with pytest.raises(AssertionError):
        learning_memory.self_training_table(5, 10)


@pytest.mark.slow
def test_kept_conjunctions_take_more_memory(corpora):
    rows = {(degree, method): float(mb) for degree, method, *_, mb in learning_memory.memory_table(20_000).rows}
    for degree in learning_memory.COSTS:
        assert rows[degree, "log-linear, kept"] > rows[degree, "log-linear"]
        assert rows[degree, "log-linear"] > rows[degree, "push"]


@pytest.mark.slow
def test_a_million_answers_are_learned_within_the_memory_allowed(corpora):
    """Of the model itself, and no worse for it."""
    ((_, learned, before, after, *_),) = learning_memory.self_training_table(20_000, 1_000_000).rows
    assert int(learned.replace(",", "")) >= 1_000_000
    assert float(after) > float(before) - 0.2
