"""A search as a figure: score against C, a parameter, sample size and seconds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gristmill.base.files import writing
from gristmill.display.charts import canvas, furnish, looks, number_plainly
from gristmill.tuning.result import Trial, Tuning, score_in_words


def draw(found: Tuning, path: str | os.PathLike[str]) -> None:
    """Write the figure; its format is that of the file's ending."""
    check_figure(path)
    with canvas((11, 8)) as figure, writing(path) as out:
        panels = figure.subplots(2, 2).ravel()
        _lines(panels[0], found, "C", lambda trial: trial.C)
        panels[0].set_xscale("log")
        number_plainly(panels[0].xaxis)
        name = _varied(found.trials)
        _lines(panels[1], found, name or "parameter", lambda trial: trial.setting.parameters.get(name))
        _samples(panels[2], found)
        _seconds(panels[3], found)
        for panel in panels:
            furnish(panel)
        figure.suptitle(f"best: {found.best}, {score_in_words(found.scoring, found.best_trial.score)}")
        figure.savefig(out, format=Path(path).suffix[1:].lower())


def check_figure(path: str | os.PathLike[str]) -> None:
    """Raise ValueError unless matplotlib can write a file with this ending."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'gristmill[report]'") from error
    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if Path(path).suffix[1:].lower() not in known:
        raise ValueError(f"{os.fspath(path)}: the ending must be one of .{', .'.join(known)}")


def _varied(trials: list[Trial]) -> str:
    """The first parameter that has several values."""
    names = list(dict.fromkeys(name for trial in trials for name in trial.setting.parameters))
    values = {name: {trial.setting.parameters.get(name) for trial in trials} - {None} for name in names}
    return next((name for name in names if len(values[name]) > 1), "")


def _lines(panel: Any, found: Tuning, label: str, of: Callable[[Trial], Any]) -> None:
    """A line per kernel, on the sample that all settings were tried on, and dots for those tried on all examples.

    At each value it is the best of everything else. Scores of different samples do not belong on one line.
    """
    first, last = ([trial for trial in found.trials if trial.round == round] for round in (0, len(found.rounds) - 1))
    for name, (colour, marker, dashes) in zip(
        dict.fromkeys(trial.setting.name for trial in first), looks(), strict=False
    ):
        panel.plot(*_best_by(of, first, name), linestyle=dashes, color=colour, label=name)
        panel.plot(*_best_by(of, last, name), marker, color=colour, markersize=4)
    panel.set(xlabel=f"{label} (lines: {found.rounds[0]:,} examples, dots: all)", ylabel=found.scoring)
    panel.legend(fontsize="small")


def _best_by(of: Callable[[Trial], Any], trials: list[Trial], name: str) -> tuple[list[Any], list[float]]:
    """Values, ascending, and the best score of this kernel at each."""
    best: dict[Any, float] = {}
    for trial in trials:
        if trial.setting.name == name and of(trial) is not None:
            best[of(trial)] = max(best.get(of(trial), -math.inf), trial.score)
    return sorted(best), [best[value] for value in sorted(best)]


def _samples(panel: Any, found: Tuning) -> None:
    """Every setting that was tried on several samples."""
    for setting in dict.fromkeys(trial.setting for trial in found.trials):
        own = [trial for trial in found.trials if trial.setting == setting]
        chosen = setting == found.best
        style = {"color": "black", "linewidth": 2.0, "zorder": 3} if chosen else {"color": "0.75", "linewidth": 0.7}
        panel.plot([trial.sample_size for trial in own], [trial.score for trial in own], ".-", **style)
    panel.set(xlabel="examples (black: the best setting)", ylabel=found.scoring, xscale="log")
    sizes = sorted({trial.sample_size for trial in found.trials})
    panel.set_xticks(sizes, labels=[f"{size:,}" for size in sizes])
    panel.minorticks_off()


def _seconds(panel: Any, found: Tuning) -> None:
    """Of each setting on the largest sample it got to."""
    furthest = found.furthest()
    for name, (colour, marker, _) in zip(
        dict.fromkeys(trial.setting.name for trial in found.trials), looks(), strict=False
    ):
        own = [trial for trial in furthest if trial.setting.name == name]
        seconds, scores = [trial.seconds for trial in own], [trial.score for trial in own]
        panel.plot(seconds, scores, marker, color=colour, markersize=4, label=name)
    panel.set(xlabel="seconds of a setting, on its largest sample", ylabel=found.scoring, xscale="log")
    number_plainly(panel.xaxis)
    panel.legend(fontsize="small")
