"""Options of learning: those of `gristmill train`, and those of `gristmill tune`, which takes lists of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gristmill.cli.command import OUTPUT, Option, declared, given, option
from gristmill.cli.kernel_options import (
    GAMMA,
    KERNEL_NAMES,
    ROW_KERNELS,
    limit_options,
    reading_options,
    row_options,
    tree_options,
)
from gristmill.cli.options import (
    BYTES,
    NumberOr,
    binarize_option,
    jobs_option,
    json_option,
    list_of,
    quiet_option,
    seed_option,
)
from gristmill.cli.table_options import TABLE_OPTIONS, TABLES
from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel
from gristmill.kernels.by_name import row_kernel
from gristmill.machines.formats import MODEL_FORMATS
from gristmill.solvers.batch.settings import CONFIRM, PRECOMPUTED, SAMPLINGS, SOLVERS
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.online import OnlineSettings
from gristmill.solvers.online.examples import Labels
from gristmill.solvers.online.settings import ARITHMETICS, ENGINES, NORMS, RANKINGS, UPDATES
from gristmill.tuning.solvers import SEARCHES

ONLINE = "Online learning (with --online)"
KERNELS = "Kernels of batch SVMs"
BATCH = "Batch SVMs (without --online)"
LOGISTIC = "logistic"
_OF_LOGISTIC = ("loss", "tol", "max_iter")
FORMATS = [known.NAME for known in MODEL_FORMATS]


# --- types ------------------------------------------------------------------------------------------------------------


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


_SAME_NAME = (
    *("update", "norm", "engine", "expanded", "early_termination"),
    *("rank_by", "max_bytes", "arithmetic", "budget"),
)
COST = NumberOr(AUTO)


# --- shared -----------------------------------------------------------------------------------------------------------


def _online(*names: str, advanced: bool = True, **settings: Any) -> Callable[[Any], Any]:
    return option(*names, section=ONLINE, advanced=advanced, **settings)


def _batch(*names: str, advanced: bool = True, **settings: Any) -> Callable[[Any], Any]:
    return option(*names, section=BATCH, advanced=advanced, **settings)


def _kernel(*names: str, **settings: Any) -> Callable[[Any], Any]:
    return option(*names, section=KERNELS, advanced=True, **settings)


_online_flag = option("--online", is_flag=True, help="Perceptron or passive-aggressive learning, example by example.")
_format_option = option("--format", type=click.Choice(FORMATS), default="gristmill", help="The format of MODEL.")
_WEIGHTS = [
    option(
        *("--class-weight", "weights"),
        type=_WeightType(),
        multiple=True,
        help="LABEL=FACTOR of C, as spam=2; may be repeated.",
    ),
    option(
        "--max-bytes",
        type=BYTES,
        advanced=True,
        help="Memory, as 500M or 2G: online for weights of conjunctions (default 1GiB), in batch for rows of the "
        "kernel (default 4GiB).",
    ),
    option(
        "--zero-based/--one-based",
        default=None,
        advanced=True,
        help="How DATA count features.  [default: what they show]",
    ),
]
_TOLERANCE = _batch(
    "--tol",
    type=click.FloatRange(0, min_open=True),
    default=1e-3,
    help="Stop where no condition of optimality is violated by more; cutting planes: where the objective is above "
    "the minimum by no more, over the sum of all C; --loss logistic: by no more, over the objective without any "
    "weights.  [default: 0.001; with --loss logistic 0.0001]",
)
_INTERCEPT = _batch("--intercept/--no-intercept", default=True, help="Whether there is one.  [default: yes]")
_MULTICLASS = _batch(
    "--multiclass",
    type=click.Choice(["ovo", "ovr"]),
    default="ovo",
    help="More than two classes: each against each other, or each against the rest.",
)
_ONLINE = [
    _online("--update", type=click.Choice(UPDATES), default="pa1", help="The size of a step."),
    _online("--norm", type=click.Choice(NORMS), default="input", help="|x| or k(x, x)."),
    _online("--average/--last", default=True, help="The mean of all models, or the last."),
    _online("--shuffle", is_flag=True, help="Visit the examples in another order in each epoch."),
    _online("--engine", type=click.Choice(ENGINES), default="auto", help="All learn the same."),
    _online("--expanded", type=click.IntRange(0), help="Features whose conjunctions get weights.  [default: all]"),
    _online("--reuse/--no-reuse", default=None, help="Partial margins, with 'reslice'.  [default: from degree 3]"),
    _online("--early-termination/--full-margins", default=True, help="Changes no result."),
    _online("--rank-by", type=click.Choice(RANKINGS), default="frequency"),
    _online("--arithmetic", type=click.Choice(ARITHMETICS), default="auto"),
    _online("--budget", type=click.IntRange(1), help="Most support vectors; forgets the oldest: an approximation."),
    _online("--classes", help="All labels, with commas between; needed if a stream does not show them at once."),
]


# --- train ------------------------------------------------------------------------------------------------------------

_TRAIN = [
    option(
        *("-k", "--kernel"),
        type=click.Choice([*KERNEL_NAMES, PRECOMPUTED]),
        help="What to compare examples by; precomputed: DATA are a Gram matrix, as `gristmill kernel --format libsvm` "
        "writes it.  [default: poly; for trees sst]",
    ),
    *row_options(),
    option(
        *("-C", "--cost"),
        type=COST,
        help="What an error costs; 'auto' is by the scale of the data, SVMlight's default. With --online: the largest "
        "step, or 'auto', opal's.  [default: 1; with --online and --loss logistic auto]",
    ),
    _batch(
        "--loss",
        type=click.Choice(["hinge", LOGISTIC]),
        default="hinge",
        advanced=False,
        help="hinge: a support vector machine. logistic: logistic regression on rows, which has probabilities.",
    ),
    *tree_options(KERNELS),
    _kernel(
        "--combine",
        type=click.Choice(["T", "V", "+"]),
        help="Examples of trees and vectors: compare the trees, the vectors, or vectors + weight * trees.  "
        "[default: as the kernel says]",
    ),
    _kernel(
        "--vectors", type=click.Choice(ROW_KERNELS), default="poly", help="The kernel of vectors, with --combine +."
    ),
    _kernel(
        "--tree-weight",
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        help="The weight of the trees, with --combine +.",
    ),
    _kernel("--normalize-vectors", is_flag=True, help="Normalise the kernel of vectors, too."),
    _batch(
        "--probability",
        is_flag=True,
        advanced=False,
        help="Fit probabilities, by five folds: `gristmill predict --probabilities` then has them.",
    ),
    _batch(
        "--solver",
        type=click.Choice(SOLVERS),
        default="auto",
        help="All solve the same problem, each within its --tol; cutting-plane is for trees by the hundred thousand.",
    ),
    _batch(
        "--sampling",
        type=click.Choice(SAMPLINGS),
        help="Cutting planes of samples: faster to begin with, and approximate.  [default: of all examples]",
    ),
    _batch("--sample-size", type=click.IntRange(1), default=1000, help="Examples of a sampled plane."),
    _batch(
        "--confirm",
        type=click.Choice(CONFIRM),
        default="sample",
        help="Where a sample violates nothing, check another sample, or all examples.",
    ),
    _TOLERANCE,
    _batch(
        "--max-iter",
        type=click.IntRange(1),
        help="Stop after so many steps.  [default: never; with --loss logistic after 1000 passes]",
    ),
    _batch(
        "--convert",
        type=click.Choice(["auto", "yes", "no"]),
        default="auto",
        help="Kernels lo, c and sst, marked or not: convert trees to the fragments they share. 'auto' does so where it "
        "should be faster; the machine is the same, within --tol.",
    ),
    *limit_options(BATCH),
    _batch("--shrinking/--no-shrinking", default=True, help="Set aside examples that seem settled.  [default: yes]"),
    _INTERCEPT,
    _batch(
        "--intercept-scaling",
        type=click.FloatRange(0, min_open=True),
        help="The intercept as the weight of one more feature of this value, kept small like the others "
        "(liblinear's problem).  [default: it is free, as in LIBSVM]",
    ),
    _MULTICLASS,
]
_RUNS = [
    _online("--epochs", type=click.IntRange(1), advanced=False, help="Passes.  [default: 10; 1 for a stream of stdin]"),
    _online("--init", type=click.Path(), help="A model to start from."),
    _online("--stream", is_flag=True, help="Never hold DATA in memory: read them block by block, in each epoch."),
    _online(
        *("--checkpoint", "checkpoint_path"),
        type=click.Path(),
        help="The file that keeps the state: written every minute, when interrupted and at the end.",
    ),
    _online("--checkpoint-every", type=click.FloatRange(0), default=60.0, metavar="SECONDS"),
    _online(
        "--resume",
        type=click.Path(),
        help="A checkpoint to go on from, with its settings. It is kept up to date, unless --checkpoint names another.",
    ),
]


def train_options(command: Any) -> Any:
    """Give a command the options of learning one model."""
    running = [_format_option, binarize_option, seed_option, jobs_option, quiet_option, json_option]
    return declared(command, [_online_flag, *_TRAIN, *_WEIGHTS, *TABLE_OPTIONS, *_ONLINE, *_RUNS, *running])


# --- tune -------------------------------------------------------------------------------------------------------------

_TUNE: list[Any] = [
    option(
        *("-k", "--kernel", "kernels"),
        type=list_of(click.Choice(KERNEL_NAMES)),
        help="What to compare by.  [default: poly; for trees st,sst,sst-bow,ptk,uptk]",
    ),
    option("-d", "--degree", type=list_of(click.INT), help="poly: of (gamma <x, y> + coef0)^degree.  [default: 1,2,3]"),
    option(
        *("-C", "--cost"),
        type=list_of(COST),
        help="What an error costs, or 'auto'.  [default: 0.01,0.1,1,10,100,1000]  With --online largest steps, or "
        "'auto'.  [default: 0.001,0.01,0.1,1]",
    ),
    option(
        "--scoring",
        metavar="NAME",
        help="What counts: f1, accuracy or any scorer of scikit-learn, as roc_auc. F1 is that of the second of two "
        "classes, the mean over more.  [default: f1; with --online accuracy, and f1 is always the mean]",
    ),
    _batch("--folds", type=click.IntRange(2), advanced=False, help="Score by so many folds of DATA, without HELD_OUT."),
    _batch(*("-L", "--decay"), type=list_of(click.FLOAT), advanced=False, help="Trees.  [default: the kernel's own]"),
    _batch("-M", "--mu", type=list_of(click.FLOAT), help="ptk, uptk.  [default: 0.4]"),
    option(
        *("-g", "--gamma"),
        type=list_of(GAMMA),
        advanced=True,
        help="poly, rbf, sigmoid: numbers, 'scale' or 'auto'.  [default: scale; for poly 1]",
    ),
    option(
        *("-r", "--coef0"),
        type=list_of(click.FLOAT),
        advanced=True,
        help="poly, sigmoid: the constant.  [default: 0; for poly 1]",
    ),
    *reading_options(BATCH),
    _batch(
        "--search",
        type=click.Choice(SEARCHES),
        default="auto",
        help="subset: the best of each sample go on to a larger one; exact: all settings on all examples; "
        "cutting-plane: all examples, approximately; slicing: online learning on samples, poly only. The last step is "
        "always exact.",
    ),
    _batch("--sample-sizes", type=list_of(click.INT), help="Examples.  [default: 600, and by factors]"),
    _batch("--factor", type=click.FloatRange(1), default=3.0, help="One in so many settings goes on."),
    _TOLERANCE,
    _MULTICLASS,
    _INTERCEPT,
    _batch(
        "--cluster",
        metavar="local|ADDRESS|FILE",
        help="Try settings on a Dask cluster: on this machine, at an address, or of a scheduler file.",
    ),
    _batch("--plot", type=OUTPUT, advanced=False, help="A figure of what was found: .svg, .png, .pdf."),
]
_PASSES = _online("--epochs", type=list_of(click.IntRange(1)), advanced=False, help="Passes.  [default: 1,3,10]")


def tune_options(command: Any) -> Any:
    """Give a command the options of searching for the best model."""
    running = [_format_option, binarize_option, seed_option, jobs_option, json_option]
    return declared(command, [_online_flag, *_TUNE, *_WEIGHTS, *_ONLINE, _PASSES, *running])


# --- what they stand for ----------------------------------------------------------------------------------------------


def check_together(ctx: click.Context, *, online: bool, loss: str = "hinge") -> None:
    """Refuse options of the other ways of learning."""
    sections = {param.name: param.section for param in ctx.command.params if isinstance(param, Option)}
    kernels = ctx.params.get("kernel") or ctx.params.get("kernels")
    logistic = loss == LOGISTIC and not online
    others = (KERNELS, BATCH) if online else (ONLINE, KERNELS, BATCH) if logistic else (ONLINE,)
    known = _OF_LOGISTIC if logistic else ()
    wrong = [spelled for name, spelled in given(ctx).items() if sections.get(name) in others and name not in known]
    if (online or logistic) and kernels not in (None, "poly", ["poly"]):
        wrong.insert(0, "--kernel")
    tables = [spelled for name, spelled in given(ctx).items() if sections.get(name) == TABLES]
    if tables:
        raise click.UsageError(f"{', '.join(tables)}: for tables, with --target COLUMN only")
    if wrong:
        where = "for batch SVMs, not with --online" if online else "for online learning, with --online only"
        raise click.UsageError(f"{', '.join(wrong)}: {'not with --loss logistic' if logistic else where}")


def settings_of(options: dict[str, Any], epochs: int) -> OnlineSettings:
    """The settings that the options stand for."""
    return OnlineSettings(
        polynomial_of(options),
        C=AUTO if options["cost"] is None else options["cost"],
        epochs=epochs,
        averaged=options["average"],
        reuse="auto" if options["reuse"] is None else options["reuse"],
        **{name: options[name] for name in _SAME_NAME},
    )


def polynomial_of(options: dict[str, Any], rows: Rows | None = None) -> PolynomialKernel:
    """The kernel 'poly' of the options."""
    kernel = row_kernel("poly", rows, **{name: options[name] for name in ("degree", "gamma", "coef0")})
    assert isinstance(kernel, PolynomialKernel)
    return kernel


def names_of(options: dict[str, Any]) -> list[str]:
    """Of the classes, where they are given."""
    return [name.strip() for name in options["classes"].split(",")] if options["classes"] else []


def factors_of(options: dict[str, Any], labels: Labels) -> list[float]:
    """Of C, by class number."""
    given = {labels.number(name): factor for name, factor in options["weights"]}
    return [given.get(number, 1.0) for number in range(len(labels.classes))]
