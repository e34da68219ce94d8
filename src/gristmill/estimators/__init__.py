"""scikit-learn's habits: the only room that imports it."""

from __future__ import annotations

from gristmill.estimators.accelerated import (
    AcceleratedClassifier,
    AcceleratedOutlierDetector,
    AcceleratedRegressor,
    accelerate,
)
from gristmill.estimators.importing import from_sklearn

__all__ = [
    "AcceleratedClassifier",
    "AcceleratedOutlierDetector",
    "AcceleratedRegressor",
    "accelerate",
    "from_sklearn",
]
