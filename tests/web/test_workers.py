"""Connections are handed to the worker that has fewest; workers that end are replaced, or end everything."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager

import pytest

PROGRAM = """
import os, signal, socket, sys, threading, time
from gristmill.web.workers import supervise

def serve(handed):
    def follow(connection):
        connection.sendall(b"%d\\n" % os.getpid())
        connection.recv(1)
        connection.close()
    while True:
        threading.Thread(target=follow, args=(handed.accept()[0],), daemon=True).start()

def fail(handed):
    sys.exit(3)

ended = []
signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
with socket.create_server(("127.0.0.1", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    try:
        supervise({"serve": serve, "fail": fail}[sys.argv[1]], listening, 3, ended)
    except ValueError as error:
        print(error)
"""


@contextmanager
def supervised(serve="serve"):
    """A server that answers with the process that has the connection."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM, serve], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)


class Clients:
    """Kept connections, and the processes that have them."""

    def __init__(self, stack, port):
        self.stack, self.port, self.kept = stack, port, []

    def connect(self, count):
        for _ in range(count):
            connection = self.stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=20))
            self.kept.append((connection, int(connection.makefile().readline())))
        return Counter(pid for _, pid in self.kept[-count:])

    def close(self, pid):
        for connection, owner in self.kept:
            if owner == pid:
                connection.close()
        self.kept = [one for one in self.kept if one[1] != pid]
        time.sleep(0.3)  # until the worker has seen it


def test_each_worker_has_as_many_connections_as_the_others():
    with supervised() as (_, port), ExitStack() as stack:
        clients = Clients(stack, port)
        found = clients.connect(12)
        assert list(found.values()) == [4, 4, 4]
        freed = next(iter(found))
        clients.close(freed)
        assert clients.connect(4) == {freed: 4}
        assert set(clients.connect(3).values()) == {1}


def test_a_worker_that_is_killed_is_replaced_and_the_others_keep_theirs():
    with supervised() as (_, port), ExitStack() as stack:
        clients = Clients(stack, port)
        killed, *others = clients.connect(6)
        os.kill(killed, signal.SIGKILL)
        lost = [connection for connection, pid in clients.kept if pid == killed]
        assert all(connection.recv(1) == b"" for connection in lost)
        found = clients.connect(6)  # the first may come before the new worker, and go to others
        assert killed not in found
        assert set(found) - set(others)
        for connection, pid in clients.kept:
            if pid in others:
                connection.setblocking(False)
                with pytest.raises(BlockingIOError):
                    connection.recv(1)


def test_workers_that_end_as_they_begin_end_the_server():
    with supervised("fail") as (process, _):
        assert "a worker ended as soon as it began, with exit code 3" in process.stdout.read()
