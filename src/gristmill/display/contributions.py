"""Signed bars in a table: the contribution of each item to a number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gristmill.display.markup import Html, element
from gristmill.display.numbers import number, signed
from gristmill.display.page import scroll

Line = tuple[str, float]


def bar_table(
    caption: str,
    lines: Sequence[Line],
    *,
    heads: tuple[str, str] = ("feature", "adds"),
    first: Line | None = None,
    last: Line | None = None,
) -> Html:
    """Names, numbers and bars: positive ones to the right of a middle line, negative ones to the left.

    Without negative numbers, bars begin at the left. Screen readers skip the bars: the numbers say the same.

    Parameters
    ----------
    caption : str
    lines : sequence of (name, number)
    heads : (str, str)
        Above names and numbers.
    first, last : (name, number) or None
        Lines without a bar, such as the baseline and the score.
    """
    most = max((abs(value) for _, value in lines if math.isfinite(value)), default=0.0) or 1.0
    two_sided = any(value < 0 for _, value in lines)
    head = element(
        "tr", element("th", heads[0], scope="col"), element("th", heads[1], scope="col", class_="gm-number"), _empty()
    )
    body = [_line(name, value, most, two_sided) for name, value in lines]
    table = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", _plain(first), body, _plain(last)),
        class_="gm-table gm-contributions" if two_sided else "gm-table gm-contributions gm-one-sided",
    )
    return scroll(caption, table)


def _line(name: str, value: float, most: float, two_sided: bool) -> Html:
    shown = signed(value) if two_sided else number(value)
    share = min(abs(value) / most, 1.0) if math.isfinite(value) else 0.0
    width = f"{(50 if two_sided else 100) * share:.2f}%"
    bar = element("span", class_=f"gm-bar {'gm-against' if value < 0 else 'gm-for'}", style=f"width:{width}")
    return element(
        "tr",
        element("th", name, scope="row"),
        element("td", shown, class_="gm-number"),
        element("td", bar, class_="gm-bars", aria_hidden="true"),
    )


def _plain(line: Line | None) -> Html | None:
    if line is None:
        return None
    name, value = line
    cells = element("th", name, scope="row"), element("td", number(value), class_="gm-number"), _empty()
    return element("tr", *cells, class_="gm-plain")


def _empty() -> Html:
    return element("td", aria_hidden="true")
