"""What notebooks show: parts with their own style around them, whatever the page looks like."""

from __future__ import annotations

from gristmill.display.markup import Child, Html, element
from gristmill.display.style import notebook_stylesheet


def notebook(*children: Child) -> str:
    """What `_repr_html_` gives: parts, and once the style they need. Nothing in it is fetched or run."""
    return str(element("div", element("style", Html(notebook_stylesheet())), *children, class_="gm-notebook"))
