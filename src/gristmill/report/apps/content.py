"""What a report on a program is made of, and what was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.base.progress import Progress
from gristmill.report.evaluation_result import Known, Sources, Wishes
from gristmill.report.page import Tile
from gristmill.report.section import Section


@dataclass(frozen=True)
class Asked:
    """Of any program.

    Parameters
    ----------
    sources : Sources
    wishes : Wishes
    labels : bool
        Whether what is found is judged by what the data say.
    progress : callable or None
    """

    sources: Sources
    wishes: Wishes
    labels: bool = True
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class Told:
    """What is said before the ordinary sections, and what these are about.

    Parameters
    ----------
    known : Known
        Decisions of the machine, each an example.
    sections : tuple of Section
        On what the program found.
    tiles : tuple of (name, value)
        The numbers that people look for first.
    """

    known: Known
    sections: tuple[Section, ...]
    tiles: tuple[Tile, ...]
