"""--dev: commands that train apps choose parameters on development data, or on a part of the training data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import click

from gristmill.apps.choosing import Choice, Trial, choose
from gristmill.cli.command import InputFile, given, option
from gristmill.cli.screen import note, percent

T = TypeVar("T")
P = TypeVar("P")


class _Dev(InputFile):
    """A file, or the share of the training data that is held out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            share = float(value)
        except ValueError:
            return super().convert(value, param, ctx)
        if not 0 < share < 1:
            self.fail(f"{value} is no share: it must lie between 0 and 1", param, ctx)
        return share


dev_option = option(
    "--dev",
    type=_Dev(allow_dash=True),
    metavar="FILE|SHARE",
    help="Choose the cost, degree and epochs that are best on this file, or on the last SHARE (such as 0.1) of the "
    "training data. Those that options set stay.",
)


def fixed_parameters() -> set[str]:
    """Parameters that options of the command line set."""
    spelled = given(click.get_current_context())
    return {"C" if name == "cost" else name for name in spelled}


def dev_files(options: dict[str, Any]) -> list[str]:
    """The file that parameters are chosen on, if it is one."""
    return [options["dev"]] if isinstance(options["dev"], str) else []


@dataclass(frozen=True)
class Lesson(Generic[T, P]):
    """What an app learns from, and what it is judged on."""

    data: T
    read: Callable[[str], T]  # of a file
    cut: Callable[[T, float], tuple[T, T]]  # the last share goes to the second part
    prepare: Callable[[T], P]
    learn: Callable[[P], object]
    score: Callable[[T], float]

    def learning(self, app: Any, choices: Sequence[Choice], options: dict[str, Any]) -> Callable[[], object]:
        """Learns from all data, after parameters were chosen if they are to be."""

        def learn_all() -> None:
            if options["dev"] is not None:
                self._choose(app, choices, options)
            self.learn(self.prepare(self.data))

        return learn_all

    def _choose(self, app: Any, choices: Sequence[Choice], options: dict[str, Any]) -> None:
        dev = options["dev"]
        known, unseen = self.cut(self.data, dev) if isinstance(dev, float) else (self.data, self.read(dev))
        prepared = self.prepare(known)

        def score() -> float:
            self.learn(prepared)
            return self.score(unseen)

        choose(app, choices, score, None if options["quiet"] else show_trial)


def show_trial(trial: Trial) -> None:
    params = (
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in trial.params.items()
    )
    note(f"{' '.join(params)}: {percent(trial.score)}")
