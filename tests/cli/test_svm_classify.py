"""gristmill svm-classify, by what SVMlight and TinySVM write, and compared with them where they are installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

KERNEL = "1 # kernel type\n2 # kernel parameter -d\n1 # kernel parameter -g\n1 # kernel parameter -s\n"
KERNEL += "1 # kernel parameter -r\n"
SVMLIGHT = (
    f"SVM-light Version V6.02\n{KERNEL}empty# kernel parameter -u\n3 # highest feature index\n"
    "4 # number of training documents\n3 # number of support vectors plus 1\n"
    "0.1 # threshold b, each following line is a SV (starting with alpha*y)\n0.3 1:1 2:1 #\n-0.7 3:1 #\n"
)
TINYSVM = (
    f"TinySVM Version 0.09\n{KERNEL}empty # kernel parameter -u\n"
    "3 0 4 0 # number of SVs/BSVs/number of training data/L1 loss \n0.1 # threshold b\n0.3 1:1 2:1\n-0.7 3:1\n"
)
DATA = "1 1:1 2:1\n-1 3:1\n1 2:1 3:1\n-1 2:1\n"  # scores 1.9, -2.6, -1.7 and 0.4
SCORES = "1.9\n-2.6\n-1.7\n0.4\n"
READING = "Reading model...OK. (2 support vectors read)\n"
ACCURACY = "Accuracy on test set: 50.00% (2 correct, 2 incorrect, 4 total)\n"
ACCURACY += "Precision/recall on test set: 50.00%/50.00%\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Run on a model and data given as text: what was printed, what went to standard error, the exit code."""
    monkeypatch.chdir(tmp_path)

    def run_on(model, data, *options, output=()):
        (tmp_path / "m").write_text(model)
        (tmp_path / "d").write_text(data)
        code = run(["svm-classify", *options, "d", "m", *output])
        printed = capfd.readouterr()
        return printed.out, printed.err, code

    return run_on


# --- SVMlight ---------------------------------------------------------------------------------------------------------


def test_svmlight_writes_scores_and_prints_accuracy(call, tmp_path):
    assert call(SVMLIGHT, DATA) == (f"{READING}Classifying test examples..done\n{ACCURACY}", "", 0)
    assert (tmp_path / "svm_predictions").read_text() == SCORES


@pytest.mark.parametrize(
    ("level", "printed"),
    [("0", ""), ("1", READING + ACCURACY), ("3", f"{READING}Classifying test examples..done\n{ACCURACY}")],
)
def test_svmlight_prints_by_level(call, tmp_path, level, printed):
    assert call(SVMLIGHT, DATA, "-v", level, output=["out"]) == (printed, "", 0)
    assert (tmp_path / "out").read_text() == SCORES


def test_svmlight_has_an_old_form(call, tmp_path):
    call(SVMLIGHT, f"{DATA}1 1:1\n", "-f", "0", output=["out"])
    assert (tmp_path / "out").read_text().splitlines() == [
        "1.9:+1 -1.9:-1",
        "2.6:-1 -2.6:+1",
        "1.7:-1 -1.7:+1",
        "0.4:+1 -0.4:-1",
        "0.4:+1 -0.4:-1",
    ]


def test_svmlight_counts_hundreds(call):
    printed, _, _ = call(SVMLIGHT, "1 1:1 2:1\n" * 250)
    assert printed.splitlines()[1] == "Classifying test examples..100..200..done"


@pytest.mark.parametrize("label", ["0", "2", "0.5", "-1.5"])
def test_svmlight_keeps_silent_about_labels_other_than_1_and_minus_1(call, label):
    assert call(SVMLIGHT, f"{DATA}{label} 1:1\n", "-v", "1")[0] == READING


def test_svmlight_s_shares_of_nothing_are_not_a_number_as_in_c(call):
    printed, _, _ = call(SVMLIGHT, "-1 3:1\n")
    assert printed.endswith("Precision/recall on test set: -nan%/-nan%\n")
    printed, _, _ = call(SVMLIGHT, "")
    assert "Accuracy on test set: -nan% (0 correct, 0 incorrect, 0 total)\n" in printed


def test_values_are_computed_with_not_rounded_to_0_and_1(call, tmp_path):
    call(SVMLIGHT, "1 1:0.5 3:2\n", output=["out"])
    assert (tmp_path / "out").read_text() == "-5.725\n"


@pytest.mark.parametrize("classes", [[-1, 1], [1, -1]])
def test_other_models_are_answered_as_svmlight_does_with_positive_scores_for_the_positive_class(
    tmp_path, monkeypatch, capsys, classes
):
    monkeypatch.chdir(tmp_path)
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {2}], [0.3, -0.7], -0.1, classes)
    machine.save("m")
    (tmp_path / "d").write_text(DATA)
    assert run(["svm-classify", "-v", "1", "d", "m", "o"]) == 0
    sign = classes[1]
    assert [sign * float(line) for line in (tmp_path / "o").read_text().split()] == [1.9, -2.6, -1.7, 0.4]
    assert capsys.readouterr().out == READING + ACCURACY


# --- TinySVM ----------------------------------------------------------------------------------------------------------

SUMMARY = (
    "Accuracy:   50.00000% (2/4)\nPrecision:  50.00000% (1/2)\nRecall:     50.00000% (1/2)\n"
    "System/Answer p/p p/n n/p n/n: 1 1 1 1\n"
)


def test_tinysvm_prints_accuracy(call, tmp_path):
    assert call(TINYSVM, DATA) == (SUMMARY, "", 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "m"]


@pytest.mark.parametrize("option", ["-V", "--verbose"])
def test_tinysvm_prints_scores(call, option):
    assert call(TINYSVM, DATA, option) == (f"1 1.9\n-1 -2.6\n1 -1.7\n-1 0.4\n{SUMMARY}", "", 0)


def test_tinysvm_counts_a_label_of_0_as_negative_but_never_correct(call):
    printed, _, _ = call(TINYSVM, "0 3:1\n0 1:1 2:1\n")
    assert printed == (
        "Accuracy:   0.00000% (0/2)\nPrecision:  0.00000% (0/1)\nRecall:     -nan% (0/0)\n"
        "System/Answer p/p p/n n/p n/n: 0 1 0 1\n"
    )


def test_a_converted_tinysvm_model_is_still_one(call, tmp_path, capfd):
    call(TINYSVM, DATA)
    assert run(["convert", "m", "own"]) == 0
    capfd.readouterr()
    assert run(["svm-classify", "d", "own"]) == 0
    assert capfd.readouterr().out == SUMMARY


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "options", "output"),
    [(TINYSVM, ["-v", "1"], []), (TINYSVM, ["-f", "1"], []), (TINYSVM, [], ["out"]), (SVMLIGHT, ["-V"], [])],
    ids=["-v", "-f", "output", "-V"],
)
def test_options_of_the_other_program_are_refused(call, model, options, output):
    printed, errors, code = call(model, DATA, *options, output=output)
    assert (printed, code) == ("", 2)
    assert "TinySVM" in errors


def test_machines_of_several_outputs_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.Machine(gm.PolynomialKernel(2), [{0}], np.ones((1, 3)), np.zeros(3), [1, 2, 3], "ovo").save("m")
    (tmp_path / "d").write_text(DATA)
    assert run(["svm-classify", "d", "m"]) == 1
    assert "one output" in capsys.readouterr().err
    assert not (tmp_path / "svm_predictions").exists()


def test_bad_data_name_line_and_column_and_leave_the_old_output(call, tmp_path):
    (tmp_path / "svm_predictions").write_text("old\n")
    printed, errors, code = call(SVMLIGHT, "1 1:1\n1 x:1\n")
    assert (printed, code) == ("", 1)
    assert "d:2:3:" in errors
    assert (tmp_path / "svm_predictions").read_text() == "old\n"


def test_wrong_usage_exits_with_2(capsys):
    assert run(["svm-classify", "d"]) == 2
    assert run(["svm-classify", "-", "-"]) == 2
    assert run(["svm-classify", "-f", "2", "d", "m"]) == 2
    capsys.readouterr()


def test_help_says_what_is_left_out(capsys):
    assert run(["svm-classify", "--help"]) == 0
    assert "left out" in capsys.readouterr().out


# --- compared with them -----------------------------------------------------------------------------------------------

KERNELS = ["-t 0", "-t 1 -d 1 -s 1 -r 1", "-t 1 -d 2 -s 1 -r 1", "-t 1 -d 3 -s 0.3 -r 0.7", "-t 1 -d 2 -s 2 -r 0"]


def programs(variable):
    """The folder of svm_learn and svm_classify."""
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"set {variable} to the folder of svm_learn and svm_classify to compare with them")
    return Path(folder).absolute()


@pytest.fixture
def task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("train", "test")):
        rng = np.random.default_rng(seed)
        table = rng.random((250, 20)) < 0.3
        labels = np.where(table @ np.sin(np.arange(20)) + 0.3 * rng.normal(size=250) > 0, 1, -1)
        gm.write_svmlight(name, table, labels)
    return tmp_path


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("options", ["", "-v 1", "-v 0", "-f 0", "-f 1 -v 2"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_bytes_are_svmlight_s(task, capfd, kernel, options):
    folder = programs("GRISTMILL_SVMLIGHT")
    output_of(folder / "svm_learn", "-v", "0", "-c", "0.1", *kernel.split(), "train", "m")
    expected = output_of(folder / "svm_classify", *options.split(), "test", "m", "theirs").splitlines(keepends=True)
    assert run(["svm-classify", *options.split(), "test", "m", "ours"]) == 0
    assert capfd.readouterr().out == "".join(line for line in expected if not line.startswith("Runtime"))
    theirs = (task / "theirs").read_text()
    if "-f 0" not in options:  # the program may have been changed to print all digits
        theirs = "".join(f"{float(line):.8g}\n" for line in theirs.split())
    assert (task / "ours").read_text() == theirs


@pytest.mark.parametrize("options", ["", "-V"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_bytes_are_tinysvm_s(task, capfd, kernel, options):
    folder = programs("GRISTMILL_TINYSVM")
    output_of(folder / "svm_learn", "-c", "0.1", *kernel.split(), "train", "m")
    expected = output_of(folder / "svm_classify", *options.split(), "test", "m").splitlines()
    assert run(["svm-classify", *options.split(), "test", "m"]) == 0
    scores = [" ".join(f"{float(number):g}" for number in line.split()) for line in expected[:-4]]
    assert capfd.readouterr().out.splitlines() == scores + expected[-4:]
