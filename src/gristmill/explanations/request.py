"""What may be asked of a decision: another class, a class, a probability of it, or a score beyond a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.display.words import listed_labels, spelled_label
from gristmill.machines.machine import Machine
from gristmill.machines.probability import has_class_probabilities, probabilities

_FARTHEST = 1e300  # scores beyond it mean no other probabilities


@dataclass(frozen=True)
class Request:
    """What the core looks for, and the words for it."""

    native: _core.Request
    text: str


def request_of(
    machine: Machine,
    scores: Floats,
    target: Any = None,
    probability: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Request:
    """A request for a row with these scores; ValueError where it makes no sense for the machine."""
    bounds = {"above": above, "below": below}
    given = [name for name, value in bounds.items() if value is not None]
    if given:
        if len(given) > 1 or target is not None or probability is not None:
            raise ValueError("give one of above, below, and target with or without probability")
        return _beyond(machine, given[0], bounds[given[0]])
    if not machine.scheme.has_labels or machine.classes is None:
        raise ValueError("this machine predicts numbers, not classes: give above= or below= a number")
    own = int(machine.decision.classes(scores[None])[0])
    number = None if target is None else _number_of(machine, target)
    if probability is not None:
        return _probable(machine, own, number, probability)
    if number is None:
        return Request(_core.Request.leave(own), "another class")
    return Request(_core.Request.become(number), f"to be {spelled_label(machine.classes[number])}")


def _number_of(machine: Machine, target: Any) -> int:
    assert machine.classes is not None
    labels = machine.classes.tolist()
    found = [at for at, label in enumerate(labels) if label == target] or [
        at for at, label in enumerate(labels) if spelled_label(label) == spelled_label(target)
    ]
    if len(found) != 1:
        raise ValueError(f"target must be one of the classes {listed_labels(machine.classes)}, got {target!r}")
    return found[0]


def _beyond(machine: Machine, side: str, value: Any) -> Request:
    if machine.n_outputs != 1:
        raise ValueError(f"{side} is for machines with one output, this one has {machine.n_outputs}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{side} must be a finite number, got {value!r}")
    return Request(_core.Request.reach(0, side == "above", number, False), f"a score {side} {number:g}")


def _probable(machine: Machine, own: int, number: int | None, probability: float) -> Request:
    if machine.n_classes != 2 or machine.n_outputs != 1 or not has_class_probabilities(machine):
        raise ValueError(
            "probability is for machines with two classes, one output and probabilities, such as those of "
            "KernelLogisticRegression, TableClassifier and KernelSVC(probability=True)"
        )
    if not 0 < probability < 1:
        raise ValueError(f"probability must be between 0 and 1, got {probability!r}")
    number = 1 - own if number is None else number
    assert machine.classes is not None
    is_above, threshold = _threshold(machine, number, probability)
    label = spelled_label(machine.classes[number])
    native = _core.Request.reach(0, is_above, threshold, True)
    return Request(native, f"{label} with probability {probability:g} or more")


def _threshold(machine: Machine, number: int, probability: float) -> tuple[bool, float]:
    """The side, and the least score on it with such a probability: probabilities are monotone in the score."""

    def share(score: float) -> float:
        return float(probabilities(machine, np.array([[score]]))[0, number])

    far = 1.0
    while far < _FARTHEST and max(share(far), share(-far)) < probability:
        far *= 2
    is_above = share(far) >= share(-far)
    good, bad = (far, -far) if is_above else (-far, far)
    if share(good) < probability:
        raise ValueError(f"no score of this machine means a probability of {probability:g}")
    while share(bad) >= probability and abs(bad) < _FARTHEST:
        bad *= 2
    while (middle := good + (bad - good) / 2) not in (good, bad):
        good, bad = (middle, bad) if share(middle) >= probability else (good, middle)
    return is_above, good
