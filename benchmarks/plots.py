"""Plots of results: described in the result's file, drawn as SVG beside its page, the same bytes every time.

Colours are those of Okabe and Ito, which colour-blind people can tell apart; markers and dashes differ as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "gristmill", "svg.fonttype": "none", "font.size": 9.0}


@dataclass(frozen=True)
class Plot:
    """Lines through points; where `ticks` name the places 0, 1, 2, ... of the x axis, points only."""

    name: str
    title: str
    x: str
    y: str
    series: Mapping[str, Sequence[tuple[float, float]]]
    log_x: bool = False
    log_y: bool = False
    ticks: Sequence[str] = ()

    @property
    def alt(self) -> str:
        """The plot in words, for those who do not see it: where each line begins and ends, or all that has a name."""
        lines = (f"{name} {self._course(points)}" for name, points in self.series.items())
        return f"{self.y} against {self.x}: {'; '.join(lines)}."

    def _course(self, points: Sequence[tuple[float, float]]) -> str:
        if self.ticks:
            return ", ".join(f"{y:.3g} at {self.ticks[int(x)]}" for x, y in points)
        return f"from {_point(points[0])} to {_point(points[-1])}"


def _point(point: tuple[float, float]) -> str:
    return f"{point[1]:.3g} at {point[0]:g}"


def draw(plot: Plot, path: Path) -> None:
    """Write the plot as SVG, without a date and with text as text."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        _lines(axes, plot)
        _furnish(axes, plot)
        figure.savefig(path, format="svg", metadata={"Title": plot.alt, "Date": None, "Creator": None})


def _lines(axes: Any, plot: Plot) -> None:
    styles = zip(cycle(COLOURS), cycle(MARKERS), cycle(DASHES), strict=False)
    for (name, points), (colour, marker, dashes) in zip(plot.series.items(), styles, strict=False):
        x, y = zip(*points, strict=True)
        dashes = "none" if plot.ticks else dashes
        axes.plot(x, y, label=name, color=colour, marker=marker, linestyle=dashes, markersize=4, linewidth=1.5)


def _furnish(axes: Any, plot: Plot) -> None:
    axes.set_title(plot.title, loc="left")
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    if plot.ticks:
        axes.set_xticks(range(len(plot.ticks)), ["\n".join(tick.replace(",", "").split()) for tick in plot.ticks])
    if plot.log_x:
        axes.set_xscale("log")
        _number(axes.xaxis)
    if plot.log_y:
        axes.set_yscale("log")
        _number(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)
    axes.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _number(axis: Any) -> None:
    """Plain numbers: 1, 2, 5, 10 on a short logarithmic axis, powers of ten on a long one."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:,.10g}")
