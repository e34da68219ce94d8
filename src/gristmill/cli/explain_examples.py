"""Examples of gristmill explain, one after the other: those that are asked for, and what else there is."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from gristmill.base.files import display_name, writing
from gristmill.cli.explain_data import Part, Wanted
from gristmill.cli.explain_options import FEW
from gristmill.cli.screen import count, note, progress_line
from gristmill.display.words import counted
from gristmill.explanations import RowExplanation


def explain_examples(
    what: str,
    blocks: Iterator[tuple[Any, list[Any]]],
    size: Callable[[Any], int],
    told: Callable[[Part], Iterator[str]],
    data: str,
    asked: dict[str, Any],
) -> None:
    """Print the examples that are asked for, and say what else there is."""
    wanted, printed = Wanted(blocks, *_range(asked)), False
    with _progress() as draw, writing("-") as out:
        for part in wanted.parts(size):
            for text in told(part):
                between = "\n" if printed and not asked["as_json"] else ""
                out.write(f"{between}{text}\n".encode())
                printed = True
            out.flush()
            if draw is not None:
                done = part.number - 1 + len(part.labels)
                draw(done, None, counted(done, what))
    if asked["row"] is not None and not printed:
        raise click.UsageError(f"{display_name(data)} has {counted(wanted.seen, what)}, none of number {asked['row']}")
    if not printed and not asked["quiet"]:
        note(f"{display_name(data)} has no {what}s")
    if asked["row"] is asked["rows"] is None and wanted.others and not asked["quiet"]:
        note(f"these are the first {count(FEW)}; --rows N or --row N shows others")


def _range(asked: dict[str, Any]) -> tuple[int, int | None]:
    """The first and the last that is wanted."""
    if asked["row"] is not None:
        return asked["row"], asked["row"]
    if asked["rows"] is None:
        return 1, None if asked["as_json"] else FEW
    return 1, asked["rows"] or None


@contextlib.contextmanager
def _progress() -> Iterator[Any]:
    """A line, unless answers go to the same screen."""
    if sys.stdout.isatty():
        yield None
        return
    with progress_line("explaining") as draw:
        yield draw


def row_facts(row: RowExplanation, asked: dict[str, Any]) -> dict[str, Any]:
    """As JSON can hold it: one output, and as many features as are asked for."""
    facts, top = row.as_dict(asked["output"]), asked["top"]
    if top is not None:
        facts["other_features"] = sum(feature["value"] for feature in facts["features"][top:])
        facts |= {key: facts[key][:top] for key in ("features", "interactions") if key in facts}
    return facts
