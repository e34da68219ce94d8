"""The playground as it is served: a real server on a free port, and connections to it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from gristmill.web.serving import PlaygroundServer, address_of, listen


@contextmanager
def serving(app: Any, port: int = 0, **settings: Any) -> Iterator[str]:
    """The address of an app that is served meanwhile."""
    server, listening = PlaygroundServer(app, **settings), listen("127.0.0.1", port)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield address_of(listening).rstrip("/")
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def asking(address: str, **settings: Any) -> httpx.Client:
    """A client that ignores the settings of this machine."""
    return httpx.Client(base_url=address, trust_env=False, timeout=20, **settings)


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    """A bare connection, for what no client would send."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        yield connection


def head(path: str = "/api/score", **headers: Any) -> bytes:
    """The beginning of a POST."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(body: Any, path: str = "/api/score") -> bytes:
    """A whole POST."""
    text = json.dumps(body).encode()
    return head(path, Content_Length=len(text)) + text


def until_closed(connection: socket.socket) -> bytes:
    """Everything that comes until the server closes the connection."""
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)
