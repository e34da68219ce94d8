"""tune(client=): the table is that of one machine, bit for bit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gristmill as gm

pytest.importorskip("distributed", reason="extra `cluster`")

from dask.distributed import Client

from gristmill.tuning.dataset import Dataset, stratified_order

TREES = [f"(S (A {'abc'[number % 3]}) (B {'xyz'[number * 7 % 11 % 3]}))" for number in range(90)]
KINDS = [int(number % 3 == 0) for number in range(90)]


@pytest.fixture(scope="module")
def client():
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


def test_examples_move_with_their_numbering(client):
    """Sums of kernels are added by the numbers of subtrees."""
    forest = gm.Forest.from_strings(TREES)
    order = stratified_order(np.array(KINDS), 3, 0)
    dataset = Dataset.of(forest, order, classes=np.array([0, 1]), scheme=None, class_weight=None, scoring="f1")
    moved = pickle.loads(pickle.dumps(dataset))
    assert np.array_equal(moved.data._roots, dataset.data._roots)
    assert moved.data == dataset.data


def table(found):
    return [
        (
            str(trial.setting),
            trial.round,
            trial.sample_size,
            trial.score,
            trial.spread,
            trial.scores,
            trial.support,
            trial.C,
        )
        for trial in found.trials
    ]


@pytest.mark.parametrize("search", ["exact", "subset", "cutting-plane"])
def test_the_table_is_that_of_one_machine(client, search):
    how = {"kernels": ["st", "sst"], "parameters": {"decay": [0.2, 0.4]}, "C": [0.1, 1.0], "folds": 3, "search": search}
    how |= {} if search == "exact" else {"sample_sizes": [30, 60]}
    here, there = gm.tune(TREES, KINDS, **how), gm.tune(TREES, KINDS, client=client, **how)
    assert table(there) == table(here)
    assert there.best == here.best
    assert there.classifier.machine_ == here.classifier.machine_


def test_rows_and_slicing(client):
    random = np.random.default_rng(0)
    X = (random.random((120, 9)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    how = {
        "kernels": "poly",
        "parameters": {"degree": [1, 2]},
        "C": [0.01, 0.1],
        "search": "slicing",
        "sample_sizes": [60],
    }
    assert table(gm.tune(X, y, client=client, **how)) == table(gm.tune(X, y, **how))


def test_an_interrupted_search_keeps_its_trials_and_leaves_no_work(client):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(gm.tuning.TuningInterrupted) as caught:
        gm.tune(TREES, KINDS, kernels=["st", "sst"], C=[1.0], folds=3, client=client, progress=stop)
    assert len(caught.value.result.trials) == 1
