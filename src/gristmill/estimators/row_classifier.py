"""What classifiers of binary rows with a polynomial kernel share: how they read data, and how they answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gristmill.base.arrays import Floats
from gristmill.data.rows import Rows, as_rows, check_binarize, ids_as_csr
from gristmill.data.targets import check_no_missing
from gristmill.estimators.base import KernelEstimator
from gristmill.kernels import PolynomialKernel
from gristmill.scoring.deciding import class_numbers


class RowClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """Subclasses have the parameters kernel, degree, gamma, coef0 and binarize, and set `classes_` in `fit`."""

    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> Floats:
        """Scores: of shape (rows,) for two classes, above 0 is classes_[1]; else (rows, classes)."""
        rows = self._data_to_score(X)
        return self._learned.scorer.decision_function(rows, self.n_jobs)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels."""
        rows = self._data_to_score(X)
        return np.asarray(self.classes_[class_numbers(self._learned.scorer, rows, self.n_jobs)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _polynomial_kernel(self) -> PolynomialKernel:
        """The kernel, parsed; `binarize` is checked with it."""
        kernel = self.kernel
        if isinstance(kernel, str) and kernel == "poly":
            kernel = PolynomialKernel(self.degree, self.gamma, self.coef0)
        elif not isinstance(kernel, PolynomialKernel):
            raise ValueError(
                f"kernel must be 'poly' or a PolynomialKernel, got {kernel!r}; KernelSVC learns with any kernel"
            )
        check_binarize(self.binarize)
        if self.binarize is False:
            raise ValueError("binarize must be a threshold or None: learning needs values of 0 and 1")
        return kernel

    def _rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, NDArray[Any]]:
        """X and y to learn from."""
        check_no_missing(y)
        X = ids_as_csr(X, None if reset else self.n_features_in_)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype="numeric", reset=reset)
        check_classification_targets(y)
        return as_rows(X, binarize=self.binarize, training=True), y

    def _data_to_score(self, X: Any) -> Rows:
        check_is_fitted(self)
        X = ids_as_csr(X, self.n_features_in_)
        X = validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=False)
        return as_rows(X, binarize=self.binarize)
