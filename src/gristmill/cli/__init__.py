"""The command line: `gristmill COMMAND --help`. Errors go to standard error with a non-zero exit."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

from gristmill import __version__
from gristmill.base.replacing import naming_target
from gristmill.base.warnings import (
    ConvergenceWarning,
    DataConversionWarning,
    DirectScoringWarning,
    EmptyColumnsWarning,
    MaliciousPairsWarning,
    SkippedFileWarning,
    UnmarkedTreesWarning,
)
from gristmill.cli.command import Group
from gristmill.cli.ending import INTERRUPTED, flush_answers, open_streams, terminated_as_interrupted

SECTIONS = {  # of the help
    "Models": {
        "train": "Learn a model from examples.",
        "tune": "Try many settings and keep the best model.",
        "forget": "Forget training examples of a model.",
        "predict": "Predict the labels of examples.",
        "evaluate": "Compare predictions with known labels.",
        "convert": "Write a model in another format, or compiled.",
        "export": "Write a model as a file of C or JavaScript.",
        "svm-train": "Stand in for LIBSVM's svm-train.",
        "svm-predict": "Stand in for LIBSVM's svm-predict.",
        "svm-learn": "Stand in for svm_learn of SVMlight and SVM-light-TK.",
        "svm-classify": "Stand in for svm_classify of SVMlight, SVM-light-TK and TinySVM.",
    },
    "Data": {
        "inspect": "Show what a file holds: a model, rows or trees.",
        "kernel": "Write a Gram matrix.",
        "nearest": "Find the most similar examples.",
    },
    "Text": {
        "tokenize": "Find the sentences and tokens of raw text.",
        "split-words": "Split tokens that are several words, as French au.",
        "tag": "Tag the tokens of sentences: chunks, names, parts of speech.",
        "segment": "Segment text without spaces into words.",
        "lemmatize": "Find the lemmas of words.",
        "parse": "Parse sentences into dependency trees.",
        "pipeline": "Analyse raw text: sentences, words, tags, lemmas, trees.",
        "classify-trees": "Classify trees, such as parsed questions.",
        "roles": "Find and name the arguments of predicates in trees.",
    },
    "Looking": {
        "explain": "Explain what a model has learned, and each of its answers.",
        "counterfactual": "Find what would change an answer, with proof.",
        "report": "Write a page on the quality of a model.",
        "bench": "Time a model with every engine.",
        "serve": "Show a model on a web page.",
        "demo": "Compare with scikit-learn on two tasks.",
    },
}
COMMANDS = tuple(name for section in SECTIONS.values() for name in section)

_ALWAYS = (
    ConvergenceWarning,
    DataConversionWarning,
    DirectScoringWarning,
    EmptyColumnsWarning,
    MaliciousPairsWarning,
    SkippedFileWarning,
)


class _Commands(Group):
    """Imports a command when it is used: importing all would take half of the time of a short run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"gristmill.cli.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_spacing=14 - max(map(len, commands)) + 2)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gristmill")
def gristmill() -> None:
    """Exact kernel machines on sparse binary features, at the speed of linear models.

    Files may be compressed (gzip, bzip2, xz, zstd); '-' is standard input or output. Each command has --help.

    \b
    Examples:
      gristmill train train.svm model.safetensors
      gristmill predict model.safetensors test.svm
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    open_streams()
    with terminated_as_interrupted() as terminator:
        code = run(arguments)
        flushed = _exit_code(flush_answers, quietly=code != 0)
        sys.exit(terminator.exit_code(code or flushed))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        for category in _ALWAYS:
            warnings.simplefilter("always", category)
        warnings.simplefilter("default", UnmarkedTreesWarning)  # once, whether of one file or of two
        return _exit_code(lambda: gristmill.main(args=arguments, prog_name="gristmill", standalone_mode=False))


def _exit_code(work: Callable[[], object], *, quietly: bool = False) -> int:
    """Of work that may fail; why is said on standard error."""
    try:
        with naming_target("<stdout>"):
            work()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return 1
    except OSError as error:
        return 1 if quietly else _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 1)
    except (ValueError, MemoryError) as error:
        return _fail(str(error) or "out of memory", 1)
    return 0


def _fail(message: str, code: int) -> int:
    click.echo(f"gristmill: error: {message}", err=True)
    return code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"gristmill: warning: {message}", err=True)
