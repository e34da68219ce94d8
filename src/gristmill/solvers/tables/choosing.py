"""The settings of a table machine, chosen on rows held out: parts, scale of pairs, degree, C, rounds of reweighting.

The search is greedy, each step judged by the loss on rows held out: fields alone over a path of C; pairs, with scales
as long as they gain; the weights of pairs by rounds; where pairs gain much, triples of those with most of the function.
Paths of C start warm and end where the loss has risen twice. Nothing depends on a clock.
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

_STEP = 10**0.5  # of paths of C
_FIRST, _LAST = 0.01, 100.0  # C at scales up to that of _SCALE
_SCALE = 0.5  # of pairs, to begin with
_SMALLER, _LARGER = (0.15,), (1.5, 5.0)
_ROUNDS = 3
_GAIN = 2e-4  # of the loss: what more of a model must gain at least
_RISE = 2e-3  # of the loss: a path of C ends there
_PAIRS_PAY = 0.02  # of the loss: what pairs must gain before triples are tried
_TRIPLES_PAY = 3e-3  # of the loss: what triples must gain, which take most of the time
_TRIPLE_PARTS = 2  # by which triples are judged
_TRIPLES = 20
_TRIPLE_CELLS = 1 << 17  # of all triples
_PAIR_CELLS = 1 << 18  # of all pairs, times outputs: an iteration goes through some 25 arrays of so many numbers
# Where rows are too few to hold some out.
_FEW: dict[str, Any] = {"C": 0.1, "degree": 2, "parts": "both", "pair_scale": _SCALE, "rounds": 0}

Held = tuple[TableTask, TableTask]  # to learn from, and held out


@dataclass(frozen=True)
class Choice:
    """What to train: a plan without weights of pairs, C and rounds; the mean loss of rows held out (NaN: none were)."""

    plan: TablePlan
    C: float
    rounds: int = 0
    losses: tuple[float, ...] = ()  # of each part held out, of a row

    @property
    def loss(self) -> float:
        """The mean of all parts that were held out; NaN where none was."""
        return self.loss_of(len(self.losses))

    def loss_of(self, parts: int) -> float:
        """The mean of the first parts: they are of one size."""
        return sum(self.losses[:parts]) / parts if parts else math.nan


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
        pairs_pay = self._top().loss < alone.loss * (1 - _PAIRS_PAY)
        if own.degree == 3 or (own.degree == AUTO and screened and pairs_pay):
            self._try_triples()
        return self._top()

    # --- what there is to try -----------------------------------------------------------------------------------------

    def _try_pairs(self, alone: Choice, terms: list[Term]) -> None:
        if self._settings.degree != AUTO:
            self._best = None
        plan = replace(alone.plan.with_terms([*alone.plan.terms, *terms]), pair_parts=self._pair_parts())
        own = self._settings.pair_scale
        scale = _SCALE if own == AUTO else float(own)
        first = min(
            self._path(replace(plan, single_parts=parts, pair_scale=scale)) for parts in self._parts_beside(alone)
        )
        if own == AUTO:
            self._try_scales(replace(plan, single_parts=self._top().plan.single_parts), first)
        self._try_rounds()

    def _try_scales(self, plan: TablePlan, loss: float) -> None:
        """Larger scales while they gain; where none does, a smaller one."""
        for scales in (_LARGER, _SMALLER):
            for scale in scales:
                lowest, loss_before = self._path(replace(plan, pair_scale=scale)), loss
                loss = min(loss, lowest)
                if lowest >= loss_before * (1 - _GAIN):
                    break
            if self._top().plan.pair_scale > _SCALE:
                return

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
        best = self._top()
        run = TableRun(self._task, best.plan, self._jobs)
        run.solve(best.C, self._settings, self._progress)
        triples = _best_triples(run.pair_norms(), best.plan.bins)
        if triples:
            if self._settings.degree != AUTO:
                self._best = None
            plan = best.plan.with_terms([*best.plan.terms, *triples])
            self._rounds(plan, best.C, best.rounds, self._held[:_TRIPLE_PARTS], _TRIPLES_PAY)

    def _single_parts(self) -> tuple[str, ...]:
        if self._settings.parts != AUTO:
            return (self._settings.parts,)
        return ("both", "thermometer") if any(own.n_ordered > 1 for own in self._plan.fields) else ("both",)

    def _parts_beside(self, alone: Choice) -> tuple[str, ...]:
        """Of fields alone, to try beside pairs: those that are best without them, and the thermometer."""
        return tuple(dict.fromkeys((alone.plan.single_parts, self._single_parts()[-1])))

    def _pair_parts(self) -> str:
        return "thermometer" if self._settings.parts == AUTO else str(self._settings.parts)

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

    def _path(self, plan: TablePlan) -> float:
        """C ascending, until the loss has risen twice, or clearly; the lowest loss."""
        runs = self._runs(plan)
        lowest, risen = math.inf, 0
        for C in self._costs(_costs_at(plan.pair_scale, self._task.weights.mean())):
            loss = self._judge(runs, Choice(plan, float(C)))
            risen = risen + 1 if loss >= lowest else 0
            clearly = loss > lowest * (1 + _RISE)
            lowest = min(lowest, loss)
            if risen == 2 or clearly:
                break
        return lowest

    def _rounds(
        self, plan: TablePlan, C: float, rounds: int, held: list[Held] | None = None, gain: float = _GAIN
    ) -> None:
        runs = self._runs(plan, held)
        for number in range(rounds + 1):
            if number:
                for run in runs:
                    run.reweight()
            if self._settings.rounds == AUTO or number == rounds or not self._held:
                self._judge(runs, Choice(plan, float(C), number), gain)
            else:
                self._solve(runs, C)

    def _runs(self, plan: TablePlan, held: list[Held] | None = None) -> list[TableRun]:
        return [TableRun(learn, plan, self._jobs) for learn, _ in (self._held if held is None else held)]

    def _solve(self, runs: list[TableRun], C: float) -> None:
        for run in runs:
            self._run = run
            run.solve(C, self._settings, self._progress)

    def _judge(self, runs: list[TableRun], choice: Choice, gain: float = _GAIN) -> float:
        """The mean loss of rows held out; the best choice so far is kept. By fewer runs it is judged on their parts."""
        self._solve(runs, choice.C)
        losses = [held_out_loss(run.model().scores(held.codes, self._jobs), held) / float(held.weights.sum()) for
                  run, (_, held) in zip(runs, self._held, strict=False)]  # fmt: skip
        choice = replace(choice, losses=tuple(losses))
        if self._best is None or not self._held or choice.loss < self._best.loss_of(len(losses)) * (1 - gain):
            self._best = choice
            self._best_run = runs[0] if runs else None
        self._progress.step()
        return choice.loss

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


def _costs_at(pair_scale: float, weight: float) -> list[float]:
    """Of a path. Weights of pairs at larger scales want less C, about as the scale has grown."""
    first = math.floor(math.log(_FIRST * min(1.0, _SCALE / pair_scale) ** 2, _STEP) + 0.5)
    last = round(math.log(_LAST, _STEP))
    return [_STEP**at / weight for at in range(first, last + 1)]


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
