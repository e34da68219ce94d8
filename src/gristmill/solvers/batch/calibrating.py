"""Training with probabilities: a sigmoid for each output, fitted to the scores of examples that were left out.

Stratified folds are left out in turn and scored by a machine of the others; the machine itself is of all examples. For
two classes, and for one class against the rest, this is scikit-learn's CalibratedClassifierCV(method="sigmoid",
ensemble=False). The sigmoid of a pair of classes is fitted to the examples of that pair, for LIBSVM's coupling.

A sigmoid P(y = 1 | f) = 1 / (1 + exp(a f + b)) has the maximum likelihood of Platt's (1999) smoothed targets, by the
Newton steps of Lin, Lin and Weng (2007).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress, part_progress
from gristmill.display.words import quoted_label
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import Scheme, pairs
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.problems import check_class_count
from gristmill.solvers.batch.result import SvmFit, SvmInterrupted
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.training import train_svm

FOLDS = 5
_STEPS = 100  # of Newton's method; ten are enough as a rule
_SMALLEST = 1e-10  # part of a step that is tried
_DIGITS = 9  # of a sigmoid that are kept: the last ones depend on the machine's exp()


def train_with_probability(
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    settings: SvmSettings,
    *,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    rows: TrainingRows | None = None,
    initial: SvmFit | None = None,
    **rest: Any,
) -> SvmFit:
    """`train_svm`, and the sigmoids; an interruption before they are fitted leaves a fit without them."""
    check_class_count(classes)
    folds = _checked_folds(labels, classes, weights)
    parts = int(folds.max()) + 2
    how: dict[str, Any] = {"n_jobs": n_jobs, **rest}
    first = part_progress(progress, 0, parts)
    fit = train_svm(X, labels, classes, settings, weights=weights, progress=first, rows=rows, initial=initial, **how)
    assert fit.rows is not None
    factors = np.ones(len(labels)) if weights is None else weights
    scores = np.empty((len(labels), len(fit.intercept)))
    try:
        for number in range(parts - 1):
            left, step = folds == number, part_progress(progress, number + 1, parts)
            part = train_svm(
                fit.rows, labels, classes, settings, weights=np.where(left, 0.0, factors), progress=step, **how
            )
            scores[left] = scores_of(part, take(fit.rows.data, np.flatnonzero(left)), n_jobs)
    except KeyboardInterrupt as stop:
        raise SvmInterrupted(fit) from stop
    return _with(fit, sigmoids(scores, labels, len(classes), fit.scheme, factors))


def scores_of(fit: SvmFit, data: Any, n_jobs: int | None = None) -> Floats:
    """Scores of examples as the kernel takes them, or of rows of a Gram matrix; examples x outputs."""
    if fit.machine is None:
        return fit.gram_scores(data)
    found = fit.machine.compile(binarize=False).decision_function(data, n_jobs)
    return found.reshape(len(found), -1)


def _with(fit: SvmFit, probability: Sigmoid) -> SvmFit:
    machine = None if fit.machine is None else fit.machine.replace(probability=probability)
    return replace(fit, machine=machine, probability=probability)


# --- folds ------------------------------------------------------------------------------------------------------------


def _checked_folds(labels: Indices, classes: NDArray[Any], weights: Floats | None) -> Indices:
    """The fold of each example; -1 for those of weight 0, which are left out of everything."""
    counted = np.ones(len(labels), dtype=bool) if weights is None else np.asarray(weights) > 0
    least = np.bincount(labels[counted], minlength=len(classes))
    rare = int(least.argmin())
    if 0 < least[rare] < 2:
        raise ValueError(
            f"class {quoted_label(classes[rare])} has 1 example; probabilities are fitted to examples that are left "
            "out, so every class needs 2: add examples, leave the class out, or train without probabilities"
        )
    folds = np.full(len(labels), -1, dtype=np.intp)
    folds[counted] = stratified_folds(labels[counted], min(FOLDS, max(int(least[rare]), 1)))
    return folds


def stratified_folds(labels: Indices, n_folds: int) -> Indices:
    """The fold of each example, in the order of the examples: scikit-learn's StratifiedKFold without shuffling."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[inverse]  # classes in the order in which they come
    ordered = np.sort(numbers)
    folds = np.empty(len(labels), dtype=np.intp)
    for number in range(len(first)):
        sizes = [int((ordered[fold::n_folds] == number).sum()) for fold in range(n_folds)]
        folds[numbers == number] = np.repeat(np.arange(n_folds), sizes)
    return folds


# --- sigmoids ---------------------------------------------------------------------------------------------------------


def sigmoids(scores: Floats, labels: Indices, n_classes: int, scheme: Scheme, weights: Floats) -> Sigmoid:
    """One for each output of the scheme."""
    if scheme is Scheme.ONE_VS_ONE:
        sides = [(labels == i, (labels == i) | (labels == j)) for i, j in pairs(n_classes)]
    else:
        positive = [1] if scheme is Scheme.BINARY else range(n_classes)
        sides = [(labels == k, np.ones(len(labels), dtype=bool)) for k in positive]
    found = [
        fitted_sigmoid(scores[some, output], is_positive[some], weights[some])
        for output, (is_positive, some) in enumerate(sides)
    ]
    return Sigmoid(*np.array(found).T.copy())


def fitted_sigmoid(scores: Floats, is_positive: Flags, weights: Floats) -> tuple[float, float]:
    """a and b; examples of weight 0 count for nothing, whatever their scores."""
    counted = weights > 0
    scores, is_positive, weights = scores[counted], is_positive[counted], weights[counted]
    unit = float(np.abs(scores).max(initial=0.0)) or 1.0  # conditions of optimality do not depend on it
    features = np.stack([scores / unit, np.ones(len(scores))], axis=1)
    totals = float(weights[~is_positive].sum()), float(weights[is_positive].sum())
    targets = np.where(is_positive, (totals[1] + 1) / (totals[1] + 2), 1 / (totals[0] + 2))
    start = np.array([0.0, np.log((totals[0] + 1) / (totals[1] + 1))])
    a, b = _newton(features, targets, weights, start)
    return _rounded(a / unit), _rounded(b)


def _newton(features: Floats, targets: Floats, weights: Floats, start: Floats) -> Floats:
    """The minimum of the cross entropy, which is convex; steps are halved until they lead down."""

    def loss(at: Floats) -> float:
        values = features @ at
        return float(weights @ (np.logaddexp(0.0, values) - (1 - targets) * values))

    now, reached = start, loss(start)
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-np.clip(features @ now, -700, 700)))  # of the negative side
        gradient = features.T @ (weights * (share - (1 - targets)))
        curved = features.T @ ((weights * share * (1 - share))[:, None] * features)
        step = np.linalg.solve(curved + 1e-12 * np.eye(2), -gradient)
        size = 1.0
        while size >= _SMALLEST and loss(now + size * step) >= reached:
            size /= 2
        if size < _SMALLEST:
            break
        now = now + size * step
        reached = loss(now)
    return now


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
