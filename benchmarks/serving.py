"""Claim: the playground's server answers thousands of requests a second, and does not grow.

A machine of some 20,000 support rows behind `gristmill serve`, by one process and by two, on the machine whose
processors its clients use as well. What it answers was held against the library before it was timed.
"""

from __future__ import annotations

import functools
import json
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import links
from benchmarks.examples import sample
from benchmarks.load_client import Load, load, post
from benchmarks.measure import Table, record
from benchmarks.served import Served, served
from gristmill.display.charts import Plot

HOST, SCORE, EXPLAIN = "127.0.0.1", "/api/score", "/api/explain"
TRAIN, DIFFERENT, BATCH = 120_000, 500, 100  # examples to learn from, different requests, rows of a large one
WORKERS, CONNECTIONS, ROUNDS, SECONDS = (1, 2), (1, 16), 3, 4.0
COLUMNS = [
    *("request", "workers", "clients", "answers a second", "slowest round", "fastest round"),
    *("p50, ms", "p90, ms", "p99, ms", "p99.9, ms", "errors"),
]


@dataclass(frozen=True)
class Request:
    """A kind of request: where to, how many rows it has, and what it asks for beside."""

    name: str
    path: str
    rows: int
    more: dict[str, bool]


REQUESTS = (
    Request("score a row", SCORE, 1, {}),
    Request(f"score {BATCH} rows", SCORE, BATCH, {}),
    Request("explain a row", EXPLAIN, 1, {}),
    Request("explain a row, each feature off, pairs", EXPLAIN, 1, {"without": True, "interactions": True}),
)


@dataclass(frozen=True)
class Case:
    """Rounds of one kind of request to a server."""

    request: str
    workers: int
    connections: int
    rounds: list[Load]

    def middle(self, name: str) -> float:
        return float(median(getattr(one, name) for one in self.rounds))

    @property
    def errors(self) -> int:
        return sum(one.errors + one.lost for one in self.rounds)


def main(train: int = TRAIN, rounds: int = ROUNDS, seconds: float = SECONDS) -> None:
    (X, y), (test, _) = links.load()
    machine = gm.OnlineKernelClassifier(degree=2, C=0.005, epochs=2).fit(*sample((X, y), train)).machine_
    rows = _rows(test)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "links.safetensors"
        machine.save(model)
        with served(model, 1, HOST) as one, served(model, 2, HOST) as two:
            servers = dict(zip(WORKERS, (one, two), strict=True))
            for server in servers.values():
                check(machine, rows, server.port)
            memory = [(0, {n: server.memory() for n, server in servers.items()})]
            cases = list(_measured(rows, servers, rounds, seconds, memory))
    record(
        "serving",
        "The playground's server under load",
        COLUMNS,
        [_line(case) for case in cases],
        _notes(machine, rounds, seconds),
        {"cases": cases, "memory": memory},
        more=[_memory_table(memory)],
        plots=[_plot(cases)],
    )


def _rows(test: Any) -> list[list[int]]:
    chosen = test[np.random.default_rng(2).permutation(test.shape[0])[: DIFFERENT * 2]]
    return [row.indices.tolist() for row in chosen]


def _measured(
    rows: list[list[int]], servers: dict[int, Served], rounds: int, seconds: float, memory: list[Any]
) -> Iterator[Case]:
    """All kinds in turn, each round; the memory of the servers after each round is added to the list."""
    found: dict[tuple[str, int, int], list[Load]] = {}
    answers = 0
    for _ in range(rounds):
        for request in REQUESTS:
            for workers, server in servers.items():
                asked = [post(HOST, server.port, request.path, body) for body in bodies(request, rows)]
                for connections in CONNECTIONS:
                    done = load(HOST, server.port, asked, connections, seconds)
                    found.setdefault((request.name, workers, connections), []).append(done)
                    answers += done.answers
        memory.append((answers, {workers: server.memory() for workers, server in servers.items()}))
        print(f"{answers:,} answers", flush=True)
    for (name, workers, connections), loads in found.items():
        yield Case(name, workers, connections, loads)


def bodies(request: Request, rows: Sequence[list[int]]) -> list[bytes]:
    """Different requests of a kind."""
    starts = range(DIFFERENT if request.rows == 1 else DIFFERENT // 10)
    return [json.dumps({"rows": rows[at : at + request.rows], **request.more}).encode() for at in starts]


def check(machine: gm.Machine, rows: list[list[int]], port: int) -> None:
    """AssertionError where the server says anything else than the library, bit for bit."""
    ask = functools.partial(_asked, port)
    some = rows[:BATCH]
    X = gm.ids(some)
    scores = machine.compile().decision_function(X)
    told = ask(SCORE, {"rows": some})
    assert [next(iter(one["scores"].values())) for one in told] == scores.tolist()
    explained = gm.Explainer(machine)(X)
    for one, row in zip(ask(EXPLAIN, {"rows": some}), explained, strict=True):
        assert [part["value"] for part in one["features"] if part["value"]] == [part.value for part in row.top()]


def _asked(port: int, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    request = urllib.request.Request(
        f"http://{HOST}:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: list[dict[str, Any]] = json.load(answer)["results"]
    return found


# --- tables -----------------------------------------------------------------------------------------------------------


def _line(case: Case) -> list[str]:
    speeds = [one.a_second for one in case.rounds]
    head = [case.request, str(case.workers), str(case.connections)]
    times = [f"{1000 * case.middle(name):.2f}" for name in ("p50", "p90", "p99", "p999")]
    return [*head, *(f"{speed:,.0f}" for speed in (median(speeds), min(speeds), max(speeds))), *times, str(case.errors)]


def _memory_table(memory: Sequence[tuple[int, dict[int, int]]]) -> Table:
    columns = ["answers so far, of both servers", *(f"workers: {workers}, MB" for workers in WORKERS)]
    rows = [[f"{answers:,}", *(f"{now[n] / 1e6:.1f}" for n in WORKERS)] for answers, now in memory]
    return Table("Memory of the servers", columns, rows)


def _notes(machine: gm.Machine, rounds: int, seconds: float) -> list[str]:
    return [
        f"Links between words, degree 2: {machine.n_support:,} support rows; rows of 26 features. Both servers run all "
        "the time; the client is one Python process on the same processors, which takes its share of what is measured.",
        f"Medians of {rounds} rounds of {seconds:g} seconds in turn; clients keep their connections and ask again when "
        "they are answered. Scores and values were the library's, bit for bit, before anything was timed.",
        "*Memory*: of all processes of a server, what they share counted for each, before the first round and after "
        "each one.",
    ]


def _plot(cases: Sequence[Case]) -> Plot:
    many = max(CONNECTIONS)
    lines = {
        f"{workers} worker{'s' if workers > 1 else ''}": [
            (float(at), case.middle("a_second"))
            for at, request in enumerate(REQUESTS)
            for case in cases
            if (case.request, case.workers, case.connections) == (request.name, workers, many)
        ]
        for workers in WORKERS
    }
    title = f"{many} clients at once"
    return Plot("speed", title, "request", "answers a second", lines, log_y=True, ticks=[one.name for one in REQUESTS])


if __name__ == "__main__":
    main()
