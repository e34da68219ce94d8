"""Options of `gristmill train --target`, which learns from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from gristmill.cli.command import Option, given, option
from gristmill.cli.options import list_of
from gristmill.data.tables.fields import KINDS

TABLES = "Tables (with --target)"
MAX_CLASSES = 10  # whole numbers that are classes if nobody says what they are

_SHARED = (
    *("data", "model", "cost", "degree", "weights", "tol", "max_iter"),
    *("format", "random_state", "jobs", "quiet", "as_json"),
)


class _ColumnType(click.ParamType):  # type: ignore[type-arg]
    """COLUMN=VALUE."""

    name = "column=value"

    def __init__(self, values: Mapping[str, Any], otherwise: Callable[[str], Any] = lambda _: None) -> None:
        self.values = values
        self.otherwise = otherwise

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        if isinstance(value, tuple):
            return value
        column, equals, said = value.rpartition("=")
        found = self.values.get(said) or self.otherwise(said)
        if not equals or found is None:
            self.fail(f"{value!r} is not COLUMN=VALUE with one of {', '.join(self.values)}", param, ctx)
        return column, found


class _SeparatorType(click.ParamType):  # type: ignore[type-arg]
    name = "character"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        found = "\t" if value in ("tab", "\\t") else str(value)
        if len(found) != 1 or not found.isascii() or found in '"\r\n':
            self.fail(f"{value!r} is not one character such as , ; | or tab", param, ctx)
        return found


def _levels(said: str) -> list[str] | None:
    return said.split("<") if "<" in said else None


def _table(*names: str, advanced: bool = True, **settings: Any) -> Callable[[Any], Any]:
    return option(*names, section=TABLES, advanced=advanced, **settings)


TABLE_OPTIONS = [
    _table("--target", metavar="COLUMN", advanced=False, help="DATA are a table, and this column is to be predicted."),
    _table(
        "--task",
        type=click.Choice(["classification", "regression"]),
        advanced=False,
        help=f"What to learn.  [default: regression where the target has more than {MAX_CLASSES} different numbers, or "
        "some that are not whole]",
    ),
    _table("--drop", type=list_of(click.STRING), default=(), advanced=False, help="Columns to leave out."),
    _table(
        *("--kind", "kinds"),
        type=_ColumnType({kind: kind for kind in KINDS}, _levels),
        multiple=True,
        metavar="COLUMN=KIND",
        help=f"What a column is, where it does not look like it: {', '.join(KINDS)}; or its levels from low to high, "
        "as size=S<M<L. May be repeated.",
    ),
    _table(
        "--monotone",
        type=_ColumnType({"+1": 1, "1": 1, "-1": -1}),
        multiple=True,
        metavar="COLUMN=+1|-1",
        help="Scores never fall, or never rise, along a column. May be repeated.",
    ),
    _table("--bins", type=click.IntRange(2), default=32, help="Of a column of numbers, at most."),
    _table("--min-frequency", type=click.IntRange(1), default=5, help="Categories with fewer rows become one."),
    _table(
        "--pairs",
        type=list_of(click.STRING),
        metavar="none|all|A:B,...",
        help="Pairs of columns that may act together.  [default: all; the best where they are many]",
    ),
    _table(
        "--separator",
        type=_SeparatorType(),
        metavar="CHARACTER",
        help="Between cells; tab is one, too.  [default: as the first line has it: , ; tab or |]",
    ),
    _table(
        *("--na", "missing"),
        type=list_of(click.STRING),
        help="Cells that are missing values, besides empty ones.  [default: NA, N/A, NaN, null, None, ? and the like]",
    ),
]


def check_table(ctx: click.Context) -> None:
    """Refuse options that say nothing about a table."""
    sections = {param.name: getattr(param, "section", "") for param in ctx.command.params if isinstance(param, Option)}
    wrong = [s for name, s in given(ctx).items() if name not in _SHARED and sections[name] != TABLES]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: not for tables, which --target is for")
