"""gristmill svm-train: a stand-in for LIBSVM's svm-train, by way of `gristmill train`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gristmill.cli.command import OUTPUT, Command, arguments, declared, option
from gristmill.cli.options import jobs_option
from gristmill.cli.train import train
from gristmill.solvers.batch.settings import PRECOMPUTED

_SVM_TYPES = {
    1: "nu-SVC is not offered",
    2: "a one-class SVM is not offered; in Python there is gm.KernelOneClassSVM",
    3: "epsilon-SVR is not offered; in Python there is gm.KernelSVR",
    4: "nu-SVR is not offered; in Python there is gm.KernelSVR",
}
_KERNELS = {0: "linear", 1: "poly", 2: "rbf", 3: "sigmoid", 4: PRECOMPUTED}
_SETTINGS = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0")}
_INSTEAD = {
    "-n": "; C-SVC (-s 0) has -c",
    "-p": "; C-SVC (-s 0) has -c",
    "-v": "; `gristmill tune DATA --folds N --scoring accuracy` cross-validates",
}
_WEIGHT = re.compile(r"-w(.+)")


class LetterCommand(Command):
    """Knows `-w1 2`, and -h with and without a number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*_respelled(args[:end]), *args[end:]])


def _respelled(args: list[str]) -> list[str]:
    """-w1 2 as --class-weight=1=2, and -h without a number as --help."""
    found: list[str] = []
    words = itertools.pairwise([*args, ""])
    for word, following in words:
        weight = _WEIGHT.fullmatch(word)
        if word == "-h" and not following.isdigit():
            found.append("--help")
        elif weight is not None and not following:
            raise click.UsageError(f"{word} needs a factor, as in {word} 2")
        elif weight is not None:
            found.append(f"--class-weight={weight[1]}={following}")
            next(words, None)
        else:
            found.append(word)
    return found


def refused_option(letter: str, what: str, instead: str, allowed: str = "") -> Callable[[Any], Any]:
    """An option that the original has and this command has not, but for one value that changes nothing."""

    def refuse(_: click.Context, __: click.Parameter, value: str | None) -> None:
        if value not in (None, allowed):
            raise click.UsageError(f"{letter} {value}: {what} is not offered{instead}")

    name = f"refused_{letter.strip('-')}"
    return option(letter, name, callback=refuse, expose_value=False, advanced=True, help=f"Not offered: {what}.")


def solver_options(command: Any) -> Any:
    """Give a command -m and -e."""
    memory = option("-m", "megabytes", type=float, help="Memory for rows of the kernel, in MB.  [default: 4GiB]")
    tolerance = option("-e", "tol", type=float, default=1e-3, help="Tolerance of the stopping criterion.")
    return declared(command, [memory, tolerance])


@click.command("svm-train", cls=LetterCommand)
@option("-s", "svm_type", type=click.IntRange(0, 4), default=0, help="The machine; 0: C-SVC.")
@option(
    "-t",
    "kernel",
    type=click.IntRange(0, 4),
    default=2,
    help="The kernel; 0: linear, 1: poly, 2: rbf, 3: sigmoid, 4: precomputed.",
)
@option("-d", "degree", type=int, default=3, help="poly: of (gamma <x, y> + coef0)^degree.")
@option("-g", "gamma", type=float, help="poly, rbf, sigmoid: gamma.  [default: 1 / features]")
@option("-r", "coef0", type=float, default=0.0, help="poly, sigmoid: the constant.")
@option("-c", "cost", type=float, default=1.0, help="C, what an error costs.")
@solver_options
@option("-h", "shrinking", type=click.IntRange(0, 1), default=1, help="1: shrinking.")
@option("--class-weight", "weights", multiple=True, metavar="LABEL=FACTOR", help="-wLABEL FACTOR in LIBSVM: of C.")
@refused_option("-n", "nu of nu-SVC, one-class SVM and nu-SVR", _INSTEAD["-n"])
@refused_option("-p", "epsilon of epsilon-SVR", _INSTEAD["-p"])
@option("-b", "probability", type=click.IntRange(0, 1), default=0, help="1: probability estimates, by five folds.")
@refused_option("-v", "cross validation", _INSTEAD["-v"])
@option("-q", "quiet", is_flag=True, help="Print nothing.")
@jobs_option
@arguments("training_set_file")
@click.argument("model_file", type=OUTPUT, required=False)
@click.pass_context
def svm_train(ctx: click.Context, /, training_set_file: str, model_file: str | None, **options: Any) -> None:
    """Stand in for LIBSVM's svm-train: its options and defaults; MODEL_FILE is a LIBSVM model.

    Values other than 0 and 1 are computed with, as LIBSVM does. MODEL_FILE is TRAINING_SET_FILE.model in this folder
    if it is not named. --jobs is an addition.

    \b
    Examples:
      gristmill svm-train -t 1 -d 2 -g 1 -r 1 -c 0.1 train.svm libsvm.model
      gristmill svm-train -g 0.05 -c 10 train.svm rbf.model
      gristmill svm-train -t 0 -w1 2 -q train.svm
    """
    if options["svm_type"] in _SVM_TYPES:
        raise click.UsageError(f"-s {options['svm_type']}: {_SVM_TYPES[options['svm_type']]}; -s 0 is C-SVC")
    model = model_file or f"{'stdin' if training_set_file == '-' else Path(training_set_file).name}.model"
    run_train(ctx, training_set_file, model, ["--format", "libsvm", *_train_options(options)])


def _train_options(options: dict[str, Any]) -> list[str]:
    """The same for `gristmill train`."""
    kernel = _KERNELS[options["kernel"]]
    found = [f"--kernel={kernel}", f"--cost={options['cost']}", *solver_words(options)]
    found += [f"--class-weight={weight}" for weight in options["weights"]]
    found.append("--shrinking" if options["shrinking"] else "--no-shrinking")
    if options["probability"]:
        found.append("--probability")
    if kernel != PRECOMPUTED:
        found.append("--binarize=keep")
    found += kernel_words(kernel, options | {"gamma": options["gamma"] or "auto"})
    return [*found, *(["--quiet"] if options["quiet"] else [])]


# --- what svm-train and svm-learn share -------------------------------------------------------------------------------


def solver_words(options: dict[str, Any]) -> list[str]:
    """The options of the solver, for `gristmill train`."""
    megabytes = options["megabytes"]
    memory = [] if megabytes is None else [f"--max-bytes={int(megabytes * (1 << 20))}"]
    return [f"--tol={options['tol']}", f"--jobs={options['jobs']}", *memory]


def kernel_words(kernel: str, options: dict[str, Any]) -> list[str]:
    """The options of a kernel of vectors, for `gristmill train`."""
    return [f"--{name}={options[name]}" for name in _SETTINGS.get(kernel, ())]


def run_train(ctx: click.Context, data: str, model: str, options: list[str]) -> None:
    """Run `gristmill train` with these options, under the name of the command at hand."""
    with train.make_context(ctx.info_name, [*options, "--", data, model], parent=ctx.parent) as own:
        train.invoke(own)
