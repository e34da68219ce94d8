"""Who does the jobs of a search: threads or another backend of joblib, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import queue
import warnings
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import joblib

from gristmill.tuning.dataset import Dataset
from gristmill.tuning.jobs import Job, JobResult, run_job


class Workers(Protocol):
    """Do jobs; results come in any order."""

    @property
    def count(self) -> int:
        """How many jobs are done at a time."""
        ...

    @property
    def keeps_blocks(self) -> bool:
        """Whether Gram matrices go from one round to the next."""
        ...

    def results(self, jobs: Iterable[Job]) -> Generator[JobResult, None, None]: ...


@dataclass(frozen=True)
class LocalWorkers:
    """Of joblib."""

    n_jobs: int | None
    keeps_blocks: bool = True

    @property
    def count(self) -> int:
        return int(min(joblib.effective_n_jobs(self.n_jobs), os.cpu_count() or 1))

    def results(self, jobs: Iterable[Job]) -> Generator[JobResult, None, None]:
        found = self._parallel()(joblib.delayed(run_job)(job) for job in jobs)
        try:
            for result in found:  # noqa: UP028 - `yield from` would close it before warnings are silent
                yield result
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns of results that are not collected
                if hasattr(found, "close"):
                    found.close()

    def _parallel(self) -> joblib.Parallel:
        """Results come as they are ready, or all at once where a backend (multiprocessing) cannot do that."""
        how = {"n_jobs": self.n_jobs, "prefer": "threads"}
        try:
            return joblib.Parallel(**how, return_as="generator_unordered")
        except ValueError:
            return joblib.Parallel(**how)


@dataclass(frozen=True)
class ClusterWorkers:
    """Of a `distributed.Client`: what jobs share moves to each worker once, and a lost worker costs its jobs only."""

    client: Any
    keeps_blocks: bool = False  # they are large, and would move

    @property
    def count(self) -> int:
        return int(max(sum(self.client.nthreads().values()), 1))

    def results(self, jobs: Iterable[Job]) -> Generator[JobResult, None, None]:
        given = list(jobs)
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        shared: dict[int, Any] = {}  # by what it is of: jobs of a round have the same
        futures = []
        try:
            for job in given:
                is_found = type(job.distinct) is type(job.dataset.data)  # else the examples were converted
                parts = (job.dataset, None if is_found else job.distinct, job.problems)
                moved = [self._moved(part, shared) for part in parts]
                bare = replace(job, dataset=None, distinct=None, problems=None, n_jobs=1)  # type: ignore[arg-type]
                future = self.client.submit(run_job_with, bare, is_found, *moved, pure=False)
                future.add_done_callback(done.put)
                futures.append(future)
            for _ in given:
                result: JobResult = done.get().result()
                yield result
        finally:
            self.client.cancel([*futures, *shared.values()], force=True)

    def _moved(self, part: Any, shared: dict[int, Any]) -> Any:
        if part is None:
            return None
        if id(part) not in shared:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph")
                shared[id(part)] = self.client.submit(itself, part, pure=False)
        return shared[id(part)]


def itself(value: Any) -> Any:
    """A task that a lost value is made by again."""
    return value


def run_job_with(job: Job, is_found: bool, dataset: Dataset, distinct: Any, problems: Any) -> JobResult:
    """Do a job whose data came on their own; different examples are found in them as on the client, bit for bit."""
    if is_found:
        distinct = dataset.different(job.size)
    return run_job(replace(job, dataset=dataset, distinct=distinct, problems=problems))
