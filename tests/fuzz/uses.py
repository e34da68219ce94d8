"""What people do with what was read: each use is a function of it, and a folder for files."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gristmill as gm
import gristmill.scoring.compile  # which makes the engines known
from gristmill.cli import run
from gristmill.machines.formats import MODEL_FORMATS, load_bytes
from gristmill.report import make_report
from gristmill.scoring.engines import engines_for
from tests.across.file_kinds import TEXTS

MAX_BYTES = 32 << 20  # that compiling may take
MOST = 4  # examples that are scored and explained


class Use(NamedTuple):
    """Who is it for, what is done, and of how many inputs it is tried in a run of all uses."""

    takes: Callable[[Any], bool]
    run: Callable[[Any, Path], Any]
    share: float = 1.0


def is_machine(value):
    return isinstance(value, gm.Machine)


def is_on_rows(value):
    return is_machine(value) and value.explains_features


def is_app(value):
    return type(value).__name__ in APP_COMMANDS


def is_model(value):
    return isinstance(value, gm.Machine | gm.Machines) or is_app(value)


# --- machines ---------------------------------------------------------------------------------------------------------


def examples_of(machine):
    """A few examples like those that the machine has learned."""
    support = machine.support
    few = np.arange(min(MOST, len(support)))
    return support.take(few) if hasattr(support, "take") else support[few]


def scores_by(engine):
    """Compile by an engine, score and decide."""

    def score(machine, folder):
        scorer = machine.compile(engine, max_bytes=MAX_BYTES, binarize=False if engine == "direct" else 0.0)
        examples = examples_of(machine)
        scorer.decision_function(examples)
        scorer.report()
        if machine.classes is not None:
            scorer.predict(examples)
        if machine.probability is not None:
            scorer.predict_proba(examples)

    return score


def takes_engine(engine):
    return lambda value: is_machine(value) and (engine == "auto" or engine in engines_for(value))


def explain(machine, folder):
    str(gm.explain(machine, examples_of(machine)))


def explain_machine(machine, folder):
    str(gm.explain(machine, top=5))


def importance(machine, folder):
    str(gm.importance(machine, examples_of(machine)))


def decide(ask):
    def asked(machine, folder):
        str(ask(machine, machine.support.one(0), max_nodes=200))

    return asked


def report(machine, folder):
    examples = examples_of(machine)
    labels = None if machine.classes is None else [machine.classes[0]] * len(examples)
    make_report(machine, examples, labels, engines=False).html()


# --- files ------------------------------------------------------------------------------------------------------------


def save_again(model, folder):
    """What is saved can be loaded, and saved again is the same."""
    gm.save(model, folder / "saved")
    loaded = gm.load(folder / "saved")
    gm.save(loaded, folder / "again")
    assert (folder / "saved").read_bytes() == (folder / "again").read_bytes(), "saved again it is another file"


def write_as(name):
    """What is written in a format can be loaded."""

    def write(model, folder):
        gm.write(model, folder / "written", name)
        try:
            load_bytes((folder / "written").read_bytes())
        except ValueError as error:
            raise AssertionError(f"what was written cannot be read: {error}") from error

    return write


def command(line):
    """A command on the file that was read."""

    def called(value, folder):
        call(line.format(model=folder / "input", out=folder / "out"), folder)

    return called


def call(line, folder):
    """Run a command; an exit code other than 0 is a refusal."""
    with contextlib.redirect_stdout(_Output()), contextlib.redirect_stderr(_Output()) as errors:
        code = run(line.split(" "))
    said = errors.text()
    if "out of memory" in said or "bad_alloc" in said or "Traceback" in said:
        raise AssertionError(f"{line.split(' ')[0]}: {said}")
    if code:
        raise ValueError(said)


class _Output(io.TextIOWrapper):
    """What is printed, as bytes or as text."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)

    def text(self):
        return self.buffer.getvalue().decode(errors="replace")


# --- apps -------------------------------------------------------------------------------------------------------------

APP_COMMANDS = {  # by class: what runs it, and on which files beside it
    "Tagger": ("tag run", "columns"),
    "MorphologicalTagger": ("tag run", "treebank"),
    "Segmenter": ("segment run", "unsegmented"),
    "Tokenizer": ("tokenize run", "text"),
    "Splitter": ("split-words run", "treebank"),
    "Lemmatizer": ("lemmatize run", "treebank"),
    "TextPipeline": ("pipeline run", "text"),
    "DependencyParser": ("parse run", "conllu"),
    "TreeClassifier": ("classify-trees run", "trees"),
    "RoleLabeller": ("roles run", "sentences props"),
}


def _data_of(app, folder):
    names = APP_COMMANDS[type(app).__name__][1].split()
    for name in names:
        (folder / name).write_text(TEXTS[name], encoding="utf-8")
    return " ".join(str(folder / name) for name in names)


def run_app(app, folder):
    call(f"{APP_COMMANDS[type(app).__name__][0]} {folder / 'input'} {_data_of(app, folder)}", folder)


def explain_app(app, folder):
    data = _data_of(app, folder).split(" ")[0]
    call(f"explain {folder / 'input'} {data}", folder)


# --- data -------------------------------------------------------------------------------------------------------------


def is_rows(value):
    return isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "tocsr")


def write_rows(value, folder):
    gm.write_svmlight(folder / "written", *value)
    gm.read_svmlight(folder / "written")


def train_rows(value, folder):
    X, y = value
    model = gm.OnlineKernelClassifier(degree=2, epochs=1).fit(X, [str(label) for label in y])
    model.predict(X)


def is_forest(value):
    return isinstance(value, gm.Forest)


def write_trees(forest, folder):
    gm.write_trees(folder / "written", forest)
    again = gm.read_trees(folder / "written", marks=forest.has_marks)[0]
    assert list(again) == list(forest), "what was written are other trees"


def tree_gram(forest, folder):
    for kernel in (gm.SubsetTreeKernel(), gm.PartialTreeKernel(), gm.OrderedTreeKernel()):
        kernel(forest)


USES = {
    **{
        f"score-{engine}": Use(takes_engine(engine), scores_by(engine))
        for engine in ("auto", "direct", "inverted", "bits", "expanded", "split", "forest")
    },
    "explain": Use(is_machine, explain),
    "explain-machine": Use(is_machine, explain_machine),
    "importance": Use(is_machine, importance, 0.5),
    "counterfactual": Use(is_on_rows, decide(gm.counterfactual), 0.5),
    "sufficient": Use(is_on_rows, decide(gm.sufficient), 0.5),
    "flip-radius": Use(is_on_rows, decide(gm.flip_radius), 0.5),
    "report": Use(is_machine, report, 0.02),
    "save": Use(is_model, save_again),
    **{f"write-{known.NAME}": Use(is_model, write_as(known.NAME), 0.5) for known in MODEL_FORMATS},
    "inspect": Use(lambda value: True, command("inspect {model}"), 0.3),
    "inspect-json": Use(lambda value: True, command("inspect {model} --json"), 0.1),
    "run-app": Use(is_app, run_app, 0.5),
    "explain-app": Use(is_app, explain_app, 0.1),
    "convert-compiled": Use(is_on_rows, command("convert {model} {out} --engine expanded"), 0.1),
    "write-rows": Use(is_rows, write_rows),
    "train-rows": Use(is_rows, train_rows),
    "write-trees": Use(is_forest, write_trees),
    "gram": Use(is_forest, tree_gram),
}
