"""Dependency trees on a terminal: words down the left side, arcs to the right of them; or an indented tree.

All arcs of a head share one upright line. Lines of heads further down in the tree are nearer to the words, so that
lines cross in no tree but those that are not projective.
Cost: the sum of the lengths of upright lines, and the size of what is drawn.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from gristmill.apps.parsing.alignment import word_in_cycle
from gristmill.display.bars import cells

GAP = "  "  # between columns
_LEAST = 3  # cells that a column is left with where space is short
_UNSHOWN = ("Cc", "Cs", "Zl", "Zp")
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # they reorder what follows
# By whether the line goes up, down and on to the right; it always comes from the left.
_JOINTS = {
    (True, True, False): "┤",
    (True, False, False): "┘",
    (False, True, False): "┐",
    (True, True, True): "┼",
    (True, False, True): "┴",
    (False, True, True): "┬",
}


def draw_arcs(
    forms: Sequence[str],
    heads: Sequence[int],
    relations: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    style: Literal["arcs", "tree"] = "arcs",
    width: int | None = None,
) -> str:
    """Draw a sentence, a line for each word, with the line ends.

    Parameters
    ----------
    forms : sequence of str
    heads : sequence of int
        The head of each word counted from 1, or 0 for a root, of which there may be several.
    relations : sequence of str
    tags : sequence of str or None
    style : "arcs" or "tree"
        Words in their order with arcs, the arrow at the dependent; or heads above their dependents, which are indented.
    width : int or None
        Cells of a line, where East Asian wide characters take two. What does not fit is cut, with an ellipsis.

    Examples
    --------
    >>> from gristmill.apps.parsing.arc_drawing import draw_arcs
    >>> forms, heads = ["The", "old", "dog", "barks", "."], [3, 3, 4, 0, 4]
    >>> relations = ["det", "amod", "nsubj", "root", "punct"]
    >>> print(draw_arcs(forms, heads, relations), end="")
    The    det    ◄┐
    old    amod   ◄┤
    dog    nsubj  ─┴◄┐
    barks  root   ───┤
    .      punct  ◄──┘
    >>> print(draw_arcs(forms, heads, relations, style="tree"), end="")
    barks  root
    ├─ dog  nsubj
    │  ├─ The  det
    │  └─ old  amod
    └─ .  punct
    """
    heads = check_arcs(forms, heads, relations, tags)
    if style not in ("arcs", "tree"):
        raise ValueError(f"expected style 'arcs' or 'tree', got {style!r}")
    if width is not None and width < 1:
        raise ValueError(f"expected a width of 1 or more, got {width}")
    columns = [list(map(shown, column)) for column in (forms, tags, relations) if column is not None]
    lines = _with_arcs(columns, heads, width) if style == "arcs" else _indented(columns, heads)
    return "".join(f"{_cut(line.rstrip(), width)}\n" for line in lines)


def check_arcs(
    forms: Sequence[str], heads: Sequence[int], relations: Sequence[str], tags: Sequence[str] | None
) -> list[int]:
    """Heads as a list; ValueError where there are not as many of everything, or heads are no tree."""
    for name, given in (("heads", heads), ("relations", relations), ("tags", tags)):
        if given is not None and len(given) != len(forms):
            raise ValueError(f"expected {name} for {len(forms)} words, got {len(given)}")
    found = [int(head) for head in heads]
    for word, head in enumerate(found, 1):
        if not 0 <= head <= len(found):
            raise ValueError(f"the head of word {word} is {head}: expected 0 to {len(found)}")
    if word := word_in_cycle(found):
        raise ValueError(f"word {word} is above itself: its heads lead back to it")
    return found


# --- Text in cells ----------------------------------------------------------------------------------------------------


def shown(text: str) -> str:
    """Text with a mark instead of characters that a screen would obey, or XML has not."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if _is_unshown(one) else one for one in text)


def _is_unshown(one: str) -> bool:
    return unicodedata.category(one) in _UNSHOWN or one in _TURNING or ord(one) & 0xFFFE == 0xFFFE


def _cut(text: str, width: int | None) -> str:
    if width is None or cells(text) <= width:
        return text
    taken, room = 0, width - 1
    for at, character in enumerate(text):
        taken += cells(character)
        if taken > room:
            return f"{text[:at]}…"
    return text


def _padded(text: str, width: int) -> str:
    text = _cut(text, width)
    return text + " " * (width - cells(text))


# --- Arcs -------------------------------------------------------------------------------------------------------------


def _with_arcs(columns: Sequence[Sequence[str]], heads: Sequence[int], width: int | None) -> Iterator[str]:
    drawn = list(_arcs(heads))
    widths = [max(map(cells, column), default=0) for column in columns]
    if width is not None:
        _shrink(widths, width - max(map(len, drawn), default=0) - len(GAP) * len(columns))
    for *texts, arcs in zip(*columns, drawn, strict=True):
        yield "".join(_padded(text, room) + GAP for text, room in zip(texts, widths, strict=True)) + arcs


def _shrink(widths: list[int], room: int) -> None:
    """Take cells from the widest column until all fit or each is as narrow as it may be."""
    while sum(widths) > room and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1


def _arcs(heads: Sequence[int]) -> Iterator[str]:
    """Rows of lines: for each level a cell that leads to its upright line, and one of that line."""
    bounds = _bounds(heads)
    levels = _levels(heads, bounds)
    rows: list[dict[int, int]] = [{} for _ in heads]  # the head of the line at each level
    for head, level in levels.items():
        for row in range(bounds[head][0], bounds[head][1] + 1):
            rows[row - 1][level] = head
    for word, (head, uprights) in enumerate(zip(heads, rows, strict=True), 1):
        yield "".join(_row(word, head, uprights, levels, bounds))


def _row(
    word: int, head: int, uprights: dict[int, int], levels: dict[int, int], bounds: dict[int, tuple[int, int]]
) -> Iterator[str]:
    own, given = levels.get(word, -1), levels.get(head, -1)
    reach = max(own, given)
    arrow = (own + 1 if own < given else 0) if head else -1  # past its own dependents' line, or it would point at them
    for level in range(max(uprights, default=-1) + 1):
        along, upright = "─" if level <= reach else " ", uprights.get(level)
        yield "◄" if level == arrow else along
        if upright is None:
            yield "─" if level < reach else " "
        elif upright in (word, head):
            first, last = bounds[upright]
            yield _JOINTS[first < word, word < last, level < reach]
        else:
            yield "│"  # where a line goes on to the right, it passes below this one


def _bounds(heads: Sequence[int]) -> dict[int, tuple[int, int]]:
    """First and last row of the line of each head."""
    found: dict[int, tuple[int, int]] = {}
    for word, head in enumerate(heads, 1):
        if head:
            first, last = found.get(head, (head, head))
            found[head] = min(first, word), max(last, word)
    return found


def _levels(heads: Sequence[int], bounds: dict[int, tuple[int, int]]) -> dict[int, int]:
    """The level of the line of each head: the lowest that is free, and above all whose words it passes by."""
    depths = _depths(heads)
    taken = [0] * (len(heads) + 1)  # levels in each row, as bits
    levels: dict[int, int] = {}
    for head in sorted(bounds, key=lambda one: (-depths[one], one)):
        first, last = bounds[head]
        below, used = -1, 0
        for row in range(first, last + 1):
            used |= taken[row]
            if row != head and heads[row - 1] != head:
                below = max(below, levels.get(row, -1), levels.get(heads[row - 1], -1))
        level = _lowest_free(used, below + 1)
        levels[head] = level
        for row in range(first, last + 1):
            taken[row] |= 1 << level
    return levels


def _lowest_free(used: int, least: int) -> int:
    free = ~(used >> least)
    return least + (free & -free).bit_length() - 1


def _depths(heads: Sequence[int]) -> list[int]:
    """How many heads are above each word, counted from 1; above no word there are -1."""
    depths = [-1] + [-2] * len(heads)
    for word in range(1, len(depths)):
        path = []
        while depths[word] == -2:
            path.append(word)
            word = heads[word - 1]
        for above, one in enumerate(reversed(path), depths[word] + 1):
            depths[one] = above
    return depths


# --- Indented ---------------------------------------------------------------------------------------------------------


def _indented(columns: Sequence[Sequence[str]], heads: Sequence[int]) -> Iterator[str]:
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        below[head].append(word)
    labels = [GAP.join(texts) for texts in zip(*columns, strict=True)]
    waiting = [(root, "", "") for root in reversed(below[0])]
    while waiting:
        word, branch, indent = waiting.pop()
        yield branch + labels[word - 1]
        waiting += reversed(list(_branches(below[word], indent)))


def _branches(words: Iterable[int], indent: str) -> Iterator[tuple[int, str, str]]:
    """Each word with what is before it, and before those below it."""
    words = list(words)
    for word in words[:-1]:
        yield word, f"{indent}├─ ", f"{indent}│  "
    for word in words[-1:]:
        yield word, f"{indent}└─ ", f"{indent}   "
