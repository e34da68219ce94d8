"""HTML from plain calls: every text is escaped, so that no feature name becomes markup. Also widths of text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from numbers import Real

_VOID = {"br", "col", "hr", "img", "input", "link", "meta"}  # elements without an end tag
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class Html(str):
    """Markup. A plain str among children is text and is escaped; this is not."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


Child = str | float | None | Iterable["Child"]
Attribute = str | float | bool | None


def element(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element: texts are escaped, None is left out, lists are one child after the other.

    Names of attributes are Python's: ``class_`` for class, ``aria_label`` for aria-label. True is an attribute without
    a value, None and False leave it out.

    Examples
    --------
    >>> from gristmill.display.markup import element
    >>> element("p", "x < y ", element("b", 3), class_="note", hidden=True)
    '<p class="note" hidden>x &lt; y <b>3</b></p>'
    """
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opened if name in _VOID else f"{opened}{joined(*children)}</{name}>")


def picture(kind: str, width: float, height: float, *parts: Child, **attributes: Attribute) -> Html:
    """An SVG of a class of the stylesheet, drawn in the colour of the text around it."""
    wide, high = math.ceil(width), math.ceil(height)
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_=kind,
        viewBox=f"0 0 {wide} {high}",
        width=wide,
        height=high,
        role="img",
        font_family="system-ui, sans-serif",
        **attributes,
        fill="currentColor",
    )


def joined(*children: Child) -> Html:
    """Children one after the other, without an element around them."""
    return Html("".join(map(_child, children)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float | Real):
        return escape(printable(str(child)), quote=False)
    return joined(*child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{escape(printable(str(value)))}"'


def printable(text: str) -> str:
    """The text with a replacement mark for what HTML and XML forbid: controls, lone surrogates."""
    return text if text.isprintable() else _FORBIDDEN.sub("\ufffd", text)


def text_width(text: str, size: float) -> float:
    """The width of a text in an unknown font, in the unit of the font size: a guess that is rather too large."""
    return size * sum(map(_share, text))


def shortened(text: str, most: int) -> str:
    """At most so many characters, with an ellipsis where some are cut off."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


@lru_cache(4096)
def _share(character: str) -> float:
    """The width of a character as a share of the font size."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0.0  # it joins the one before
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.05
    return 0.75 if character.isupper() else 0.6
