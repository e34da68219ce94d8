"""Reports on role labellers: arguments by role; every node that may be an argument is an example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy

import numpy as np

from gristmill.apps.roles.labeller import LabelledBlock, RoleLabeller
from gristmill.apps.roles.model import IDENTIFY, NO, YES
from gristmill.apps.roles.nodes import as_sentences
from gristmill.apps.roles.scores import RoleScores, score_roles
from gristmill.data.forest import Forest
from gristmill.data.formats.propbank import Proposition, Sentences
from gristmill.data.relations import tree_views
from gristmill.display.markup import joined
from gristmill.display.numbers import in_percent, number
from gristmill.display.page import note
from gristmill.display.tables import matrix
from gristmill.report.apps.content import ReportContent, ReportRequest, score_line, score_table
from gristmill.report.evaluation_result import truth_of
from gristmill.report.page import Section, paragraph

_NONE = "no argument"
_WORDS = 12  # of an argument


def roles_content(
    labeller: RoleLabeller, sentences: Sentences | Forest, predicates: Sequence[Proposition], request: ReportRequest
) -> ReportContent:
    """Label all predicates once. The truth is the arguments that they have; where none has one, there is no truth."""
    trees = as_sentences(sentences)
    blocks = list(_with_options(labeller, request).labelled_blocks(trees, predicates))
    if not any(block.places for block in blocks):
        raise ValueError("there are no examples to report on: no predicate has a node that may be an argument")
    found = [one for block in blocks for one in block.predicates]
    candidates = _candidates(blocks)
    has_truth = request.labels and any(one.arguments for one in predicates)
    scorer = labeller.scorer_[IDENTIFY]
    truth = truth_of(scorer.machine, _labels(predicates, candidates)) if has_truth else None
    scores = np.concatenate([block.scores for block in blocks])
    evaluation = request.evaluation(
        scorer, _forest(blocks), scores, truth, lambda at: _name(trees, predicates, candidates[at])
    )
    of_predicates = ("predicates", number(len(found)))
    if not has_truth:
        return ReportContent(evaluation, (), (of_predicates,))
    metrics = score_roles(predicates, found)
    tiles = (("F1 of roles", in_percent(metrics.total.f1)), of_predicates)
    return ReportContent(evaluation, (_roles(metrics, predicates, found),), tiles)


def _with_options(labeller: RoleLabeller, request: ReportRequest) -> RoleLabeller:
    """A copy of the labeller with the threads and the progress of the report."""
    own = copy(labeller)
    own.n_jobs, own.progress = request.options.n_jobs, request.progress
    return own


_Candidate = tuple[int, int, int]  # the number of the predicate, first and last token


def _candidates(blocks: list[LabelledBlock]) -> list[_Candidate]:
    found, before = list[_Candidate](), 0
    for block in blocks:
        found += [(before + at, first, last) for at, first, last in block.places]
        before += len(block.predicates)
    return found


def _forest(blocks: list[LabelledBlock]) -> Forest:
    first, *more = (block.forest for block in blocks)
    for forest in more:
        first = first + forest
    return first


def _labels(predicates: Sequence[Proposition], candidates: list[_Candidate]) -> list[str]:
    spans = [{(argument.first, argument.last) for argument in one.arguments} for one in predicates]
    return [YES if (first, last) in spans[at] else NO for at, first, last in candidates]


def _name(sentences: Sentences, predicates: Sequence[Proposition], candidate: _Candidate) -> str:
    """sentence wsj 12, predicate gave: the books"""
    at, first, last = candidate
    predicate = predicates[at]
    (view,) = tree_views(sentences.trees[[sentences.number(predicate.sentence)]])
    words = [view.labels[leaf] for leaf in view.leaves]
    shown = words[first : last + 1][:_WORDS] + ["…"] * (last - first >= _WORDS)
    return f"sentence {' '.join(predicate.sentence)}, predicate {words[predicate.token]}: {' '.join(shown)}"


def _roles(metrics: RoleScores, true: Sequence[Proposition], found: Sequence[Proposition]) -> Section:
    total, spans = metrics.total, metrics.boundaries
    text = paragraph(
        f"{total.correct:,} of {total.gold:,} arguments were found with all their tokens and their role, and "
        f"{total.predicted - total.correct:,} that are none. Whatever the role, {spans.correct:,} were found."
    )
    lines = [score_line(one.role, one) for one in (*metrics.roles, total, spans)]
    names, counts = _confusion(true, found)
    confusion = matrix("Arguments with the same tokens, by role", names, counts, column_title="predicted")
    example = note(
        "In the sections below an example is a node that may be an argument of a predicate, and the machine is the one "
        "that decides whether it is. Which of those that overlap is taken, and its role, is decided after that."
    )
    body = joined(text, score_table("Arguments by role", "role", lines), confusion, example)
    return Section("roles", "Roles", body, metrics.as_dict() | {"confusion": {"names": names, "counts": counts}})


def _confusion(true: Sequence[Proposition], found: Sequence[Proposition]) -> tuple[list[str], list[list[int]]]:
    """Roles, and arguments by true and predicted role; the last is for arguments of one side only."""
    counts: Counter[tuple[str, str]] = Counter()
    for here, there in zip(true, found, strict=True):
        expected, given = ({(one.first, one.last): one.role for one in side.arguments} for side in (here, there))
        counts.update((expected.get(span, _NONE), given.get(span, _NONE)) for span in {**expected, **given})
    names = [*sorted({role for pair in counts for role in pair} - {_NONE}), _NONE]
    return names, [[counts[row, column] for column in names] for row in names]
