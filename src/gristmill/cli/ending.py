"""How a run ends: SIGTERM as Ctrl-C does, closed or full streams with what was computed in its files.

Messages that nobody takes are dropped. Answers that nobody takes end the run with exit code 1: without a word where a
pipe was closed, as `head` does, which click sees to, else with an error.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


class Terminator:
    """The handler of SIGTERM: the same as Ctrl-C, but for the exit code."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self, *_: Any) -> None:
        self.came = True
        raise KeyboardInterrupt

    def exit_code(self, code: int) -> int:
        """Of a run that ended with `code`."""
        return TERMINATED if self.came and code == INTERRUPTED else code


@contextlib.contextmanager
def terminated_as_interrupted() -> Iterator[Terminator]:
    """Within, SIGTERM raises KeyboardInterrupt, unless whoever started the program wants it ignored."""
    handler, before = Terminator(), signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, handler)
    try:
        yield handler
    finally:
        signal.signal(signal.SIGTERM, before)


# --- streams ----------------------------------------------------------------------------------------------------------


class _Messages(io.FileIO):
    """Standard error: what cannot be written there is dropped."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return len(data)


def open_streams() -> None:
    """Standard streams that can be used, whatever the program was started with.

    The numbers of closed ones are taken, or the next file that is opened would get what is printed. To write to a
    closed standard output is an error, to a closed standard error none.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - a number, for good
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    raw = io.BufferedWriter(_Messages(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace", line_buffering=True)


def flush_answers() -> None:
    """Write what is left for standard output; OSError where it cannot be, and nothing is tried again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise
