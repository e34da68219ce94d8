"""Support vector regression with any kernel, as a scikit-learn regressor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gristmill.base.arrays import Flags, Floats
from gristmill.base.checks import check_not_negative
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.estimators.base import example_weights
from gristmill.estimators.forgetting import TrainingExamples
from gristmill.estimators.kernel_svm import KernelSVM
from gristmill.solvers.batch import SvmFit, train_svr
from gristmill.solvers.batch.forgetting import Forgetting
from gristmill.solvers.batch.result import Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.svr_oneclass import svr_settings, svr_task
from gristmill.solvers.cost_scale import AUTO


class KernelSVR(RegressorMixin, KernelSVM):  # type: ignore[misc]
    """Epsilon-support vector regression with any kernel: LIBSVM's and scikit-learn's SVR, by the solver of `KernelSVC`.

    Minimises ``1/2 |w|^2 + C sum_i s_i max(0, |y_i - w phi(x_i) - b| - epsilon)``, b is free.

    Parameters
    ----------
    kernel : str, kernel or callable
    degree, gamma, coef0 : int, float or str, float
        See `KernelSVC`.
    C : float or 'auto'
        The price of an error. 'auto': that of `KernelSVC`, times the standard deviation of the targets.
    epsilon : float
        Errors up to this size cost nothing.
    tol, max_iter, shrinking, binarize, max_bytes, convert, keep_examples, n_jobs, verbose, progress
        See `KernelSVC`; the solver is 'smo'.

    Attributes
    ----------
    machine_, scorer_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, objective_, fit_status_
    C_, gamma_, receipt_
        See `KernelSVC`; there is one output, and `n_iter_` is an int.

    Examples
    --------
    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> gm.KernelSVR(degree=2, C=100.0, tol=1e-6).fit(X, [1.0, 2.0, 3.0, 4.0]).predict(X).round(3)
    array([1.1, 1.9, 3.1, 3.9])
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: Any = None,
        coef0: float | None = None,
        C: Any = 1.0,
        epsilon: float = 0.1,
        tol: float = 1e-3,
        max_iter: int = -1,
        shrinking: bool = True,
        binarize: Binarize = 0.0,
        max_bytes: int | None = None,
        convert: bool | str = "auto",
        keep_examples: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None) -> KernelSVR:
        """Learn from X and y; `sample_weight` multiplies C, 0 leaves an example out.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        check_not_negative("epsilon", self.epsilon)
        settings = self._svm_settings(solver="smo")
        data, y = self._training_data(X, y, settings.kernel, feature_names, y_numeric=True)
        settings = self._settings_on(settings, data)
        data = data.copy() if self.keep_examples else data
        weights = example_weights(sample_weight, y)
        train = partial(train_svr, data, y, settings, self.epsilon, weights=weights, n_jobs=self.n_jobs)
        self._learn_alone(train, settings.kernel, X, TrainingExamples(data, y, weights))
        return self

    def predict(self, X: Any) -> Floats:
        """Predicted values."""
        return self._score(X)

    def _targets(self, y: Any, size: int) -> NDArray[Any]:
        targets = np.asarray(column_or_1d(y), dtype=np.float64)
        check_consistent_length(targets, np.empty(size))
        return targets

    def _task(self, examples: TrainingExamples, fit: SvmFit) -> Task:
        rows = examples.rows or TrainingRows.of(fit.settings, examples.data, None)
        return svr_task(rows, examples.targets, fit.settings, self.epsilon, examples.factors)

    def _asked(self, task: Task, examples: TrainingExamples, forgotten: Flags) -> tuple[Forgetting, tuple[str, ...]]:
        weights, settings = np.where(forgotten, 0.0, examples.factors), task.settings
        if self.C == AUTO:
            settings = svr_settings(replace(settings, C=AUTO), task.rows, examples.targets, weights)
        return Forgetting(forgotten, settings.cost * weights, settings), ("C",) if self.C == AUTO else ()
