"""What the features and the outputs of a machine are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gristmill.base.checks import is_whole
from gristmill.display.words import spelled_label
from gristmill.machines.machine import Machine
from gristmill.machines.pairwise import pairs
from gristmill.machines.schemes import Scheme

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
    >>> from gristmill.explanations.names import output_names
    >>> coef, classes = [[1.0, 2.0, 3.0]], ["a", "b", "c"]
    >>> pairs = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]]), coef, [0.0, 0.0, 0.0], classes, "ovo")
    >>> output_names(pairs)
    ('a : b', 'a : c', 'b : c')
    """
    if machine.classes is None or machine.scheme is Scheme.REGRESSION:
        several = machine.n_outputs > 1
        return tuple(f"value {output}" if several else "value" for output in range(machine.n_outputs))
    classes = _class_names(machine)
    if machine.scheme is Scheme.ONE_VS_ONE:
        return tuple(f"{classes[first]} : {classes[second]}" for first, second in pairs(len(classes)))
    return classes if machine.scheme is Scheme.ONE_VS_REST else (classes[1],)


def output_number(names: tuple[str, ...], output: int | str) -> int:
    """The number of an output that is named or numbered; ValueError where there is none."""
    if isinstance(output, str):
        if names.count(output) == 1:
            return names.index(output)
        raise ValueError(f"output must be one of {', '.join(map(repr, names))}, got {output!r}")
    if not is_whole(output) or not 0 <= output < len(names):
        raise ValueError(f"output must be a number from 0 to {len(names) - 1} or a name, got {output!r}")
    return int(output)


@dataclass(frozen=True)
class Outputs:
    """What can be explained: each output of a machine, and for pairs of three classes or more also each class.

    The score of such a class is the sum of the scores of its pairs, each signed in its favour: a sum of outputs, so
    its Shapley values are the same sum of theirs. Classes are numbered after the outputs.

    Parameters
    ----------
    names : tuple of str
        Of the outputs.
    classes : tuple of str
        The classes whose pairs the outputs are; none where the outputs are something else, or the pair is the only one.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...] = ()

    @classmethod
    def of(cls, machine: Machine) -> Outputs:
        is_pairs = machine.classes is not None and machine.scheme is Scheme.ONE_VS_ONE and machine.n_classes > 2
        return cls(output_names(machine), _class_names(machine) if is_pairs else ())

    def number(self, output: int | str) -> int:
        """Of an output or a class that is named or numbered; ValueError where there is none."""
        return output_number(self.all_names, output)

    @property
    def all_names(self) -> tuple[str, ...]:
        """Of the outputs, then of the classes."""
        return (*self.names, *self.classes)

    def name(self, number: int) -> str:
        return self.all_names[number]

    def column(self, table: Floats, number: int) -> Floats:
        """Of numbers with an axis of outputs, the last, those of one output or class."""
        if number < len(self.names):
            return np.asarray(table[..., number])
        winner = number - len(self.names)
        return np.asarray(sum(sign * table[..., output] for output, sign in _pairs_of(winner, len(self.classes))))

    def explained(self, scores: Floats, winner: int, scheme: Scheme) -> int:
        """The one that is explained where none is named: that of the class which an example is given, by its number.

        Without classes it is the largest output.
        """
        if self.classes:
            return len(self.names) + winner
        if scheme is Scheme.ONE_VS_REST:
            return winner
        if not len(scores):
            raise ValueError("the machine has one class and no output: there is nothing to explain")
        return int(np.argmax(np.abs(scores)))


def _class_names(machine: Machine) -> tuple[str, ...]:
    return () if machine.classes is None else tuple(spelled_label(label) for label in machine.classes.tolist())


def _pairs_of(winner: int, n_classes: int) -> list[tuple[int, int]]:
    """The outputs that compare a class with others, with 1 where a score above 0 speaks for it, else -1."""
    found = enumerate(pairs(n_classes))
    return [(output, 1 if pair[0] == winner else -1) for output, pair in found if winner in pair]


def heaviest(column: Floats, k: int | None) -> list[int]:
    """Places of the largest numbers, up or down; all, or the first k."""
    if k is not None and not (is_whole(k) and k >= 0):
        raise ValueError(f"expected a number of 0 or more, or None, got {k!r}")
    return [int(at) for at in np.argsort(-np.abs(column), kind="stable")[:k]]
