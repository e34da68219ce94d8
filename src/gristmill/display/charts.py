"""Charts: described as data, drawn as SVG, the same bytes every time.

Pages of results, reports and searches look alike because all of them draw with these.
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import Any

from gristmill.display.markup import Html, element, printable
from gristmill.display.stylesheet import COLOURS, DASHES, MARKERS

Points = Sequence[tuple[float, float]]

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "gristmill",
    "svg.fonttype": "none",
    "font.size": 9.0,
    "text.parse_math": False,  # a $ in a name is no mathematics
}
STYLES = ("marked", "line", "points", "steps", "bars")
_WIDE, _NARROW = (6.4, 3.6), (3.6, 3.2)  # inches: on a page of its own, and in a column as wide as a phone
_GREY = "#767676"  # of reference lines


@dataclass(frozen=True)
class Plot:
    """Lines through points; where `ticks` name the places 0, 1, 2, ... of the x axis, points only.

    Parameters
    ----------
    name : str
        Of its file.
    title, x, y : str
        Above the chart and along its axes.
    series : mapping of name to points (x, y)
    log_x, log_y : bool
    ticks : sequence of str
        Names of the places 0, 1, 2, ... of the x axis.
    styles : mapping of names of series to {'marked', 'line', 'points', 'steps', 'bars'}
        How a series is drawn; 'marked', a line through markers, if it is not named. 'steps' and 'bars' keep the height
        of a point until the next one begins; bars are filled, and their last point is their end.
    diagonal : bool
        A reference line from (0, 0) to (1, 1), and axes from 0 to 1.
    limits_x, limits_y : (float, float) or None
        Where axes begin and end. None: where the points do, and y at 0 unless it is negative or logarithmic.
    """

    name: str
    title: str
    x: str
    y: str
    series: Mapping[str, Points]
    log_x: bool = False
    log_y: bool = False
    ticks: Sequence[str] = ()
    styles: Mapping[str, str] = field(default_factory=dict)
    diagonal: bool = False
    limits_x: tuple[float, float] | None = None
    limits_y: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name, style in self.styles.items():
            if style not in STYLES:
                raise ValueError(f"{name!r}: a series is drawn as one of {', '.join(STYLES)}, got {style!r}")

    @property
    def alt(self) -> str:
        """The plot in words, for screen readers: the ends of each line, or all named points."""
        lines = (f"{name} {self._course(name, points)}" for name, points in self.series.items())
        return f"{self.y} against {self.x}: {'; '.join(lines)}."

    def _course(self, name: str, points: Points) -> str:
        if not len(points):
            return "without points"
        if self.ticks:
            return ", ".join(f"{y:.3g} at {self.ticks[int(x)]}" for x, y in points)
        if self.styles.get(name) == "bars":
            return f"from {points[0][0]:g} to {points[-1][0]:g}, highest {_point(max(points, key=lambda one: one[1]))}"
        return f"from {_point(points[0])} to {_point(points[-1])}"


def _point(point: tuple[float, float]) -> str:
    return f"{point[1]:.3g} at {point[0]:g}"


def draw(plot: Plot, path: Path) -> None:
    """Write the plot as an SVG file for a page, without a date and with text as text."""
    path.write_bytes(_drawn(plot, _WIDE, titled=True))


def svg(plot: Plot) -> str:
    """The plot as SVG for a narrow column: the legend is below it, the title is left to the page."""
    return _drawn(plot, _NARROW, titled=False).decode()


def figure(plot: Plot) -> Html:
    """The plot as a figure with its title as the caption, all inside the markup."""
    picture = base64.b64encode(svg(plot).encode()).decode()
    image = element("img", src=f"data:image/svg+xml;base64,{picture}", alt=plot.alt)
    return element("figure", image, element("figcaption", plot.title), class_="gm-figure")


@contextmanager
def canvas(size: tuple[float, float]) -> Iterator[Any]:
    """An empty matplotlib figure of inches, with the settings of all charts while something is drawn on it."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'gristmill[report]'") from error
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        # matplotlib has no font for some scripts; the text stays text, and the viewer has a font
        warnings.filterwarnings("ignore", message="Glyph|Matplotlib currently does not support", category=UserWarning)
        yield Figure(figsize=size, layout="constrained", facecolor="white")


def looks() -> Iterator[tuple[str, str, str]]:
    """A colour, a marker and dashes for one line after another."""
    return zip(cycle(COLOURS), cycle(MARKERS), cycle(DASHES), strict=False)


def furnish(axes: Any) -> None:
    """A light grid, and no frame but the axes."""
    axes.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def number_plainly(axis: Any) -> None:
    """Plain numbers: 1, 2, 5, 10 on a short logarithmic axis, powers of ten on a long one."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:,.10g}")


# --- drawing ----------------------------------------------------------------------------------------------------------


def _drawn(plot: Plot, size: tuple[float, float], *, titled: bool) -> bytes:
    out = BytesIO()
    with canvas(size) as figure:
        axes = figure.add_subplot()
        handles = _series(axes, plot)
        if plot.diagonal:
            axes.plot([0, 1], [0, 1], color=_GREY, linestyle=(0, (1, 2)), linewidth=1.0, zorder=1)
        if titled:
            axes.set_title(printable(plot.title), loc="left")
        _scale(axes, plot)
        furnish(axes)
        _legend(figure, axes, handles, at_side=titled)
        title = {"Title": printable(plot.alt), "Date": None, "Creator": None}
        figure.savefig(out, format="svg", metadata=title)
    return out.getvalue()


def _series(axes: Any, plot: Plot) -> dict[str, Any]:
    """Draw all series; returns their handles for the legend."""
    handles = {}
    for (name, points), look in zip(plot.series.items(), looks(), strict=False):
        x, y = zip(*points, strict=True) if len(points) else ((), ())
        style = "points" if plot.ticks else plot.styles.get(name, "marked")
        handles[name] = _one(axes, list(x), list(y), style, look)
    return handles


def _one(axes: Any, x: list[float], y: list[float], style: str, look: tuple[str, str, str]) -> Any:
    colour, marker, dashes = look
    if style == "bars":
        return axes.stairs(y[:-1], x, fill=True, facecolor=f"{colour}59", edgecolor=colour, linewidth=1.0)
    kept = {"color": colour, "markersize": 4, "linewidth": 1.5}
    if style == "points":
        return axes.plot(x, y, marker=marker, linestyle="none", **kept)[0]
    drawstyle = "steps-post" if style == "steps" else "default"
    marker = marker if style == "marked" else "none"
    return axes.plot(x, y, marker=marker, linestyle=dashes, drawstyle=drawstyle, **kept)[0]


def _scale(axes: Any, plot: Plot) -> None:
    axes.set_xlabel(printable(plot.x))
    axes.set_ylabel(printable(plot.y))
    if plot.ticks:
        names = ["\n".join(printable(tick).replace(",", "").split()) for tick in plot.ticks]
        axes.set_xticks(range(len(plot.ticks)), names)
    if plot.log_x:
        axes.set_xscale("log")
        number_plainly(axes.xaxis)
    if plot.log_y:
        axes.set_yscale("log")
        number_plainly(axes.yaxis)
    elif not any(y < 0 for points in plot.series.values() for _, y in points):
        axes.set_ylim(bottom=0)
    whole = (-0.02, 1.02) if plot.diagonal else None  # a little air, so that curves along the edge are seen
    if limits := plot.limits_x or whole:
        axes.set_xlim(limits)
    if limits := plot.limits_y or whole:
        axes.set_ylim(limits)


def _legend(figure: Any, axes: Any, handles: dict[str, Any], *, at_side: bool) -> None:
    """At the side of the axes, or below the figure; for series by their names, also by those that begin with '_'."""
    if not handles or (not at_side and len(handles) == 1):
        return
    names = [printable(name) for name in handles]
    if at_side:
        axes.legend(handles.values(), names, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    else:
        columns = 2 if max(map(len, names)) <= 22 else 1
        figure.legend(handles.values(), names, frameon=False, loc="outside lower left", ncols=columns)
