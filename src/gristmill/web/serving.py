"""Serving: a socket, one process or several that answer on it, and an end within a second after a signal."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from starlette.applications import Starlette

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AT_ONCE = 1.0  # seconds
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
            _supervise(app, listening, workers, log, ended)


class PlaygroundServer(uvicorn.Server):
    """The server of one process; `should_exit` and `handle_exit` are uvicorn's.

    Parameters
    ----------
    keep_alive : int
        Seconds after which a connection without a request is closed.
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
            http="h11",  # the parser with a bound for heads
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


# --- several processes ------------------------------------------------------------------------------------------------


def _supervise(app: Starlette, listening: socket.socket, workers: int, log: bool, ended: Sequence[int]) -> None:
    """Keep so many workers; ValueError where one ends by itself as soon as it begins, as others would."""
    running = {_start(app, listening, log, ended): time.monotonic() for _ in range(workers)}
    try:
        while not ended:
            wait([worker.sentinel for worker in running], 0.2)
            for worker in [worker for worker in running if not worker.is_alive()]:
                began, was_killed = running.pop(worker), (worker.exitcode or 0) < 0
                if time.monotonic() - began < _AT_ONCE and not was_killed:
                    raise ValueError(f"a worker ended as soon as it began, with exit code {worker.exitcode}")
                running[_start(app, listening, log, ended)] = time.monotonic()
    finally:
        _end(list(running))


def _start(app: Starlette, listening: socket.socket, log: bool, ended: Sequence[int]) -> BaseProcess:
    context = multiprocessing.get_context("fork")  # the model is in memory already, once for all
    worker = context.Process(target=_work, args=(app, listening, log, ended), daemon=True)
    worker.start()
    return worker


def _work(app: Starlette, listening: socket.socket, log: bool, ended: Sequence[int]) -> None:
    server = PlaygroundServer(app, log=log, ended=ended)
    threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
    server.run(sockets=[listening])


def _end_with_parent(server: PlaygroundServer) -> None:
    """Nobody would end a worker whose parent was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    server.should_exit = True


def _end(workers: list[BaseProcess]) -> None:
    """End them, by signals until they do: what comes to a process that has just been forked is lost."""
    until = time.monotonic() + 2
    while (alive := [worker for worker in workers if worker.is_alive()]) and time.monotonic() < until:
        for worker in alive:
            worker.terminate()
        wait([worker.sentinel for worker in alive], 0.2)
    for worker in alive:
        worker.kill()
        worker.join()
