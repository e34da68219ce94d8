"""Labels as numbers: those of the machine's classes first, then labels that the machine has never learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.display.widths import shortened
from gristmill.display.words import listed_labels, spelled_label
from gristmill.machines.machine import Machine

LARGEST = 1e150  # of scores and values: squares and sums of them are numbers still


@dataclass(frozen=True)
class Labels:
    """What a machine answers, by number."""

    names: tuple[str, ...]
    keys: tuple[Any, ...]  # as labels of data are compared with them

    @property
    def short(self) -> tuple[str, ...]:
        """Names for legends and heads of tables."""
        return short_names(self.names)

    @classmethod
    def of(cls, machine: Machine) -> Labels:
        """Those of a machine; none for one that answers with numbers."""
        classes = [] if machine.classes is None else machine.classes.tolist()
        return cls(tuple(map(spelled_label, classes)), tuple(map(_key, classes)))


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of the examples that have a label.

    Parameters
    ----------
    numbers : array
        Of these examples among all.
    values : array
        Numbers of classes, or values.
    names : tuple of str
        What numbers of classes mean: first the classes of the machine, then labels that it has not learned.
    """

    numbers: NDArray[np.intp]
    values: NDArray[Any]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)


def truth_of(machine: Machine, y: Any) -> Truth | None:
    """The labels of data, one for each example, None and nan where there is none; None where no example has one."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must hold one label for each example, got shape {labels.shape}")
    given = labels.tolist()
    numbers = np.array([at for at, label in enumerate(given) if not _is_missing(label)], dtype=np.intp)
    if not len(numbers):
        return None
    found = [given[at] for at in numbers.tolist()]
    return _classes(machine, numbers, found) if machine.scheme.has_labels else _values(machine, numbers, found)


def _classes(machine: Machine, numbers: NDArray[np.intp], found: list[Any]) -> Truth:
    known = Labels.of(machine)
    places = {key: number for number, key in enumerate(known.keys)}
    foreign = sorted({_key(label) for label in found} - places.keys(), key=lambda key: (isinstance(key, str), key))
    if len(foreign) == len({_key(label) for label in found}):
        raise ValueError(
            f"none of the labels is a class of the machine: the data have {listed_labels(foreign, 5)}, the machine "
            f"{listed_labels(known.keys, 5)}; without labels (y=None, --ignore-labels) answers are shown unjudged"
        )
    places |= {key: len(known.keys) + number for number, key in enumerate(foreign)}
    values = np.array([places[_key(label)] for label in found], dtype=np.intp)
    return Truth(numbers, values, (*known.names, *map(spelled_label, foreign)))


def _values(machine: Machine, numbers: NDArray[np.intp], found: list[Any]) -> Truth | None:
    """Numbers; None where the machine answers with several at once, which one label cannot be held against."""
    try:
        values = np.array([float(label) for label in found])
    except (TypeError, ValueError):
        raise ValueError(f"a regression machine is held against numbers, got {listed_labels(found, 5)}") from None
    if (largest := np.abs(values).max()) > LARGEST:
        raise ValueError(f"true values must lie within {LARGEST:g}, got {largest:g}")
    return Truth(numbers, values) if machine.n_outputs == 1 else None


def short_names(names: Sequence[str], most: int = 24) -> tuple[str, ...]:
    """Names for legends and heads of tables: of so many characters, a number behind those that would be alike."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        short = shortened(name, most)
        found[short if short not in found else f"{short} ({number})"] = None
    return tuple(found)


def _key(label: Any) -> Any:
    """Equal for 1 and 1.0; whole numbers stay whole, beyond what a float can tell apart."""
    if isinstance(label, str | Real):
        return label
    raise ValueError(f"labels are numbers or str, got {label!r}")


def _is_missing(label: Any) -> bool:
    return label is None or label == "" or (isinstance(label, float) and math.isnan(label))
