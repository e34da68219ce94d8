"""Partitions on the workers of a Dask cluster.

Each partition is a task that reads and keys its examples, kept by the worker that ran it. What a lost worker had is
computed again from what it was read from, by Dask; nothing lives in scattered memory alone.
"""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gristmill.cluster.models import SCORER_SUFFIX, SharedModel
from gristmill.cluster.partitions import Survey, keyed, survey
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer


class SpreadPartitions:
    """Futures of keyed examples; see `Partitions` of the rounds.

    Parameters
    ----------
    client : distributed.Client
    raw : sequence of futures of RawPartition
    """

    def __init__(self, client: Any, raw: Sequence[Any]) -> None:
        self._client = client
        self._name = f"gristmill-{uuid.uuid4().hex[:12]}"  # trainings on one client do not meet
        self._calls = 0
        self._raw = list(raw)
        self._keyed: list[Any] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # of machines
        self._shared = 0

    def survey(self) -> list[Survey]:
        """What is counted of each partition."""
        return self._results(self._submitted(survey, self._raw))

    def key(self, classes: NDArray[Any]) -> None:
        """Key all examples by content and class; what was read is let go."""
        self._keyed = self._submitted(keyed, self._raw, classes)
        self._raw = []

    def map(self, function: Callable[..., Any], shared: Any) -> list[Any]:
        """function(examples, shared) of all partitions; `shared` moves to each worker once."""
        moved = sent_once(self._client, shared)
        return self._results(self._submitted(function, self._keyed, moved))

    def share(self, machine: Machine) -> tuple[SharedModel, Scorer]:
        """By a file with the compiled scorer beside it, which workers read; to those that do not see it the machine."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="gristmill-")
        self._shared += 1
        path = Path(self._folder.name) / f"{self._shared}.model"
        machine.save(path)
        scorer = machine.compile(cache=f"{path}{SCORER_SUFFIX}")
        return for_workers(self._client, SharedModel.of(path, scorer.engine)), scorer

    def release(self) -> None:
        """End all work and let the examples go."""
        if self._folder is not None:
            self._folder.cleanup()
        futures = [*self._raw, *self._keyed]
        self._raw, self._keyed = [], []
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)

    def _submitted(self, function: Callable[..., Any], parts: Sequence[Any], *shared: Any) -> list[Any]:
        self._calls += 1
        name = f"{self._name}-{function.__name__.strip('_')}-{self._calls}"
        return [
            self._client.submit(function, part, *shared, key=f"{name}-{number}", pure=False)
            for number, part in enumerate(parts)
        ]

    def _results(self, futures: Sequence[Any]) -> list[Any]:
        try:
            return list(self._client.gather(futures))
        except BaseException:
            if self._client.status == "running":
                self._client.cancel(futures, force=True)
            raise


def sent_once(client: Any, value: Any) -> Any:
    """A future of a value, which moves to each worker once; a task, so that the scheduler can have it made again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")  # a machine may be some megabytes
        return client.submit(_itself, value, pure=False)


def _itself(value: Any) -> Any:
    return value


def for_workers(client: Any, model: SharedModel) -> SharedModel:
    """By path where all workers see the file, else with its content."""
    if model.path is None:
        return model
    seen = client.run(model.is_seen)
    return model if seen and all(seen.values()) else model.with_content()
