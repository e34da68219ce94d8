"""What the papers compare with: one machine per value of a feature, linear machines over mined conjunctions, pruning.

Classifier splitting is that of Nivre, Hall and Nilsson 2006; the semi-polynomial machine that of Wu, Yang and Lee 2007:
conjunctions that occur often enough are mined before training and become features of a linear SVM. Costs of splitting:
those of k small machines; of the other: memory for each conjunction that occurs, while they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.examples import Data
from benchmarks.svm_expansion import Mined, without
from gristmill.scoring.scorer import Scorer

Labels = NDArray[Any]
Make = Callable[[], gm.KernelSVC]

PRUNED_AWAY = "before", "after"
# the names by which the papers know the engines; sigma is a multiple of the largest coefficient
ENGINES: dict[str, Callable[[gm.Machine], Scorer]] = {
    "PKB": lambda machine: machine.compile("direct"),
    "PKI": lambda machine: machine.compile("inverted"),
    "kernel expansion": lambda machine: machine.compile("split", rare=0),
    "PKE, 1": lambda machine: machine.compile("expanded", sigma=largest(machine)),
    "PKE, 3": lambda machine: machine.compile("expanded", sigma=3 * largest(machine)),
    "PKE, 10": lambda machine: machine.compile("expanded", sigma=10 * largest(machine)),
    "splitSVM": lambda machine: machine.compile("split"),
}


def largest(machine: gm.Machine) -> float:
    """Coefficient; of an SVM this is C, if an example is at the bound."""
    return float(np.abs(machine.dense_coef()).max())


def polynomial(degree: int, C: float) -> gm.KernelSVC:
    return gm.KernelSVC(degree=degree, C=C, solver="dual-cd")


def linear(C: float) -> gm.KernelSVC:
    return gm.KernelSVC("linear", C=C, solver="dual-cd")


@dataclass
class OneAnswer:
    """What is learned from examples of one class."""

    label: Any

    def predict(self, X: Any) -> Labels:
        return np.full(X.shape[0], self.label)


@dataclass
class SplitSVC:
    """A machine for each value of a feature, that learns from and answers the examples that have it.

    Values of fewer than `least` examples share a machine, which also answers for values that were never seen; where
    there is none, the commonest label does.
    """

    make: Make
    least: int = 100
    machines: dict[Any, gm.KernelSVC | OneAnswer] = field(default_factory=dict)
    others: gm.KernelSVC | OneAnswer = field(default_factory=lambda: OneAnswer(None))

    def fit(self, X: sp.csr_matrix, y: Labels, values: Labels) -> SplitSVC:
        kinds, counts = np.unique(values, return_counts=True)
        self.machines = {kind: self._learn(X, y, values == kind) for kind in kinds[counts >= self.least].tolist()}
        rest = np.isin(values, kinds[counts < self.least])
        self.others = self._learn(X, y, rest) if rest.any() else OneAnswer(_commonest(y))
        return self

    def predict(self, X: sp.csr_matrix, values: Labels) -> Labels:
        kinds, numbers = np.unique(values, return_inverse=True)
        parts = [np.flatnonzero(numbers == number) for number in range(len(kinds))]
        answers = [self.machine_for(kind).predict(X[part]) for kind, part in zip(kinds.tolist(), parts, strict=True)]
        found: Labels = np.concatenate(answers)
        found[np.concatenate(parts)] = found.copy()
        return found

    def machine_for(self, value: Any) -> gm.KernelSVC | OneAnswer:
        return self.machines.get(value, self.others)

    @property
    def learned(self) -> list[gm.KernelSVC]:
        """The machines, without those that give one answer."""
        return [each for each in (*self.machines.values(), self.others) if not isinstance(each, OneAnswer)]

    def _learn(self, X: sp.csr_matrix, y: Labels, chosen: NDArray[np.bool_]) -> gm.KernelSVC | OneAnswer:
        if len(np.unique(y[chosen])) == 1:
            return OneAnswer(_commonest(y[chosen]))
        return self.make().fit(X[chosen], y[chosen])


def _commonest(y: Labels) -> Any:
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()]


@dataclass
class SemiPolynomialSVC:
    """A linear SVM whose features are conjunctions of up to `degree` features, in at least `least` examples."""

    degree: int
    least: int
    C: float = 1.0

    def fit(self, X: sp.csr_matrix, y: Labels) -> SemiPolynomialSVC:
        self.mined = Mined.of(X, self.degree, self.least)
        self.machine = linear(self.C).fit(self.mined.spell(X), y)
        return self

    def predict(self, X: sp.csr_matrix) -> Labels:
        return np.asarray(self.machine.predict(self.mined.spell(X)))


def pruned(make: Make, train: Data, test: Data, frequencies: NDArray[Any], leasts: Sequence[int]) -> dict[str, Any]:
    """Accuracies where features rarer than each of `leasts` are left out: of the examples, before training, or after.

    After training, their weights, and those of all conjunctions with them, go: that is to score without them.
    """
    (X, y), (queries, wanted) = train, test
    whole = make().fit(X, y)
    found: dict[str, list[float]] = {when: [] for when in PRUNED_AWAY}
    for least in leasts:
        kept = frequencies >= least
        rest = without(queries, kept)
        anew = whole if kept[X.indices].all() else make().fit(without(X, kept), y)
        for when, model in zip(PRUNED_AWAY, (anew, whole), strict=True):
            found[when].append(float(np.mean(model.predict(rest) == wanted)))
    return found


def best_penalty(make: Callable[[float], Any], data: Data, candidates: Sequence[float]) -> float:
    """The one that does best on the last fifth of the examples, learning from the others."""
    X, y = data
    cut = len(y) * 4 // 5
    return max(candidates, key=lambda C: float(np.mean(make(C).fit(X[:cut], y[:cut]).predict(X[cut:]) == y[cut:])))
