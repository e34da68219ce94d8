"""The settings of a table machine, chosen on rows held out: parts, scale of pairs, degree, C, rounds of reweighting.

The search is greedy, each step judged by the loss on rows held out: fields alone over a path of C; pairs, with two
scales; the weights of pairs by rounds; triples of the pairs with most of the function. Paths of C start warm and end
where the loss has risen twice. Nothing depends on a clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.data.tables.fields import Field
from gristmill.solvers.tables.folds import folds
from gristmill.solvers.tables.plan import TablePlan, Term, single_terms
from gristmill.solvers.tables.settings import AUTO, TableSettings
from gristmill.solvers.tables.training import TableInterrupted, TableRun, TableTask

_PATH = tuple(10 ** (at / 2) for at in range(-4, 5))  # of C: 0.01 to 100
_SCALES = (0.5, 0.15)
_ROUNDS = 3
_GAIN = 2e-4  # of the loss: what more of a model must gain at least
_RISE = 2e-3  # of the loss: a path of C ends there
_TRIPLES = 20
_TRIPLE_CELLS = 1 << 18  # of all triples
_PAIR_CELLS = 1 << 20  # of all pairs, times outputs: some 25 arrays of so many numbers are needed
# Where rows are too few to hold some out.
_FEW: dict[str, Any] = {"C": 0.1, "degree": 2, "parts": "both", "pair_scale": _SCALES[0], "rounds": 0}


@dataclass(frozen=True)
class Choice:
    """What to train: a plan without weights of pairs, C and rounds; the mean loss of rows held out (NaN: none were)."""

    plan: TablePlan
    C: float
    rounds: int = 0
    loss: float = math.nan


def choose(
    task: TableTask,
    fields: Sequence[Field],
    settings: TableSettings,
    *,
    pairs: Sequence[Term],
    screened: bool = True,
    monotone: tuple[int, ...] = (),
    rng: np.random.Generator,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Choice:
    """The best of what the settings leave open, with all `pairs`, or if `screened` the best of many."""
    parts = folds(task, rng) if settings.is_open else []
    search = _Search(task, tuple(fields), settings, monotone, parts, n_jobs, progress)
    try:
        return search.run(list(pairs), screened)
    except KeyboardInterrupt as stopped:
        raise TableInterrupted(search.latest().fit()) from stopped


class _Search:
    """The best choice so far, and how it was found."""

    def __init__(
        self, task: TableTask, fields: tuple[Field, ...], settings: TableSettings, monotone: Any, parts: Any,
        n_jobs: int | None, progress: Progress | None,
    ) -> None:  # fmt: skip
        self._task = task
        self._held = [(task.take(learn), task.take(held)) for learn, held in parts]
        self._settings = settings
        self._jobs = n_jobs
        self._progress = _Steps(progress)
        self._plan = TablePlan(fields, tuple(single_terms(fields)), monotone=monotone)
        self._best: Choice | None = None
        self._best_run: TableRun | None = None
        self._run: TableRun | None = None

    def latest(self) -> TableRun:
        """The best run so far, or one that has not begun."""
        return self._best_run or self._run or TableRun(self._task, self._plan, self._jobs)

    def run(self, pairs: list[Term], screened: bool) -> Choice:
        own = self._settings
        if not self._held:
            own = self._settings = replace(own, **{n: v for n, v in _FEW.items() if getattr(own, n) == AUTO})
        for parts in self._single_parts():
            self._path(replace(self._plan, single_parts=parts))
        alone = self._top()
        terms = [] if own.degree == 1 else self._pairs(alone, pairs, screened)
        if terms:
            self._try_pairs(alone, terms)
        if own.degree == 3:
            self._try_triples()
        return self._top()

    # --- what there is to try -----------------------------------------------------------------------------------------

    def _try_pairs(self, alone: Choice, terms: list[Term]) -> None:
        if self._settings.degree != AUTO:
            self._best = None
        for plan in self._pair_plans(alone.plan.with_terms([*alone.plan.terms, *terms])):
            self._path(plan)
        self._try_rounds()

    def _try_rounds(self) -> None:
        """More rounds want less C."""
        best, rounds = self._top(), self._settings.rounds
        if best.plan.degree < 2 or rounds == 0:
            return
        if rounds != AUTO:
            self._best = None
        for C in self._costs([best.C, best.C / 10**0.5, best.C / 10]):
            self._rounds(best.plan, C, _ROUNDS if rounds == AUTO else rounds)

    def _try_triples(self) -> None:
        """Of degree 3 where that was asked for."""
        best = self._top()
        run = TableRun(self._task, best.plan, self._jobs)
        run.solve(best.C, self._settings, self._progress)
        triples = _best_triples(run.pair_norms(), best.plan.bins)
        if triples:
            self._best = None
            plan = best.plan.with_terms([*best.plan.terms, *triples])
            for C in self._costs([best.C / 10**0.5, best.C]):
                self._rounds(plan, C, best.rounds)

    def _single_parts(self) -> tuple[str, ...]:
        if self._settings.parts != AUTO:
            return (self._settings.parts,)
        return ("both", "thermometer") if any(own.n_ordered > 1 for own in self._plan.fields) else ("both",)

    def _pair_plans(self, plan: TablePlan) -> Iterable[TablePlan]:
        own = self._settings
        singles = {plan.single_parts: None, self._single_parts()[-1]: None} if own.parts == AUTO else {own.parts: None}
        pair_parts = "thermometer" if own.parts == AUTO else own.parts
        for scale in _SCALES if own.pair_scale == AUTO else (own.pair_scale,):
            for parts in singles:
                yield replace(plan, single_parts=parts, pair_parts=pair_parts, pair_scale=float(scale))

    def _pairs(self, alone: Choice, terms: list[Term], screened: bool) -> list[Term]:
        """The pairs to learn; the best of all by the gradient at the best fields alone, where there are many."""
        sizes = np.array([math.prod(alone.plan.bins[number] for number in term) for term in terms])
        most = _PAIR_CELLS // self._task.outputs
        if not screened or (len(terms) <= self._settings.max_pairs and sizes.sum() <= most):
            return terms
        order = np.argsort(-self._steepness(alone, terms), kind="stable")[: self._settings.max_pairs]
        within = order[np.cumsum(sizes[order]) <= most]
        return [terms[at] for at in sorted(within.tolist())]

    def _steepness(self, alone: Choice, terms: list[Term]) -> Floats:
        """In parts, so that all pairs together need no more memory than those that are learned."""
        run = TableRun(self._task, alone.plan, self._jobs)
        run.solve(alone.C, self._settings, self._progress)
        found = []
        for begin in range(0, len(terms), self._settings.max_pairs):
            part = terms[begin : begin + self._settings.max_pairs]
            other = TableRun(self._task, alone.plan.with_terms([*alone.plan.terms, *part]), self._jobs)
            other.start_from(run)
            other.look(alone.C)
            found.append(other.gradient_norms()[-len(part) :])
        return np.concatenate(found)

    # --- trying -------------------------------------------------------------------------------------------------------

    def _costs(self, values: Iterable[float]) -> Iterable[float]:
        return values if self._settings.C == AUTO else (self._settings.C,)

    def _path(self, plan: TablePlan) -> None:
        """C ascending, until the loss has risen twice, or clearly."""
        runs = self._runs(plan)
        lowest, risen = math.inf, 0
        for C in self._costs(C / self._task.weights.mean() for C in _PATH):
            loss = self._judge(runs, Choice(plan, float(C)))
            risen = risen + 1 if loss >= lowest else 0
            if risen == 2 or loss > lowest * (1 + _RISE):
                return
            lowest = min(lowest, loss)

    def _rounds(self, plan: TablePlan, C: float, rounds: int) -> None:
        runs = self._runs(plan)
        for number in range(rounds + 1):
            if number:
                for run in runs:
                    run.reweight()
            if self._settings.rounds == AUTO or number == rounds or not self._held:
                self._judge(runs, Choice(plan, float(C), number))
            else:
                self._solve(runs, C)

    def _runs(self, plan: TablePlan) -> list[TableRun]:
        return [TableRun(learn, plan, self._jobs) for learn, _ in self._held]

    def _solve(self, runs: list[TableRun], C: float) -> None:
        for run in runs:
            self._run = run
            run.solve(C, self._settings, self._progress)

    def _judge(self, runs: list[TableRun], choice: Choice) -> float:
        """The mean loss of rows held out; the best choice so far is kept."""
        self._solve(runs, choice.C)
        losses = [held_out_loss(run.model().scores(held.codes, self._jobs), held) for run, (_, held) in
                  zip(runs, self._held, strict=True)]  # fmt: skip
        loss = sum(losses) / sum(float(held.weights.sum()) for _, held in self._held) if losses else math.nan
        if self._best is None or not self._held or loss < self._best.loss * (1 - _GAIN):
            self._best = replace(choice, loss=loss)
            self._best_run = runs[0] if runs else None
        self._progress.step()
        return loss

    def _top(self) -> Choice:
        assert self._best is not None
        return self._best


class _Steps:
    """Progress of a search of unknown length: each step takes a share of what is left."""

    def __init__(self, progress: Progress | None) -> None:
        self._report = progress
        self._done = 0.0

    def step(self) -> None:
        self._done += 0.03 * (1 - self._done)

    def __call__(self, done: int, total: int) -> None:
        if self._report is not None:
            self._report(int(1000 * self._done), 1000)


def held_out_loss(scores: Floats, held: TableTask) -> float:
    """The weighted sum of losses of rows."""
    if not held.n_classes:
        each = (scores[:, 0] - held.targets) ** 2
    elif held.n_classes == 2:
        each = np.logaddexp(0.0, (1 - 2 * held.targets) * scores[:, 0])
    else:
        own = scores[np.arange(len(scores)), held.targets.astype(np.intp)]
        top = scores.max(axis=1)
        each = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - own
    return float(held.weights @ each)


def _best_triples(norms: dict[Term, float], bins: Sequence[int]) -> list[Term]:
    """Triples of the pairs with most of the function, as far as their tables are not too large."""
    fields = sorted({number for pair in norms for number in pair})
    shares = {t: min(norms.get(pair, 0.0) for pair in combinations(t, 2)) for t in combinations(fields, 3)}
    found: list[Term] = []
    cells = 0
    for term in sorted(shares, key=lambda t: (-shares[t], t)):
        size = math.prod(bins[number] for number in term)
        if shares[term] > 0 and len(found) < _TRIPLES and cells + size <= _TRIPLE_CELLS:
            found.append(term)
            cells += size
    return sorted(found)
