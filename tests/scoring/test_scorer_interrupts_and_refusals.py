"""How scorers behave: engines by name, clear refusals, progress, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from gristmill.scoring.engines import ENGINES
from tests.across.interrupting import seconds_to_stop

NAMED_ENGINES = [engine for engine in ENGINES if engine != "auto"]
FAST_ENGINES = [engine for engine in NAMED_ENGINES if engine != "direct"]
KERNEL = gm.PolynomialKernel(2)


# --- choosing an engine -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return gm.Machine(KERNEL, [{0, 1}, {1, 2, 3}, {5}], [1.0, -2.0, 3.0], 0.5, classes=["a", "b"])


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_a_scorer_says_what_it_is(engine, small):
    scorer = small.compile(engine)
    report = scorer.report()
    assert (scorer.engine, report.engine, report.reason) == (engine, engine, "as asked")
    assert (report.n_support, report.n_features, report.n_outputs) == (3, 6, 1)
    assert scorer.exact
    assert f"engine    {engine} (as asked)" in str(report)


def test_auto_keeps_within_max_bytes():
    rng = np.random.default_rng(3)
    rows = gm.ids(np.unique(rng.zipf(1.3, 12) % 500) for _ in range(800))
    machine = gm.Machine(gm.PolynomialKernel(3), rows, rng.normal(size=800), 0.1, classes=[0, 1])
    wanted = machine.compile("direct").predict(rows)
    free = machine.compile()
    assert free.engine == "expanded"
    assert "expected" in free.report().reason
    for limit in np.linspace(machine.compile("direct").nbytes, free.nbytes, 9).astype(int):
        scorer = machine.compile(max_bytes=int(limit))
        assert scorer.nbytes <= limit
        assert np.array_equal(scorer.predict(rows), wanted)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_cannot_keep_within_max_bytes_is_refused(engine, small):
    with pytest.raises(ValueError, match="more than max_bytes=10"):
        small.compile(engine, max_bytes=10)


def test_an_unknown_engine_is_refused(small):
    with pytest.raises(ValueError, match=r"engine must be one of 'auto', 'direct', 'inverted'.*got 'fast'"):
        small.compile("fast")


@pytest.mark.parametrize("engine", FAST_ENGINES)
@pytest.mark.parametrize(
    ("value", "binarize", "reason"),
    [(0.5, 0.0, "support rows hold values other than 0 and 1"), (1.0, False, "binarize=False keeps data values")],
)
def test_fast_engines_refuse_real_values_with_the_reason(engine, value, binarize, reason):
    machine = gm.Machine(KERNEL, np.array([[value]]), [1.0], 0.0)
    with pytest.raises(ValueError, match=f"engine '{engine}' needs binary rows, but {reason}"):
        machine.compile(engine, binarize=binarize)
    assert machine.compile("auto", binarize=binarize).engine == "direct"


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_binarize_none_refuses_other_values(engine, small):
    scorer = small.compile(engine, binarize=None)
    with pytest.raises(ValueError, match="only 0 and 1, got 2 at row 0, column 1"):
        scorer.predict(np.array([[0, 2]]))


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_binarize_turns_values_above_the_threshold_into_one(engine, small):
    scorer = small.compile(engine, binarize=0.5)
    with pytest.warns(gm.DataConversionWarning, match="those above 0.5 become 1"):
        scores = scorer.decision_function(np.array([[0.5, 0.6, 3.0]]))
    np.testing.assert_array_equal(scores, scorer.decision_function([{1, 2}]))


def test_no_jobs_are_refused(small):
    with pytest.raises(ValueError, match="n_jobs must be a whole number and not be 0"):
        small.compile().predict([{0}], n_jobs=0)


# --- progress and Ctrl-C ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_progress_ascends_to_the_total(n_jobs):
    support = (np.random.default_rng(0).random((3000, 100)) < 0.25).astype(float)
    machine = gm.Machine(KERNEL, support, np.ones(3000), 0.0)
    x = np.vstack([support] * 2)
    calls = []
    machine.compile("direct").decision_function(x, n_jobs, progress=lambda *call: calls.append(call))
    done, totals = zip(*calls, strict=True)
    assert len(calls) > 1
    assert set(totals) == {x.shape[0]}
    assert list(done) == sorted(done)
    assert done[-1] == x.shape[0]


def test_an_exception_of_the_callback_stops_the_work(small):
    def refuse(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        small.compile().decision_function([{0}] * 1000, progress=refuse)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_within_a_second(n_jobs):
    rng = np.random.default_rng(0)
    ids = np.sort(np.argsort(rng.random((20000, 200)), axis=1)[:, :40], axis=1)
    X = sp.csr_matrix((np.ones(ids.size), ids.ravel(), np.arange(0, ids.size + 1, 40)), shape=(20000, 200))
    scorer = gm.Machine(gm.PolynomialKernel(2), X, np.ones(20000), 0.0).compile("direct")
    assert seconds_to_stop(lambda: scorer.decision_function(X, n_jobs)) < 1
