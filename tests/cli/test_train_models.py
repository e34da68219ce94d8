"""Machines that `gristmill train` learned, in the files of other programs: these score the same.

LIBSVM is called through its Python module, and svm-train and svm-predict where they are on PATH. The others are looked
for in the folders GRISTMILL_SVMLIGHT and GRISTMILL_SVMLIGHT_TK.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess

import numpy as np
import pytest
from libsvm import svmutil

import gristmill as gm
from gristmill.cli import run

pytestmark = pytest.mark.usefixtures("one_thread")

RNG = np.random.default_rng(80)
X = (RNG.random((160, 20)) < 0.3).astype(float)
TEST = (RNG.random((50, 20)) < 0.3).astype(float)
NOISE = RNG.random(160)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE / 2 > 0.6, 1, -1)
Y3 = np.where(X[:, 3] > NOISE, 30, np.where(X[:, 4] > NOISE, 10, 20))
LABELS = [Y2, Y3, np.where(X[:, 5] > NOISE, 40, Y3)]
KERNELS = ["-k linear -C 0.1", "-d 2 -C 0.01", "-d 3 -g 0.5 -r 0 -C 0.1", "-k rbf -C 3", "-k sigmoid -g 0.02 -r -0.5"]


def noun_phrase(rng):
    adjective = "(J big) " if rng.random() < 0.4 else ""
    return f"(NP (D {rng.choice(['a', 'the'])}) {adjective}(N {rng.choice(['dog', 'cat', 'cow'])}))"


def sentences(count, seed):
    rng = np.random.default_rng(seed)
    return [f"(S {noun_phrase(rng)} (VP (V {rng.choice(['runs', 'eats'])}) {noun_phrase(rng)}))" for _ in range(count)]


TREES, OTHERS = sentences(60, 1), sentences(40, 2)
SIGNS = np.array([1 if ("dog" in tree) != ("big" in tree) else -1 for tree in TREES])


def call(*arguments):
    assert run([str(argument) for argument in arguments]) == 0


def program(name, variable=None):
    folder = None if variable is None else os.environ.get(variable)
    found = None if variable is not None and folder is None else shutil.which(name, path=folder)
    if found is None:
        pytest.skip(f"no {name}: " + ("it is not on PATH" if variable is None else f"set {variable} to its folder"))
    return lambda *arguments: subprocess.run([found, *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(params=LABELS, ids=["two", "three", "four"])
def data(request, tmp_path):
    gm.write_svmlight(tmp_path / "train", X, request.param)
    gm.write_svmlight(tmp_path / "test", TEST, np.zeros(50))
    return tmp_path


@pytest.fixture
def binary(tmp_path):
    gm.write_svmlight(tmp_path / "train", X, Y2)
    gm.write_svmlight(tmp_path / "test", TEST, np.ones(50))
    return tmp_path


# --- LIBSVM -----------------------------------------------------------------------------------------------------------


def by_pair(classes, scores):
    """Scores that are above 0 for the smaller class, whatever the order of classes; two classes as a pair."""
    columns = np.asarray(scores).reshape(len(scores), -1).T
    pairs = itertools.combinations(classes, 2)
    return {
        tuple(sorted(pair)): column * np.sign(pair[1] - pair[0]) for pair, column in zip(pairs, columns, strict=True)
    }


def own_pairs(scorer):
    classes = scorer.machine.classes.tolist()
    return by_pair(classes[::-1] if len(classes) == 2 else classes, scorer.decision_function(TEST))


def assert_same_pairs(found, expected, within):
    assert found.keys() == expected.keys()
    for pair, scores in expected.items():
        np.testing.assert_allclose(found[pair], scores, atol=within)


@pytest.mark.parametrize("kernel", KERNELS)
def test_libsvm_scores_the_same(data, kernel):
    call("train", data / "train", data / "own", *kernel.split())
    call("train", data / "train", data / "model", *kernel.split(), "--format", "libsvm")
    own = gm.load(data / "own").compile()
    y, x = svmutil.svm_read_problem(str(data / "test"))
    model = svmutil.svm_load_model(str(data / "model"))
    labels, _, values = svmutil.svm_predict(y, x, model, "-q")
    assert labels == own.predict(TEST).tolist()
    assert_same_pairs(by_pair(model.get_labels(), values), own_pairs(own), 1e-9)


def test_svm_predict_reads_it(data):
    predict = program("svm-predict")
    call("train", data / "train", data / "model", "-d", "2", "-C", "0.01", "--format", "libsvm")
    predict(data / "test", data / "model", data / "out")
    assert np.loadtxt(data / "out").tolist() == gm.load(data / "model").compile().predict(TEST).tolist()


@pytest.mark.parametrize("words", [[], ["--kernel", "sst"]], ids=["rows", "trees"])
def test_gram_matrices(data, words):
    """svm-train -t 4, and gristmill in its place."""
    learn, predict = program("svm-train"), program("svm-predict")
    train, test = data / "train", data / "test"
    if words:
        gm.write_trees(train, TREES, SIGNS)
        gm.write_trees(test, OTHERS, np.ones(40))
    kernel = words or ["--kernel", "poly"]
    call("kernel", train, *kernel, "--format", "libsvm", "-o", data / "gram")
    call("kernel", test, "--against", train, *kernel, "--format", "libsvm", "-o", data / "test-gram")
    learn("-q", "-t", 4, "-c", 0.01 if not words else 1, data / "gram", data / "theirs")
    call("svm-train", "-q", "-t", 4, "-c", 0.01 if not words else 1, data / "gram", data / "ours")
    for model in ("theirs", "ours"):
        predict(data / "test-gram", data / model, data / f"{model}.out")
    assert (data / "ours.out").read_bytes() == (data / "theirs.out").read_bytes()


def test_a_gram_matrix_must_be_symmetric(tmp_path, capsys):
    (tmp_path / "d").write_text("1 0:1 1:2 2:0.5\n-1 0:2 1:0.25 2:2\n")
    assert run(["train", str(tmp_path / "d"), str(tmp_path / "m"), "-k", "precomputed", "--format", "libsvm"]) == 1
    assert "must be symmetric, but [0, 1] is 0.5 and [1, 0] is 0.25" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


# --- SVMlight and SVM-light-TK ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_svmlight_scores_the_same(binary, kernel):
    classify = program("svm_classify", "GRISTMILL_SVMLIGHT")
    call("train", binary / "train", binary / "model", *kernel.split(), "--format", "svmlight")
    classify("-v", 0, binary / "test", binary / "model", binary / "out")
    scores = gm.load(binary / "model").compile().decision_function(TEST)
    np.testing.assert_allclose(np.loadtxt(binary / "out"), scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        *itertools.product(KERNELS, ["svmlight", "svmlight-tk"]),
        *itertools.product(KERNELS[:3], ["tinysvm"]),
    ],
)
def test_files_of_one_output_hold_the_same_scores(binary, kernel, name):
    call("train", binary / "train", binary / "own", *kernel.split())
    call("train", binary / "train", binary / "model", *kernel.split(), "--format", name)
    own, other = (gm.load(binary / file).compile().decision_function(TEST) for file in ("own", "model"))
    np.testing.assert_allclose(other, own, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_svm_light_tk_scores_rows_the_same(binary, kernel, svm_classify_tk):
    call("train", binary / "train", binary / "model", *kernel.split(), "--format", "svmlight-tk")
    scores = gm.load(binary / "model").compile().decision_function(TEST)
    np.testing.assert_allclose(svm_classify_tk(binary / "test", binary / "model"), scores, rtol=1e-5, atol=1e-5)


STRUCTURED = [
    ("-F 0", "one"),
    ("-F 1 -L 0.3", "one"),
    ("-F 1 -N 0", "one"),
    ("-F 2", "one"),
    ("-F 3 -M 0.3", "one"),
    ("-F 1", "two"),
    ("-F 1 -C T", "both"),
    ("-F 1 -C V -S 1 -d 2 -N 0 -c 0.1", "both"),
    ("-F 3 -C + -S 1 -d 2 -r 1 -T 0.5 -N 3", "both"),
    ("-F 1 -C + -S 0 -T 2 -N 1", "both"),
]


@pytest.fixture
def structured(tmp_path):
    def fields(trees, others, vectors, kind):
        more = {"one": {}, "two": {"second": others}, "both": {"vectors": vectors}}[kind]
        return gm.Examples(first=trees, **more) if more else trees

    def write(kind):
        gm.write_svmlight_tk(tmp_path / "train", fields(TREES, TREES[::-1], X[:60], kind), SIGNS)
        gm.write_svmlight_tk(tmp_path / "test", fields(OTHERS, OTHERS[::-1], TEST[:40], kind), np.ones(40))
        return tmp_path

    return write


@pytest.mark.parametrize(("words", "kind"), STRUCTURED)
def test_svm_light_tk_scores_trees_the_same(structured, svm_classify_tk, words, kind):
    folder = structured(kind)
    call("svm-learn", "-t", "5", "-c", "1", *words.split(), folder / "train", folder / "model")
    queries, _ = gm.read_svmlight_tk(folder / "test")
    own = gm.load(folder / "model").compile().decision_function(queries)
    np.testing.assert_allclose(svm_classify_tk(folder / "test", folder / "model"), own, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("words", "kind"), STRUCTURED)
def test_svm_light_tk_learns_the_same(structured, words, kind):
    """The same options, the same machine."""
    learn, folder = program("svm_learn", "GRISTMILL_SVMLIGHT_TK"), structured(kind)
    spelled = f"-t 5 -c 1 -e 1e-5 -N 1 {words}"
    learn("-v", 0, *spelled.split(), folder / "train", folder / "theirs")
    call("svm-learn", *spelled.split(), folder / "train", folder / "ours")
    queries, _ = gm.read_svmlight_tk(folder / "test")
    theirs, ours = (gm.load(folder / name).compile().decision_function(queries) for name in ("theirs", "ours"))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("to", ["libsvm", "svmlight", "svmlight-tk", "gristmill"])
def test_every_command_takes_the_model(binary, to):
    call("train", binary / "train", binary / "model", "-d", "2", "-C", "0.01", "--format", to)
    for words in (["inspect", "model"], ["evaluate", "model", "train"], ["predict", "model", "test"]):
        call(words[0], *(binary / word for word in words[1:]))
    call("convert", binary / "model", binary / "copy")
    assert gm.load(binary / "copy").n_support == gm.load(binary / "model").n_support
