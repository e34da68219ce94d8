"""One way to spell labels, counts, sizes and results, in every message and on every screen."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.display.numbers import in_percent, memory, result
from gristmill.display.words import counted, listed_labels, quoted_label
from gristmill.machines.formats import write

ROWS = [[1, 0], [0, 1], [1, 1]]
WORDS = np.array(["p", "q", "p"])


@pytest.mark.parametrize(
    ("label", "spelled"),
    [(np.str_("p"), "'p'"), (np.float64(1), "1"), (np.float64(0.5), "0.5"), (np.int64(3), "3"), (np.True_, "True")],
)
def test_labels_are_spelled_without_the_types_of_numpy(label, spelled):
    assert quoted_label(label) == spelled


def test_long_lists_of_labels_are_cut():
    assert listed_labels([1, 2]) == "1, 2"
    assert listed_labels(np.arange(2000), 2) == "0, 1, ... (2000 in all)"


def test_one_thing_is_singular():
    assert [counted(number, "row") for number in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]


def test_sizes_have_the_unit_that_fits():
    assert [memory(size) for size in (0, 850, 12_300, 4_500_000)] == ["0 bytes", "850 bytes", "12.3 kB", "4.5 MB"]


def test_results_have_two_decimals_of_a_percent():
    assert (result(0.9073), in_percent(0.9073), result(float("nan"))) == ("90.73", "90.73 %", "-")


def learned(y=WORDS):
    return gm.OnlineKernelClassifier(degree=1, warm_start=True).fit(ROWS, y)


def tuned(**options):
    return gm.tune(ROWS * 9, list(WORDS) * 9, kernels=[gm.PolynomialKernel(1)], C=[1], **options)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: learned(["p"] * 3), "1 class: 'p'"),
        (lambda: learned().fit(ROWS, ["p", "q", "r"]), "'p', 'q': 'p', 'q', 'r'"),
        (lambda: learned().partial_fit(ROWS, WORDS, classes=["p", "r"]), "classes 'p', 'r' .* 'p', 'q'"),
        (lambda: learned().partial_fit(ROWS, ["x", "x", "x"]), "'p', 'q': 'x'"),
        (
            lambda: gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, [np.str_("p")] * 2),
            "got 'p', 'p'",
        ),
        (lambda: write(learned().machine_, "m", "libsvm"), "not 'p', 'q'"),
        (lambda: tuned(class_weight={np.str_("x"): 2.0}), "names 'x'.*'p', 'q'"),
    ],
)
def test_no_message_shows_a_scalar_of_numpy(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "np." not in str(caught.value)


def test_reports_of_scorers_say_bytes_and_one_output():
    text = str(gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, ["p", "q"]).compile().report())
    assert "1 support row, 1 feature, 1 output\n" in f"{text}\n"
    assert "0.0 MB" not in text
    assert " bytes" in text


def test_evaluate_prints_percent_and_json_has_fractions(tmp_path, capsys):
    (tmp_path / "data").write_text("a 1:1\nb 2:1\nb 1:1\n")
    gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], [-1.0, 1.0], 0.0, ["a", "b"]).save(tmp_path / "model")
    task = [str(tmp_path / "model"), str(tmp_path / "data")]
    assert run(["evaluate", *task]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["accuracy", "66.67"] in shown
    assert ["b", "100.00", "50.00", "66.67", "2"] in shown
    assert run(["evaluate", *task, "--json"]) == 0
    assert '"accuracy": 0.666' in capsys.readouterr().out
