"""The worst mistakes and the hardest answers, each with its explanation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.data.rows import Rows
from gristmill.display.contributions import Line, bar_table
from gristmill.display.markup import Html, element, joined, shortened
from gristmill.display.numbers import number, signed
from gristmill.display.page import fold, note, scroll
from gristmill.display.tables import LONGEST
from gristmill.display.trees import svg_tree
from gristmill.explanations import Counterfactuals, Explainer, RowExplanation, TreeExplanation
from gristmill.explanations.models import largest
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.machines.schemes import Scheme
from gristmill.report.doubtful import Case, hardest_answers, worst_mistakes
from gristmill.report.evaluation_result import EvaluationResult
from gristmill.report.page import Section, paragraph
from gristmill.report.sections import influences
from gristmill.report.sections.changes import Changes, shown

_TOP = 10  # features that have a line of their own
_HARD = 3  # right answers that are shown

_Explain = Callable[[int, Case], Html]


def section(evaluation: EvaluationResult) -> Section | None:
    """Each case with its explanation; no other examples are explained."""
    mistakes, total = worst_mistakes(evaluation, evaluation.options.mistakes)
    hardest = hardest_answers(evaluation, min(_HARD, evaluation.options.mistakes))
    if not (mistakes or hardest):
        return None
    explain = _explained(evaluation, [*mistakes, *hardest])
    changes, deciders = _changes(evaluation, mistakes), influences.influences(evaluation, mistakes)
    parts = [_intro(evaluation, len(mistakes), total)]
    for at, case in enumerate(mistakes):
        beyond = [shown(changes[at]), influences.shown(deciders[at], evaluation.support_noun)]
        why = joined(explain(at, case), *filter(None, beyond))
        parts.append(_shown(evaluation, case, why, is_open=at == 0))
    if hardest:
        right = "right, but barely" if evaluation.truth is not None else "closest to another one"
        parts.append(element("h3", f"Answers that are {right}"))
        parts += [_shown(evaluation, case, explain(len(mistakes) + at, case)) for at, case in enumerate(hardest)]
    worst = [
        _figures(evaluation, case) | ({} if one is None else {"changes": one.as_dict()}) | influences.figures(decided)
        for case, one, decided in zip(mistakes, changes, deciders, strict=True)
    ]
    figures = {"total": total, "worst": worst}
    title = "Worst mistakes" if evaluation.truth is not None else "Hardest answers"
    return Section(
        "mistakes", title, joined(*parts), figures | {"hardest": [_figures(evaluation, case) for case in hardest]}
    )


def _intro(evaluation: EvaluationResult, shown: int, total: int) -> Html:
    if evaluation.truth is None:
        return paragraph("Without labels nobody knows the mistakes.")
    if not total:
        return paragraph("There is no mistake.")
    if not evaluation.has_classes:
        return paragraph(f"The {shown:,} answers that are off by most, of {total:,} that are not exact.")
    some = "All mistakes" if shown == total else f"The worst {shown:,} of {total:,} mistakes"
    pair = " in their pair" if evaluation.machine.scheme is Scheme.ONE_VS_ONE else ""
    return paragraph(
        f"{some}; the first is the one whose answer leads the truth by most{pair}. Bars to the right, in blue, speak "
        "for the answer that was given, bars to the left, in orange, for the truth: Shapley values, which add up to "
        "the lead."
    )


def _shown(evaluation: EvaluationResult, case: Case, explained: Html, *, is_open: bool = False) -> Html:
    name = evaluation.name_of(case.number)
    if not evaluation.has_classes:
        head = f"{name}: answer {case.answer}, true value {case.truth}, off by {signed(case.lead)}"
    else:
        truth = "" if case.truth is None else f", truth {_short(case.truth)}"
        head = f"{name}: answer {_short(case.answer)}{truth}, {_ahead(case)} by {number(abs(case.lead))}"
    return fold(head, explained, opened=is_open)


def _ahead(case: Case) -> str:
    """Ahead of the rival or behind it: a class that lost this pair may win by the votes of other pairs."""
    rival = "" if case.rival == case.truth else _short(case.rival)
    if case.lead < 0:
        return f"behind {rival}" if rival else "behind"
    return f"ahead of {rival}" if rival else "ahead"


def _short(name: str) -> str:
    return shortened(name, LONGEST)


def _figures(evaluation: EvaluationResult, case: Case) -> dict[str, Any]:
    named = {} if evaluation.example_name is None else {"name": evaluation.name_of(case.number)}
    return {"example": case.number + 1, **named, "answer": case.answer, "truth": case.truth, "lead": case.lead}


def _changes(evaluation: EvaluationResult, mistakes: Sequence[Case]) -> list[Counterfactuals | None]:
    """What would make each mistake right, of rows that can be searched."""
    search = Changes.of(evaluation.machine) if mistakes and isinstance(evaluation.X, Rows) else None
    if search is None:
        return [None] * len(mistakes)
    rows = evaluation.some(np.array([case.number for case in mistakes], dtype=np.intp))
    return [search(rows.one(at), case) for at, case in enumerate(mistakes)]


# --- why --------------------------------------------------------------------------------------------------------------


def _explained(evaluation: EvaluationResult, cases: Sequence[Case]) -> _Explain:
    """A function that explains a case, by its place."""
    numbers = np.array([case.number for case in cases], dtype=np.intp)
    some, n_jobs = evaluation.some(numbers), evaluation.options.n_jobs
    try:
        if isinstance(evaluation.X, Rows):
            rows = Explainer(evaluation.machine, binarize=evaluation.scorer.binarize)(some, n_jobs=n_jobs)
            return lambda at, case: row_bars(rows[at], case, evaluation.has_classes)
        trees = TreeExplainer(evaluation.machine).explain(some, n_jobs=n_jobs)
    except ValueError as error:
        reason = str(error)
        return lambda at, case: note(f"This cannot be explained: {reason}.")
    return lambda at, case: _tree(trees[at], case, evaluation.has_classes)


def row_bars(row: RowExplanation, case: Case, has_classes: bool = True) -> Html:
    """What the features of a row add to the lead of an answer."""
    return _bars(row.names, row.values @ case.weights, row.base, row.score, case, has_classes)


def _tree(tree: TreeExplanation, case: Case, has_classes: bool) -> Html:
    shares = (tree.rooted if tree.shared is None else tree.shared) @ case.weights
    drawn = scroll("A tree, and what its nodes add", svg_tree(tree.labels, tree.parents.tolist(), shares.tolist()))
    names = [name for field in tree.vector_features for name in field.names]
    values = np.concatenate([[shares.sum()], *(field.values @ case.weights for field in tree.vector_features)])
    return joined(drawn, _bars(["all nodes of the tree", *names], values, tree.base, tree.score, case, has_classes))


def _bars(names: Sequence[str], values: Floats, base: Floats, score: Floats, case: Case, has_classes: bool) -> Html:
    """From the baseline to the lead."""
    found = largest(values, None)
    shown, rest = (found[:_TOP], found[_TOP:]) if len(found) > _TOP + 1 else (found, [])
    lines: list[Line] = [(_short(names[at]), float(values[at])) for at in shown if values[at]]
    if rest:
        lines.append((f"{len(rest):,} others", float(values[rest].sum())))
    answer, rival = _short(case.answer), _short(case.rival)
    caption = f"What speaks for {answer} and against {rival}" if has_classes else "What the answer is made of"
    last = f"lead of {answer} over {rival}" if has_classes else "answer"
    return bar_table(
        caption,
        lines,
        heads=("part", "adds"),
        first=("baseline", float(base @ case.weights)),
        last=(last, float(score @ case.weights)),
    )
