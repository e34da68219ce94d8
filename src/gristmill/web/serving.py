"""Serving: a socket, one process or several that answer on it, and an end within a second after a signal."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import uvicorn

from gristmill.web.protocol import PlaygroundProtocol
from gristmill.web.workers import end_with_parent, supervise

if TYPE_CHECKING:
    from starlette.applications import Starlette

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BACKLOG = 128  # connections that wait; asyncio accepts as many at once, before it knows how many there are
_HEAD = 1 << 16  # bytes of the head of a request
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def listen(host: str = "127.0.0.1", port: int = 8000) -> socket.socket:
    """A socket that accepts connections from now on; port 0 is any that is free. ValueError where there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ValueError(f"there is no address {host!r} here: {error.strerror}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(
                f"port {port} of {host} is in use: choose another by --port, or any by --port 0"
            ) from error
        raise ValueError(f"cannot listen on port {port} of {host}: {error.strerror}") from error
    return listening


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def address_of(listening: socket.socket) -> str:
    """What to type into a browser on this machine."""
    host, port = listening.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: Starlette, listening: socket.socket, *, workers: int = 1, log: bool = False) -> None:
    """Answer until SIGINT (Ctrl-C) or SIGTERM; what is under way then is cut off.

    Parameters
    ----------
    app : Starlette
        Of `create_app`.
    listening : socket
        Of `listen`.
    workers : int
        Processes; they share the memory of the model.
    log : bool
        A line on standard error for every request.
    """
    with _ended_by_signals() as ended:
        if workers == 1:
            PlaygroundServer(app, log=log, ended=ended).run(sockets=[listening])
        else:
            supervise(lambda handed: _work(app, handed, log, ended), listening, workers, ended)


def _work(app: Starlette, handed: socket.socket, log: bool, ended: Sequence[int]) -> None:
    """What one of several processes does."""
    server = PlaygroundServer(app, log=log, ended=ended)
    end_with_parent(lambda: setattr(server, "should_exit", True))
    server.run(sockets=[handed])


class PlaygroundServer(uvicorn.Server):
    """The server of one process; `should_exit` and `handle_exit` are uvicorn's.

    Parameters
    ----------
    keep_alive : int
        Seconds after which a connection on which no request, or no whole head of one, has come is closed.
    connections : int or None
        Beyond which requests are refused; None: half of the files that a process may have open.
    ended : sequence of int
        Signals that came before uvicorn handles them.
    """

    def __init__(
        self,
        app: Starlette,
        *,
        log: bool = False,
        keep_alive: int = 10,
        connections: int | None = None,
        ended: Sequence[int] = (),
    ) -> None:
        self._ending: threading.Event = app.state.ending
        self._ended = ended
        config = uvicorn.Config(
            app,
            loop="asyncio",  # which accepts through the methods of a socket, as workers need
            http=PlaygroundProtocol,
            h11_max_incomplete_event_size=_HEAD,
            timeout_keep_alive=keep_alive,
            limit_concurrency=connections or _most_connections(),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="info" if log else "error",
            access_log=log,
            server_header=False,
            timeout_graceful_shutdown=1,
            backlog=_BACKLOG,
        )
        if log:
            _log_requests()
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """End at once where a signal came before uvicorn handled them."""
        await super().startup(sockets)
        if self._ended:
            self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the work under way, and do not log that it was cut off."""
        self._ending.set()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def _most_connections() -> int:
    """Half of the files that a process may have open: asyncio fills the log where there is none left for another."""
    return os.sysconf("SC_OPEN_MAX") // 2 if hasattr(os, "sysconf") else 500


def _log_requests() -> None:
    logger, handler = logging.getLogger("uvicorn.access"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.handlers, logger.propagate = [handler], False


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[list[int]]:
    """Signals so far. uvicorn takes them while it runs, and raises them again for us when it is done."""
    ended = list[int]()  # an Event would wait for ever if a signal came while its lock is held
    before: dict[int, Any] = {number: signal.signal(number, lambda got, _: ended.append(got)) for number in _SIGNALS}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
