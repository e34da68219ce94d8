"""HTTP on one connection: uvicorn's, and an end to connections on which nothing happens.

uvicorn waits for ever for the first head, for the rest of any, and for clients that do not read: they could hold all
connections that there are.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class PlaygroundProtocol(H11Protocol):
    """Has a whole head within `timeout_keep_alive` seconds of the connection or the last answer, or it is closed.

    So is a connection whose client takes nothing of an answer for as long.
    """

    _waiting: asyncio.TimerHandle | None = None  # for a head
    _stuck: asyncio.TimerHandle | None = None  # for a client to read

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()  # which goes on with requests that are there already

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._waiting)
        _cancel(self._stuck)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self._stuck = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        _cancel(self._stuck)
        super().resume_writing()

    def _wait(self) -> None:
        _cancel(self._waiting)
        self._waiting = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()  # to close it would wait for what is written to be read


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
