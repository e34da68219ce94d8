"""cluster.KernelSVC and cluster.predict on a small cluster of threads."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm

pytest.importorskip("distributed", reason="extra `cluster`")

import dask.array as da
import dask.bag as db
import pandas as pd
from dask import delayed
from dask.distributed import Client

from gristmill import cluster
from gristmill.cluster import svc as svc_module


@pytest.fixture(scope="module")
def client():
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


def examples(size=400, classes=2):
    random = np.random.default_rng(0)
    X = (random.random((size, 10)) < 0.3).astype(float)
    scores = X @ random.normal(size=(10, classes)) + 0.3 * random.normal(size=(size, classes))
    return X, np.array([*"abc"])[scores.argmax(axis=1)]


X, Y = examples()
LOCAL = gm.KernelSVC(degree=2, C=0.1).fit(X, Y)
TREES = [f"(S (A {'abc'[number % 3]}) (B {'xyz'[number % 7 % 3]}))" for number in range(60)]
KINDS = np.array(["yes" if tree[6] == "a" else "no" for tree in TREES])


def svc(client, **options):
    return cluster.KernelSVC(degree=2, C=0.1, client=client, **options)


def pairs(size=90):
    return [delayed((X[begin : begin + size], Y[begin : begin + size])) for begin in range(0, len(Y), size)]


def framed(data):
    """A Dask collection of pandas objects."""
    dataframe = pytest.importorskip(
        "dask.dataframe",
        reason="dask.dataframe imports pyarrow, which is large: install it to run this",
        exc_type=ImportError,
    )
    return dataframe.from_pandas(data, npartitions=3)


def spread(form):
    if form == "frame":
        return framed(pd.DataFrame(X, columns=[f"f{number}" for number in range(10)])), framed(pd.Series(Y))
    parts = [slice(0, 150), slice(150, 400)]
    return {
        "array": (da.from_array(X, chunks=(90, 4)), da.from_array(Y, chunks=70)),
        "sparse": ([delayed(sp.csr_matrix(X[some])) for some in parts], [delayed(Y[some]) for some in parts]),
        "pairs": (pairs(), None),
        "local": (X, Y),
        "lists": (X.tolist(), Y.tolist()),
    }[form]


@pytest.mark.parametrize("form", ["array", "sparse", "pairs", "frame", "local", "lists"])
def test_every_form_of_data_gives_the_same_machine(client, form):
    given, labels = spread(form)
    fitted = svc(client).fit(given, labels)
    reference = svc(client).fit(X, Y)
    assert np.array_equal(fitted.machine_.dense_coef(), reference.machine_.dense_coef())
    assert (fitted.to_local().predict(X) == LOCAL.predict(X)).all()
    assert fitted.n_features_in_ == 10


def test_files_are_read_by_the_workers(client, tmp_path):
    for number, some in enumerate((slice(0, 200), slice(200, 400))):
        gm.write_svmlight(tmp_path / f"part{number}.svm", sp.csr_matrix(X[some]), Y[some], zero_based=False)
    fitted = svc(client).fit(sorted(tmp_path.glob("*.svm")))
    assert (fitted.to_local().predict(X) == LOCAL.predict(X)).all()
    (tmp_path / "part2.svm").write_text("a 1:1\nb 2:x\n")
    with pytest.raises(gm.FormatError, match=r"part2.svm:2:5"):
        svc(client).fit(sorted(tmp_path.glob("*.svm")))


def test_trees_come_in_bags(client):
    bag, labels = db.from_sequence(TREES, npartitions=3), db.from_sequence(KINDS.tolist(), npartitions=3)
    fitted = cluster.KernelSVC("sst", client=client).fit(bag, labels)
    assert (fitted.predict(TREES) == KINDS).all()
    assert fitted.predict(bag).compute() == KINDS.tolist()


def test_weights_are_partitioned_as_the_examples(client):
    weights = np.random.default_rng(1).integers(0, 4, len(Y)).astype(float)
    given = da.from_array(X, chunks=(100, 10)), da.from_array(Y, chunks=100), da.from_array(weights, chunks=100)
    fitted = svc(client, tol=1e-5).fit(*given)
    local = gm.KernelSVC(degree=2, C=0.1, tol=1e-5).fit(X, Y, weights)
    assert np.allclose(fitted.bounds_, -local.objective_[0], rtol=1e-4)


def test_what_is_learned_is_a_kernel_svc(client):
    fitted = svc(client).fit(X, Y)
    local = fitted.to_local()
    assert isinstance(local, gm.KernelSVC)
    assert local.machine_ == fitted.machine_
    assert np.array_equal(local.decision_function(X), fitted.decision_function(X))
    assert local.n_support_.sum() == len(local.support_)
    assert fitted.client_ is client
    assert [one.number for one in fitted.rounds_] == list(range(1, len(fitted.rounds_) + 1))


def test_predictions_have_the_kind_of_the_data(client, tmp_path):
    expected, scores = LOCAL.predict(X), LOCAL.decision_function(X)
    path = tmp_path / "model"
    LOCAL.machine_.save(path)
    array = da.from_array(X, chunks=(90, 4))
    for model in (LOCAL.machine_, path):
        found = cluster.predict(model, array, client=client)
        assert (found.dtype, found.shape) == (expected.dtype, (len(X),))
        assert (found.compute() == expected).all()
        assert (cluster.predict(model, array, client=client, output="scores").compute() == scores).all()
        assert (cluster.predict(model, X, client=client) == expected).all()
        [block] = cluster.predict(model, [delayed(X)], client=client)
        assert (block.compute() == expected).all()
    gm.write_svmlight(tmp_path / "data", sp.csr_matrix(X), Y, zero_based=False)
    [answers] = cluster.predict(path, [tmp_path / "data"], client=client)
    assert (answers.compute() == expected).all()


def test_frames_keep_their_index(client):
    frame = pd.DataFrame(X, index=range(1000, 1000 + len(X)))
    frame.columns = [f"f{number}" for number in range(10)]
    found = cluster.predict(LOCAL.machine_, framed(frame), client=client)
    assert found.compute().equals(pd.Series(LOCAL.predict(X), index=frame.index))


def test_a_model_that_workers_do_not_see_is_sent(client, tmp_path, monkeypatch):
    path = tmp_path / "model"
    LOCAL.machine_.save(path)
    monkeypatch.setattr(client, "run", lambda function: {"worker": False})
    assert (cluster.predict(path, X, client=client) == LOCAL.predict(X)).all()


def test_workers_that_do_not_see_machines_change_no_bit(client, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("gristmill.cluster.rounds._FIRST", 30)
    seen = svc(client).fit(X, Y)
    monkeypatch.setattr(client, "run", lambda function: {"worker": False})
    assert svc(client).fit(X, Y).machine_ == seen.machine_
    assert list(tmp_path.iterdir()) == []  # nor do they keep what was sent


def test_two_trainings_share_a_client(client):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda C: cluster.KernelSVC(degree=2, C=C, client=client).fit(pairs()), (0.1, 1.0)))
    for fitted, C in zip(both, (0.1, 1.0), strict=True):
        alone = cluster.KernelSVC(degree=2, C=C, client=client).fit(X, Y)
        assert np.array_equal(fitted.machine_.dense_coef(), alone.machine_.dense_coef())


def test_an_interrupted_fit_keeps_the_last_machine_and_leaves_no_work(client, monkeypatch):
    monkeypatch.setattr("gristmill.cluster.rounds._FIRST", 30)
    rounds = []

    def stop(self, *arguments):
        rounds.append(self)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        return solve(self, *arguments)

    solve = svc_module.Training._solve
    monkeypatch.setattr(svc_module.Training, "_solve", stop)
    fitted = svc(client)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(pairs())
    assert len(fitted.rounds_) == 2
    assert fitted.to_local().predict(X).shape == Y.shape
    assert is_soon(lambda: not [key for key in client.who_has() if "keyed" in str(key)])


def is_soon(condition):
    """Whether it is true within some seconds: what is cancelled ends a moment later."""
    return any(condition() or time.sleep(0.05) for _ in range(200))


def test_it_says_what_to_do_where_support_vectors_do_not_fit(client, monkeypatch):
    monkeypatch.setattr("gristmill.cluster.rounds._FIRST", 30)
    with pytest.warns(gm.ConvergenceWarning, match="Raise max_working_set"):
        fitted = svc(client, max_working_set=50).fit(X, Y)
    assert fitted.rounds_[-1].n_violators > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, "gamma must be a number"),
        ({"kernel": "sigmoid", "gamma": 1.0}, "semidefinite"),
        ({"kernel": "precomputed"}, "kernel"),
        ({"C": "auto"}, "C must be"),
        ({"max_working_set": 0}, "max_working_set"),
        ({"class_weight": {"z": 1.0}}, "'z'"),
        ({"client": "tcp://nobody"}, "must be a dask.distributed.Client"),
    ],
)
def test_what_cannot_be_trained_is_said(client, options, message):
    with pytest.raises(ValueError, match=message):
        cluster.KernelSVC(**{"client": client} | options).fit(X, Y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((X, None), "y is needed"),
        ((X, Y[:3]), "labels of shape"),
        ((pairs(), [delayed(Y)]), "partitioned alike"),
        (([delayed(X)], None), r"a pair \(X, y\)"),
        ((X, np.full(len(Y), "a")), "greater than one"),
        ((X[:0], Y[:0]), "no examples"),
        (([delayed((X, Y)), delayed((X, np.ones(len(Y))))], None), "words in some partitions"),
    ],
)
def test_data_that_do_not_fit_are_refused(client, given, message):
    with pytest.raises(ValueError, match=message):
        svc(client).fit(*given)
