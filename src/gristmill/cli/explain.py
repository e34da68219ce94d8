"""gristmill explain: why a model answers as it does, exactly."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from gristmill.apps.loading import command_of
from gristmill.base.files import display_name, writing
from gristmill.cli.command import Command, arguments, declared
from gristmill.cli.explain_data import Part, RowFiles, counting, explained_machine, tree_examples
from gristmill.cli.explain_groups import groups_for
from gristmill.cli.explain_options import (
    FEATURES,
    OPTIONS,
    ROWS,
    SENTENCES,
    TREES,
    check_together,
    explain_examples,
    output_number,
    refuse,
    row_facts,
)
from gristmill.cli.explain_screen import fitted, fitted_table, head, heaviest_nodes, screen_width
from gristmill.cli.explain_sentences import APPS, explain_sentences, load_app
from gristmill.cli.explain_why_not import WhyNot
from gristmill.cli.screen import progress_bar, progress_line
from gristmill.data.rows import Binarize, Rows
from gristmill.display.words import counted
from gristmill.explanations import Explainer, RowExplanation, TreeExplanation, fragments_of, influence, rules_of
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.machines.formats import read_model
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer

_AT_ONCE = 256  # examples that are explained at once,
_BYTES = 64 << 20  # and what that may take

_Answered = tuple[dict[str, Any], str]  # as JSON, and as a line


@click.command(cls=Command)
@arguments("model")
@arguments("data", required=False)
@functools.partial(declared, options=OPTIONS)
@click.pass_context
def explain(ctx: click.Context, /, model: str, data: str | None, name: str | None, **options: Any) -> None:
    """Explain the answers of MODEL: exactly, nothing is sampled.

    \b
    MODEL                   what it has learned: its heaviest conjunctions of features, or fragments of trees
    MODEL DATA              what each feature of a row, or node of a tree, adds to its score (Shapley values);
                            baseline and values add up to the score
    MODEL SENTENCES         what each feature adds to the decisions of a tagger, segmenter, parser or pipeline
    MODEL DATA --influence  who decided it: what each support example adds, for and against
    MODEL DATA --global     what features add on average over all rows

    MODEL is a file of any known format, DATA rows in svmlight format, trees as for `classify-trees`, or sentences as
    `tag run`, `segment run`, `parse run` and `pipeline run` take them; it may be larger than memory. Bars of # are for
    the output, bars of - against it. --json prints an object a line for each example.

    \b
    Examples:
      gristmill explain libsvm.model --top 50
      gristmill explain libsvm.model test.svm --row 3 --interactions
      gristmill explain model.safetensors test.svm --global
      gristmill explain people.safetensors people.csv --background people.csv --groups person=age,housing
      gristmill explain questions.safetensors new.trees --json
      gristmill explain parser.safetensors new.conllu --row 1
    """
    check_together(ctx, data)
    loaded, shown = read_model(model), display_name(model)
    if data is not None and command_of(loaded) in APPS:
        _explain_sentences(ctx, model, str(command_of(loaded)), data, options)
        return
    refuse(ctx, SENTENCES, f"for taggers, segmenters and parsers; {shown} is none")
    found = explained_machine(loaded, name, shown, with_data=data is not None)
    machine = counting(found, options["zero_based"])
    row_by_row = data is not None and not options["overall"]
    chosen = options | {"output": output_number(machine, options["output"], with_classes=row_by_row)}
    if data is None:
        _explain_machine(machine, chosen)
    elif options["influence"]:
        _explain_influence(machine, data, chosen, RowFiles(found, options["zero_based"]))
    elif not machine.explains_features:
        for section in (ROWS, FEATURES):
            refuse(ctx, section, "for rows of features; this machine is on trees")
        _explain_trees(machine, data, chosen)
    else:
        refuse(ctx, TREES, "for trees; this machine is on rows of features")
        _explain_rows(machine, data, chosen, RowFiles(found, options["zero_based"]))


# --- the machine ------------------------------------------------------------------------------------------------------


def _explain_machine(machine: Machine, chosen: dict[str, Any]) -> None:
    trees = not machine.explains_features
    limits = {name: chosen[name] for name in ("output", "min_support", "max_size", "min_weight")}
    find: Callable[..., Any] = fragments_of if trees else rules_of
    with progress_bar("searching") as progress:
        found = find(machine, top=chosen["top"] or 20, **limits, n_jobs=chosen["jobs"], progress=progress)
    column = "fragment" if trees else "conjunction"
    _print(found.to_json() if chosen["as_json"] else fitted_table(found.table(), column, screen_width()))


# --- rows -------------------------------------------------------------------------------------------------------------


def _explain_rows(machine: Machine, data: str, chosen: dict[str, Any], files: RowFiles) -> None:
    real = chosen["binarize"] is False or not machine.is_binary_valued
    binarize: Binarize = False if real else chosen["binarize"]
    groups, absent = groups_for(machine, chosen["groups"]), chosen["absent"]
    how = {"groups": groups, "background": _background(files, chosen), "absent": absent, "binarize": binarize}
    explainer = Explainer(machine, **how)
    blocks = files.blocks(data, binarize)
    if chosen["overall"]:
        _explain_overall(explainer, blocks, chosen)
        return
    scorer = machine.compile("direct", binarize=False) if real else machine.compile("inverted")

    why_not = None if chosen["why_not"] is None else WhyNot(machine, chosen["why_not"])

    def explained(part: Part) -> Iterator[str]:
        rows = explainer(part.X, interactions=chosen["interactions"], n_jobs=chosen["jobs"])
        answered = _answered("row", scorer, part, chosen["jobs"])
        for at, (row, (facts, said)) in enumerate(zip(rows, answered, strict=True)):
            other = None if why_not is None else why_not(part.X.one(at), facts["label"])
            if chosen["as_json"]:
                changes = {} if why_not is None else {"why_not": None if other is None else other.as_dict()}
                yield json.dumps(facts | row_facts(row, chosen) | changes)
            else:
                yield f"{said}\n{_row_drawing(row, chosen)}" + (
                    "" if other is None else f"\n{fitted(str(other), None)}"
                )

    def size(rows: Rows) -> int:
        longest = int(rows.lengths.max(initial=1)) + len(explainer.background.features.ids)
        players = longest if explainer.groups is None else min(longest, len(explainer.groups))
        numbers = players * (players - 1) // 2 if chosen["interactions"] else players
        return max(1, min(_AT_ONCE, _BYTES // (8 * machine.n_outputs * max(numbers, 1))))

    explain_examples("row", blocks, size, explained, data, chosen)


def _background(files: RowFiles, chosen: dict[str, Any]) -> Any:
    """What rows are compared with; None: what the library takes."""
    if chosen["baseline"] is not None:
        return files.first(chosen["baseline"])
    named = chosen["background"]
    return named if named in (None, "fields") else files.whole(named)


def _explain_overall(explainer: Explainer, blocks: Iterator[tuple[Rows, list[Any]]], chosen: dict[str, Any]) -> None:
    with progress_line("explaining") as draw:
        found = explainer.importance(
            (rows for rows, _ in blocks),
            interactions=chosen["interactions"],
            n_jobs=chosen["jobs"],
            progress=None if draw is None else lambda done, _: draw(done, None, counted(done, "row")),
        )
    if chosen["as_json"]:
        _print(found.to_json(chosen["output"], chosen["top"]))
    else:
        _print(fitted(found.draw(chosen["output"], chosen["top"] or 20), screen_width()))


def _row_drawing(row: RowExplanation, chosen: dict[str, Any]) -> str:
    return fitted(row.draw(chosen["output"], chosen["top"] or 10), screen_width())


# --- who decided it ---------------------------------------------------------------------------------------------------


def _explain_influence(machine: Machine, data: str, chosen: dict[str, Any], files: RowFiles) -> None:
    is_on_rows = isinstance(machine.support, Rows)
    what = "row" if is_on_rows else "tree"
    binarize: Binarize = chosen["binarize"] if not is_on_rows or machine.is_binary_valued else False
    blocks = files.blocks(data, binarize) if is_on_rows else tree_examples(machine, data, chosen["tree"])
    scorer = machine.compile("direct", binarize=False) if is_on_rows else machine.compile()

    def explained(part: Part) -> Iterator[str]:
        found = influence(machine, part.X, binarize=binarize if is_on_rows else "auto", n_jobs=chosen["jobs"])
        for own, (facts, said) in zip(found, _answered(what, scorer, part, chosen["jobs"]), strict=True):
            if chosen["as_json"]:
                yield json.dumps(facts | own.as_dict(chosen["output"], chosen["top"]))
            else:
                yield f"{said}\n{fitted(own.draw(chosen['output'], chosen['top'] or 5), screen_width())}"

    explain_examples(what, blocks, lambda _: _AT_ONCE, explained, data, chosen)


# --- trees ------------------------------------------------------------------------------------------------------------


def _explain_trees(machine: Machine, data: str, chosen: dict[str, Any]) -> None:
    if chosen["top"] and chosen["as_json"]:
        raise click.UsageError("--top is for people; --json has all nodes of a tree")
    explainer, scorer, kind = TreeExplainer(machine), machine.compile(), chosen["shares"]

    def explained(part: Part) -> Iterator[str]:
        trees = explainer.explain(part.X, shares=kind, n_jobs=chosen["jobs"])
        for tree, (facts, said) in zip(trees, _answered("tree", scorer, part, chosen["jobs"]), strict=True):
            if chosen["as_json"]:
                yield json.dumps(facts | _tree_facts(tree, chosen))
            else:
                yield f"{said}\n{_tree_drawing(tree, chosen)}"

    blocks = tree_examples(machine, data, chosen["tree"])
    explain_examples("tree", blocks, lambda _: _AT_ONCE, explained, data, chosen)


def _tree_drawing(tree: TreeExplanation, chosen: dict[str, Any]) -> str:
    output, kind, top = chosen["output"], chosen["shares"], chosen["top"]
    return fitted(heaviest_nodes(tree, output, kind, top) if top else tree.draw(output, kind), screen_width())


def _tree_facts(tree: TreeExplanation, chosen: dict[str, Any]) -> dict[str, Any]:
    return tree.as_dict() if chosen["output"] is None else tree.only(chosen["output"]).as_dict()


# --- sentences --------------------------------------------------------------------------------------------------------


def _explain_sentences(ctx: click.Context, model: str, app: str, data: str, chosen: dict[str, Any]) -> None:
    why = "sentences are explained by the features of their own decisions, each by its own output"
    refuse(ctx, ROWS, why, "name", "zero_based", "output")
    refuse(ctx, TREES, why)
    if app != "pipeline" and chosen["stage"] is not None:
        raise click.UsageError(f"--stage is for text pipelines; {display_name(model)} is a model of `gristmill {app}`")
    explain_sentences(load_app(app, model, chosen["beam"]), data, chosen)


# --- examples ---------------------------------------------------------------------------------------------------------


def _answered(what: str, scorer: Scorer, part: Part, jobs: int | None) -> Iterator[_Answered]:
    """What is predicted for each example, and what its label is."""
    scores = trusted_scores(scorer, part.X, jobs)
    answers = scorer.machine.answers(scores).tolist()
    each = (scores[:, 0] if scores.shape[1] == 1 else scores).tolist()
    for number, (answer, truth, own) in enumerate(zip(answers, part.labels, each, strict=True), part.number):
        known = {} if truth is None else {"true_label": truth}
        yield {"row": number, "label": answer, **known, "scores": own}, head(what, number, answer, truth)


def _print(text: str) -> None:
    with writing("-") as out:
        out.write(f"{text}\n".encode())
