"""What a search found: trials, the best of them, and how far small samples agreed with exact answers."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any

from gristmill.tuning.agreement import Agreement, agreement
from gristmill.tuning.grid import Setting


@dataclass(frozen=True)
class Trial:
    """How one setting did on one sample."""

    setting: Setting
    rung: int
    sample_size: int
    exact: bool  # whether all examples were learned from, up to tol
    score: float  # mean over rounds
    spread: float  # their standard deviation; 0 where there is one
    scores: tuple[float, ...]
    seconds: float
    support: float  # different support examples of a machine, on average
    converged: bool

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rest = {name: value for name, value in self.__dict__.items() if name != "setting"}
        about = {"kernel": self.setting.name, **self.setting.parameters, "C": self.setting.C}
        return about | rest | {"scores": list(self.scores)}

    @property
    def rank(self) -> tuple[float, float, float]:
        """The larger the better: by score, then with the fewest support examples, then with the smallest C."""
        return self.score, -self.support, -self.setting.C


@dataclass(frozen=True)
class Tuning:
    """What `gristmill.tune` gives."""

    trials: list[Trial]  # in the order of rungs, then of the grid
    measure: str
    search: str
    n_settings: int  # of the whole grid
    rungs: list[int]  # sample sizes, the last one is all examples
    finished: int  # rungs that all their settings were tried on
    seconds: float
    interrupted: bool = False
    classifier: Any = field(default=None, repr=False)  # KernelSVC of the best setting, unless refit=False

    @property
    def best_trial(self) -> Trial:
        """The best on the last rung that was finished, or on the one that was begun if there is no other.

        Of equal ones that with the fewest support examples, then the smallest C, then the first.
        """
        last = max(self.finished - 1, 0)
        some = [trial for trial in self.trials if trial.rung == last]
        return max(some, key=lambda trial: trial.rank)

    @property
    def best(self) -> Setting:
        return self.best_trial.setting

    @property
    def agreement(self) -> list[Agreement]:
        """For each sample size before the last: its ranking of the settings that were judged exactly."""
        exact = {trial.setting: trial.score for trial in self.trials if trial.exact}
        found = []
        for number, size in enumerate(self.rungs[:-1]):
            small = {trial.setting: trial.score for trial in self.trials if trial.rung == number}
            both = [setting for setting in small if setting in exact]
            if both:
                found.append(agreement(size, [small[one] for one in both], [exact[one] for one in both]))
        return found

    def furthest(self) -> list[Trial]:
        """For each setting the trial of the largest sample, the best first."""
        last = {trial.setting: trial for trial in self.trials}
        return sorted(last.values(), key=lambda trial: (trial.rung, *trial.rank), reverse=True)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measure": self.measure,
            "search": self.search,
            "settings": self.n_settings,
            "rungs": self.rungs,
            "finished": self.finished,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "best": self.best_trial.as_dict(),
            "trials": [trial.as_dict() for trial in self.trials],
            "agreement": [{name: _finite(value) for name, value in one.__dict__.items()} for one in self.agreement],
        }

    def __str__(self) -> str:
        from gristmill.tuning.table import described

        return described(self)

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.tuning.table import drawn

        return notebook(drawn(self))

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw scores against C, parameters, sample size and seconds; the ending of the file says how (.svg, .png)."""
        from gristmill.tuning.drawing import draw

        draw(self, path)


def _finite(value: float) -> float | None:
    """JSON has no nan."""
    return value if math.isfinite(value) else None


class TuningInterrupted(KeyboardInterrupt):
    """A search was interrupted; `found` is what it had found, None if that was nothing."""

    def __init__(self, found: Tuning | None) -> None:
        super().__init__()
        self.found = found

    def __reduce__(self) -> Any:
        return TuningInterrupted, (self.found,)
