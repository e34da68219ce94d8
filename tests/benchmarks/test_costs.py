"""The benchmark of the cost model: what is fitted, what is compared, and that wrong scores stop it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import engine_costs
from benchmarks.cost_cases import Shape, distinct, drawn
from benchmarks.cost_fit import Constant, Sample, fit, refitted
from benchmarks.engine_costs import AUTOS, Side, Weighed, refit, weigh
from benchmarks.measure import Timing
from gristmill.scoring.row_engines import Term, cost_of

SHAPE = Shape(8, 60)


def samples_of(constants, counts):
    terms = [[Term(f"t{i}", 1.0, float(n)) for i, n in enumerate(row)] for row in counts]
    return [Sample(found, float(np.dot(row, constants))) for found, row in zip(terms, counts, strict=True)]


def test_a_fit_finds_the_constants_that_made_the_times():
    samples = samples_of([40.0, 0.25, 3.0], [[1, 0, 5], [1, 900, 2], [1, 17, 80], [1, 40, 0]])
    constants = fit(samples)
    assert [constant.fitted for constant in constants] == pytest.approx([40.0, 0.25, 3.0])
    assert [constant.shipped for constant in constants] == [1.0, 1.0, 1.0]
    assert refitted(samples[1].terms, constants) == pytest.approx(samples[1].measured)


def test_a_fit_is_by_relative_errors():
    """A row of a millisecond does not outweigh one of 50 ns."""
    short, long = samples_of([50.0], [[1]])[0], Sample([Term("t0", 1.0, 1.0)], 1e6)
    assert fit([short, long])[0].fitted < 200


def test_a_fit_is_never_negative_and_silent_on_what_was_never_touched():
    falling = [Sample([Term("a", 1.0, 1.0), Term("b", 1.0, n), Term("c", 2.0, 0.0)], 100 - n) for n in (1.0, 5.0, 9.0)]
    mean, negative, untouched = fit(falling)
    assert (mean.fitted, negative.fitted) == (pytest.approx(95, rel=0.01), 0.0)
    assert untouched.fitted is None


def test_drawn_machines_are_the_same_every_time():
    machine, rows = drawn(SHAPE, 20, 2, 3)
    again, same = drawn(SHAPE, 20, 2, 3)
    assert (machine.n_support, machine.n_outputs, machine.kernel.degree) == (20, 3, 2)
    np.testing.assert_array_equal(machine.coef, again.coef)
    np.testing.assert_array_equal(rows.ids, same.ids)
    assert rows.lengths.max() <= 8


def test_skewed_rows_have_frequent_features():
    counts = np.asarray(SHAPE.rows(500, np.random.default_rng(0)).sum(axis=0)).ravel()
    even = np.asarray(Shape(8, 60, 0).rows(500, np.random.default_rng(0)).sum(axis=0)).ravel()
    assert counts[0] > 10 * counts[-1]
    assert even.max() < 2 * even.min()


def test_repeated_rows_are_asked_once():
    X = SHAPE.rows(30, np.random.default_rng(0))
    assert len(distinct(X[[0, 1, 0, 2, 1]])) == 3


def weighed(ns):
    timings = {name: Timing(9.0, 1e-9 * each, 9.0, 3) for name, each in ns.items()}
    return Weighed("made up", dict.fromkeys(ns, Side(None, "direct", [])), timings)


def test_auto_is_held_against_the_best_single_engine():
    one = weighed({AUTOS[0]: 150.0, AUTOS[1]: 90.0, "direct": 400.0, "inverted": 120.0, "split at 3": 100.0})
    assert one.best == "split at 3"
    assert [one.over_best(auto) for auto in AUTOS] == pytest.approx([1.5, 0.9])
    assert "at most 1.50 times" in engine_costs._notes([one, weighed(dict.fromkeys((*AUTOS, "direct"), 1.0))], 3)[0]


def test_all_engines_are_weighed_and_refitted():
    one = weigh("small", *drawn(SHAPE, 20, 2, 1), rounds=1)
    assert [*one.sides][:6] == [*AUTOS, "direct", "inverted", "bits", "expanded"]
    assert [*one.sides][6:] == ["split at 1"]  # both shares of 20 rows
    constants = refit([one])
    assert {engine: [constant.name for constant in found] for engine, found in constants.items()} == {
        engine: [term.name for term in one.sides[engine].terms] for engine in ("direct", "inverted", "bits", "expanded")
    }
    lines = list(engine_costs._expectations(one, constants))
    assert [line[1] for line in lines] == ["direct", "inverted", "bits", "expanded", "split at 1"]
    assert lines[0][2] == f"{cost_of(one.sides['direct'].terms):.0f}"


def test_scorers_that_differ_in_name_only_are_timed_once():
    one = weigh("small", *drawn(SHAPE, 20, 2, 1), rounds=1)
    assert one.sides[AUTOS[1]].scorer.report().tiers == one.sides["expanded"].scorer.report().tiers
    assert one.over_best(AUTOS[1]) == one.ns("expanded") / one.ns(one.best)
    assert one.timings["direct"] != one.timings["inverted"]


def test_absurd_engines_are_left_out(monkeypatch):
    monkeypatch.setattr(engine_costs, "SLOWEST", 100.0)
    machine, rows = drawn(SHAPE, 200, 2, 1)
    assert {"direct", "inverted"}.isdisjoint(dict(engine_costs.sides_of(machine, rows)))


def test_engines_that_do_not_fit_are_left_out(monkeypatch, capsys):
    machine, rows = drawn(SHAPE, 200, 3, 1)
    monkeypatch.setattr(engine_costs, "MAX_BYTES", machine.compile("inverted").nbytes)
    assert {"direct", "inverted"} <= set(dict(engine_costs.sides_of(machine, rows)))
    assert "no split" in capsys.readouterr().out


def test_wrong_scores_stop_the_benchmark(monkeypatch):
    machine, rows = drawn(SHAPE, 20, 2, 1)
    sides = dict(engine_costs.sides_of(machine, rows))
    wrong, _ = drawn(SHAPE, 21, 2, 1)
    sides["inverted"] = Side(wrong.compile("inverted"), "inverted", [])
    monkeypatch.setattr(engine_costs, "sides_of", lambda *_: sides.items())
    with pytest.raises(AssertionError):
        weigh("small", machine, rows, rounds=1)


def test_constants_are_shown_beside_the_shipped_ones():
    shown = list(engine_costs._constants({"direct": [Constant("rows", 65.0, 60.04), Constant("x", 2.0, None)]}))
    assert shown == [["direct", "rows", "65", "60"], ["direct", "x", "2", ""]]


def test_auto_was_never_slower_than_promised():
    """Of all machines that were measured last."""
    result = json.loads((Path(__file__).parents[2] / "docs/results/data/engine_costs.json").read_text(encoding="utf-8"))
    places = [at for at, column in enumerate(result["columns"]) if column == "over best"]
    ratios = [float(row[at].rstrip("x")) for row in result["rows"] for at in places]
    assert len(ratios) >= 2 * 40
    assert max(ratios) <= 1.2
