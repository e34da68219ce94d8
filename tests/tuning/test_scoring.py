"""Scorers of scikit-learn in searches: what they say of a plain loop over KernelSVC."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import get_scorer, log_loss, make_scorer, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold

import gristmill as gm
from gristmill.machines.probability import class_shares
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.calibrating import sigmoids
from gristmill.tuning.dataset import stratified_order
from tests.tuning.sets_to_tune_on import forest, rows

FOREST, LABELS = forest(90)
X, Y = rows(120)
SOME = {"kernels": "poly", "C": [0.01, 0.3], "folds": 3, "search": "exact", "tol": 1e-8}


def own_loss(estimator, X, y):
    """A scorer of one's own."""
    scores = estimator.decision_function(X)
    return -np.maximum(0, 1 - np.where(y == estimator.classes_[1], 1, -1) * scores).mean()


def folds_of(labels, n_folds=3):
    order = stratified_order(np.unique(labels, return_inverse=True)[1], n_folds, 0)
    for fold in range(n_folds):
        yield order.examples[order.folds != fold], order.examples[order.folds == fold]


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "balanced_accuracy", own_loss])
@pytest.mark.parametrize("max_bytes", [None, 100_000], ids=["gram", "rows"])
def test_two_classes_are_scored_as_in_a_plain_loop(scoring, max_bytes):
    found = gm.tune(X, Y, **SOME, scoring=scoring, max_bytes=max_bytes, refit=False)
    scorer = scoring if callable(scoring) else get_scorer(scoring)
    for trial in found.trials:
        clf = gm.KernelSVC(trial.setting.kernel, C=trial.setting.C, tol=1e-8)
        plain = [scorer(clf.fit(X[a], Y[a]), X[b], Y[b]) for a, b in folds_of(Y)]
        np.testing.assert_allclose(trial.scores, plain, rtol=0, atol=1e-4)
    assert found.best_trial.score == max(trial.score for trial in found.trials)
    assert found.scoring == (scoring if isinstance(scoring, str) else "own_loss")


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("scoring", ["balanced_accuracy", make_scorer(matthews_corrcoef)], ids=["name", "made"])
def test_more_classes_are_scored_as_in_a_plain_loop(multiclass, scoring):
    found = gm.tune(
        *(FOREST, LABELS),
        kernels="sst", C=[0.5], folds=3, search="exact", scoring=scoring, multiclass=multiclass, refit=False,
    )  # fmt: skip
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    clf = gm.KernelSVC(found.best.kernel, C=0.5, multiclass=multiclass)
    plain = [scorer(clf.fit(FOREST[a], LABELS[a]), FOREST[b], LABELS[b]) for a, b in folds_of(LABELS)]
    np.testing.assert_allclose(found.best_trial.scores, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_probabilities_are_those_of_the_other_folds(multiclass):
    options = {"multiclass": multiclass, "tol": 1e-8}
    found = gm.tune(
        *(FOREST, LABELS),
        kernels="sst", C=[0.5], folds=3, search="exact", scoring="neg_log_loss", **options,
    )  # fmt: skip
    clf = gm.KernelSVC(found.best.kernel, C=0.5, decision_function_shape="ovo", **options)
    parts = list(folds_of(LABELS))
    classes, labels = np.unique(LABELS, return_inverse=True)
    scores = np.empty((len(LABELS), 3))
    for a, b in parts:
        scores[b] = clf.fit(FOREST[a], LABELS[a]).decision_function(FOREST[b])
    plain = []
    for a, b in parts:
        fitted = sigmoids(scores[a], labels[a], 3, Scheme.parse(multiclass), np.ones(len(a)))
        plain.append(-log_loss(LABELS[b], class_shares(fitted, Scheme.parse(multiclass), 3, scores[b])))
    np.testing.assert_allclose(found.best_trial.scores, plain, rtol=1e-4)
    assert found.classifier.predict_proba(FOREST).shape == (90, len(classes))
    assert "-0." in str(found)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_held_out_examples_have_folds_of_their_own():
    found = gm.tune(X[:80], Y[:80], kernels="poly", C=[0.05], held_out=(X[80:], Y[80:]), scoring="neg_log_loss")
    scores = gm.KernelSVC(degree=2, C=0.05).fit(X[:80], Y[:80]).decision_function(X[80:])[:, None]
    labels, shares = (Y[80:] == 1).astype(int), np.empty((40, 2))
    for a, b in StratifiedKFold(5).split(scores, labels):
        fitted = sigmoids(scores[a], labels[a], 2, Scheme.BINARY, np.ones(len(a)))
        shares[b] = class_shares(fitted, Scheme.BINARY, 2, scores[b])
    assert found.best_trial.score == pytest.approx(-log_loss(Y[80:], shares), rel=1e-3)
    with pytest.raises(ValueError, match="must give a finite number, the larger the better, got nan"):
        gm.tune(X[:80], Y[:80], kernels="poly", held_out=(X[80:81], Y[80:81]), scoring="roc_auc")


def test_a_classifier_has_probabilities_only_where_they_were_asked_for():
    assert gm.tune(X, Y, **SOME, scoring="roc_auc").classifier.probability is False
    assert gm.tune(X, Y, **SOME, scoring="neg_brier_score").classifier.probability is True


def test_rounds_and_jobs_serve_scorers_too():
    how = {"kernels": ["poly", "linear"], "C": [0.01, 0.1, 1, "auto"], "folds": 2, "sample_sizes": [60], "factor": 2}
    one, two = (gm.tune(X, Y, **how, scoring="roc_auc", refit=False, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert [(t.setting, t.scores) for t in one.trials] == [(t.setting, t.scores) for t in two.trials]
    assert 2 <= sum(trial.exact for trial in one.trials) < 8


def test_online_learning_is_scored_by_its_outputs():
    y = np.where(X[:, 5] > 0, "c", np.where(Y > 0, "a", "b"))
    how = {"kernels": "poly", "search": "slicing", "C": [0.1, "auto"], "sample_sizes": [60], "folds": 2}
    found = gm.tune(X, y, **how, scoring="roc_auc_ovr", refit=False)
    assert all(0 <= trial.score <= 1 for trial in found.trials)


@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        ("roc_auc", "scoring=roc_auc cannot score the classifiers of this search: ValueError: multi_class must be"),
        (lambda clf, X, y: clf.support_.mean(), "it asks for 'support_'; a search can tell predict, decision_function"),
        (lambda clf, X, y: clf.predict(X[:1]).mean(), "only ask for the examples it is given"),
        (lambda clf, X, y: "good", "must give a finite number, the larger the better, got 'good'"),
        (lambda clf, X, y: np.inf, "got inf"),
    ],
    ids=["two-classes", "attribute", "others", "word", "infinite"],
)
def test_a_scorer_that_cannot_score_is_refused_before_the_search(scoring, said):
    with pytest.raises(ValueError, match=said):
        gm.tune(FOREST, LABELS, kernels="sst", scoring=scoring, progress=lambda *_: pytest.fail("it has begun"))
