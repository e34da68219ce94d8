"""Places between the characters of raw text, slowly: what is seen of them, and pairs of characters that tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tests.oracle.segmenter import is_space

LONGEST = 16
NONE, SPACE, PARAGRAPH = range(3)


def normalized(text: str) -> list[tuple[str, int]]:
    """Characters with their places; ' ' for white space, a line feed for that of an empty line or at the end."""
    found, at = list[tuple[str, int]](), 0
    while at < len(text):
        end = at
        while end < len(text) and is_space(text[end]):
            end += 1
        if end == at:
            found.append((text[at], at))
            at += 1
        else:
            breaks = text[at:end].count("\n") > 1 or end == len(text)
            if found:
                found.append(("\n" if breaks else " ", at))
            at = end
    return found


def places(text: str) -> list[int]:
    """Of characters that are not white space, in the normalised text."""
    return [at for at, (character, _) in enumerate(normalized(text)) if character not in " \n"]


def gaps(text: str) -> list[int]:
    line = "".join(character for character, _ in normalized(text)) + "\n"
    return [{" ": SPACE, "\n": PARAGRAPH}.get(line[at + 1], NONE) for at in places(text)]


def cells(text: str, place: int) -> list[str]:
    """What is seen of the place behind a character, but for facts of words."""
    line = "".join(character for character, _ in normalized(text))
    here = places(text)[place]

    def at(position: int) -> str:
        inside = 0 <= position < len(line)
        return {" ": "_", "\n": "¶"}.get(line[position], line[position]) if inside else "¶"

    is_gap = here + 1 >= len(line) or line[here + 1] in " \n"
    behind = here + 1 + is_gap
    begin = _begin(line, here)
    end = _end(line, behind)
    before = begin - 1 if begin == 0 or line[begin - 1] in " \n" else begin
    word_before = line[_begin(line, before) : before] if before > 0 else ""
    word_behind = line[end + 1 : _end(line, end + 1)] if end >= len(line) or line[end] in " \n" else ""
    around = [here, behind, here - 1, here - 2, here - 3, behind + 1, behind + 2, behind + 3]
    first, second, *others = map(at, around)
    return [
        *(first, second, "_" if is_gap else "", *others),
        *(line[begin : here + 1], line[behind:end], word_before, word_behind),
    ]


def _begin(line: str, position: int) -> int:
    begin = position
    while begin > 0 and position - begin < LONGEST and line[begin - 1] not in " \n":
        begin -= 1
    return begin


def _end(line: str, position: int) -> int:
    end = position
    while end < len(line) and end - position < LONGEST and line[end] not in " \n":
        end += 1
    return end


def pairs(text: str, endings: Sequence[int], least: int) -> dict[str, int]:
    """Pairs of characters with the ending that they always have, if they are there often enough."""
    characters = [normalized(text)[at][0] for at in places(text)]
    seen = defaultdict[str, list[int]](list)
    for number, gap in enumerate(gaps(text)):
        if gap != PARAGRAPH:
            between = " " if gap == SPACE else ""
            seen[characters[number] + between + characters[number + 1]].append(endings[number])
    return {pair: own[0] for pair, own in seen.items() if len(own) >= least and len(set(own)) == 1}


def facts(word: str, within: Sequence[str], own: int) -> str:
    """How words within sentences write the letters that a word begins with, if it begins with a capital."""
    if not word or not word[0].isupper():
        return ""
    letters = _letters(word).lower()
    lower = sum(_letters(one) == letters for one in within if not one[0].isupper())
    capital = min(2, sum(_letters(one).lower() == letters for one in within if one[0].isupper()))
    return ("l" * (lower > 0) + "c" * (capital > own)) or "-"


def _letters(word: str) -> str:
    return word[: next((at for at, character in enumerate(word) if not character.isalpha()), len(word))]
