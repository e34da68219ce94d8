"""The same rows mean the same to an estimator and to everything that explains it; id lists are marked."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

import gristmill as gm
from gristmill.explanations import rules_of
from gristmill.report import make_report
from gristmill.scoring.deciding import class_numbers
from tests.data.strategies import FEATURES, feature_sets

TABLE = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]]
LABELS = [1, 1, 0, 0, 1, 0]
ROWS = [[1, 0, 0], [0, 1, 1]]  # as ids the first would be the features 0 and 1, and one of them twice


def _estimators():
    svc = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(TABLE, LABELS)
    return {
        "KernelSVC": gm.KernelSVC(degree=2).fit(TABLE, LABELS),
        "KernelSVC with binarize=False": gm.KernelSVC(degree=2, binarize=False).fit(TABLE, LABELS),
        "KernelSVC normalised": gm.KernelSVC(gm.Normalized(gm.PolynomialKernel(2))).fit(TABLE, LABELS),
        "KernelSVR": gm.KernelSVR(degree=2).fit(TABLE, LABELS),
        "KernelOneClassSVM": gm.KernelOneClassSVM(degree=2).fit(TABLE),
        "OnlineKernelClassifier": gm.OnlineKernelClassifier(degree=2).fit(TABLE, LABELS),
        "accelerated SVC": gm.accelerate(svc),
        "SVC": svc,
    }


ESTIMATORS = _estimators()
EXPLAINED = {
    name: one for name, one in ESTIMATORS.items() if name != "KernelSVC normalised"
}  # which has no rows' values


def _scores(estimator, X):
    score = getattr(estimator, "decision_function", estimator.predict)
    return score(X)


@pytest.mark.parametrize("name", EXPLAINED)
@pytest.mark.parametrize("X", [ROWS, np.array(ROWS), sp.csr_matrix(ROWS)], ids=["list", "array", "sparse"])
def test_what_is_explained_is_what_is_predicted(name, X):
    estimator = EXPLAINED[name]
    assert np.allclose(gm.explain(estimator, X).scores[:, 0], _scores(estimator, ROWS))


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_baseline_is_read_as_rows_are(name):
    estimator = EXPLAINED[name]
    assert np.allclose(gm.explain(estimator, ROWS, baseline=[[0, 1, 0]]).base, _scores(estimator, [[0, 1, 0]]))


@pytest.mark.parametrize("name", EXPLAINED)
def test_importance_counts_the_features_of_the_table(name):
    assert gm.importance(EXPLAINED[name], ROWS).counts.tolist() == [1, 1, 1]
    assert gm.importance(EXPLAINED[name], iter([ROWS, ROWS])).counts.tolist() == [2, 2, 2]


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "SVC"])
def test_scorers_of_estimators_read_tables(name):
    estimator = ESTIMATORS[name]
    assert np.allclose(estimator.scorer_.decision_function(ROWS), _scores(estimator, ROWS))


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "SVC"])
def test_scorers_of_estimators_refuse_tables_of_another_width(name):
    with pytest.raises(ValueError, match="features"):
        ESTIMATORS[name].scorer_.decision_function([[1, 0]])


@pytest.mark.filterwarnings("ignore::gristmill.DataConversionWarning")
@pytest.mark.parametrize("kernel", ["poly", gm.Normalized(gm.PolynomialKernel(2))], ids=["poly", "normalised"])
def test_scorers_of_estimators_binarize_as_they_do(kernel):
    values = np.random.default_rng(0).random((60, 3))
    for make in (gm.KernelSVC, gm.OnlineKernelClassifier) if kernel == "poly" else (gm.KernelSVC,):
        clf = make(kernel, degree=2, binarize=0.5).fit(TABLE, LABELS)
        assert np.array_equal(clf.scorer_.decision_function(values), clf.decision_function(values))
        strict = make(kernel, degree=2, binarize=None).fit(TABLE, LABELS)
        with pytest.raises(ValueError, match="X must hold only 0 and 1"):
            strict.scorer_.predict(values)


def test_the_scorer_of_an_accelerated_machine_refuses_values_that_it_would_change():
    with pytest.raises(ValueError, match="predict and decision_function of the estimator compute with them"):
        ESTIMATORS["accelerated SVC"].scorer_.predict([[0.5, 0, 1]])


def test_scorers_of_estimators_read_tables_after_a_journey():
    import pickle

    for name in ("KernelSVC", "OnlineKernelClassifier", "accelerated SVC"):
        scorer = pickle.loads(pickle.dumps(ESTIMATORS[name].scorer_))
        assert np.array_equal(scorer.predict(ROWS), ESTIMATORS[name].predict(ROWS))


@pytest.mark.parametrize("name", ["KernelSVC", "OnlineKernelClassifier", "accelerated SVC", "SVC"])
def test_reports_judge_what_is_predicted(name):
    estimator = EXPLAINED[name]
    truth = estimator.predict(ROWS).tolist()
    truth[0] = 1 - truth[0]
    figures = make_report(estimator, ROWS, truth, engines=False).as_dict()
    assert figures["quality"]["accuracy"] == 0.5


def test_rules_match_what_is_predicted():
    rules = rules_of(ESTIMATORS["KernelSVC"])
    assert {rule.features for rule in rules.matching([[0, 1, 1]])} == {(1,), (2,), (1, 2)} & {r.features for r in rules}
    coverage = rules.coverage(ROWS)
    assert np.allclose(coverage.score[:, 0], ESTIMATORS["KernelSVC"].decision_function(ROWS))


def test_values_count_in_an_explanation_as_they_do_in_prediction():
    X = [[0.5, 0.0, 2.0]]
    for name in ("SVC", "KernelSVC with binarize=False"):
        assert np.allclose(gm.explain(EXPLAINED[name], X).scores[:, 0], _scores(EXPLAINED[name], X))
    with pytest.warns(gm.DirectScoringWarning):
        expected = EXPLAINED["accelerated SVC"].decision_function(X)
    assert np.allclose(gm.explain(EXPLAINED["accelerated SVC"], X).scores[:, 0], expected)
    with pytest.warns(gm.DataConversionWarning):
        assert np.allclose(
            gm.explain(EXPLAINED["KernelSVC"], X).scores[:, 0],
            EXPLAINED["KernelSVC"].decision_function([[1, 0, 1]]),
        )


def test_an_estimator_has_one_way_to_binarize():
    with pytest.raises(ValueError, match="binarize is a parameter of the estimator"):
        gm.explain(ESTIMATORS["KernelSVC"], ROWS, binarize=0.5)


def test_tables_of_another_width_are_refused_as_scikit_learn_refuses_them():
    for estimator in EXPLAINED.values():
        with pytest.raises(ValueError, match="features"):
            gm.explain(estimator, [[1, 0]])


def test_programs_on_text_are_explained_as_their_machines_are():
    tagger = gm.apps.Tagger("F:-1..1:0").fit([[("the", "D"), ("cat", "N")], [("a", "D"), ("dog", "N")]])
    assert gm.explain(tagger, top=3).table() == gm.explain(tagger.machine_, top=3).table()
    reported = gm.explain(tagger, gm.ids([[0]]))
    assert np.array_equal(reported.scores, gm.explain(tagger.machine_, gm.ids([[0]])).scores)


def test_tree_classifiers_are_explained_on_the_trees_that_they_classify():
    trees = ["(Q (W who) (V sang))", "(Q (W where) (V is) (N Rome))"]
    classifier = gm.apps.TreeClassifier().fit(trees, ["WHO", "WHERE"])
    for mine, theirs in zip(gm.explain(classifier, trees), classifier.explain(trees), strict=True):
        assert str(mine) == str(theirs)


# --- machines and scorers: nothing is guessed -------------------------------------------------------------------------

MACHINE = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [2]]), [1.0, -0.5], -1.0, classes=["no", "yes"])
BOTH_WAYS = r"np\.array\(X\).*gristmill\.ids\(X\)"


@pytest.mark.parametrize("X", [[[1, 0], [0, 1]], [[3, 17, 90], [4]], [[0]], [[]], [(1, 0)], ([1, 0],), [[0.5, 1.0]]])
@pytest.mark.parametrize("engine", ["direct", "inverted", "expanded"])
def test_a_list_that_could_be_either_is_refused_with_both_ways_out(X, engine):
    scorer = MACHINE.compile(engine)
    for ask in (scorer.predict, scorer.decision_function, scorer.error_bound, partial(class_numbers, scorer)):
        with pytest.raises(ValueError, match=BOTH_WAYS):
            ask(X)


def test_machines_kernels_and_explanations_do_not_guess_either():
    X = [[1, 0], [0, 1]]
    for ask in (
        lambda: gm.Machine(gm.PolynomialKernel(2), X, [1.0, -1.0], 0.0),
        lambda: gm.PolynomialKernel(2)(X),
        lambda: gm.Normalized(gm.PolynomialKernel(2))(X),
        lambda: gm.explain(MACHINE, X),
        lambda: gm.importance(MACHINE, X),
        lambda: gm.explain(MACHINE, gm.ids([[0]]), baseline=X),
        lambda: make_report(MACHINE, X, engines=False),
        lambda: gm.Examples(vectors=X),
        lambda: MACHINE.compile(sample=X),
    ):
        with pytest.raises(ValueError, match=BOTH_WAYS):
            ask()


@given(st.lists(feature_sets, max_size=6))
def test_ids_sets_tables_and_matrices_are_the_same_rows(sets):
    table = np.array([[float(at in row) for at in range(FEATURES)] for row in sets]).reshape(len(sets), FEATURES)
    lists = [sorted(row, reverse=True) for row in sets]
    expected = MACHINE.compile("direct").decision_function(table)
    for X in (gm.ids(lists), gm.ids(iter(lists), n_features=FEATURES), sets, sp.csr_matrix(table)):
        assert np.array_equal(MACHINE.compile().decision_function(X), expected)


def test_ids_keep_the_width_that_is_given():
    assert gm.ids([[3], []]).n_features == 4
    assert gm.ids([[3], []], n_features=9).to_csr().shape == (2, 9)
    assert gm.ids([]).to_csr().shape == (0, 0)


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ([[1, 1]], {}, "row 0: a feature id occurs twice"),
        ([[0], [-1]], {}, "row 1: feature ids must lie in 0.."),
        ([[0.5]], {}, "row 0: feature ids must be whole numbers"),
        ([1, 2], {}, "row 0: expected a list of feature ids"),
        (np.array([[1, 0]]), {}, "ids takes a list of lists of feature ids, got ndarray"),
        ("12", {}, "ids takes a list of lists of feature ids, got str"),
        (7, {}, "ids takes a list of lists of feature ids, got int"),
        ([[3]], {"n_features": 3}, "n_features must be a whole number above every id, got 3"),
        ([[3]], {"n_features": 4.5}, "n_features must be a whole number above every id, got 4.5"),
    ],
)
def test_what_are_no_ids(lists, options, message):
    with pytest.raises(ValueError, match=message):
        gm.ids(lists, **options)


@pytest.mark.parametrize("make", [gm.KernelSVC, gm.OnlineKernelClassifier])
def test_estimators_take_ids_too(make):
    X = gm.ids([np.flatnonzero(row).tolist() for row in TABLE])
    by_ids, by_table = make(degree=2).fit(X, LABELS), make(degree=2).fit(TABLE, LABELS)
    assert by_ids.machine_ == by_table.machine_
    assert np.array_equal(by_ids.predict(gm.ids([[0], [1, 2]])), by_table.predict(ROWS))
    assert np.array_equal(by_ids.predict([{0}, {1, 2}]), by_table.predict(ROWS))
    assert np.array_equal(by_ids.predict(gm.ids([[0, 77]])), by_table.predict([[1, 0, 0]]))  # never seen: nothing


def test_lists_that_are_no_table_are_refused_by_estimators_and_their_scorers():
    for predict in (ESTIMATORS["KernelSVC"].predict, ESTIMATORS["KernelSVC"].scorer_.predict):
        with pytest.raises(ValueError, match="inhomogeneous"):
            predict([[1, 0], [1]])
