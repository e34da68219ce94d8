"""From scores to answers: how the outputs of a machine decide a label."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices, Int32s, Int64s
from gristmill.display.words import counted


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
    def native(self) -> _core.DecisionPolicy:
        """The rule as the core applies it."""
        rules = {Scheme.ONE_VS_REST: _core.DecisionRule.largest, Scheme.ONE_VS_ONE: _core.DecisionRule.votes}
        return _core.DecisionPolicy(rules.get(self.scheme, _core.DecisionRule.sign), self.n_classes, self.zero_class)

    def by_class(self, scores: Floats) -> Floats:
        """A score for each class, higher is better: its output, that of its side, or the votes of pairs for it."""
        table = _table(scores)
        if self.scheme is Scheme.ONE_VS_REST:
            return table
        if self.scheme is not Scheme.ONE_VS_ONE:
            return np.hstack([-table, table])
        votes = np.zeros((len(table), self.n_classes))
        for output, (one, other) in enumerate(pairs(self.n_classes)):
            is_one = (table[:, output] > 0) | ((table[:, output] == 0) & bool(self.zero_class))
            votes[:, one] += is_one
            votes[:, other] += ~is_one
        return votes

    def classes(self, scores: Floats) -> Indices:
        """The class of each row of scores (examples x outputs).

        Of equals it is the first, as in LIBSVM; what is not a number is the largest, as in NumPy.
        """
        return self.native.classes(_table(scores), np.empty(0, dtype=np.uint8)).astype(np.intp)

    def among(self, scores: Floats, possible: Flags) -> Indices:
        """The same where not all classes are possible, but some; of votes all pairs have theirs."""
        return self.native.classes(_table(scores), np.asarray(possible, dtype=np.uint8)).astype(np.intp)

    def unsure(self, scores: Floats, bounds: Floats) -> Flags:
        """Examples whose class could change if each score moved by its bound; what is not a number is never sure."""
        if not self.scheme.has_labels or scores.shape[1] == 0:
            return np.zeros(len(scores), dtype=bool)
        bounds = np.broadcast_to(bounds, scores.shape)
        return self.native.undecided(_table(scores), _table(bounds)).astype(bool)


def _table(values: Floats) -> Floats:
    """As the core reads tables."""
    return np.ascontiguousarray(values, dtype=np.float64)


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


def pairs(n_classes: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ..., (1, 2), ...: the order of one-vs-one outputs."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def pairwise_coef(coefs: Floats, sizes: Int64s) -> sp.csr_matrix:
    """LIBSVM's compact coefficients (support rows x rival classes) as support rows x pairs of classes.

    A row of class c holds its coefficients against the other classes in order.
    """
    n_classes = len(sizes)
    columns = np.repeat(_pair_columns(n_classes), sizes, axis=0)
    offsets = np.arange(len(coefs) + 1, dtype=np.int64) * (n_classes - 1)
    shape = (len(coefs), n_classes * (n_classes - 1) // 2)
    matrix = sp.csr_matrix((coefs.ravel(), columns.ravel(), offsets), shape=shape)
    matrix.sort_indices()  # zeros stay: rows of one class then have one pattern, which the core keeps as a block
    return matrix


def _pair_columns(n_classes: int) -> Int32s:
    """For each class the outputs of its pairs with the others, in the order of the others."""
    number = {pair: output for output, pair in enumerate(pairs(n_classes))}
    table = [[number[min(c, o), max(c, o)] for o in range(n_classes) if o != c] for c in range(n_classes)]
    return np.array(table, dtype=np.int32).reshape(n_classes, n_classes - 1)


def compact_coef(coef: sp.csr_matrix, n_classes: int) -> tuple[Indices, Floats, list[int]]:
    """Support rows sorted by class with their coefficients against the other classes.

    A row whose coefficients do not all involve one class is written once for each class it needs.
    """
    all_pairs = pairs(n_classes)
    by_class: list[list[tuple[int, Floats]]] = [[] for _ in range(n_classes)]
    for row in range(coef.shape[0]):
        entries = range(coef.indptr[row], coef.indptr[row + 1])
        terms = [(*all_pairs[coef.indices[at]], float(coef.data[at])) for at in entries]
        for owner, values in _owners(terms, n_classes).items():
            by_class[owner].append((row, values))
    order = np.array([row for rows in by_class for row, _ in rows], dtype=np.intp)
    coefs = np.array([values for rows in by_class for _, values in rows]).reshape(len(order), n_classes - 1)
    return order, coefs, [len(rows) for rows in by_class]


def _owners(terms: list[tuple[int, int, float]], n_classes: int) -> dict[int, Floats]:
    """The classes a support row is written under, each with its coefficients against the others."""
    shared = set.intersection(*({i, j} for i, j, _ in terms)) if terms else {0}
    owned: dict[int, Floats] = {}
    for i, j, value in terms:
        natural = i if value > 0 else j
        owner = natural if natural in shared or not shared else min(shared)
        rival = j if owner == i else i
        owned.setdefault(owner, np.zeros(n_classes - 1))[rival - (rival > owner)] = value
    return owned or {0: np.zeros(n_classes - 1)}
