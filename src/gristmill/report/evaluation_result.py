"""What is known of a model and some data: the scores of all examples, computed once, and what is true of them.

Sections are made from this alone. Whoever has other examples than rows and trees, such as the tokens of sentences,
can fill one in and have the same sections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.evaluation.outcomes import (
    JudgedClasses,
    JudgedOrder,
    JudgedValues,
    judge_classes,
    judge_order,
    judge_values,
)
from gristmill.explanations.names import output_names
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Density, Sigmoid
from gristmill.machines.schemes import Scheme, votes_and_confidence
from gristmill.report.labels import Labels, Truth
from gristmill.report.sample import Sample, sample
from gristmill.scoring.scorer import Scorer

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sources:
    """What the page calls the model and the data, and what the model takes on disk, where that is known."""

    model: str
    data: str
    model_bytes: int | None = None


@dataclass(frozen=True)
class Wishes:
    """What was asked for.

    Parameters
    ----------
    examples : int
        How many are explained, and timed, at most.
    mistakes : int
        How many of the worst are shown.
    random_state : int
        By which examples are chosen.
    engines : bool
        Whether engines are compared.
    n_jobs : int or None
        Threads.
    """

    examples: int = 2000
    mistakes: int = 10
    random_state: int = 0
    engines: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("examples", 1), ("mistakes", 0), ("random_state", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")


@dataclass(frozen=True, eq=False)
class Known:
    """Examples with their scores and answers, and with the truth where there is one.

    Parameters
    ----------
    scorer : Scorer
    X : Rows, Forest or Examples
        As the scorer takes them.
    scores : array of shape (examples, outputs)
        That decide as the definition does.
    truth : Truth or None
        None: the data have no labels.
    sources : Sources
    wishes : Wishes
    called : callable or None
        What people call the example of a number; None: 'example 1' and so on.
    are_decisions : bool
        Whether examples are single decisions of a program; features that its machine has never seen are left out then.
    """

    scorer: Scorer
    X: Any
    scores: Floats
    truth: Truth | None
    sources: Sources
    wishes: Wishes = field(default_factory=Wishes)
    called: Callable[[int], str] | None = None
    are_decisions: bool = False

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def machine(self) -> Machine:
        return self.scorer.machine

    @property
    def has_classes(self) -> bool:
        return self.machine.scheme.has_labels

    @property
    def ranks(self) -> bool:
        """Of its scores only the order counts, as far as the machine knows."""
        return not self.has_classes and self.machine.provenance.get("ranks") is True

    @property
    def is_two_sided(self) -> bool:
        """One output whose sign is the answer."""
        return self.machine.scheme in (Scheme.BINARY, Scheme.ONE_CLASS)

    @cached_property
    def answers(self) -> NDArray[Any]:
        """Numbers of classes, or values."""
        return self.scorer.decided(self.scores) if self.has_classes else self.scorer.answers_of(self.scores)

    @cached_property
    def labels(self) -> Labels:
        """What classes are called."""
        return Labels.of(self.machine)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        return output_names(self.machine)

    @cached_property
    def probabilities(self) -> Floats | None:
        """Examples x classes, where the machine came with such."""
        kind = self.machine.probability
        return self.scorer.probabilities_of(self.scores) if isinstance(kind, Sigmoid | Density) else None

    @cached_property
    def class_scores(self) -> Floats:
        """Examples x classes: of pairwise machines votes, and parts of one for how clearly pairs were won."""
        if self.is_two_sided:
            return np.column_stack([-self.scores[:, 0], self.scores[:, 0]])
        if self.machine.scheme is Scheme.ONE_VS_ONE:
            return votes_and_confidence(self.scores, self.machine.n_classes)
        return self.scores

    @cached_property
    def margins(self) -> Floats:
        """How far each answer is from another one: its score, or what its class leads the next one by."""
        if self.is_two_sided:
            return np.abs(self.scores[:, 0])
        top = np.sort(self.class_scores, axis=1)
        return np.asarray(top[:, -1] - top[:, -2]) if top.shape[1] > 1 else top[:, -1]

    @cached_property
    def compared(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """What is true, and what was answered, of the examples that have a label."""
        if self.truth is None:
            return np.empty(0), np.empty(0)
        return self.truth.values, self.answers[self.truth.numbers]

    @cached_property
    def judged_classes(self) -> JudgedClasses:
        return judge_classes(*self.compared, self.labels.names if self.truth is None else self.truth.names)

    @cached_property
    def judged_values(self) -> JudgedValues:
        return judge_values(*self.compared)

    @cached_property
    def judged_order(self) -> JudgedOrder:
        return judge_order(*self.compared)

    @property
    def forest(self) -> Forest | None:
        """The trees of the examples, the first where they have several; None for rows."""
        if isinstance(self.X, Examples):
            return next((part for part in self.X.fields.values() if isinstance(part, Forest)), None)
        return self.X if isinstance(self.X, Forest) else None

    def some(self, numbers: NDArray[np.intp]) -> Any:
        """The examples with these numbers."""
        return self.X.take(numbers) if isinstance(self.X, Rows) else self.X[numbers]

    def name_of(self, number: int) -> str:
        """What people call an example."""
        return f"example {number + 1:,}" if self.called is None else self.called(number)

    def sample(self, most: int) -> Sample:
        """At most so many examples, and never more than were asked for."""
        return sample(len(self), min(most, self.wishes.examples), self.wishes.random_state)
