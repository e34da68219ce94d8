"""gristmill forget for logistic machines: all weights change, from the machine so far."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from gristmill.base.arrays import Flags, Indices
from gristmill.cli.screen import progress_bar
from gristmill.data.rows import as_rows
from gristmill.machines.machine import Machine
from gristmill.machines.store import digest_of
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.logistic import forgetting as logistic
from gristmill.solvers.receipt import Receipt, data_digest


def forget_logistic(
    machine: Machine, examples: tuple[Any, Indices], forgotten: Flags, jobs: int | None, begin: float
) -> tuple[Machine, Receipt]:
    """The machine of the other examples, and what is said about it; `begin`: when it began, by `time.perf_counter`."""
    settings = logistic.settings_of(machine)
    data, labels = as_rows(examples[0], binarize=False), examples[1]
    with progress_bar("solving") as progress:
        fit = logistic.forget(machine, data, labels, forgotten, settings, n_jobs=jobs, progress=progress)
    after = fit.machine.replace(zero_class=machine.zero_class)
    gone, gap = int(forgotten.sum()), logistic.relative_gap(fit)
    receipt = Receipt(
        forgotten=gone,
        remaining=len(labels) - gone,
        support_forgotten=gone,
        solver="logistic",
        steps=fit.passes,
        tol=settings.tol,
        violation=gap,
        gap=gap,
        recomputed=("C",) if settings.C == AUTO else (),
        data_before=data_digest(data, {"labels": labels}),
        data_after=data_digest(data.take(np.flatnonzero(~forgotten)), {"labels": labels[~forgotten]}),
        machine_before=digest_of(machine),
        machine_after=digest_of(after),
        seconds=time.perf_counter() - begin,
    )
    return after, receipt
