"""Learners and compiled models as scikit-learn estimators."""

from __future__ import annotations

from gristmill.estimators.accelerated import (
    AcceleratedClassifier,
    AcceleratedOutlierDetector,
    AcceleratedRegressor,
    accelerate,
)
from gristmill.estimators.leaving_out import LeaveOneOut, leave_one_out
from gristmill.estimators.logistic import KernelLogisticRegression
from gristmill.estimators.one_class import KernelOneClassSVM
from gristmill.estimators.online import OnlineKernelClassifier
from gristmill.estimators.ranker import KernelRanker
from gristmill.estimators.svc import KernelSVC
from gristmill.estimators.svr import KernelSVR
from gristmill.estimators.tables import TableClassifier, TableRegressor
from gristmill.machines.formats.sklearn import from_sklearn

__all__ = [
    "AcceleratedClassifier",
    "AcceleratedOutlierDetector",
    "AcceleratedRegressor",
    "KernelLogisticRegression",
    "KernelOneClassSVM",
    "KernelRanker",
    "KernelSVC",
    "KernelSVR",
    "LeaveOneOut",
    "OnlineKernelClassifier",
    "TableClassifier",
    "TableRegressor",
    "accelerate",
    "from_sklearn",
    "leave_one_out",
]
