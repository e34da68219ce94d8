"""The stylesheets of pages and of notebooks, and the colours, markers and dashes of charts.

Everything is in this package; nothing is fetched.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files


@cache
def stylesheet() -> str:
    """For a page of our own: colours for light, dark and paper, type, and all parts."""
    return _joined("light", "dark", "page", "parts")


@cache
def colours() -> str:
    """For pages that take only the colours from here."""
    return _joined("light", "dark")


@cache
def notebook_stylesheet() -> str:
    """For parts on a page of a notebook: they take the colours of the text around them."""
    return _joined("notebook", "parts")


def _joined(*names: str) -> str:
    folder = files("gristmill.display") / "css"
    return "\n".join((folder / f"{name}.css").read_text(encoding="utf-8") for name in names)


# Okabe and Ito's colours, which colour-blind people can tell apart
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")

FOR, AGAINST = "#0072B2", "#D55E00"  # contributions for an answer and against it

STRONGEST = 0.55  # how much of a colour a share of 1 has: text on it stays readable


def tint(share: float) -> str:
    """A CSS colour for a share from -1 to 1, over which the text of the page keeps a contrast of 4.5 and more.

    It is clear, so that it serves light pages with dark text and dark ones with light text.

    Examples
    --------
    >>> from gristmill.display.stylesheet import tint
    >>> tint(1.0), tint(-0.5), tint(0)
    ('#0072B28C', '#D55E0046', '#0072B200')
    """
    return f"{tone(share)}{round(255 * strength(share)):02X}"


def tone(share: float) -> str:
    """The colour of a share by its sign."""
    return AGAINST if share < 0 else FOR


def strength(share: float) -> float:
    """How much of its colour a share has, from 0 to 1; a share that is no number has none."""
    return 0.0 if math.isnan(share) else STRONGEST * min(abs(share), 1.0)
