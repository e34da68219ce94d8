"""A learner with a budget of support rows: an approximation, the same for every engine."""

import numpy as np
import pytest

import gristmill as gm
from gristmill import _core

KERNEL, SLICED, PUSHED = _core.OnlineEngine.kernel, _core.OnlineEngine.sliced, _core.OnlineEngine.pushed
PA1, INPUT = _core.Update.pa1, _core.StepNorm.input


def learned(rows, labels, outputs, engine, budget, passes=3):
    trainer = _core.OnlineTrainer(
        2, 1.0, 1.0, PA1, INPUT, 0.1, outputs, 28, engine, 10, True, engine == SLICED, True, None, True, budget
    )
    data = gm.ids(rows)
    trainer.learn(data.offsets, data.ids, np.asarray(labels, dtype=np.int32), np.empty(0), passes, None, 0, None)
    return trainer


def task(classes, seed=5):
    rng = np.random.default_rng(seed)
    return [sorted(set((rng.zipf(1.4, 7) % 50).tolist())) for _ in range(300)], rng.integers(0, classes, 300)


def largest_support(trainer, outputs):
    """How many rows had coefficients at once, after any step but those that make room."""
    state = dict(
        zip("features offsets ranks rows up down units sizes times numbers".split(), trainer.state(), strict=True)
    )
    coef, most = {}, 0
    steps = list(zip(state["rows"], state["up"], state["down"], state["units"][::2], state["times"], strict=True))
    for at, (row, up, down, size, time) in enumerate(steps):
        here = coef.setdefault(int(row), np.zeros(outputs))
        if up >= 0:
            here[up] += size
        if down >= 0:
            here[down] -= size
        if at + 1 == len(steps) or steps[at + 1][4] != time:
            most = max(most, sum(bool(a.any()) for a in coef.values()))
    return most


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("budget", [1, 2, 20])
def test_there_are_never_more_support_rows(classes, budget):
    rows, labels = task(classes)
    outputs = 1 if classes == 2 else classes
    assert largest_support(learned(rows, labels, outputs, KERNEL, budget), outputs) == budget
    assert largest_support(learned(rows, labels, outputs, KERNEL, 0), outputs) > 20


@pytest.mark.parametrize("classes", [2, 4])
def test_every_engine_forgets_the_same(classes):
    rows, labels = task(classes)
    outputs = 1 if classes == 2 else classes
    first, *others = (learned(rows, labels, outputs, engine, 15).support(False) for engine in (KERNEL, SLICED, PUSHED))
    for other in others:
        for mine, theirs in zip(first, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_the_oldest_row_goes_first():
    trainer = learned([[0], [1], [2]], [1, 1, 1], 1, KERNEL, 2, passes=1)
    _, ids, coef = trainer.support(False)
    assert ids.tolist() == [1, 2]
    assert (coef > 0).all()


def test_a_budget_that_is_never_reached_changes_nothing():
    rows, labels = task(2)
    for mine, theirs in zip(
        learned(rows, labels, 1, SLICED, 10_000).support(True),
        learned(rows, labels, 1, SLICED, 0).support(True),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_a_restored_learner_forgets_as_if_it_had_not_stopped():
    rows, labels = task(2)
    whole = learned(rows, labels, 1, KERNEL, 10, passes=1)
    half = learned(rows[:150], labels[:150], 1, KERNEL, 10, passes=1)
    rest = _core.OnlineTrainer(2, 1.0, 1.0, PA1, INPUT, 0.1, 1, 28, KERNEL, 10, True, False, True, None, True, 10)
    rest.restore(*half.state())
    data = gm.ids(rows[150:])
    rest.learn(data.offsets, data.ids, np.asarray(labels[150:], dtype=np.int32), np.empty(0), 1, None, 0, None)
    np.testing.assert_array_equal(rest.state()[6], whole.state()[6])
