"""gristmill svm-train: LIBSVM's options and defaults, and its machines."""

from __future__ import annotations

import numpy as np
import pytest
from libsvm import svmutil

import gristmill as gm
from gristmill.cli import run
from tests.cli.test_train_models import TEST, X, assert_same_pairs, data, own_pairs

pytestmark = pytest.mark.usefixtures("one_thread")

__all__ = ["data"]

REAL = X * np.linspace(0.5, 2.0, X.shape[1])
LETTERS = [
    "-t 0 -c 0.1",
    "-t 1",
    "-t 1 -d 2 -g 1 -r 1 -c 0.01",
    "-s 0 -t 1 -d 3 -g 0.5 -r 0 -c 0.1 -h 0 -b 0",
    "",
    "-t 2 -g 0.2 -c 3",
    "-t 2 -g 0",
    "-t 3 -g 0.02 -r -0.5",
]


def call(*arguments):
    return run(["svm-train", *map(str, arguments)])


@pytest.mark.parametrize("letters", LETTERS)
def test_libsvm_learns_the_same(data, letters):
    y, x = svmutil.svm_read_problem(str(data / "train"))
    words = f"{letters} -e 1e-7 -m 10 -q"
    svmutil.svm_save_model(str(data / "theirs"), svmutil.svm_train(y, x, words))
    assert call(*words.split(), data / "train", data / "ours") == 0
    theirs, ours = (gm.load(data / name).compile() for name in ("theirs", "ours"))
    assert ours.predict(TEST).tolist() == theirs.predict(TEST).tolist()
    assert_same_pairs(own_pairs(ours), own_pairs(theirs), 1e-5)


@pytest.mark.parametrize("words", ["-t 1 -d 2 -e 1e-8 -q", "-g 0.1 -e 1e-8 -q"])
def test_values_other_than_0_and_1_are_computed_with(tmp_path, capsys, words):
    gm.write_svmlight(tmp_path / "d", REAL, np.where(X[:, 0] > X[:, 1], 1, -1))
    assert call(*words.split(), tmp_path / "d", tmp_path / "ours") == 0
    assert capsys.readouterr().err == ""
    y, x = svmutil.svm_read_problem(str(tmp_path / "d"))
    _, _, theirs = svmutil.svm_predict(y, x, svmutil.svm_train(y, x, words), "-q")
    _, _, ours = svmutil.svm_predict(y, x, svmutil.svm_load_model(str(tmp_path / "ours")), "-q")
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-5)


def test_weights_are_factors_of_c(data):
    y, x = svmutil.svm_read_problem(str(data / "train"))
    labels = sorted(set(y))[:2]
    words = f"-t 0 -c 0.1 -e 1e-7 -q -w{labels[0]:g} 3 -w{labels[1]:g} 0.5"
    svmutil.svm_save_model(str(data / "theirs"), svmutil.svm_train(y, x, words))
    assert call(*words.split(), data / "train", data / "ours") == 0
    theirs, ours = (gm.load(data / name).compile() for name in ("theirs", "ours"))
    assert_same_pairs(own_pairs(ours), own_pairs(theirs), 1e-5)


def test_probabilities_follow_the_scores(data):
    """LIBSVM's folds are drawn by chance: its probabilities are near, not the same."""
    y, x = svmutil.svm_read_problem(str(data / "train"))
    words = "-t 0 -c 0.1 -b 1 -q"
    svmutil.svm_save_model(str(data / "theirs"), svmutil.svm_train(y, x, words))
    assert call(*words.split(), data / "train", data / "ours") == 0
    theirs, ours = (gm.load(data / name) for name in ("theirs", "ours"))
    rows = gm.read_svmlight(data / "train")[0]
    shares = [machine.compile().predict_proba(rows)[:, np.argsort(machine.classes)] for machine in (theirs, ours)]
    assert np.abs(shares[0] - shares[1]).mean() < 0.05


def test_the_model_has_the_name_that_libsvm_gives_it(data, monkeypatch, capsys):
    monkeypatch.chdir(data)
    assert call("-t", 0, "train") == 0
    assert "160 examples" in capsys.readouterr().err
    assert (data / "train.model").read_text().startswith("svm_type c_svc\nkernel_type linear\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-t 6", "6 is not in the range"),
        ("-s 1", "nu-SVC is not offered; -s 0 is C-SVC"),
        ("-s 2", "gm.KernelOneClassSVM"),
        ("-s 3", "gm.KernelSVR"),
        ("-v 5", "`gristmill tune DATA --folds N --scoring accuracy` cross-validates"),
        ("-n 0.5", "nu of nu-SVC, one-class SVM and nu-SVR is not offered; C-SVC (-s 0) has -c"),
        ("-p 0.5", "epsilon of epsilon-SVR is not offered"),
        ("-w1", "-w1 needs a factor, as in -w1 2"),
        ("-t 0 -w1 -2", "LABEL=FACTOR"),
    ],
)
def test_what_is_not_offered_is_refused(data, capsys, words, message):
    files = [] if words == "-w1" else [data / "train", data / "m"]
    assert call(*words.split(), *files) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (data / "m").exists()


def test_h_alone_is_help(capsys):
    assert call("-h") == 0
    assert "Stand in for LIBSVM's svm-train" in capsys.readouterr().out
