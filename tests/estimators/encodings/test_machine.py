"""The machine of a pipeline that reads the user's tables: it answers as the pipeline, also from its file."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import gristmill as gm
from gristmill.estimators.encodings import encoded_machine
from gristmill.machines import store
from gristmill.machines.formats import load_bytes

RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(
    {
        "age": np.where(RNG.random(120) < 0.1, np.nan, RNG.integers(18, 70, 120)),
        "id": np.arange(120),
        "housing": RNG.choice(["own", "rent", "free", None], 120),
        "member": RNG.random(120) < 0.4,
    }
)
TARGETS = np.where((TABLE["age"] < 40) & (TABLE["housing"] == "rent"), "bad", np.where(TABLE["member"], "good", "fair"))
NEW = TABLE.assign(housing=np.roll(TABLE["housing"], 7)).replace({"free": "boat"})[::2]
POLY = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}


def steps():
    ages = make_pipeline(
        SimpleImputer(strategy="median"), KBinsDiscretizer(4, encode="onehot", quantile_method="linear")
    )
    housing = OneHotEncoder(handle_unknown="ignore", drop="first")
    return ColumnTransformer([("h", housing, ["housing"]), ("a", ages, ["age"]), ("m", "passthrough", ["member"])])


LEARNERS = {
    "KernelSVC": gm.KernelSVC(degree=2),
    "one-vs-rest": gm.KernelSVC(degree=3, multiclass="ovr"),
    "online": gm.OnlineKernelClassifier(),
    "KernelSVR": gm.KernelSVR(degree=2),
    "KernelOneClassSVM": gm.KernelOneClassSVM(degree=2, nu=0.3),
    "SVC": SVC(**POLY),
    "SVR": SVR(**POLY),
}


def fitted(pipeline, y=TARGETS):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pipeline.fit(TABLE, y)


def assert_answers_alike(model, machine):
    scorer = load_bytes(store.to_bytes(machine)).compile()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = model.predict(NEW)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(scorer.predict(NEW), expected, atol=1e-9)
    else:
        assert scorer.predict(NEW).tolist() == expected.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_file_of_a_pipeline_answers_as_the_pipeline(name):
    y = TARGETS if not name.endswith("SVR") else (TARGETS == "bad") * 2.0
    model = fitted(make_pipeline(steps(), LEARNERS[name]), y)
    machine = encoded_machine(model)
    assert machine.encoding.names == tuple(TABLE)
    assert_answers_alike(model, machine)
    if "SV" in name and name != "SVR":
        assert_answers_alike(gm.accelerate(model), encoded_machine(gm.accelerate(model)))


def test_scores_have_the_same_bits():
    model = fitted(make_pipeline(steps(), SelectKBest(chi2, k=5), gm.KernelSVC(degree=2)), TARGETS == "bad")
    machine = encoded_machine(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = model[-1].machine_.compile("direct").decision_function(model[:-1].transform(NEW))
    assert np.array_equal(machine.compile("direct").decision_function(NEW), expected)


def test_a_table_estimator_behind_other_steps_reads_the_first_table():
    clf = gm.TableClassifier(C=1.0, degree=2, rounds=0, pair_scale=0.5, parts="both", bins=5)
    order = ColumnTransformer([("one", "passthrough", ["housing", "age"])])
    model = fitted(make_pipeline(order, clf))
    machine = encoded_machine(model)
    assert machine.feature_names[0].startswith("age ")
    assert_answers_alike(model, machine)
    assert encoded_machine(model[-1]) == model[-1].machine_


def test_searches_hold_a_pipeline():
    search = GridSearchCV(make_pipeline(steps(), gm.KernelSVC()), {"kernelsvc__C": [0.1, 1.0]}, cv=2)
    model = fitted(search)
    assert_answers_alike(model, encoded_machine(model))


def test_frames_between_the_steps_change_nothing():
    table, new = TABLE[["housing", "member"]].astype(str), NEW[["housing", "member"]].astype(str)
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    model = make_pipeline(encoder, gm.KernelSVC(degree=2)).set_output(transform="pandas").fit(table, TARGETS)
    assert model[-1].machine_.feature_names is not None
    assert encoded_machine(model).compile().predict(new).tolist() == model.predict(new).tolist()


def test_dict_rows_are_read_too():
    model = fitted(make_pipeline(steps(), gm.KernelSVC(degree=2)))
    scorer = encoded_machine(model).compile()
    rows = [{name: row[name] for name in ("housing", "age", "member")} for row in NEW.to_dict("records")]
    assert scorer.predict(rows).tolist() == scorer.predict(NEW).tolist()


def test_a_kernel_that_counts_features_needs_a_column_for_each_bin():
    kernel = gm.Normalized(gm.PolynomialKernel(2))
    every = OneHotEncoder(handle_unknown="error")
    table, y = TABLE[["housing", "member"]], TARGETS
    model = make_pipeline(every, gm.KernelSVC(kernel)).fit(table, y)
    assert encoded_machine(model).compile().predict(table).tolist() == model.predict(table).tolist()
    some = make_pipeline(OneHotEncoder(handle_unknown="ignore"), gm.KernelSVC(kernel)).fit(table, y)
    with pytest.raises(ValueError, match="counts features, and some bins"):
        encoded_machine(some)


@pytest.mark.filterwarnings("ignore:X holds values")
def test_models_that_no_file_can_hold_are_refused_with_the_reason():
    real = make_pipeline(StandardScaler(), SVC(**POLY)).fit(TABLE[["id"]], TARGETS)
    calibrated = CalibratedClassifierCV(gm.KernelSVC(), ensemble=False, cv=2).fit(TABLE[["member"]], TARGETS == "bad")
    ties = gm.KernelSVC(break_ties=True).fit(TABLE[["member"]], TARGETS)
    texts = make_pipeline(CountVectorizer(binary=True), gm.KernelSVC()).fit(["a bird", "two fish"], [0, 1])
    forest = RandomForestClassifier(2).fit(TABLE[["id"]], TARGETS)
    for model, message in [
        (real, "support rows hold values other than 0 and 1"),
        (calibrated, "answers by probabilities"),
        (ties, "fit with break_ties=False"),
        (texts, "CountVectorizer reads no tables"),
        (forest, "expected a fitted SVC"),
    ]:
        with pytest.raises(ValueError, match=message):
            encoded_machine(model)
