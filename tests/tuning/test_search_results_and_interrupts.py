"""What a search says, shows, refuses, and does when it is interrupted."""

from __future__ import annotations

import json
import pickle
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import gristmill as gm
from gristmill.tuning import TuningInterrupted
from gristmill.tuning.api import make_search
from gristmill.tuning.result import agreement
from tests.across.interrupting import SOON, seconds_to_stop
from tests.tuning.sets_to_tune_on import forest, rows, trees

FOREST, LABELS = forest(150)
X, Y = rows(60)
HALVING = {
    "kernels": ["sst", "ptk"],
    "C": [0.1, 1, 100],
    "parameters": {"decay": [0.3, 0.8]},
    "folds": 2,
    "search": "subset",
    "sample_sizes": [40],
    "factor": 2,
}


@pytest.fixture(scope="module")
def found():
    return gm.tune(FOREST, LABELS, **HALVING)


def test_agreement_is_that_of_scipy():
    small, exact = [0.5, 0.7, 0.7, 0.4, 0.9], [0.6, 0.8, 0.75, 0.61, 0.79]
    one = agreement(50, small, exact)
    assert one.kendall == stats.kendalltau(small, exact).statistic
    assert one.spearman == stats.spearmanr(small, exact).statistic
    assert one.regret == pytest.approx(0.01)
    assert (one.sample_size, one.settings) == (50, 5)
    assert np.isnan(agreement(50, [0.5, 0.5], [0.1, 0.2]).kendall)
    assert np.isnan(agreement(50, [0.5], [0.1]).spearman)


def test_a_search_tells_how_samples_agree(found):
    exact = {trial.setting: trial.score for trial in found.trials if trial.exact}
    small = {trial.setting: trial.score for trial in found.trials if not trial.exact}
    (one,) = found.agreement
    assert one == agreement(40, [small[setting] for setting in exact], list(exact.values()))


def test_the_table_marks_the_best_and_says_what_was_tried(found):
    text = str(found)
    assert text.startswith("12 settings by f1, search 'subset'")
    assert [line.split()[1:4] for line in text.splitlines() if line.startswith("*")] == [
        [found.best.name, f"decay={found.best.parameters['decay']:g}", f"{found.best.C:g}"]
    ]
    assert "12 settings on 40 examples" in text
    assert "40 examples rank" in text


def test_it_goes_into_json(found):
    reported = json.loads(json.dumps(found.as_dict()))
    assert len(reported["trials"]) == len(found.trials)
    assert reported["best"]["C"] == found.best.C
    assert reported["best"]["decay"] == found.best.parameters["decay"]


def test_json_has_no_nan():
    found = gm.tune([[1, 0], [0, 1]] * 6, [0, 1] * 6, kernels="poly", C=[1, 10], folds=2, sample_sizes=[8], refit=False)
    assert np.isnan(found.agreement[0].kendall)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["agreement"][0]["kendall"] is None


def test_sample_sizes_mean_that_there_are_samples():
    found = gm.tune(FOREST, LABELS, **HALVING | {"search": "auto"})
    assert (found.search, found.rounds) == ("subset", [40, 150])


def test_a_long_table_is_written_in_no_time(found):
    first, *_ = found.trials
    many = [replace(first, setting=replace(first.setting, C=C), round=1) for C in range(1, 6001)]
    begin = time.perf_counter()
    text = str(replace(found, trials=many))
    assert time.perf_counter() - begin < 2  # 8 s where every line looks for the best
    assert text.count("\n*") == 1


def test_it_can_be_drawn(found, tmp_path):
    pytest.importorskip("matplotlib")
    found.plot(tmp_path / "found.svg")
    drawn = (tmp_path / "found.svg").read_text()
    assert drawn.count('<g id="axes_') == 4
    assert "mathdefault" not in drawn  # numbers along axes, not what they are typeset from


@pytest.mark.parametrize("name", ["found.foo", "found"])
def test_an_ending_that_says_nothing_is_refused(found, tmp_path, name):
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"the ending must be one of .*\.pdf, .*\.svg"):
        found.plot(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_search_over_c_alone_can_be_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    gm.tune(X, Y, kernels="poly", C=[0.1, 1], folds=2, refit=False).plot(tmp_path / "found.svg")


def test_of_equals_that_with_the_fewest_support_examples_is_best(found):
    top = max(trial.score for trial in found.trials if trial.exact)
    fewest = min(trial.support for trial in found.trials if trial.exact and trial.score == top)
    assert (found.best_trial.score, found.best_trial.support) == (top, fewest)


def test_of_those_the_one_with_the_smallest_c_is_best(found):
    first, *_ = found.trials
    trials = [replace(first, setting=replace(first.setting, C=C), C=C) for C in (10, 1, 100)]
    one = replace(found, trials=trials, finished=1)
    assert one.best.C == 1
    assert [trial.setting.C for trial in one.furthest()] == [1, 10, 100]


def test_a_search_knows_its_best_at_any_time():
    seen = []

    def progress(*_):
        seen.append((search.best_trial, search.result(interrupted=True).best_trial))

    rest = {
        "held_out": None,
        "scoring": "f1",
        "class_weight": None,
        "multiclass": "ovo",
        "fit_intercept": True,
        "tol": 1e-3,
    }
    rest |= {"binarize": 0.0, "max_bytes": None, "n_jobs": None, "random_state": 0}
    search = make_search(FOREST, LABELS, **HALVING, **rest)
    search.run(progress)
    assert len(seen) > 4
    assert all(one is other for one, other in seen)


def test_progress_counts_settings():
    seen = []
    gm.tune(FOREST, LABELS, **HALVING, refit=False, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1][0] == seen[-1][1]
    assert seen[0][1] == 12 + 6


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scoring": "auc"}, "scoring must be 'f1', 'accuracy', a name .* got 'auc'; did you mean 'roc_auc'"),
        ({"scoring": 3}, "or a callable .* got 3"),
        ({"search": "random"}, "search must be one of"),
        ({"multiclass": "ovx"}, "multiclass must be one of"),
        ({"factor": 0.5}, "factor must be a number from 1 on"),
        ({"random_state": -1}, "random_state must be"),
        ({"tol": 0}, "tol must be"),
        ({"folds": 1}, "folds must be 2 or more"),
        ({"folds": 2.5}, "folds must be a whole number"),
        ({"folds": 100}, "fewer than folds=100; use fewer folds"),
        ({"sample_sizes": [151]}, "151 is more than the 150 examples"),
        ({"sample_sizes": [3]}, "do not hold every class in every fold"),
        ({"search": "exact"}, "of the other searches"),
        ({"search": "slicing"}, "for polynomial kernels, not for sst decay=0.3"),
        ({"kernels": ["sst", "poly"]}, "compare rows and trees; tune one kind at a time"),
        ({"held_out": FOREST}, r"held_out must be a pair \(X, y\)"),
        ({"held_out": (trees(5)[0], ["num"] * 4)}, "held_out: expected a label for each of 5 examples"),
        ({"held_out": (trees(2)[0], ["num", "new"])}, "held_out has the label 'new'"),
        ({"held_out": ([], [])}, "held_out: there are no examples"),
        ({"class_weight": {"new": 2}}, "class_weight names 'new'"),
        ({"class_weight": {"num": -1}}, "class weights must be above 0"),
        ({"class_weight": "even"}, "class_weight must be"),
        ({"class_weight": {"num": "a"}}, "class weights must be numbers, got {'num': 'a'}"),
        ({"max_bytes": 0}, "max_bytes must be"),
        ({"n_jobs": 0}, "n_jobs must be a whole number and not be 0"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number"),
        ({"kernels": None}, "kernels must be gristmill kernels or among .*, got None"),
        ({"kernels": len}, "kernels must be gristmill kernels or among .*, got <built-in"),
        ({"sample_sizes": "50"}, "sample_sizes must be a whole number from 1 on, got '50'"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        gm.tune(FOREST, LABELS, **HALVING | changes)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "X and y: expected a label for each of 150 examples, got None"),
        (LABELS[:9], "X and y: expected a label for each of 150 examples"),
        ([*LABELS[:-1], None], "the target is missing in 1 row, the first is row 149"),
        (["num"] * 150, "number of classes has to be greater than one"),
        (np.linspace(0, 1, 150), "labels must name classes"),
    ],
)
def test_labels_are_checked(y, said):
    with pytest.raises(ValueError, match=said):
        gm.tune(FOREST, y, **HALVING)


def test_values_other_than_0_and_1_are_for_exact_searches():
    with pytest.raises(ValueError, match="needs values of 0 and 1"):
        gm.tune(2.5 * X, Y, kernels="poly", search="slicing", binarize=False, folds=2)
    found = gm.tune(2.5 * X, Y, kernels="poly", C=[0.01], binarize=False, folds=2)
    clf = gm.KernelSVC(C=0.01, binarize=False).fit(2.5 * X, Y)
    np.testing.assert_array_equal(found.classifier.dual_coef_, clf.dual_coef_)


# --- interruption -----------------------------------------------------------------------------------------------------


def stopping(at):
    def progress(done, _):
        if done >= at:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_search_has_what_it_found(n_jobs):
    with pytest.raises(TuningInterrupted) as stop:
        gm.tune(FOREST, LABELS, **HALVING, progress=stopping(3), n_jobs=n_jobs)
    found = stop.value.result
    assert len(found.trials) == 3
    assert found.interrupted
    assert found.best_trial.score == max(trial.score for trial in found.trials)
    assert found.classifier is None
    assert "interrupted" in str(found)
    assert isinstance(stop.value, KeyboardInterrupt)
    assert str(pickle.loads(pickle.dumps(stop.value)).result) == str(found)


def test_a_rung_that_was_cut_short_chooses_nothing():
    with pytest.raises(TuningInterrupted) as stop:
        gm.tune(FOREST, LABELS, **HALVING, progress=stopping(13))
    assert stop.value.result.best_trial.round == 0
    assert len(stop.value.result.trials) > 12


def test_an_interrupted_last_training_leaves_the_choice(monkeypatch):
    def interrupted(self, *_):
        raise KeyboardInterrupt

    found = gm.tune(FOREST, LABELS, **HALVING)
    monkeypatch.setattr(gm.KernelSVC, "fit", interrupted)
    with pytest.raises(TuningInterrupted) as stop:
        gm.tune(FOREST, LABELS, **HALVING)
    assert stop.value.result.best == found.best
    assert stop.value.result.classifier is None


def test_a_last_training_that_fails_leaves_the_choice(monkeypatch):
    def failing(self, *_):
        raise MemoryError("too much")

    expected = gm.tune(FOREST, LABELS, **HALVING)
    monkeypatch.setattr(gm.KernelSVC, "fit", failing)
    with pytest.warns(RuntimeWarning, match=r"the search is done, but training .* failed.*: MemoryError: too much"):
        found = gm.tune(FOREST, LABELS, **HALVING)
    assert found.best == expected.best
    assert found.classifier is None
    assert not found.interrupted


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_long_search_at_once(n_jobs):
    table = (np.random.default_rng(0).random((3000, 300)) < 0.1).astype(float)
    y = np.random.default_rng(1).integers(2, size=3000)
    grid = {"kernels": "poly", "C": [1e3, 1e5], "parameters": {"degree": [1, 2]}, "search": "exact", "tol": 1e-9}
    before = threading.active_count()
    assert seconds_to_stop(lambda: gm.tune(table, y, **grid, n_jobs=n_jobs), after=1.0) < SOON
    for _ in range(50):  # and no job goes on
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before


def test_strings_are_not_read_in_two_ways():
    trees = [f"(S (A*{k} x) (B {word}))" for k in (1, 2) for word in "abcdef"]
    labels = [tree[6] for tree in trees]
    with pytest.raises(ValueError, match=r"some kernels look at marks.*from_strings"):
        gm.tune(trees, labels, kernels=["sst", "c-marked"], C=1.0, folds=2)
    forest = gm.Forest.from_strings(trees, marks=True)
    found = gm.tune(forest, labels, kernels=["sst", "c-marked"], C=1.0, folds=2)
    assert found.classifier.score(forest, labels) == gm.KernelSVC(found.best.kernel, C=1.0).fit(forest, labels).score(
        forest, labels
    )
