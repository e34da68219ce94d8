"""Engines are for any machine with a polynomial kernel, whoever made it: splitSVM's conclusion."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import gristmill as gm
from gristmill.machines.schemes import Scheme
from gristmill.scoring.engines import ENGINES

RNG = np.random.default_rng(9)
X = (RNG.random((240, 30)) < 0.25).astype(float)
TRAIN, TEST = X[:160], X[160:]
TARGET = X @ RNG.normal(size=30) + X[:, 0] * X[:, 1]
LABELS = np.where(TARGET > np.median(TARGET), "high", "low")
POLY = {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.5}
OWN = {"degree": 2, "gamma": 0.5, "coef0": 1.5}


def online(update):
    return lambda: gm.OnlineKernelClassifier(**OWN, update=update, C=0.1, epochs=3).fit(TRAIN, LABELS[:160]).machine_


def of_sklearn(estimator):
    return lambda: gm.from_sklearn(estimator.set_params(**POLY).fit(TRAIN, wanted_of(estimator)))


def wanted_of(estimator):
    return TARGET[:160] if isinstance(estimator, SVR | NuSVR) else LABELS[:160]


LEARNERS = {
    **{update: online(update) for update in ("perceptron", "pa", "pa1", "pa2")},
    **{type(one).__name__: of_sklearn(one) for one in (SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM(nu=0.3))},
    "KernelSVC": lambda: gm.KernelSVC(**OWN, C=0.1).fit(TRAIN, LABELS[:160]).machine_,
    "KernelSVR": lambda: gm.KernelSVR(**OWN, C=0.1).fit(TRAIN, TARGET[:160]).machine_,
    "KernelOneClassSVM": lambda: gm.KernelOneClassSVM(**OWN, nu=0.3).fit(TRAIN).machine_,
}
SCHEMES = {"SVR": Scheme.REGRESSION, "NuSVR": Scheme.REGRESSION, "KernelSVR": Scheme.REGRESSION}
SCHEMES |= {"OneClassSVM": Scheme.ONE_CLASS, "KernelOneClassSVM": Scheme.ONE_CLASS}


@functools.cache
def learned(name):
    return LEARNERS[name]()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_engine_takes_what_any_learner_made(name, engine):
    machine = learned(name)
    assert machine.scheme is SCHEMES.get(name, Scheme.BINARY)
    scorer, direct = machine.compile(engine), machine.compile("direct")
    assert engine in ("auto", scorer.engine)
    scale = np.abs(machine.intercept) + machine.kernel(TEST, machine.support) @ abs(machine.dense_coef())
    gap = scorer.decision_function(TEST) - direct.decision_function(TEST)
    assert (np.abs(gap) <= 1e-9 * scale[:, 0]).all()
    if machine.scheme.has_labels:
        np.testing.assert_array_equal(scorer.predict(TEST), direct.predict(TEST))


@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_learned_differs_from_example_to_example(name):
    assert np.unique(learned(name).compile().decision_function(TEST)).size > 20
