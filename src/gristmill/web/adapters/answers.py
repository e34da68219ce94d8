"""Scores of a machine as answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.explanations.models import Outputs
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer
from gristmill.web.adapters.facts import class_names, has_probabilities
from gristmill.web.refusals import RefusedError
from gristmill.web.strict_json import number

Floats = NDArray[np.float64]


class Answers:
    """Turns scores into labels or values, scores by name, and probabilities."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.machine: Machine = scorer.machine
        self.outputs = Outputs.of(self.machine)
        self.classes = class_names(self.machine)
        self.has_labels = self.machine.scheme.has_labels and bool(self.classes)
        self._has_probabilities = has_probabilities(self.machine)

    def winners(self, scores: Floats) -> list[int]:
        """Class numbers; 0 where there are no classes."""
        return self.scorer.decided(scores).tolist() if self.has_labels else [0] * len(scores)

    def of(self, scores: Floats) -> list[dict[str, Any]]:
        """An answer for each row of scores (rows x outputs)."""
        rows, winners = scores.tolist(), self.winners(scores)
        answers = [
            {**self.verdict(row, winner), "scores": dict(zip(self.outputs.names, map(number, row), strict=True))}
            for row, winner in zip(rows, winners, strict=True)
        ]
        if self._has_probabilities and len(scores):
            for answer, shares in zip(answers, self.scorer.probabilities_of(scores).tolist(), strict=True):
                answer["probabilities"] = dict(zip(self.classes, map(number, shares), strict=True))
        return answers

    def verdict(self, row: list[float], winner: int) -> dict[str, Any]:
        """The label, or the value where the answer is one number."""
        is_value = not self.has_labels and len(row) == 1
        return {
            "label": self.classes[winner] if self.has_labels else None,
            "value": number(row[0]) if is_value else None,
        }

    def told(self, scores: Floats, winner: int, output: str | None) -> int:
        """What is explained: the output or class that was asked for, else that of the answer."""
        if output is not None:
            return self.outputs.number(output)
        return self.outputs.predicted(scores, winner, self.machine.scheme)


def check_output(output: Any, outputs: tuple[str, ...]) -> str:
    if not isinstance(output, str) or output not in outputs:
        known = ", ".join(map(repr, outputs[:10])) + ", ..." * (len(outputs) > 10)
        raise RefusedError("bad_input", f"output must be one of {known or 'none'}, got {output!r:.60}", "output")
    return output
