"""Connections of clients that ask without end, do not end what they begin, or do not take their answers, are closed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sized
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.http.flow_control import FlowControl

_PATIENCE = 3  # times the time of a head: a client may take an answer in lumps
_BESIDE_BODY = 1 << 16  # bytes of a request


def most_connections() -> int:
    """Half of the files that a process may have open: asyncio fills the log where there is none left for another."""
    return os.sysconf("SC_OPEN_MAX") // 2 if hasattr(os, "sysconf") else 500


def timed_protocol(seconds: float, most: int) -> type[asyncio.Protocol]:
    """uvicorn's protocol (httptools where it is installed), with so much time for the head of a request.

    No more than `most` connections are kept. uvicorn itself keeps any number; it closes those that are silent between
    requests, but waits for ever for the rest of a head, and for clients that do not read their answers.
    """
    base: Any = AutoHTTPProtocol if _is_bounded(AutoHTTPProtocol) else _bounded(AutoHTTPProtocol)

    class TimedProtocol(base):  # type: ignore[misc]
        _waiting: asyncio.TimerHandle | None = None
        _writing: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._wait()
            if len(self.connections) > most:
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            _stop(self._waiting)
            _stop(self._writing)
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()

        def _wait(self) -> None:
            _stop(self._waiting)
            self._waiting = self.loop.call_later(seconds, self._close_if_idle)

        def _close_if_idle(self) -> None:
            if self.cycle is None or self.cycle.response_complete:
                self.transport.close()
                self._watch_writing()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch_writing()

        def resume_writing(self) -> None:
            _stop(self._writing)
            super().resume_writing()

        def _watch_writing(self) -> None:
            _stop(self._writing)
            left = self.transport.get_write_buffer_size()
            self._writing = self.loop.call_later(_PATIENCE * seconds, self._abort_if_stuck, left)

        def _abort_if_stuck(self, before: int) -> None:
            if self.transport.get_write_buffer_size() < before:
                self._watch_writing()
            else:
                self.transport.abort()

    return TimedProtocol


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _is_bounded(protocol: Any) -> bool:
    """h11 bounds what it keeps; httptools, which calls back for every part of a request, does not."""
    return not hasattr(protocol, "on_body")


def _bounded(base: Any) -> Any:
    """The protocol for httptools, without endless heads, trailers and queues."""

    class BoundedProtocol(base):  # type: ignore[misc]
        _beside_body = 0

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.flow = _QueueFlow(transport, self.pipeline)

        def data_received(self, data: bytes) -> None:
            self._beside_body += len(data)
            super().data_received(data)
            if self._beside_body > _BESIDE_BODY and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

        def on_body(self, body: bytes) -> None:
            self._beside_body -= len(body)
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._beside_body = 0
            super().on_message_complete()

    return BoundedProtocol


class _QueueFlow(FlowControl):
    """Reads on when no request is queued; uvicorn does after every answer, and the queue may grow without end."""

    def __init__(self, transport: asyncio.Transport, queue: Sized) -> None:
        super().__init__(transport)
        self._queue = queue

    def resume_reading(self) -> None:
        if not self._queue:
            super().resume_reading()
