"""Successive halving over sample sizes: many settings on few examples, few settings on all of them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.kernels.conversion.forest import fragments_of
from gristmill.solvers.batch.converting import converted
from gristmill.solvers.batch.settings import Conversion
from gristmill.tuning.blocks import Block
from gristmill.tuning.dataset import Dataset
from gristmill.tuning.grid import Cost, Grid, KernelSetting, Setting
from gristmill.tuning.jobs import Job, JobResult, Predictions, Stop
from gristmill.tuning.result import Trial, Tuning, TuningInterrupted
from gristmill.tuning.rounds import Round, survivors
from gristmill.tuning.solvers import SolverOptions
from gristmill.tuning.workers import Workers

_SHARE = 4  # the part of max_bytes for blocks that are kept for the next round


class Search:
    """What all settings share, and the trials so far."""

    def __init__(
        self,
        grid: Grid,
        dataset: Dataset,
        options: SolverOptions,
        search: str,
        rounds: list[Round],
        factor: float,
        workers: Workers,
    ) -> None:
        self.grid, self.dataset, self.options = grid, dataset, options
        self.search, self.rounds, self.factor = search, rounds, factor
        self._workers = workers
        self._stop = Stop()
        self._trials: list[Trial] = []  # of finished rounds
        self._now: dict[Setting, Trial] = {}  # of the running round
        self._influences: dict[Setting, Floats] = {}  # of the running round, to choose the settings that go on
        self.best_trial: Trial | None = None  # that of `result`, at any time
        self._blocks: dict[KernelSetting, Block] = {}
        self._done = self._finished = 0  # settings, rounds
        self._begin = time.perf_counter()

    def run(self, progress: Progress | None = None) -> Tuning:
        """Run all rounds; an interruption raises TuningInterrupted with the result so far."""
        settings = self.grid.settings
        try:
            for round_ in self.rounds:
                self._run(round_, settings, progress)
                ranked = [self._now[setting] for setting in settings]
                self._trials += ranked
                self._finished += 1
                self.best_trial = max(ranked, key=lambda trial: trial.rank)
                if not round_.is_exact:
                    noise = [self._influences[one] for one in settings]
                    kept = survivors([trial.score for trial in ranked], noise, self.factor)
                    settings = [settings[at] for at in kept]
                self._now, self._influences = {}, {}
        except KeyboardInterrupt as stop:
            raise TuningInterrupted(self.result(interrupted=True)) from stop
        result = self.result()
        assert result is not None
        return result

    def result(self, *, interrupted: bool = False) -> Tuning | None:
        """The result so far; None before the first trial."""
        running = [self._now[setting] for setting in self.grid.settings if setting in self._now]
        if not self._trials and not running:
            return None
        return Tuning(
            [*self._trials, *running],
            self.dataset.scoring,
            self.search,
            len(self.grid),
            [round_.sample_size for round_ in self.rounds],
            self._finished,
            time.perf_counter() - self._begin,
            interrupted,
        )

    # --- one round ----------------------------------------------------------------------------------------------------

    def _run(self, round_: Round, settings: list[Setting], progress: Progress | None) -> None:
        by_kernel: dict[KernelSetting, list[Cost]] = {}
        for setting in settings:
            by_kernel.setdefault(setting.kernel_setting, []).append(setting.C)
        kernels = list(by_kernel)
        total = self._done + self._to_come(round_, len(settings))
        results = self._workers.results(self._jobs(round_, by_kernel))
        try:
            for done in results:
                self._note(round_, kernels[done.number], by_kernel[kernels[done.number]], done)
                if progress is not None:
                    progress(self._done, total)
        except BaseException:
            self._stop.set()
            results.close()
            raise

    def _jobs(self, round_: Round, by_kernel: dict[KernelSetting, list[Cost]]) -> Iterator[Job]:
        """A generator, since each job may hold a block: joblib takes one when a worker is free."""
        dataset, before, self._blocks = self.dataset, self._blocks, {}
        sampled = self.search == "cutting-plane" and not round_.is_exact
        how = "exact" if round_.is_exact else self.search
        size = len(dataset) if sampled else round_.sample_size
        distinct = dataset.different(size)
        problems = dataset.problems(size)
        whole = _Conversions(list(by_kernel), distinct, self.options) if round_.is_exact else None
        waiting = 0 if round_.is_exact else self._waiting(size)
        threads = max(self._workers.count // len(by_kernel), 1)
        for number, (kernel_setting, costs) in enumerate(by_kernel.items()):
            kernel, sizes = kernel_setting.kernel, (size, round_.sample_size)
            job = Job(number, kernel_setting, costs, dataset, self.options, how, *sizes, self._stop, n_jobs=threads)
            if how not in ("cutting-plane", "slicing") and self.options.keeps_gram(kernel, dataset, size):
                data = distinct if whole is None else whole.of(kernel)
                more: dict[str, Any] = {"before": before.pop(kernel_setting, None), "keeps": number < waiting}
                job = replace(job, distinct=data, problems=problems, **more)
            yield job

    def _waiting(self, size: int) -> int:
        """How many blocks of this round can be kept for the next one."""
        if not self._workers.keeps_blocks:
            return 0
        budget = self.options.settings(self.grid.kernels[0].kernel).budget
        return budget // _SHARE // max(self.dataset.gram_bytes(size), 1)

    def _note(self, round_: Round, kernel_setting: KernelSetting, costs: list[Cost], done: JobResult) -> None:
        for cost, made in zip(costs, done.predictions, strict=True):
            setting = Setting(kernel_setting, cost)
            trial = self._now[setting] = self._trial(setting, round_, made)
            if self._finished == 0 and (self.best_trial is None or trial.rank > self.best_trial.rank):
                self.best_trial = trial
            if not round_.is_exact:
                self._influences[setting] = self._noise(made, self._size(round_))
        if done.block is not None:
            self._blocks[kernel_setting] = done.block
        self._done += len(costs)

    def _noise(self, made: Predictions, size: int) -> Floats:
        if made.scores is None:
            return self.dataset.influences(made.predicted, size)
        from gristmill.tuning.scoring import split_noise

        return split_noise(made.scores)

    def _trial(self, setting: Setting, round_: Round, made: Predictions) -> Trial:
        scores = made.scores or self.dataset.scores(made.predicted, self._size(round_))
        mean, spread = float(np.mean(scores)), float(np.std(scores))
        more = (tuple(scores), made.seconds, made.support, made.converged, made.C)
        return Trial(setting, round_.number, round_.sample_size, round_.is_exact, mean, spread, *more)

    def _size(self, round_: Round) -> int:
        return len(self.dataset) if self.search == "cutting-plane" else round_.sample_size

    def _to_come(self, round_: Round, settings: int) -> int:
        """Settings of this round and all later ones, if noise keeps no more than planned."""
        total, left = settings, settings
        for _ in self.rounds[round_.number + 1 :]:
            left = math.ceil(left / self.factor)
            total += left
        return total


class _Conversions:
    """Converts all trees once per kind of fragments, for all decays, where that should pay."""

    def __init__(self, settings: list[KernelSetting], data: Any, options: SolverOptions) -> None:
        self._kernels = [setting.kernel for setting in settings]
        self._data, self._options = data, options
        self._made: dict[Any, Any] = {}

    def of(self, kernel: Kernel) -> Any:
        fragments = None if isinstance(kernel, PolynomialKernel) else fragments_of(kernel)
        if fragments is None:
            return self._data
        if fragments not in self._made:
            served = sum(fragments_of(other) == fragments for other in self._kernels)
            pairs = 0.5 * served * len(self._data) ** 2
            budget = self._options.settings(kernel).budget
            how: dict[str, Any] = {"pairs": pairs, "max_bytes": budget, "n_jobs": 1, "progress": None}
            self._made[fragments] = converted(kernel, self._data, Conversion("auto"), **how)[0]
        return self._made[fragments]
