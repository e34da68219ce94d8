"""A grid search of online learning: degree, C and epochs, scored on held-out examples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.evaluation.metrics import accuracy, class_scores
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.online.examples import Block, example_weights
from gristmill.solvers.online.learner import OnlineLearner
from gristmill.solvers.online.settings import OnlineSettings

SCORINGS = ("accuracy", "f1")


@dataclass(frozen=True)
class Grid:
    """All combinations are tried; models of fewer epochs are scored on the way to more."""

    degrees: Sequence[int]
    costs: Sequence[Any]  # numbers, or "auto"
    epochs: Sequence[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", sorted(set(self.degrees)))
        object.__setattr__(self, "costs", list(dict.fromkeys(self.costs)))
        object.__setattr__(self, "epochs", sorted(set(self.epochs)))

    def __len__(self) -> int:
        return len(self.degrees) * len(self.costs) * len(self.epochs)


@dataclass(frozen=True)
class Trial:
    """Scores of one combination on the held-out examples."""

    degree: int
    C: float
    epochs: int
    accuracy: float
    f1: float  # mean over the classes
    support: int
    seconds: float  # of learning, from the first epoch


def trials(
    settings: OnlineSettings,
    grid: Grid,
    train: Block,
    held_out: Block,
    classes: NDArray[Any],
    weights: Sequence[float],
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
    first_id: int = 0,
) -> Iterator[tuple[Trial, Machine]]:
    """Try every combination, the cheap ones first; settings gives everything else.

    weights : factors of C, by class
    first_id : how the data files count features, for the machines
    """
    combinations = [  # all are checked before the first one is tried
        replace(settings, kernel=replace(settings.kernel, degree=degree), C=cost, epochs=grid.epochs[-1])
        for degree, cost in itertools.product(grid.degrees, grid.costs)
    ]
    factors = example_weights(weights, train.labels)
    for here in combinations:
        learner = OnlineLearner(here, classes, smallest_weight=min(weights))
        done = 0
        for passes in grid.epochs:
            visited = done * len(train.rows)
            how: dict[str, Any] = {"passes": passes, "seed": seed, "visited": visited, "n_jobs": n_jobs}
            learner.learn(train.rows, train.labels, factors, **how)
            done = passes
            machine = learner.machine(first_id=first_id)
            yield _trial(learner, machine, passes, held_out, n_jobs), machine


def best(found: Sequence[Trial], measure: str) -> int:
    """The number of the best trial; of equal ones that with the fewest support vectors."""
    return max(range(len(found)), key=lambda at: (getattr(found[at], measure), -found[at].support, -at))


def _trial(learner: OnlineLearner, machine: Machine, epochs: int, held_out: Block, n_jobs: int | None) -> Trial:
    predicted = class_numbers(machine.compile(), held_out.rows, n_jobs)
    f1 = [scores.f1 for scores in class_scores(held_out.labels, predicted)]
    return Trial(
        learner.settings.kernel.degree,
        float(learner.cost or 0),
        epochs,
        accuracy(held_out.labels, predicted),
        float(np.mean(f1)) if f1 else float("nan"),
        machine.n_support,
        learner.seconds,
    )
