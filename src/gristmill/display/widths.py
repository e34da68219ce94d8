"""How wide text will be in a font that is not known: a guess, rather too much."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def text_width(text: str, size: float) -> float:
    """In the unit of the size of type."""
    return size * sum(map(_share, text))


def shortened(text: str, most: int) -> str:
    """At most so many characters, an ellipsis for what goes beyond them."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


@lru_cache(4096)
def _share(character: str) -> float:
    """Of the size of type that a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0.0  # it joins the one before
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.05
    return 0.75 if character.isupper() else 0.6
