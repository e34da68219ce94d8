"""Text for a terminal: bars of characters, aligned columns, characters that are safe to print."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

WIDTH = 40  # characters


def bar(share: float, marked: float = 1.0) -> str:
    """As long as a share of the width, a character at least for what there is; '#' for a share of it, then '-'."""
    length = math.ceil(WIDTH * share)
    dark = math.ceil(length * marked)
    return "#" * dark + "-" * (length - dark)


def aligned(lines: Sequence[Sequence[str]], right: tuple[int, ...]) -> list[str]:
    """Columns of equal width: those of these numbers, which hold numbers, to the right, others to the left."""
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
    """With a mark instead of what a screen would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def cells(text: str) -> int:
    """How wide a text is on a screen: characters of East Asia take two places, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else unicodedata.combining(c) == 0 for c in text)


def signed_bars(values: Iterable[float]) -> list[str]:
    """A bar for each value, the longest for the largest; of '#' above 0, of '-' below."""
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
