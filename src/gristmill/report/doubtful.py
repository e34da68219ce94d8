"""Doubtful answers: the worst mistakes, and the answers with the smallest margins.

Why one class and not another is a weighted sum of outputs; its Shapley values are the same sums of the outputs' values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.report.evaluation_result import EvaluationResult


@dataclass(frozen=True, eq=False)
class Case:
    """An example, its answer, and the answer that it is compared with.

    Parameters
    ----------
    number : int
        Of the example, from 0.
    answer, rival : str
        The rival is the truth, or the next class where the answer is right or the truth is no class of the machine.
    truth : str or None
    weights : array
        Of the outputs: the weighted sum of scores is the lead of the answer over the rival.
    lead : float
        That sum; for values the error of the answer.
    """

    number: int
    answer: str
    rival: str
    truth: str | None
    weights: Floats
    lead: float


def worst_mistakes(evaluation: EvaluationResult, most: int) -> tuple[list[Case], int]:
    """Mistakes with the largest lead over the truth, or the largest error, and the number of all mistakes."""
    if evaluation.truth is None or evaluation.ranks:
        return [], 0
    truth, answers = evaluation.compared
    if not evaluation.has_classes:
        errors = np.abs(truth - answers)
        order = np.argsort(-errors, kind="stable")[:most]
        return [_value(evaluation, int(at)) for at in order if errors[at]], int((errors > 0).sum())
    wrong = np.flatnonzero(truth != answers)
    cases = [_case(evaluation, int(at)) for at in wrong]
    return sorted(cases, key=lambda case: (-case.lead, case.number))[:most], len(cases)


def hardest_answers(evaluation: EvaluationResult, most: int) -> list[Case]:
    """Answers with the smallest margins: right ones where the truth is known."""
    if not evaluation.has_classes or evaluation.machine.n_classes < 2:
        return []
    kept = np.arange(len(evaluation))
    if evaluation.truth is not None:
        truth, answers = evaluation.compared
        kept = evaluation.truth.numbers[truth == answers]
    order = kept[np.argsort(evaluation.margins[kept], kind="stable")[:most]]
    places = {} if evaluation.truth is None else {int(number): at for at, number in enumerate(evaluation.truth.numbers)}
    return [_case(evaluation, places[int(at)]) if places else _case_without_truth(evaluation, int(at)) for at in order]


def _case(evaluation: EvaluationResult, at: int) -> Case:
    """The case of an example that has a label, by its place among those."""
    assert evaluation.truth is not None
    number, true = int(evaluation.truth.numbers[at]), int(evaluation.truth.values[at])
    answer = int(evaluation.answers[number])
    is_rival = true != answer and true < evaluation.machine.n_classes
    rival = true if is_rival else rival_of(evaluation.class_scores[number], answer)
    return _between(evaluation, number, answer, rival, evaluation.truth.names[true])


def _case_without_truth(evaluation: EvaluationResult, number: int) -> Case:
    answer = int(evaluation.answers[number])
    return _between(evaluation, number, answer, rival_of(evaluation.class_scores[number], answer), None)


def _between(evaluation: EvaluationResult, number: int, answer: int, rival: int, truth: str | None) -> Case:
    weights, names = direction(evaluation.machine, answer, rival), evaluation.labels.names
    return Case(number, names[answer], names[rival], truth, weights, float(evaluation.scores[number] @ weights))


def _value(evaluation: EvaluationResult, at: int) -> Case:
    assert evaluation.truth is not None
    number, (truth, answers) = int(evaluation.truth.numbers[at]), evaluation.compared
    weights = direction(evaluation.machine, 0, 0)
    answer, true = f"{answers[at]:.4g}", f"{truth[at]:.4g}"
    return Case(number, answer, true, true, weights, float(answers[at] - truth[at]))


def direction(machine: Machine, answer: int, rival: int) -> Floats:
    """A weight for each output: the weighted sum of scores is the lead of `answer` over `rival`.

    Machines that answer with a value have one weight of 1, whatever the classes.
    """
    weights = np.zeros(machine.n_outputs)
    if machine.scheme is Scheme.ONE_VS_REST:
        weights[answer], weights[rival] = 1.0, -1.0
    elif machine.scheme is Scheme.ONE_VS_ONE:
        weights[pair_output(machine.n_classes, answer, rival)] = 1.0 if answer < rival else -1.0
    elif machine.scheme is Scheme.REGRESSION:
        weights[0] = 1.0
    else:
        weights[0] = 1.0 if answer == 1 else -1.0
    return weights


def pair_output(n_classes: int, one: int, other: int) -> int:
    """The number of the output that compares two different classes."""
    first, second = min(one, other), max(one, other)
    return first * (2 * n_classes - first - 1) // 2 + second - first - 1


def rival_of(class_scores: Floats, answer: int) -> int:
    """The best class but the answer; the answer itself where it is the only one."""
    order = [at for at in np.argsort(-class_scores, kind="stable").tolist() if at != answer]
    return order[0] if order else answer
