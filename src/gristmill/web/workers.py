"""Processes that answer on one port: one process accepts every connection and hands it to the worker that has fewest.

A kept connection stays with its worker, so it is connections that must be spread: of workers that accept by themselves
the first one awake takes all that wait.
"""

from __future__ import annotations

import multiprocessing
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_AT_ONCE = 1.0  # seconds
_PAUSE = 0.01  # seconds, where no connection can be accepted or handed on
_TURN = 0.2  # seconds after which signals are looked for
_FORK = multiprocessing.get_context("fork")  # the model is in memory already, once for all

Serve = Callable[[socket.socket], None]  # answers connections that a socket gives, until the process shall end


class HandedOver(socket.socket):
    """One end of a channel, as a socket that accepts the connections that come through it."""

    tally: Any  # how many of them are closed again, in memory shared with the process that hands them over

    @classmethod
    def of(cls, channel: socket.socket, tally: Any) -> HandedOver:
        made = cls(fileno=channel.detach())
        made.tally = tally
        return made

    def listen(self, backlog: int = 0) -> None:
        """It does already."""

    def accept(self) -> tuple[socket.socket, Any]:
        """ConnectionAbortedError when the other end is closed."""
        _, received, _, _ = socket.recv_fds(self, 1, 1)
        if not received:
            raise ConnectionAbortedError
        connection = _Counted(fileno=received[0])
        connection.tally = self.tally
        return connection, ()  # asyncio asks the connection for its address


class _Counted(socket.socket):
    """A connection that counts itself when it is closed."""

    tally: Any

    def close(self) -> None:
        if self.fileno() >= 0:
            self.tally.value += 1
        super().close()


@dataclass(eq=False)
class Worker:
    """A process, and the channel to it."""

    process: BaseProcess
    channel: socket.socket
    tally: Any  # of connections that it has closed
    began: float = field(default_factory=time.monotonic)
    handed: int = 0

    @classmethod
    def start(cls, serve: Serve, listening: socket.socket) -> Worker:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        tally = _FORK.RawValue("q", 0)
        process = _FORK.Process(target=_work, args=(serve, theirs, tally, (listening, ours)), daemon=True)
        process.start()
        theirs.close()
        ours.setblocking(False)
        return cls(process, ours, tally)

    @property
    def connections(self) -> int:
        """Open ones."""
        return self.handed - int(self.tally.value)

    def take(self, connection: socket.socket) -> bool:
        """Hand a connection over; False where the worker is gone, or does not get to those it has."""
        try:
            socket.send_fds(self.channel, [b"+"], [connection.fileno()])
        except OSError:
            return False
        self.handed += 1
        return True


def _work(serve: Serve, channel: socket.socket, tally: Any, others: Sequence[socket.socket]) -> None:
    for inherited in others:
        inherited.close()
    serve(HandedOver.of(channel, tally))


def end_with_parent(end: Callable[[], None]) -> None:
    """Call `end` when the parent of this worker is gone: nobody else would end it."""

    def follow() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        end()

    threading.Thread(target=follow, daemon=True).start()


def supervise(serve: Serve, listening: socket.socket, count: int, ended: Sequence[int]) -> None:
    """Keep so many workers until there is a signal in `ended`.

    ValueError where one ends by itself as soon as it begins, as others would.
    """
    listening.setblocking(False)
    workers = [Worker.start(serve, listening) for _ in range(count)]
    try:
        while not ended:
            wait([listening, *(worker.process.sentinel for worker in workers)], _TURN)
            workers = [one if one.process.is_alive() else _replaced(one, serve, listening) for one in workers]
            _spread(listening, workers)
    finally:
        _end([worker.process for worker in workers])
        for worker in workers:
            worker.channel.close()


def _replaced(worker: Worker, serve: Serve, listening: socket.socket) -> Worker:
    code = worker.process.exitcode or 0
    if time.monotonic() - worker.began < _AT_ONCE and code >= 0:  # else it was killed
        raise ValueError(f"a worker ended as soon as it began, with exit code {code}")
    worker.channel.close()
    return Worker.start(serve, listening)


def _spread(listening: socket.socket, workers: Sequence[Worker]) -> None:
    """Accept all connections that wait."""
    while True:
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:  # no more files may be open: those that wait are accepted later
            time.sleep(_PAUSE)
            return
        with connection:
            _hand_over(connection, workers)


def _hand_over(connection: socket.socket, workers: Sequence[Worker]) -> None:
    """To the one with the fewest that can take it; closed where none can, which is when all of them have just ended."""
    for worker in sorted(workers, key=lambda worker: worker.connections):
        if worker.take(connection):
            return


def _end(processes: list[BaseProcess]) -> None:
    """End them, by signals until they do: what comes to a process that has just been forked is lost."""
    until = time.monotonic() + 2
    while (alive := [process for process in processes if process.is_alive()]) and time.monotonic() < until:
        for process in alive:
            process.terminate()
        wait([process.sentinel for process in alive], 0.2)
    for process in alive:
        process.kill()
        process.join()
