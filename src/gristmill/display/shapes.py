"""Functions of bins as SVG: steps along ordered bins and bars beside them, and heat maps of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.display.markup import Html, element, picture, shortened, text_width
from gristmill.display.numbers import percent, signed
from gristmill.display.page import scroll
from gristmill.display.stylesheet import strength, tone

_HEIGHT = 150.0  # of the plot
_LEFT, _TOP = 64.0, 12.0  # room for numbers, and above
_NARROW, _WIDE = 14.0, 44.0  # columns
_ROOM = 480.0  # that columns share
_GAP = 12.0  # before bins without order
_SHARES = 26.0  # height of the strip of shares
_SMALL = 11.0  # letters
_LONGEST = 18  # characters of a word
_SLOPE = 0.72  # height of a word at 45 degrees, by its width
_CELL = 18.0  # of a heat map


@dataclass(frozen=True)
class Drawing:
    """A picture, and in words what it shows.

    Parameters
    ----------
    caption : str
    svg : Html
    """

    caption: str
    svg: Html

    def figure(self) -> Html:
        """With its caption, in a region that scrolls."""
        figure = element("figure", element("figcaption", self.caption), self.svg, class_="gm-figure")
        return scroll(self.caption, figure)


def step_curve(
    caption: str, words: Sequence[str], ordered: int, values: Sequence[float], shares: Sequence[float] | None = None
) -> Drawing:
    """What each bin adds: the first `ordered` bins as steps, others as bars; and below how many rows are in each.

    Blue is above 0, orange below. Each bin has a tooltip, and the picture a description for screen readers.
    """
    edges = _edges(words, ordered)
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    zero = _TOP + _HEIGHT * (high / span)
    bottom = _TOP + _HEIGHT
    parts: list[Html] = [*_axis(low, high, zero, span, edges[0][0], edges[-1][1])]
    for (left, right), word, value in zip(edges, words, values, strict=True):
        top, height = zero - _HEIGHT * (max(value, 0.0) / span), _HEIGHT * (abs(value) / span)
        parts.append(_box(left, top, right - left, height, tone(value), 0.45, f"{word}: {signed(value)}"))
    parts += _steps(edges[:ordered], [zero - _HEIGHT * (value / span) for value in values[:ordered]])
    if shares is not None:
        parts += _strip(edges, words, shares, bottom)
        bottom += _SHARES
    deepest = max(map(_depth, words))
    parts += _words_below([(left + right) / 2 for left, right in edges], words, bottom)
    listed = ", ".join(f"{word} {signed(value, 2)}" for word, value in zip(words, values, strict=True))
    return _picture(caption, f"{caption}: {listed}", edges[-1][1] + 8, bottom + deepest + 6, parts)


def heat_map(
    caption: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], heads: tuple[str, str]
) -> Drawing:
    """What each pair of bins adds beyond both alone: blue above 0, orange below; the strongest at full colour."""
    most = max((abs(value) for line in values for value in line), default=0.0) or 1.0
    left = max(12 + max(text_width(shortened(word, _LONGEST), _SMALL) for word in rows), _overhang(columns, _CELL))
    top = _TOP + _SMALL
    parts = [_text(heads[0], left, _TOP, "end", bold=True), _text(heads[1], left + 6, _TOP, "start", bold=True)]
    for at, (word, line) in enumerate(zip(rows, values, strict=True)):
        y = top + at * _CELL
        parts.append(_text(shortened(word, _LONGEST), left - 4, y + 0.7 * _CELL, "end"))
        for place, value in enumerate(line):
            share = value / most
            title = f"{heads[0]} {word}, {heads[1]} {columns[place]}: {signed(value)}"
            parts.append(_box(left + place * _CELL, y, _CELL, _CELL, tone(share), 1.5 * strength(share), title))
    bottom = top + len(rows) * _CELL
    parts += _words_below([left + (place + 0.5) * _CELL for place in range(len(columns))], columns, bottom)
    width = left + len(columns) * _CELL + 8
    said = f"{caption}: from {signed(min(map(min, values)), 2)} to {signed(max(map(max, values)), 2)}"
    return _picture(caption, said, width, bottom + max(map(_depth, columns)) + 6, parts)


# --- parts ------------------------------------------------------------------------------------------------------------


def _edges(words: Sequence[str], ordered: int) -> list[tuple[float, float]]:
    """Left and right of each column."""
    width = min(max(_ROOM / len(words), _NARROW), _WIDE)
    left = max(_LEFT, _overhang(words, width))
    starts = [left + at * width + (_GAP if 0 < ordered <= at else 0.0) for at in range(len(words))]
    inset = [0.0 if at < ordered else 0.1 * width for at in range(len(words))]
    return [(start + gap, start + width - gap) for start, gap in zip(starts, inset, strict=True)]


def _axis(low: float, high: float, zero: float, span: float, left: float, right: float) -> list[Html]:
    """A line at 0, and numbers at 0 and at both ends where there is room."""
    found = [_line(left - 4, zero, right, zero, 0.5)]
    for value in (low, 0.0, high):
        y = zero - _HEIGHT * (value / span)
        if value == 0 or abs(y - zero) > _SMALL:
            found.append(_text(signed(value, 2), left - 8, y + _SMALL / 3, "end"))
    return found


def _steps(edges: Sequence[tuple[float, float]], heights: Sequence[float]) -> list[Html]:
    if not edges:
        return []
    points = [f"{x:.1f},{y:.1f}" for (left, right), y in zip(edges, heights, strict=True) for x in (left, right)]
    return [element("polyline", points=" ".join(points), fill="none", stroke="currentColor", stroke_width=1.5)]


def _strip(
    edges: Sequence[tuple[float, float]], words: Sequence[str], shares: Sequence[float], top: float
) -> list[Html]:
    """Grey bars that hang down: the share of rows in each bin."""
    most = max(shares) or 1.0
    return [
        _box(left, top + 4, right - left, (_SHARES - 6) * share / most, "currentColor", 0.3, f"{word}: {said} of rows")
        for (left, right), word, share in zip(edges, words, shares, strict=True)
        if (said := percent(share))
    ]


def _words_below(middles: Sequence[float], words: Sequence[str], top: float) -> list[Html]:
    """Slanted, so that each column has its word."""
    return [
        _text(shortened(word, _LONGEST), x + 4, top + 12, "end", turned=f"rotate(-45 {x + 4:.1f} {top + 12:.1f})")
        for x, word in zip(middles, words, strict=True)
    ]


def _overhang(words: Sequence[str], width: float) -> float:
    """How much room slanted words need at the left."""
    return max(_depth(word) - (at + 0.5) * width for at, word in enumerate(words))


def _depth(word: str) -> float:
    """How far a slanted word reaches down."""
    return 16 + _SLOPE * text_width(shortened(word, _LONGEST), _SMALL)


def _box(x: float, y: float, width: float, height: float, fill: str, opacity: float, title: str) -> Html:
    size = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return element("rect", element("title", title), **size, fill=fill, fill_opacity=f"{min(opacity, 1.0):.3f}")


def _line(x: float, y: float, to_x: float, to_y: float, opacity: float) -> Html:
    ends = {"x1": f"{x:.1f}", "y1": f"{y:.1f}", "x2": f"{to_x:.1f}", "y2": f"{to_y:.1f}"}
    return element("line", **ends, stroke="currentColor", stroke_opacity=opacity)


def _text(text: str, x: float, y: float, anchor: str, *, bold: bool = False, turned: str | None = None) -> Html:
    look = {"text_anchor": anchor, "font_weight": 600 if bold else None, "transform": turned}
    return element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", font_size=_SMALL, **look)


def _picture(caption: str, said: str, width: float, height: float, parts: Sequence[Html]) -> Drawing:
    return Drawing(caption, picture("gm-shape", width, height, element("title", said), *parts))
