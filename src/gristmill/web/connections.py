"""Connections of clients that begin a request and never end its head are closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def timed_protocol(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol (httptools where it is installed), with so much time for the head of a request.

    uvicorn itself closes connections that are silent between requests, but waits for ever for the rest of a head.
    """
    base: Any = AutoHTTPProtocol

    class TimedProtocol(base):  # type: ignore[misc]
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()

        def _wait(self) -> None:
            self._stop()
            self._waiting = self.loop.call_later(seconds, self._close_if_idle)

        def _stop(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()

        def _close_if_idle(self) -> None:
            if self.cycle is None or self.cycle.response_complete:
                self.transport.close()

    return TimedProtocol
