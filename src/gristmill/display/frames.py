"""What stands around things: a region that scrolls, a card, a note, columns, large numbers, what is folded away."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.display.markup import Child, Html, element


def scroll(label: str, *children: Child) -> Html:
    """A wide thing that scrolls inside its own region, which the keyboard reaches and a reader announces."""
    return element("div", *children, class_="gm-scroll", tabindex=0, role="region", aria_label=label)


def card(title: str, *children: Child, level: int = 3) -> Html:
    """Things that belong together under a heading of a level."""
    return element("section", element(f"h{level}", title), *children, class_="gm-card")


def note(*children: Child) -> Html:
    """A remark below what it is about."""
    return element("p", *children, class_="gm-note")


def grid(*children: Child) -> Html:
    """Things side by side where the page is wide enough for it, below each other where it is not."""
    return element("div", *children, class_="gm-grid")


def tiles(pairs: Iterable[tuple[str, Child]]) -> Html:
    """Names and what they are in large letters: the few numbers that somebody looks for first."""
    return element(
        "dl", (element("div", element("dt", name), element("dd", value)) for name, value in pairs), class_="gm-tiles"
    )


def fold(summary: Child, *children: Child, opened: bool = False, group: str | None = None) -> Html:
    """Details that are shown when somebody asks for them, and on paper; of a group one is open at a time."""
    return element("details", element("summary", summary), *children, class_="gm-fold", open=opened, name=group)
