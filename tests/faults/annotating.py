"""`gristmill ... --cluster` with a cluster that is this process, and small blocks, to be run with faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest import mock

from gristmill.cli import annotating, run


class _Client:
    """Runs what is submitted at once."""

    def submit(self, call: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        try:
            call(*arguments)
        except OSError as error:
            return _Future("error", error)
        return _Future("finished", None)


@dataclass(eq=False)
class _Future:
    status: str
    error: OSError | None

    def exception(self) -> OSError | None:
        return self.error


@contextmanager
def _opened(*_: Any) -> Iterator[_Client]:
    yield _Client()


def annotate(arguments: list[str]) -> int:
    """Its exit code."""
    with ExitStack() as patched:
        for name, instead in {
            "gristmill.cluster.clients.opened": _opened,
            "gristmill.cluster.clients.distributed": lambda: SimpleNamespace(as_completed=list),
            "gristmill.cluster.spread.for_workers": lambda _, model: model,
            "gristmill.cluster.spread.sent_once": lambda _, model: model,
        }.items():
            patched.enter_context(mock.patch(name, instead))
        patched.enter_context(mock.patch.object(annotating, "MEGABYTE", 60))
        return run(arguments)
