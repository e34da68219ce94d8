"""What happens beside learning: Ctrl-C is heard, a line is drawn, checkpoints are written."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from gristmill.cli.screen import count
from gristmill.solvers.online import OnlineStats, checkpoint
from gristmill.solvers.online.training import Training


class Interruption:
    """Hears the first Ctrl-C instead of being torn out of the work; the second one interrupts as always.

    Where SIGINT was ignored when the program started (nohup, the background of a script), it stays ignored.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _hear(self, _: int, __: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._before)


class Watching:
    """Called while a training runs: see `Training.watch`."""

    def __init__(
        self,
        training: Training,
        interruption: Interruption,
        draw: Callable[[int, int | None, str], None] | None,
        path: str | None,
        every: float,
    ) -> None:
        self.training = training
        self.interruption = interruption
        self.draw = draw
        self.path = path
        self.every = every
        self._begin = self._saved = time.monotonic()
        self._first = training.visited

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if self.draw is not None:
            speed = (done - self._first) / max(now - self._begin, 1e-9)
            self.draw(done, total, f"{describe(self.training.learner.stats())}, {count(int(speed))} examples/s")
        if self.interruption.asked:
            raise KeyboardInterrupt
        if self.path is not None and now - self._saved >= self.every:
            checkpoint.save(self.training.learner, self.training.position(), self.path)
            self._saved = time.monotonic()


def describe(stats: OnlineStats) -> str:
    """How it goes, in a line."""
    return (
        f"{count(stats.examples)} examples, loss {stats.mean_loss:.4f}, {count(stats.updates)} updates, "
        f"{count(stats.support)} support vectors"
    )
