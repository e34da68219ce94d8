"""Serving: a socket, one process or several that answer on it, and an end within a second when it is asked for."""

from __future__ import annotations

import contextlib
import errno
import logging
import multiprocessing
import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import uvicorn

from gristmill.web.connections import timed_protocol

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from starlette.applications import Starlette

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AT_ONCE = 1.0  # seconds
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def listen(host: str = "127.0.0.1", port: int = 8000) -> socket.socket:
    """A socket that accepts connections from now on; port 0 is any that is free. ValueError where there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ValueError(f"there is no address {host!r} here: {error.strerror}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(
                f"port {port} of {host} is in use: choose another by --port, or any by --port 0"
            ) from error
        raise ValueError(f"cannot listen on port {port} of {host}: {error.strerror}") from error
    return listening


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
            PlaygroundServer(app, log=log).run(sockets=[listening])
        else:
            _supervise(app, listening, workers, log, ended)


class PlaygroundServer(uvicorn.Server):
    """The server of one process; `should_exit` and `handle_exit` are uvicorn's."""

    def __init__(self, app: Starlette, *, log: bool = False, head_seconds: float = 10.0) -> None:
        self._ending: threading.Event = app.state.ending
        config = uvicorn.Config(
            app,
            http=timed_protocol(head_seconds),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="info" if log else "error",
            access_log=log,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        if log:
            _log_requests()
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell the work under way to end; that it is cut off is no error to be told."""
        self._ending.set()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def _log_requests() -> None:
    logger, handler = logging.getLogger("uvicorn.access"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.handlers, logger.propagate = [handler], False


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[threading.Event]:
    """An event that signals set. uvicorn takes them while it runs, and raises them again for us when it is done."""
    ended = threading.Event()
    before: dict[int, Any] = {number: signal.signal(number, lambda *_: ended.set()) for number in _SIGNALS}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# --- several processes ------------------------------------------------------------------------------------------------


def _supervise(app: Starlette, listening: socket.socket, workers: int, log: bool, ended: threading.Event) -> None:
    """Keep so many workers; ValueError where one ends by itself as soon as it begins, as others would."""
    running = {_start(app, listening, log): time.monotonic() for _ in range(workers)}
    try:
        while not ended.wait(0.2):
            for worker in [worker for worker in running if not worker.is_alive()]:
                began, was_killed = running.pop(worker), (worker.exitcode or 0) < 0
                if time.monotonic() - began < _AT_ONCE and not was_killed:
                    raise ValueError(f"a worker ended as soon as it began, with exit code {worker.exitcode}")
                running[_start(app, listening, log)] = time.monotonic()
    finally:
        _end(list(running))


def _start(app: Starlette, listening: socket.socket, log: bool) -> BaseProcess:
    context = multiprocessing.get_context("fork")  # the model is in memory already, once for all
    worker = context.Process(target=_work, args=(app, listening, log), daemon=True)
    worker.start()
    return worker


def _work(app: Starlette, listening: socket.socket, log: bool) -> None:
    PlaygroundServer(app, log=log).run(sockets=[listening])


def _end(workers: list[BaseProcess]) -> None:
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(2)
        if worker.is_alive():
            worker.kill()
            worker.join()
