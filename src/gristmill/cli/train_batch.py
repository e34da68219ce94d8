"""gristmill train without --online: a support vector machine from all examples at once."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from gristmill.cli.kernel_options import CONVERSION_LIMITS, ROW_KERNELS, kernel_named
from gristmill.cli.screen import count, note, progress_bar
from gristmill.cli.train_data import TrainingData, check_gram_model, read_gram, read_training_data, write_gram_model
from gristmill.cli.train_options import factors_of
from gristmill.data.examples import Examples
from gristmill.data.rows import Rows
from gristmill.display.numbers import memory
from gristmill.kernels import Kernel, OverlapKernel, TreeKernel
from gristmill.kernels.named import TREE_KERNELS
from gristmill.machines.formats import as_bytes, libsvm, own, write
from gristmill.machines.formats.svmlight_tk_kernels import Combination
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch import SvmFit, SvmInterrupted, SvmSettings, train_svm
from gristmill.solvers.batch.calibrating import train_with_probability
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import PRECOMPUTED
from gristmill.solvers.batch.solving import choose_solver

_CONVERT: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}
_SAME_NAME = (
    *("solver", "tol", "intercept_scaling", "multiclass", "shrinking", "max_bytes"),
    *("max_size", "max_embeddings", "min_support", "sampling", "sample_size", "confirm"),
)
_WITH_PROBABILITY = (own.NAME, libsvm.NAME)
_FOR_TREES = ("decay", "mu", "weighting", "max_children", "terminal_factor")
_FOR_ROWS = ("degree", "gamma", "coef0")
_FOR_FIELDS = ("combine", "vectors", "tree_weight", "no_normalize", "normalize_vectors", "marks", "field")


def train_batch(data: str, model: str, options: dict[str, Any], given: dict[str, str]) -> None:
    """Learn from a file and write the model; Ctrl-C writes the best machine so far."""
    if model == "-" and options["as_json"]:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    name, form = options["kernel"], options["format"]
    clock = _Clock({})
    examples = read_gram(data, form) if name == PRECOMPUTED else read_training_data(data, name, options, given)
    clock.note("reading")
    if options["convert"] == "no" and CONVERSION_LIMITS.keys() & given.keys():
        raise click.UsageError(f"{', '.join(CONVERSION_LIMITS.values())} are for conversion, --convert auto or yes")
    if options["sampling"] is None and {"sample_size", "confirm"} & given.keys():
        raise click.UsageError("--sample-size and --confirm are for samples, with --sampling only")
    if options["probability"]:
        check_keeps_probability("--probability", form)
    settings = _settings(kernel_for(examples, name, options, given), options)
    check_format(examples, settings, form)
    fit, interrupted = _solve(examples, settings, options, clock)
    if fit.machine is None:
        write_gram_model(fit, examples, model)
    else:
        write(fit.machine, model, form)
    clock.note("writing")
    _print(_summary(examples, fit, clock) | {"interrupted": interrupted}, options)
    if interrupted:
        note(f"interrupted; the best machine so far is in {model}")
        raise KeyboardInterrupt


@dataclass
class _Clock:
    """Seconds of each part of the work."""

    seconds: dict[str, float]

    def __post_init__(self) -> None:
        self._begin = time.perf_counter()

    def note(self, part: str) -> None:
        """One part ends now, and the next one begins."""
        now = time.perf_counter()
        self.seconds[part], self._begin = now - self._begin, now


def check_keeps_probability(asked: str, form: str) -> None:
    """Refuse a format that would lose them."""
    if form not in _WITH_PROBABILITY:
        raise click.UsageError(f"{asked}: --format {' or '.join(_WITH_PROBABILITY)} keeps probabilities, {form} none")


def check_format(data: TrainingData, settings: SvmSettings, name: str) -> None:
    """Make a machine like the one to come into a file of the format, which may be too much for it."""
    classes = data.labels.classes
    scheme = Scheme.BINARY if len(classes) == 2 else Scheme.parse(settings.multiclass)
    if isinstance(data.X, np.ndarray):
        check_gram_model(data, scheme)
    if name == own.NAME or not isinstance(settings.kernel, Kernel):
        return
    n_outputs = scheme.outputs(len(classes)) or 1
    support = data.X.take(np.arange(1)) if isinstance(data.X, Rows) else data.X[:1]
    more: dict[str, Any] = {"first_id": data.first_id} if isinstance(data.X, Rows) else {}
    intercept = np.full(n_outputs, float(settings.fit_intercept))
    like = Machine(settings.kernel, support, np.zeros((1, n_outputs)), intercept, classes, scheme, **more)
    as_bytes(like, name)


def _settings(kernel: Kernel | str, options: dict[str, Any]) -> SvmSettings:
    if not options["intercept"] and options["intercept_scaling"] is not None:
        raise click.UsageError("--intercept-scaling says how there is an intercept, --no-intercept that there is none")
    return SvmSettings(
        kernel,
        C=1.0 if options["cost"] is None else options["cost"],
        max_iter=options["max_iter"] or -1,
        fit_intercept=options["intercept"],
        convert=_CONVERT[options["convert"]],
        seed=options["random_state"],
        **{name: options[name] for name in _SAME_NAME},
    )


def _solve(data: TrainingData, settings: SvmSettings, options: dict[str, Any], clock: _Clock) -> tuple[SvmFit, bool]:
    """What was learned, and whether it was interrupted."""
    jobs = options["jobs"]
    factors = np.array(factors_of(options, data.labels)) if options["weights"] else None
    rows = _rows(data, settings, jobs)
    clock.note("rows")
    found = solve(
        *(rows, data.numbers, data.labels.classes, settings),
        train=train_with_probability if options["probability"] else train_svm,
        class_factors=factors,
        n_jobs=jobs,
        first_id=data.first_id,
    )
    clock.note("solving")
    return found


def solve(*examples: Any, train: Callable[..., SvmFit] | None = None, **options: Any) -> tuple[SvmFit, bool]:
    """What `train_svm`, or `train`, learns, and whether it was interrupted."""
    with progress_bar("solving") as progress:
        try:
            return (train or train_svm)(*examples, progress=progress, **options), False
        except SvmInterrupted as stop:
            return stop.fit, True


def _rows(data: TrainingData, settings: SvmSettings, jobs: int) -> TrainingRows:
    """With the Gram matrix of trees, where smo needs it; other solvers need some rows only, or none."""
    rows = TrainingRows.of(settings, data.X, None)
    if not isinstance(data.X, Rows | np.ndarray) and choose_solver(settings, rows) == "smo":
        with progress_bar("comparing") as progress:
            rows.native(jobs, progress)
    return rows


# --- the kernel -------------------------------------------------------------------------------------------------------


def kernel_for(data: TrainingData, name: str | None, options: dict[str, Any], given: Mapping[str, str]) -> Kernel | str:
    """The kernel that compares these examples, or 'precomputed'."""
    if name == PRECOMPUTED:
        _refuse(given, (*_FOR_TREES, *_FOR_ROWS, *_FOR_FIELDS), "kernels that are computed here")
        return PRECOMPUTED
    if not data.tree_fields and name in TREE_KERNELS:
        raise click.UsageError(f"{data.name}: there are no trees in it, for --kernel {name}")
    if data.vector_fields == [None]:
        _refuse(given, _FOR_FIELDS, "kernels of trees")
        return kernel_named(name or "poly", options, given, _widest(data))
    return _combination(data, name, options, given)


def _combination(data: TrainingData, name: str | None, options: dict[str, Any], given: Mapping[str, str]) -> Kernel:
    name = name or ("sst" if data.tree_fields else "poly")
    combine = options["combine"] or ("V" if name in ROW_KERNELS else "T")
    if name in ROW_KERNELS and combine != "V":
        raise click.UsageError(f"--combine {combine} needs a kernel of trees, not --kernel {name}")
    trees, vectors = _fields(data, combine, options["field"])
    if combine == "T" and not options["combine"] and not options.get("quiet"):
        _note_vectors(data.X)
    if combine != "+":
        _refuse(given, ["tree_weight"], "--combine +")
    combined = Combination(
        _on_trees(name, combine, options, given),
        _on_vectors(name, combine, _widest(data), options, given),
        combine != "V",
        combine != "T",
        not options["no_normalize"],
        options["normalize_vectors"],
        options["tree_weight"],
    )
    return combined.kernel(trees, vectors)


def _note_vectors(X: Any) -> None:
    """Trees alone are what SVM-light-TK compares, too, but nobody should have to find out."""
    fields = X.fields.values() if isinstance(X, Examples) else ()
    if any(isinstance(field, Rows) and len(field.ids) for field in fields):
        note("the trees are compared, the vectors are not; --combine + compares both, --combine T hides this note")


def _fields(data: TrainingData, combine: str, field: str | None) -> tuple[list[str | None], list[str | None]]:
    trees, vectors = data.tree_fields, data.vector_fields
    if combine != "V" and not trees:
        raise click.UsageError(f"{data.name}: there are no trees in it to compare")
    if combine != "T" and not vectors:
        raise click.UsageError(f"{data.name}: there are no vectors in it; compare the trees, as with --kernel sst")
    if field is None:
        return trees, vectors
    names = ["tree" if name is None else name for name in trees]
    if combine == "V" or field not in names:
        raise click.UsageError(f"--tree {field}: the trees of {data.name} are {', '.join(names) or 'none'}")
    return [trees[names.index(field)]], vectors


def _widest(data: TrainingData) -> Rows | None:
    """The rows that gamma is found from: of several fields those with the most features."""
    fields = data.X.fields.values() if isinstance(data.X, Examples) else [data.X]
    rows = [field for field in fields if isinstance(field, Rows)]
    return max(rows, key=lambda field: field.n_features, default=None)


def _on_trees(name: str, combine: str, options: dict[str, Any], given: Mapping[str, str]) -> TreeKernel:
    if combine == "V":
        _refuse(given, _FOR_TREES, "kernels of trees, --combine T or +")
        return Combination().trees
    rest = [key for key in _FOR_TREES if key in given]
    made = kernel_named(name, options, [*rest, *(key for key in _FOR_ROWS if key in given and combine == "T")])
    assert isinstance(made, TreeKernel)
    return made


def _on_vectors(
    name: str, combine: str, rows: Rows | None, options: dict[str, Any], given: Mapping[str, str]
) -> OverlapKernel:
    if combine == "T":
        _refuse(given, ["vectors"], "--combine V or +")
        return Combination().vectors
    chosen = name if name in ROW_KERNELS else options["vectors"]
    made = kernel_named(chosen, options, [key for key in _FOR_ROWS if key in given], rows)
    assert isinstance(made, OverlapKernel)
    return made


def _refuse(given: Mapping[str, str], names: Any, where: str) -> None:
    wrong = [given[name] for name in names if name in given]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: for {where} only")


# --- what is printed --------------------------------------------------------------------------------------------------


def _print(summary: dict[str, Any], options: dict[str, Any]) -> None:
    if options["as_json"]:
        click.echo(json.dumps(summary))
    if not options["quiet"]:
        note(_described(summary))


def _summary(data: TrainingData, fit: SvmFit, clock: _Clock) -> dict[str, Any]:
    return {
        "examples": len(data.X),
        "classes": data.labels.classes.tolist(),
        "kernel": repr(fit.settings.kernel),
        "C": fit.settings.C,
        "solver": fit.solver,
        "converted": fit.conversion.converts,
        "conversion": fit.conversion.reason,
        "handed_over": fit.handed_over.tolist(),
        "support": len(fit.support),
        "n_support": fit.n_support.tolist(),
        "iterations": fit.n_iter.tolist(),
        "objective": fit.objective.tolist(),
        "violation": [value if math.isfinite(value) else None for value in fit.violation.tolist()],
        "converged": fit.converged,
        "kernel_bytes": fit.nbytes,
        "seconds": clock.seconds,
    }


def _described(summary: dict[str, Any]) -> str:
    objectives = summary["objective"]
    reached = f"objective {sum(objectives):.6g}{' in all' * (len(objectives) > 1)}"
    solver = summary["solver"] + " and smo" * any(summary["handed_over"])
    solver += " on converted trees" * summary["converted"]
    worst = max((value for value in summary["violation"] if value is not None), default=math.inf)
    return (
        f"{count(summary['examples'])} examples of {len(summary['classes'])} classes, {solver} with "
        f"{summary['kernel']}: {count(summary['support'])} support vectors, {reached}, violation "
        f"{worst:.2g}, {memory(summary['kernel_bytes'])} of kernel, {sum(summary['seconds'].values()):.1f} s"
    )
