"""A model that takes its time, and says how it ended."""

from __future__ import annotations

import threading
import time
from typing import Any

from gristmill.web.adapters.rows import RowsAdapter
from gristmill.web.limits import Limits


class SlowAdapter(RowsAdapter):
    """Works until its watch ends the work, or until it is released."""

    def __init__(self, scorer: Any, limits: Limits) -> None:
        super().__init__(scorer, limits)
        self.begun, self.released = threading.Semaphore(0), threading.Event()
        self.ended: list[str] = []  # why, in the order in which the work ended

    def estimated_nanoseconds(self, query: Any) -> float:
        return float("inf")

    def score(self, inputs: Any, watch: Any) -> Any:
        self.begun.release()
        try:
            while not self.released.wait(0.01):
                watch()
        except Exception as error:
            self.ended.append(str(error))
            raise
        return super().score(inputs, watch)

    def wait_for_end(self, patience: float = 5.0) -> list[str]:
        end = time.monotonic() + patience
        while not self.ended and time.monotonic() < end:
            time.sleep(0.01)
        return self.ended
