"""The stylesheet: one for pages, one for what notebooks show. Everything is in this package, nothing is fetched."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def stylesheet() -> str:
    """For a page: colours for light, dark and paper, type, and all parts that are drawn here."""
    return _joined("light", "dark", "page", "parts")


@cache
def colours() -> str:
    """For pages that have all but the colours from elsewhere."""
    return _joined("light", "dark")


@cache
def notebook_stylesheet() -> str:
    """For parts on a page of somebody else: they take the colours of the text around them."""
    return _joined("notebook", "parts")


def _joined(*names: str) -> str:
    folder = files("gristmill.display") / "css"
    return "\n".join((folder / f"{name}.css").read_text(encoding="utf-8") for name in names)
