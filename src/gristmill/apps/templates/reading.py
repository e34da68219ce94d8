"""Templates from text: YamCha's F:-2..2:0.. T:-2..-1, or the lines of a CRF++ template file; both with views.

    F:rows:columns          cells                         F:-2..2:0..   F:0:0,2
    F:rows:columns:view     less of them                  F:0:0:suffix:1..4   F:-1..1:0:lower   F:0:0:lower+shape
    B:rows:columns          what commas separate in them  B:0:1
    T:rows                  tags that were given before   T:-2..-1

    U05:%x[-1,0]/%x[0,0]    CRF++: any text around cells; [row,column]
    U06:%x[0,0,suffix:3]    a view
    U07:%t[-1]              a tag that was given before
    B                       the tag before, alone (B) or with cells (B01:%x[0,0])

Views: lower, prefix:n, suffix:n, shape, brief, type, grams:n, pieces, parts; lower+ before another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from gristmill.apps.templates.template import (
    CRFPP_OUTSIDE,
    PLAIN_VIEWS,
    VIEWS,
    YAMCHA_OUTSIDE,
    Item,
    Look,
    Templates,
    View,
)
from gristmill.base.errors import FormatError
from gristmill.display.words import counted

FARTHEST = 1000  # tokens away
LONGEST = 1000  # characters of a prefix or suffix

_SHOWN = 80  # characters of what is wrong

_MACRO = re.compile(r"%([a-z])\[([^\]]*)\]")
_CRFPP_LINE = re.compile(r"\s*(U|B\s*$|B.*%)")


def parse_templates(text: str, columns: int) -> Templates:
    """Templates for tokens of so many columns, the tag not counted; FormatError with line and column otherwise."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not _is_comment(line)]
    is_crfpp = any(_CRFPP_LINE.match(line) for _, line in lines)
    words = (_whole_lines if is_crfpp else _words)(lines)
    items = list[Item]()
    for number, place, word in words:
        try:
            items += _checked([_crfpp_item(word)] if is_crfpp else list(_short_items(word, columns)), columns)
        except ValueError as error:
            raise FormatError(f"{error}, in {word[:_SHOWN]!r}", None, number, place) from error
    if not items:
        raise FormatError("templates that make no feature")
    return Templates(tuple(dict.fromkeys(items)), CRFPP_OUTSIDE if is_crfpp else YAMCHA_OUTSIDE)


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _whole_lines(lines: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    for number, line in lines:
        yield number, 1 + len(line) - len(line.lstrip()), line.strip()


def _words(lines: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    for number, line in lines:
        for word in re.finditer(r"\S+", line):
            yield number, 1 + word.start(), word[0]


def _checked(items: list[Item], columns: int) -> list[Item]:
    for look in (look for item in items for _, look in item.pieces):
        if look.column is not None and look.column >= columns:
            has = f"{counted(columns, 'column')} without the tag"
            raise ValueError(f"there is no column {look.column}, counted from 0: tokens have {has}")
        if abs(look.distance) > FARTHEST:
            raise ValueError(f"row {look.distance} is farther away than {FARTHEST} tokens")
        if look.column is None and look.distance >= 0:
            raise ValueError(f"the tag at row {look.distance} is not known when a token is tagged: use rows below 0")
    return items


# --- YamCha's ---------------------------------------------------------------------------------------------------------


def _short_items(word: str, columns: int) -> Iterator[Item]:
    kind, *fields = word.split(":", 3)
    if kind == "T" and len(fields) == 1:
        for row in _numbers(fields[0], "rows"):
            yield Item(((f"T:{row}:", Look(row, None)),))
    elif kind in ("F", "B") and 2 <= len(fields) <= (3 if kind == "F" else 2):
        rows, places = _numbers(fields[0], "rows"), _numbers(fields[1], "columns", columns)
        views = parse_views(fields[2]) if len(fields) == 3 else [View("pieces") if kind == "B" else View()]
        for row, column, view in product(rows, places, views):
            name = f"{view}:" if len(fields) == 3 else ""
            yield Item(((f"{kind}:{row:+d}:{column}:{name}", Look(row, column, view)),))
    else:
        raise ValueError("expected F:rows:columns, F:rows:columns:view, B:rows:columns or T:rows")


def _numbers(text: str, what: str, end: int | None = None) -> list[int]:
    """-2..2, 0 or 0,2; 0.. where there is an end."""
    found = list[int]()
    for part in text.split(","):
        first, dots, last = part.partition("..")
        if dots and not last and end is not None:
            last = str(end - 1)
        if not _is_number(first) or (dots and not _is_number(last)):
            raise ValueError(f"expected {what} such as -2..2 or 0, got {text!r}")
        numbers = range(int(first), int(last if dots else first) + 1)
        if not numbers or numbers[-1] - numbers[0] > 2 * FARTHEST:
            raise ValueError(f"there are no {what} {part}" if not numbers else f"too many {what} in {part}")
        found += numbers
    if what == "columns" and min(found) < 0:
        raise ValueError(f"columns count from 0, got {text!r}")
    return found


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]{1,6}", text) is not None


def parse_views(text: str) -> list[View]:
    """suffix:1..4, lower, lower+shape."""
    name, *sizes = text.split(":", 1)
    if text == "lower":
        return [View(lower=True)]
    lower = name.startswith("lower+")
    name = name.removeprefix("lower+")
    if name in PLAIN_VIEWS and not sizes:
        return [View(name, lower=lower)]
    if name in VIEWS and sizes:
        found = _numbers(sizes[0], "sizes")
        if not 1 <= min(found) <= max(found) <= LONGEST:
            raise ValueError(f"sizes of {name} must lie between 1 and {LONGEST}, got {sizes[0]!r}")
        return [View(name, size, lower) for size in found]
    known = ", ".join([*(f"{view}:n" for view in VIEWS), *PLAIN_VIEWS])
    raise ValueError(f"expected a view (lower, {known}), got {text!r}")


# --- CRF++'s ----------------------------------------------------------------------------------------------------------


def _crfpp_item(line: str) -> Item:
    if line[0] not in "UB":
        raise ValueError("expected a line that begins with U or B")
    pieces, at = list[tuple[str, Look]](), 0
    for macro in _MACRO.finditer(line):
        pieces.append((line[at : macro.start()], _look(macro)))
        at = macro.end()
    after = line[at:]
    if "%x" in after or "%t" in after:
        raise ValueError("expected %x[row,column], %x[row,column,view] or %t[row]")
    if line[0] == "B":
        pieces, after = [*pieces, (f"{after}/", Look(-1, None))], ""
    if len(pieces) > 1 and any(look.view.is_bag for _, look in pieces):
        raise ValueError("a view with several values (grams, pieces, parts) must be alone in its line")
    return Item(tuple(pieces), after)


def _look(macro: re.Match[str]) -> Look:
    fields = [field.strip() for field in macro[2].split(",")]
    if macro[1] == "t" and len(fields) == 1 and _is_number(fields[0]):
        return Look(int(fields[0]), None)
    if macro[1] != "x" or not 2 <= len(fields) <= 3 or not all(map(_is_number, fields[:2])):
        raise ValueError(f"expected %x[row,column], %x[row,column,view] or %t[row], got {macro[0]!r}")
    views = parse_views(fields[2]) if len(fields) == 3 else [View()]
    if len(views) > 1 or int(fields[1]) < 0:
        raise ValueError(f"expected one view of a column from 0 on, got {macro[0]!r}")
    return Look(int(fields[0]), int(fields[1]), views[0])
