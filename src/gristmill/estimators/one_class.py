"""The support of a distribution with any kernel, as a scikit-learn outlier detector."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from gristmill.base.arrays import Flags, Floats
from gristmill.base.checks import check_share
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.estimators.base import example_weights
from gristmill.estimators.forgetting import TrainingExamples
from gristmill.estimators.kernel_svm import KernelSVM
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.batch import SvmFit, train_one_class
from gristmill.solvers.batch.forgetting import Forgetting
from gristmill.solvers.batch.result import Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.svr_oneclass import one_class_task


class KernelOneClassSVM(OutlierMixin, KernelSVM):  # type: ignore[misc]
    """Which examples are unlike the others, with any kernel: LIBSVM's and scikit-learn's OneClassSVM.

    Parameters
    ----------
    kernel : str, kernel or callable
    degree, gamma, coef0 : int, float, float
        See `KernelSVC`.
    nu : float
        Above 0, up to 1: at most this share of the examples is left outside, at least this share are support vectors.
    tol, max_iter, shrinking, binarize, max_bytes, convert, keep_examples, n_jobs, verbose, progress
        See `KernelSVC`; the solver is 'smo'.

    Attributes
    ----------
    machine_, scorer_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, objective_, fit_status_
    receipt_
        See `KernelSVC`; there is one output, and `n_iter_` is an int.
    offset_ : float
        -intercept_.

    Examples
    --------
    >>> import gristmill as gm
    >>> trees = 3 * ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A b) (B b))"] + ["(X (Y y))"]
    >>> clf = gm.KernelOneClassSVM("sst", nu=0.5).fit(trees)
    >>> clf.decision_function(["(S (A a) (B b))", "(X (Y y))"]) > -0.1
    array([ True, False])
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: float = 1.0,
        coef0: float = 1.0,
        nu: float = 0.5,
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, feature_names: Any = None) -> KernelOneClassSVM:
        """Learn from X (y is ignored); `sample_weight` says how much an example counts, 0 leaves it out.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        check_share("nu", self.nu)
        settings = self._svm_settings(solver="smo")
        data = self._training_data_alone(X, settings.kernel, feature_names)
        data = data.copy() if self.keep_examples else data
        weights = example_weights(sample_weight, np.empty(self.shape_fit_[0]))
        train = partial(train_one_class, data, settings, self.nu, weights=weights, n_jobs=self.n_jobs)
        self._learn_alone(train, settings.kernel, X, TrainingExamples(data, None, weights))
        return self

    @property
    def offset_(self) -> float:
        """The difference of `score_samples` and `decision_function`."""
        self._after_fit("offset_")
        return -float(self._learned.fit.intercept[0])

    def decision_function(self, X: Any) -> Floats:
        """Signed distance to the boundary, above 0 inside."""
        return self._score(X)

    def score_samples(self, X: Any) -> Floats:
        """`decision_function` without the offset."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> NDArray[Any]:
        """1 inside, -1 outside."""
        check_is_fitted(self)
        if self._learned.fit.machine is None:
            return np.where(self.decision_function(X) > 0, 1, -1)
        data = self._data_to_score(X)
        return np.where(class_numbers(self._learned.scorer_for(data), data, self.n_jobs) == 1, 1, -1)

    def _targets(self, y: Any, size: int) -> None:
        """There are none; scikit-learn's tools may give a y."""

    def _task(self, examples: TrainingExamples, fit: SvmFit) -> Task:
        rows = examples.rows or TrainingRows.of(fit.settings, examples.data, None)
        return one_class_task(rows, fit.settings, self.nu, examples.factors)

    def _asked(self, task: Task, examples: TrainingExamples, forgotten: Flags) -> tuple[Forgetting, tuple[str, ...]]:
        weights = np.where(forgotten, 0.0, examples.factors)
        if not (weights > 0).any():
            raise ValueError("these are all examples of a weight above 0: nothing would be left to learn from")
        return Forgetting(forgotten, weights, task.settings, self.nu * float(weights.sum())), ()
