"""TableClassifier and TableRegressor: one line from a frame, machines that say the same, scikit-learn's habits."""

from __future__ import annotations

import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.solvers.tables import choosing

RNG = np.random.default_rng(33)
N = 400
FRAME = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(18, 80, N)),
        "housing": RNG.choice(["own", "rent", "free"], N),
        "gain": np.where(RNG.random(N) < 0.8, 0, RNG.integers(1, 9999, N)),
        "member": RNG.random(N) < 0.4,
        "constant": 1,
    }
)
POLARS = pl.DataFrame(FRAME.to_dict("list"))
SCORE = (
    (FRAME["age"].fillna(40) - 45) / 15
    + (FRAME["housing"] == "own") * FRAME["member"] * 2
    + (FRAME["gain"] > 5000)
    + RNG.normal(size=N) * 0.5
)
TWO = np.where(SCORE > 0.5, "yes", "no")
THREE = np.digitize(SCORE, [-0.5, 1.0])
FIXED = {"C": 1.0, "degree": 2, "parts": "both", "pair_scale": 0.5, "rounds": 0}

EXPECTED_TO_FAIL = {
    "check_sample_weight_equivalence_on_dense_data": "bins are made of rows, whatever they weigh",
    "check_sample_weight_equivalence_on_sparse_data": "bins are made of rows, whatever they weigh",
}


@parametrize_with_checks(
    [gm.TableClassifier(**FIXED), gm.TableRegressor(**FIXED)], expected_failed_checks=lambda _: EXPECTED_TO_FAIL
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.ConvergenceWarning)
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks([gm.TableClassifier(), gm.TableRegressor()], expected_failed_checks=lambda _: EXPECTED_TO_FAIL)
def test_scikit_learn_s_own_checks_with_all_that_is_chosen(estimator, check):
    check(estimator)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_one_line_from_a_frame(y):
    clf = gm.TableClassifier().fit(FRAME, y)
    assert clf.score(FRAME, y) > 0.75
    assert clf.feature_names_in_.tolist() == list(FRAME.columns)
    assert clf.C_ > 0
    assert clf.degree_ in (1, 2)
    assert 0 < clf.bounds_[0] <= clf.bounds_[1]
    assert clf.validation_loss_ < 0.8
    assert not any("constant" in names for names in clf.tables_)


def test_regression():
    model = gm.TableRegressor().fit(FRAME, SCORE)
    assert model.score(FRAME, SCORE) > 0.7
    assert model.machine_.scheme == "regression"
    assert model.validation_loss_ < SCORE.var()


def fitted(y=TWO, frame=FRAME, **changed):
    kind = gm.TableRegressor if y is SCORE else gm.TableClassifier
    return kind(**(FIXED | changed)).fit(frame, y)


CASES = [(TWO, {}), (THREE, {}), (SCORE, {}), (TWO, {"rounds": 2}), (TWO, {"degree": 3}), (SCORE, {"degree": 1})]


@pytest.mark.parametrize(("y", "changed"), CASES)
def test_the_machine_says_the_same(y, changed):
    own = fitted(y, **changed)
    machine = own.machine_
    X = own.encoder_.transform(FRAME)
    scorer = machine.compile()
    exact = machine.compile("direct").decision_function(X)
    scores = own.predict(FRAME) if y is SCORE else own.decision_function(FRAME)
    sizes = abs(machine.dense_coef()).sum(axis=0) + abs(machine.intercept)
    size = sizes if exact.ndim > 1 else sizes[0]
    assert (abs(scores - exact) <= 1e-9 * size).all()
    assert (abs(scores - scorer.decision_function(X)) <= 1e-9 * size).all()
    assert own._learned.model.error_bound <= 1e-9 * np.max(size)
    if y is not SCORE:
        np.testing.assert_array_equal(own.predict(FRAME), machine.compile("direct").predict(X))


def test_labels_are_the_machine_s_where_rounding_could_decide(monkeypatch):
    own = fitted()
    own._learned.model.intercepts[:] -= own.decision_function(FRAME)[0]  # a score of about 0
    for name in ("_compiled", "machine", "scorer"):
        own._learned.model.__dict__.pop(name, None)
    assert abs(own.decision_function(FRAME)[0]) <= own._learned.model.error_bound
    np.testing.assert_array_equal(
        own.predict(FRAME), own.machine_.compile("direct").predict(own.encoder_.transform(FRAME))
    )


@pytest.mark.parametrize("y", [TWO, THREE, SCORE], ids=["two", "three", "values"])
def test_scores_are_sums_of_tables(y):
    own = fitted(y, degree=3)
    codes = own.encoder_.codes(FRAME)
    names = [field.name for field in own.encoder_.fields_]
    total = np.zeros((N, len(own.intercept_))) + own.intercept_
    for fields, shape in own.tables_.items():
        assert shape.fields == fields
        assert shape.values.shape[: len(fields)] == tuple(map(len, shape.bins))
        entries = shape.values[tuple(codes[:, names.index(name)] for name in fields)]
        total += entries.reshape(N, -1)
    scores = own.predict(FRAME) if y is SCORE else own.decision_function(FRAME)
    np.testing.assert_allclose(scores.reshape(N, -1), total, atol=1e-12)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_probabilities(y):
    own = fitted(y)
    shares = own.predict_proba(FRAME)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(own.classes_[shares.argmax(axis=1)], own.predict(FRAME))
    np.testing.assert_allclose(np.exp(own.predict_log_proba(FRAME)), shares)
    if y is TWO:
        kept = own.machine_.compile().predict_proba(own.encoder_.transform(FRAME))
        np.testing.assert_allclose(kept, shares, atol=1e-12)


def test_frames_of_all_kinds_give_the_same():
    own = fitted()
    expected = own.decision_function(FRAME)
    rows = FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    for table in (POLARS, FRAME[FRAME.columns[::-1]], rows):
        np.testing.assert_array_equal(own.decision_function(table), expected)
    np.testing.assert_array_equal(fitted(frame=POLARS).decision_function(FRAME), expected)


def test_threads_change_no_bit():
    one, three = fitted(rounds=1), fitted(rounds=1, n_jobs=3)
    np.testing.assert_array_equal(one.decision_function(FRAME), three.decision_function(FRAME))
    assert one.bounds_ == three.bounds_


def test_the_same_seed_chooses_the_same():
    first, second = (gm.TableClassifier(random_state=5).fit(FRAME, TWO) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(FRAME), second.decision_function(FRAME))


def test_weights():
    weights = RNG.integers(0, 3, N).astype(float)
    kept = weights > 0
    own = gm.TableClassifier(**FIXED, tol=1e-12).fit(FRAME, TWO, weights)
    codes = own.encoder_
    again = gm.TableClassifier(**FIXED, tol=1e-12)
    again._encoder = lambda: _Known(codes)
    twice = np.repeat(np.arange(N)[kept], weights[kept].astype(int))
    again.fit(FRAME.iloc[twice], TWO[twice])
    np.testing.assert_allclose(own.decision_function(FRAME), again.decision_function(FRAME), atol=1e-5)
    balanced = fitted(class_weight="balanced").decision_function(FRAME).mean()
    by_hand = fitted(class_weight={"no": N / 2 / (TWO == "no").sum(), "yes": N / 2 / (TWO == "yes").sum()})
    assert by_hand.decision_function(FRAME).mean() == pytest.approx(balanced)


class _Known:
    """An encoder that was fitted before."""

    def __init__(self, encoder):
        self._encoder = encoder

    def fit(self, X):
        return self._encoder


@pytest.mark.parametrize("direction", [1, -1, "increasing", "decreasing"])
def test_a_monotone_column_never_falls_in_any_row_of_bins(direction):
    own = fitted(monotone={"age": direction, "gain": 0}, C=20.0, degree=3)
    fields = own.encoder_.fields_
    sign = 1 if direction in (1, "increasing") else -1
    others = [range(min(len(field.bins), 4)) for field in fields[1:]]
    ordered = fields[0].n_ordered
    assert fields[0].missing == ordered
    for rest in product(*others):
        codes = np.array([[at, *rest] for at in range(ordered)], dtype=np.uint16)
        scores = own._learned.model.scores(codes)[:, 0]
        assert (sign * np.diff(scores) >= 0).all()
    assert sign < 0 or own.decision_function(FRAME).std() > 0.5


def test_interactions_are_those_allowed():
    all_pairs = {("age", "housing"), ("age", "gain"), ("age", "member"), ("housing", "gain"), ("housing", "member")}
    all_pairs.add(("gain", "member"))
    assert set(fitted().interactions_) == all_pairs == set(fitted(interactions="all").interactions_)
    assert fitted(interactions=False).interactions_ == []
    assert fitted(interactions=[("member", "age")]).interactions_ == [("age", "member")]
    left = fitted(forbidden_interactions=[("age", "gain"), ("member", "housing")]).interactions_
    assert set(left) == all_pairs - {("age", "gain"), ("housing", "member")}


def test_many_pairs_are_screened():
    own = fitted(max_pairs=2)
    assert len(own.interactions_) == 2
    assert ("housing", "member") in own.interactions_  # which is what the scores hold


def test_triples():
    own = fitted(degree=3)
    assert own.degree_ == 3
    assert any(len(names) == 3 for names in own.interactions_)


def threefold(rows=600):
    """Labels by three columns together, which two tell in part."""
    codes = np.random.default_rng(0).integers(0, 3, (rows, 4))
    a, b, c, _ = codes.T
    return pd.DataFrame(codes.astype(str)), (a + 1) * (b + 1) * (c + 2) % 5 > 2


def test_triples_are_chosen_where_they_gain():
    X, y = threefold()
    own = gm.TableClassifier(max_iter=100, tol=0.01).fit(X, y)
    assert own.degree_ == 3
    assert own.score(X, y) > 0.95
    pairs = gm.TableClassifier(max_iter=100, tol=0.01, interactions="all").fit(X, y)
    assert pairs.degree_ == 2
    assert pairs.validation_loss_ > own.validation_loss_
    assert gm.TableClassifier(max_iter=100, tol=0.01).fit(FRAME, TWO).degree_ < 3


def test_scales_of_pairs_are_tried_as_long_as_they_gain(monkeypatch):
    """A choice by larger scales is at least as good as one without them."""
    X, _ = threefold()
    y = np.where(X[0] == X[1], X[2] == "0", X[0] > X[1])
    how = {"max_iter": 100, "tol": 0.01, "degree": 2}
    chosen = gm.TableClassifier(**how).fit(X, y)
    assert chosen.pair_scale_ > 0.5
    monkeypatch.setattr(choosing, "_LARGER", ())
    without = gm.TableClassifier(**how).fit(X, y)
    assert without.pair_scale_ <= 0.5
    assert chosen.validation_loss_ <= without.validation_loss_


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"C": 0}, "C must be a finite number above 0 or 'auto', got 0"),
        ({"C": "high"}, "C must be"),
        ({"degree": 4}, "degree must be 1, 2, 3 or 'auto'"),
        ({"parts": "all"}, "parts must be one of"),
        ({"pair_scale": -1}, "pair_scale must be"),
        ({"rounds": -1}, "rounds must be"),
        ({"max_pairs": 0}, "max_pairs must be"),
        ({"tol": -1}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"bins": 1}, "bins must be"),
        ({"interactions": "some"}, "interactions must be"),
        ({"interactions": [("age",)]}, "interactions must be"),
        ({"interactions": [("age", "shoe")]}, "interactions names 'shoe', which is no column; there are age, housing"),
        ({"forbidden_interactions": "all"}, "forbidden_interactions must be None or a list"),
        ({"monotone": ["age"]}, "monotone must be a dict"),
        ({"interactions": [("age", "age")]}, "interactions must name pairs of different columns, got 'age' twice"),
        ({"forbidden_interactions": [("age", "age")]}, "forbidden_interactions must name pairs of different columns"),
        ({"monotone": {"shoe": 1}}, "monotone names 'shoe'"),
        ({"monotone": {"age": 2}}, r"monotone\['age'\] must be 1"),
        ({"monotone": {"housing": 1}}, "column 'housing' is a category and has no order"),
        ({"class_weight": {"no": -1.0}}, "class weights must be above 0"),
        ({"random_state": "x"}, "random_state must be"),
        ({"verbose": -1}, "verbose must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        fitted(**changed)


def test_data_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        fitted(np.zeros(N, dtype=int))
    with pytest.raises(ValueError, match="got 1 class"):
        gm.TableClassifier().fit(FRAME, TWO, (TWO == "no") * 1.0)
    with pytest.raises(ValueError, match="at least one non-zero"):
        gm.TableRegressor().fit(FRAME, SCORE, np.zeros(N))
    with pytest.raises(ValueError, match="NaN"):
        gm.TableRegressor().fit(FRAME, SCORE.where(SCORE < 1))
    with pytest.raises(ValueError, match="inconsistent"):
        gm.TableRegressor().fit(FRAME, SCORE[:-1])
    with pytest.raises(NotFittedError):
        gm.TableClassifier().predict(FRAME)


@pytest.mark.parametrize("rows", [2, 3, 7, 19])
def test_few_rows(rows):
    y = np.arange(rows) % 2
    own = gm.TableClassifier().fit(FRAME[:rows], y)
    assert own.predict(FRAME).shape == (N,)
    assert gm.TableRegressor().fit(FRAME[:1], [2.0]).predict(FRAME[:3]).tolist() == [2.0] * 3


def test_nothing_but_constants():
    own = gm.TableClassifier().fit(FRAME[["constant"]], TWO)
    assert own.tables_ == {}
    share = (TWO == "yes").mean()
    np.testing.assert_allclose(own.predict_proba(FRAME[["constant"]])[:, 1], share, atol=1e-9)
    assert own.machine_.n_support == 0


def test_a_class_of_one_row():
    y = np.array(["rare", *TWO[1:]])
    assert gm.TableClassifier().fit(FRAME, y).classes_.tolist() == ["no", "rare", "yes"]


def test_clones_and_pickles():
    own = fitted()
    own.machine_, own.scorer_  # noqa: B018 - which pickles leave out
    again = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(again.decision_function(FRAME), own.decision_function(FRAME))
    np.testing.assert_array_equal(again.predict(FRAME), own.predict(FRAME))
    assert len(pickle.dumps(again)) < 200_000
    assert clone(own).get_params() == own.get_params()
    assert not hasattr(clone(own), "machine_")


def test_in_scikit_learn_s_tools():
    assert cross_val_score(gm.TableClassifier(**FIXED), FRAME, TWO, cv=3).mean() > 0.7
    search = GridSearchCV(gm.TableClassifier(**FIXED), {"C": [0.1, 1.0]}, cv=2).fit(FRAME, TWO)
    assert search.best_params_["C"] in (0.1, 1.0)
    pipeline = make_pipeline("passthrough", gm.TableClassifier(**FIXED)).fit(FRAME, TWO)
    assert pipeline.score(FRAME, TWO) > 0.75


def test_a_saved_machine_scores_encoded_rows(tmp_path):
    own = fitted()
    own.machine_.save(tmp_path / "machine")
    machine = gm.load(tmp_path / "machine")
    X = own.encoder_.transform(FRAME)
    np.testing.assert_allclose(machine.compile().decision_function(X), own.decision_function(FRAME), atol=1e-9)
    assert machine.feature_names[:2] == tuple(own.encoder_.get_feature_names_out()[:2])


# --- on the way -------------------------------------------------------------------------------------------------------


def test_few_iterations_are_warned_about():
    with pytest.warns(ConvergenceWarning, match="max_iter=1") as caught:
        own = fitted(max_iter=1, tol=1e-9)
    assert caught[0].filename == __file__
    assert own.fit_status_ == 1


@pytest.mark.parametrize("chosen", [False, True], ids=["training", "choosing"])
def test_an_interrupted_fit_keeps_what_was_learned(chosen, monkeypatch):
    calls = []
    own = choosing.TableRun.solve

    def solve(*args):
        calls.append(None)
        if len(calls) == (8 if chosen else 2):
            raise KeyboardInterrupt
        own(*args)

    monkeypatch.setattr(choosing.TableRun, "solve", solve)
    clf = gm.TableClassifier(**({} if chosen else FIXED | {"rounds": 1}))
    with pytest.raises(KeyboardInterrupt):
        clf.fit(FRAME, TWO)
    assert clf.score(FRAME, TWO) > 0.7
    assert clf.C_ is None


def test_progress_ascends_to_the_end():
    calls = []
    big = pd.concat([FRAME] * 3)
    gm.TableClassifier(progress=lambda *call: calls.append(call)).fit(big, np.tile(TWO, 3))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert calls[-1] == (1000, 1000)


def test_verbose_prints_lines(capsys):
    fitted(verbose=1)
    assert "TableClassifier: fitted" in capsys.readouterr().err


# --- any table --------------------------------------------------------------------------------------------------------

CELLS = st.sampled_from([None, 0.0, 1.0, 2.0, 3.5, float("inf")])


@settings(max_examples=25)
@given(
    st.lists(st.tuples(CELLS, st.sampled_from(["a", "b", None]), st.booleans()), min_size=4, max_size=40),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([2, 3]),
)
def test_any_table_is_learned_and_scored_by_the_machine(rows, degree, classes):
    frame = pd.DataFrame(rows, columns=["number", "word", "flag"])
    y = np.arange(len(rows)) % classes
    own = gm.TableClassifier(degree=degree, C=1.0, rounds=1).fit(frame, y)
    X = own.encoder_.transform(frame)
    machine = own.machine_
    exact = machine.compile("direct").decision_function(X).reshape(len(rows), -1)
    size = abs(machine.dense_coef()).sum(axis=0) + abs(machine.intercept)
    assert (abs(own.decision_function(frame).reshape(len(rows), -1) - exact) <= 1e-9 * (size + 1e-300)).all()
    np.testing.assert_array_equal(own.predict(frame), machine.compile("direct").predict(X))
