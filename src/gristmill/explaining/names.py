"""What the features and the outputs of a machine are called."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gristmill.checks import is_whole
from gristmill.drawing.words import spelled_label
from gristmill.machine import Machine
from gristmill.pairwise import pairs
from gristmill.schemes import Scheme

Floats = NDArray[np.float64]


def feature_name(machine: Machine, feature: int) -> str:
    """The name of a column, or its number as data files count; also of one that the machine does not know."""
    names = machine.feature_names
    return names[feature] if names and feature < len(names) else str(feature + (machine.first_id or 0))


def output_names(machine: Machine) -> tuple[str, ...]:
    """For each output what a score above 0 speaks for.

    That is a class, or the first of a pair of classes written as "a : b"; "value" for regression, with a number where
    there are several.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explaining.names import output_names
    >>> coef, classes = [[1.0, 2.0, 3.0]], ["a", "b", "c"]
    >>> pairs = gm.Machine(gm.PolynomialKernel(2), [[0]], coef, [0.0, 0.0, 0.0], classes, "ovo")
    >>> output_names(pairs)
    ('a : b', 'a : c', 'b : c')
    """
    if machine.classes is None or machine.scheme is Scheme.REGRESSION:
        several = machine.n_outputs > 1
        return tuple(f"value {output}" if several else "value" for output in range(machine.n_outputs))
    classes = [spelled_label(label) for label in machine.classes.tolist()]
    if machine.scheme is Scheme.ONE_VS_ONE:
        return tuple(f"{classes[first]} : {classes[second]}" for first, second in pairs(len(classes)))
    return tuple(classes) if machine.scheme is Scheme.ONE_VS_REST else (classes[1],)


def output_number(names: tuple[str, ...], output: int | str) -> int:
    """The number of an output that is named or numbered; ValueError where there is none."""
    if isinstance(output, str):
        if names.count(output) == 1:
            return names.index(output)
        raise ValueError(f"output must be one of {', '.join(map(repr, names))}, got {output!r}")
    if not is_whole(output) or not 0 <= output < len(names):
        raise ValueError(f"output must be a number from 0 to {len(names) - 1} or a name, got {output!r}")
    return int(output)


def told_output(machine: Machine, scores: Floats, winner: int) -> int:
    """The output that is told about where none is named: that of the class which an example is given, by its number.

    For pairs of classes it is the pair of that class and its closest rival. Without classes it is the largest output.
    """
    if machine.scheme is Scheme.ONE_VS_REST:
        return winner
    if not len(scores):
        raise ValueError("the machine has one class and no output: there is nothing to explain")
    if machine.scheme is not Scheme.ONE_VS_ONE:
        return int(np.argmax(np.abs(scores)))
    margins = {
        output: scores[output] * (1 if pair[0] == winner else -1)
        for output, pair in enumerate(pairs(machine.n_classes))
        if winner in pair
    }
    return min(margins, key=lambda output: float(margins[output]))


def heaviest(column: Floats, k: int | None) -> list[int]:
    """Places of the largest numbers, up or down; all, or the first k."""
    if k is not None and not (is_whole(k) and k >= 0):
        raise ValueError(f"expected a number of 0 or more, or None, got {k!r}")
    return [int(at) for at in np.argsort(-np.abs(column), kind="stable")[:k]]
