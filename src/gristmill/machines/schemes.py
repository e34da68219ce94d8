"""From scores to answers: how the outputs of a machine decide a label."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.display.words import counted
from gristmill.machines.pairwise import pairs

Floats = NDArray[np.float64]


class Scheme(StrEnum):
    """What the outputs of a machine mean."""

    BINARY = "binary"  # one output; above 0 is classes[1]
    ONE_VS_ONE = "one-vs-one"  # an output per pair (i, j), i < j, in order; above 0 votes for i, below for j
    ONE_VS_REST = "one-vs-rest"  # an output per class; the highest wins
    REGRESSION = "regression"  # the outputs are the answer
    ONE_CLASS = "one-class"  # one output; above 0 is an inlier, classes[1]

    @classmethod
    def parse(cls, name: str) -> Scheme:
        """A scheme by its name or its short name ovo, ovr."""
        short = {"ovo": cls.ONE_VS_ONE, "ovr": cls.ONE_VS_REST}
        try:
            return short.get(name) or cls(name)
        except ValueError:
            names = ", ".join(repr(str(scheme)) for scheme in cls)
            raise ValueError(f"scheme must be one of {names}, 'ovo' or 'ovr', got {name!r}") from None

    @classmethod
    def infer(cls, n_outputs: int, n_classes: int | None) -> Scheme:
        """The only scheme that fits the counts, or an error that asks for one."""
        if n_classes is None:
            return cls.REGRESSION
        fitting = [s for s in (cls.BINARY, cls.ONE_VS_ONE, cls.ONE_VS_REST) if s.outputs(n_classes) == n_outputs]
        if fitting == [cls.BINARY, cls.ONE_VS_ONE]:  # two classes: one and the same but for the sign
            return cls.BINARY
        if len(fitting) != 1:
            problem = "both one-vs-one and one-vs-rest would fit" if fitting else "no scheme fits"
            found = f"{counted(n_outputs, 'output')} for {counted(n_classes, 'class', 'classes')}"
            raise ValueError(f"{found}: {problem}; say which with scheme=")
        return fitting[0]

    def outputs(self, n_classes: int) -> int | None:
        """How many outputs the scheme needs; None when any number will do."""
        pairs = n_classes * (n_classes - 1) // 2
        needed = {"binary": 1 if n_classes == 2 else -1, "one-class": 1, "one-vs-one": pairs, "one-vs-rest": n_classes}
        return needed.get(self)

    @property
    def has_labels(self) -> bool:
        return self is not Scheme.REGRESSION


@dataclass(frozen=True)
class DecisionRule:
    """How the scores of an example decide its class. Classes are numbers here: positions in the machine's `classes`."""

    scheme: Scheme
    n_classes: int
    zero_class: int  # what a binary score of exactly 0 means; of pairs, whether it votes as one above

    @property
    def native(self) -> int:
        """The rule as the core numbers it."""
        return {Scheme.ONE_VS_REST: 1, Scheme.ONE_VS_ONE: 2}.get(self.scheme, 0)

    def classes(self, scores: Floats) -> NDArray[np.intp]:
        """The class of each row of scores (examples x outputs)."""
        if self.scheme is Scheme.ONE_VS_ONE:  # LIBSVM's tie rule: the first of the most voted
            return first_largest(count_votes(scores, self.n_classes, self.zero_class))
        if self.scheme is Scheme.ONE_VS_REST:
            return first_largest(scores)
        positive = scores[:, 0] > 0 if self.zero_class == 0 else scores[:, 0] >= 0
        return positive.astype(np.intp)

    def among(self, scores: Floats, possible: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The same where not all classes are possible, but some; of votes all pairs have theirs."""
        if self.scheme in (Scheme.ONE_VS_ONE, Scheme.ONE_VS_REST):
            is_rest = self.scheme is Scheme.ONE_VS_REST
            table = scores if is_rest else count_votes(scores, self.n_classes, self.zero_class)
            return np.flatnonzero(possible)[first_largest(table[:, possible])]
        found = self.classes(scores)
        return np.where(possible[found], found, 1 - found)

    def unsure(self, scores: Floats, bounds: Floats) -> NDArray[np.bool_]:
        """Examples whose class could change if each score moved by its bound."""
        if not self.scheme.has_labels or scores.shape[1] == 0:
            return np.zeros(len(scores), dtype=bool)
        if self.scheme is Scheme.ONE_VS_REST:
            reachable = scores + bounds >= np.max(scores - bounds, axis=1, keepdims=True)
            return np.asarray(reachable.sum(axis=1) > 1)
        return np.asarray(~(np.abs(scores) > bounds).all(axis=1))  # nan is never sure


def first_largest(table: NDArray[Any]) -> NDArray[np.intp]:
    """The column of the largest entry of each row, the first of equals."""
    return np.asarray(table.argmax(axis=1), dtype=np.intp)


def count_votes(scores: Floats, n_classes: int, zero_class: int = 0) -> NDArray[np.int32]:
    """Pairwise votes: a score above 0 is for the first of the pair, one below for the second.

    A score of exactly 0 counts as one below if zero_class is 0, as in LIBSVM; as one above if it is 1, as in YamCha.
    """
    votes = np.zeros((len(scores), n_classes), dtype=np.int32)
    for output, (first, second) in enumerate(pairs(n_classes)):
        won = scores[:, output] > 0 if zero_class == 0 else scores[:, output] >= 0
        votes[:, first] += won
        votes[:, second] += ~won
    return votes


def votes_and_confidence(scores: Floats, n_classes: int) -> Floats:
    """scikit-learn's 'ovr' shape of pairwise scores: votes, plus summed scores squeezed to less than a third of one."""
    votes = np.zeros((len(scores), n_classes))
    confidence = np.zeros((len(scores), n_classes))
    for output, (first, second) in enumerate(pairs(n_classes)):
        lost = scores[:, output] < 0
        votes[:, first] += ~lost
        votes[:, second] += lost
        confidence[:, first] += scores[:, output]
        confidence[:, second] -= scores[:, output]
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))
