"""Pages, and the frames inside them: a document in one file, what notebooks show, regions, notes, grids, folds.

Style and pictures are inside the file; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.display.markup import Child, Html, element, joined
from gristmill.display.stylesheet import notebook_stylesheet, stylesheet

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(title: str, body: Child, *, description: str | None = None) -> str:
    """The page. Its content security policy forbids scripts, and whatever is not in the file.

    Parameters
    ----------
    title : str
        Of the window; the heading is part of the body.
    body : Html, or several
        What is on the page, in `<main>`.
    description : str or None
        For those who list pages.
    """
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("meta", name="description", content=description) if description else None,
        element("style", Html(stylesheet())),
    ]
    skip = element("a", "Skip to the content", href="#content", class_="gm-skip")
    content = [skip, element("main", body, id="content", tabindex=-1)]
    page = element("html", element("head", head), element("body", content, class_="gm-page"), lang="en")
    return str(joined(Html("<!doctype html>\n"), page, Html("\n")))


def scroll(label: str, *children: Child) -> Html:
    """Wide content that scrolls in a region of its own, which the keyboard reaches and screen readers announce."""
    return element("div", *children, class_="gm-scroll", tabindex=0, role="region", aria_label=label)


def note(*children: Child) -> Html:
    """A remark below other content."""
    return element("p", *children, class_="gm-note")


def grid(*children: Child) -> Html:
    """Parts side by side where the page is wide enough, else below each other."""
    return element("div", *children, class_="gm-grid")


def tiles(pairs: Iterable[tuple[str, Child]]) -> Html:
    """The most important numbers, in large letters, with their names."""
    return element(
        "dl", (element("div", element("dt", name), element("dd", value)) for name, value in pairs), class_="gm-tiles"
    )


def fold(summary: Child, *children: Child, opened: bool = False, group: str | None = None) -> Html:
    """Details that a reader can open; they are open on paper. Of a group one is open at a time."""
    return element("details", element("summary", summary), *children, class_="gm-fold", open=opened, name=group)


def notebook(*children: Child) -> str:
    """The value of `_repr_html_`: parts with the style that they need. Nothing in it is fetched or run."""
    return str(element("div", element("style", Html(notebook_stylesheet())), *children, class_="gm-notebook"))
