"""The benchmarks of the playground's server and of reports, on a few made-up rows."""

from __future__ import annotations

import http.server
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import links, load_client, measure, reports, serving


def decisions(rows, seed):
    """Features that agree with the label more often than not."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.5, 1, -1)
    return sp.csr_matrix((rng.random((rows, 12)) < np.where(y[:, None] > 0, 0.6, 0.3)).astype(float)), y


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(links, "load", lambda: (decisions(300, 1), decisions(1200, 2)))
    return lambda name: json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))


def test_the_claims_can_be_run_by_name():
    assert {"reports", "serving"} <= set(benchmarks_main.CLAIMS)


@pytest.mark.slow  # starts programs again and again
def test_the_server_is_measured(recorded):
    serving.main(train=200, rounds=1, seconds=0.1)
    found = recorded("serving")
    kinds = [(one.name, str(workers), str(n)) for one in serving.REQUESTS for workers in (1, 2) for n in (1, 16)]
    assert [tuple(row[:3]) for row in found["rows"]] == kinds
    assert all(row[-1] == "0" and float(row[3].replace(",", "")) > 0 for row in found["rows"])
    assert [len(found["more"][0]["rows"]), found["plots"][0]["name"]] == [2, "speed"]


def test_an_answer_that_differs_is_noticed(recorded):
    (X, y), (test, _) = links.load()
    machine = gm.KernelSVC(degree=2).fit(X, y).machine_
    rows = serving._rows(test)
    answers = {serving.SCORE: {"results": [{"scores": {"1": 0.0}}] * serving.BATCH}}
    with answering(answers) as port, pytest.raises(AssertionError):
        serving.check(machine, rows, port)


def test_refusals_are_counted_and_no_answer_is_an_error():
    with answering({}) as port:
        found = load_client.load("127.0.0.1", port, [load_client.post("127.0.0.1", port, "/", b"{}")], 2, 0.05)
    assert found.errors == found.answers > 0
    with pytest.raises(OSError, match="Connect"):
        load_client.load("127.0.0.1", port, [b""], 1, 0.05)


@contextmanager
def answering(answers):
    """A server on threads that answers each path with JSON, others with 404."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            found = answers.get(self.path)
            body = json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.slow  # starts programs again and again
def test_reports_are_measured(recorded, monkeypatch):
    monkeypatch.setattr(reports, "TRAIN", 200)
    reports.main(cases=[reports.Case("links", reports._links)], examples=100, rounds=1)
    (row,) = recorded("reports")["rows"]
    named = dict(zip(recorded("reports")["columns"], row, strict=True))
    assert [named["machine"], named["examples"]] == ["links", "100"]
    assert float(named["page, kB"]) > float(named["gzip, kB"]) > 0
