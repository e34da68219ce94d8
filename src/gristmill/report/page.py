"""A report: sections on one page that opens offline, and the same in figures as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill import __version__
from gristmill.base.files import PathLike, write_bytes
from gristmill.display.markup import Child, Html, element, joined
from gristmill.display.numbers import in_percent, memory, number
from gristmill.display.page import document, notebook, tiles
from gristmill.report.evaluation_result import EvaluationResult


@dataclass(frozen=True)
class Section:
    """A part of a report, under a heading of the second level.

    Parameters
    ----------
    key : str
        Its name in the figures, and in the address of the page.
    title : str
    body : Html
    figures : dict
        JSON, except that it may hold nan. Times, which differ from run to run, are under the key 'timings' alone.
    """

    key: str
    title: str
    body: Html
    figures: dict[str, Any]

    def html(self, *, linked: bool = True) -> Html:
        """With its heading; without ids unless `linked`: a notebook may have several such sections."""
        if not linked:
            return element("section", element("h2", self.title), self.body)
        heading = f"{self.key}-title"
        return element(
            "section", element("h2", self.title, id=heading), self.body, id=self.key, aria_labelledby=heading
        )


def paragraph(*children: Child) -> Html:
    return element("p", joined(*children))


Tile = tuple[str, str]  # a name, and a number in large letters


@dataclass(frozen=True, eq=False)
class Report:
    """An evaluation of a model on data. Made by `make_report`.

    Parameters
    ----------
    title : str
    head : Html
        What stands above the sections.
    sections : tuple of Section
    facts : dict
        The contents of the head as JSON, except that it may hold nan.
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
        """The figures as JSON; None where nothing can be computed."""
        found: dict[str, Any] = _without_nan(self.facts | {one.key: one.figures for one in self.sections})
        return found

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def _repr_html_(self) -> str:
        """Without links and ids: a notebook may show several reports."""
        return notebook(self.head, (one.html(linked=False) for one in self.sections))

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {', '.join(one.key for one in self.sections)})"


def head(evaluation: EvaluationResult, title: str, first: Sequence[Tile] = ()) -> Html:
    """The heading, the sources, and the most important numbers, beginning with `first`."""
    sources = (
        element("strong", evaluation.sources.model),
        " on ",
        element("strong", evaluation.sources.data),
        f", by gristmill {__version__}. This page is one file and fetches nothing.",
    )
    return element("header", element("h1", title), element("p", *sources), tiles((*first, *_tiles(evaluation))))


def facts(evaluation: EvaluationResult, title: str) -> dict[str, Any]:
    """The contents of the head."""
    return {
        "title": title,
        "gristmill": __version__,
        "sources": asdict(evaluation.sources),
        "examples": len(evaluation),
        "random_state": evaluation.options.random_state,
    }


def _tiles(evaluation: EvaluationResult) -> list[Tile]:
    found = [] if evaluation.truth is None else [_quality(evaluation)]
    found += [
        ("examples", number(len(evaluation))),
        (f"{evaluation.support_noun}s", number(evaluation.machine.n_support)),
        ("engine", evaluation.scorer.engine),
        ("memory of the engine", memory(evaluation.scorer.nbytes)),
    ]
    if evaluation.sources.model_bytes is not None:
        found.append(("model file", memory(evaluation.sources.model_bytes)))
    return found


def _quality(evaluation: EvaluationResult) -> Tile:
    if evaluation.has_classes:
        return f"accuracy{' of decisions' * evaluation.are_decisions}", in_percent(evaluation.classification.accuracy)
    if evaluation.ranks:
        return "pairs in the right order", in_percent(evaluation.ranking.in_order)
    r2 = evaluation.regression.r2
    return (
        ("mean squared error", number(evaluation.regression.mean_squared_error))
        if math.isnan(r2)
        else ("R²", number(r2))
    )


def _without_nan(value: Any) -> Any:
    """JSON has neither nan nor infinity, and its keys are text."""
    if isinstance(value, dict):
        return {str(key): _without_nan(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
