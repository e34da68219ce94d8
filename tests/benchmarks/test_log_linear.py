"""The log-linear baseline against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from benchmarks import log_linear
from benchmarks.log_linear import LogLinearTrainer, library
from benchmarks.measure import Missing
from tests.oracle import log_linear as oracle

ROWS = st.lists(st.sets(st.integers(0, 9), max_size=5), min_size=1, max_size=8)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    try:
        library()
    except Missing as reason:
        pytest.skip(str(reason))


def trained(rows, labels, degree=2, penalty=1.0, rate=0.5, decay=0.9, passes=3, keep=False):
    data = gm.ids(rows)
    trainer = LogLinearTrainer(degree, penalty, rate, decay, keep)
    trainer.learn(data, np.asarray(labels, dtype=np.int32), passes)
    return trainer, data


@given(ROWS, st.data(), st.integers(1, 3), st.floats(0, 3), st.integers(1, 4), st.booleans())
def test_scores_are_those_of_the_definition(rows, data, degree, penalty, passes, keep):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    trainer, native = trained(rows, labels, degree, penalty, passes=passes, keep=keep)
    weights = oracle.learn(rows, labels, degree, penalty, 0.5, 0.9, passes)
    expected = [sum(weights[s] for s in oracle.conjunctions(row, degree)) for row in rows]
    np.testing.assert_allclose(trainer.score(native), expected, atol=1e-9)
    assert trainer.used == sum(w != 0 for w in weights.values())
    assert trainer.conjunctions == len({s for row in rows for s in oracle.conjunctions(row, degree)})


def random_task(count=400):
    rng = np.random.default_rng(3)
    rows = [set((rng.zipf(1.4, 6) % 40).tolist()) for _ in range(count)]
    return rows, [int(bool({1, 2} <= row) or 3 in row) for row in rows]


def test_the_objective_falls_from_pass_to_pass():
    rows, labels = random_task()
    objectives = []
    for passes in (1, 3, 10, 30):
        trainer, data = trained(rows, labels, passes=passes)
        objectives.append(trainer.objective(data, np.asarray(labels, dtype=np.int32)))
    assert objectives == sorted(objectives, reverse=True)


def test_a_larger_penalty_leaves_fewer_weights():
    rows, labels = random_task()
    used = [trained(rows, labels, penalty=penalty)[0].used for penalty in (0.0, 1.0, 5.0, 1e6)]
    assert used == sorted(used, reverse=True)
    assert used[-1] == 0 < used[0]


def test_features_never_seen_count_for_nothing():
    trainer, _ = trained([{0, 1}, {2}], [1, 0])
    known, more = gm.ids([[0, 1]]), gm.ids([[0, 1, 7, 2_000_000_000]])
    assert trainer.score(known) == trainer.score(more)


def test_training_can_be_stopped():
    def progress(*_):
        raise KeyboardInterrupt

    data = gm.ids([[0]] * 2000)
    trainer = LogLinearTrainer(2, 1.0, 0.5, 0.9, False)
    with pytest.raises(KeyboardInterrupt):
        trainer.learn(data, np.zeros(2000, dtype=np.int32), 1000, progress)


def test_without_a_compiler_it_is_said_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(log_linear, "ROOT", tmp_path)
    monkeypatch.setattr(log_linear, "_digest", lambda: "new")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(Missing, match="compiler"):
        library.__wrapped__()
