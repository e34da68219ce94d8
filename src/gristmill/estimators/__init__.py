"""scikit-learn's habits: the only room that imports it."""

from __future__ import annotations

from gristmill.estimators.accelerated import (
    AcceleratedClassifier,
    AcceleratedOutlierDetector,
    AcceleratedRegressor,
    accelerate,
)
from gristmill.estimators.importing import from_sklearn
from gristmill.estimators.online import OnlineKernelClassifier

__all__ = [
    "AcceleratedClassifier",
    "AcceleratedOutlierDetector",
    "AcceleratedRegressor",
    "OnlineKernelClassifier",
    "accelerate",
    "from_sklearn",
]
