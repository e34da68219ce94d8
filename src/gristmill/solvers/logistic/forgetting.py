"""Logistic machines without some of their examples: the problem of the others is solved from the machine so far.

A logistic loss pushes every example, so all weights change. What a machine of a file has to know for it is in its
provenance: kernel, C and its rule, tolerance, seed and factors of classes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Softmax
from gristmill.solvers.batch.forgetting import purged_names
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.logistic.settings import LogisticSettings
from gristmill.solvers.logistic.training import LogisticFit, train_logistic

_LOOSE = 0.05  # of |w|^2: how far a machine of a file may be from the solution


def settings_of(machine: Machine) -> LogisticSettings:
    """How the machine was trained, as it remembers; ValueError where that is not known, or not to be repeated."""
    known = machine.provenance
    if "polynomial" not in known:
        raise ValueError(
            "this logistic machine is of a release that did not write down its kernel and its rule for C: learn anew "
            "without the rows"
        )
    if known.get("weighted"):
        raise ValueError(
            "examples had weights of their own, which the model does not keep: use KernelLogisticRegression.forget"
        )
    C = AUTO if known.get("C_rule") == AUTO else known["C"]
    return LogisticSettings(PolynomialKernel(*known["polynomial"]), C=C, tol=known["tol"], seed=known["seed"])


def forget(
    machine: Machine,
    X: Rows,
    labels: Indices,
    forgotten: Flags,
    settings: LogisticSettings,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> LogisticFit:
    """The fit of the other examples; `X` and `labels` are those of all, which the machine was learned from."""
    factors = np.asarray(machine.provenance.get("class_factors", np.ones(machine.n_classes)), dtype=np.float64)
    scores = machine.compile().decision_function(X, n_jobs).reshape(len(X), -1)
    _check_is_solved(machine, settings.kernel, scores, labels, machine.provenance["C"] * factors[labels])
    kept = np.flatnonzero(~forgotten)
    names = purged_names(machine.feature_names, X, forgotten)
    rest = replace(X.take(kept), feature_names=machine.feature_names if names is None else names)
    return train_logistic(
        *(rest, labels[kept], np.asarray(machine.classes), settings),
        class_factors=factors,
        n_jobs=n_jobs,
        progress=progress,
        first_id=machine.first_id,
        start=scores[kept],
    )


def relative_gap(fit: LogisticFit) -> float:
    """How far the objective may be above its minimum, relative to itself."""
    return max(fit.gap, 0.0) / fit.objective if fit.objective > 0 else 0.0


def _check_is_solved(
    machine: Machine, kernel: PolynomialKernel, scores: Floats, labels: Indices, costs: Floats
) -> None:
    """Raise ValueError where the weights cannot be those of these data.

    Of a solution w = sum a_i phi(x_i) with a_i = C_i (truth - probability), so |w|^2 = sum a_i f(x_i).
    """
    truth = np.eye(machine.n_classes)[labels]
    pushes = costs[:, None] * (truth - Softmax().of_scores(scores))
    along = float((pushes[:, -scores.shape[1] :] * scores).sum())
    length = _squared_length(machine, kernel)
    if abs(along - length) > _LOOSE * max(along, length):
        raise ValueError(
            "the model is not the solution of these data: give the file that it was learned from, with nothing left out"
        )


def _squared_length(machine: Machine, kernel: PolynomialKernel) -> float:
    """Of the weights in the space of the kernel."""
    weights = np.asarray(kernel.subset_weights())
    sizes = machine.rows.lengths
    own = np.square(machine.dense_coef()).sum(axis=1) / weights[sizes]
    empty = float(np.square(machine.intercept).sum()) / weights[0] if weights[0] > 0 else 0.0
    return float(own.sum()) + empty
