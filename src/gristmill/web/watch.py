"""A watch on the work for one request: it ends when its time is over, when nobody waits for it, or with the server."""

from __future__ import annotations

import threading
import time

from gristmill.web.refusals import RefusedError


class Watch:
    """Called by long work as its progress; raises RefusedError where the work should end.

    Parameters
    ----------
    seconds : float
        From now on.
    ending : threading.Event
        Set when the server ends.
    """

    def __init__(self, seconds: float, ending: threading.Event) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._ending = ending
        self._abandoned = False

    def __call__(self, done: int = 0, total: int = 0) -> None:
        if self._ending.is_set():
            raise RefusedError("stopping", "the server is ending", headers={"Retry-After": "5"})
        if self._abandoned:
            raise RefusedError("timeout", "nobody waits for the answer any more")
        if time.monotonic() > self._until:
            raise RefusedError("timeout", f"the work took longer than {self._seconds:g} seconds; ask for less at once")

    def abandon(self) -> None:
        """Nobody waits any more: end at the next call."""
        self._abandoned = True
