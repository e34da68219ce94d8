"""Who decided a mistake: the support examples that speak most for the answer that was given, and against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gristmill.display.markup import Html
from gristmill.display.page import fold
from gristmill.explanations import Influence, influence
from gristmill.explanations.influences import influence_picture
from gristmill.report.doubtful import Case
from gristmill.report.evaluation_result import EvaluationResult

_TOP = 3  # for, and against


def influences(evaluation: EvaluationResult, cases: Sequence[Case]) -> list[Influence | None]:
    """Of each case; None where its kernel cannot be asked for single values."""
    numbers = np.array([case.number for case in cases], dtype=np.intp)
    if not len(numbers) or not evaluation.machine.n_support:
        return [None] * len(cases)
    try:
        how: dict[str, Any] = {"binarize": evaluation.scorer.binarize, "n_jobs": evaluation.options.n_jobs}
        return list(influence(evaluation.machine, evaluation.some(numbers), **how))
    except ValueError:
        return [None] * len(cases)


def shown(found: Influence | None, noun: str) -> Html | None:
    """Closed until a reader asks."""
    return None if found is None else fold(f"Which {noun}s decided it", influence_picture(found, _TOP))


def figures(found: Influence | None) -> dict[str, Any]:
    """The same as plain data."""
    return {} if found is None else {"influence": found.as_dict(top=_TOP)}
