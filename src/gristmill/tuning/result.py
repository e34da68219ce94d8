"""The result of a search: trials, the best setting, how samples rank settings, as text and as HTML."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.display.markup import Html, joined
from gristmill.display.numbers import in_percent, result
from gristmill.display.page import note
from gristmill.display.tables import table
from gristmill.solvers.cost_scale import AUTO
from gristmill.tuning.dataset import SCORINGS
from gristmill.tuning.grid import Setting


@dataclass(frozen=True)
class Agreement:
    """How a sample size ranks the settings that were also tried on all examples, compared with those."""

    sample_size: int
    settings: int
    kendall: float  # tau-b; nan where a ranking has nothing but ties
    spearman: float
    regret: float  # exact score of the best setting minus that of the setting this sample would choose


def agreement(sample_size: int, small: Sequence[float], exact: Sequence[float]) -> Agreement:
    """From scores of the same settings, on a sample and exact."""
    from scipy import stats

    chosen = max(range(len(small)), key=lambda at: (small[at], -at))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of constant rankings; nan says it
        few = len(small) < 2
        kendall = float("nan") if few else float(stats.kendalltau(small, exact).statistic)
        spearman = float("nan") if few else float(stats.spearmanr(small, exact).statistic)
    return Agreement(sample_size, len(small), kendall, spearman, max(exact) - exact[chosen])


@dataclass(frozen=True)
class Trial:
    """The score of one setting on one sample."""

    setting: Setting
    round: int
    sample_size: int
    exact: bool  # trained on all examples, up to tol
    score: float  # mean over splits
    spread: float  # their standard deviation; 0 for one split
    scores: tuple[float, ...]
    seconds: float
    support: float  # different support examples of a machine, on average
    converged: bool
    C: float  # that of the setting; for 'auto' the mean over splits of what it stands for

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rest = {name: value for name, value in self.__dict__.items() if name != "setting"}
        about = {"kernel": self.setting.name, **self.setting.parameters, "auto": self.setting.C == AUTO}
        return about | rest | {"scores": list(self.scores)}

    @property
    def rank(self) -> tuple[float, float, float]:
        """The larger the better: by score, then with the fewest support examples, then with the smallest C."""
        return self.score, -self.support, -self.C


@dataclass(frozen=True)
class Tuning:
    """The result of `gristmill.tune`."""

    trials: list[Trial]  # in the order of rounds, then of the grid
    scoring: str
    search: str
    n_settings: int  # of the whole grid
    rounds: list[int]  # sample sizes, the last one is all examples
    finished: int  # completed rounds
    seconds: float
    interrupted: bool = False
    classifier: Any = field(default=None, repr=False)  # KernelSVC of the best setting, unless refit=False

    @property
    def best_trial(self) -> Trial:
        """The best of the last completed round, or of the first one if none is complete.

        Of equal ones that with the fewest support examples, then the smallest C, then the first.
        """
        last = max(self.finished - 1, 0)
        some = [trial for trial in self.trials if trial.round == last]
        return max(some, key=lambda trial: trial.rank)

    @property
    def best(self) -> Setting:
        return self.best_trial.setting

    @property
    def agreement(self) -> list[Agreement]:
        """For each sample size before the last: its ranking of the settings that were tried on all examples."""
        exact = {trial.setting: trial.score for trial in self.trials if trial.exact}
        found = []
        for number, size in enumerate(self.rounds[:-1]):
            small = {trial.setting: trial.score for trial in self.trials if trial.round == number}
            both = [setting for setting in small if setting in exact]
            if both:
                found.append(agreement(size, [small[one] for one in both], [exact[one] for one in both]))
        return found

    def furthest(self) -> list[Trial]:
        """For each setting the trial of the largest sample, the best first."""
        last = {trial.setting: trial for trial in self.trials}
        return sorted(last.values(), key=lambda trial: (trial.round, *trial.rank), reverse=True)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "scoring": self.scoring,
            "search": self.search,
            "settings": self.n_settings,
            "rounds": self.rounds,
            "finished": self.finished,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "best": self.best_trial.as_dict(),
            "trials": [trial.as_dict() for trial in self.trials],
            "agreement": [{name: _finite(value) for name, value in one.__dict__.items()} for one in self.agreement],
        }

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook

        return notebook(as_html(self))

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw scores against C, parameters, sample size and seconds; the ending of the file says how (.svg, .png)."""
        from gristmill.tuning.drawing import draw

        draw(self, path)


def _finite(value: float) -> float | None:
    """JSON has no nan."""
    return value if math.isfinite(value) else None


class TuningInterrupted(KeyboardInterrupt):
    """A search was interrupted; `result` is its result so far, None if there is none."""

    def __init__(self, result: Tuning | None) -> None:
        super().__init__()
        self.result = result

    def __reduce__(self) -> Any:
        return TuningInterrupted, (self.result,)


COLUMNS = ("best", "kernel", "C", "examples", "score", "spread", "support", "seconds")
_SHOWN = 20  # settings in HTML


def as_text(found: Tuning) -> str:
    """A summary, a table of the settings of the last round, and how samples rank settings."""
    lines = rows(found)
    widths = [max(len(line[at]) for line in (COLUMNS, *lines)) for at in range(len(COLUMNS))]
    aligned = [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (COLUMNS, *lines)
    ]
    return "\n".join([summary(found), *aligned, *(f"{line}" for line in notes(found))])


def as_html(found: Tuning) -> Html:
    """The same for a page, with the first settings only."""
    lines = rows(found)
    rest = [f"{len(lines) - _SHOWN:,} more settings"] if len(lines) > _SHOWN else []
    return joined(
        table(summary(found), COLUMNS, lines[:_SHOWN], numeric=range(2, len(COLUMNS))),
        map(note, [*rest, *notes(found)]),
    )


def _shown(found: Tuning) -> list[Trial]:
    """The settings of the last completed round and of the one that was interrupted."""
    return [trial for trial in found.furthest() if trial.round >= max(found.finished - 1, 0)]


def rows(found: Tuning) -> list[tuple[str, ...]]:
    """Cells of the table, for COLUMNS."""
    best = found.best_trial
    return [_row(trial, found.scoring, is_best=trial is best) for trial in _shown(found)]


def _row(trial: Trial, scoring: str, *, is_best: bool) -> tuple[str, ...]:
    numbers = (
        score_cell(scoring, trial.score),
        score_cell(scoring, trial.spread),
        f"{trial.support:,.0f}",
        f"{trial.seconds:.2f}",
    )
    return (
        "*" * is_best,
        str(trial.setting.kernel_setting),
        trial.setting.cost,
        f"{trial.sample_size:,}",
        *numbers,
    )


def score_cell(scoring: str, score: float) -> str:
    """In percent where that is what it is: a loss, or what a scorer of one's own gives, is none."""
    return result(score) if scoring in SCORINGS else f"{score:.4f}"


def score_in_words(scoring: str, score: float) -> str:
    """The same in a sentence."""
    return f"{scoring} {in_percent(score) if scoring in SCORINGS else score_cell(scoring, score)}"


def summary(found: Tuning) -> str:
    ended = ", interrupted" * found.interrupted
    how = f"search {found.search!r}, {found.seconds:.1f} s{ended}"
    return f"{found.n_settings} settings by {found.scoring}, {how}; the best is {found.best}"


def notes(found: Tuning) -> list[str]:
    """How many settings were tried on each sample, and how it ranks settings."""
    tried = Counter(trial.round for trial in found.trials)
    lines = [
        f"{tried[number]} settings on {size:,} examples" for number, size in enumerate(found.rounds) if tried[number]
    ]
    if found.search == "cutting-plane":
        lines = [line.replace("on", "with samples of", 1) for line in lines[:-1]] + lines[-1:]
    agree = [
        f"{one.sample_size:,} examples rank {one.settings} settings as all do: Kendall's tau {_rank(one.kendall)}, "
        f"Spearman's rho {_rank(one.spearman)}, regret {score_cell(found.scoring, one.regret)}"
        for one in found.agreement
    ]
    return lines + agree


def _rank(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"
