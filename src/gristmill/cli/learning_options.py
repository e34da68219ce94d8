"""Options that say how to learn online, and what they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gristmill.cli.kernel_options import SCALE_OPTIONS
from gristmill.cli.options import BYTES
from gristmill.cli.sections import declared, option
from gristmill.kernels import PolynomialKernel
from gristmill.solvers.online import OnlineSettings
from gristmill.solvers.online.examples import Labels
from gristmill.solvers.online.settings import ARITHMETICS, ENGINES, NORMS, RANKINGS, UPDATES


class _CostType(click.ParamType):  # type: ignore[type-arg]
    name = "C"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in ("T", "V", "+", "*"):
            self.fail(f"C must be a number; what SVM-light-TK calls -C {value} is --combine", param, ctx)
        return value if value == "auto" else click.FLOAT.convert(value, param, ctx)


class _ListType(click.ParamType):  # type: ignore[type-arg]
    """Values with commas between."""

    name = "list"

    def __init__(self, one: click.ParamType) -> None:  # type: ignore[type-arg]
        self.one = one

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        parts = value.split(",") if isinstance(value, str) else value
        return [self.one.convert(part, param, ctx) for part in parts]

    def get_metavar(self, *_: Any, **__: Any) -> str:
        return "A,B,..."


class _WeightType(click.ParamType):  # type: ignore[type-arg]
    name = "label=factor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        label, equals, factor = value.rpartition("=")
        number = click.FLOAT.convert(factor, param, ctx) if equals else 0.0
        if not 0 < number < float("inf"):
            self.fail(f"{value!r} is not LABEL=FACTOR with a factor above 0", param, ctx)
        return label, number


COST = _CostType()
list_of = _ListType

ONLINE = "Online learning (with --online)"

_SHARED = [
    *SCALE_OPTIONS,
    option(
        "--weight",
        "weights",
        type=_WeightType(),
        multiple=True,
        help="LABEL=FACTOR of C; repeatable.",
    ),
    option(
        "--max-bytes",
        type=BYTES,
        help="Memory, as 500M or 2G: online for weights of conjunctions (default 1GiB), in batch for rows of the "
        "kernel (default 4GiB).",
    ),
    option("--zero-based/--one-based", default=None, help="How DATA count features; default: what they show."),
]


def _online(*names: str, **settings: Any) -> Callable[[Any], Any]:
    return option(*names, section=ONLINE, **settings)


_ONLINE = [
    _online("--update", type=click.Choice(UPDATES), default="pa1", show_default=True, help="How far to step."),
    _online("--norm", type=click.Choice(NORMS), default="input", show_default=True, help="|x| or k(x, x)."),
    _online("--average/--last", default=True, show_default=True, help="The mean of all models, or the last."),
    _online("--shuffle", is_flag=True, help="Visit the examples in another order in each pass."),
    option("--seed", type=click.IntRange(0), default=0, show_default=True, section="", help="Of orders and samples."),
    _online("--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="All learn the same."),
    _online("--expanded", type=click.IntRange(0), help="Features whose conjunctions get weights; default: all."),
    _online("--reuse/--no-reuse", default=None, help="Partial margins, with 'reslice'; default: from degree 3."),
    _online("--early-termination/--full-margins", default=True, show_default=True, help="Changes no result."),
    _online("--rank-by", type=click.Choice(RANKINGS), default="frequency", show_default=True),
    _online("--arithmetic", type=click.Choice(ARITHMETICS), default="auto", show_default=True),
    _online("--budget", type=click.IntRange(1), help="Most support vectors; forgets the oldest: an approximation."),
    _online("--classes", help="All labels, with commas between; needed if a stream does not show them at once."),
]


def learning_options(command: Any, *, scale: bool = True) -> Any:
    """Of which `gristmill tune` tries one value only; without `scale` it has its own gamma and coef0."""
    return declared(command, [*_SHARED[0 if scale else len(SCALE_OPTIONS) :], *_ONLINE])


def settings_of(options: dict[str, Any], epochs: int) -> OnlineSettings:
    """The settings that the options stand for."""
    return OnlineSettings(
        PolynomialKernel(options["degree"], options["gamma"], options["coef0"]),
        C=options["cost"],
        update=options["update"],
        norm=options["norm"],
        epochs=epochs,
        averaged=options["average"],
        engine=options["engine"],
        expanded=options["expanded"],
        reuse="auto" if options["reuse"] is None else options["reuse"],
        early_termination=options["early_termination"],
        rank_by=options["rank_by"],
        max_bytes=options["max_bytes"],
        arithmetic=options["arithmetic"],
        budget=options["budget"],
    )


def names_of(options: dict[str, Any]) -> list[str]:
    """Of the classes, where they are given."""
    return [name.strip() for name in options["classes"].split(",")] if options["classes"] else []


def factors_of(options: dict[str, Any], labels: Labels) -> list[float]:
    """Of C, by class number."""
    given = {labels.number(name): factor for name, factor in options["weights"]}
    return [given.get(number, 1.0) for number in range(len(labels.classes))]
