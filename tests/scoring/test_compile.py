"""What engines may be told, and what they answer to nonsense; how they are chosen, copied and interrupted."""

from __future__ import annotations

import copy
import pickle
import resource
from functools import cache

import numpy as np
import pytest

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import cost_terms
from tests.across.interrupting import SANITIZED, clocks, elapsed, seconds_to_stop

KERNEL = gm.PolynomialKernel(2)


def skewed(rng, rows, length, features):
    return gm.ids(np.unique(rng.zipf(1.4, length) % features) for _ in range(rows))


@pytest.fixture(scope="module")
def machine():
    rng = np.random.default_rng(3)
    support = skewed(rng, 300, 9, 200)
    return gm.Machine(gm.PolynomialKernel(3, 0.3, 0.7), support, rng.normal(size=300), 0.1, classes=["no", "yes"])


@pytest.fixture(scope="module")
def x():
    return skewed(np.random.default_rng(4), 100, 9, 220)


# --- options ----------------------------------------------------------------------------------------------------------

NONSENSE = [
    ({"sigma": -1}, "sigma must be a number from 0 on, got -1"),
    ({"sigma": float("nan")}, "sigma must be a number from 0 on, got nan"),
    ({"sigma": float("inf")}, "sigma must be a number from 0 on, got inf"),
    ({"sigma": "much"}, "sigma must be a number from 0 on, got 'much'"),
    ({"sigma": None}, "sigma must be a number from 0 on, got None"),
    ({"xi": 0}, "xi must be a whole number from 1 on, got 0"),
    ({"xi": 1.5}, "xi must be a whole number from 1 on, got 1.5"),
    ({"xi": "2"}, "xi must be a whole number from 1 on, got '2'"),
    ({"rare": 3}, "rare belongs to engine='split', got engine='expanded'"),
    ({"engine": "split", "rare": -1}, "rare must be a number of support rows or a share of them .* got -1"),
    ({"engine": "split", "rare": 1.5}, "rare must be a number of support rows or a share of them .* got 1.5"),
    ({"engine": "split", "rare": -0.1}, "rare must be a number of support rows or a share of them .* got -0.1"),
    ({"engine": "split", "rare": float("nan")}, "rare must be a number of support rows or a share of them .* got nan"),
    ({"engine": "split", "rare": True}, "rare must be a number of support rows or a share of them .* got True"),
    ({"engine": "split", "rare": "few"}, "rare must be a number of support rows or a share of them .* got 'few'"),
    ({"engine": "split", "sigma": 0.1}, "sigma, xi and certified belong to engine='expanded', got engine='split'"),
    ({"engine": "auto", "xi": 2}, "sigma, xi and certified belong to engine='expanded', got engine='auto'"),
    ({"engine": "direct", "certified": True}, "sigma, xi and certified belong to engine='expanded'"),
    ({"max_bytes": -1}, "max_bytes must be a whole number of bytes or None, got -1"),
    ({"max_bytes": 1e9}, "max_bytes must be a whole number of bytes or None, got 1000000000.0"),
    ({"max_bytes": "1G"}, "max_bytes must be a whole number of bytes or None, got '1G'"),
    (
        {"engine": "fast"},
        "engine must be one of 'auto', 'direct', 'inverted', 'bits', 'expanded', 'split' for this kernel, got",
    ),
]


@pytest.mark.parametrize(("options", "message"), NONSENSE, ids=lambda value: str(value)[:40])
def test_nonsense_is_refused_with_what_was_wanted(options, message, machine):
    with pytest.raises(ValueError, match=message):
        machine.compile(**{"engine": "expanded"} | options)


@pytest.mark.parametrize("sample", [[{-1}], [[1, 1]], "text", np.array([[np.nan]])], ids=str)
@pytest.mark.parametrize("engine", ["auto", "expanded", "split"])
def test_a_sample_is_checked_like_any_data(sample, engine, machine):
    with pytest.raises(ValueError, match=r".{20}"):
        machine.compile(engine, sample=sample)


@pytest.mark.parametrize(
    "kernel",
    [gm.PolynomialKernel(0), gm.PolynomialKernel(13), gm.PolynomialKernel(2, -1.0), gm.PolynomialKernel(2, 1.0, -1.0)],
    ids=str,
)
@pytest.mark.parametrize("engine", ["expanded", "split"])
def test_kernels_that_cannot_be_expanded_are_refused(kernel, engine):
    machine = gm.Machine(kernel, [{0, 1}, {2}], [1.0, -2.0], 0.5, classes=[0, 1])
    with pytest.raises(ValueError, match=f"engine '{engine}' needs degree 1 to 12, gamma > 0 and coef0 >= 0"):
        machine.compile(engine)
    assert machine.compile("auto").engine in ("direct", "inverted")


@pytest.mark.parametrize("options", [{"sigma": 0.01}, {"xi": 2}, {"rare": 0}])
def test_what_must_not_be_left_out_and_does_not_fit_is_refused(options, machine):
    engine = "split" if "rare" in options else "expanded"
    limit = machine.compile("direct").nbytes + 1000
    with pytest.raises(ValueError, match=f"more than max_bytes={limit}"):
        machine.compile(engine, max_bytes=limit, **options)


def test_what_does_not_fit_is_refused_before_it_takes_memory():
    """A line of a rare feature lists the others: 800 MB for two rows of 20,000."""
    machine = gm.Machine(KERNEL, [set(range(20_000))] * 2, [1.0, -1.0], 0.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match="more than max_bytes=10000000"):
        machine.compile("split", rare=9, max_bytes=10_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_numbers_of_numpy_are_numbers(machine):
    assert not machine.compile("expanded", sigma=np.float32(0.5), xi=np.int64(2)).exact
    assert machine.compile("split", rare=np.int32(2)).report().tiers == machine.compile("split", rare=2).report().tiers


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.01, 3), (0.1, 30), (1.0, 300)])
def test_a_share_of_the_support_rows_is_a_number_of_them(share, count, machine):
    assert machine.compile("split", rare=share).report().tiers == machine.compile("split", rare=count).report().tiers


def test_without_rare_the_line_is_the_papers(machine):
    assert machine.compile("split").report().tiers == machine.compile("split", rare=0.005).report().tiers


# --- copies -----------------------------------------------------------------------------------------------------------

RECIPES = [
    {"engine": "auto"},
    {"engine": "expanded"},
    {"engine": "expanded", "sigma": 0.5, "xi": 2},
    {"engine": "expanded", "sigma": 2.0, "certified": True},
    {"engine": "split", "rare": 0},
    {"engine": "split", "rare": 0.02},
    {"engine": "split", "max_bytes": 200_000},
    {"engine": "auto", "sample": [{0, 150, 151, 152}] * 9},
    {"engine": "expanded", "sample": [{0, 150, 151, 152}] * 9},
]


@pytest.mark.parametrize("options", RECIPES, ids=str)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
def test_a_copy_is_compiled_alike(options, duplicate, machine, x):
    scorer = machine.compile(**options)
    other = duplicate(scorer)
    assert (other.engine, other.exact, other.certified) == (scorer.engine, scorer.exact, scorer.certified)
    assert (other.nbytes, other.report().tiers) == (scorer.nbytes, scorer.report().tiers)
    np.testing.assert_array_equal(other.decision_function(x), scorer.decision_function(x))
    np.testing.assert_array_equal(other.predict(x), scorer.predict(x))


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("options", [{"engine": "split", "rare": 2}, {"engine": "expanded", "xi": 2}], ids=str)
def test_a_compiled_scorer_is_read_back(degree, outputs, options, machine, x, tmp_path):
    coef = np.tile(machine.dense_coef(), outputs)
    made = gm.Machine(gm.PolynomialKernel(degree), machine.support, coef, np.zeros(outputs))
    built, again = (made.compile(**options, cache=tmp_path / "scorer") for _ in range(2))
    assert again.report().reason.startswith("read from")
    np.testing.assert_array_equal(again.decision_function(x), built.decision_function(x))


# --- auto -------------------------------------------------------------------------------------------------------------


def counted(rows, length, features, seed):
    """Skewed rows, by a rule that no library can change."""
    state, made = seed, []
    for _ in range(rows):
        row = set()
        for _ in range(length):
            state = (1103515245 * state + 12345) % 2**31
            drawn = state >> 8
            row.add(drawn % features * (drawn // features % features) // features)
        made.append(row)
    return made


CHOICES = [  # support rows, their length, features, degree, outputs; the engine and its lines
    (2000, 12, 400, 2, 1, "expanded", (351, 30, 8)),
    (2000, 12, 400, 3, 1, "expanded", (149, 79, 161)),
    (2000, 12, 400, 12, 1, "expanded", (0, 44, 345)),
    (2, 1, 1, 1, 1, "expanded", (0, 1, 0)),
    (300, 60, 80, 6, 1, "inverted", None),
    (1000, 12, 400, 2, 45, "expanded", (291, 0, 94)),
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_auto_chooses_from_counts_alone(choice):
    """The same on every machine, with every coefficient, and however often it is asked."""
    support, length, features, degree, outputs, engine, lines = choice
    rows = counted(support, length, features, 5)
    reports = []
    for scale in (1.0, -1e-9):
        machine = gm.Machine(gm.PolynomialKernel(degree), rows, np.full((support, outputs), scale), np.zeros(outputs))
        reports.append(machine.compile().report())
    assert reports[0].reason == reports[1].reason
    assert {report.engine for report in reports} == {engine}
    assert {report.tiers for report in reports} == {lines}


def test_auto_takes_the_engine_it_expects_to_cost_least(machine):
    reports = {engine: machine.compile(engine).report() for engine in ("direct", "inverted", "expanded")}
    least = min(reports, key=lambda engine: reports[engine].work["ns"])
    assert machine.compile().engine == least
    assert all(f"{reports[engine].work['ns'] / 1000:.2f}" in machine.compile().report().reason for engine in reports)


def test_auto_never_takes_what_does_not_fit(machine, x):
    wanted = machine.compile("direct").predict(x)
    least = min(machine.compile(engine).nbytes for engine in ("direct", "inverted", "bits"))
    for limit in range(least, 3 * machine.compile("expanded").nbytes, 40_000):
        scorer = machine.compile(max_bytes=limit)
        assert scorer.nbytes <= limit
        np.testing.assert_array_equal(scorer.predict(x), wanted)
    with pytest.raises(ValueError, match=r"no engine fits: .*more than max_bytes"):
        machine.compile(max_bytes=least - 1)


def test_auto_takes_the_next_engine_when_memory_runs_out(machine, monkeypatch):
    def run_out(*_):
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("gristmill.scoring.row_engines.Expanded.build", run_out)
    report = machine.compile().report()
    assert report.engine == "inverted"
    assert report.reason.endswith("expanded did not fit: std::bad_alloc")


def test_without_a_sample_features_of_few_support_rows_are_expected_less():
    """New rows do not have them as often as the rows they were found in."""
    support = gm.ids([[0, 1], [0, 2], [0, 3]])
    machine = gm.Machine(KERNEL, support, [1.0, -1.0, 0.5], 0.0)
    features = {
        given: next(term.count for term in cost_terms(machine, options)["expanded"] if term.name == "features")
        for given, options in (("nothing", CompileOptions()), ("the rows", CompileOptions(sample=as_rows(support))))
    }
    assert features["the rows"] == 2
    assert features["nothing"] == pytest.approx((1 - 0.75 / 3) + (1 - 0.75 / 1))


def test_costs_are_counts_times_constants(machine):
    terms = cost_terms(machine, CompileOptions())
    assert set(terms) == {"direct", "inverted", "bits", "expanded"}
    for engine, found in terms.items():
        assert all(term.each > 0 and term.count >= 0 for term in found)
        assert machine.compile(engine).report().work["ns"] == sum(term.each * term.count for term in found)


def test_a_sample_moves_the_lines(machine):
    frequent, seldom = (
        machine.compile("expanded", sample=[{0, 1, 2}]),
        machine.compile("expanded", sample=[{150, 160, 170}]),
    )
    assert frequent.report().work["ns"] < seldom.report().work["ns"]


def test_an_empty_sample_is_no_sample(machine):
    assert machine.compile("expanded", sample=[]).report().tiers == machine.compile("expanded").report().tiers


# --- progress and Ctrl-C ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"sigma": 0.1}, {"xi": 2}], ids=str)
def test_progress_of_mining_ascends_to_the_total(options, machine):
    calls = []
    machine.compile("expanded", **options, progress=lambda *call: calls.append(call))
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == totals[-1]


def test_an_exception_of_the_callback_stops_mining(machine):
    def refuse(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        machine.compile("expanded", progress=refuse)


@cache
def many_rows():
    rng = np.random.default_rng(0)
    rows = gm.ids(np.unique(rng.zipf(1.2, 40) % 20_000) for _ in range(20_000))
    return gm.Machine(gm.PolynomialKernel(3), rows, np.ones(20_000), 0.0)


def long_rows():
    return gm.Machine(gm.PolynomialKernel(6), [set(range(140))] * 2, [1.0, -1.0], 0.0)


@pytest.mark.parametrize(
    ("make", "engine", "options"),
    [
        (many_rows, "split", {"rare": 0}),
        (many_rows, "expanded", {"xi": 2}),
        (long_rows, "split", {"rare": 0}),
        (long_rows, "expanded", {"sigma": 0.1}),
    ],
    ids=["exact, many rows", "mined, many rows", "exact, long rows", "mined, long rows"],
)
def test_ctrl_c_stops_mining_within_a_second(make, engine, options):
    machine = make()
    machine._native  # noqa: B018
    assert seconds_to_stop(lambda: machine.compile(engine, **options), after=0.4) < 1


@pytest.mark.slow  # a gigabyte
def test_no_step_of_compiling_is_silent_for_long():
    """Whoever is asked for progress lets Ctrl-C through."""
    machine = many_rows()
    heard = [clocks()]
    machine.compile("split", rare=2, progress=lambda *_: heard.append(clocks()))
    silences = map(elapsed, heard, [*heard[1:], clocks()])
    assert max(silences) < (10 if SANITIZED else 1)
