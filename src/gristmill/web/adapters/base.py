"""The interface of model adapters, and what they share: facts of machines, answers from scores."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from gristmill.base.arrays import Floats
from gristmill.explanations.models import Outputs, class_names, output_names
from gristmill.machines.machine import Machine
from gristmill.machines.probability import has_class_probabilities, probabilities
from gristmill.machines.schemes import Scheme
from gristmill.scoring.scorer import Scorer
from gristmill.web.limits import Limits, Watch, bad_input
from gristmill.web.requests import number

Answer = dict[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True)
class ExplainOptions:
    """Options of an explanation, by their names in the request."""

    output: str | None = None
    interactions: bool = False
    without: bool = False
    changes: bool = False
    influence: bool = False


class ModelRequest(NamedTuple):
    """Inputs, and options where they are to be explained."""

    inputs: Sequence[Any]
    options: ExplainOptions | None = None


class ModelAdapter(abc.ABC):
    """One model for the server. Immutable: many threads use it at once."""

    kind: ClassVar[str]
    inputs: ClassVar[str]  # the key of a request: rows, trees or sentences
    option_names: ClassVar[tuple[str, ...]] = ("output",)  # of an explanation

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    @abc.abstractmethod
    def facts(self) -> Answer:
        """Facts of the model, for /api/model."""

    @property
    @abc.abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that can be explained."""

    @abc.abstractmethod
    def read(self, given: Any, where: str) -> Any:
        """One input, checked; RefusedError where it is none. Cheap: score and explain do what takes time."""

    @abc.abstractmethod
    def score(self, inputs: Sequence[Any], watch: Watch) -> list[Answer]: ...

    @abc.abstractmethod
    def explain(self, inputs: Sequence[Any], options: ExplainOptions, watch: Watch) -> list[Answer]: ...

    def answer(self, query: ModelRequest, watch: Watch) -> list[Answer]:
        """Scores, or explanations where there are options for them."""
        inputs, options = query
        return self.score(inputs, watch) if options is None else self.explain(inputs, options, watch)

    def estimated_nanoseconds(self, query: ModelRequest) -> float:
        """About how many nanoseconds an answer takes; infinite where that is not known."""
        return math.inf

    def examples(self) -> list[Any]:
        """Inputs to try, as a request has them."""
        return []

    def features(self, prefix: str, limit: int) -> list[Answer]:
        """Features that begin like this, the frequent ones first."""
        return []

    def shapes(self, watch: Watch) -> list[Answer]:
        """What the columns of tables add, drawn: those that matter most, then pairs."""
        return []

    @property
    @abc.abstractmethod
    def input_schema(self) -> Schema: ...

    @property
    @abc.abstractmethod
    def scored_schema(self) -> Schema: ...

    @property
    @abc.abstractmethod
    def explained_schema(self) -> Schema: ...


class MachineAdapter(ModelAdapter):
    """A model with one machine on rows or trees."""

    def __init__(self, scorer: Scorer, limits: Limits) -> None:
        super().__init__(limits)
        self.scorer, self.machine = scorer, scorer.machine
        self._answers = Answers(scorer)

    @property
    def outputs(self) -> tuple[str, ...]:
        return self._answers.outputs.all_names

    def facts(self) -> Answer:
        return machine_facts(self.machine, self.scorer)


# --- facts of machines ------------------------------------------------------------------------------------------------

_TASKS = {Scheme.REGRESSION: "numbers", Scheme.ONE_CLASS: "outliers"}


def machine_facts(machine: Machine, scorer: Scorer) -> dict[str, Any]:
    """Facts of a model with one machine."""
    on_trees = not machine.explains_features
    return {
        "task": _TASKS.get(machine.scheme, "classes"),
        "classes": None if machine.classes is None else list(class_names(machine)),
        "outputs": list(output_names(machine)),
        "kernel": str(machine.kernel),
        "scheme": str(machine.scheme),
        "support": machine.n_support,
        "features": None if on_trees else machine.n_features,
        "named_features": machine.feature_names is not None,
        "probabilities": has_class_probabilities(machine),
        "engine": engine_facts([scorer]),
    }


def engine_facts(scorers: Sequence[Scorer]) -> dict[str, Any]:
    """How machines are evaluated; the reason where there is one machine."""
    return {
        "name": ", ".join(sorted({scorer.engine for scorer in scorers})),
        "exact": all(scorer.exact for scorer in scorers),
        "bytes": sum(scorer.nbytes for scorer in scorers),
        "reason": scorers[0].report().reason if len(scorers) == 1 else None,
    }


# --- answers from scores ----------------------------------------------------------------------------------------------


class Answers:
    """Turns scores into labels or values, scores by name, and probabilities."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.machine: Machine = scorer.machine
        self.outputs = Outputs.of(self.machine)
        self.classes = class_names(self.machine)
        self.has_labels = self.machine.scheme.has_labels and bool(self.classes)
        self._has_probabilities = has_class_probabilities(self.machine)

    def winners(self, scores: Floats) -> list[int]:
        """Class numbers; 0 where there are no classes."""
        return self.scorer.machine.decision.classes(scores).tolist() if self.has_labels else [0] * len(scores)

    def of(self, scores: Floats) -> list[dict[str, Any]]:
        """An answer for each row of scores (rows x outputs)."""
        rows, winners = scores.tolist(), self.winners(scores)
        answers = [
            {**self.verdict(row, winner), "scores": dict(zip(self.outputs.names, map(number, row), strict=True))}
            for row, winner in zip(rows, winners, strict=True)
        ]
        if self._has_probabilities and len(scores):
            for answer, shares in zip(answers, probabilities(self.scorer.machine, scores).tolist(), strict=True):
                answer["probabilities"] = dict(zip(self.classes, map(number, shares), strict=True))
        return answers

    def verdict(self, row: list[float], winner: int) -> dict[str, Any]:
        """The label, or the value where the answer is one number."""
        is_value = not self.has_labels and len(row) == 1
        return {
            "label": self.classes[winner] if self.has_labels else None,
            "value": number(row[0]) if is_value else None,
        }

    def explained_output(self, scores: Floats, winner: int, output: str | None) -> int:
        """The output that is explained: that of the request, else that of the answer."""
        if output is not None:
            return self.outputs.number(output)
        return self.outputs.predicted(scores, winner, self.machine.scheme)


def check_output(output: Any, outputs: tuple[str, ...]) -> str:
    if not isinstance(output, str) or output not in outputs:
        known = ", ".join(map(repr, outputs[:10])) + ", ..." * (len(outputs) > 10)
        raise bad_input(f"output must be one of {known or 'none'}", output, "output")
    return output
