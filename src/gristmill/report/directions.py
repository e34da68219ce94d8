"""Why one class and not another: a weighted sum of outputs, whose shares are the same sums of the outputs' shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

Floats = NDArray[np.float64]


def direction(machine: Machine, answer: int, rival: int) -> Floats:
    """A weight for each output, so that the weighted sum of scores is what `answer` leads `rival` by.

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
    """The place of two different classes in `pairwise.pairs`."""
    first, second = min(one, other), max(one, other)
    return first * (2 * n_classes - first - 1) // 2 + second - first - 1


def rival_of(class_scores: Floats, answer: int) -> int:
    """The class that comes next to the answer, or before it; the answer itself where it is the only one."""
    order = [at for at in np.argsort(-class_scores, kind="stable").tolist() if at != answer]
    return order[0] if order else answer
