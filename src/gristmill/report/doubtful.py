"""Which examples are worth a look: the worst mistakes, and the answers that were hardest to give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.report.directions import direction, rival_of
from gristmill.report.evaluation_result import Floats, Known


@dataclass(frozen=True, eq=False)
class Case:
    """An example, what was answered, and what it could have been.

    Parameters
    ----------
    number : int
        Of the example, from 0.
    answer, rival : str
        The rival is the truth, or the next class where the answer is right or the truth is no class of the machine.
    truth : str or None
    weights : array
        Of the outputs, so that they add up to what the answer leads the rival by.
    lead : float
        That number; for values what the answer is off by.
    """

    number: int
    answer: str
    rival: str
    truth: str | None
    weights: Floats
    lead: float


def worst_mistakes(known: Known, most: int) -> tuple[list[Case], int]:
    """Those whose answer leads the truth by most, or is off by most, and how many mistakes there are."""
    if known.truth is None or known.ranks:
        return [], 0
    truth, answers = known.compared
    if not known.has_classes:
        errors = np.abs(truth - answers)
        order = np.argsort(-errors, kind="stable")[:most]
        return [_value(known, int(at)) for at in order if errors[at]], int((errors > 0).sum())
    wrong = np.flatnonzero(truth != answers)
    cases = [_case(known, int(at)) for at in wrong]
    return sorted(cases, key=lambda case: (-case.lead, case.number))[:most], len(cases)


def hardest_answers(known: Known, most: int) -> list[Case]:
    """Those with the smallest margins: right ones where the truth is known."""
    if not known.has_classes or known.machine.n_classes < 2:
        return []
    kept = np.arange(len(known))
    if known.truth is not None:
        truth, answers = known.compared
        kept = known.truth.numbers[truth == answers]
    order = kept[np.argsort(known.margins[kept], kind="stable")[:most]]
    places = {} if known.truth is None else {int(number): at for at, number in enumerate(known.truth.numbers)}
    return [_case(known, places[int(at)]) if places else _unjudged(known, int(at)) for at in order]


def _case(known: Known, at: int) -> Case:
    """Of an example that has a label, by its place among those."""
    assert known.truth is not None
    number, true = int(known.truth.numbers[at]), int(known.truth.values[at])
    answer = int(known.answers[number])
    is_rival = true != answer and true < known.machine.n_classes
    rival = true if is_rival else rival_of(known.class_scores[number], answer)
    return _between(known, number, answer, rival, known.truth.names[true])


def _unjudged(known: Known, number: int) -> Case:
    answer = int(known.answers[number])
    return _between(known, number, answer, rival_of(known.class_scores[number], answer), None)


def _between(known: Known, number: int, answer: int, rival: int, truth: str | None) -> Case:
    weights, names = direction(known.machine, answer, rival), known.labels.names
    return Case(number, names[answer], names[rival], truth, weights, float(known.scores[number] @ weights))


def _value(known: Known, at: int) -> Case:
    assert known.truth is not None
    number, (truth, answers) = int(known.truth.numbers[at]), known.compared
    weights = direction(known.machine, 0, 0)
    said, true = f"{answers[at]:.4g}", f"{truth[at]:.4g}"
    return Case(number, said, true, true, weights, float(answers[at] - truth[at]))
