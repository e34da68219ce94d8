"""A marked kernel on trees without marks says so, once; commands with a marked kernel read marks by themselves."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import gristmill as gm
from gristmill.base.warnings import UnmarkedTreesWarning
from gristmill.cli import run

MARKED = ["(S (NP*1 dogs) (VP bark))", "(S (NP cats) (VP*1 purr))", "(S (NP*1 birds) (VP bark))", "(S (NP*1 a) b)"]
LABELS = [1, -1, 1, -1]
PLAIN = gm.Forest.from_strings(MARKED)  # '*' is an ordinary character
FOREST = gm.Forest.from_strings(MARKED, marks=True)

LO = gm.OrderedTreeKernel(marked=True)
KERNELS = {
    "lo": LO,
    "c": gm.ProductionTreeKernel(marked=True),
    "normalised": gm.Normalized(LO),
    "scaled": 0.5 * gm.Normalized(LO),
    "sum": LO + gm.SubsetTreeKernel(),
}
FIELDS = {
    "field": LO.on("trees"),
    "normalised field": gm.Normalized(LO.on("trees")),
    "sum of fields": LO.on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors"),
}


def examples(trees):
    return gm.Examples(trees=trees, vectors=np.eye(len(trees)))


def warned(action):
    """What was said about marks while something was done."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        action()
    return [str(one.message) for one in seen if issubclass(one.category, UnmarkedTreesWarning)]


CASES = [(kernel, PLAIN, FOREST) for kernel in KERNELS.values()]
CASES += [(kernel, examples(PLAIN), examples(FOREST)) for kernel in FIELDS.values()]
NAMES = [*KERNELS, *FIELDS]


@pytest.mark.parametrize(("kernel", "plain", "marked"), CASES, ids=NAMES)
def test_everything_that_takes_trees_without_marks_warns_once(kernel, plain, marked):
    machine = gm.Machine(kernel, marked, [1.0, -1.0, 1.0, -1.0], 0.0, classes=[-1, 1])
    scorer = machine.compile()
    actions = {
        "gram": kernel,
        "diag": kernel.diag,
        "direct": kernel.direct,
        "rows": lambda trees: kernel.rows(trees)[0],
        "against": lambda trees: kernel(trees, marked),
        "operator": lambda trees: kernel.operator(trees) @ np.ones(4),
        "machine": lambda trees: gm.Machine(kernel, trees, np.ones(4), 0.0).compile(),
        "scores": scorer.decision_function,
        "labels": scorer.predict,
        "fit": lambda trees: gm.KernelSVC(kernel, C=10).fit(trees, LABELS),
        "planes": lambda trees: gm.KernelSVC(kernel, solver="cutting-plane").fit(trees, LABELS),
    }
    for name, action in actions.items():
        said = warned(lambda action=action: action(plain))
        assert len(said) == 1, name
        assert "marks=True" in said[0]
        assert "marks=True" in said[0]
        assert warned(lambda action=action: action(marked)) == [], name


def test_a_fitted_estimator_warns_of_each_call_with_unmarked_trees():
    svm = gm.KernelSVC("lo-marked").fit(FOREST, LABELS)
    for _ in range(2):
        assert len(warned(lambda: svm.predict(PLAIN))) == 1
        assert len(warned(lambda: svm.decision_function(PLAIN[:2]))) == 1
    assert warned(lambda: svm.predict(FOREST)) == []
    assert warned(lambda: svm.predict(FOREST[:0])) == []


def test_strings_given_to_a_marked_kernel_are_read_with_marks():
    assert warned(lambda: gm.KernelSVC("c-marked").fit(MARKED, LABELS).predict(MARKED)) == []
    assert np.array_equal(LO(MARKED), LO(FOREST))
    assert np.array_equal(LO.on("trees")(gm.Examples(trees=MARKED)), LO(FOREST))
    assert len(warned(lambda: LO(["(S a)"]))) == 1


def test_search_and_conversion_warn_once():
    many, labels = PLAIN[[0, 1, 2, 3] * 3], LABELS * 3
    search = {"kernels": ["lo-marked", "c-marked"], "C": [1.0, 10.0], "folds": 2}
    assert len(warned(lambda: gm.tune(many, labels, **search))) == 1
    assert len(warned(lambda: gm.ConvertedForest(PLAIN, "lo-marked"))) == 1
    assert len(warned(lambda: gm.KernelSVC("lo-marked", convert=True).fit(PLAIN, LABELS))) == 1


def test_trees_that_were_checked_are_checked_again_once_they_have_grown():
    taken = LO.examples(FOREST)
    taken.extend(["(S x)"])
    assert taken.has_marks
    assert len(warned(lambda: LO(taken[4:]))) == 1
    assert not warned(lambda: LO(pickle.loads(pickle.dumps(LO.examples(FOREST)))))


def test_some_trees_without_marks_are_no_reason_to_warn():
    mixed = gm.Forest.from_strings([*["(S a)"] * 100, MARKED[0]], marks=True)
    assert mixed.has_marks
    assert warned(lambda: LO(mixed)) == []


# --- commands ---------------------------------------------------------------------------------------------------------

LINES = [f"{label}\t{tree}\n" for label, tree in zip(["a", "b", "a", "b"], MARKED, strict=True)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "marked").write_text("".join(LINES))
    (tmp_path / "plain").write_text("".join(LINES).replace("*1", ""))
    return tmp_path


@pytest.mark.parametrize("name", ["lo-marked", "c-marked"])
def test_commands_with_a_marked_kernel_read_marks_by_themselves(files, capsys, name):
    commands = [
        ["train", "marked", "model", "-k", name, "-C", "10"],
        ["kernel", "marked", "--kernel", name, "-o", "gram.npy", "--no-normalize"],
        ["predict", "model", "marked"],
        ["evaluate", "model", "marked"],
        ["explain", "model", "marked"],
        ["report", "model", "--data", "marked", "-o", "page.html"],
        ["tune", "marked", "-k", name, "-C", "1,10", "--folds", "2"],
        ["classify-trees", "train", "marked", "classifier", "--kernel", name],
        ["classify-trees", "run", "classifier", "marked"],
        ["inspect", "marked", "--conversion", name],
    ]
    for command in commands:
        assert run(command) == 0, (command, capsys.readouterr().err)
        assert "marked: it is 0" not in capsys.readouterr().err, command
    assert np.load("gram.npy")[0, 2] > 0
    assert gm.load("model").support.has_marks


def test_commands_warn_once_of_files_without_marks(files, capsys):
    assert run(["train", "marked", "model", "-k", "lo-marked", "-C", "10"]) == 0
    capsys.readouterr()
    for command in (
        ["train", "plain", "other", "-k", "lo-marked"],
        ["predict", "model", "plain"],
        ["evaluate", "model", "plain"],
        ["kernel", "plain", "--against", "plain", "--kernel", "lo-marked", "-o", "gram.npy"],
    ):
        assert run(command) == 0
        assert capsys.readouterr().err.count("is marked: it is 0 for all of them") == 1, command


def test_a_star_that_is_no_mark_stays_an_ordinary_character(files):
    (files / "stars").write_text("a\t(S (NP*1 5*x) *)\nb\t(S (NP*1 2*0) *1)\n")
    assert run(["train", "stars", "model", "-k", "lo-marked", "-q"]) == 0
    assert list(gm.load("model").support) == ["(S (NP*1 5*x) *)", "(S (NP*1 2*0) *1)"]
    assert gm.load("model").support.flat()[2].tolist().count(1) == 1
