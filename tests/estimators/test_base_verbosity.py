"""verbose= of estimators: lines on standard error, as scikit-learn and LightGBM have them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gristmill as gm
from gristmill.estimators import base

RNG = np.random.default_rng(0)
X = (RNG.random((300, 30)) < 0.3).astype(float)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.random(300) > 1).astype(int)
ESTIMATORS = [
    gm.KernelSVC(degree=2),
    gm.KernelSVC(degree=2, solver="cutting-plane"),
    gm.KernelSVR(degree=2),
    gm.KernelOneClassSVM(degree=2),
    gm.KernelRanker(degree=2),
    gm.OnlineKernelClassifier(degree=2),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)


@every_estimator
def test_nothing_is_printed_by_default(estimator, capfd):
    estimator.fit(X, Y)
    assert capfd.readouterr() == ("", "")


@every_estimator
def test_verbose_prints_lines_with_the_name_and_the_time(estimator, capfd, monkeypatch):
    monkeypatch.setattr(base, "_EVERY", 0)
    seen = []
    quiet = estimator.fit(X, Y).predict(X)
    loud = type(estimator)(**{**estimator.get_params(), "verbose": 1, "progress": lambda *call: seen.append(call)})
    np.testing.assert_array_equal(loud.fit(X, Y).predict(X), quiet)
    out, err = capfd.readouterr()
    *lines, end = err.splitlines()
    name = type(estimator).__name__
    assert out == ""
    assert all(re.fullmatch(rf"{name}: \d+ %, \d+\.\d s", line) for line in lines)
    assert re.fullmatch(rf"{name}: fitted, \d+\.\d s", end)
    assert len(lines) == len(seen)  # both are called, or neither: this is quick


def test_lines_are_a_second_apart(capfd):
    gm.OnlineKernelClassifier(verbose=True).fit(X, Y)
    assert len(capfd.readouterr().err.splitlines()) <= 3


def test_partial_fit_prints_its_end_too(capfd):
    gm.OnlineKernelClassifier(verbose=2).partial_fit(X, Y, classes=[0, 1])
    assert "OnlineKernelClassifier: fitted" in capfd.readouterr().err


@every_estimator
@pytest.mark.parametrize("wrong", [-1, "yes", None, 0.5])
def test_other_values_are_refused(estimator, wrong):
    with pytest.raises(ValueError, match=r"verbose must be 0 \(silent\), 1"):
        type(estimator)(**{**estimator.get_params(), "verbose": wrong}).fit(X, Y)


def test_an_interrupted_fit_does_not_say_that_it_ended(capfd, monkeypatch):
    monkeypatch.setattr(base, "_EVERY", 0)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gm.KernelSVC(degree=2, verbose=1, progress=stop).fit(X, Y)
    assert "fitted" not in capfd.readouterr().err
