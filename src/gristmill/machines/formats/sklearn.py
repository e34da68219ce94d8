"""Machines from fitted scikit-learn estimators, which are known by the names of their classes: nothing is imported."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.errors import not_fitted
from gristmill.kernels import OverlapKernel, PolynomialKernel, RBFKernel, SigmoidKernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import CoupledSigmoid, Sigmoid
from gristmill.machines.schemes import Scheme, pairwise_coef

_CLASSIFIERS = ("SVC", "NuSVC")
_REGRESSORS = ("SVR", "NuSVR")
_SUPPORTED = (*_CLASSIFIERS, *_REGRESSORS, "OneClassSVM")


def is_classifier(svc: Any) -> bool:
    """Whether it is an SVC or NuSVC, or derived from one."""
    return _class_of(svc) in _CLASSIFIERS


def is_regressor(svc: Any) -> bool:
    """Whether it is an SVR or NuSVR, or derived from one."""
    return _class_of(svc) in _REGRESSORS


def _class_of(svc: Any) -> str | None:
    known = (base.__name__ for base in type(svc).__mro__ if base.__module__.startswith("sklearn.svm."))
    return next((name for name in known if name in _SUPPORTED), None)


def from_sklearn(svc: Any) -> Machine:
    """The machine of a fitted SVC, NuSVC, SVR, NuSVR or OneClassSVM with kernel 'rbf', 'poly', 'linear' or 'sigmoid'.

    Scores are those of its `decision_function` (for SVR of `predict`); with more than two classes they are the pairwise
    ones, in scikit-learn's order.

    Parameters
    ----------
    svc : fitted estimator
        Fitted on dense or sparse data. For a Pipeline or a search use `accelerate` or `gristmill.save`, or pass its
        last step.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> import gristmill as gm
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> svc = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, [0, 0, 1, 1])
    >>> machine = gm.from_sklearn(svc)
    >>> bool(np.allclose(machine.compile().decision_function(X), svc.decision_function(X)))
    True
    """
    if _class_of(svc) is None:
        raise ValueError(f"expected a fitted {', '.join(_SUPPORTED)}, got {type(svc).__name__}")
    if not hasattr(svc, "support_vectors_"):
        raise not_fitted(f"this {type(svc).__name__} is not fitted yet: call fit first")
    more: dict[str, Any] = {
        "feature_names": getattr(svc, "feature_names_in_", None),
        "provenance": {
            "format": "scikit-learn",
            "estimator": type(svc).__name__,
            "version": sys.modules["sklearn"].__version__,
        },
    }
    kernel, support, intercept = _kernel(svc), svc.support_vectors_, svc.intercept_
    coef = _transposed(svc.dual_coef_)
    if is_classifier(svc) and coef.shape[1] != len(svc.classes_) - 1:
        raise ValueError(
            f"the machine was fitted for {coef.shape[1] + 1} of its {len(svc.classes_)} classes: "
            "did sample weights of 0 take away a class?"
        )
    if is_regressor(svc):
        return Machine(kernel, support, coef, intercept, None, Scheme.REGRESSION, **more)
    if _class_of(svc) == "OneClassSVM":
        return Machine(kernel, support, coef, intercept, [-1, 1], Scheme.ONE_CLASS, **more)
    if len(svc.classes_) == 2:
        # libsvm decides on the negated score: at exactly 0 it answers the second class
        more |= {"zero_class": 1, "probability": CoupledSigmoid(svc._probA, -svc._probB) if len(svc._probA) else None}
        return Machine(kernel, support, coef, intercept, svc.classes_, Scheme.BINARY, **more)
    more |= {"probability": Sigmoid(svc._probA, svc._probB) if len(svc._probA) else None}
    pairwise = pairwise_coef(coef, np.asarray(svc.n_support_, dtype=np.int64))
    return Machine(kernel, support, pairwise, intercept, svc.classes_, Scheme.ONE_VS_ONE, **more)


def _kernel(svc: Any) -> OverlapKernel:
    match svc.kernel:
        case "linear":
            return PolynomialKernel(1, 1.0, 0.0)
        case "poly":
            return PolynomialKernel(svc.degree, svc._gamma, svc.coef0)
        case "rbf":
            return RBFKernel(svc._gamma)
        case "sigmoid":
            return SigmoidKernel(svc._gamma, svc.coef0)
    raise ValueError(
        f"kernel={svc.kernel!r}: a machine needs the kernel 'rbf', 'poly', 'linear' or 'sigmoid'; a Gram matrix or a "
        "callable does not say how new rows are compared"
    )


def _transposed(dual_coef: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    dense = dual_coef.toarray() if sp.issparse(dual_coef) else dual_coef
    return np.ascontiguousarray(dense.T, dtype=np.float64)
