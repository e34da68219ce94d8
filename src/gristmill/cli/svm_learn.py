"""gristmill svm-learn: a stand-in for svm_learn of SVMlight and SVM-light-TK, by way of `gristmill train`."""

from __future__ import annotations

import functools
from typing import Any

import click

from gristmill.cli.command import OUTPUT, arguments, declared, option
from gristmill.cli.options import ALL_CORES
from gristmill.cli.svm_train import (
    LetterCommand,
    kernel_words,
    refused_option,
    run_train,
    solver_options,
    solver_words,
)

_TASKS = {
    "r": "regression is not offered; in Python there is gm.KernelSVR",
    "p": "ranking is not offered; in Python there is gm.KernelRanker",
    "o": "the optimisation of the VC-bound is not offered",
}
_KERNELS = {0: "linear", 1: "poly", 2: "rbf", 3: "sigmoid"}
_OWN = 4
_TREE_KERNELS = (["--kernel=st"], ["--kernel=sst"], ["--kernel=sst-bow"], ["--kernel=ptk", "--max-children=5"])
_WITHOUT_EFFECT = {
    "-q": "the size of subproblems",
    "-n": "new variables in a subproblem",
    "-h": "steps before an example is set aside",
    "-f": "the final check",
    "-#": "steps without progress",
}


def _without_effect(command: Any) -> Any:
    """Give a command the options that tune the solver of the original."""
    return declared(command, [_unused(letter, what) for letter, what in _WITHOUT_EFFECT.items()])


def _unused(letter: str, what: str) -> Any:
    name, shown = f"unused_{letter.strip('-#') or 'steps'}", f"Without effect: {what} in SVMlight."
    return option(letter, name, expose_value=False, advanced=True, help=shown)


_tree_option = functools.partial(option, section="SVM-light-TK (with -t 5)")


@click.command("svm-learn", cls=LetterCommand)
@option("-z", "task", type=click.Choice(["c", "r", "p", "o"]), default="c", help="c: classification.")
@option("-c", "cost", type=float, default=0.0, help="C, what an error costs.  [default: 1 / (mean |x|)^2]")
@option("-j", "factor", type=float, default=1.0, help="Factor of C for positive examples.")
@option("-b", "biased", type=click.IntRange(0, 1), default=1, help="0: no intercept.")
@option("-t", "kernel", type=click.IntRange(0, 5), default=0, help="0: linear, 1: poly, 2: rbf, 3: sigmoid, 5: trees.")
@option("-d", "degree", type=int, default=3, help="poly: of (s <x, y> + r)^d.")
@option("-g", "width", type=float, default=1.0, help="rbf: g of exp(-g |x - y|^2).")
@option("-s", "slope", type=float, default=1.0, help="poly, and s of tanh(s <x, y> + r) for sigmoid.")
@option("-r", "coef0", type=float, default=1.0, help="poly, sigmoid: r.")
@solver_options
@option("-v", "level", type=click.IntRange(0), default=1, help="0: print nothing.")
@_tree_option("-C", "combine", type=click.Choice(["T", "V", "+"]), default="T", help="Compare trees, vectors, or both.")
@_tree_option("-F", "tree_kernel", type=click.IntRange(0, 3), default=1, help="0: st, 1: sst, 2: sst-bow, 3: ptk.")
@_tree_option("-L", "decay", type=float, default=0.4, help="Lambda, the weight of a level or node.")
@_tree_option("-M", "mu", type=float, default=0.4, help="ptk: mu, the weight of a level.")
@_tree_option(
    "-N",
    "normalized",
    type=click.IntRange(0, 3),
    default=3,
    help="Normalise 0: nothing, 1: trees, 2: vectors, 3: both.",
)
@_tree_option("-S", "vectors", type=click.IntRange(0, 3), default=1, help="Vectors; as -t 0 to 3.")
@_tree_option("-T", "tree_weight", type=float, default=1.0, help="The weight of trees, with -C +.")
@refused_option("-w", "the width of the tube in regression", "; in Python there is gm.KernelSVR")
@refused_option("-p", "transduction", "")
@refused_option("-i", "removal of inconsistent examples", "", allowed="0")
@refused_option("-x", "the leave-one-out estimate", "; `gristmill tune --folds` cross-validates", allowed="0")
@_without_effect
@option("--jobs", type=int, default=ALL_CORES, help="Threads.  [default: all cores]")
@arguments("example_file")
@click.argument("model_file", type=OUTPUT, default="svm_model")
@click.pass_context
def svm_learn(ctx: click.Context, /, example_file: str, model_file: str, **options: Any) -> None:
    """Stand in for svm_learn of SVMlight, or of SVM-light-TK with -t 5: its options, defaults and MODEL_FILE.

    Values other than 0 and 1 are computed with, as SVMlight does. Options of estimates, regression, ranking and
    transduction are refused; those that tune SVMlight's solver (-q -n -h -f -#) have no effect. --jobs is an addition.

    \b
    Examples:
      gristmill svm-learn -t 1 -d 2 -c 0.1 train.svm svmlight.model
      gristmill svm-learn -t 5 -F 3 -L 0.4 -c 1 train.tk tree.model
    """
    if options["task"] in _TASKS:
        raise click.UsageError(f"-z {options['task']}: {_TASKS[options['task']]}; -z c is classification")
    if options["kernel"] == _OWN:
        raise click.UsageError("-t 4: a kernel of one's own is not offered; there are -t 0, 1, 2, 3 and 5")
    of_kernel = _tree_options(options) if options["kernel"] == 5 else _row_options(options)
    run_train(ctx, example_file, model_file, [*_shared(options), *of_kernel])


def _shared(options: dict[str, Any]) -> list[str]:
    found = [f"--cost={options['cost'] or 'auto'}", *solver_words(options)]
    if options["factor"] != 1:
        found.append(f"--class-weight=1={options['factor']}")
    return [*found, *([] if options["biased"] else ["--no-intercept"]), *([] if options["level"] else ["--quiet"])]


def _row_options(options: dict[str, Any]) -> list[str]:
    kernel = _KERNELS[options["kernel"]]
    return ["--format=svmlight", "--binarize=keep", f"--kernel={kernel}", *_words(kernel, options)]


def _words(kernel: str, options: dict[str, Any]) -> list[str]:
    """What SVMlight calls -g in RBF and -s in the others is gamma."""
    return kernel_words(kernel, options | {"gamma": options["width" if kernel == "rbf" else "slope"]})


def _tree_options(options: dict[str, Any]) -> list[str]:
    combine, normalized, vectors = options["combine"], options["normalized"], _KERNELS[options["vectors"]]
    found = ["--format=svmlight-tk", f"--combine={combine}"]
    if combine != "V":
        found += [*_TREE_KERNELS[options["tree_kernel"]], f"--decay={options['decay']}"]
        found += [f"--mu={options['mu']}"] if options["tree_kernel"] == 3 else []
        found += [] if normalized in (1, 3) else ["--no-normalize"]
    if combine != "T":
        found += [f"--vectors={vectors}" if combine == "+" else f"--kernel={vectors}"]
        found += [*_words(vectors, options), *(["--normalize-vectors"] if normalized >= 2 else [])]
    return [*found, *([f"--tree-weight={options['tree_weight']}"] if combine == "+" else [])]
