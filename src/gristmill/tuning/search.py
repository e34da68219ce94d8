"""Successive halving over sample sizes: many settings on few examples, few settings on all of them."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import joblib
import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.kernels.conversion.forest import fragments_of
from gristmill.solvers.batch.converting import converted
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.settings import Conversion
from gristmill.tuning.blocks import Block
from gristmill.tuning.cases import Cases
from gristmill.tuning.grid import Grid, KernelSetting, Setting
from gristmill.tuning.halving import survivors
from gristmill.tuning.judging import Answers, Done, Job, Stop, judge
from gristmill.tuning.result import Trial, Tuning, TuningInterrupted
from gristmill.tuning.rounds import Rung
from gristmill.tuning.solvers import Solving

_SHARE = 4  # of max_bytes that blocks may take which wait for the next rung


class Search:
    """Everything that does not change between settings, and what was found so far."""

    def __init__(
        self, grid: Grid, cases: Cases, solving: Solving, search: str, rungs: list[Rung], factor: float, n_jobs: Any
    ) -> None:
        self.grid, self.cases, self.solving = grid, cases, solving
        self.search, self.rungs, self.factor = search, rungs, factor
        self._n_jobs = n_jobs
        self._stop = Stop()
        self._trials: list[Trial] = []  # of finished rungs
        self._now: dict[Setting, Trial] = {}  # of the one that runs
        self._influences: dict[Setting, Floats] = {}  # for those who are to go on
        self.best_trial: Trial | None = None  # as that of `found`, at any time
        self._blocks: dict[KernelSetting, Block] = {}
        self._done = self._finished = 0  # settings, rungs
        self._begin = time.perf_counter()

    def run(self, progress: Progress | None = None) -> Tuning:
        """All rungs; TuningInterrupted with what was found so far if somebody interrupts."""
        settings = self.grid.settings
        try:
            for rung in self.rungs:
                self._run(rung, settings, progress)
                ranked = [self._now[setting] for setting in settings]
                self._trials += ranked
                self._finished += 1
                self.best_trial = max(ranked, key=lambda trial: trial.rank)
                if not rung.is_exact:
                    noise = [self._influences[one] for one in settings]
                    kept = survivors([trial.score for trial in ranked], noise, self.factor)
                    settings = [settings[at] for at in kept]
                self._now, self._influences = {}, {}
        except KeyboardInterrupt as stop:
            raise TuningInterrupted(self.found(interrupted=True)) from stop
        found = self.found()
        assert found is not None
        return found

    def found(self, *, interrupted: bool = False) -> Tuning | None:
        """What is known now; None as long as that is nothing."""
        running = [self._now[setting] for setting in self.grid.settings if setting in self._now]
        if not self._trials and not running:
            return None
        return Tuning(
            [*self._trials, *running],
            self.cases.measure,
            self.search,
            len(self.grid),
            [rung.sample_size for rung in self.rungs],
            self._finished,
            time.perf_counter() - self._begin,
            interrupted,
        )

    # --- one rung -----------------------------------------------------------------------------------------------------

    def _run(self, rung: Rung, settings: list[Setting], progress: Progress | None) -> None:
        by_kernel: dict[KernelSetting, list[float]] = {}
        for setting in settings:
            by_kernel.setdefault(setting.about, []).append(setting.C)
        kernels = list(by_kernel)
        total = self._done + self._to_come(rung, len(settings))
        results: Any = None
        try:
            results = self._parallel()(joblib.delayed(judge)(job) for job in self._jobs(rung, by_kernel))
            for done in results:
                self._note(rung, kernels[done.number], by_kernel[kernels[done.number]], done)
                if progress is not None:
                    progress(self._done, total)
        except BaseException:
            self._stop.ask()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib's, of results that nobody takes any more
                if hasattr(results, "close"):
                    results.close()
            raise

    def _parallel(self) -> joblib.Parallel:
        """Results come as they are ready, or where a backend cannot do that (multiprocessing) all at once."""
        how = {"n_jobs": self._n_jobs, "prefer": "threads"}
        try:
            return joblib.Parallel(**how, return_as="generator_unordered")
        except ValueError:
            return joblib.Parallel(**how)

    def _jobs(self, rung: Rung, by_kernel: dict[KernelSetting, list[float]]) -> Iterator[Job]:
        """Made one by one, as workers are ready for them: each may hold a block."""
        cases, before, self._blocks = self.cases, self._blocks, {}
        sampled = self.search == "cutting-plane" and not rung.is_exact
        how = "exact" if rung.is_exact else self.search
        size = len(cases) if sampled else rung.sample_size
        distinct = take(cases.data, cases.firsts[: cases.distinct(size)])
        problems = cases.problems(size)
        whole = _Conversions(list(by_kernel), distinct, self.solving) if rung.is_exact else None
        waiting = 0 if rung.is_exact else self._waiting(size)
        workers = min(joblib.effective_n_jobs(self._n_jobs), os.cpu_count() or 1)
        threads = max(workers // len(by_kernel), 1)
        for number, (about, costs) in enumerate(by_kernel.items()):
            job = Job(
                number, about, costs, cases, self.solving, how, size, rung.sample_size, self._stop, n_jobs=threads
            )
            if how not in ("cutting-plane", "slicing") and self.solving.keeps_gram(about.kernel, cases, size):
                data = distinct if whole is None else whole.of(about.kernel)
                more: dict[str, Any] = {"before": before.pop(about, None), "keeps": number < waiting}
                job = replace(job, distinct=data, problems=problems, **more)
            yield job

    def _waiting(self, size: int) -> int:
        """How many blocks of this rung there is room for until the next one."""
        cases = self.cases
        judges = 0 if cases.held_labels is None else len(cases.held_labels)
        one = 8 * cases.distinct(size) * (cases.distinct(size) + judges)
        return self.solving.settings(self.grid.kernels[0].kernel).budget // _SHARE // max(one, 1)

    def _note(self, rung: Rung, about: KernelSetting, costs: list[float], done: Done) -> None:
        for cost, found in zip(costs, done.found, strict=True):
            setting = Setting(about, cost)
            trial = self._now[setting] = self._trial(setting, rung, found)
            if self._finished == 0 and (self.best_trial is None or trial.rank > self.best_trial.rank):
                self.best_trial = trial
            if not rung.is_exact:
                self._influences[setting] = self.cases.influences(found.answers, self._size(rung))
        if done.block is not None:
            self._blocks[about] = done.block
        self._done += len(costs)

    def _trial(self, setting: Setting, rung: Rung, found: Answers) -> Trial:
        scores = self.cases.scores(found.answers, self._size(rung))
        mean, spread = float(np.mean(scores)), float(np.std(scores))
        more = (tuple(scores), found.seconds, found.support, found.converged)
        return Trial(setting, rung.number, rung.sample_size, rung.is_exact, mean, spread, *more)

    def _size(self, rung: Rung) -> int:
        return len(self.cases) if self.search == "cutting-plane" else rung.sample_size

    def _to_come(self, rung: Rung, settings: int) -> int:
        """Settings on this rung and, unless noise keeps more, on all after it."""
        total, left = settings, settings
        for _ in self.rungs[rung.number + 1 :]:
            left = math.ceil(left / self.factor)
            total += left
        return total


class _Conversions:
    """One conversion of all trees for each kind of fragments, whatever the decays, where that should pay."""

    def __init__(self, settings: list[KernelSetting], data: Any, solving: Solving) -> None:
        self._kernels = [setting.kernel for setting in settings]
        self._data, self._solving = data, solving
        self._made: dict[Any, Any] = {}

    def of(self, kernel: Kernel) -> Any:
        fragments = None if isinstance(kernel, PolynomialKernel) else fragments_of(kernel)
        if fragments is None:
            return self._data
        if fragments not in self._made:
            served = sum(fragments_of(other) == fragments for other in self._kernels)
            pairs = 0.5 * served * len(self._data) ** 2
            budget = self._solving.settings(kernel).budget
            how: dict[str, Any] = {"pairs": pairs, "max_bytes": budget, "n_jobs": 1, "progress": None}
            self._made[fragments] = converted(kernel, self._data, Conversion("auto"), **how)[0]
        return self._made[fragments]
