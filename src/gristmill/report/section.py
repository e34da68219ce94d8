"""A section of a report: what people read, and the same in figures for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.display.markup import Child, Html, element, joined


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

    def html(self, *, linked: bool = True) -> Html:
        """With its heading; without ids unless it is `linked`, for a page that may have several such sections."""
        if not linked:
            return element("section", element("h2", self.title), self.body)
        heading = f"{self.key}-title"
        return element(
            "section", element("h2", self.title, id=heading), self.body, id=self.key, aria_labelledby=heading
        )


def paragraph(*children: Child) -> Html:
    return element("p", joined(*children))
