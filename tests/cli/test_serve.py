"""gristmill serve: from the command to the last answer, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

import gristmill as gm
from gristmill.apps import Tagger
from gristmill.cli import run

ROW = {"rows": [["money", "bank"]]}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "small.safetensors"
    names, classes = ["money", "bank", "river"], ["water", "finance"]
    gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1, 2}], [1.0, -0.5], 0.0, classes, feature_names=names).save(path)
    return path


@contextmanager
def started(*arguments):
    """A server, and the address that it prints; it is ended, and must then end by itself."""
    command = [sys.executable, "-m", "gristmill", "serve", *map(str, arguments), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline().strip().rstrip("/")
        finally:
            if process.poll() is None:
                process.kill()


def ended(process, number):
    """Exit code and what was said, of a server that gets a signal; it has a second, and some for a busy machine."""
    began = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    return process.returncode, said, time.monotonic() - began


def ask(address, **more):
    return httpx.post(f"{address}/api/score", json=ROW, timeout=20, trust_env=False, **more)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_server_answers_until_it_is_told_to_end(model, number):
    with started(model) as (process, address):
        assert ask(address).json()["results"][0]["label"] == "finance"
        assert httpx.get(f"{address}/api/model", trust_env=False).json()["name"] == "small.safetensors"
        code, said, took = ended(process, number)
    assert (code, said) == (0, "")
    assert took < 3


def test_two_workers_answer_and_end(model):
    with started(model, "--workers", 2) as (process, address):
        answers = [ask(address, headers={"Connection": "close"}).json() for _ in range(10)]
        assert len({json.dumps(answer) for answer in answers}) == 1
        children = [int(child) for child in _children(process.pid)]
        assert len(children) == 2
        os.kill(children[0], signal.SIGKILL)
        end = time.monotonic() + 10
        while len(_alive(_children(process.pid)) - {children[0]}) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert ask(address).status_code == 200
        code, said, took = ended(process, signal.SIGINT)
    assert (code, said) == (0, "")
    assert took < 4
    assert not _alive(children)


@pytest.mark.slow  # starts a server
def test_kept_connections_are_spread_over_workers(model):
    with started(model, "--workers", 2) as (process, address):
        host, port = address.removeprefix("http://").split(":")

        def kept():
            return [len(_connections(worker, int(port))) for worker in _children(process.pid)]

        with ExitStack() as first, ExitStack() as second:
            for stack in (first, second):
                for _ in range(8):
                    _kept_client(stack, host, int(port))
            assert kept() == [8, 8]
            first.close()
            _until(lambda: kept() == [4, 4])
            for _ in range(8):
                _kept_client(second, host, int(port))
            assert kept() == [8, 8]


def _kept_client(stack, host, port):
    """A client that has had an answer and keeps its connection."""
    connection = stack.enter_context(socket.create_connection((host, port), timeout=20))
    connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def _connections(pid, port):
    """Those of a process that a server on the port has open."""
    lines = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    open_here = {f"socket:[{words[9]}]" for words in lines if words[3] == "01" and words[1].endswith(f":{port:04X}")}
    return open_here & {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}


def _until(holds):
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    assert holds()


@pytest.mark.slow  # starts a server
def test_workers_do_not_outlive_the_server(model):
    with started(model, "--workers", 2) as (process, address):
        assert ask(address).status_code == 200
        children = _children(process.pid)
        process.kill()
        process.wait()
        end = time.monotonic() + 10
        while _alive(children) and time.monotonic() < end:
            time.sleep(0.05)
        assert not _alive(children)


@pytest.mark.slow  # starts a server
def test_a_signal_that_comes_before_the_server_runs_is_not_lost(model):
    program = f"""
import signal
import gristmill as gm
from gristmill.web import create_app, listen, serve, serving

class Server(serving.PlaygroundServer):
    def __init__(self, *arguments, **settings):
        signal.raise_signal(signal.SIGTERM)
        super().__init__(*arguments, **settings)

serving.PlaygroundServer = Server
with listen("127.0.0.1", 0) as listening:
    serve(create_app(gm.load({str(model)!r})), listening)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def _children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _alive(pids):
    """Those that run; one that has ended and is not waited for does not."""
    found = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            continue
        found |= {pid} if state != "Z" else set()
    return found


@pytest.mark.slow  # starts a server
def test_a_server_ends_though_clients_hold_on(model):
    with started(model) as (process, address):
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as silent, socket.create_connection((host, int(port))) as slow:
            silent.sendall(b"GET / HT")
            slow.sendall(
                b"POST /api/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: 50\r\n\r\n{"
            )
            assert ask(address).status_code == 200
            code, said, took = ended(process, signal.SIGTERM)
    assert (code, said) == (0, "")
    assert took < 4


@pytest.mark.slow  # starts a server
def test_requests_are_logged_where_that_is_asked_for(model):
    with started(model, "--log") as (process, address):
        ask(address)
        _, said, _ = ended(process, signal.SIGINT)
    assert '"POST /api/score HTTP/1.1" 200' in said


@pytest.mark.slow  # starts a server
def test_programs_are_served_with_the_engine_and_the_examples_that_are_asked_for(tmp_path):
    said = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
    Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1").fit(said).save(tmp_path / "tagger")
    (tmp_path / "examples").write_text('the dog eats\n\n["a", "cat"]\n[ the bracket\n', encoding="utf-8")
    arguments = (tmp_path / "tagger", "--engine", "direct", "--examples", tmp_path / "examples")
    with started(*arguments, "--max-body", "2kB", "--timeout", "3") as (process, address):
        facts = httpx.get(f"{address}/api/model", trust_env=False).json()
        ended(process, signal.SIGINT)
    assert (facts["kind"], facts["engine"]["name"]) == ("tagger", "direct")
    assert facts["examples"] == ["the dog eats", ["a", "cat"], "[ the bracket"]
    assert (facts["limits"]["body"], facts["limits"]["seconds"]) == (2000, 3)


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_errors_come_before_any_socket_is_open(model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gristmill.web.serving.listen", lambda *_: pytest.fail("there is no need for a socket"))
    assert run(["serve", str(tmp_path / "none")]) == 1
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "text").write_text("this is no model\n")
    assert run(["serve", str(tmp_path / "text")]) == 1
    assert str(tmp_path / "text") in capsys.readouterr().err
    (tmp_path / "examples").write_text("money bank\n")
    assert run(["serve", str(model), "--examples", str(tmp_path / "examples")]) == 1
    assert "examples[0]: a row is a list of features" in capsys.readouterr().err
    assert run(["serve", str(model), "--port", "70000"]) == 2
    assert run(["serve", str(model), "--machine", "other"]) == 1
    assert "none called 'other'" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--binarize", "0.5"], ["--sigma", "0.1"], ["--machine", "all"]], ids=str)
def test_options_of_machines_are_refused_for_programs(options, tmp_path, capsys):
    Tagger("F:0:0").fit([[("the", "D"), ("cat", "N")]]).save(tmp_path / "tagger")
    assert run(["serve", str(tmp_path / "tagger"), *options]) == 2
    assert f"{options[0]} is not for {tmp_path / 'tagger'}, a Tagger" in capsys.readouterr().err


def test_a_port_that_is_in_use_is_told(model, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run(["serve", str(model), "--port", str(taken.getsockname()[1])]) == 1
    assert "is in use: choose another by --port" in capsys.readouterr().err


def test_other_machines_are_a_note(model, capsys, monkeypatch):
    monkeypatch.setattr("gristmill.web.serving.serve", lambda *_, **__: None)
    monkeypatch.setattr("gristmill.web.serve", lambda *_, **__: None)
    assert run(["serve", str(model), "--host", "0.0.0.0", "--port", "0"]) == 0
    printed = capsys.readouterr()
    assert "can be reached from other machines" in printed.err
    assert printed.out.startswith("http://127.0.0.1:")
    assert run(["serve", str(model), "--host", "localhost", "--port", "0"]) == 0
    assert capsys.readouterr().err == ""


def test_the_page_is_opened_in_a_browser_where_that_is_asked_for(model, capsys, monkeypatch):
    opened, seen = [], threading.Event()
    monkeypatch.setattr("webbrowser.open", lambda address: (opened.append(address), seen.set()))
    monkeypatch.setattr("gristmill.web.serve", lambda *_, **__: seen.wait(10))
    assert run(["serve", str(model), "--port", "0", "--open"]) == 0
    assert opened == [capsys.readouterr().out.strip()]


def test_without_the_extra_one_is_told_how_to_get_it(model):
    program = (
        "import sys; sys.modules['uvicorn'] = None; from gristmill.cli import run; "
        f"sys.exit(run(['serve', {str(model)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'gristmill[web]'" in done.stderr
