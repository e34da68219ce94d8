"""The server and clients that are slow, many, unknown or gone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import gristmill as gm
from gristmill.scoring.deciding import trusted_scores
from gristmill.web import Limits, address_of, create_app, listen
from tests.web.served import asking, connected, head, serving, until_closed, whole
from tests.web.slow_model import SlowAdapter

ROW = {"rows": [["salty"]]}


@pytest.fixture
def slow(models):
    """An adapter that does not end by itself, and its app."""

    def made(**limits):
        adapter = SlowAdapter(models("foods").compile(), Limits(**limits))
        return adapter, create_app(adapter)

    return made


# --- bodies -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hasty(models):
    """A server with little time, and little room."""
    with serving(create_app(models("foods"), limits=Limits(body=1000, seconds=0.3)), keep_alive=1) as address:
        yield address


def code_of(answer):
    return json.loads(answer.rpartition(b"\r\n\r\n")[2])["error"]["code"]


def test_a_body_that_says_it_is_too_large_is_not_read(hasty):
    with connected(hasty) as connection:
        connection.sendall(head(Content_Length=10**12))
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert code_of(answer) == "too_large"


def test_a_body_in_chunks_is_read_no_further_than_the_limit(hasty):
    with connected(hasty) as connection:
        connection.sendall(head(Transfer_Encoding="chunked") + b"1f4\r\n" + b" " * 500 + b"\r\n")
        connection.sendall(b"1f5\r\n" + b" " * 501 + b"\r\n")
        assert code_of(until_closed(connection)) == "too_large"


def test_a_body_of_just_the_limit_is_read(hasty):
    body = json.dumps(ROW).encode().ljust(1000)
    with asking(hasty) as client:
        sent = client.post(
            "/api/score", content=iter([body[:7], body[7:]]), headers={"Content-Type": "application/json"}
        )
        assert sent.status_code == 200
        kind = {"Content-Type": "application/json"}
        assert client.post("/api/score", content=body + b" ", headers=kind).status_code == 413


def test_a_body_that_does_not_come_is_given_up(hasty):
    began = time.monotonic()
    with connected(hasty) as connection:
        connection.sendall(head(Content_Length=100) + b'{"rows"')
        answer = until_closed(connection)
    assert code_of(answer) == "slow_body"
    assert 0.3 <= time.monotonic() - began < 3


def test_a_connection_without_another_request_is_closed(hasty):
    began = time.monotonic()
    with connected(hasty) as connection:
        connection.sendall(whole(ROW))
        assert until_closed(connection).count(b"HTTP/1.1 200 ") == 1
    assert 1 <= time.monotonic() - began < 4


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_connection_without_a_first_request_is_closed(hasty, begun):
    began = time.monotonic()
    with connected(hasty) as connection:
        connection.sendall(begun)
        assert until_closed(connection) == b""
    assert 1 <= time.monotonic() - began < 4


def test_a_head_that_drips_is_given_up(hasty):
    began = time.monotonic()
    with connected(hasty) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(whole(ROW))
        for byte in head(X="x" * 500):
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
    assert 1 <= time.monotonic() - began < 8


@pytest.mark.parametrize(
    "endless",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000,
        head(Transfer_Encoding="chunked") + b"0\r\n" + b"X: y\r\n" * 20_000,
    ],
    ids=["headers", "one header", "trailers"],
)
def test_a_request_has_no_endless_head(site, endless):
    answer = b""  # where the connection is closed before all of it was sent
    with connected(site("foods")) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(endless)
        answer = until_closed(connection)
    assert answer[:13] in (b"", b"HTTP/1.1 400 ")


def test_a_client_that_does_not_take_its_answers_blocks_nobody(slow, monkeypatch):
    adapter, app = slow(requests=1, seconds=0.5)
    monkeypatch.setattr(adapter, "score", lambda *_: [{"label": "x" * 20_000_000}])
    with serving(app) as address, connected(address) as connection, asking(address) as client:
        connection.sendall(whole(ROW) * 2)  # the second waits until the first is taken
        until = time.monotonic() + 10
        answers = [client.get("/api/health").status_code]
        while answers[-1] == 503 or len(answers) < 20:
            assert time.monotonic() < until
            time.sleep(0.05)
            answers.append(client.get("/api/health").status_code)
    assert 503 in answers


def test_a_client_that_does_not_take_its_answers_loses_its_connection(slow, monkeypatch):
    adapter, app = slow()
    monkeypatch.setattr(adapter, "score", lambda *_: [{"label": "x" * 20_000_000}])
    with serving(app, keep_alive=1) as address, connected(address) as connection:
        connection.sendall(whole(ROW))
        time.sleep(2.5)
        answer = b""
        with contextlib.suppress(ConnectionError):
            answer = until_closed(connection)
    assert len(answer) < 20_000_000


def test_a_client_that_takes_its_answer_slowly_gets_all_of_it(slow, monkeypatch):
    adapter, app = slow()
    monkeypatch.setattr(adapter, "score", lambda *_: [{"label": "x" * 10_000_000}])
    answer = b""
    with serving(app, keep_alive=1) as address, connected(address) as connection:
        connection.sendall(whole(ROW))
        while len(answer) < 10_000_000:
            time.sleep(0.1)
            answer += connection.recv(500_000)


def test_what_is_no_http_is_refused(hasty):
    with connected(hasty) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\xfc\x03\x03 hello\r\n\r\n")
        assert until_closed(connection).startswith(b"HTTP/1.1 400 ")


def test_requests_may_come_before_their_answers_are_read(site):
    with connected(site("foods")) as connection:
        connection.sendall(b"".join(whole({"rows": [["salty"]] * n}) for n in range(20)))
        connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answers = until_closed(connection)
    bodies = re.findall(rb'\{"results":\[.*?\]\}', answers)
    assert [len(json.loads(body)["results"]) for body in bodies] == list(range(20))


def test_many_requests_at_once_are_all_answered(site):
    """More than a server reads at once."""
    one = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n"
    with connected(site("foods")) as connection:
        sent = threading.Thread(
            target=connection.sendall, args=((one + b"\r\n") * 6_000 + one + b"Connection: close\r\n\r\n",)
        )
        sent.start()
        assert until_closed(connection).count(b'{"status":"ok"') == 6_001
        sent.join()


# --- many, and long ---------------------------------------------------------------------------------------------------


def test_more_requests_than_may_be_under_way_are_asked_to_come_again(slow):
    adapter, app = slow(requests=2)
    with serving(app) as address, ThreadPoolExecutor(2) as threads, asking(address) as client:
        waiting = [threads.submit(httpx.post, f"{address}/api/score", json=ROW, timeout=20) for _ in range(2)]
        for _ in waiting:
            assert adapter.begun.acquire(timeout=10)
        busy = client.get("/api/health")
        assert (busy.status_code, busy.json()["error"]["code"], busy.headers["Retry-After"]) == (503, "busy", "1")
        adapter.released.set()
        assert [one.result().status_code for one in waiting] == [200, 200]
        assert client.get("/api/health").status_code == 200


def test_requests_on_more_connections_than_there_is_room_for_are_refused(models):
    with serving(create_app(models("foods")), connections=2) as address, asking(address) as client:
        assert client.get("/api/health").status_code == 200  # this connection is kept
        with connected(address) as second:
            second.sendall(whole(ROW))
            assert until_closed(second).startswith(b"HTTP/1.1 503 ")
        assert client.get("/api/health").status_code == 200


def test_work_that_takes_too_long_is_ended(slow):
    adapter, app = slow(seconds=0.3)
    with serving(app) as address, asking(address) as client:
        answer = client.post("/api/score", json=ROW)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "timeout")
        assert "0.3 seconds" in adapter.wait_for_end()[0]


def test_the_work_of_a_client_that_is_gone_is_ended(slow):
    adapter, app = slow()
    with serving(app) as address:
        with connected(address) as connection:
            connection.sendall(whole(ROW))
            assert adapter.begun.acquire(timeout=10)
        assert "nobody waits" in adapter.wait_for_end()[0]


def test_the_core_ends_its_work_when_time_is_over(models):
    """A machine so large that a row takes long: the definition, with rows as wide as they may be."""
    rows = gm.ids(range(at, at + 2000) for at in range(3000))
    machine = gm.Machine(gm.PolynomialKernel(3), rows, [1.0] * 3000, 0.0, ["a", "b"])
    app = create_app(machine, engine="direct", limits=Limits(seconds=0.2), examples=[])
    row = list(range(0, 5000, 2))
    with serving(app) as address, asking(address) as client:
        began = time.monotonic()
        answer = client.post("/api/explain", json={"rows": [row[:1000]] * 60, "without": True})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "timeout")
        assert time.monotonic() - began < 5
        assert client.post("/api/score", json={"rows": [[1]]}).status_code == 200


def test_a_server_that_ends_cuts_off_what_is_under_way(slow):
    adapter, app = slow()
    answers = []
    with serving(app) as address:
        requested = threading.Thread(
            target=lambda: answers.append(httpx.post(f"{address}/api/score", json=ROW, timeout=20))
        )
        requested.start()
        assert adapter.begun.acquire(timeout=10)
        began = time.monotonic()
    assert time.monotonic() - began < 2
    requested.join()
    assert answers[0].status_code == 503
    assert answers[0].json()["error"]["code"] == "stopping"
    with pytest.raises(ConnectionRefusedError), connected(address):
        pass


def test_eight_threads_get_the_answers_of_the_library(site, models):
    machine = models("foods")
    scorer, names = machine.compile(), machine.feature_names

    def ask(thread):
        found = []
        with asking(site("foods")) as client:
            for at in range(40):
                ids = {feature for feature in range(6) if (thread * 40 + at) >> feature & 1}
                path = "/api/explain" if at % 4 == 0 else "/api/score"
                (one,) = client.post(path, json={"rows": [[names[feature] for feature in ids]]}).json()["results"]
                found.append((ids, list(one["scores"].values())))
        return found

    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(ask, range(8)):
            for ids, scores in found:
                assert scores == trusted_scores(scorer, [ids])[0].tolist()


# --- strangers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "host", "status"),
    [
        ({}, "localhost:1", 200),
        ({}, "LOCALHOST", 200),
        ({}, "127.0.0.1:80", 200),
        ({}, "[::1]:80", 200),
        ({}, "evil.example", 403),
        ({}, "localhost.evil.example", 403),
        ({}, "192.168.1.5", 403),
        ({}, "", 403),
        ({"host": "0.0.0.0"}, "192.168.1.5:8000", 200),
        ({"host": "0.0.0.0"}, "evil.example", 403),
        ({"host": "::"}, "[fe80::1]:80", 200),
        ({"host": "mill.example"}, "mill.example:80", 200),
        ({"allowed_hosts": ["mill.example"]}, "MILL.example", 200),
        ({"allowed_hosts": ["*.mill.example"]}, "old.mill.example", 200),
        ({"allowed_hosts": ["*"]}, "evil.example", 200),
    ],
    ids=str,
)
def test_only_known_names_of_the_server_are_answered(models, settings, host, status):
    with serving(create_app(models("foods"), **settings)) as address, asking(address) as client:
        answer = client.get("/api/health", headers={"Host": host})
        assert answer.status_code == status
        assert status == 200 or answer.json()["error"]["code"] == "forbidden_host"


TWO_HOSTS = [["localhost", "evil.example"], ["evil.example", "localhost"], ["localhost", "localhost"]]


@pytest.mark.parametrize("hosts", TWO_HOSTS, ids=str)
def test_two_hosts_are_refused(site, models, hosts):
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    with connected(site("foods")) as connection:
        connection.sendall(f"GET /api/health HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
        assert until_closed(connection).startswith(b"HTTP/1.1 400 ")
    assert status_of(create_app(models("foods")), hosts) == 403
    assert status_of(create_app(models("foods")), hosts[:1]) == (200 if hosts[0] == "localhost" else 403)


def status_of(app, hosts):
    """By the app alone, behind any server."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"host", host.encode()) for host in hosts]
    scope = {"type": "http", "method": "GET", "path": "/api/health", "query_string": b"", "headers": headers}
    asyncio.run(app(scope | {"http_version": "1.1", "scheme": "http", "root_path": ""}, receive, send))
    return sent[0]["status"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://localhost:7"}, 200),
        ({"Origin": "https://localhost:7"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://localhost:8"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
    ids=str,
)
def test_pages_of_other_sites_may_not_post(site, headers, status):
    with asking(site("foods")) as client:
        answer = client.post("/api/score", json=ROW, headers={"Host": "localhost:7", **headers})
        assert answer.status_code == status
        assert status == 200 or answer.json()["error"]["code"] == "forbidden_origin"
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_every_answer_has_the_headers_that_browsers_heed(site):
    with asking(site("foods")) as client:
        for answer in (
            *(client.get(path) for path in ("/", "/style.css", "/page/main.js", "/api/model", "/no")),
            client.post("/api/score", json=ROW),
            client.post("/api/score", content=b"{"),
            client.get("/", headers={"Host": "evil.example"}),
            client.head("/"),
        ):
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "unsafe" not in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Cache-Control"] == "no-store"
            assert "Server" not in answer.headers


def test_the_page_and_its_files_name_no_other_site(site):
    with asking(site("foods")) as client:
        page = client.get("/")
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert client.head("/").headers["Content-Length"] == str(len(page.content))
        names = re.findall(r'(?:src|href)="/?(page/[^"]+)"', page.text)
        assert names
        for answer in (page, client.get("/style.css"), *(client.get(f"/{name}") for name in names)):
            assert answer.status_code == 200
            outside = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]+", answer.text.replace("http://www.w3.org/", ""))
            assert outside == []


def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ValueError, match="in use: choose another by --port"):
            listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(ValueError, match=r"no address 'nowhere\.invalid'"):
        listen("nowhere.invalid", 0)
    with pytest.raises(ValueError, match=r"cannot listen on port 0 of 192\.0\.2\.1"):
        listen("192.0.2.1", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6 here")
@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_an_address_of_ipv6_is_spelled_with_or_without_brackets(host):
    try:
        listening = listen(host, 0)
    except ValueError as error:
        if "no address" in str(error):
            raise
        pytest.skip(str(error))  # this machine has no such address
    with listening:
        assert address_of(listening) == f"http://[::1]:{listening.getsockname()[1]}/"


def test_a_pattern_of_hosts_that_is_none_is_refused(models):
    with pytest.raises(ValueError, match=r"a host is a name, an address, \*\.NAME or \*, got 'mill\*'"):
        create_app(models("foods"), allowed_hosts=["mill*"])
