"""Explanations for people: as the library draws them; on a terminal made to fit, with bars in colours."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from typing import Any, NamedTuple

from gristmill.display.bars import aligned, cells, printable, signed_bars
from gristmill.explanations.tree_explanation import Shares, TreeExplanation

_LINE = re.compile(r"(?P<name>.*?) *(?<= {2})(?P<number>[-+]?\d[-+.\de]*)(?:  (?P<bar>#+|-+))?")
_SHORTEST = 10  # characters of a bar where room is scarce
_NARROWEST = 8  # characters of a name
_GAP = "  "


def screen_width() -> int | None:
    """Of the terminal; None where answers go elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def head(what: str, number: int, answer: Any, truth: Any) -> str:
    """row 3: predicted spam, true label ham."""
    known = "" if truth is None else f", true label {_plain(truth)}"
    return printable(f"{what} {number}: predicted {_plain(answer)}{known}")


def _plain(label: Any) -> str:
    if isinstance(label, list):
        return " ".join(map(_plain, label))
    return f"{label:.4g}" if isinstance(label, float) and not label.is_integer() else str(label).removesuffix(".0")


def heaviest_nodes(tree: TreeExplanation, output: int | None, kind: Shares, top: int) -> str:
    """The score, and what adds most to it: nodes, with what hangs from them, and vector features."""
    shares = [(node.text, node.share) for node in tree.top(top, output, kind)]
    shares += [(feature.name, feature.value) for feature in tree.top_vector_features(top, output)]
    bars = signed_bars(share for _, share in shares)
    lines = [(f"  {name}", f"{share:+.4g}", bar) for (name, share), bar in zip(shares, bars, strict=True)]
    said, *_ = tree.draw(output, kind).split("\n", 1)
    return "\n".join([said, *(aligned(lines, right=(1,)) if lines else [])])


# --- drawings ---------------------------------------------------------------------------------------------------------


class _Drawn(NamedTuple):
    """A line of a drawing: a name and a number, and a bar where there is one."""

    name: str
    number: str
    bar: str


def fitted(drawing: str, width: int | None) -> str:
    """A drawing in the width of a terminal: names shortened in the middle, bars shortened and coloured."""
    drawing = drawing.rstrip("\n")
    if width is None:
        return drawing
    lines = [_parsed(line) for line in drawing.split("\n")]
    drawn = [line for line in lines if isinstance(line, _Drawn)]
    names, numbers, bars = (max((cells(line[at]) for line in drawn), default=0) for at in range(3))
    left = width - numbers - 2 * len(_GAP)
    bars_room = min(bars, max(_SHORTEST, left - names))
    room = min(names, max(_NARROWEST, left - bars_room))
    share = bars_room / max(bars, 1)
    return "\n".join(
        _joined(line, room, numbers, share) if isinstance(line, _Drawn) else _shortened(line, width) for line in lines
    )


def _parsed(line: str) -> _Drawn | str:
    shown = printable(line)
    found = _LINE.fullmatch(shown)
    return shown if found is None else _Drawn(found["name"], found["number"], found["bar"] or "")


def _joined(line: _Drawn, room: int, numbers: int, share: float) -> str:
    name = _shortened(line.name, room)
    padding = " " * (room - cells(name))
    bar = line.bar[: math.ceil(len(line.bar) * share)]
    return f"{name}{padding}{_GAP}{line.number.rjust(numbers)}{_GAP}{_painted(bar)}".rstrip()


def _painted(bar: str) -> str:
    if not bar or "NO_COLOR" in os.environ:
        return bar
    return f"\033[{32 if bar[0] == '#' else 31}m{bar}\033[0m"


def fitted_table(text: str, column: str, width: int | None) -> str:
    """A table under a line that says what it is, in the width of a terminal: one column is shortened."""
    if width is None:
        return text
    said, *lines = map(printable, text.split("\n"))
    whole = max(map(cells, lines))
    begin, end = _place(lines[0], column, whole)
    gap = len(_GAP) if end < whole else 0
    room = max(len(column), width - whole + end - begin - gap)
    if room + gap < end - begin:
        lines = [_narrowed(line, begin, end, room, gap) for line in lines]
    return "\n".join([said, *lines])


def _narrowed(line: str, begin: int, end: int, room: int, gap: int) -> str:
    """The same line with less room between two places on the screen."""
    first, last = _character_at(line, begin), _character_at(line, end)
    name = _shortened(line[first:last].rstrip(), room)
    return f"{line[:first]}{name}{' ' * (room + gap - cells(name))}{line[last:]}".rstrip()


def _character_at(line: str, place: int) -> int:
    """The number of the first character that does not stand before a place on the screen."""
    if line.isascii():
        return place
    return next((at for at in range(len(line)) if cells(line[:at]) >= place), len(line))


def _place(heading: str, column: str, whole: int) -> tuple[int, int]:
    """Where a column begins, and where the next one does or the table ends."""
    begin = heading.index(column)
    behind = heading[begin + len(column) :].lstrip()
    return begin, len(heading) - len(behind) if behind else whole


def _shortened(name: str, room: int) -> str:
    """With an ellipsis in the middle where it is too wide."""
    if cells(name) <= room:
        return name
    from rich.cells import set_cell_size

    before = room // 2
    tail = set_cell_size(name[::-1], room - 1 - before)[::-1]
    return f"{set_cell_size(name, before)}…{tail}"
