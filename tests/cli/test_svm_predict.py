"""gristmill svm-predict, compared with LIBSVM's program and by what it must write."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

PROGRAM = shutil.which("svm-predict")
TRAINER = shutil.which("svm-train")
needs_program = pytest.mark.skipif(not (PROGRAM and TRAINER), reason="svm-train and svm-predict are not on PATH")

HEAD = "kernel_type linear\nnr_class {}\ntotal_sv 2\nrho {}\n"
BINARY = f"svm_type c_svc\n{HEAD.format(2, 0)}label 1 -1\n{{}}nr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"
SIGMOID = "probA -2\nprobB 0.5\n"
ONE_CLASS = f"svm_type one_class\n{HEAD.format(2, 0.5)}{{}}SV\n1 1:1\n0.25 2:1\n"
REGRESSION = f"svm_type epsilon_svr\n{HEAD.format(2, 0.125)}{{}}SV\n1 1:1\n-0.1 2:1\n"
DATA = "1 1:1\n-1 2:1\n1 1:1 2:1\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Run on a model and data given as text: the output file or None, what was printed, errors, the exit code."""
    monkeypatch.chdir(tmp_path)

    def run_on(model, data, *options):
        (tmp_path / "m").write_text(model)
        (tmp_path / "d").write_text(data)
        code = run(["svm-predict", *options, "d", "m", "o"])
        printed = capfd.readouterr()
        return (tmp_path / "o").read_text() if (tmp_path / "o").exists() else None, printed.out, printed.err, code

    return run_on


# --- without the program ----------------------------------------------------------------------------------------------


def test_labels_and_accuracy(call):
    assert call(BINARY.format(""), DATA) == (
        "1\n-1\n-1\n",
        "Accuracy = 66.6667% (2/3) (classification)\n",
        "",
        0,
    )


def test_probabilities_stand_in_the_order_of_the_header(call):
    assert call(BINARY.format(SIGMOID), DATA, "-b", "1") == (
        "labels 1 -1\n1 0.817574 0.182426\n-1 0.0758582 0.924142\n-1 0.377541 0.622459\n",
        "Accuracy = 66.6667% (2/3) (classification)\n",
        "",
        0,
    )


def test_probabilities_that_are_not_asked_for_are_mentioned(call):
    note = "Model supports probability estimates, but disabled in prediction.\n"
    output, printed, _, _ = call(BINARY.format(SIGMOID), DATA)
    assert output == "1\n-1\n-1\n"
    assert printed == f"{note}Accuracy = 66.6667% (2/3) (classification)\n"


def test_regression_writes_all_digits(call):
    assert call(REGRESSION.format(""), "1 1:1\n0 2:1\n0.5 1:1 2:1\n") == (
        "0.875\n-0.22500000000000001\n0.77500000000000002\n",
        "Mean squared error = 0.0472917 (regression)\nSquared correlation coefficient = 0.817568 (regression)\n",
        "",
        0,
    )


def test_the_noise_of_a_regression_is_told(call):
    output, printed, _, _ = call(REGRESSION.format("probA 0.25\n"), "1 1:1\n", "-b", "1")
    assert output == "0.875\n"
    assert printed.startswith(
        "Prob. model for test data: target value = predicted value + z,\n"
        "z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=0.25\nMean squared error = 0.015625 (regression)\n"
    )


def test_one_class(call):
    output, printed, _, _ = call(ONE_CLASS.format(""), DATA)
    assert output == "1\n-1\n1\n"
    assert printed == "Accuracy = 100% (3/3) (classification)\n"


def test_one_class_probabilities_have_their_own_header(call):
    marks = "prob_density_marks -3 -2 -1 -0.5 -0.25 0 0.25 0.5 0.75 1\n"
    output, _, _, _ = call(ONE_CLASS.format(marks), DATA, "-b", "1")
    assert output == "label normal outlier\n1 0.8 0.2\n-1 0.5 0.5\n1 0.9 0.1\n"


def test_quiet_prints_nothing(call):
    assert call(BINARY.format(""), DATA, "-q")[1:] == ("", "", 0)


def test_values_are_computed_with_not_rounded_to_0_and_1(call):
    assert call(REGRESSION.format(""), "1 1:0.5 2:4\n")[:1] == ("-0.025000000000000022\n",)


def test_no_examples_are_not_a_number_as_in_c(call):
    assert call(BINARY.format(""), "")[:2] == ("", "Accuracy = -nan% (0/0) (classification)\n")


def test_probabilities_the_model_lacks_are_an_error_and_nothing_is_written(call):
    output, printed, errors, code = call(BINARY.format(""), DATA, "-b", "1")
    assert (output, printed, code) == (None, "", 1)
    assert "does not support" in errors


def test_bad_data_name_line_and_column_and_leave_the_old_output(call, tmp_path):
    (tmp_path / "o").write_text("old\n")
    output, _, errors, code = call(BINARY.format(""), "1 1:1\n1 x:1\n")
    assert (output, code) == ("old\n", 1)
    assert "d:2:3:" in errors


@pytest.mark.parametrize("arguments", [["d", "m"], ["-b", "2", "d", "m", "o"], ["-x", "d", "m", "o"], ["-", "-", "o"]])
def test_wrong_usage_exits_with_2(arguments, capsys):
    assert run(["svm-predict", *arguments]) == 2
    assert "Usage" in capsys.readouterr().err


def test_any_format_is_a_model(tmp_path, capsys):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}], [1.0, -1.0], 0.0, classes=[3, 7])
    machine.save(tmp_path / "m")
    (tmp_path / "d").write_text("7 1:1\n3 2:1\n")
    assert run(["svm-predict", *(str(tmp_path / name) for name in "dmo")]) == 0
    assert (tmp_path / "o").read_text() == "7\n3\n"
    assert capsys.readouterr().out == "Accuracy = 100% (2/2) (classification)\n"


def test_help_is_there(capsys):
    assert run(["svm-predict", "--help"]) == 0
    assert "TEST_FILE" in capsys.readouterr().out


# --- compared with it -------------------------------------------------------------------------------------------------

TRAINED = {
    "two classes": ("-s 0", 2, "binary"),
    "three classes": ("-s 0", 3, "binary"),
    "five classes": ("-s 1 -n 0.1", 5, "binary"),
    "real values": ("-s 0", 3, "real"),
    "linear": ("-s 0 -t 0", 2, "binary"),
    "one-class": ("-s 2 -n 0.3", 2, "binary"),
    "epsilon-SVR": ("-s 3", 0, "binary"),
    "nu-SVR": ("-s 4", 0, "binary"),
    "regression of real values": ("-s 3", 0, "real"),
    "regression to a constant": ("-s 3 -p 100", 0, "binary"),
}


def write_data(path, n_classes, kind, seed):
    rng = np.random.default_rng(seed)
    table = (rng.random((150, 20)) < 0.3) * (1.0 if kind == "binary" else rng.integers(-8, 9, (150, 20)) / 8)
    target = table @ np.sin(np.arange(20)) + 0.1 * rng.normal(size=150)
    labels = np.argsort(np.argsort(target)) * n_classes // 150 * 2 - 1 if n_classes else target
    gm.write_svmlight(path, table, labels)


@needs_program
@pytest.mark.parametrize("options", [[], ["-b", "1"], ["-q"], ["-b", "0"]], ids=" ".join)
@pytest.mark.parametrize("name", TRAINED)
def test_bytes_are_the_program_s(tmp_path, monkeypatch, capfd, name, options):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    how, n_classes, kind = TRAINED[name]
    probability = [] if name == "one-class" else ["-b", "1"]
    if not probability and options == ["-b", "1"]:
        pytest.skip("the program of LIBSVM 3.24 has no probabilities for one class")
    for seed, file in enumerate(("train", "test")):
        write_data(tmp_path / file, n_classes, kind, seed)
    kernel = "-t 1 -d 2 -g 0.5 -r 1 -e 0.01".split()
    subprocess.run([TRAINER, "-q", *kernel, *how.split(), *probability, "train", "m"], check=True)
    expected = subprocess.run([PROGRAM, *options, "test", "m", "theirs"], check=True, capture_output=True, text=True)
    assert run(["svm-predict", *options, "test", "m", "ours"]) == 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    assert capfd.readouterr().out == expected.stdout
