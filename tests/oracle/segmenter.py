"""Words of text, slowly: which characters there are, what a dictionary says of them, and the features of boundaries."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

LONGEST, CAP = 12, 8


def is_space(character: str) -> bool:
    return unicodedata.category(character) in ("Zs", "Zl", "Zp") or character in "\t\n\v\f\r"


def characters(line: str) -> list[tuple[str, bool]]:
    """Those of a line that are not white space, each with whether white space or the end of the line is behind it."""
    places = [at for at, character in enumerate(line) if not is_space(character)]
    return [(line[at], at + 1 not in places) for at in places]


def segmented(line: str, ends: Sequence[bool]) -> str:
    """A space behind each word but the last one; white space ends words anyway."""
    found, number = "", 0
    for character in line:
        found += character
        if not is_space(character):
            given = characters(line)[number][1]
            found += " " * ((given or ends[number]) and number + 1 < len(characters(line)))
            number += 1
    return found


def joined(line: str) -> str:
    """Without the space that begins a gap between two words."""
    places = [at for at, character in enumerate(line) if not is_space(character)]
    inner = range(places[0] + 1, places[-1]) if places else range(0)
    return "".join(c for at, c in enumerate(line) if not (at in inner and c == " " and not is_space(line[at - 1])))


def facts(text: str, walls: Sequence[bool], known: Counter[str]) -> list[str]:
    """L, R and I of the boundary behind each character."""
    hits = [
        (begin, end)
        for begin in range(len(text))
        for end in range(begin + 1, min(len(text), begin + LONGEST) + 1)
        if known[text[begin:end]] > 0 and not any(walls[begin : end - 1])
    ]
    return [",".join(f"{name}{min(n, CAP)}" for name, n in _longest(hits, at + 1)) for at in range(len(text))]


def _longest(hits: list[tuple[int, int]], at: int) -> Iterator[tuple[str, int]]:
    yield "L", max((end - begin for begin, end in hits if end == at), default=0)
    yield "R", max((end - begin for begin, end in hits if begin == at), default=0)
    yield "I", max((end - begin for begin, end in hits if begin < at < end), default=0)


def known_elsewhere(sentences: Sequence[Sequence[str]], number: int) -> Counter[str]:
    """The words of all other sentences that differ from this one."""
    others = {tuple(words) for words in sentences} - {tuple(sentences[number])}
    return Counter(word for words in others for word in words)


def spans(words: Sequence[str]) -> set[tuple[int, int]]:
    found, begin = set(), 0
    for word in words:
        found.add((begin, begin + len(word)))
        begin += len(word)
    return found
