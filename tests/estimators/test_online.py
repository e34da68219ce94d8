"""OnlineKernelClassifier: scikit-learn's habits around the learners of the core."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.solvers.online.settings import ENGINES
from tests.oracle import online as oracle

RNG = np.random.default_rng(4)
X = (RNG.random((240, 25)) < 0.3).astype(float)
NOISE = RNG.random(240)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
METHODS = ENGINES[1:]
WEIGHTS_ARE_NO_COUNTS = "a weight multiplies C; an example that comes twice is stepped to twice"


@parametrize_with_checks(
    [gm.OnlineKernelClassifier(), gm.OnlineKernelClassifier(arithmetic="double", engine="reslice")],
    expected_failed_checks=lambda _: dict.fromkeys(
        ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
        WEIGHTS_ARE_NO_COUNTS,
    ),
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        check(estimator)


def same(one, other):
    """Bit for bit."""
    assert one.machine_ == other.machine_


# --- what is learned --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_the_machine_is_the_definition_s(y, averaged):
    clf = gm.OnlineKernelClassifier(degree=2, C=0.25, epochs=2, averaged=averaged).fit(X[:80], y[:80])
    labels = np.searchsorted(clf.classes_, y[:80]).tolist()
    examples = [(frozenset(np.flatnonzero(x).tolist()), k, 1.0) for x, k in zip(X[:80], labels, strict=True)]
    outputs = 1 if len(clf.classes_) == 2 else 3
    rule = oracle.Rule("pa1", "input", 0.25, 26 + (outputs > 1))
    log, time = oracle.learn(examples, [*range(80)] * 2, lambda m: (m + 1) ** 2, rule, outputs)
    expected = oracle.coefficients(log, rule, outputs, time if averaged else None)
    support, coef = clf.machine_.support, clf.machine_.dense_coef()
    rows = [frozenset(support.one(row).ids.tolist()) for row in range(len(support))]
    got = {(row, k): a for row, own in zip(rows, coef.tolist(), strict=True) for k, a in enumerate(own)}
    expected = {key: float(value) for key, value in expected.items() if key in got or value != 0}
    assert got == pytest.approx(expected, rel=1e-12)
    assert clf.stats_.updates == len(log)
    assert clf.stats_.examples == time == 160


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_all_engines_learn_the_same(y, degree):
    options = {"degree": degree, "epochs": 3, "shuffle": True, "random_state": 5}
    first = gm.OnlineKernelClassifier(engine="inverted", **options).fit(X, y)
    for engine in METHODS:
        for more in ({}, {"expanded": 4}, {"expanded": 0, "reuse": True}, {"early_termination": False}):
            same(gm.OnlineKernelClassifier(engine=engine, **more, **options).fit(X, y), first)


def test_it_learns():
    digits = load_digits()
    table, y = digits.data > 7, digits.target
    clf = gm.OnlineKernelClassifier(degree=2, norm="kernel").fit(table[:1200], y[:1200])
    assert clf.score(table[1200:], y[1200:]) > 0.87
    assert cross_val_score(gm.OnlineKernelClassifier(degree=2), X, Y2, cv=3).mean() > 0.75


@pytest.mark.parametrize("update", ["perceptron", "pa", "pa1", "pa2"])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_every_rule_learns(update, y):
    clf = gm.OnlineKernelClassifier(degree=2, C=1.0, update=update, norm="kernel", epochs=20).fit(X, y)
    assert clf.score(X, y) > 0.9


def test_arithmetic_is_integer_where_steps_have_a_bound_and_kernels_are_whole():
    def used(**options):
        return gm.OnlineKernelClassifier(epochs=1, **options).fit(X[:20], Y2[:20])._learner.arithmetic

    assert used() == used(update="perceptron") == used(update="pa", arithmetic="integer") == "integer"
    assert used(update="pa") == used(update="pa2") == used(gamma=0.5) == used(coef0=0.1) == "double"
    assert used(arithmetic="double") == used(degree=12, norm="kernel") == "double"
    with pytest.raises(ValueError, match="whole numbers"):
        used(gamma=0.5, arithmetic="integer")


def test_doubles_learn_nearly_the_same_as_integers():
    options = {"degree": 2, "C": 0.1, "norm": "kernel", "epochs": 2}
    one = gm.OnlineKernelClassifier(arithmetic="integer", **options).fit(X, Y2)
    other = gm.OnlineKernelClassifier(arithmetic="double", **options).fit(X, Y2)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-3)


def test_the_unit_is_as_documented():
    def exponent(rows, y=Y2, **options):
        return gm.OnlineKernelClassifier(**{"C": 1.0, **options}).fit(rows, y[: len(rows)])._learner.exponent

    assert exponent(X) == 20 + 6  # rows of 64
    assert exponent(X, Y3) == 20 + 7  # and twice their norm
    assert exponent(X, C=2.0**-10) == 20 + 10
    assert exponent(X, C=2.0**-10, class_weight={"no": 0.75}) == 20 + 11
    assert exponent(X, update="perceptron", C=2.0**-10) == 20
    assert exponent(X, degree=2, norm="kernel") == 20 + 13  # (64 + 1)^2 = 4225
    assert exponent(np.ones((2, 100)), np.array(["no", "yes"])) == 20 + 7  # rows of 128


def test_automatic_c_is_opal_s():
    clf = gm.OnlineKernelClassifier(degree=2, epochs=4).fit(X, Y2)
    assert clf.C_ == clf.machine_.provenance["C"] == pytest.approx(1 / (4 * ((X.sum(axis=1) + 1) ** 2).mean()))
    assert gm.OnlineKernelClassifier(C=2).fit(X, Y2).C_ == 2.0


def test_weights_multiply_c():
    """Class weights choose the unit, sample weights do not: 1 is the same for both here."""
    by_class = gm.OnlineKernelClassifier(class_weight={"no": 1.0, "yes": 2.5}, C=0.01).fit(X, Y2)
    weights = np.where(Y2 == "no", 1.0, 2.5)
    by_example = gm.OnlineKernelClassifier(C=0.01).fit(X, Y2, sample_weight=weights)
    same(by_class, by_example)
    assert by_class.machine_ != gm.OnlineKernelClassifier(C=0.01).fit(X, Y2).machine_


def test_balanced_weights_are_those_of_scikit_learn():
    counts = {label: (Y2 == label).sum() for label in ("no", "yes")}
    given = {label: len(Y2) / (2 * count) for label, count in counts.items()}
    same(
        gm.OnlineKernelClassifier(C=0.01, class_weight="balanced").fit(X, Y2),
        gm.OnlineKernelClassifier(C=0.01, class_weight=given).fit(X, Y2),
    )


def test_examples_of_no_weight_are_not_there():
    keep = np.arange(len(X)) % 3 != 0
    same(
        gm.OnlineKernelClassifier(epochs=2).fit(X, Y2, sample_weight=keep.astype(float)),
        gm.OnlineKernelClassifier(epochs=2).fit(X[keep], Y2[keep]),
    )


def test_shuffling_is_by_seed():
    def fitted(seed, **options):
        return gm.OnlineKernelClassifier(degree=2, shuffle=True, random_state=seed, **options).fit(X, Y2)

    same(fitted(1), fitted(1))
    same(fitted(1), fitted(1, engine="slice"))
    assert fitted(1).machine_ != fitted(2).machine_
    same(fitted(np.random.RandomState(1)), fitted(np.random.RandomState(1)))


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_partial_fit_is_the_stream_in_one_call(y, engine):
    parts = gm.OnlineKernelClassifier(degree=2, C=1.0, engine=engine)
    for rows in np.array_split(np.arange(len(X)), 5):
        parts.partial_fit(X[rows], y[rows], classes=np.unique(y))
        parts.predict(X[:3])
    same(parts, gm.OnlineKernelClassifier(degree=2, C=1.0, engine=engine).partial_fit(X, y, classes=np.unique(y)))
    same(parts, gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=1).fit(X, y))


def test_passes_of_partial_fit_are_the_epochs_of_fit():
    parts = gm.OnlineKernelClassifier(degree=2, C=1.0)
    for _ in range(3):
        parts.partial_fit(X, Y3, classes=[3, 5, 7])
    same(parts, gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=3).fit(X, Y3))


def test_warm_start_goes_on():
    clf = gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=2, warm_start=True).fit(X, Y2).fit(X, Y2)
    same(clf, gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=4).fit(X, Y2))
    with pytest.raises(ValueError, match="classes other than"):
        clf.fit(X, Y3)


def test_learning_starts_from_a_saved_machine(tmp_path):
    first = gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=2, averaged=False).fit(X, Y3)
    first.machine_.save(tmp_path / "machine")
    init = gm.load(tmp_path / "machine")
    same(
        gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=2, averaged=False, init=init).fit(X, Y3),
        gm.OnlineKernelClassifier(degree=2, C=1.0, epochs=4, averaged=False).fit(X, Y3),
    )


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ("model", "must be a Machine"),
        (gm.Machine(gm.PolynomialKernel(3), [{0}], [1.0], 0.0, ["no", "yes"]), "must be the same"),
        (gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, ["a", "b"]), "of the classes"),
        (gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.5, ["no", "yes"]), "no intercept"),
        (gm.Machine(gm.PolynomialKernel(2), np.array([[0.5]]), [1.0], 0.0, ["no", "yes"]), "values of 0 and 1"),
    ],
)
def test_a_machine_that_does_not_fit_is_refused(init, message):
    with pytest.raises(ValueError, match=message):
        gm.OnlineKernelClassifier(degree=2, init=init).fit(X, Y2)


def test_an_interrupted_fit_keeps_what_was_learned():
    def stop(done, total):
        if done > 0:
            raise KeyboardInterrupt

    clf = gm.OnlineKernelClassifier(degree=2, C=1.0, engine="inverted", epochs=10_000, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y2)
    seen = clf.stats_.examples
    assert 0 < seen < 10_000 * len(X)
    order = np.arange(seen) % len(X)
    same(clf, gm.OnlineKernelClassifier(degree=2, C=1.0).partial_fit(X[order], Y2[order], classes=["no", "yes"]))
    assert clf.score(X, Y2) > 0.5


# --- what a classifier does -------------------------------------------------------------------------------------------


def test_the_machine_answers_as_the_classifier_does(tmp_path):
    for y in (Y2, Y3):
        clf = gm.OnlineKernelClassifier(degree=2).fit(X, y)
        clf.machine_.save(tmp_path / "machine")
        for engine in ("direct", "inverted", "expanded", "split"):
            scorer = gm.load(tmp_path / "machine").compile(engine)
            np.testing.assert_array_equal(scorer.predict(X), clf.predict(X))
            np.testing.assert_allclose(scorer.decision_function(X), clf.decision_function(X), rtol=1e-9, atol=1e-9)


def test_containers_and_threads_change_nothing():
    clf = gm.OnlineKernelClassifier(degree=2).fit(X, Y2)
    same(gm.OnlineKernelClassifier(degree=2).fit(sp.csr_matrix(X), Y2), clf)
    same(gm.OnlineKernelClassifier(degree=2).fit(X.astype(bool), Y2), clf)
    same(clone(clf).set_params(n_jobs=2).fit(X, Y2), clf)
    np.testing.assert_array_equal(clf.predict(sp.coo_matrix(X)), clf.predict(X))


def test_names_of_columns_reach_the_machine():
    frame = pd.DataFrame(X, columns=[f"f{n}" for n in range(25)])
    clf = gm.OnlineKernelClassifier(degree=2).fit(frame, Y2)
    assert clf.machine_.feature_names == tuple(frame.columns)
    np.testing.assert_array_equal(clf.machine_.compile().predict(frame[frame.columns[::-1]]), clf.predict(frame))


def test_it_travels_and_goes_on():
    for clf in (gm.OnlineKernelClassifier(degree=2), gm.OnlineKernelClassifier(degree=2, gamma=0.5)):
        clf.partial_fit(X[:100], Y2[:100], classes=["no", "yes"])
        again = pickle.loads(pickle.dumps(clf))
        same(again, clf)
        for one in (clf, again):
            one.partial_fit(X[100:], Y2[100:])
        same(again, clf)
        assert again.stats_.updates == clf.stats_.updates


def test_parameters_can_be_searched():
    search = GridSearchCV(gm.OnlineKernelClassifier(epochs=2), {"degree": [1, 2], "C": [0.01, 1.0]}, cv=2).fit(X, Y2)
    assert search.best_score_ > 0.6


def test_margins_are_cut_short():
    clf = gm.OnlineKernelClassifier(degree=2, engine="slice", epochs=5).fit(X, Y2)
    assert clf.stats_.cut_short > 0
    assert clf.stats_.mean_loss > 0
    assert clf.set_params(early_termination=False).fit(X, Y2).stats_.cut_short == 0


def test_a_budget_is_kept_by_every_engine():
    options = {"degree": 2, "budget": 10, "averaged": False, "epochs": 3}
    first = gm.OnlineKernelClassifier(engine="inverted", **options).fit(X, Y3)
    assert first.machine_.n_support == 10
    for engine in METHODS:
        same(gm.OnlineKernelClassifier(engine=engine, **options).fit(X, Y3), first)


def test_nothing_is_there_before_it_is_fitted():
    clf = gm.OnlineKernelClassifier()
    assert not hasattr(clf, "machine_")
    assert not hasattr(clf, "stats_")
    with pytest.raises(NotFittedError):
        clf.predict(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, "'poly' or a PolynomialKernel"),
        ({"degree": 0}, "degree 1 to 12"),
        ({"coef0": -1}, "coef0 >= 0"),
        ({"C": 0}, "C must be"),
        ({"C": "large"}, "C must be"),
        ({"update": "pa3"}, "update must be one of"),
        ({"norm": 2}, "norm must be one of"),
        ({"engine": "fast"}, "engine must be one of"),
        ({"epochs": 0}, "epochs must be"),
        ({"expanded": -1}, "expanded must be"),
        ({"max_bytes": 0.5}, "max_bytes must be"),
        ({"budget": 0}, "budget must be"),
        ({"reuse": "never"}, "reuse must be one of"),
        ({"arithmetic": "exact"}, "arithmetic must be one of"),
        ({"binarize": False}, "binarize must be a threshold or None"),
        ({"class_weight": {"no": 0.0}}, "above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gm.OnlineKernelClassifier(**options).fit(X, Y2)


def test_kernels_are_taken_as_they_are():
    kernel = gm.PolynomialKernel(2, 2.0, 3.0)
    same(
        gm.OnlineKernelClassifier(kernel).fit(X, Y2),
        gm.OnlineKernelClassifier(degree=2, gamma=2.0, coef0=3.0).fit(X, Y2),
    )


def test_labels_and_streams_that_make_no_sense_are_refused():
    clf = gm.OnlineKernelClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="'balanced' needs all of y"):
        clf.partial_fit(X, Y2, classes=["no", "yes"])
    clf = gm.OnlineKernelClassifier()
    with pytest.raises(ValueError, match="at least two classes"):
        clf.fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="needs classes"):
        clf.partial_fit(X, Y2)
    clf.partial_fit(X, Y2, classes=["no", "yes"])
    with pytest.raises(ValueError, match="not those of the first call"):
        clf.partial_fit(X, Y2, classes=["no", "maybe"])
    with pytest.raises(ValueError, match="not in classes"):
        clf.partial_fit(X, np.where(Y2 == "no", "maybe", "yes"))
