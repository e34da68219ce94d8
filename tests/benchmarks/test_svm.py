"""The benchmarks of batch SVMs: the baselines of the papers on small data, and that other answers end a comparison."""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import batch_svm, conll, measure, svm_baselines, svm_contest, svm_expansion, svm_runs, tree_svm
from benchmarks.classical import ENGINES, OneAnswer, SemiPolynomialSVC, SplitSVC, best_penalty, linear, pruned
from benchmarks.launch import launch
from benchmarks.svm_expansion import Expansion, Mined, differences, without
from benchmarks.svm_runs import LINEAR_SVC, SVC, Settings, Task, objective_of, support_of

QUESTIONS = """
ENTY (S (NP (D the) (N dog)) (VP (V barks)))
HUM (S (NP (D a) (N cat)) (VP (V sleeps) (A well)))
HUM (S (NP (N dogs)) (VP (V see) (NP (D the) (N cat))))
NUM (Q (W how) (A many) (N cats) (V sleep))
NUM (Q (W how) (A many) (N dogs) (V bark))
NUM (Q (W how) (A old) (V is) (NP (D the) (N dog)))
"""


def decisions(rows, seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.5, 1, -1)
    X = (rng.random((rows, 14)) < np.where(y[:, None] > 0, 0.6, 0.3)).astype(float)
    X[:, 0] = 1
    return sp.csr_matrix(X), y


def load(*_):
    return decisions(80, 1), decisions(50, 2)


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    return lambda name: json.loads((tmp_path / "data" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def in_process(monkeypatch):
    """Trainings without a process of their own, and without programs."""
    monkeypatch.setattr(svm_runs, "call", lambda command, _: svm_runs.main(Path(command[-1])))
    for module in (svm_contest, batch_svm):
        monkeypatch.setattr(module, "available", lambda side: side not in ("svm-train", "liblinear"))


def test_the_claims_can_be_run_by_name():
    assert {"batch_svm", "tree_svm", "svm_baselines"} <= set(benchmarks_main.CLAIMS)


# --- conjunctions spelled out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_an_expansion_is_the_kernel(degree):
    X, _ = decisions(20, 3)
    queries, _ = decisions(9, 4)
    expansion, phi = Expansion.learn(X, degree)
    wanted = (1 + (queries @ X.T).toarray()) ** degree
    np.testing.assert_allclose((expansion(queries) @ phi.T).toarray() + expansion.constant, wanted)
    assert (expansion(X) != phi).nnz == 0


def test_differences_are_weights_of_conjunctions():
    assert differences(2) == [1, 3, 2]
    assert differences(3) == [1, 7, 12, 6]


def test_mining_finds_what_is_frequent(monkeypatch):
    monkeypatch.setattr(svm_expansion, "BLOCK", 7)
    X, _ = decisions(30, 5)
    table = X.toarray() > 0
    mined = Mined.of(X, 3, 12)
    for size in (1, 2, 3):
        together = {
            sum(feature * 14**place for place, feature in enumerate(some)): int(table[:, some].all(axis=1).sum())
            for some in itertools.combinations(range(14), size)
        }
        wanted = {code: count for code, count in together.items() if count >= 12}
        assert dict(zip(mined.codes[size].tolist(), mined.counts[size].tolist(), strict=True)) == wanted
    spelled = mined.spell(X)
    assert spelled.shape == (30, mined.columns)
    np.testing.assert_array_equal(spelled.getnnz(axis=0), mined.frequencies)


def test_nothing_may_be_frequent():
    X, _ = decisions(5, 6)
    assert Mined.of(X, 2, 99).spell(X).shape == (5, 0)


def test_conjunctions_are_of_binary_rows_with_codes():
    with pytest.raises(ValueError, match="values 0 and 1"):
        Mined.of(sp.csr_matrix([[2.0, 1.0]]), 2, 1)
    with pytest.raises(ValueError, match="no 64-bit codes"):
        Mined.of(sp.csr_matrix(([1.0], ([0], [0])), shape=(1, 10**7)), 3, 1)


def test_left_out_columns_are_empty():
    X, _ = decisions(6, 7)
    kept = np.arange(14) % 2 == 0
    np.testing.assert_array_equal(without(X, kept).toarray(), X.toarray() * kept)


# --- the papers' baselines --------------------------------------------------------------------------------------------


def split_data():
    (X, y), (queries, _) = load()
    values = np.array(["a", "b", "c"])[np.arange(80) * 31 % 80 // 35]  # 35, 35 and 10 of them
    return X, y, values, queries, np.array(["a", "b", "c", "new", "a"] * 10)


def test_splitting_asks_the_machine_of_the_value():
    X, y, values, queries, asked = split_data()
    split = SplitSVC(lambda: gm.KernelSVC(degree=2, C=0.01), least=20).fit(X, y, values)
    assert sorted(split.machines) == ["a", "b"]
    assert len(split.learned) == 3
    answers = split.predict(queries, asked)
    for value, chosen in (("a", "a"), ("b", "b"), ("c", "c"), ("new", "c")):
        alone = gm.KernelSVC(degree=2, C=0.01).fit(X[values == chosen], y[values == chosen])
        np.testing.assert_array_equal(answers[asked == value], alone.predict(queries[asked == value]))


def test_a_value_of_one_class_has_one_answer():
    X, _, values, queries, asked = split_data()
    split = SplitSVC(lambda: gm.KernelSVC(degree=2), least=1).fit(X, np.where(values == "a", 1, -1), values)
    assert split.learned == []
    assert split.machines["a"] == OneAnswer(1)
    np.testing.assert_array_equal(split.predict(queries, asked), np.where(asked == "a", 1, -1))


def test_semi_polynomial_machines_learn_conjunctions():
    X = sp.csr_matrix(np.array(list(itertools.product([0, 1], repeat=3)) * 6, dtype=float))
    y = np.where(X.toarray()[:, 0] == X.toarray()[:, 1], 1, -1)
    model = SemiPolynomialSVC(2, 5, 10.0).fit(X, y)
    assert model.mined.columns == 6
    np.testing.assert_array_equal(model.predict(X), y)
    assert np.mean(linear(0.1).fit(X, y).predict(X) == y) < 0.8


def test_pruning_nothing_is_the_same_before_and_after():
    train, test = load()
    frequencies = train[0].getnnz(axis=0)
    found = pruned(lambda: gm.KernelSVC(degree=2, C=0.01), train, test, frequencies, [1, 40])
    assert found["before"][0] == found["after"][0]
    kept = frequencies >= 40
    whole = gm.KernelSVC(degree=2, C=0.01).fit(*train)
    assert found["after"][1] == np.mean(whole.predict(without(test[0], kept)) == test[1])
    less = gm.KernelSVC(degree=2, C=0.01).fit(without(train[0], kept), train[1])
    assert found["before"][1] == np.mean(less.predict(without(test[0], kept)) == test[1])


def test_the_best_penalty_is_judged_on_other_examples():
    X, y = decisions(50, 8)

    class Judged:
        def __init__(self, C):
            self.C = C

        def fit(self, X, y):
            assert X.shape[0] == len(y) == 40
            return self

        def predict(self, X):
            return y[40:] * (1 if self.C == 2.0 else -1)

    assert best_penalty(Judged, (X, y), [1.0, 2.0, 3.0]) == 2.0


@pytest.mark.parametrize("degree", [2, 3])
def test_every_engine_of_the_papers_can_be_asked(degree):
    (X, y), (queries, _) = load()
    machine = gm.KernelSVC(degree=degree, C=0.01).fit(X, y).machine_
    wanted = ENGINES["PKB"](machine).predict(queries)
    assert {"PKI", "kernel expansion", "PKE, 1", "splitSVM"} <= set(ENGINES)
    for name, compiled in ENGINES.items():
        answers = compiled(machine).predict(queries)
        assert np.array_equal(answers, wanted) or name.startswith("PKE"), name


def test_baselines_become_a_page(results, monkeypatch):
    parts = {"train": 80, "test": 50}
    monkeypatch.setattr(conll, "load", load)
    monkeypatch.setattr(svm_baselines, "features_of", lambda part: {"odd": np.arange(parts[part]) % 2})
    monkeypatch.setattr(svm_baselines, "ROUNDS", 1)
    monkeypatch.setattr(svm_baselines, "PENALTIES", (0.001, 0.01))
    svm_baselines.main(svm_baselines.Sizes(None, 60, 50, 20, {2: (2, 9), 3: (9, 20)}, (1, 5, 30)))
    found = results("svm_baselines")
    methods = {row[0] for row in found["rows"]}
    assert methods >= {"PKB", "PKI", "kernel expansion", "splitSVM", "semi-polynomial, 9", "linear"}
    splits, prunings = found["more"]
    assert [row[0] for row in splits["rows"]] == ["nothing", "odd"] * 2
    assert len(prunings["rows"]) == 8
    assert len(found["plots"]) == 4


# --- trainings in processes of their own ------------------------------------------------------------------------------


def test_programs_are_launched_with_their_own_memory(tmp_path):
    ballast = np.ones(40_000_000)
    done = launch([sys.executable, "-S", "-c", "print('done')"], tmp_path)
    assert done.text == "done\n"
    assert done.seconds > 0
    assert 1e6 < done.bytes < ballast.nbytes / 2


def test_programs_that_fail_say_why(tmp_path):
    with pytest.raises(RuntimeError, match="no such thing"):
        launch([sys.executable, "-c", "import sys; sys.exit('no such thing')"], tmp_path)


@pytest.fixture
def task(tmp_path):
    return Task.of(*load(), tmp_path / "task")


@pytest.mark.slow  # starts programs again and again
def test_a_side_trains_in_a_process(task):
    outcome = task.run("smo", Settings(2, 0.01))
    model = gm.KernelSVC(degree=2, C=0.01, solver="smo").fit(*load()[0])
    np.testing.assert_allclose(outcome.scores, model.decision_function(load()[1][0]), rtol=1e-9)
    assert outcome.report.objective == pytest.approx(objective_of(outcome.machine), rel=1e-9)
    assert outcome.report.seconds > 0


def test_all_sides_learn_the_same(task, in_process):
    tight = Settings(2, 0.01, tol=1e-8)
    smo, dual_cd, svc = (task.run(side, tight) for side in ("smo", "dual-cd", SVC))
    for outcome in (dual_cd, svc):
        svm_contest.check("", outcome, smo, 1e-6)
        assert support_of(outcome.machine) == support_of(smo.machine)


def test_liblinear_learns_the_kernel_from_its_expansion(task, in_process):
    priced = Settings(2, 0.01, tol=1e-6, constant=True)
    expanded, ours = (task.run(side, priced) for side in (LINEAR_SVC, "dual-cd"))
    np.testing.assert_allclose(expanded.scores, ours.scores, atol=1e-4)
    assert 0 < expanded.report.prepared < expanded.report.seconds
    assert expanded.report.expanded > 0


@pytest.mark.skipif(not svm_runs.available("svm-train"), reason="no svm-train on PATH")
def test_svm_train_takes_part(task, in_process):
    theirs, ours = task.run("svm-train", Settings(2, 0.01)), task.run("smo", Settings(2, 0.01))
    svm_contest.check("", ours, theirs, 2e-3)
    assert theirs.report.objective == pytest.approx(ours.report.objective, abs=1e-5)
    with pytest.raises(ValueError, match="no intercept with a price"):
        task.run("svm-train", Settings(2, 0.01, constant=True))


def test_other_answers_end_the_comparison(task, in_process):
    right, wrong = (task.run("smo", Settings(2, C)) for C in (0.01, 0.02))
    with pytest.raises(AssertionError, match="mine: -"):
        svm_contest.check("mine", wrong, right, 1.0)
    with pytest.raises(AssertionError, match="is not"):
        svm_contest.check("mine", replace(right, report=replace(right.report, objective=1.0)), right, 1.0)
    with pytest.raises(AssertionError, match="mine"):
        svm_contest.check("mine", replace(right, scores=right.scores + 1), right, 0.1)


def test_equal_support_rows_are_one():
    kernel, coef = gm.PolynomialKernel(2), [0.5, 0.25, -1.0]
    split = gm.Machine(kernel, [{0, 4}, {0, 4}, {2}], coef, 0.0, classes=[-1, 1])
    whole = gm.Machine(kernel, [{0, 4}, {2}], [0.75, -1.0], 0.0, classes=[-1, 1])
    assert support_of(split) == support_of(whole)
    assert objective_of(split) == pytest.approx(objective_of(whole))


def test_batch_svms_become_a_page(results, in_process, monkeypatch):
    monkeypatch.setattr(svm_contest, "load", load)
    monkeypatch.setattr(batch_svm, "load", load)
    sizes = [svm_contest.Case("BaseNP", n, degree, 0.01) for degree in (2, 3) for n in (40, 60)]
    batch_svm.main(batch_svm.Plan(tuple(sizes), (sizes[0],), ((60, 0.001),)))
    found = results("batch_svm")
    assert [row[4] for row in found["rows"]] == ["scikit-learn SVC", "smo", "dual-cd"] * 4
    assert found["more"][0]["title"] == "What was wanted"
    linear_rows = found["more"][2]["rows"]
    assert [row[2] for row in linear_rows] == ["dual-cd", "scikit-learn LinearSVC"]
    assert "svm-train was not there." in found["notes"]
    assert len(found["plots"]) == 2


def test_slow_sides_train_once():
    def outcome(seconds):
        return svm_runs.Outcome(svm_runs.Report(seconds, 0), None, np.zeros(1))

    found = svm_contest.in_rounds({"fast": lambda: outcome(1.0), "slow": lambda: outcome(99.0)}, 3)
    assert [len(runs) for runs in found.values()] == [3, 1]


# --- trees ------------------------------------------------------------------------------------------------------------

PEER = """#!{python}
# stands in for SVM-light-TK, a tree kernel program
import re, sys
import numpy as np
import gristmill as gm
from gristmill.machines.formats import read_machine, write
*options, data, model = sys.argv[1:] if "learn" in sys.argv[0] else sys.argv[1:3]
lines = [line.split("|") for line in open(data)]
trees, labels = gm.Forest.from_strings([line[2] for line in lines]), np.array([int(line[0]) for line in lines])
if "learn" in sys.argv[0]:
    kernel = gm.SubsetTreeKernel(0.4) if "1" in options[:4] else gm.PartialTreeKernel(0.4, 0.4, max_children=5)
    machine = gm.KernelSVC(gm.Normalized(kernel), C=1.0).fit(trees, labels).machine_
    write(machine, model, "svmlight-tk")
    print("Number of SV:", machine.n_support)
else:
    np.savetxt(sys.argv[3], read_machine(model).compile().decision_function(trees))
"""


@pytest.fixture
def tree_kernel_program(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in ("svm_learn", "svm_classify"):
        (folder / program).write_text(PEER.format(python=sys.executable), encoding="utf-8")
        (folder / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def questions(_):
    return [line.replace(" ", "\t", 1) for line in QUESTIONS.split("\n") if line]


@pytest.mark.slow  # starts programs again and again
@pytest.mark.parametrize("six", [False, True])
def test_tree_svms_are_timed_beside_svm_light_tk(six, tree_kernel_program, results, monkeypatch):
    monkeypatch.setattr(tree_svm, "lines_of", questions)
    monkeypatch.setattr(tree_svm, "ROUNDS", 1)
    tree_svm.main([tree_svm.Case("constituents", "PTK" if six else "SST", six=six)])
    found = results("tree_svm")
    lines = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    assert [line["program"] for line in lines] == ["gristmill", "gristmill", "svm_learn"]
    assert len({line["accuracy, %"] for line in lines}) == 1
    assert found["more"][0]["rows"][0][5] == "+0.00"


def test_trees_need_svm_light_tk(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(measure.Missing, match="svm_classify"):
        tree_svm.main()
