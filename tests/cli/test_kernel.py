"""gristmill kernel: Gram matrices as files."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

import gristmill as gm
from gristmill.cli import run
from gristmill.kernels import gram
from gristmill.kernels.named import TREE_KERNELS
from tests.across.interrupting import interrupt

RNG = np.random.default_rng(3)


def drawn(depth=4):
    label = "abc"[RNG.integers(3)] + ("*1" if RNG.random() < 0.2 else "")
    if depth == 0 or RNG.random() < 0.2:
        return label
    return f"({' '.join([label, *(drawn(depth - 1) for _ in range(RNG.integers(1, 4)))])})"


TREES = [f"(S {drawn()} {drawn()})" for _ in range(43)]
OTHERS = [f"(S {drawn()})" for _ in range(17)]
WORDS = np.array(["fig", "date", "plum"])[RNG.integers(3, size=43)]


@pytest.fixture
def trees(tmp_path):
    gm.write_trees(tmp_path / "trees", TREES, WORDS)
    gm.write_trees(tmp_path / "others", OTHERS, np.array(["fig", "plum"])[np.arange(17) % 2])
    return tmp_path / "trees"


def call(*arguments):
    return run([str(argument) for argument in arguments])


def left_behind(folder):
    return sorted(path.name for path in folder.iterdir() if path.name not in ("trees", "others"))


# --- numpy ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREE_KERNELS)
@pytest.mark.parametrize("raw", [False, True])
def test_the_matrix_is_the_kernel_s(trees, name, raw):
    out = trees.parent / "k.npy"
    assert call("kernel", trees, "--kernel", name, "-o", out, *["--no-normalize"] * raw) == 0
    kernel = TREE_KERNELS[name]()
    forest = gm.Forest.from_strings(TREES, marks=kernel.marked)
    expected = (kernel if raw else gm.Normalized(kernel))(forest)
    assert np.array_equal(np.load(out), expected)
    assert left_behind(trees.parent) == ["k.npy"]


@pytest.mark.parametrize(
    "how", [("--block", 1), ("--block", 7), ("--block", 42), ("--max-bytes", 43 * 8 * 5), ("-j", 2)]
)
@pytest.mark.parametrize("name", ["sst", "ptk", "lo"])
@pytest.mark.parametrize("raw", [False, True])
def test_blocks_and_threads_change_nothing(trees, how, name, raw):
    out = trees.parent / "k.npy"
    left, right = map(gm.Forest.from_strings, (TREES, OTHERS))
    kernel = TREE_KERNELS[name]() if raw else gm.Normalized(TREE_KERNELS[name]())
    words = ["kernel", trees, "--kernel", name, "-o", out, *how, *["--no-normalize"] * raw]
    assert call(*words) == 0
    assert np.array_equal(np.load(out), kernel(left))
    assert call(*words, "--against", trees.parent / "others") == 0
    np.testing.assert_allclose(np.load(out), kernel(left, right), rtol=1e-13)


def test_settings_reach_the_kernel(trees):
    out = trees.parent / "k.npy"
    words = "--kernel uptk --decay 0.3 --mu 0.7 --weighting span --max-children 2 --no-normalize --marks"
    assert call("kernel", trees, *words.split(), "-o", out) == 0
    kernel = gm.PartialTreeKernel(decay=0.3, mu=0.7, weighting="span", max_children=2, single_nodes=False)
    assert np.array_equal(np.load(out), kernel(gm.Forest.from_strings(TREES, marks=True)))


def test_vectors(tmp_path):
    X = (RNG.random((30, 12)) < 0.4) * 1.0
    gm.write_svmlight(tmp_path / "a", X, np.ones(30))
    gm.write_svmlight(tmp_path / "b", X[:9, 3:], np.ones(9))
    words = "--kernel poly --degree 3 --gamma 0.5 --coef0 2 --block 4"
    kernel = gm.PolynomialKernel(3, 0.5, 2.0)
    assert call("kernel", tmp_path / "a", *words.split(), "-o", tmp_path / "k") == 0
    assert np.array_equal(np.load(tmp_path / "k"), kernel(X))
    assert call("kernel", tmp_path / "a", *words.split(), "-o", tmp_path / "k", "--against", tmp_path / "b") == 0
    assert np.array_equal(np.load(tmp_path / "k"), kernel(X, X[:9, 3:]))


def test_gamma_is_found_from_the_columns(tmp_path):
    X = (RNG.random((30, 12)) < 0.4) * 1.0
    X[:, 11] = 1
    for name, rows in (("a", X[:20]), ("b", X[20:])):
        gm.write_svmlight(tmp_path / name, rows, np.ones(len(rows)))
    for word, gamma in (("scale", 1 / (12 * X[20:].var())), ("auto", 1 / 12), ("0.5", 0.5)):
        words = f"--kernel rbf --gamma {word}".split()
        assert call("kernel", tmp_path / "a", *words, "-o", tmp_path / "k", "--against", tmp_path / "b") == 0
        np.testing.assert_allclose(np.load(tmp_path / "k"), gm.RBFKernel(gamma)(X[:20], X[20:]), rtol=1e-13)
    assert call("kernel", tmp_path / "a", "--kernel", "tanimoto", "-o", tmp_path / "k") == 0
    assert np.array_equal(np.load(tmp_path / "k"), gm.TanimotoKernel()(X[:20]))


def test_the_second_file_counts_features_as_the_first(tmp_path, capsys):
    (tmp_path / "a").write_text("1 0:1 2:1\n")
    (tmp_path / "b").write_text("1 2:1\n")
    words = ["--kernel", "poly", "-o", tmp_path / "k", "--no-normalize"]
    assert call("kernel", tmp_path / "a", *words[:-1], "--against", tmp_path / "b") == 0
    assert np.load(tmp_path / "k").tolist() == [[4.0]]
    assert call("kernel", tmp_path / "b", *words[:-1], "--against", tmp_path / "a") == 1
    assert f"{tmp_path / 'a'}:1:3" in capsys.readouterr().err


def test_a_file_that_is_there_is_replaced_and_keeps_its_mode(trees):
    out = trees.parent / "k.npy"
    out.write_bytes(b"old")
    out.chmod(0o600)
    assert call("kernel", trees, "--kernel", "st", "-o", out) == 0
    assert np.load(out).shape == (43, 43)
    assert out.stat().st_mode & 0o777 == 0o600


def test_one_of_several_trees(tmp_path, capsys):
    lines = [f"x |BT:one| {tree} |ET| |BT:two| (S(b)) |ET|\n" for tree in ("(S(a))", "(S(c))")]
    (tmp_path / "t").write_text("".join(lines))
    words = ["kernel", tmp_path / "t", "--kernel", "sst", "--no-normalize", "-o", tmp_path / "k"]
    assert call(*words, "--tree", "one") == 0
    assert np.load(tmp_path / "k").tolist() == [[0.4, 0.0], [0.0, 0.4]]
    assert call(*words) == 1
    assert "say which tree of an example with --tree: one, two" in capsys.readouterr().err


def test_help(capsys):
    assert call("kernel", "--help") == 0
    assert "gristmill kernel train.trees --kernel sst" in capsys.readouterr().out


# --- libsvm -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ["1M", str(43 * 8)])  # in memory, and on disk
def test_libsvm_trains_on_it(trees, capsys, one_thread, room):
    folder = trees.parent
    for file, out, more in (("trees", "train", ()), ("others", "test", ("--against", trees))):
        words = ["--kernel", "sst", "--format", "libsvm", "--max-bytes", room]
        assert call("kernel", folder / file, *words, "-o", folder / out, *more) == 0
    assert left_behind(folder) == ["test", "train"]
    assert "label 0 is date\ngristmill: label 1 is fig\ngristmill: label 2 is plum\n" in capsys.readouterr().err
    train, y = load_svmlight_file(str(folder / "train"), zero_based=True)
    test, z = load_svmlight_file(str(folder / "test"), zero_based=True)
    kernel, left, right = gm.Normalized(gm.SubsetTreeKernel()), *map(gm.Forest.from_strings, (TREES, OTHERS))
    assert train[:, 0].toarray().ravel().tolist() == list(range(1, 44))
    assert np.array_equal(train[:, 1:].toarray(), kernel(left))
    assert np.array_equal(test[:, 1:].toarray(), kernel(right, left))
    assert y.tolist() == np.unique(WORDS, return_inverse=True)[1].tolist()
    assert set(z) == {1.0, 2.0}
    clf = SVC(kernel="precomputed").fit(train[:, 1:].toarray(), y)
    assert clf.predict(test[:, 1:].toarray()).shape == (17,)


def test_all_values_are_written_zeros_too(tmp_path, capsys):
    (tmp_path / "t").write_text("-1\t(a x)\n2.50\t(b y)\n")
    assert call("kernel", tmp_path / "t", "--kernel", "sst", "--no-normalize", "--format", "libsvm", "-o", "-") == 0
    assert capsys.readouterr().out == "-1 0:1 1:0.4 2:0\n2.5 0:2 1:0 2:0.4\n"


def test_examples_without_labels_get_zero(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"(a x)")))
    assert call("kernel", "-", "--kernel", "sst", "--format", "libsvm", "-o", "-") == 0
    found = capsys.readouterr()
    assert found.out == "0 0:1 1:1\n"
    assert "no labels" in found.err


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["npy", "libsvm"])
def test_damaged_files_are_named_with_their_place(trees, capsys, kind):
    trees.write_text("x\t(S a)\ny\t(S (NP b)\n")
    assert call("kernel", trees, "--kernel", "sst", "-o", trees.parent / "k", "--format", kind) == 1
    assert f"error: {trees}:2:3: this bracket is never closed" in capsys.readouterr().err
    assert left_behind(trees.parent) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--kernel nonsense", "'nonsense' is not one of 'st', 'sst'"),
        ("", "Missing option '-k' / '--kernel'"),
        ("--kernel sst --mu 0.4", "--mu does not go with --kernel sst"),
        ("--kernel poly --decay 0.4", "--decay does not go with --kernel poly"),
        ("--kernel poly --no-normalize", "go with kernels of trees"),
        ("--kernel sst --block 0", "0 is not in the range"),
        ("--kernel sst -o -", "say --format libsvm"),
        ("--kernel sst --against -", "only one file can be standard input"),
    ],
)
def test_wrong_options(tmp_path, capsys, words, message):
    assert call("kernel", "-", "-o", tmp_path / "k", *words.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--kernel sst --decay -1", "decay must be a finite number above 0"),
        ("--kernel sst --max-bytes 100", "a row of 43 values takes 344 bytes; 100 are too few"),
        ("--kernel sst --tree grct", "say which tree of an example with --tree: tree"),
        ("--kernel poly", "trees: expected rows in svmlight format, got trees: "),
    ],
)
def test_wrong_values(trees, capsys, words, message):
    assert call("kernel", trees, "-o", trees.parent / "k", *words.split()) == 1
    assert message in capsys.readouterr().err
    assert left_behind(trees.parent) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no trees"),
        (
            "1 1:1\n",
            "got rows in svmlight format: gristmill train, tune, predict and evaluate take them, and kernel -k",
        ),
        ("(", "never closed"),
    ],
)
def test_files_without_trees(trees, capsys, content, message):
    trees.write_text(content)
    assert call("kernel", trees, "--kernel", "sst", "-o", trees.parent / "k") == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["npy", "libsvm"])
def test_a_wrong_place_is_known_before_the_work(tmp_path, capsys, kind):
    out = tmp_path / "no" / "k"
    assert call("kernel", tmp_path / "never read", "--kernel", "sst", "-o", out, "--format", kind) == 1
    assert capsys.readouterr().err == f"gristmill: error: {out}: No such file or directory\n"


@pytest.mark.parametrize("target", ["/dev/null", "."])
def test_only_files_are_replaced(trees, capsys, target):
    assert call("kernel", trees, "--kernel", "sst", "-o", target) == 1
    assert "not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["npy", "libsvm"])
def test_a_full_disk_is_an_error_and_not_the_end(trees, capsys, monkeypatch, kind):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    words = ["--kernel", "sst", "-o", trees.parent / "k", "--format", kind, "--max-bytes", "400"]
    assert call("kernel", trees, *words) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert left_behind(trees.parent) == []


def test_file_systems_that_cannot_reserve(tmp_path, monkeypatch):
    def unable(*_):
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", unable)
    with gram.scratch_matrix((3, 4), 0, tmp_path) as matrix:
        matrix[:] = 2.0
        assert matrix.sum() == 24.0


def test_an_error_on_the_way_keeps_the_old_file(trees, monkeypatch):
    out = trees.parent / "k.npy"
    out.write_bytes(b"old")

    def failing(*_, **__):
        raise MemoryError

    monkeypatch.setattr(gm.kernels.TreeRows, "lower", failing)
    assert call("kernel", trees, "--kernel", "sst", "-o", out) == 1
    assert out.read_bytes() == b"old"
    assert left_behind(trees.parent) == ["k.npy"]


@pytest.mark.parametrize("kind", ["npy", "libsvm"])
def test_interrupted_nothing_is_left(tmp_path, kind):
    wide = " ".join(f"(N{i % 3} {' '.join('ab'[(i * j) % 2] for j in range(60))})" for i in range(60))
    (tmp_path / "trees").write_text("".join(f"(S {i} {wide})\n" for i in range(4000)))
    words = ["--kernel", "ptk", "--block", "100", "--format", kind]
    assert interrupt("kernel", tmp_path / "trees", *words, "-o", tmp_path / "k").endswith("error: interrupted\n")
    assert left_behind(tmp_path) == []


def test_scikit_learn_stays_out(trees):
    code = "import sys; from gristmill.cli import run; run(sys.argv[1:]); assert 'sklearn' not in sys.modules"
    words = ["kernel", str(trees), "--kernel", "sst", "-o", str(trees.parent / "k")]
    subprocess.run([sys.executable, "-c", code, *words], check=True)


def test_questions(corpora, tmp_path):
    out = tmp_path / "k.npy"
    assert call("kernel", corpora / "qc" / "test.tk.gz", "--kernel", "sst", "-o", out, "--block", 123) == 0
    forest, _ = gm.read_trees(corpora / "qc" / "test.tk.gz")
    assert np.array_equal(np.load(out, mmap_mode="r"), gm.Normalized(gm.SubsetTreeKernel())(forest))
