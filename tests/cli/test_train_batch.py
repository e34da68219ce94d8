"""gristmill train: support vector machines from the shell."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.svm import SVC

import gristmill as gm
from gristmill.cli import run, train_batch
from gristmill.cli.kernel_options import KERNEL_NAMES
from gristmill.kernels.named import TREE_KERNELS
from gristmill.solvers.batch import train_svm
from tests.across.interrupting import interrupt

RNG = np.random.default_rng(8)
X = (RNG.random((150, 25)) < 0.3).astype(float)
NOISE = RNG.random(150)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE / 2 > 0.6, 1, -1)
Y3 = np.where(X[:, 3] > NOISE, 3, np.where(X[:, 4] > NOISE, 1, 2))
OPTIONS = ("-d", "2", "-C", "0.05")


def noun_phrase():
    adjective = "(J big) " if RNG.random() < 0.4 else ""
    return f"(NP (D {RNG.choice(['a', 'the'])}) {adjective}(N {RNG.choice(['dog', 'cat', 'cow'])}))"


def sentence():
    rest = f" {noun_phrase()}" if RNG.random() < 0.6 else ""
    return f"(S {noun_phrase()} (VP (V {RNG.choice(['runs', 'eats'])}){rest}))"


TREES = [sentence() for _ in range(60)]
OTHERS = [sentence() for _ in range(60)]
SIGNS = np.array([1 if ("dog" in tree) != ("big" in tree) else -1 for tree in TREES])
WORDS = np.where(SIGNS > 0, "yes", np.where(["cat" in tree for tree in TREES], "cat", "no"))
SST, PTK = gm.SubsetTreeKernel(), gm.PartialTreeKernel()
POLY, LINEAR = gm.PolynomialKernel(2), gm.PolynomialKernel(1, 1.0, 0.0)


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture(params=[Y2, Y3], ids=["two", "three"])
def data(request, tmp_path):
    gm.write_svmlight(tmp_path / "data.svm", X, request.param)
    return tmp_path / "data.svm", request.param


@pytest.fixture
def files(tmp_path):
    """Data of all kinds, and where the model goes."""
    vectors, two = X[:60], gm.Examples(one=TREES, two=OTHERS)
    gm.write_svmlight(tmp_path / "svm", X, Y2)
    gm.write_trees(tmp_path / "trees", TREES, WORDS)
    gm.write_trees(tmp_path / "unlabelled", TREES)
    gm.write_svmlight_tk(tmp_path / "tk", TREES, SIGNS)
    gm.write_svmlight_tk(tmp_path / "tk-both", gm.Examples(trees=TREES, vectors=vectors), SIGNS)
    gm.write_svmlight_tk(tmp_path / "tk-two", two, SIGNS)
    gm.write_svmlight_tk(tmp_path / "tk-vectors", gm.Examples(one=vectors, two=X[60:120]), SIGNS)
    lines = [f"{word} |BT:a| {tree} |ET| |BV:b| x:1.0 y:1.0 |EV|\n" for word, tree in zip(WORDS, TREES, strict=True)]
    (tmp_path / "klp").write_text("".join(lines))
    (tmp_path / "klp-several").write_text(f"also {lines[0]}{''.join(lines[1:])}")
    return tmp_path


@pytest.fixture
def seen(monkeypatch):
    """The calls of batch SVMs, which are recorded and not made."""
    calls = []

    def watched(X, numbers, classes, settings, **options):
        calls.append((X, numbers, classes, settings, options))
        return train_svm(X, numbers, classes, settings, **options)

    monkeypatch.setattr(train_batch, "train_svm", watched)
    return calls


# --- the same as LIBSVM -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tol", "within"), [(1e-3, 2e-3), (1e-8, 1e-6)])
@pytest.mark.parametrize("solver", ["auto", "smo"])
def test_scores_are_libsvm_s(data, tmp_path, tol, within, solver):
    path, y = data
    assert call("train", path, tmp_path / "m", *OPTIONS, "--tol", tol, "--solver", solver) == 0
    svc = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=0.05, tol=tol, decision_function_shape="ovo").fit(X, y)
    scorer = gm.load(tmp_path / "m").compile()
    np.testing.assert_allclose(scorer.decision_function(X), svc.decision_function(X), atol=within)
    assert np.array_equal(scorer.predict(X), svc.predict(X))


def test_weights_are_factors_of_c(tmp_path):
    gm.write_svmlight(tmp_path / "d", X, Y2)
    svc = SVC(kernel="linear", C=0.1, class_weight={1: 3.0, -1: 0.5}, tol=1e-8).fit(X, Y2)
    words = ["--class-weight", "1=3", "--class-weight=-1=.5"]
    assert call("train", tmp_path / "d", tmp_path / "m", "-k", "linear", "-C", ".1", "--tol", "1e-8", *words) == 0
    scores = gm.load(tmp_path / "m").compile().decision_function(X)
    np.testing.assert_allclose(scores, svc.decision_function(X), atol=1e-6)


def test_values_other_than_0_and_1(tmp_path, capsys):
    real = X * np.arange(1, 26) / 10
    gm.write_svmlight(tmp_path / "d", real, Y2)
    assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS) == 0
    assert capsys.readouterr().err.count("values other than 0 and 1") == 1
    gm.write_svmlight(tmp_path / "binary", X, Y2)
    assert call("train", tmp_path / "binary", tmp_path / "n", *OPTIONS) == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, "--binarize", "refuse") == 1
    assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, "--binarize", "keep", "--tol", "1e-8") == 0
    svc = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=0.05, tol=1e-8).fit(real, Y2)
    scores = gm.load(tmp_path / "m").compile(binarize=False).decision_function(real)
    np.testing.assert_allclose(scores, svc.decision_function(real), atol=1e-5)


# --- what options mean ------------------------------------------------------------------------------------------------


def test_defaults_are_those_of_the_classifier(files, seen):
    assert call("train", files / "svm", files / "m") == 0
    ((_, numbers, classes, settings, options),) = seen
    clf = gm.KernelSVC()
    names = "C solver tol max_iter fit_intercept intercept_scaling multiclass shrinking max_bytes".split()
    assert {name: getattr(settings, name) for name in names} == {name: getattr(clf, name) for name in names}
    assert settings.kernel == gm.PolynomialKernel(clf.degree)
    assert (clf.gamma, clf.coef0) == (None, None)
    assert (options["class_factors"], options["n_jobs"], options["first_id"]) == (None, -1, 1)
    assert np.array_equal(classes[numbers], Y2)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-C 2 --tol 0.1 --no-shrinking", {"C": 2.0, "tol": 0.1, "shrinking": False}),
        ("--max-bytes 2G", {"max_bytes": 2_000_000_000}),
        ("--max-bytes 2GiB", {"max_bytes": 2 << 30}),
        ("--no-intercept", {"fit_intercept": False}),
        (
            "--intercept-scaling 2 --multiclass ovr --solver smo",
            {"intercept_scaling": 2.0, "multiclass": "ovr", "solver": "smo"},
        ),
        ("-k linear", {"kernel": LINEAR}),
        ("-d 2 -g 0.5 -r 0", {"kernel": gm.PolynomialKernel(2, 0.5, 0.0)}),
        ("-k poly --degree 2 --gamma 0.5 --coef0 3", {"kernel": gm.PolynomialKernel(2, 0.5, 3.0)}),
        ("-g auto", {"kernel": gm.PolynomialKernel(2, 1 / 25, 1.0)}),
        ("-k rbf -g 0.5", {"kernel": gm.RBFKernel(0.5)}),
        ("-k rbf -g auto", {"kernel": gm.RBFKernel(1 / 25)}),
        ("-k sigmoid -g 0.1 -r -1", {"kernel": gm.SigmoidKernel(0.1, -1.0)}),
        ("-k sigmoid -g 0.1", {"kernel": gm.SigmoidKernel(0.1, 0.0)}),
        ("-k tanimoto", {"kernel": gm.TanimotoKernel()}),
        ("-k cosine", {"kernel": gm.CosineKernel()}),
        ("-k dice", {"kernel": gm.DiceKernel()}),
    ],
)
def test_options_of_rows(files, seen, words, expected):
    assert call("train", files / "svm", files / "m", *words.split()) == 0
    settings = seen[0][3]
    assert {name: getattr(settings, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "words", "squares"),
    [
        ("svm", "-k linear", X.sum(axis=1)),
        ("svm", "-r 3", (X.sum(axis=1) + 3) ** 2 - 9),
        ("trees", "", 1.0),
        ("tk-both", "--combine + --vectors linear --tree-weight 0.5", X[: len(TREES)].sum(axis=1) + 0.5),
    ],
)
def test_c_auto_is_svmlight_s(files, capsys, name, words, squares):
    assert call("train", files / name, files / "m", "-C", "auto", "--json", *words.split()) == 0
    assert json.loads(capsys.readouterr().out)["C"] == pytest.approx(1 / np.sqrt(squares).mean() ** 2)


TREE = [
    ("trees", "", gm.Normalized(SST)),
    ("trees", "-k sst --no-normalize -L 0.3", gm.SubsetTreeKernel(0.3)),
    ("trees", "--decay 0.3 --no-normalize", gm.SubsetTreeKernel(0.3)),
    ("trees", "-k ptk --mu 0.5 --max-children 3", gm.Normalized(gm.PartialTreeKernel(mu=0.5, max_children=3))),
    ("trees", "-k ptk --terminal-factor 0.5", gm.Normalized(gm.PartialTreeKernel(terminal_factor=0.5))),
    ("tk", "-k st", gm.Normalized(gm.SubtreeKernel())),
    ("tk", "-k sst-bow", gm.Normalized(gm.SubsetTreeKernel(leaves=True))),
    ("tk", "-k ptk --max-children 2", gm.Normalized(gm.PartialTreeKernel(max_children=2))),
    ("tk", "--tree tree", gm.Normalized(SST)),
    ("tk-both", "", gm.Normalized(SST).on("trees")),
    ("tk-both", "-k poly -d 2", gm.PolynomialKernel(2).on("vectors")),
    ("tk-both", "-k linear", LINEAR.on("vectors")),
    ("tk-both", "-k tanimoto", gm.TanimotoKernel().on("vectors")),
    ("tk-both", "--combine + --vectors rbf -g 0.5", gm.RBFKernel(0.5).on("vectors") + gm.Normalized(SST).on("trees")),
    ("tk-both", "--combine V --vectors linear --normalize-vectors", gm.Normalized(LINEAR).on("vectors")),
    ("tk-both", "--combine +", POLY.on("vectors") + gm.Normalized(SST).on("trees")),
    (
        "tk-both",
        "--combine + -d 2 --normalize-vectors --tree-weight 0.5 -k ptk",
        gm.Normalized(gm.PolynomialKernel(2)).on("vectors") + 0.5 * gm.Normalized(PTK).on("trees"),
    ),
    ("tk-both", "--combine + --vectors linear --no-normalize", LINEAR.on("vectors") + SST.on("trees")),
    ("tk-two", "", gm.Normalized(SST).on("tree1") + gm.Normalized(SST).on("tree2")),
    ("tk-two", "--tree tree2", gm.Normalized(SST).on("tree2")),
    ("tk-vectors", "", POLY.on("vector1") + POLY.on("vector2")),
    ("tk-vectors", "-k linear", LINEAR.on("vector1") + LINEAR.on("vector2")),
    ("klp", "", gm.Normalized(SST).on("a")),
    ("klp", "-k linear", LINEAR.on("b")),
]


@pytest.mark.parametrize(("name", "words", "kernel"), TREE)
def test_kernels_of_trees_and_vectors(files, seen, capsys, name, words, kernel):
    assert call("train", files / name, files / "m", *words.split()) == 0
    assert seen[0][3].kernel == kernel
    assert gm.load(files / "m").kernel == kernel
    capsys.readouterr()
    assert call("evaluate", files / "m", files / name, "--json") == 0
    assert json.loads(capsys.readouterr().out)["examples"] == 60
    assert call("predict", files / "m", files / name) == 0


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_every_kernel_trains(files, name):
    trees = name in TREE_KERNELS
    if name.endswith("-marked"):
        text = (files / "trees").read_text()
        (files / "trees").write_text(re.sub(r"(?<=\t)\((\w+)", r"(\1*1", text))
    assert call("train", files / ("trees" if trees else "svm"), files / "m", "-k", name) == 0
    machine = gm.load(files / "m")
    if trees:
        assert machine.classes.tolist() == ["cat", "no", "yes"]
        assert machine.kernel == gm.Normalized(TREE_KERNELS[name]())


def test_marks_are_read_where_they_count(tmp_path):
    lines = [f"{'+' if 'b' in tree else '-'}\t{tree}\n" for tree in ("(S (A*1 a) c)", "(S (B*1 b))", "(S (A*2 a))")]
    (tmp_path / "d").write_text("".join(lines))
    for words, marked in (("-k lo-marked", True), ("-k lo", False), ("-k lo --marks", True)):
        assert call("train", tmp_path / "d", tmp_path / "m", *words.split()) == 0
        assert gm.load(tmp_path / "m").support.has_marks is marked


def test_trees_learn_as_with_scikit_learn(files):
    assert call("train", files / "trees", files / "m", "--tol", "1e-8", "-C", "2") == 0
    forest, kernel = gm.Forest.from_strings(TREES), gm.Normalized(SST)
    svc = SVC(kernel="precomputed", C=2, tol=1e-8, decision_function_shape="ovo").fit(kernel(forest), WORDS)
    scores = gm.load(files / "m").compile().decision_function(OTHERS)
    np.testing.assert_allclose(scores, svc.decision_function(kernel(OTHERS, forest)), atol=1e-6)


# --- in and out -------------------------------------------------------------------------------------------------------


def test_labels_may_be_words(tmp_path, capsys):
    names = ["", "fig", "plum", "date"]
    gm.write_svmlight(tmp_path / "numbers", X, Y3)
    lines = (tmp_path / "numbers").read_text().splitlines()
    (tmp_path / "d").write_text("".join(f"{names[int(line[0])]}{line[1:]}\n" for line in lines))
    assert call("train", tmp_path / "d", tmp_path / "m", *OPTIONS, "--class-weight", "plum=2") == 0
    assert gm.load(tmp_path / "m").classes.tolist() == ["date", "fig", "plum"]
    capsys.readouterr()
    assert call("evaluate", tmp_path / "m", tmp_path / "d", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.7


def test_ids_are_counted_as_the_file_does(tmp_path):
    (tmp_path / "d").write_text("1 0:1 5:1\n-1 3:1\n")
    assert call("train", tmp_path / "d", tmp_path / "m") == 0
    machine = gm.load(tmp_path / "m")
    assert machine.first_id == 0
    assert sorted(machine.support.one(row).ids.tolist() for row in range(2)) == [[0, 5], [3]]
    assert call("train", tmp_path / "d", tmp_path / "m", "--one-based") == 1


def test_standard_input_to_standard_output(data, tmp_path, capsysbinary, monkeypatch):
    path, _ = data
    assert call("train", path, tmp_path / "m", *OPTIONS) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(path.read_bytes()))))
    capsysbinary.readouterr()
    assert call("train", "-", "-", *OPTIONS, "-q") == 0
    found = capsysbinary.readouterr()
    assert (found.out, found.err) == ((tmp_path / "m").read_bytes(), b"")


def test_threads_change_nothing(data, tmp_path):
    path, _ = data
    for jobs in (1, 3):
        assert call("train", path, tmp_path / f"{jobs}", *OPTIONS, "-j", jobs) == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


def test_json_says_what_was_done(data, tmp_path, capsys):
    path, y = data
    assert call("train", path, tmp_path / "m", *OPTIONS, "--json") == 0
    found = capsys.readouterr()
    summary, machine = json.loads(found.out), gm.load(tmp_path / "m")
    assert summary["examples"] == 150
    assert summary["classes"] == np.unique(y).tolist()
    assert sum(summary["n_support"]) == summary["support"] == machine.n_support
    assert summary["converged"]
    assert not summary["interrupted"]
    assert all(0 <= value <= 1e-3 for value in summary["violation"])
    assert len(summary["iterations"]) == len(summary["objective"]) == machine.n_outputs
    assert set(summary["seconds"]) == {"reading", "rows", "solving", "writing"}
    assert f"150 examples of {len(machine.classes)} classes, {summary['solver']} with" in found.err


def test_iterations_may_be_too_few(data, tmp_path, capsys):
    path, _ = data
    assert call("train", path, tmp_path / "m", *OPTIONS, "--solver", "smo", "--max-iter", "1", "--json") == 0
    found = capsys.readouterr()
    assert not json.loads(found.out)["converged"]
    assert "gristmill: warning: " in found.err
    assert gm.load(tmp_path / "m").n_support >= 2


def test_help_is_short_and_help_all_has_all_sections(capsys):
    titles = ["Options:", "Batch SVMs (without --online):", "Kernels of batch SVMs:"]
    titles += ["Tables (with --target):", "Online learning (with --online):"]
    assert call("train", "--help-all") == 0
    whole = capsys.readouterr().out
    assert sorted(titles, key=whole.index) == titles
    for word in ("-h", "--help"):
        assert call("train", word) == 0
        short = capsys.readouterr().out
        assert len(short.splitlines()) < len(whole.splitlines()) / 2
        assert "--early-termination" in whole
        assert "--early-termination" not in short
        assert "--help-all" in short


# --- interrupted ------------------------------------------------------------------------------------------------------


def test_ctrl_c_saves_the_best_machine_so_far(tmp_path):
    rng = np.random.default_rng(0)
    table = (rng.random((4000, 300)) < 0.1).astype(float)
    gm.write_svmlight(tmp_path / "d", table, rng.integers(2, size=4000))
    words = ["-k", "linear", "-C", "1e9", "--tol", "1e-12", "--solver", "smo", "-j", "2"]
    said = interrupt("train", tmp_path / "d", tmp_path / "m", *words)
    assert f"interrupted; the best machine so far is in {tmp_path / 'm'}" in said
    assert gm.load(tmp_path / "m").n_support > 0


def test_ctrl_c_while_trees_are_compared_leaves_nothing(tmp_path):
    wide = " ".join(f"(N{i % 3} {' '.join('ab'[(i * j) % 2] for j in range(60))})" for i in range(60))
    (tmp_path / "d").write_text("".join(f"{i % 2}\t(S {i} {wide})\n" for i in range(4000)))
    assert interrupt("train", tmp_path / "d", tmp_path / "m", "-k", "ptk").endswith("error: interrupted\n")
    assert not (tmp_path / "m").exists()


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("svm", "--epochs 3 --stream", "--epochs, --stream: for online learning, with --online only"),
        ("svm", "--classes 1,2", "--classes: for online learning"),
        ("svm", "-t 1", "No such option '-t'"),
        ("svm", "-c 1", "No such option '-c'"),
        ("svm", "--class-weight 1=-2", "LABEL=FACTOR"),
        ("svm", "-k sst", "there are no trees in it"),
        ("svm", "-k linear -d 2", "--degree does not go with --kernel linear"),
        ("svm", "-k rbf -r 1", "--coef0 does not go with --kernel rbf"),
        ("svm", "-k tanimoto -g 1", "--gamma does not go with --kernel tanimoto"),
        ("svm", "-k rbf -g wide", "'wide' is neither a number, 'scale' nor 'auto'"),
        ("svm", "-k rbf --online", "--kernel: for batch SVMs"),
        ("svm", "--mu 1", "--mu does not go with --kernel poly"),
        ("svm", "--no-normalize --tree x", "--no-normalize, --tree: for kernels of trees only"),
        ("svm", "--max-bytes much", "not a number of bytes"),
        ("svm", "--no-intercept --intercept-scaling 1", "--no-intercept that there is none"),
        ("svm", "--tol 0", "0 is not in the range"),
        ("svm", "-k precomputed", "say --format libsvm"),
        ("tk", "-k poly", "there are no vectors in it"),
        ("tk", "--combine +", "there are no vectors in it"),
        ("tk", "-d 2", "--degree does not go with --kernel sst"),
        ("tk", "--binarize 0", "--binarize is for"),
        ("tk", "--one-based", "--zero-based is for"),
        ("tk", "--tree other", "are tree"),
        ("tk-two", "--tree other", "are tree1, tree2"),
        ("tk-both", "--tree-weight 2", "--tree-weight: for --combine + only"),
        ("tk-both", "--vectors linear", "--vectors: for --combine V or + only"),
        ("tk-both", "--combine + -k poly", "--combine + needs a kernel of trees"),
        ("tk-both", "--combine V --decay 1", "--decay: for kernels of trees"),
        ("tk-vectors", "-k sst", "there are no trees in it"),
        ("tk-vectors", "--combine T", "--combine T needs a kernel of trees"),
    ],
)
def test_wrong_usage(files, seen, capsys, name, words, message):
    assert call("train", files / name, files / "m", *words.split()) == 2
    assert message in capsys.readouterr().err
    assert not seen
    assert not (files / "m").exists()


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("svm", "--format svmlight-tk -k poly --class-weight 7=2", "'7' is not one of the classes -1, 1"),
        ("svm", "-C -1", "C must be a finite number above 0"),
        ("svm", "--format opal", "an opal model has no intercept"),
        ("svm", "-k sigmoid --solver cutting-plane", "solver='smo' of KernelSVC trains with it"),
        ("svm", "-k tanimoto --format libsvm", "write it as 'gristmill'"),
        ("svm", "--format yamcha", "feature"),
        ("trees", "--format svmlight-tk", "SVM-light-TK models hold one output"),
        ("trees", "--format libsvm", "a LIBSVM model holds polynomial, RBF and sigmoid kernels on rows"),
        ("tk", "-k ptk --format svmlight-tk", "max_children=5"),
        ("unlabelled", "", "the trees have no labels"),
        ("klp-several", "", "every example needs one label"),
        ("absent", "", "No such file"),
        ("empty", "", "there are no examples in it"),
        ("same", "", "all examples have the label 1; an SVM needs at least two classes"),
        ("damaged", "", "damaged:2:3: "),
        ("svm", "-k precomputed --format libsvm", "a Gram matrix has lines"),
    ],
)
def test_errors_come_before_the_work(files, seen, capsys, name, words, message):
    (files / "empty").write_text("")
    (files / "same").write_text("1 1:1\n1 2:1\n")
    (files / "damaged").write_text("1 1:1\n2 x:1\n")
    assert call("train", files / name, files / "m", *words.split()) == 1
    assert message in capsys.readouterr().err
    assert not seen
    assert not (files / "m").exists()


def test_a_wrong_place_is_known_before_the_work(tmp_path, capsys):
    out = tmp_path / "no" / "m"
    assert call("train", tmp_path / "never read", out) == 1
    assert capsys.readouterr().err == f"gristmill: error: {out}: No such file or directory\n"
    for words in ([], ["--online"]):
        assert call("train", tmp_path / "never read", tmp_path, *words) == 1
        assert capsys.readouterr().err == f"gristmill: error: {tmp_path}: Is a directory\n"
    assert call("train", tmp_path / "never read", "-", "--json") == 2
    assert "standard output has the model" in capsys.readouterr().err


def test_scikit_learn_stays_out(files):
    code = (
        "import sys; from gristmill.cli import run; "
        "assert [run(['train', data, 'm']) for data in ('svm', 'trees', 'tk-both')] == [0] * 3; "
        "assert not {'sklearn', 'matplotlib', 'rich', 'narwhals'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=files, check=True, capture_output=True)


def test_questions(corpora, tmp_path, capsys):
    assert call("train", corpora / "qc" / "train.tk.gz", tmp_path / "m", "-q") == 0
    assert call("evaluate", tmp_path / "m", corpora / "qc" / "test.tk.gz", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == pytest.approx(0.846, abs=0.005)


# --- probabilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["gristmill", "libsvm"])
def test_probabilities_are_the_classifier_s(data, tmp_path, capsys, form):
    path, y = data
    assert (
        call("train", path, tmp_path / "m", *OPTIONS, "--probability", "--format", form, "--class-weight", "1=2") == 0
    )
    capsys.readouterr()
    assert call("predict", tmp_path / "m", path, "--probabilities") == 0
    shares = np.loadtxt(io.StringIO(capsys.readouterr().out))
    clf = gm.KernelSVC(degree=2, C=0.05, probability=True, class_weight={1: 2.0}).fit(X, y)
    order = np.searchsorted(clf.classes_, gm.load(tmp_path / "m").classes)
    np.testing.assert_allclose(shares, clf.predict_proba(X)[:, order], atol=1e-5)


def test_probabilities_of_a_gram_matrix_are_in_its_model(files, capsys):
    gm.write_svmlight(files / "gram", np.column_stack([np.arange(1, 151), X @ X.T]), Y2, zero_based=True)
    words = ("-k", "precomputed", "--format", "libsvm", "--probability")
    assert call("train", files / "gram", files / "m", *words) == 0
    header = (files / "m").read_text()
    clf = gm.KernelSVC("precomputed", probability=True).fit(X @ X.T, Y2)
    found = float(re.search(r"^probA (\S+)", header, re.MULTILINE)[1])
    assert abs(found) == pytest.approx(abs(clf._learned.fit.probability.a[0]), rel=1e-4)


def test_a_format_without_probabilities_is_refused(files, capsys):
    assert call("train", files / "svm", files / "m", "--probability", "--format", "svmlight") == 2
    assert "gristmill or libsvm keeps probabilities, svmlight none" in " ".join(capsys.readouterr().err.split())
    assert call("train", files / "svm", files / "m", "--probability", "--online") == 2
    assert "--probability: for batch SVMs" in " ".join(capsys.readouterr().err.split())
