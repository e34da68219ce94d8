"""HTML tables with a caption and headers that screen readers can name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from gristmill.display.markup import Child, Html, element, shortened
from gristmill.display.numbers import number, percent
from gristmill.display.page import scroll
from gristmill.display.stylesheet import tint

_MOST_CLASSES = 30  # that a matrix shows: more fit no screen
_FEW_CLASSES = 8  # whose names stand upright above their columns
_LISTED = 10  # names in one cell
LONGEST = 60  # characters of a name


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Child]], *, numeric: Sequence[int] = ()) -> Html:
    """Rows under heads. The columns in `numeric` are aligned to the right; numbers are written as people read them.

    The first column names the rows, unless it is numeric.

    Examples
    --------
    >>> from gristmill.display.tables import table
    >>> drawn = table("Engines", ["engine", "rows a second"], [["direct", 12345]], numeric=[1])
    >>> print(drawn[drawn.index("<tbody>") : drawn.index("</tbody>")])
    <tbody><tr><th scope="row">direct</th><td class="gm-number">12,345</td></tr>
    """
    head = element("tr", (_head(text, at in numeric) for at, text in enumerate(heads)))
    body = (element("tr", (_cell(child, at, numeric) for at, child in enumerate(row))) for row in rows)
    return _framed("gm-table", caption, element("thead", head), element("tbody", body))


def facts(caption: str, pairs: Iterable[tuple[str, Child]]) -> Html:
    """A name and a value a line."""
    rows = (element("tr", element("th", name, scope="row"), element("td", written(value))) for name, value in pairs)
    return _framed("gm-table gm-facts", caption, element("tbody", rows))


def matrix(
    caption: str,
    names: Sequence[str],
    counts: Sequence[Sequence[int]] | Any,
    *,
    column_title: str = "answer",
) -> Html:
    """A confusion matrix: cells coloured by their share of the row, blue on the diagonal and orange elsewhere.

    Of many classes the most frequent are shown, all others as one.
    """
    names, counts, merged = _most_frequent(names, [[int(count) for count in row] for row in counts])
    heads = element(
        "thead",
        element("tr", element("td"), element("th", column_title, scope="colgroup", colspan=len(names))),
        element("tr", element("th", "true", scope="col"), (element("th", name, scope="col") for name in names)),
    )
    body = element("tbody", (_counted(row, names, counts) for row in range(len(names))))
    said = f"{caption} (the {len(names) - 1} most frequent classes; {merged:,} others as one)" if merged else caption
    kind = "gm-table gm-matrix gm-many" if len(names) > _FEW_CLASSES else "gm-table gm-matrix"
    return _framed(kind, said, heads, body)


def listed(names: Sequence[object]) -> str:
    """The first few names, and the number of others.

    Examples
    --------
    >>> from gristmill.display.tables import listed
    >>> listed(["no", "yes"]), listed(range(100))
    ('no, yes', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 90 more')
    """
    text = ", ".join(shortened(str(name), LONGEST) for name in names[:_LISTED])
    return text if len(names) <= _LISTED else f"{text} and {len(names) - _LISTED:,} more"


def written(child: Child) -> Child:
    """Numbers as people read them; all else as it is."""
    return number(child) if isinstance(child, Real) and not isinstance(child, bool) else child


def _framed(kind: str, caption: str, *parts: Html) -> Html:
    return scroll(caption, element("table", element("caption", caption), *parts, class_=kind))


def _head(text: str, numeric: bool) -> Html:
    return element("th", text, scope="col", class_="gm-number" if numeric else None)


def _cell(child: Child, at: int, numeric: Sequence[int]) -> Html:
    if at in numeric:
        return element("td", written(child), class_="gm-number")
    return element("th", written(child), scope="row") if at == 0 else element("td", written(child))


def _counted(row: int, names: Sequence[str], counts: list[list[int]]) -> Html:
    total = sum(counts[row]) or 1
    cells = (
        element(
            "td",
            number(count),
            title=f"{names[row]} taken for {names[column]}: {percent(count / total)}" if count else None,
            class_="gm-number" if count else "gm-number gm-none",
            style=f"background:{tint((1 if row == column else -1) * count / total)}" if count else None,
        )
        for column, count in enumerate(counts[row])
    )
    return element("tr", element("th", names[row], scope="row"), cells)


def _most_frequent(names: Sequence[str], counts: list[list[int]]) -> tuple[Sequence[str], list[list[int]], int]:
    """The classes that a matrix has room for, all others added up as the last one, and how many those are."""
    if len(names) <= _MOST_CLASSES:
        return names, counts, 0
    totals = [sum(row) + sum(column) for row, column in zip(counts, zip(*counts, strict=True), strict=True)]
    order = sorted(range(len(names)), key=lambda at: -totals[at])
    kept, rest = sorted(order[: _MOST_CLASSES - 1]), sorted(order[_MOST_CLASSES - 1 :])
    groups = [*([at] for at in kept), rest]
    added = [[sum(counts[i][j] for i in rows for j in columns) for columns in groups] for rows in groups]
    return [*(names[at] for at in kept), f"{len(rest):,} others"], added, len(rest)
