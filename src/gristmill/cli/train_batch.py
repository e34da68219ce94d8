"""gristmill train: a support vector machine from all examples at once."""

from __future__ import annotations

import json
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.cli.learning_options import factors_of
from gristmill.cli.screen import count, note, progress_bar
from gristmill.cli.sections import given
from gristmill.cli.train_data import TrainingData, read_training_data
from gristmill.cli.train_gram import check_gram_model, read_gram, write_gram_model
from gristmill.cli.train_kernel import chosen_name, kernel_for
from gristmill.data.rows import Rows
from gristmill.display.numbers import memory
from gristmill.kernels import Kernel
from gristmill.machines.formats import own, write
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch import SvmFit, SvmInterrupted, SvmSettings, train_svm
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import PRECOMPUTED
from gristmill.solvers.batch.solving import choose_solver

_ALL_CORES = -1
_CONVERT: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}


def train_batch(ctx: click.Context, data: str, model: str, options: dict[str, Any]) -> None:
    """Learn from a file and write the model; Ctrl-C writes the best machine so far."""
    if model == "-" and options["as_json"]:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    name, said = chosen_name(options), given(ctx)
    clock = _Clock({})
    examples = read_gram(data, options["to"]) if name == PRECOMPUTED else read_training_data(data, name, options, said)
    clock.note("reading")
    if options["convert"] == "no" and {"max_size", "max_embeddings"} & said.keys():
        raise click.UsageError("--max-size and --max-embeddings are of conversion, --convert auto or yes")
    if options["sampling"] is None and {"sample_size", "confirm"} & said.keys():
        raise click.UsageError("--sample-size and --confirm are of samples, with --sampling only")
    settings = _settings(kernel_for(examples, name, options, said), options)
    check_format(examples, settings, options["to"])
    fit, interrupted = _solve(examples, settings, options, clock)
    if fit.machine is None:
        write_gram_model(fit, examples, model)
    else:
        write(fit.machine, model, options["to"])
    clock.note("writing")
    _say(_summary(examples, settings, fit, clock) | {"interrupted": interrupted}, options)
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


def check_format(data: TrainingData, settings: SvmSettings, name: str) -> None:
    """Write a machine like the one to come, which may be too much for a format."""
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
    with tempfile.TemporaryDirectory() as folder:
        write(like, Path(folder) / "model", name)


def _settings(kernel: Kernel | str, options: dict[str, Any]) -> SvmSettings:
    if options["cost"] == "auto":
        raise click.UsageError("-C auto is of online learning, with --online only")
    if not options["intercept"] and options["intercept_scaling"] is not None:
        raise click.UsageError("--intercept-scaling says how there is an intercept, --no-intercept that there is none")
    if options["cache"] is not None and options["max_bytes"] is not None:
        raise click.UsageError("--cache or --max-bytes, not both: they mean the same")
    return SvmSettings(
        kernel,
        C=options["cost"],
        solver=options["solver"],
        tol=options["tol"],
        max_iter=options["max_iter"] or -1,
        fit_intercept=options["intercept"],
        intercept_scaling=options["intercept_scaling"],
        multiclass=options["scheme"],
        shrinking=options["shrinking"],
        max_bytes=options["max_bytes"] if options["cache"] is None else options["cache"],
        convert=_CONVERT[options["convert"]],
        max_size=options["max_size"],
        max_embeddings=options["max_embeddings"],
        sampling=options["sampling"],
        sample_size=options["sample_size"],
        confirm=options["confirm"],
        seed=options["seed"],
    )


def _solve(data: TrainingData, settings: SvmSettings, options: dict[str, Any], clock: _Clock) -> tuple[SvmFit, bool]:
    """What was learned, and whether it was interrupted."""
    jobs = _ALL_CORES if options["jobs"] is None else options["jobs"]
    weights = _weights(data, options)
    rows = _rows(data, settings, jobs)
    clock.note("rows")
    interrupted = False
    with progress_bar("solving") as progress:
        try:
            fit = train_svm(
                rows,
                data.numbers,
                data.labels.classes,
                settings,
                weights=weights,
                n_jobs=jobs,
                progress=progress,
                first_id=data.first_id,
            )
        except SvmInterrupted as stop:
            fit, interrupted = stop.fit, True
    clock.note("solving")
    return fit, interrupted


def _rows(data: TrainingData, settings: SvmSettings, jobs: int | None) -> TrainingRows:
    """With the Gram matrix of trees, if smo will want it; of other rows a solver needs some only, or none."""
    rows = TrainingRows.of(settings, data.X, None)
    if not isinstance(data.X, Rows | np.ndarray) and choose_solver(settings, rows) == "smo":
        with progress_bar("comparing") as progress:
            rows.native(jobs, progress)
    return rows


def _weights(data: TrainingData, options: dict[str, Any]) -> NDArray[np.float64] | None:
    if not options["weights"]:
        return None
    return np.array(factors_of(options, data.labels))[data.numbers]


# --- what is said -----------------------------------------------------------------------------------------------------


def _say(summary: dict[str, Any], options: dict[str, Any]) -> None:
    if options["as_json"]:
        click.echo(json.dumps(summary))
    if not options["quiet"]:
        note(_described(summary))


def _summary(data: TrainingData, settings: SvmSettings, fit: SvmFit, clock: _Clock) -> dict[str, Any]:
    return {
        "examples": len(data.X),
        "classes": data.labels.classes.tolist(),
        "kernel": repr(settings.kernel),
        "C": settings.C,
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
