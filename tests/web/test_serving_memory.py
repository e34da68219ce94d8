"""Memory stays what it is, however many requests come."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from tests.web.served import connected, until_closed, whole

REQUESTS = {
    "foods": (
        {"rows": [["salty", "soft", "new"]]},
        {"rows": [["salty", "sweet"]], "interactions": True, "without": True},
    ),
    "trees": ({"trees": ["(Q (W Who) (N he) (V is))"]},) * 2,
    "tagger": ({"sentences": ["the/D mill/N grinds/V"]},) * 2,
}
GROWTH = 2 << 20  # bytes, for what allocators keep; some 800 requests that leave three kilobytes each are more


def resident():
    gc.collect()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


def ask(address, requests, times):
    """All on one connection, without waiting for answers."""
    last = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    for _ in range(times):
        with connected(address) as connection:
            connection.sendall(b"".join(requests) + last)
            answers = until_closed(connection)
        assert answers.count(b"HTTP/1.1 200 ") == len(requests)


@pytest.mark.slow  # thousands of requests
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is looked up in /proc")
@pytest.mark.parametrize("name", REQUESTS)
def test_requests_leave_nothing_behind(site, name):
    scored, explained = REQUESTS[name]
    requests = [whole(scored)] * 30 + [whole(explained, "/api/explain")] * 10 + [whole({"wrong": scored})]
    address = site(name)
    ask(address, requests, 10)
    before = resident()
    ask(address, requests, 20)
    assert resident() - before < GROWTH
