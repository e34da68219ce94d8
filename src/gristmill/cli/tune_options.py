"""Options of `gristmill tune` for batch SVMs."""

from __future__ import annotations

from typing import Any

import click

from gristmill.cli.kernel_options import KERNEL_NAMES
from gristmill.cli.learning_options import list_of
from gristmill.cli.sections import declared, option
from gristmill.tuning.solvers import SEARCHES

BATCH = "Batch SVMs (without --online)"

_OPTIONS: list[Any] = [
    option(
        *("-k", "--kernel", "kernels"),
        type=list_of(click.Choice(KERNEL_NAMES)),
        section=BATCH,
        help="What to compare by.  [default: poly; for trees st,sst,sst-bow,ptk,uptk]",
    ),
    option("-L", "--decay", type=list_of(click.FLOAT), section=BATCH, help="Trees.  [default: the kernel's own]"),
    option("-M", "--mu", type=list_of(click.FLOAT), section=BATCH, help="ptk, uptk.  [default: 0.4]"),
    option("--raw", is_flag=True, section=BATCH, help="Trees: K(x, y) itself, not normalised."),
    option(
        "--marks",
        is_flag=True,
        section=BATCH,
        help="NP*1 is NP with mark 1, else * is a letter; the marked kernels imply it.",
    ),
    option("--tree", "field", metavar="NAME", section=BATCH, help="Which tree of files that have several an example."),
    option("--folds", type=click.IntRange(2), section=BATCH, help="Judge by so many folds of DATA, without HELD_OUT."),
    option(
        "--search",
        type=click.Choice(SEARCHES),
        default="auto",
        show_default=True,
        section=BATCH,
        help="subset: the best of each sample go on to a larger one; exact: all settings on all examples; "
        "cutting-plane: all examples, approximately; slicing: online learning on samples, poly only. The last step is "
        "always exact.",
    ),
    option("--sample-sizes", type=list_of(click.INT), section=BATCH, help="Examples.  [default: 600, and by factors]"),
    option(
        "--factor",
        type=click.FloatRange(1),
        default=3.0,
        show_default=True,
        section=BATCH,
        help="One in so many settings goes on.",
    ),
    option("-e", "--tol", type=float, default=1e-3, show_default=True, section=BATCH, help="Of the solver."),
    option("--scheme", type=click.Choice(["ovo", "ovr"]), default="ovo", show_default=True, section=BATCH),
    option("--intercept/--no-intercept", default=True, section=BATCH, help="Whether there is one.  [default: yes]"),
    option("--plot", type=click.Path(), section=BATCH, help="A figure of what was found: .svg, .png, .pdf."),
]


def batch_options(command: Any) -> Any:
    """Give a command the options of searches."""
    return declared(command, _OPTIONS)
