"""Settings: what NumPy makes of numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.solvers.batch import SvmSettings, train_svm

POLY = gm.PolynomialKernel(2)
NUMPY = {
    "C": np.int64(2),
    "tol": np.float32(0.5),
    "intercept_scaling": np.float16(2),
    "max_iter": np.int32(10**6),
    "max_bytes": np.uint64(1 << 20),
    "fit_intercept": np.True_,
    "shrinking": np.False_,
}


def test_numbers_of_numpy_become_python_s():
    settings = SvmSettings(POLY, **NUMPY)
    kinds = {name: type(getattr(settings, name)) for name in NUMPY}
    assert kinds == dict.fromkeys(("C", "tol", "intercept_scaling"), float) | dict.fromkeys(
        ("max_iter", "max_bytes"), int
    ) | dict.fromkeys(("fit_intercept", "shrinking"), bool)
    assert settings == SvmSettings(POLY, **{name: value.item() for name, value in NUMPY.items()})
    fit = train_svm([{0}, {1}, {2}, {0, 1}], np.array([0, 1, 1, 0]), np.arange(2), settings)
    assert fit.machine.provenance["C"] == 2.0


@pytest.mark.parametrize("name", ["fit_intercept", "shrinking"])
@pytest.mark.parametrize("value", [1, "yes", None])
def test_flags_are_true_or_false(name, value):
    with pytest.raises(ValueError, match=f"{name} must be True or False"):
        SvmSettings(POLY, **{name: value})


def test_settings_are_checked():
    with pytest.raises(ValueError, match="kernel must be"):
        SvmSettings("poly")
    assert SvmSettings(POLY).is_balanced
    assert not SvmSettings(POLY, intercept_scaling=2.0).is_balanced
    assert SvmSettings(POLY, intercept_scaling=2.0).constant == 4.0
    assert SvmSettings(POLY, fit_intercept=False, intercept_scaling=2.0).constant == 0.0
