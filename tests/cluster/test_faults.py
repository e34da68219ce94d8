"""What goes wrong on clusters: workers that die or come late, damaged files, clients that leave. On processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm

pytest.importorskip("distributed", reason="extra `cluster`")

from dask.distributed import Client, LocalCluster

from gristmill import cluster
from gristmill.cluster import rounds
from gristmill.cluster.spread import SpreadPartitions

# Sockets of processes that were killed are closed when they are found.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def local():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


@pytest.fixture
def client(local):
    with Client(local) as made:
        yield made


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Seven svmlight files, one of them empty, one of one class, and the examples of all."""
    folder = tmp_path_factory.mktemp("parts")
    random = np.random.default_rng(0)
    X = (random.random((600, 12)) < 0.3).astype(float)
    scores = X @ random.normal(size=12) + 0.4 * random.normal(size=600)
    y = np.where(scores > np.median(scores), 1, -1)
    order = np.concatenate([np.flatnonzero(y == 1)[:80], np.flatnonzero(y == 1)[80:], np.flatnonzero(y == -1)])
    order[80:] = random.permutation(order[80:])
    for number, part in enumerate([order[:80], *np.array_split(order[80:], 5)]):
        gm.write_svmlight(folder / f"{number}.svm", sp.csr_matrix(X[part]), y[part], zero_based=False)
    (folder / "6.svm").write_text("")
    return sorted(folder.glob("*.svm")), X, y


@pytest.fixture(autouse=True)
def few_at_first(monkeypatch):
    monkeypatch.setattr(rounds, "_FIRST", 60)


def svc(client, **options):
    return cluster.KernelSVC(degree=2, C=0.1, client=client, **options)


def kill_one(client):
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)


@pytest.fixture(scope="module")
def undisturbed(local, files):
    with pytest.MonkeyPatch.context() as monkeypatch, Client(local) as client:
        monkeypatch.setattr(rounds, "_FIRST", 60)
        return svc(client).fit(files[0]).machine_


@pytest.mark.parametrize("phase", range(1, 9))
def test_a_worker_that_is_killed_changes_nothing(files, undisturbed, monkeypatch, phase):
    """In every phase in turn: when examples are read, counted, keyed, chosen, scored. Each on a cluster of its own."""
    submitted, calls = SpreadPartitions._submitted, []

    def submit(self, *arguments):
        made = submitted(self, *arguments)
        calls.append(1)
        if len(calls) == phase:
            kill_one(client)
        return made

    monkeypatch.setattr(SpreadPartitions, "_submitted", submit)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own, Client(own) as client:
        fitted = svc(client).fit(files[0])
    assert len(calls) >= phase
    assert fitted.machine_ == undisturbed


def test_a_worker_may_join_late(client, local, files, undisturbed, monkeypatch):
    submitted, calls = SpreadPartitions._submitted, []

    def submit(self, *arguments):
        calls.append(1)
        if len(calls) == 4:
            local.scale(3)
            client.wait_for_workers(3, timeout=60)
        return submitted(self, *arguments)

    monkeypatch.setattr(SpreadPartitions, "_submitted", submit)
    assert svc(client).fit(files[0]).machine_ == undisturbed
    local.scale(2)


def test_more_workers_than_partitions(client, files):
    _, X, y = files
    assert (
        svc(client).fit(X[:60], y[:60]).to_local().predict(X)
        == gm.KernelSVC(degree=2, C=0.1).fit(X[:60], y[:60]).predict(X)
    ).all()


def test_a_damaged_file_is_named_and_the_cluster_goes_on(client, files, undisturbed, tmp_path):
    (tmp_path / "damaged.svm").write_text("1 1:1\n1 2:x\n")
    with pytest.raises(gm.FormatError, match=r"damaged.svm:2:5"):
        svc(client).fit([*files[0], tmp_path / "damaged.svm"])
    assert svc(client).fit(files[0]).machine_ == undisturbed


def test_the_work_of_a_client_that_is_gone_ends(local, files):
    script = f"""
        from dask.distributed import Client
        from gristmill import cluster
        with Client({local.scheduler_address!r}) as client:
            clf = cluster.KernelSVC(degree=2, C=0.1, client=client)
            raw = cluster.svc.raw_partitions(client, clf._checked()[1], {list(map(str, files[0]))!r}, None, None)
            parts = cluster.svc.SpreadPartitions(client, raw)
            parts.survey()
            parts.key(__import__("numpy").array([-1, 1]))
            print("ready", flush=True)
            __import__("time").sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        other.kill()
    with Client(local) as client:
        begin = time.monotonic()
        while (
            client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) and time.monotonic() < begin + 30
        ):
            time.sleep(0.2)
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0
