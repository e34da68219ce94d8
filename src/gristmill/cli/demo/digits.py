"""scikit-learn's handwritten digits, a pixel on or off."""

from __future__ import annotations

import numpy as np

from gristmill.cli.demo.task import Task, split


def load() -> Task:
    """1,797 images of 8 x 8 pixels, ten classes."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pixels = (images > 7).astype(np.float64)
    return split("digits", pixels, labels, 900, {"degree": 3, "gamma": 0.05, "coef0": 1.0, "C": 1.0})
