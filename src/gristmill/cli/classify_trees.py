"""gristmill classify-trees: labels of trees, such as the kinds of questions; learned from labelled trees."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.apps.tree_classification.files import TreeBlock, read_labelled_trees, tree_blocks
from gristmill.apps.tree_classification.model import TreeScores, score_labels
from gristmill.base.files import display_name, writing
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_commands import (
    AppTraining,
    decay_option,
    load_app,
    normalized_kernel,
    scoring_options,
    training_options,
)
from gristmill.cli.command import OUTPUT, Group, arguments, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import count, note, percent, progress_count, table
from gristmill.display.words import counted
from gristmill.kernels.named import TREE_KERNELS

_tree_option = option(
    "--tree",
    metavar="NAME",
    advanced=True,
    help="Which tree, where examples have several: KeLP's name for it, or tree2 for the second of SVM-light-TK.  "
    "[default: the first; later the one that was learned from]",
)
_scoring_options = scoring_options("labels", engines=("auto", "forest", "direct"))


@click.group("classify-trees", cls=Group)
def classify_trees() -> None:
    """Learn the labels of trees, and label others.

    \b
    FILE    LABEL<TAB>(tree), or data of SVM-light-TK or KeLP; (tree) alone to be labelled

    \b
    Examples:
      gristmill classify-trees train train.trees questions.safetensors
      gristmill classify-trees run questions.safetensors new.trees
    """


@classify_trees.command()
@arguments("file")
@click.argument("model", type=OUTPUT)
@option(
    *("-k", "--kernel"),
    type=click.Choice(list(TREE_KERNELS)),
    default="sst",
    help="Of trees, normalised: sst for constituents, ptk for dependencies.",
)
@decay_option
@option("-C", "--cost", type=float, default=10.0, help="What an error costs.")
@option(
    "--word-weight",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Share of the bag of words, which are leaves; 0: trees alone, 1: words alone.",
)
@option("--ngrams", advanced=True, type=click.IntRange(1), default=1, help="The longest ones in that bag.")
@option("--lowercase/--keep-case", advanced=True, default=True, help="Of leaves.")
@option(
    "--multiclass",
    type=click.Choice(["ovr", "ovo"]),
    advanced=True,
    default="ovr",
    help="Each class against the rest, or against each other.",
)
@_tree_option
@training_options
def train(file: str, model: str, **options: Any) -> None:
    """Learn from the labelled trees of FILE, and write MODEL.

    \b
    Examples:
      gristmill classify-trees train train.trees questions.safetensors
      gristmill classify-trees train train.trees questions.safetensors --kernel ptk --word-weight 0.3
    """
    training, classifier = AppTraining(model, [file], options), _classifier(options)
    block = read_labelled_trees(file, marks=classifier.marked, tree=options["tree"])
    classifier.tree = block.tree
    labels = block.labels or []
    _check_labels(labels, file)
    training.fit(classifier, lambda: classifier.fit(block.forest, labels))
    summary = _summary(classifier, labels)
    training.print(summary, _described(summary))


@classify_trees.command(cls=AnnotatingCommand)
@arguments("model")
@files_argument("file")
@output_option("answers")
@option("--labels-only", is_flag=True, help="Print labels without the lines of FILE behind them.")
@option(
    "--scores",
    is_flag=True,
    help="Behind the label, the score of each class in the order that `gristmill inspect` has them; of two classes one "
    "score, above 0 for the second.",
)
@_tree_option
@_scoring_options
def run(model: str, file: str, output: str, labels_only: bool, scores: bool, **options: Any) -> None:
    """Label the trees of FILE, which may be larger than memory: the label, a tab and the line.

    \b
    Examples:
      gristmill classify-trees run questions.safetensors new.trees -o labelled.trees
      echo '(S (WP who) (VBD sang))' | gristmill classify-trees run questions.safetensors - --labels-only
    """
    check_place(output, model)
    classifier: TreeClassifier = load_app(TreeClassifier, model, options)
    with writing(output) as out:
        for block, answers in _labelled(classifier, file, options, gold=False):
            columns = [[label] for label in answers]
            if scores:
                columns = [[*row, *more] for row, more in zip(columns, _scores(classifier, block), strict=True)]
            lines = ["\t".join(row).encode() for row in columns]
            if not labels_only:
                lines = [b"\t".join(pair) for pair in zip(lines, block.lines, strict=True)]
            out.write(b"".join(line + b"\n" for line in lines))


@classify_trees.command()
@arguments("model", "file")
@_tree_option
@_scoring_options
@json_option
def evaluate(model: str, file: str, as_json: bool, **options: Any) -> None:
    """Label the trees of FILE, and compare with the labels it has: accuracy; precision, recall and F1 of each class.

    \b
    Examples:
      gristmill classify-trees evaluate questions.safetensors test.trees
      gristmill classify-trees evaluate questions.safetensors test.trees --json
    """
    classifier: TreeClassifier = load_app(TreeClassifier, model, options)
    gold, predicted = list[str](), list[str]()
    for block, answers in _labelled(classifier, file, options, gold=True):
        gold += block.labels or []
        predicted += answers
    unknown = sorted(set(gold) - set(_spelled(classifier.classes_.tolist())))
    if unknown:
        shown = ", ".join(unknown[:5]) + ", ..." * (len(unknown) > 5)
        times = sum(map(set(unknown).__contains__, gold))
        note(f"{count(times)} of {count(len(gold))} trees have labels that the model never gives: {shown}")
    found = score_labels(gold, predicted)
    if as_json:
        click.echo(json.dumps(found.as_dict() | {"unknown": unknown}))
    else:
        _show(found)


def _classifier(options: dict[str, Any]) -> TreeClassifier:
    names = ("word_weight", "ngrams", "lowercase", "multiclass", "tree")
    return TreeClassifier(
        normalized_kernel(options["kernel"], options["decay"]),
        C=options["cost"],
        n_jobs=options["jobs"],
        **{name: options[name] for name in names},
    )


def _check_labels(labels: list[str], file: str) -> None:
    if len(set(labels)) < 2:
        found = f"all {count(len(labels))} trees have the label {labels[0]}" if labels else "there are no trees in it"
        raise ValueError(f"{display_name(file)}: {found}; a classifier needs at least two classes")


def _labelled(
    classifier: TreeClassifier, file: str, options: dict[str, Any], *, gold: bool
) -> Iterator[tuple[TreeBlock, list[str]]]:
    """Blocks of a file, and the labels they get."""
    done, which = 0, {"tree": options["tree"], "usual": classifier.tree}
    with progress_count("labelling", "trees") as draw:
        for block in tree_blocks(file, labelled=gold, marks=classifier.marked, **which):
            try:
                answers = classifier.predict(block.forest)
            except ValueError as error:  # of a kernel too large for numbers
                raise ValueError(f"{display_name(file)}, {count(done)} trees on: {error}") from error
            yield block, _spelled(answers.tolist())
            done += len(block.forest)
            draw(done)


def _spelled(labels: list[Any]) -> list[str]:
    """As files have them; those of a machine may be numbers."""
    return [str(int(label)) if isinstance(label, float) and label.is_integer() else str(label) for label in labels]


def _scores(classifier: TreeClassifier, block: TreeBlock) -> list[list[str]]:
    scores = classifier.decision_function(block.forest)
    return [list(map(repr, row)) for row in scores.reshape(len(block.forest), -1).tolist()]


def _summary(classifier: TreeClassifier, labels: list[str]) -> dict[str, Any]:
    return {
        "trees": len(labels),
        "classes": dict(sorted(Counter(labels).items())),
        "tree": classifier.tree,
        "vocabulary": len(classifier.vocabulary_),
        "support": classifier.machine_.n_support,
    }


def _described(summary: dict[str, Any]) -> list[str]:
    kind = f" {summary['tree']}" * (summary["tree"] is not None)
    return [
        f"{count(summary['trees'])} trees{kind} of {count(len(summary['classes']))} classes",
        *([counted(summary["vocabulary"], "word")] if summary["vocabulary"] else []),
        counted(summary["support"], "support tree"),
    ]


def _show(found: TreeScores) -> None:
    rows = [("examples", count(found.examples)), ("accuracy", percent(found.accuracy))]
    table("evaluation", ["", ""], [*rows, ("mean F1", percent(found.macro_f1))])
    cells = [
        (one.label, *(percent(share) for share in (one.precision, one.recall, one.f1)), count(one.support))
        for one in found.classes
    ]
    if cells:
        table("classes", ["label", "precision", "recall", "F1", "examples"], cells)
