"""Pipelines are explained as the machines inside them, in the names that their steps give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder
from sklearn.svm import SVC

import gristmill as gm
from gristmill.apps import Tagger
from gristmill.explanations.models import model_of, output_names
from gristmill.explanations.rules import rules_of
from gristmill.machines.table_files import TableSource

RNG = np.random.default_rng(3)
TABLE = pd.DataFrame({"age": RNG.integers(18, 70, 80), "housing": RNG.choice(["own", "rent", "free"], 80)})
Y = np.where((TABLE["age"] < 40) & (TABLE["housing"] == "rent"), "bad", "good")
THREE = np.where(TABLE["housing"] == "own", "fair", Y)
STEPS = ColumnTransformer(
    [
        ("cat", OneHotEncoder(), ["housing"]),
        ("num", KBinsDiscretizer(3, encode="onehot", quantile_method="linear"), ["age"]),
    ],
    verbose_feature_names_out=False,
)
POLY = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
LEARNERS = [gm.KernelSVC(degree=2), gm.OnlineKernelClassifier(), gm.TableClassifier(C=1.0, degree=1), SVC(**POLY)]
TEXTS = ["good plot", "bad plot", "not good music", "not bad plot"] * 3


def wrap(learner):
    return make_pipeline(STEPS, learner) if not isinstance(learner, gm.TableClassifier) else make_pipeline(learner)


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_values_add_up_to_the_scores_of_the_pipeline(learner, y):
    pipeline = wrap(learner).fit(TABLE, y)
    row = TABLE[4:6]
    explanation = gm.explain(pipeline, row, interactions=True)
    inner = model_of(pipeline)
    scores = inner.machine.compile("direct").decision_function(inner.examples(row))
    np.testing.assert_allclose(explanation.scores.squeeze(), scores, atol=1e-9)
    if len(np.unique(y)) == 2:
        np.testing.assert_allclose(scores, pipeline.decision_function(row), atol=1e-9)
    housing = TABLE["housing"].iloc[4]
    assert f"housing_{housing}" in explanation[0].names or f"housing = {housing}" in explanation[0].names


@pytest.mark.parametrize("accelerated", [False, True])
def test_everything_that_takes_a_model_takes_a_pipeline(accelerated):
    pipeline = GridSearchCV(make_pipeline(STEPS, SVC(**POLY)), {"svc__C": [1.0]}, cv=2).fit(TABLE, Y)
    pipeline = gm.accelerate(pipeline) if accelerated else pipeline
    names = set(pipeline.best_estimator_[0].get_feature_names_out())
    assert {one.name for one in gm.importance(pipeline, TABLE).top()} <= names
    assert {rule.conjunction for rule in rules_of(pipeline, max_size=1)} <= names | {"(always)"}
    assert "housing_own" in str(gm.explain(pipeline))
    explainer = gm.Explainer(pipeline, baseline=TABLE[:1])
    base = explainer(TABLE).base[0]
    np.testing.assert_allclose(base, pipeline.decision_function(TABLE[:1]), atol=1e-9)


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(binary=True),
        TfidfVectorizer(binary=True, use_idf=False, norm=None),
        HashingVectorizer(binary=True, norm=None, alternate_sign=False, n_features=2**10),
    ],
    ids=lambda vectorizer: type(vectorizer).__name__,
)
def test_texts_are_explained_by_their_words(vectorizer):
    pipeline = make_pipeline(vectorizer, SelectKBest(chi2, k=4), gm.KernelSVC(degree=2)).fit(TEXTS, [1, 0, 0, 1] * 3)
    explanation = gm.explain(pipeline, ["not a good film", "plot"])
    assert set(explanation[0].names) == {"not", "good"}
    assert explanation[1].names == ("plot",)
    words = {one.name for one in gm.importance(pipeline, TEXTS).top()}
    assert words <= {"not", "good", "bad", "plot", "music"}
    blocks = gm.importance(pipeline, iter([TEXTS[:2], TEXTS[2:]]))
    assert blocks.rows == len(TEXTS)


def test_columns_of_tables_that_went_through_an_array_have_their_names_again():
    order = ColumnTransformer([("all", "passthrough", ["housing", "age"])], verbose_feature_names_out=False)
    pipeline = make_pipeline(order, gm.TableClassifier(C=1.0, degree=1, bins=4)).fit(TABLE, Y)
    names = gm.explain(pipeline, TABLE[:1])[0].names
    assert {name.split()[0] for name in names} == {"housing", "age"}


def test_trees_in_a_pipeline_have_no_names_of_features():
    trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(S (B b) (B b))", "(S (C c))"]
    pipeline = make_pipeline(FunctionTransformer(gm.Forest.from_strings), gm.KernelSVC("sst")).fit(trees, [0, 1, 0, 1])
    explained = gm.explain(pipeline, trees[:1])
    np.testing.assert_allclose(explained[0].score, pipeline.decision_function(trees[:1]), atol=1e-9)


def test_regression_is_explained_in_the_name_of_what_it_predicts_where_that_is_known():
    machine = gm.TableRegressor(C=1.0, degree=1, bins=4).fit(TABLE, TABLE["age"] * 2.0).machine_
    assert output_names(machine) == ("value",)
    named = machine.replace(provenance={**machine.provenance, "table": TableSource("rent").to_spec()})
    explained = gm.explain(named, TABLE[:1])[0]
    assert explained.draw().splitlines()[-1].startswith("score (rent)")
    assert explained.draw("rent") == explained.draw()
    assert gm.shape(named, "age").output_names == ("rent",)


class Derived(gm.TableClassifier):
    """A user's own."""


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (gm.KernelSVC(), "KernelSVC"),
        (make_pipeline(STEPS, gm.KernelSVC()), "KernelSVC"),
        (gm.TableClassifier(), "TableClassifier"),
        (gm.TableRegressor(), "TableRegressor"),
        (Derived(), "Derived"),
        (Tagger(), "Tagger"),
    ],
)
def test_models_that_are_not_fitted_say_so_as_scikit_learn_does(model, name):
    for use in (lambda: gm.explain(model), lambda: gm.explain(model, TABLE), lambda: gm.shape(model, "age")):
        with pytest.raises(NotFittedError, match=f"this {name} is not fitted"):
            use()


def test_what_has_no_machine_is_refused_by_name():
    with pytest.raises(ValueError, match="fitted estimator that has one, got KernelSVC"):
        model_of(gm.KernelSVC(kernel="precomputed").fit(np.eye(4), [0, 1, 0, 1]))
    with pytest.raises(ValueError, match="fitted estimator that has one, got TableEncoder"):
        model_of(gm.TableEncoder())
    with pytest.raises(ValueError, match=r"expected a fitted SVC, .*, got Pipeline"):
        gm.from_sklearn(make_pipeline(SVC()))
    with pytest.raises(ValueError, match="binarize is a parameter of the estimator"):
        gm.explain(wrap(LEARNERS[0]).fit(TABLE, Y), TABLE, binarize=0.5)
    with pytest.raises(ValueError, match="got dict"):
        model_of({})
