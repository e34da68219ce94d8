"""Options that commands share."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import click

from gristmill.data.rows import Binarize, check_binarize
from gristmill.scoring.engines import ENGINES

ENGINE_NAMES = (*ENGINES, "forest")

engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINE_NAMES),
    default="auto",
    show_default=True,
    help="How to score: all give the same labels, 'auto' picks the fastest; trees have 'direct' and 'forest'.",
)
machine_option = click.option(
    "--machine", "name", metavar="NAME", help="Which machine of a collection (a directory, archive or file of many)."
)
jobs_option = click.option(
    "-j", "--jobs", type=int, default=None, metavar="N", help="Threads; -1 for all cores. Never changes a result."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing unless something is wrong.")

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


class _BytesType(click.ParamType):  # type: ignore[type-arg]
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", value.strip(), re.IGNORECASE)
        if found is None or (found[3] and not found[2]):
            self.fail(f"{value!r} is not a number of bytes, as 500M, 2G, 1.5GiB or 4000000", param, ctx)
        base = 1024 if found[3] else 1000
        return int(Decimal(found[1]) * base ** " KMGT".index(found[2].upper() or " "))


class _RareType(click.ParamType):  # type: ignore[type-arg]
    name = "rare"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A whole number is a count, anything else a share."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        if value.isdecimal():
            return int(value)
        try:
            share = float(value[:-1]) / 100 if value.endswith("%") else float(value)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is neither a number of support vectors nor a share, as 0.5% or 0.005", param, ctx)
        return share


BYTES, RARE = _BytesType(), _RareType()

binarize_option = click.option(
    "--binarize",
    type=_BinarizeType(),
    default="0",
    show_default=True,
    metavar="T|refuse|keep",
    help="Data values other than 0 and 1: 1 above the threshold T, an error, or computed with (direct engine only).",
)
