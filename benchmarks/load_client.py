"""Requests over kept connections, one after another on each: how many a second, and how long each took.

A client as thin as Python allows, for it shares the processors with the server that it measures: whole requests are
prepared before, answers are read up to the length they declare and counted by their bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

_HEAD_END, _LENGTH = b"\r\n\r\n", b"content-length:"


@dataclass(frozen=True)
class Load:
    """What a number of clients found in some seconds."""

    connections: int
    answers: int
    errors: int
    lost: int  # connections that ended before an answer was there; the client connected again
    a_second: float
    p50: float  # seconds
    p90: float
    p99: float
    p999: float
    slowest: float


class Refusal(Exception):  # noqa: N818
    """An answer that is not 200."""


def post(host: str, port: int, path: str, body: bytes) -> bytes:
    """A whole request."""
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def load(host: str, port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Load:
    """Clients that take turns through the requests, each waiting for its answer before it asks again."""
    return asyncio.run(loaded(host, port, requests, connections, seconds))


async def loaded(host: str, port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Load:
    """`load`, among other tasks."""
    turns = itertools.cycle(requests)
    begin = time.perf_counter()
    clients = (_client(host, port, turns, begin + seconds) for _ in range(connections))
    found = await asyncio.gather(*clients)
    took = time.perf_counter() - begin
    times = np.concatenate([times for times, _, _ in found])
    if not len(times):
        raise RuntimeError("the server has not answered a single request")
    p50, p90, p99, p999 = (float(time) for time in np.percentile(times, [50, 90, 99, 99.9]))
    errors, lost = sum(errors for _, errors, _ in found), sum(lost for _, _, lost in found)
    return Load(connections, len(times), errors, lost, len(times) / took, p50, p90, p99, p999, float(times.max()))


async def _client(host: str, port: int, turns: Iterator[bytes], until: float) -> tuple[list[float], int, int]:
    """Seconds of all answers, how many were refusals, and how many connections were lost."""
    times: list[float] = []
    errors = lost = 0
    while time.perf_counter() < until:
        reader, writer = await asyncio.open_connection(host, port)
        try:
            errors += await _asked(reader, writer, turns, until, times)
        except (OSError, EOFError):
            lost += 1
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    return times, errors, lost


async def _asked(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    turns: Iterator[bytes],
    until: float,
    times: list[float],
) -> int:
    """Ask over one connection; adds the seconds of all answers, and says how many were refusals."""
    errors, now = 0, time.perf_counter()
    while now < until:
        writer.write(next(turns))
        try:
            await _answer(reader)
        except Refusal:
            errors += 1
        before, now = now, time.perf_counter()
        times.append(now - before)
    return errors


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(_HEAD_END)).lower()
    begin = head.index(_LENGTH) + len(_LENGTH)
    body = await reader.readexactly(int(head[begin : head.index(b"\r\n", begin)]))
    if not head.startswith(b"http/1.1 200 "):
        raise Refusal(body.decode())
    return body
