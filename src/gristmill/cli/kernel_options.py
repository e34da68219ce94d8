"""Options that say what examples are compared by, and the kernel they become."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping
from dataclasses import fields
from typing import Any

import click

from gristmill.cli.command import option
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.kernels.named import TREE_KERNELS
from gristmill.machines.formats.annotated import LINEAR

ROW_KERNELS = ("poly", "linear")
KERNEL_NAMES = (*TREE_KERNELS, *ROW_KERNELS)

_Options = list[Callable[[Any], Any]]

CONVERSION_LIMITS = {
    "max_size": "--conversion-max-size",
    "max_embeddings": "--max-embeddings",
    "min_support": "--conversion-min-support",
}
_SETTINGS = ("decay", "mu", "weighting", "max_children", "terminal_factor", "degree", "gamma", "coef0")


def row_options(gamma: Any = click.FLOAT, more: str = "") -> _Options:
    """Of the polynomial kernel."""
    return [
        option(*("-d", "--degree"), type=int, default=2, help="poly: of (gamma <x, y> + coef0)^degree."),
        option(
            *("-g", "--gamma"), type=gamma, default=1.0, advanced=True, help=f"poly: factor of the dot product{more}."
        ),
        option("-r", "--coef0", type=float, default=1.0, advanced=True, help="poly: the constant."),
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


def kernel_named(name: str, options: Mapping[str, Any], given: Container[str]) -> Kernel:
    """The kernel of this name with the settings of the options, not normalised."""
    if name == "linear":
        make, known = _linear, set()
    else:
        make = PolynomialKernel if name == "poly" else TREE_KERNELS[name]
        known = {field.name for field in fields(make())}  # type: ignore[arg-type]
    for key in _SETTINGS:
        if key in given and key not in known:
            raise click.UsageError(f"--{key.replace('_', '-')} does not go with --kernel {name}")
    return make(**{key: options[key] for key in _SETTINGS if key in known and options[key] is not None})


def reads_marks(name: str | None, options: Mapping[str, Any]) -> bool:
    """Whether trees are read with marks."""
    return bool(options["marks"]) or str(name).endswith("-marked")


def _linear() -> Kernel:
    return LINEAR
