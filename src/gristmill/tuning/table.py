"""A search as text."""

from __future__ import annotations

import math
from collections import Counter

from gristmill.display.markup import Html, joined
from gristmill.display.numbers import result
from gristmill.display.page import note
from gristmill.display.tables import table
from gristmill.tuning.result import Trial, Tuning

COLUMNS = ("best", "kernel", "C", "examples", "score", "spread", "support", "seconds")
_SHOWN = 20  # settings on a page


def described(found: Tuning) -> str:
    """All settings that got furthest, then the others by how far they got, and what samples are worth."""
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


def drawn(found: Tuning) -> Html:
    """The same as a part of a page: the first settings of it."""
    lines = rows(found)
    rest = [f"{len(lines) - _SHOWN:,} more settings"] if len(lines) > _SHOWN else []
    return joined(
        table(summary(found), COLUMNS, lines[:_SHOWN], numeric=range(2, len(COLUMNS))),
        map(note, [*rest, *notes(found)]),
    )


def shown(found: Tuning) -> list[Trial]:
    """The settings of the last rung that was finished and, if that was cut short, of the next one."""
    return [trial for trial in found.furthest() if trial.rung >= max(found.finished - 1, 0)]


def rows(found: Tuning) -> list[tuple[str, ...]]:
    """What is shown, under COLUMNS."""
    best = found.best_trial
    return [_row(trial, is_best=trial is best) for trial in shown(found)]


def _row(trial: Trial, *, is_best: bool) -> tuple[str, ...]:
    numbers = result(trial.score), result(trial.spread), f"{trial.support:,.0f}", f"{trial.seconds:.2f}"
    return ("*" * is_best, str(trial.setting.about), f"{trial.setting.C:g}", f"{trial.sample_size:,}", *numbers)


def summary(found: Tuning) -> str:
    ended = ", interrupted" * found.interrupted
    how = f"search {found.search!r}, {found.seconds:.1f} s{ended}"
    return f"{found.n_settings} settings by {found.measure}, {how}; the best is {found.best}"


def notes(found: Tuning) -> list[str]:
    """How many settings each sample was enough for, and how it ranked the others."""
    tried = Counter(trial.rung for trial in found.trials)
    lines = [
        f"{tried[number]} settings on {size:,} examples" for number, size in enumerate(found.rungs) if tried[number]
    ]
    if found.search == "cutting-plane":
        lines = [line.replace("on", "with samples of", 1) for line in lines[:-1]] + lines[-1:]
    agree = [
        f"{one.sample_size:,} examples rank {one.settings} settings as all do: Kendall's tau {_rank(one.kendall)}, "
        f"Spearman's rho {_rank(one.spearman)}, regret {result(one.regret)}"
        for one in found.agreement
    ]
    return lines + agree


def _rank(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"
