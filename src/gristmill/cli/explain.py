"""gristmill explain: why a model answers as it does, exactly."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from gristmill.apps.loading import command_of
from gristmill.base.files import display_name, writing
from gristmill.cli.explain_data import Part, RowFiles, counting, explained_machine, tree_examples
from gristmill.cli.explain_examples import explain_examples, row_facts
from gristmill.cli.explain_options import (
    FEATURES,
    FILE,
    OPTIONS,
    ROWS,
    SENTENCES,
    TREES,
    check_together,
    output_number,
    refuse,
)
from gristmill.cli.explain_screen import fitted, fitted_table, head, heaviest_nodes, screen_width
from gristmill.cli.explain_sentences import PROGRAMS, explain_sentences, load_program
from gristmill.cli.screen import progress_bar, progress_line
from gristmill.cli.sections import SectionCommand, declared
from gristmill.data.rows import Binarize, Rows
from gristmill.display.words import counted
from gristmill.explanations import Explainer, RowExplanation, TreeExplanation, fragments_of, rules_of
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.machines.formats import read_model
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.scorer import Scorer

_TOGETHER = 256  # examples that are explained at once,
_BYTES = 64 << 20  # and what that may take

_Answered = tuple[dict[str, Any], str]  # for programs, and for people


@click.command(cls=SectionCommand)
@click.argument("model", type=FILE)
@click.argument("data", type=FILE, required=False)
@functools.partial(declared, options=OPTIONS)
@click.pass_context
def explain(ctx: click.Context, /, model: str, data: str | None, name: str | None, **options: Any) -> None:
    """Say why MODEL answers as it does: exactly, nothing is sampled.

    \b
    MODEL                 what it has learned: its heaviest conjunctions of features, or fragments of trees
    MODEL DATA            what each feature of a row, or node of a tree, adds to its score (Shapley values);
                          baseline and values add up to the score
    MODEL SENTENCES       what each feature adds to the decisions of a tagger, segmenter or parser
    MODEL DATA --global   what features add on average over all rows

    MODEL is a file of any known format, DATA rows in svmlight format, trees as for `classify-trees`, or sentences as
    `tag run`, `segment run` and `parse run` take them; it may be larger than memory. Bars of # speak for the output,
    bars of - against it. --json prints an object a line for each example.

    \b
    gristmill explain libsvm.model --top 50
    gristmill explain libsvm.model test.svm --row 3 --interactions
    gristmill explain model.safetensors test.svm.gz --global -j -1
    gristmill explain questions.safetensors new.trees --json > why.jsonl
    gristmill explain parser.safetensors new.conllu --row 3
    """
    check_together(ctx, model, data, options["baseline"])
    loaded, shown = read_model(model), display_name(model)
    if data is not None and command_of(loaded) in PROGRAMS:
        _explain_sentences(ctx, model, str(command_of(loaded)), data, options)
        return
    refuse(ctx, SENTENCES, f"of taggers, segmenters and parsers; {shown} is none")
    found = explained_machine(loaded, name, shown, with_data=data is not None)
    machine = counting(found, options["zero_based"])
    row_by_row = data is not None and not options["overall"]
    asked = options | {"output": output_number(machine, options["output"], with_classes=row_by_row)}
    if data is None:
        _explain_machine(machine, asked)
    elif isinstance(machine, StructuredMachine):
        for section in (ROWS, FEATURES):
            refuse(ctx, section, "of rows of features; this machine is on trees")
        _explain_trees(machine, data, asked)
    else:
        refuse(ctx, TREES, "of trees; this machine is on rows of features")
        _explain_rows(machine, data, asked, RowFiles(found, options["zero_based"]))


# --- the machine ------------------------------------------------------------------------------------------------------


def _explain_machine(machine: Machine, asked: dict[str, Any]) -> None:
    trees = isinstance(machine, StructuredMachine)
    limits = {name: asked[name] for name in ("output", "min_support", "max_size")} | {"min_weight": asked["sigma"]}
    find: Callable[..., Any] = fragments_of if trees else rules_of
    with progress_bar("searching") as progress:
        found = find(machine, top=asked["top"] or 20, **limits, n_jobs=asked["jobs"], progress=progress)
    column = "fragment" if trees else "conjunction"
    _print(found.to_json() if asked["as_json"] else fitted_table(found.table(), column, screen_width()))


# --- rows -------------------------------------------------------------------------------------------------------------


def _explain_rows(machine: Machine, data: str, asked: dict[str, Any], files: RowFiles) -> None:
    baseline = None if asked["baseline"] is None else files.first(asked["baseline"])
    real = asked["real"] or not machine.is_binary_valued
    binarize: Binarize = False if real else asked["binarize"]
    explainer = Explainer(machine, baseline=baseline, binarize=binarize)
    blocks = files.blocks(data, binarize)
    if asked["overall"]:
        _explain_overall(explainer, blocks, asked)
        return
    scorer = machine.compile("direct", binarize=False) if real else machine.compile("inverted")

    def told(part: Part) -> Iterator[str]:
        rows = explainer(part.X, interactions=asked["interactions"], n_jobs=asked["jobs"])
        for row, (facts, said) in zip(rows, _answered("row", scorer, part, asked["jobs"]), strict=True):
            if asked["as_json"]:
                yield json.dumps(facts | row_facts(row, asked))
            else:
                yield f"{said}\n{_row_drawing(row, asked)}"

    def size(rows: Rows) -> int:
        longest = int(rows.lengths.max(initial=1)) + (0 if baseline is None else len(baseline.ids))
        numbers = longest * (longest - 1) // 2 if asked["interactions"] else longest
        return max(1, min(_TOGETHER, _BYTES // (8 * machine.n_outputs * max(numbers, 1))))

    explain_examples("row", blocks, size, told, data, asked)


def _explain_overall(explainer: Explainer, blocks: Iterator[tuple[Rows, list[Any]]], asked: dict[str, Any]) -> None:
    with progress_line("explaining") as draw:
        found = explainer.importance(
            (rows for rows, _ in blocks),
            interactions=asked["interactions"],
            n_jobs=asked["jobs"],
            progress=None if draw is None else lambda done, _: draw(done, None, counted(done, "row")),
        )
    if asked["as_json"]:
        _print(found.to_json(asked["output"], asked["top"]))
    else:
        _print(fitted(found.draw(asked["output"], asked["top"] or 20), screen_width()))


def _row_drawing(row: RowExplanation, asked: dict[str, Any]) -> str:
    return fitted(row.draw(asked["output"], asked["top"] or 10), screen_width())


# --- trees ------------------------------------------------------------------------------------------------------------


def _explain_trees(machine: StructuredMachine, data: str, asked: dict[str, Any]) -> None:
    if asked["top"] and asked["as_json"]:
        raise click.UsageError("--top is for people; --json has all nodes of a tree")
    explainer, scorer, kind = TreeExplainer(machine), machine.compile(), asked["shares"]

    def told(part: Part) -> Iterator[str]:
        trees = explainer.explain(part.X, shares=kind, n_jobs=asked["jobs"])
        for tree, (facts, said) in zip(trees, _answered("tree", scorer, part, asked["jobs"]), strict=True):
            if asked["as_json"]:
                yield json.dumps(facts | _tree_facts(tree, asked))
            else:
                yield f"{said}\n{_tree_drawing(tree, asked)}"

    blocks = tree_examples(machine, data, asked["tree"])
    explain_examples("tree", blocks, lambda _: _TOGETHER, told, data, asked)


def _tree_drawing(tree: TreeExplanation, asked: dict[str, Any]) -> str:
    output, kind, top = asked["output"], asked["shares"], asked["top"]
    return fitted(heaviest_nodes(tree, output, kind, top) if top else tree.draw(output, kind), screen_width())


def _tree_facts(tree: TreeExplanation, asked: dict[str, Any]) -> dict[str, Any]:
    return tree.as_dict() if asked["output"] is None else tree.only(asked["output"]).as_dict()


# --- sentences --------------------------------------------------------------------------------------------------------


def _explain_sentences(ctx: click.Context, model: str, program: str, data: str, asked: dict[str, Any]) -> None:
    why = "sentences are explained by the features of their own decisions, each by its own output"
    refuse(ctx, ROWS, why, "name", "zero_based", "output")
    refuse(ctx, TREES, why)
    explain_sentences(load_program(program, model, asked["beam"]), data, asked)


# --- examples ---------------------------------------------------------------------------------------------------------


def _answered(what: str, scorer: Scorer, part: Part, jobs: int | None) -> Iterator[_Answered]:
    """What is predicted for each example, and what its label is."""
    scores = scorer.trusted_scores(part.X, jobs)
    answers = scorer.answers_of(scores).tolist()
    each = (scores[:, 0] if scores.shape[1] == 1 else scores).tolist()
    for number, (answer, truth, own) in enumerate(zip(answers, part.labels, each, strict=True), part.number):
        known = {} if truth is None else {"true_label": truth}
        yield {"row": number, "label": answer, **known, "scores": own}, head(what, number, answer, truth)


def _print(text: str) -> None:
    with writing("-") as out:
        out.write(f"{text}\n".encode())
