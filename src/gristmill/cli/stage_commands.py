"""What tokenize, split-words and lemmatize share: they learn from CoNLL-U, and write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from gristmill.base.errors import naming
from gristmill.base.files import display_name
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_commands import (
    AppTraining,
    degree_option,
    epochs_option,
    load_app,
    print_scores,
    scoring_options,
    solver_option,
    text_or_file,
    training_options,
)
from gristmill.cli.command import OUTPUT, TEXT_OR_FILE, Command, Group, arguments, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import progress_count
from gristmill.display.words import counted


@dataclass(frozen=True)
class StageCommand:
    """A command whose subcommands are train, run and evaluate."""

    name: str
    app: type[Any]
    answers: str  # that it gives: "lemmas"
    overview: str  # its help
    given: str  # what `run` reads, such as "raw text"
    source: str  # of it, in examples
    counted: str  # what `run` counts
    templates: str  # what are features, in the help
    cost: float | None  # of an error, if it is not that of the solver
    run: Callable[[Any, str, str], object]  # app, file, output
    show: Callable[[Any], None]  # scores, as tables
    separator: bytes | None = None  # of blocks of large files that --cluster may cut; see AnnotatingCommand

    def group(self) -> click.Group:
        group = Group(self.name, help=self.overview)
        for command in (self._train(), self._run(), self._evaluate()):
            group.add_command(command)
        return group

    def _train(self) -> click.Command:
        said = "by the solver" if self.cost is None else str(self.cost)

        @click.command("train", cls=Command, help=_train_help(self.name, self.answers))
        @arguments("file")
        @click.argument("model", type=OUTPUT)
        @option("--templates", metavar=TEXT_OR_FILE, help=self.templates)
        @degree_option
        @option("-C", "--cost", type=float, default=self.cost, help=f"What an error costs.  [default: {said}]")
        @solver_option
        @epochs_option
        @training_options
        def train(file: str, model: str, **options: Any) -> None:
            training, app = AppTraining(model, [file], options), self._app(options)
            with naming(display_name(file)):
                training.fit(app, lambda: app.fit_conllu(file))
            summary = {"features": app.n_features_, "support": app.machine_.n_support}
            parts = [counted(summary["features"], "feature"), counted(summary["support"], "support row")]
            training.print(summary, parts)

        return train

    def _app(self, options: dict[str, Any]) -> Any:
        chosen = {name: options[name] for name in ("degree", "solver", "epochs")}
        if options["templates"] is not None:
            chosen["templates"] = text_or_file(options["templates"])[0]
        return self.app(C=options["cost"], n_jobs=options["jobs"], **chosen)

    def _run(self) -> click.Command:
        said = _run_help(self.name, self.answers, self.given, self.source)

        @click.command("run", cls=AnnotatingCommand, separator=self.separator, help=said)
        @arguments("model")
        @files_argument("file")
        @output_option("CoNLL-U")
        @scoring_options(self.answers)
        def run(model: str, file: str, output: str, **options: Any) -> None:
            check_place(output, model)
            app = load_app(self.app, model, options)
            with progress_count("running", self.counted) as draw:
                app.progress = lambda done, _: draw(done)
                self.run(app, file, output)

        return run

    def _evaluate(self) -> click.Command:
        @click.command("evaluate", cls=Command, help=_evaluate_help(self.name, self.answers))
        @arguments("model", "file")
        @scoring_options(self.answers)
        @json_option
        def evaluate(model: str, file: str, as_json: bool, **options: Any) -> None:
            app = load_app(self.app, model, options)
            with naming(display_name(file)):
                scores = app.evaluate_file(file)
            print_scores(scores, self.show, as_json=as_json)

        return evaluate


def _train_help(name: str, answers: str) -> str:
    return f"""Learn {answers} from FILE, a treebank in CoNLL-U, and write MODEL.

    \b
    Examples:
      gristmill {name} train train.conllu {name}.safetensors
      gristmill {name} train train.conllu {name}.safetensors --degree 3 --epochs 5
    """


def _run_help(name: str, answers: str, given: str, source: str) -> str:
    return f"""Find the {answers} of FILE, {given}, and write CoNLL-U.

    FILE may be larger than memory.

    \b
    Examples:
      gristmill {name} run {name}.safetensors {source} -o found.conllu
      cat {source} | gristmill {name} run {name}.safetensors -
    """


def _evaluate_help(name: str, answers: str) -> str:
    return f"""Find {answers} of FILE, a treebank in CoNLL-U, anew, and compare.

    \b
    Examples:
      gristmill {name} evaluate {name}.safetensors train.conllu
      gristmill {name} evaluate {name}.safetensors train.conllu --json
    """
