"""Options that commands share."""

from __future__ import annotations

from typing import Any

import click

from gristmill.data import Binarize, check_binarize
from gristmill.engines import ENGINES

engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to score; never changes a label.",
)
machine_option = click.option(
    "--machine", "name", metavar="NAME", help="Which machine of a collection (a directory, archive or file of many)."
)
jobs_option = click.option(
    "-j", "--jobs", type=int, default=None, metavar="N", help="Threads; -1 for all cores. Never changes a result."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


base_option = click.option(
    "--zero-based/--one-based",
    default=None,
    help="How data files count features. Needed only where the model does not know; then 1 is assumed.",
)


class _BinarizeType(click.ParamType):  # type: ignore[type-arg]
    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Binarize:
        words: dict[str, Binarize] = {"refuse": None, "keep": False}
        if value in words:
            return words[value]
        try:
            threshold = float(value)
            check_binarize(threshold)
        except ValueError:
            self.fail(f"{value!r} is not a number from 0 up to 1, 'refuse' or 'keep'", param, ctx)
        return threshold


binarize_option = click.option(
    "--binarize",
    type=_BinarizeType(),
    default="0",
    show_default=True,
    metavar="T|refuse|keep",
    help="Data values other than 0 and 1: 1 above the threshold T, an error, or computed with (direct engine only).",
)
