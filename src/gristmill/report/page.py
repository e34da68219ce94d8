"""A report: sections on one page that opens offline, and the same in figures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill import __version__
from gristmill.base.files import PathLike, write_bytes
from gristmill.display.document import document
from gristmill.display.frames import tiles
from gristmill.display.markup import Html, element, joined
from gristmill.display.notebook import notebook
from gristmill.display.numbers import in_percent, memory, number
from gristmill.report.evaluation_result import Known
from gristmill.report.section import Section

Tile = tuple[str, str]  # what it is, and a number in large letters


@dataclass(frozen=True, eq=False)
class Report:
    """All that is known of a model and how it does on some data. Made by `make_report`.

    Parameters
    ----------
    title : str
    head : Html
        What stands above the sections.
    sections : tuple of Section
    facts : dict
        What the head says, as JSON can hold it but for nan.
    """

    title: str
    head: Html
    sections: tuple[Section, ...]
    facts: dict[str, Any]

    def html(self) -> str:
        """The page: one file, nothing in it is fetched."""
        sources = self.facts["sources"]
        description = f"A report of gristmill {__version__} on {sources['model']} and {sources['data']}"
        links = (element("li", element("a", one.title, href=f"#{one.key}")) for one in self.sections)
        contents = element("nav", element("ul", links), aria_label="Sections")
        body = joined(self.head, contents, (one.html() for one in self.sections))
        return document(self.title, body, description=description)

    def save(self, path: PathLike) -> None:
        """Write the page, whole or not at all; '-' is standard output."""
        write_bytes(path, self.html().encode())

    def as_dict(self) -> dict[str, Any]:
        """The figures, as JSON can hold them; None where nothing can be computed."""
        found: dict[str, Any] = _without_nan(self.facts | {one.key: one.figures for one in self.sections})
        return found

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def _repr_html_(self) -> str:
        """Without links and ids: a notebook may show several reports."""
        return notebook(self.head, (one.html(linked=False) for one in self.sections))

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {', '.join(one.key for one in self.sections)})"


def head(known: Known, title: str, first: Sequence[Tile] = ()) -> Html:
    """The heading, whence it all comes, and the numbers that people look for first, beginning with `first`."""
    said = (
        element("strong", known.sources.model),
        " on ",
        element("strong", known.sources.data),
        f", by gristmill {__version__}. This page is one file and fetches nothing.",
    )
    return element("header", element("h1", title), element("p", *said), tiles((*first, *_tiles(known))))


def facts(known: Known, title: str) -> dict[str, Any]:
    """What the head says."""
    return {
        "title": title,
        "gristmill": __version__,
        "sources": asdict(known.sources),
        "examples": len(known),
        "random_state": known.wishes.random_state,
    }


def _tiles(known: Known) -> list[Tile]:
    found = [] if known.truth is None else [_quality(known)]
    found += [
        ("examples", number(len(known))),
        ("support vectors", number(known.machine.n_support)),
        ("engine", known.scorer.engine),
        ("memory of the engine", memory(known.scorer.nbytes)),
    ]
    if known.sources.model_bytes is not None:
        found.append(("model file", memory(known.sources.model_bytes)))
    return found


def _quality(known: Known) -> Tile:
    if known.has_classes:
        return f"accuracy{' of decisions' * known.are_decisions}", in_percent(known.judged_classes.accuracy)
    if known.ranks:
        return "pairs in the right order", in_percent(known.judged_order.in_order)
    r2 = known.judged_values.r2
    return (
        ("mean squared error", number(known.judged_values.mean_squared_error)) if math.isnan(r2) else ("R²", number(r2))
    )


def _without_nan(value: Any) -> Any:
    """JSON has neither nan nor infinity, and its keys are text."""
    if isinstance(value, dict):
        return {str(key): _without_nan(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
