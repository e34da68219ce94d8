"""gristmill svm-learn: the options and defaults of SVMlight and SVM-light-TK."""

from __future__ import annotations

import pytest

import gristmill as gm
from gristmill.cli import run, train_batch
from gristmill.solvers.batch import train_svm
from tests.cli.test_train_batch import LINEAR, SIGNS, TREES, Y2, X

SST = gm.SubsetTreeKernel()
POLY = gm.PolynomialKernel(3)


def call(*arguments):
    return run(["svm-learn", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    gm.write_svmlight(tmp_path / "rows", X, Y2)
    gm.write_svmlight_tk(tmp_path / "trees", TREES, SIGNS)
    gm.write_svmlight_tk(tmp_path / "both", gm.Examples(trees=TREES, vectors=X[:60]), SIGNS)
    return tmp_path


@pytest.fixture
def settings(monkeypatch):
    """The settings of each training."""
    found = []

    def noted(X, numbers, classes, settings, **options):
        found.append((settings, options))
        return train_svm(X, numbers, classes, settings, **options)

    monkeypatch.setattr(train_batch, "train_svm", noted)
    return found


@pytest.mark.parametrize(
    ("name", "words", "kernel"),
    [
        ("rows", "", LINEAR),
        ("rows", "-t 1", POLY),
        ("rows", "-t 1 -d 2 -s 0.5 -r 0", gm.PolynomialKernel(2, 0.5, 0.0)),
        ("rows", "-t 2", gm.RBFKernel(1.0)),
        ("rows", "-t 2 -g 0.25 -s 3", gm.RBFKernel(0.25)),
        ("rows", "-t 3 -s 0.25 -r -1 -g 3", gm.SigmoidKernel(0.25, -1.0)),
        ("both", "-c 1 -t 5 -C V -S 2 -g 0.5 -N 1", gm.RBFKernel(0.5).on("vectors")),
        ("both", "-c 1 -t 5 -C + -S 3 -N 1", gm.SigmoidKernel(1.0, 1.0).on("vectors") + gm.Normalized(SST).on("trees")),
        ("trees", "-t 5", gm.Normalized(SST)),
        ("trees", "-t 5 -L 0.3 -N 0", gm.SubsetTreeKernel(0.3)),
        ("trees", "-t 5 -F 0", gm.Normalized(gm.SubtreeKernel())),
        ("trees", "-t 5 -F 2", gm.Normalized(gm.SubsetTreeKernel(leaves=True))),
        ("trees", "-t 5 -F 3 -M 0.3", gm.Normalized(gm.PartialTreeKernel(mu=0.3, max_children=5))),
        ("both", "-t 5", gm.Normalized(SST).on("trees")),
        ("both", "-c 1 -t 5 -C V -S 0 -N 1", LINEAR.on("vectors")),
        ("both", "-c 1 -t 5 -C +", gm.Normalized(POLY).on("vectors") + gm.Normalized(SST).on("trees")),
        (
            "both",
            "-c 1 -t 5 -C + -S 0 -N 1 -T 0.5",
            LINEAR.on("vectors") + 0.5 * gm.Normalized(SST).on("trees"),
        ),
    ],
)
def test_kernels(files, settings, name, words, kernel):
    assert call(*words.split(), "-v", 0, files / name, files / "model") == 0
    ((found, _),) = settings
    assert found.kernel == kernel
    assert gm.load(files / "model").kernel == kernel


def test_defaults(files, settings, monkeypatch, capsys):
    monkeypatch.chdir(files)
    assert call("rows") == 0
    ((found, options),) = settings
    assert found.C == "auto"  # see test_c_auto_is_svmlight_s
    assert (found.tol, found.fit_intercept, options["class_factors"], options["n_jobs"]) == (1e-3, True, None, -1)
    assert (files / "svm_model").read_text().startswith("SVM-light Version")
    assert "150 examples" in capsys.readouterr().err


def test_letters(files, settings):
    words = "-z c -c 2 -j 3 -b 0 -e 0.01 -m 50 -v 0 -i 0 -x 0 -q 10 -n 5 -h 100 -f 1 -# 1000"
    assert call(*words.split(), files / "rows", files / "model") == 0
    ((found, options),) = settings
    assert (found.C, found.tol, found.fit_intercept, found.max_bytes) == (2.0, 0.01, False, 50 << 20)
    assert options["class_factors"].tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-z r", "-z r: regression is not offered; in Python there is gm.KernelSVR"),
        ("-z p", "gm.KernelRanker"),
        ("-t 4", "a kernel of one's own is not offered; there are -t 0, 1, 2, 3 and 5"),
        ("-w 0.1", "the width of the tube in regression is not offered"),
        ("-p 0.5", "transduction is not offered"),
        ("-x 1", "`gristmill tune --folds` cross-validates"),
        ("-t 5", "there are no trees in it"),
        ("-t 5 -C *", "'*' is not one of 'T', 'V', '+'"),
    ],
)
def test_what_is_not_offered_is_refused(files, capsys, words, message):
    assert call(*words.split(), files / "rows", files / "model") == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (files / "model").exists()
