"""verbose=1: how far `fit` is, in plain lines on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

from gristmill.base.progress import Progress

_EVERY = 1.0  # seconds between two lines


@contextmanager
def reporting(name: str, verbose: Any, progress: Progress | None) -> Iterator[Progress | None]:
    """What to call while fitting: `progress`, and where `verbose` is above 0 also a printer; it prints the end, too."""
    if not isinstance(verbose, Integral) or verbose < 0:
        raise ValueError(f"verbose must be 0 (silent), 1 (lines on standard error) or above, got {verbose!r}")
    if not verbose:
        yield progress
        return
    lines = _Lines(name, progress)
    yield lines
    lines.print("fitted")


class _Lines:
    """Prints a line a second, at most, and passes the call on."""

    def __init__(self, name: str, progress: Progress | None) -> None:
        self._name = name
        self._progress = progress
        self._begin = self._printed = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._printed >= _EVERY:
            self._printed = time.monotonic()
            self.print(f"{100 * done // max(total, 1)} %")
        if self._progress is not None:
            self._progress(done, total)

    def print(self, said: str) -> None:
        print(f"{self._name}: {said}, {time.monotonic() - self._begin:.1f} s", file=sys.stderr, flush=True)
