"""Options that say what examples are compared by, and the kernel they become."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping
from dataclasses import fields
from typing import Any

import click

from gristmill.cli.command import option
from gristmill.cli.options import NumberOr
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel
from gristmill.kernels.by_name import GAMMAS, row_kernel
from gristmill.kernels.named import ROW_KERNELS as _ROW_KERNELS
from gristmill.kernels.named import TREE_KERNELS

ROW_KERNELS = tuple(_ROW_KERNELS)
GAMMA = NumberOr(*GAMMAS)
KERNEL_NAMES = (*TREE_KERNELS, *ROW_KERNELS)

_Options = list[Callable[[Any], Any]]

CONVERSION_LIMITS = {
    "max_size": "--conversion-max-size",
    "max_embeddings": "--max-embeddings",
    "min_support": "--conversion-min-support",
}
_OF_ROWS = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0")}
_SETTINGS = ("decay", "mu", "weighting", "max_children", "terminal_factor", "degree", "gamma", "coef0")


def row_options() -> _Options:
    """Of the kernels on rows."""
    return [
        option(*("-d", "--degree"), type=int, default=2, help="poly: of (gamma <x, y> + coef0)^degree."),
        option(
            *("-g", "--gamma"),
            type=GAMMA,
            advanced=True,
            help="poly, rbf, sigmoid: a number, 'scale', which is 1 / (features * variance of all values), or 'auto', "
            "which is 1 / features.  [default: scale; for poly 1]",
        ),
        option(
            *("-r", "--coef0"),
            type=float,
            advanced=True,
            help="poly, sigmoid: the constant.  [default: 0; for poly 1]",
        ),
    ]


def tree_options(section: str = "") -> _Options:
    """Of the kernels on trees."""
    advanced = functools.partial(option, section=section, advanced=True)
    decay = "Trees: lambda, the weight of a level or node.  [default: the kernel's own]"
    weightings = click.Choice(["gap", "span-1", "span"])
    most = "ptk, uptk: the most children that match.  [default: any]"
    terminals = "ptk, uptk: KeLP's factor for nodes that are leaves.  [default: 1]"
    return [
        option("-L", "--decay", type=float, section=section, help=decay),
        advanced("-M", "--mu", type=float, help="ptk, uptk: the weight of a level.  [default: 0.4]"),
        advanced("--weighting", type=weightings, help="ptk, uptk: by children skipped, or by spans.  [default: gap]"),
        advanced("--max-children", type=click.IntRange(1), help=most),
        advanced("--terminal-factor", type=float, help=terminals),
        *reading_options(section),
    ]


def reading_options(section: str = "") -> _Options:
    """What trees are read, and whether their kernel is normalised."""
    advanced = functools.partial(option, section=section, advanced=True)
    marks = "NP*1 is NP with mark 1, else * is a letter; the marked kernels imply it."
    return [
        advanced("--no-normalize", is_flag=True, help="Trees: K(x, y) itself, not divided by sqrt(K(x, x) K(y, y))."),
        advanced("--marks", is_flag=True, help=marks),
        advanced("--tree", "field", metavar="NAME", help="Which tree of files that have several an example."),
    ]


def limit_options(section: str = "") -> _Options:
    """Of conversion."""
    return [
        option(
            *(CONVERSION_LIMITS["max_size"], "max_size"),
            type=click.IntRange(1),
            default=20,
            section=section,
            advanced=True,
            help="Conversion leaves trees that share a fragment of so many nodes to dynamic programming.",
        ),
        option(
            CONVERSION_LIMITS["max_embeddings"],
            type=click.FloatRange(0, min_open=True),
            default=20.0,
            section=section,
            advanced=True,
            help="Likewise trees that have a fragment more often than so, on average.",
        ),
        option(
            *(CONVERSION_LIMITS["min_support"], "min_support"),
            type=click.IntRange(2),
            default=2,
            section=section,
            advanced=True,
            help="Likewise trees that share a fragment with fewer than so many trees.",
        ),
    ]


def kernel_named(name: str, options: Mapping[str, Any], given: Container[str], rows: Rows | None = None) -> Kernel:
    """The kernel of this name with the settings of the options, not normalised; `rows` are what it is to compare."""
    of_rows = name in ROW_KERNELS
    known = set(_OF_ROWS.get(name, ()) if of_rows else _fields(TREE_KERNELS[name]()))
    for key in _SETTINGS:
        if key in given and key not in known:
            raise click.UsageError(f"--{key.replace('_', '-')} does not go with --kernel {name}")
    values = {key: options[key] for key in _SETTINGS if key in known and options[key] is not None}
    return row_kernel(name, rows, **values) if of_rows else TREE_KERNELS[name](**values)


def _fields(kernel: Kernel) -> list[str]:
    return [field.name for field in fields(kernel)]  # type: ignore[arg-type]


def reads_marks(name: str | None, options: Mapping[str, Any]) -> bool:
    """Whether trees are read with marks."""
    return bool(options["marks"]) or str(name).endswith("-marked")
