"""Text for a terminal: bars of characters, aligned columns, characters that are safe to print."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

WIDTH = 40  # characters


def bar(share: float, marked: float = 1.0) -> str:
    """A bar of a share of the width, at least one character above 0; the `marked` share of it is '#', the rest '-'."""
    length = math.ceil(WIDTH * share)
    dark = math.ceil(length * marked)
    return "#" * dark + "-" * (length - dark)


def aligned(lines: Sequence[Sequence[str]], right: tuple[int, ...]) -> list[str]:
    """Lines with columns of equal width; the columns in `right` are aligned to the right, others to the left."""
    lines = [[printable(text) for text in line] for line in lines]
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            _padded(text, width, at in right) for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - cells(text))
    return space + text if right else text + space


def printable(text: str) -> str:
    """The text with a replacement mark for control characters."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def cells(text: str) -> int:
    """The width of a text on a terminal: wide East Asian characters take two cells, combining ones none."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # it joins the one before
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def signed_bars(values: Iterable[float]) -> list[str]:
    """A bar for each value, the longest for the largest magnitude; of '#' above 0, of '-' below."""
    numbers = [float(value) for value in values]
    largest = max((abs(value) for value in numbers), default=0.0) or 1.0
    return [bar(abs(value) / largest, 1.0 if value > 0 else 0.0) for value in numbers]


def first_few(drawn: Sequence[object], what: str) -> str:
    """The first three of some rows or trees, and how many more there are."""
    few = 3
    parts = [f"{what} {number}\n{one}" for number, one in enumerate(drawn[:few])]
    if len(drawn) > few:
        parts.append(f"... {len(drawn) - few:,} more {what}s")
    return "\n\n".join(parts)
