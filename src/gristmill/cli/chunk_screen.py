"""Tagged sentences for people: a line each, chunks in brackets and colours."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gristmill.apps.tagging.chunks import are_chunk_tags, chunks_of

_COLOURS = (34, 32, 35, 36, 33, 31)  # of terminals
_PLAIN = "\033[0m"


def show_chunks(columns: Any, numbers: Any, tags: Sequence[str], *, colours: bool) -> bytes:
    """[NP He ] [VP reckons ] ... or, where tags are not those of chunks, He/PRP reckons/VBZ ..."""
    words, starts = columns.column(0), columns.starts().tolist()
    spelled = [tags[number] for number in numbers.tolist()]
    shown = _in_brackets if are_chunk_tags(tags) else _with_slashes
    coloured = colours and sys.stdout.isatty()
    lines = [" ".join(shown(words[begin:end], spelled[begin:end], coloured)) for begin, end in pairwise(starts)]
    return "".join(f"{line}\n" for line in lines).encode()


def _in_brackets(words: list[str], tags: list[str], coloured: bool) -> Iterator[str]:
    at = 0
    for first, last, kind in chunks_of(tags):
        yield from words[at:first]
        yield f"[{_paint(kind, coloured)} {' '.join(words[first : last + 1])} ]"
        at = last + 1
    yield from words[at:]


def _with_slashes(words: list[str], tags: list[str], coloured: bool) -> Iterator[str]:
    for word, tag in zip(words, tags, strict=True):
        yield f"{word}/{_paint(tag, coloured)}"


def _paint(name: str, coloured: bool) -> str:
    """A kind has the same colour in every run."""
    colour = _COLOURS[sum(name.encode()) % len(_COLOURS)]
    return f"\033[{colour}m{name}{_PLAIN}" if coloured and name else name
