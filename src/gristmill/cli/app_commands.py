"""What the commands of apps share: tag, segment, parse, roles and classify-trees learn, run and evaluate alike."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from typing import Any

import click

from gristmill.apps.learning import MULTICLASS, SOLVERS
from gristmill.base.files import decoded, read_bytes
from gristmill.cli.command import declared, option
from gristmill.cli.kept_models import kept
from gristmill.cli.options import engine_option, jobs_option, json_option, quiet_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import note, progress_bar
from gristmill.kernels import Kernel, Normalized
from gristmill.kernels.named import TREE_KERNELS
from gristmill.scoring.engines import ENGINES

_Declared = Callable[[Any], Any]

# --- options ----------------------------------------------------------------------------------------------------------

degree_option = option("-d", "--degree", type=click.IntRange(1, 12), default=2, help="Features in a conjunction.")
solver_option = option(
    "--solver",
    type=click.Choice(SOLVERS),
    default="online",
    help="online takes seconds; the others learn an exact support vector machine, in minutes.",
)
keep_option = option(
    "--keep-examples",
    is_flag=True,
    help="MODEL keeps the training sentences that it rests on, for `explain --influence`.",
)
epochs_option = option("--epochs", type=click.IntRange(1), default=10, help="Passes of online learning.")
decay_option = option(
    "-L", "--decay", type=float, help="Lambda, the weight of a level or node.  [default: the kernel's own]"
)
training_options: _Declared = functools.partial(declared, options=[jobs_option, quiet_option, json_option])


def learner_options(answers: str) -> _Declared:
    """The options of learning machines that choose among these answers."""
    multiclass = option(
        "--multiclass",
        type=click.Choice(MULTICLASS),
        default="auto",
        advanced=True,
        help=f"All {answers} at once (native, online), each against the rest, each against each.",
    )
    cost = option("-C", "--cost", type=float, help="What an error costs.  [default: by the solver]")
    return functools.partial(
        declared, options=[solver_option, multiclass, degree_option, cost, epochs_option, keep_option]
    )


def learner_settings(options: dict[str, Any]) -> dict[str, Any]:
    """What the options say, as Tagger and DependencyParser take it."""
    chosen = {name: options[name] for name in ("solver", "multiclass", "degree", "epochs", "keep_examples")}
    return chosen | {"C": options["cost"], "n_jobs": options["jobs"]}


def scoring_options(answers: str, *others: _Declared, engines: tuple[str, ...] = ENGINES) -> _Declared:
    """The options of a command that gives these answers, by a model."""
    return functools.partial(declared, options=[engine_option(engines, answers), *others, jobs_option])


def text_or_file(value: str) -> tuple[str, str | None]:
    """The text of an option such as --templates, and the file that it is from where it is `@FILE`."""
    if not value.startswith("@"):
        return value, None
    return decoded(read_bytes(value[1:])), value[1:]


def normalized_kernel(name: str, decay: float | None) -> Kernel:
    """The kernel of trees of this name, normalised."""
    return Normalized(TREE_KERNELS[name]() if decay is None else TREE_KERNELS[name](decay=decay))


# --- train ------------------------------------------------------------------------------------------------------------


class AppTraining:
    """A `train` command: refuses a MODEL that cannot be written or is read, learns, saves, prints a summary."""

    def __init__(self, model: str, inputs: list[str], options: dict[str, Any]) -> None:
        if model == "-" and options["as_json"]:
            raise click.UsageError("standard output has the model: with --json name a file for MODEL")
        check_place(model, *inputs)
        self._model, self._options = model, options
        self._begin, self._interrupted = time.perf_counter(), False

    def fit(self, app: Any, fit: Callable[[], object]) -> None:
        """Learn and save; also where learning was interrupted with something learned."""
        with progress_bar("learning") as app.progress:
            try:
                fit()
            except KeyboardInterrupt:
                if not hasattr(app, "machine_"):
                    raise
                self._interrupted = True
            finally:
                app.progress = None
        app.save(self._model)

    def print(self, summary: dict[str, Any], parts: list[str]) -> None:
        """Print the summary as JSON and its parts as a line; end as interrupted if learning was."""
        seconds = time.perf_counter() - self._begin
        if self._options["as_json"]:
            click.echo(json.dumps(summary | {"seconds": seconds, "interrupted": self._interrupted}))
        if not self._options["quiet"]:
            note("; ".join([*parts, f"{seconds:.1f} s"]))
        if self._interrupted:
            note(f"interrupted; what was learned so far is in {self._model}")
            raise KeyboardInterrupt


# --- run and evaluate -------------------------------------------------------------------------------------------------


def load_app(kind: Any, model: str, options: dict[str, Any], *names: str) -> Any:
    """The app of a file, with the engine and the threads of the options, and more by their names."""
    settings = load_settings(options, *names)
    return kept(model, (kind, *sorted(settings.items())), lambda: kind.load(model, **settings))


def load_settings(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """How an app works on this computer, by the options."""
    return {"n_jobs": options["jobs"]} | {
        name: options[name] for name in ("engine", *names) if options[name] is not None
    }


def print_scores(scores: Any, draw: Callable[[Any], None], *, as_json: bool) -> None:
    """As JSON or as tables."""
    if as_json:
        click.echo(json.dumps(scores.as_dict()))
    else:
        draw(scores)
