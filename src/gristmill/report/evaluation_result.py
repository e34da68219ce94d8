"""The evaluation of a model on data: the scores of all examples, computed once, and their true labels.

All sections of a report are made from an EvaluationResult. Apps make one of their decisions, such as the tags of
tokens, and get the same sections.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats, Indices
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.display.markup import shortened
from gristmill.display.words import listed_labels, spelled_label
from gristmill.evaluation.metrics import (
    ClassificationMetrics,
    RankingMetrics,
    RegressionMetrics,
    classification_metrics,
    ranking_metrics,
    regression_metrics,
)
from gristmill.explanations.models import output_names
from gristmill.machines.machine import Machine
from gristmill.machines.probability import has_class_probabilities, probabilities
from gristmill.machines.schemes import Scheme, votes_and_confidence
from gristmill.scoring.scorer import Scorer

LARGEST = 1e150  # of scores and values: their squares and sums stay finite


@dataclass(frozen=True)
class Sources:
    """Names of the model and the data on the page, and the size of the model file where it is known."""

    model: str
    data: str
    model_bytes: int | None = None


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report.

    Parameters
    ----------
    examples : int
        How many are explained and timed at most.
    mistakes : int
        How many of the worst mistakes are shown.
    random_state : int
        Seed of the choice of examples.
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
class EvaluationResult:
    """Examples with their scores and answers, and with their true labels where the data have some.

    Parameters
    ----------
    scorer : Scorer
    X : Rows, Forest or Examples
        As the scorer takes them.
    scores : array of shape (examples, outputs)
        Scores whose decisions equal those of the definition.
    truth : Truth or None
        None: the data have no labels.
    sources : Sources
    options : ReportOptions
    example_name : callable or None
        The name of the example with a number, for people; None: 'example 1' and so on.
    are_decisions : bool
        Whether examples are single decisions of an app; features that its machine has never seen are left out then.
    """

    scorer: Scorer
    X: Any
    scores: Floats
    truth: Truth | None
    sources: Sources
    options: ReportOptions = field(default_factory=ReportOptions)
    example_name: Callable[[int], str] | None = None
    are_decisions: bool = False

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def machine(self) -> Machine:
        return self.scorer.machine

    @property
    def support_noun(self) -> str:
        """What the machine has weights for: support vectors, or conjunctions."""
        return self.machine.kernel.support_noun or "support vector"

    @property
    def has_classes(self) -> bool:
        return self.machine.scheme.has_labels

    @property
    def ranks(self) -> bool:
        """Whether only the order of its scores counts, as the machine's provenance says."""
        return not self.has_classes and self.machine.provenance.get("ranks") is True

    @property
    def is_two_sided(self) -> bool:
        """Whether there is one output, whose sign is the answer."""
        return self.machine.scheme in (Scheme.BINARY, Scheme.ONE_CLASS)

    @cached_property
    def answers(self) -> NDArray[Any]:
        """Numbers of classes, or values."""
        return (
            self.scorer.machine.decision.classes(self.scores)
            if self.has_classes
            else self.scorer.machine.answers(self.scores)
        )

    @cached_property
    def labels(self) -> Labels:
        """Names of the classes."""
        return Labels.of(self.machine)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        return output_names(self.machine)

    @cached_property
    def probabilities(self) -> Floats | None:
        """Examples x classes, where the machine has probabilities."""
        return probabilities(self.machine, self.scores) if has_class_probabilities(self.machine) else None

    @cached_property
    def class_scores(self) -> Floats:
        """Examples x classes; of pairwise machines votes, plus fractions for how clearly pairs were won."""
        if self.is_two_sided:
            return np.column_stack([-self.scores[:, 0], self.scores[:, 0]])
        if self.machine.scheme is Scheme.ONE_VS_ONE:
            return votes_and_confidence(self.scores, self.machine.n_classes)
        return self.scores

    @cached_property
    def margins(self) -> Floats:
        """The distance of each answer from another one: its absolute score, or its lead over the next class."""
        if self.is_two_sided:
            return np.abs(self.scores[:, 0])
        top = np.sort(self.class_scores, axis=1)
        return np.asarray(top[:, -1] - top[:, -2]) if top.shape[1] > 1 else top[:, -1]

    @cached_property
    def compared(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """True labels and answers of the examples that have a label."""
        if self.truth is None:
            return np.empty(0), np.empty(0)
        return self.truth.values, self.answers[self.truth.numbers]

    @cached_property
    def classification(self) -> ClassificationMetrics:
        return classification_metrics(*self.compared, self.labels.names if self.truth is None else self.truth.names)

    @cached_property
    def regression(self) -> RegressionMetrics:
        return regression_metrics(*self.compared)

    @cached_property
    def ranking(self) -> RankingMetrics:
        return ranking_metrics(*self.compared)

    @property
    def forest(self) -> Forest | None:
        """The trees of the examples, the first where they have several; None for rows."""
        if isinstance(self.X, Examples):
            return next((part for part in self.X.fields.values() if isinstance(part, Forest)), None)
        return self.X if isinstance(self.X, Forest) else None

    def some(self, numbers: Indices) -> Any:
        """The examples with these numbers."""
        return self.X.take(numbers)

    def name_of(self, number: int) -> str:
        """The name of an example for people."""
        return f"example {number + 1:,}" if self.example_name is None else self.example_name(number)

    def sample(self, most: int) -> Sample:
        """At most so many examples, and never more than the options allow."""
        return sample(len(self), min(most, self.options.examples), self.options.random_state)


# --- true labels ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels:
    """Names of the classes of a machine, by number."""

    names: tuple[str, ...]
    keys: tuple[Any, ...]  # as labels of data are compared with them

    @property
    def short(self) -> tuple[str, ...]:
        """Names for legends and heads of tables."""
        return short_names(self.names)

    @classmethod
    def of(cls, machine: Machine) -> Labels:
        """The labels of a machine; none for one that answers with numbers."""
        classes = [] if machine.classes is None else machine.classes.tolist()
        return cls(tuple(map(spelled_label, classes)), tuple(map(_key, classes)))


@dataclass(frozen=True, eq=False)
class Truth:
    """True labels of the examples that have one.

    Parameters
    ----------
    numbers : array
        Of these examples among all.
    values : array
        Numbers of classes, or values.
    names : tuple of str
        What numbers of classes mean: first the classes of the machine, then labels that it has not learned.
    """

    numbers: Indices
    values: NDArray[Any]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)


def truth_of(machine: Machine, y: Any) -> Truth | None:
    """The true labels of data, one for each example, None or nan where it has none; None where no example has one."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must hold one label for each example, got shape {labels.shape}")
    given = labels.tolist()
    numbers = np.array([at for at, label in enumerate(given) if not _is_missing(label)], dtype=np.intp)
    if not len(numbers):
        return None
    found = [given[at] for at in numbers.tolist()]
    return _classes(machine, numbers, found) if machine.scheme.has_labels else _values(machine, numbers, found)


def _classes(machine: Machine, numbers: Indices, found: list[Any]) -> Truth:
    known = Labels.of(machine)
    places = {key: number for number, key in enumerate(known.keys)}
    foreign = sorted({_key(label) for label in found} - places.keys(), key=lambda key: (isinstance(key, str), key))
    if len(foreign) == len({_key(label) for label in found}):
        raise ValueError(
            f"none of the labels is a class of the machine: the data have {listed_labels(foreign, 5)}, the machine "
            f"{listed_labels(known.keys, 5)}; without labels (y=None, --ignore-labels) answers "
            "are shown without metrics"
        )
    places |= {key: len(known.keys) + number for number, key in enumerate(foreign)}
    values = np.array([places[_key(label)] for label in found], dtype=np.intp)
    return Truth(numbers, values, (*known.names, *map(spelled_label, foreign)))


def _values(machine: Machine, numbers: Indices, found: list[Any]) -> Truth | None:
    """Numbers; None where the machine has several outputs, which one label cannot be compared with."""
    try:
        values = np.array([float(label) for label in found])
    except (TypeError, ValueError):
        raise ValueError(f"a regression machine is compared with numbers, got {listed_labels(found, 5)}") from None
    if (largest := np.abs(values).max()) > LARGEST:
        raise ValueError(f"true values must lie within {LARGEST:g}, got {largest:g}")
    return Truth(numbers, values) if machine.n_outputs == 1 else None


def short_names(names: Sequence[str], most: int = 24) -> tuple[str, ...]:
    """Names for legends and heads of tables: of at most so many characters, with numbers where they would be equal."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        short = shortened(name, most)
        found[short if short not in found else f"{short} ({number})"] = None
    return tuple(found)


def _key(label: Any) -> Any:
    """A key that is equal for 1 and 1.0; large integers stay integers, which a float cannot tell apart."""
    if isinstance(label, str | Real):
        return label
    raise ValueError(f"labels are numbers or str, got {label!r}")


def _is_missing(label: Any) -> bool:
    return label is None or label == "" or (isinstance(label, float) and math.isnan(label))


# --- samples of examples ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sample:
    """Ascending numbers of the chosen examples, the number of all examples, and the random state."""

    numbers: Indices
    of: int
    random_state: int

    @property
    def on_examples(self) -> str:
        """on 2,000 of 50,000 examples, chosen by random state 0"""
        return f"on {self.describe('example')}"

    def describe(self, noun: str) -> str:
        """2,000 of 50,000 sentences, chosen by random state 0"""
        if len(self.numbers) == self.of:
            return f"all {self.of:,} {noun}s" if self.of > 1 else f"the only {noun}"
        return f"{len(self.numbers):,} of {self.of:,} {noun}s, chosen by random state {self.random_state}"


def sample(of: int, most: int, random_state: int) -> Sample:
    """All examples, or so many at random."""
    if of <= most:
        return Sample(np.arange(of), of, random_state)
    return Sample(np.sort(np.random.default_rng(random_state).choice(of, most, replace=False)), of, random_state)
