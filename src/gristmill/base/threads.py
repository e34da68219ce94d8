"""How many threads `n_jobs` means."""

from __future__ import annotations

import os
from numbers import Integral


def resolve_jobs(n_jobs: int | None) -> int:
    """Return the number of threads, as scikit-learn counts them: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a whole number and not be 0, got {n_jobs!r}: None is one thread, -1 all cores"
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = int(n_jobs) if n_jobs > 0 else cores + 1 + int(n_jobs)
    return max(1, min(threads, 4 * cores))  # more only costs memory
