"""`make soak`: `gristmill serve` under load for an hour; workers are killed, clients are slow, requests are bad.

Not a claim of speed: it ends with exit code 1 where an answer is not the library's, bit for bit, where a connection is
lost without its worker being killed, where a killed worker is not replaced, where a bad request is not refused, or
where a worker grows. `make soak SECONDS=60` is for a look. All of it stays on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import gristmill as gm
from benchmarks.load_client import Load, loaded, post
from benchmarks.served import Served, resident, served
from benchmarks.serving import EXPLAIN, HOST, REQUESTS, SCORE, bodies, check

SECONDS, WORKERS, CLIENTS = 3600.0, 2, 16
MOST_GROWTH = 8 << 20  # bytes of a worker after its first rounds: what allocators keep
MOST_TO_REPLACE = 10.0  # seconds
_SUPPORT, _FEATURES, _LENGTH = 4000, 1500, 12
_WARM = 0.25  # share of the rounds after which memory is looked at: pages are shared until they are first written to
_KILL_EVERY = 4  # rounds

_JSON = "Content-Type: application/json\r\n"
MALFORMED = {
    "no HTTP": b"hello\r\n\r\n",
    "no host": b"GET /api/health HTTP/1.1\r\n\r\n",
    "another host": b"GET /api/health HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
    "endless head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000,
    "no JSON": post("localhost", 0, SCORE, b"{"),
    "deep JSON": post("localhost", 0, SCORE, b'{"rows": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
    "no rows": post("localhost", 0, SCORE, b'{"lines": []}'),
    "negative feature": post("localhost", 0, SCORE, b'{"rows": [[-1]]}'),
    "not a number": post("localhost", 0, SCORE, b'{"rows": [[NaN]]}'),
    "too large": f"POST {SCORE} HTTP/1.1\r\nHost: localhost\r\n{_JSON}Content-Length: 99999999999\r\n\r\n".encode(),
    "bad length": f"POST {SCORE} HTTP/1.1\r\nHost: localhost\r\n{_JSON}Content-Length: -1\r\n\r\n".encode(),
    "no such path": b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@dataclass
class Soak:
    """What was seen so far."""

    rounds: list[Load] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)  # the number of the round
    replaced: list[float] = field(default_factory=list)  # seconds
    memory: dict[int, list[tuple[float, int]]] = field(default_factory=dict)  # by worker: hours, bytes
    refusals: Counter[str] = field(default_factory=Counter)
    slow: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def growth(self) -> tuple[int, float]:
        """Bytes that the worker grew which lived longest, after its first rounds, and bytes an hour by a line."""
        points = np.array(max(self.memory.values(), key=len), dtype=float)
        points = points[int(_WARM * len(points)) :]
        slope = np.polyfit(points[:, 0], points[:, 1], 1)[0] if len(points) > 2 else 0.0
        return int(points[-1, 1] - points[0, 1]), float(slope)

    def __str__(self) -> str:
        growth, slope = self.growth()
        answers, slowest = sum(one.answers for one in self.rounds), max(one.slowest for one in self.rounds)
        middle = [(name, np.median([getattr(one, name) for one in self.rounds])) for name in ("p50", "p99", "p999")]
        speeds = [one.a_second for one in self.rounds]
        lines = [
            f"{answers:,} answers in {len(self.rounds)} rounds, {np.median(speeds):,.0f} a second "
            f"({min(speeds):,.0f} to {max(speeds):,.0f})",
            ", ".join(f"{name} {1000 * time:.1f} ms" for name, time in [*middle, ("slowest", slowest)]),
            f"{len(self.killed)} workers killed, replaced within {max(self.replaced, default=0):.2f} s; "
            f"{sum(one.lost for one in self.rounds)} connections lost with them",
            "refused: " + ", ".join(f"{count:,} by {how}" for how, count in sorted(self.refusals.items())),
            "slow clients: " + ", ".join(f"{count:,} {name}" for name, count in sorted(self.slow.items())),
            f"the worker that lived longest grew by {growth / 1e6:.2f} MB, {slope / 1e6:+.2f} MB an hour",
        ]
        return "\n".join([*lines, *(f"BROKEN: {one}" for one in self.broken)])


def soak(seconds: float, workers: int = WORKERS, clients: int = CLIENTS) -> Soak:
    """Load for so long, with all that may go wrong."""
    machine, rows = _machine()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "soak.safetensors"
        machine.save(model)
        with served(model, workers, HOST) as server:
            found = Soak()
            asyncio.run(_soak(found, server, machine, rows, seconds, clients))
    _judge(found, clients)
    return found


def _machine() -> tuple[gm.Machine, list[list[int]]]:
    """Of random rows, and rows to ask for."""
    random = np.random.default_rng(0)

    def some(count: int) -> list[list[int]]:
        return [np.unique(random.zipf(1.3, _LENGTH) % _FEATURES).tolist() for _ in range(count)]

    support = gm.ids(some(_SUPPORT), n_features=_FEATURES)
    return gm.Machine(gm.PolynomialKernel(2), support, random.normal(size=_SUPPORT), 0.0, classes=[0, 1]), some(1000)


async def _soak(
    found: Soak, server: Served, machine: gm.Machine, rows: list[list[int]], seconds: float, clients: int
) -> None:
    requests = [post(HOST, server.port, kind.path, body) for kind in REQUESTS for body in bodies(kind, rows)[:50]]
    turns = [requests[at] for at in np.random.default_rng(1).permutation(len(requests))]
    count = int(min(max(seconds // 5, 4), 120))
    begin = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        others = [tasks.create_task(_again(one, found, server.port)) for one in (_malformed, _dripping, _deaf, _silent)]
        for number in range(count):
            is_deadly = number % _KILL_EVERY == 1
            killing = [tasks.create_task(_kill(found, server, number, seconds / count / 2))] if is_deadly else []
            found.rounds.append(await loaded(HOST, server.port, turns, clients, seconds / count))
            for one in killing:
                await one
            await asyncio.to_thread(check, machine, rows, server.port)
            _weigh(found, server, time.monotonic() - begin)
            _say(found, number, count)
        for one in others:
            one.cancel()


def _weigh(found: Soak, server: Served, seconds: float) -> None:
    for worker in server.processes()[1:]:
        found.memory.setdefault(worker, []).append((seconds / 3600, resident(worker)))


def _say(found: Soak, number: int, count: int) -> None:
    last = found.rounds[-1]
    said = f"{number + 1}/{count}: {last.a_second:,.0f} answers a second, p99 {1000 * last.p99:.1f} ms"
    print(said, file=sys.stderr, flush=True)


async def _kill(found: Soak, server: Served, number: int, after: float) -> None:
    """Kill the youngest worker, and wait for another."""
    await asyncio.sleep(after)
    before = server.processes()[1:]
    youngest = max(before, key=lambda worker: (-len(found.memory.get(worker, [])), worker))
    found.killed.append(number)
    os.kill(youngest, signal.SIGKILL)
    begin = time.monotonic()
    while time.monotonic() - begin < MOST_TO_REPLACE:
        await asyncio.sleep(0.01)
        now = server.processes()[1:]
        if len(now) == len(before) and youngest not in now:
            break
    found.replaced.append(time.monotonic() - begin)


# --- clients that nobody wants ----------------------------------------------------------------------------------------

Client = Callable[[Soak, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _again(client: Client, found: Soak, port: int) -> None:
    """One such client after another; a connection may end at any time, with the worker that has it."""
    while True:
        with contextlib.suppress(OSError, EOFError, asyncio.TimeoutError):
            reader, writer = await asyncio.open_connection(HOST, port)
            try:
                await client(found, reader, writer)
            finally:
                writer.close()
        await asyncio.sleep(0.02)


async def _malformed(found: Soak, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Each kind in turn."""
    kind = list(MALFORMED)[sum(found.refusals.values()) % len(MALFORMED)]
    writer.write(MALFORMED[kind])
    line = await asyncio.wait_for(reader.readline(), 20)
    status = line.split()[1].decode() if line else "closing"
    found.refusals[status] += 1
    if status != "closing" and not status.startswith("4"):
        found.broken.append(f"{kind}: status {status}")


async def _dripping(found: Soak, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A request whose bytes come one by one, until the server has enough of it."""
    for byte in f"POST {SCORE} HTTP/1.1\r\nHost: localhost\r\n{_JSON}Content-Length: 9\r\n\r\n{{".encode():
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.02)
    await asyncio.wait_for(reader.read(), 30)
    found.slow["that drip"] += 1


async def _deaf(found: Soak, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Requests whose answers nobody takes."""
    body = json.dumps({"rows": [[1, 2, 3]] * 50}).encode()
    for _ in range(20):
        writer.write(post(HOST, 0, EXPLAIN, body))
    await asyncio.sleep(2)
    found.slow["that do not listen"] += 1


async def _silent(found: Soak, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.wait_for(reader.read(), 30)
    found.slow["that say nothing"] += 1


# --- what must hold ---------------------------------------------------------------------------------------------------


def _judge(found: Soak, clients: int) -> None:
    for number, one in enumerate(found.rounds):
        if one.errors:
            found.broken.append(f"round {number}: {one.errors} requests were refused")
        if one.lost > clients * found.killed.count(number):
            found.broken.append(f"round {number}: {one.lost} connections lost")
    if max(found.replaced, default=0) >= MOST_TO_REPLACE:
        found.broken.append(f"a killed worker was not replaced within {MOST_TO_REPLACE:g} s")
    if found.growth()[0] > MOST_GROWTH:
        found.broken.append(f"a worker grew by more than {MOST_GROWTH / 1e6:.0f} MB")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    given = parser.parse_args()
    found = soak(given.seconds, given.workers, given.clients)
    print(found)
    return bool(found.broken)


if __name__ == "__main__":
    sys.exit(main())
