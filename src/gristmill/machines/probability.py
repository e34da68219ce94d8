"""Probabilities from scores: kept with a machine; solvers fit them.

`Softmax` is what the scores of logistic machines mean, `ScaledSoftmax` what those of other machines do, to which a unit
was fitted (temperature scaling: Guo et al. 2017). The others are as LIBSVM computes them: `Sigmoid` (classifiers) is
Platt's sigmoid per output, coupled over pairs by the second method of Wu, Lin and Weng (2004); `Laplace` (regression)
is the scale of the noise; `Density` (one-class) is ten marks on the training scores.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.machines.schemes import Scheme

if TYPE_CHECKING:
    from gristmill.machines.machine import Machine


_BLOCK = 1024  # rows coupled at once: each needs a matrix of classes x classes
_SMALLEST = 1e-7  # LIBSVM keeps pairwise probabilities this far from 0 and 1


@dataclass(frozen=True, eq=False)
class Sigmoid:
    """P(positive side of output o | score f) = 1 / (1 + exp(a_o f + b_o))."""

    kind: ClassVar[str] = "sigmoid"
    a: Floats
    b: Floats

    def normalised(self, scores: Floats) -> Floats:
        """The same made to add up to 1 over the outputs, also where each of them is too small for a double."""
        logarithms = -np.logaddexp(0.0, scores * self.a + self.b)
        shares = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def of_outputs(self, scores: Floats) -> Floats:
        """Probability of each output's positive side; scores have one column per output."""
        exponent = scores * self.a + self.b
        small = np.exp(-np.abs(exponent))
        return np.where(exponent >= 0, small, 1.0) / (1.0 + small)


@dataclass(frozen=True, eq=False)
class CoupledSigmoid(Sigmoid):
    """The same where two classes, too, go through the iteration of `couple_pairs`.

    Older LIBSVMs do that, scikit-learn's among them. The iteration stops at a tolerance: the third digit differs.
    """

    kind: ClassVar[str] = "coupled-sigmoid"


@dataclass(frozen=True, eq=False)
class Softmax:
    """P(class) is proportional to exp(score); the only output of two classes is the score of the second, against 0."""

    kind: ClassVar[str] = "softmax"

    def of_scores(self, scores: Floats) -> Floats:
        """A column per class, of scores with one column per output."""
        if scores.shape[1] == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class ScaledSoftmax(Softmax):
    """P(class) is proportional to exp(slope * score); `slope` is one number, above 0, so that ranks stay."""

    kind: ClassVar[str] = "scaled-softmax"
    slope: Floats

    def of_scores(self, scores: Floats) -> Floats:
        return super().of_scores(self.slope * scores)


@dataclass(frozen=True, eq=False)
class Laplace:
    """Regression noise has density exp(-|z| / scale) / (2 scale)."""

    kind: ClassVar[str] = "laplace"
    scale: Floats


@dataclass(frozen=True, eq=False)
class Density:
    """Ten ascending scores that cut the training data into tenths."""

    kind: ClassVar[str] = "density"
    marks: Floats

    def of_scores(self, scores: Floats) -> Floats:
        """Probability of being an inlier."""
        passed = np.searchsorted(self.marks, scores, side="right")
        share = passed / len(self.marks)
        return np.select([passed == 0, passed == len(self.marks)], [0.001, 0.999], share)


Probability = Sigmoid | Softmax | Laplace | Density
_KINDS = (Sigmoid, CoupledSigmoid, Softmax, ScaledSoftmax, Laplace, Density)
KINDS: dict[str, type[Probability]] = {kind.kind: kind for kind in _KINDS}


def arrays_of(probability: Probability) -> dict[str, Floats]:
    return {entry.name: getattr(probability, entry.name) for entry in fields(probability)}


def has_class_probabilities(machine: Machine) -> bool:
    """Whether its scores mean probabilities of classes: what regression keeps is the scale of its noise."""
    return isinstance(machine.probability, Sigmoid | Softmax | Density)


def couple_pairs(pairwise: Floats, n_classes: int, *, iterate_two: bool = False) -> Floats:
    """Class probabilities from pairwise ones, for all rows at once; two classes need no iteration.

    `pairwise` has a column per pair (i, j), i < j, in order: P(i | i or j). Follows LIBSVM's iteration step by step, so
    that results agree with its own to rounding.
    """
    pairwise = np.clip(pairwise, _SMALLEST, 1 - _SMALLEST)
    if n_classes == 2 and not iterate_two:
        return np.column_stack([pairwise[:, 0], 1 - pairwise[:, 0]])
    blocks = [_couple_block(part, n_classes) for part in np.array_split(pairwise, len(pairwise) // _BLOCK + 1)]
    return np.concatenate(blocks)


def _couple_block(pairwise: Floats, n_classes: int) -> Floats:
    couplings = _coupling_matrices(pairwise, n_classes)
    probabilities = np.full((len(pairwise), n_classes), 1.0 / n_classes)
    running = np.arange(len(pairwise))
    for _ in range(max(100, n_classes)):
        Q, p = couplings[running], probabilities[running]
        Qp = np.einsum("rij,rj->ri", Q, p)
        pQp = np.einsum("ri,ri->r", p, Qp)
        moving = np.abs(Qp - pQp[:, None]).max(axis=1, initial=0.0) >= 0.005 / n_classes
        if not moving.any():
            break
        running = running[moving]
        probabilities[running] = _sweep(Q[moving], p[moving], Qp[moving], pQp[moving])
    return probabilities


def _coupling_matrices(pairwise: Floats, n_classes: int) -> Floats:
    r = np.zeros((len(pairwise), n_classes, n_classes))
    upper = np.triu_indices(n_classes, 1)
    r[:, upper[0], upper[1]] = pairwise
    r[:, upper[1], upper[0]] = 1 - pairwise
    Q = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    Q[:, diagonal, diagonal] = (r**2).sum(axis=1)
    return Q


def _sweep(Q: Floats, p: Floats, Qp: Floats, pQp: Floats) -> Floats:
    for t in range(p.shape[1]):
        step = (pQp - Qp[:, t]) / Q[:, t, t]
        p[:, t] += step
        grown = 1 + step
        pQp = (pQp + step * (step * Q[:, t, t] + 2 * Qp[:, t])) / grown / grown
        Qp = (Qp + step[:, None] * Q[:, t, :]) / grown[:, None]
        p /= grown[:, None]
    return p


def probabilities(machine: Machine, scores: Floats) -> Floats:
    """What the scores (examples x outputs) of a machine mean by its coefficients, a column per class."""
    return class_shares(machine.probability, machine.scheme, machine.n_classes, scores)


def class_shares(probability: Probability | None, scheme: Scheme, n_classes: int, scores: Floats) -> Floats:
    """The same without a machine."""
    if isinstance(probability, Softmax):
        return probability.of_scores(scores)
    if isinstance(probability, Density):
        inside = probability.of_scores(scores[:, 0])
        return np.column_stack([1 - inside, inside])
    if not isinstance(probability, Sigmoid):
        raise ValueError(
            "this machine came without probability estimates; train it with them, by KernelSVC(probability=True), "
            "`gristmill train --probability` or LIBSVM's -b 1"
        )
    if scheme is Scheme.ONE_VS_REST:
        return probability.normalised(scores)
    positive = probability.of_outputs(scores)
    if scheme is Scheme.ONE_VS_ONE:
        return couple_pairs(positive, n_classes)
    return couple_pairs(1 - positive, 2, iterate_two=isinstance(probability, CoupledSigmoid))
