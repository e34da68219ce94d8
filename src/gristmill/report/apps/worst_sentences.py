"""Sentences of a parser: those with most mistakes, each with the step at which the parser went astray."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gristmill.apps.parsing.model import action_name
from gristmill.apps.parsing.tree import DependencyTree, Word
from gristmill.apps.parsing.treebank import Treebank
from gristmill.display.frames import fold, note, scroll
from gristmill.display.markup import Html, element, joined
from gristmill.display.tables import table
from gristmill.report.apps.compared_trees import ComparedTrees, WrongWord, tree_of
from gristmill.report.apps.parser_decisions import Decisions
from gristmill.report.directions import direction
from gristmill.report.doubtful import Case
from gristmill.report.section import Section, paragraph
from gristmill.report.sections.mistakes import row_bars

_WORDS = 15  # wrong ones that are listed
_TREES = 3  # that are drawn where nothing is known to be wrong


def worst_sentences(compared: ComparedTrees, right: Decisions, most: int) -> Section:
    """Each with both trees, its wrong words, and the first step that does not lead to the true tree."""
    worst = compared.worst(most)
    wrong = int((compared.wrong_by_sentence > 0).sum())
    said = f"{wrong:,} of {len(compared):,} sentences have wrong words; here are the {len(worst):,} that have most."
    drawn = [_sentence(compared, right, at, opened=at == worst[0]) for at in worst]
    counts = compared.wrong_by_sentence[worst].tolist()
    figures = [{"sentence": at + 1, "wrong_words": count} for at, count in zip(worst, counts, strict=True)]
    body = joined(paragraph(said if wrong else "All trees are right."), drawn)
    return Section("sentences", "Worst sentences", body, {"total": wrong, "worst": figures})


def first_sentences(found: Treebank, example: Html) -> Section:
    """The first trees, where nobody knows which are wrong."""
    trees = [tree_of(found, at) for at in range(min(_TREES, len(found)))]
    drawn = [fold(f"sentence {at + 1}", _arcs("The tree", tree), opened=at == 0) for at, tree in enumerate(trees)]
    return Section("sentences", "First sentences", joined(drawn, example), {"sentences": len(found)})


def _sentence(compared: ComparedTrees, right: Decisions, at: int, *, opened: bool) -> Html:
    found, true = tree_of(compared.found, at), tree_of(compared.true, at)
    wrong = list(compared.wrong_words(at))
    head = f"sentence {at + 1:,}: {len(wrong):,} of {len(true):,} words are wrong"
    trees = _arcs("The tree as it was found", found), _arcs("The true tree", true)
    return fold(head, trees, _words(wrong, found, true), _astray(right, at), opened=opened)


def _arcs(label: str, tree: DependencyTree) -> Html:
    return element("figure", element("figcaption", label), scroll(label, Html(tree.svg())), class_="gm-figure")


def _words(wrong: list[WrongWord], found: DependencyTree, true: DependencyTree) -> Html:
    lines = [[one.true.form, _link(one.found, found), _link(one.true, true)] for one in wrong[:_WORDS]]
    rest = note(f"{len(wrong) - _WORDS:,} more") if len(wrong) > _WORDS else None
    return joined(table("Words that are wrong", ["word", "found", "true"], lines), rest)


def _link(word: Word, tree: DependencyTree) -> str:
    """nsubj of turns"""
    return f"{word.deprel} of {tree[word.head - 1].form}" if word.head else f"{word.deprel} of the sentence"


# --- where it went astray ---------------------------------------------------------------------------------------------


def _astray(right: Decisions, sentence: int) -> Html | None:
    """The first step that is another than on the way to the true tree, and why; None where there is none to compare."""
    engine, steps = right.engine, right.of_sentence(sentence)
    if not steps or engine.model.chunks is not None:
        return None
    trace = engine.trace(right.columns, sentence)
    way = [right.actions[at] for at in steps]
    at = _first_difference(trace.actions, way)
    if at is None:
        return None
    taken, wanted = action_name(trace.actions[at], right.relations), action_name(way[at], right.relations)
    said = paragraph(
        f"The parser leaves the way to the true tree at step {at + 1} ({right.place(steps[at])}), where it does "
        f"{taken} and {wanted} is right."
    )
    row = engine.explainer(trace.parts[at])(trace.rows.take(np.array([at])))[0]
    classes = np.asarray(row.machine.classes).tolist()
    if taken not in classes or wanted not in classes:
        return said
    weights = direction(row.machine, classes.index(taken), classes.index(wanted))
    case = Case(at, taken, wanted, wanted, weights, float(row.score @ weights))
    return joined(said, row_bars(row, case))


def _first_difference(one: Iterable[object], other: Iterable[object]) -> int | None:
    return next((at for at, (here, there) in enumerate(zip(one, other, strict=False)) if here != there), None)
