"""A section of a report: what people read, and the same in figures for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.drawing.markup import Child, Html, element, joined


@dataclass(frozen=True)
class Section:
    """Under a heading of the second level.

    Parameters
    ----------
    key : str
        Its name in figures, and in the address of the page.
    title : str
    body : Html
    figures : dict
        As JSON can hold it, but for nan. Times, which differ from run to run, are under the key 'timings' alone.
    """

    key: str
    title: str
    body: Html
    figures: dict[str, Any]

    def html(self) -> Html:
        """With its heading."""
        heading = f"{self.key}-title"
        return element(
            "section", element("h2", self.title, id=heading), self.body, id=self.key, aria_labelledby=heading
        )


def side_by_side(*children: Child) -> Html:
    """Figures and tables in as many columns as fit."""
    return element("div", *children, class_="gm-grid")


def folded(summary: Child, *children: Child, is_open: bool = False) -> Html:
    """What is shown when somebody asks for it."""
    return element("details", element("summary", summary), *children, class_="gm-fold", open=is_open)


def paragraph(*children: Child) -> Html:
    return element("p", joined(*children))
