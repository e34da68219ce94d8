"""How many threads `n_jobs` means."""

from __future__ import annotations

import os


def resolve_jobs(n_jobs: int | None) -> int:
    """Return the number of threads, as scikit-learn counts them: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a positive number, None for one thread or -1 for all cores")
    if n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + int(n_jobs))
