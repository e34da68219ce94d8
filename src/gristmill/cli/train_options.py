"""Options of batch SVMs: LIBSVM's letters and, where these leave room, SVM-light-TK's."""

from __future__ import annotations

from typing import Any

import click

from gristmill.cli.kernel_options import KERNEL_NAMES, ROW_KERNELS, limit_options, tree_options
from gristmill.cli.options import BYTES
from gristmill.cli.sections import declared, option
from gristmill.solvers.batch.settings import CONFIRM, SAMPLINGS, SOLVERS

KERNELS = "Kernels of batch SVMs"
SOLVING = "Batch SVMs (without --online)"

_SVM_TYPES = {1: "nu-SVC", 2: "one-class SVM", 3: "epsilon-SVR", 4: "nu-SVR"}
_ELSEWHERE = {
    "v": "`gristmill tune DATA --folds 5 --by accuracy` cross-validates, one setting or many; in Python gm.tune",
    "n": "nu is of nu-SVC, one-class SVM and nu-SVR, which are not offered: C-SVC (-s 0) has -c",
    "p": "of epsilon-SVR, which is not offered: C-SVC (-s 0) has -c",
    "b": "what is learned here has scores and no probabilities: in Python CalibratedClassifierCV(gm.KernelSVC(...)) "
    "adds them, and models of svm-train -b 1 keep theirs (gristmill predict); SVMlight's -b 0 is --no-intercept",
}


class _CacheType(click.ParamType):  # type: ignore[type-arg]
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A bare number is one of megabytes, as in LIBSVM and SVMlight."""
        bare = isinstance(value, str) and value.strip().replace(".", "", 1).isdigit()
        return BYTES.convert(f"{value}M" if bare else value, param, ctx)


def _svm_type(_: click.Context, __: click.Parameter, value: int) -> int:
    if value in _SVM_TYPES:
        raise click.UsageError(f"-s {value}: {_SVM_TYPES[value]} is not offered; -s 0 is C-SVC")
    return value


def _refused(_: click.Context, param: click.Parameter, value: str | None) -> None:
    letter = str(param.name)
    if value is not None and (letter, value) != ("b", "0"):
        raise click.UsageError(f"-{letter} {value}: {_ELSEWHERE[letter]}")


_CHOICE = [
    option(
        *("-k", "--kernel", "kernel"),
        type=click.Choice(KERNEL_NAMES),
        section=KERNELS,
        help="What to compare by.  [default: poly; for trees sst]",
    ),
    option(
        *("-t", "kernel_type"),
        type=click.IntRange(0, 5),
        metavar="0|1|4|5",
        section=KERNELS,
        help="The same by number: 0 linear, 1 poly, 4: DATA are a Gram matrix, as LIBSVM's -t 4 has it; 5 trees, as in "
        "SVM-light-TK.",
    ),
    option(
        *("-F", "tree_type"),
        type=click.IntRange(0, 3),
        metavar="0|1|2|3",
        section=KERNELS,
        help="SVM-light-TK's trees by number: 0 st, 1 sst, 2 sst-bow, 3 ptk with --max-children 5.",
    ),
]

_FIELDS = [
    option(
        "--combine",
        type=click.Choice(["T", "V", "+"]),
        section=KERNELS,
        help="Examples of trees and vectors: compare the trees, the vectors, or vectors + weight * trees.  "
        "[default: as the kernel says]",
    ),
    option(
        *("-S", "--vectors", "vectors"),
        type=click.Choice([*ROW_KERNELS, "0", "1"]),
        default="poly",
        show_default=True,
        section=KERNELS,
        help="What to compare vectors beside trees by; 0 is linear, 1 poly.",
    ),
    option(
        *("-T", "--tree-weight"),
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        show_default=True,
        section=KERNELS,
        help="Of the trees, with --combine +.",
    ),
    option(
        *("-N", "normalise"),
        type=click.IntRange(0, 3),
        metavar="0|1|2|3",
        section=KERNELS,
        help="What is normalised: 0 nothing, 1 trees, 2 vectors, 3 both (SVM-light-TK's default).  "
        "[default: 1, with --raw 0]",
    ),
]

_SOLVING = [
    option(
        "--solver",
        type=click.Choice(SOLVERS),
        default="auto",
        show_default=True,
        section=SOLVING,
        help="All solve the same problem, each within its --tol; cutting-plane is for trees by the hundred thousand.",
    ),
    option(
        "--sampling",
        type=click.Choice(SAMPLINGS),
        section=SOLVING,
        help="Cutting planes of samples: faster to begin with, and approximate.  [default: of all examples]",
    ),
    option(
        "--sample-size",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        section=SOLVING,
        help="Examples of a sampled plane.",
    ),
    option(
        "--confirm",
        type=click.Choice(CONFIRM),
        default="sample",
        show_default=True,
        section=SOLVING,
        help="Where a sample says that all is well, ask another one, or all examples.",
    ),
    option(
        *("-e", "--tol"),
        type=click.FloatRange(0, min_open=True),
        default=1e-3,
        show_default=True,
        section=SOLVING,
        help="Stop where no condition of optimality is violated by more; cutting planes: where the objective is above "
        "the minimum by no more, over the sum of all C.",
    ),
    option("--max-iter", type=click.IntRange(1), section=SOLVING, help="Stop after so many steps.  [default: never]"),
    option(
        *("-m", "--cache"),
        type=_CacheType(),
        section=SOLVING,
        help="Memory for rows of the kernel: 500M, 2G; a bare number is of megabytes.  [default: 4GiB]",
    ),
    option(
        "--convert",
        type=click.Choice(["auto", "yes", "no"]),
        default="auto",
        show_default=True,
        section=SOLVING,
        help="Kernels lo, c and sst, marked or not: convert trees to the fragments they share. 'auto' does so where it "
        "should be faster; the machine is the same, within --tol.",
    ),
    *limit_options(SOLVING),
    option(
        *("-h", "--shrinking"),
        type=click.BOOL,
        default=True,
        metavar="0|1",
        section=SOLVING,
        help="Set aside examples that seem to be settled; without a number -h is --help.  [default: 1]",
    ),
    option("--intercept/--no-intercept", default=True, section=SOLVING, help="Whether there is one.  [default: yes]"),
    option(
        "--intercept-scaling",
        type=click.FloatRange(0, min_open=True),
        section=SOLVING,
        help="The intercept as the weight of one more feature of this value, kept small like the others "
        "(liblinear's problem).  [default: it is free, as in LIBSVM]",
    ),
    option(
        "--scheme",
        type=click.Choice(["ovo", "ovr"]),
        default="ovo",
        show_default=True,
        section=SOLVING,
        help="More than two classes: each against each other, or each against the rest.",
    ),
    option(
        *("-s", "svm_type"),
        type=click.IntRange(0, 4),
        default=0,
        metavar="0",
        section=SOLVING,
        callback=_svm_type,
        help="LIBSVM's type of machine; there is 0, C-SVC.",
    ),
    *(option(f"-{letter}", letter, hidden=True, section=SOLVING, callback=_refused) for letter in _ELSEWHERE),
]


def batch_options(command: Any) -> Any:
    """Give a command the options of batch SVMs."""
    return declared(command, [*_CHOICE, *tree_options(KERNELS), *_FIELDS, *_SOLVING])
