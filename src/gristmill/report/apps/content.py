"""The content of a report on an app, and the request for it."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.base.progress import Progress
from gristmill.report.evaluation_result import EvaluationResult, ReportOptions, Sources
from gristmill.report.page import Section, Tile


@dataclass(frozen=True)
class ReportRequest:
    """What a report on an app should have.

    Parameters
    ----------
    sources : Sources
    options : ReportOptions
    labels : bool
        Whether results are compared with the labels of the data.
    progress : callable or None
    """

    sources: Sources
    options: ReportOptions
    labels: bool = True
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Sections that come before the ordinary ones, and the evaluation that these are made from.

    Parameters
    ----------
    known : Known
        Decisions of the machine, each an example.
    sections : tuple of Section
        On the results of the app.
    tiles : tuple of (name, value)
        The most important numbers.
    """

    evaluation: EvaluationResult
    sections: tuple[Section, ...]
    tiles: tuple[Tile, ...]
