"""The benchmarks of cutting planes, on a handful of trees: all is trained, compared, judged and told."""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import replace

import numpy as np
import pytest

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import (
    approximations,
    boundaries,
    boundary_costs,
    boundary_decay,
    boundary_kernels,
    boundary_samples,
    cutting_planes,
    measure,
    planes_baselines,
    planes_beside_smo,
)
from benchmarks.boundaries import EXACT, SMO, SST, Judge, Learned, Task, importance, train, uniform
from benchmarks.boundary_kernels import Set

SUBJECTS = ["(NP (N dogs))", "(NP (D the) (N dog))", "(NP (N cats))", "(NP (D a) (A old) (N cat))"]
THINGS = [
    "(NP (N trees))",
    "(NP (A red) (N trees))",
    "(PP (P in) (NP (N trees)))",
    "(ADV here)",
    "(NP (D the) (N dog))",
]
TREES = gm.Forest.from_strings(
    [f"(S {subject} (VP (V saw) {thing}))" for subject, thing in itertools.product(SUBJECTS, THINGS)] * 10
)
LABELS = np.where((np.arange(200) // 5 % 4 < 2) ^ (np.arange(200) % 37 == 0), 1, -1).astype(np.int8)


def some(_, n=None, form="path"):
    return TREES[:n], LABELS[:n]


def tiny(n=200, form="path"):
    return Task(*some("", n), {"23": some("", 50), "24": some("", 30)})


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(boundaries, "apart", lambda call: call())
    monkeypatch.setattr(planes_baselines, "apart", lambda call: call())
    monkeypatch.setattr(boundaries, "boundary_examples", some)
    for cached in (boundaries.boundaries, boundaries._tests):
        cached.cache_clear()
    yield lambda name: json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    for cached in (boundaries.boundaries, boundaries._tests):
        cached.cache_clear()


def test_the_claims_can_be_run_by_name():
    sweeps = {"boundary_samples", "boundary_costs", "boundary_kernels", "boundary_decay"}
    planes = {"cutting_planes", "planes_beside_smo", "planes_baselines"}
    assert planes | sweeps <= set(benchmarks_main.CLAIMS)


# --- machines ---------------------------------------------------------------------------------------------------------


def objective_of(clf, C):
    scores = clf.decision_function(TREES)
    norm = clf.dual_coef_[0] @ (scores[clf.support_] - clf.intercept_[0])
    return norm / 2 + C * np.maximum(1 - LABELS * scores, 0).sum()


@pytest.mark.parametrize("C", [0.1, 2.0])
def test_the_judge_knows_the_objective(results, C):
    learned = train(tiny(), EXACT, C)
    clf = gm.KernelSVC(SST, C=C, solver="cutting-plane").fit(TREES, LABELS)
    judge = Judge(TREES, LABELS)
    assert judge.mean_objective(learned, C) == pytest.approx(objective_of(clf, C) / (200 * C))
    assert judge.mean_objective(learned, C) == pytest.approx(-learned.dual / (200 * C), abs=1.1e-3)
    assert judge.beyond(learned, learned, C) == "+0.00"


def test_f1_is_that_of_scikit_learn(results):
    from sklearn.metrics import f1_score

    learned = train(tiny(), uniform(20))
    clf = gm.KernelSVC(SST, **uniform(20).options).fit(TREES, LABELS)
    assert learned.f1[0] == pytest.approx(100 * f1_score(LABELS[:50], clf.predict(TREES[:50])))
    assert boundaries.f1(np.array([-1, -1]), np.array([-1, -1])) == 0


def test_equal_support_trees_are_one():
    support, weights = boundaries.different(TREES, np.array([0, 1, 20, 21, 41]), np.array([1.0, 2.0, 0.5, -2.0, 0.0]))
    assert (support.tolist(), weights.tolist()) == ([0], [1.5])


def test_sides_say_what_they_are():
    assert uniform(1000).name == "uniform, r = 1,000"
    assert importance(50).options["sampling"] == "importance"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of threads in a process that is copied
def test_a_process_of_its_own_gives_what_it_found_or_says_why_not():
    assert boundaries.apart(os.getpid) != os.getpid()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        boundaries.apart(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="ended with 3"):
        boundaries.apart(lambda: os._exit(3))


# --- shortcuts --------------------------------------------------------------------------------------------------------


def judged(found, C=1.0):
    learned = Learned(0.0, 0, True, found.support, found.weights, found.intercept, 0.0, 0, ())
    return Judge(TREES, LABELS).mean_objective(learned, C)


@pytest.mark.parametrize(
    "shortcut",
    [
        lambda: approximations.nystrom(TREES, LABELS, SST, 1.0, 20),
        lambda: approximations.pegasos(TREES, LABELS, SST, 1.0, 40),
        lambda: approximations.pegasos_batches(TREES, LABELS, SST, 1.0, 200, 400),
    ],
)
def test_shortcuts_come_near_the_minimum(shortcut):
    clf = gm.KernelSVC(SST, C=1.0, solver="smo", tol=1e-6).fit(TREES, LABELS)
    least = -clf.objective_[0] / 200
    assert least - 1e-9 <= judged(shortcut()) <= 1.1 * least


def test_no_other_intercept_is_better():
    random = np.random.default_rng(1)
    values, y = random.normal(size=50), np.where(random.random(50) < 0.2, 1, -1).astype(np.int8)
    found = approximations.best_intercept(values, y)
    losses = [np.maximum(1 - y * (values + found + by), 0).sum() for by in np.linspace(-2, 2, 41)]
    assert min(losses) == pytest.approx(losses[20])


# --- pages ------------------------------------------------------------------------------------------------------------


def test_large_tasks(results):
    cutting_planes.main(cutting_planes.Sizes(150, 50, 20, 200, (50, 150), 50))
    page = results("cutting_planes")
    assert [row[0] for row in page["rows"]] == [
        *("exact", "uniform, r = 20", "importance, r = 20", "smo", "exact, C = 0.1", "exact")
    ]
    assert [row[1] for row in page["rows"]] == ["150", "150", "150", "50", "150", "200"]
    series = page["plots"][0]["series"]
    assert [x for x, _ in series["exact"]] == [50, 150, 200]
    assert [x for x, _ in series["smo"]] == [50]


def test_planes_beside_smo(results):
    planes_beside_smo.main((50, 100))
    page = results("planes_beside_smo")
    assert [row[:3] for row in page["rows"]] == [
        [n, C, side] for C in ("1", "0.1") for n in ("50", "100") for side in ("exact", "exact, tol = 1e-4", "smo")
    ]
    assert list(page["plots"][0]["series"]) == ["exact", "exact, tol = 1e-4", "smo"]


def test_other_objectives_end_a_comparison(results):
    task = tiny()
    found = {"exact": train(task, EXACT), "smo": train(task, SMO)}
    assert planes_beside_smo.above_smo(task, found, EXACT, 1.0) < 1.1e-3
    wrong = replace(found["exact"], weights=2 * found["exact"].weights)
    with pytest.raises(AssertionError):
        planes_beside_smo.above_smo(task, found | {"exact": wrong}, EXACT, 1.0)


def test_samples(results):
    boundary_samples.main(150, (10, 20), 100)
    page = results("boundary_samples")
    assert len(page["rows"]) == 5
    beside_smo = page["more"][0]["rows"]
    assert [row[0] for row in beside_smo] == ["smo", "exact", "uniform, r = 10", "uniform, r = 20"]
    assert beside_smo[0][2] == "**1.0**"
    assert [plot["name"] for plot in page["plots"]] == ["f1", "time", "support"]
    assert len(page["plots"][0]["series"]) == 4


def test_costs(results, monkeypatch):
    monkeypatch.setattr(boundary_costs, "questions", lambda *_: replace(tiny(), tests={"test": some("", 60)}))
    boundary_costs.main(150, (0.1, 1.0, 10.0), 20)
    page = results("boundary_costs")
    assert len(page["rows"]) == 3 * 4
    assert len(page["more"][0]["rows"]) == 3 * 3
    assert len(page["plots"]) == 4


def test_questions_of_one_class(corpora):
    task = boundaries.questions("NUM", 100)
    assert len(task) == len(task.X) == 100
    assert set(task.y.tolist()) == {1, -1}
    assert (task.tests["test"][1] > 0).sum() == 113


def test_kernels(results):
    boundary_kernels.main((Set(100), Set(150, corpus="EWT", kernels=("ST", "SST"))), (10, 20))
    page = results("boundary_kernels")
    assert page["columns"][2:4] == ["F1, 23", "F1, 24"]
    assert page["more"][0]["columns"][2:4] == ["F1, test", "F1, dev"]
    assert [len(table["rows"]) for table in (page, *page["more"])] == [15, 6]
    assert len(page["plots"]) == 2


def test_decays(results):
    boundary_decay.main(150, (0.2, 0.6), (10, 20))
    page = results("boundary_decay")
    assert [row[0] for row in page["rows"]] == ["exact", "uniform, r = 10", "uniform, r = 20"] * 3
    assert [row[1] for row in page["rows"][::3]] == ["F1, 23", "F1, 24", "CPU s"]


def test_baselines(results):
    planes_baselines.main(planes_baselines.Sizes((100, 200), (10,), (1,), 20, (10, 20)))
    page = results("planes_baselines")
    names = ["exact", "smo", "Nystrom, m = 10", "Pegasos, 1 x n", "Pegasos, 10 batches", "Pegasos, 20 batches"]
    assert [row[1] for row in page["rows"]] == 2 * names
    assert list(page["plots"][0]["series"]) == ["exact", "smo", "Nystrom", "Pegasos", "Pegasos (batches)"]
