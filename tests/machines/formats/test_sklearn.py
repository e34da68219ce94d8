"""from_sklearn: the machine of a fitted estimator scores as the estimator does."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

import gristmill as gm
from gristmill.machines.schemes import Scheme

KERNELS = [
    *({"kernel": "poly", "degree": degree, "gamma": 0.5, "coef0": 0.3} for degree in range(1, 7)),
    {"kernel": "poly", "degree": 3, "gamma": "scale", "coef0": 1.7},
    {"kernel": "poly", "degree": 2, "gamma": "auto", "coef0": 0.0},
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.3},
]
ESTIMATORS = [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(nu=0.4), OneClassSVM(nu=0.3)]
RNG = np.random.default_rng(7)
X = (RNG.random((160, 14)) < 0.35).astype(float)
TRAIN, TEST = X[:110], X[110:]
NOISE = RNG.normal(size=160)


def labels(n_classes):
    order = np.argsort(np.argsort(X[:, :5].sum(axis=1) - X[:, 5] * X[:, 6] + 0.5 * NOISE))
    return order * n_classes // len(X)


def target_of(estimator, n_classes):
    regression = isinstance(estimator, SVR | NuSVR)
    return (X @ np.arange(14) + NOISE if regression else labels(n_classes))[:110]


def scores_of(estimator, table):
    if isinstance(estimator, SVR | NuSVR):
        return estimator.predict(table)
    if isinstance(estimator, SVC | NuSVC):
        estimator.set_params(decision_function_shape="ovo")
    return estimator.decision_function(table)


def fitted(estimator, n_classes=2, container=np.asarray, **parameters):
    estimator = type(estimator)(**(estimator.get_params() | parameters))
    return estimator.fit(container(TRAIN), target_of(estimator, n_classes))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("parameters", KERNELS, ids=lambda p: " ".join(str(v) for v in p.values()))
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
class TestScores:
    def test_equal_sklearns(self, estimator, parameters, container):
        svc = fitted(estimator, 3, container, **parameters)
        machine = gm.from_sklearn(svc)
        values = np.abs(machine.kernel(TEST, machine.support))
        allowed = 1e-9 * (values @ abs(machine.dense_coef()) + abs(machine.intercept))
        gap = machine.compile().decision_function(TEST) - scores_of(svc, container(TEST))
        assert (abs(gap).reshape(allowed.shape) <= allowed).all()

    def test_of_the_definition_equal_sklearns_to_the_last_bit(self, estimator, parameters, container):
        svc = fitted(estimator, 3, container, **parameters)
        ours = gm.from_sklearn(svc).compile("direct").decision_function(TEST)
        np.testing.assert_array_equal(ours, scores_of(svc, container(TEST)))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("estimator", [SVC(), NuSVC(nu=0.1)], ids=lambda e: type(e).__name__)
def test_labels_equal_sklearns(estimator, kernel, n_classes):
    svc = fitted(estimator, n_classes, kernel=kernel, degree=2)
    np.testing.assert_array_equal(gm.from_sklearn(svc).compile().predict(TEST), svc.predict(TEST))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_string_labels_are_kept(n_classes):
    names = np.array(["pear", "apple", "quince"])
    svc = SVC(kernel="poly", degree=2).fit(TRAIN, names[labels(n_classes)[:110]])
    machine = gm.from_sklearn(svc)
    np.testing.assert_array_equal(machine.classes, svc.classes_)
    np.testing.assert_array_equal(machine.compile().predict(TEST), svc.predict(TEST))


@pytest.mark.parametrize(
    ("estimator", "n_classes", "scheme"),
    [
        (SVC(), 2, Scheme.BINARY),
        (NuSVC(nu=0.1), 3, Scheme.ONE_VS_ONE),
        (SVR(), 2, Scheme.REGRESSION),
        (OneClassSVM(), 2, Scheme.ONE_CLASS),
    ],
    ids=str,
)
def test_the_machine_says_what_it_was(estimator, n_classes, scheme):
    machine = gm.from_sklearn(fitted(estimator, n_classes, kernel="linear"))
    assert machine.scheme is scheme
    assert machine.provenance["estimator"] == type(estimator).__name__


def test_gamma_scale_becomes_its_number():
    machine = gm.from_sklearn(fitted(SVC(), kernel="poly", degree=4, gamma="scale", coef0=0.25))
    assert machine.kernel == gm.PolynomialKernel(4, 1 / (14 * TRAIN.var()), 0.25)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "estimator", [SVC(random_state=0), NuSVC(nu=0.1, random_state=0)], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_probabilities_equal_sklearns(estimator, kernel, n_classes):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*probability.*", FutureWarning)
        svc = fitted(estimator, n_classes, kernel=kernel, degree=2, probability=True)
        wanted = svc.predict_proba(TEST)
    np.testing.assert_allclose(gm.from_sklearn(svc).compile().predict_proba(TEST), wanted, atol=1e-9, rtol=0)


def test_feature_names_come_from_the_frame():
    names = [f"f{n}" for n in range(14)]
    svc = SVC(kernel="poly").fit(pd.DataFrame(TRAIN, columns=names), labels(2)[:110])
    assert gm.from_sklearn(svc).feature_names == tuple(names)


@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
def test_real_values_are_kept(kernel):
    svc = SVC(kernel=kernel, degree=3, coef0=1).fit(TRAIN * 0.7, labels(3)[:110])
    machine = gm.from_sklearn(svc)
    assert not machine.is_binary_valued
    ours = machine.compile().decision_function(TEST * 0.7)
    np.testing.assert_allclose(ours, scores_of(svc, TEST * 0.7), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("kernel", "table"),
    [("precomputed", TRAIN @ TRAIN.T), (gm.PolynomialKernel(2), TRAIN)],
    ids=["precomputed", "callable"],
)
def test_other_kernels_are_refused_with_the_reason(kernel, table):
    svc = SVC(kernel=kernel).fit(table, labels(2)[:110])
    with pytest.raises(ValueError, match="a machine needs the kernel 'rbf', 'poly', 'linear' or 'sigmoid'"):
        gm.from_sklearn(svc)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_an_unfitted_estimator_is_refused(estimator):
    with pytest.raises(NotFittedError):
        gm.from_sklearn(estimator)


@pytest.mark.parametrize("other", [LogisticRegression(), LinearSVC(), make_pipeline(SVC()), SVC, None], ids=str)
def test_anything_else_is_refused(other):
    with pytest.raises(ValueError, match="expected a fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, got"):
        gm.from_sklearn(other)
