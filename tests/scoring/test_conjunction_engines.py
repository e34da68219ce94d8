"""Machines of given conjunctions: every engine equals the definition, labels always do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import gristmill as gm
from gristmill import _core
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.conjunction_engines import ConjunctionExpanded, SizeTotals
from gristmill.scoring.deciding import early_stop_stats, labeller
from gristmill.scoring.engines import definition_of
from gristmill.scoring.options import CompileOptions
from tests.data.conjunctions import (
    FEATURES,
    classifiers_of_conjunctions,
    example_rows,
    given_conjunctions,
    random_conjunctions,
    random_rows,
)
from tests.oracle import given_conjunctions as oracle

ENGINES = ["direct", "inverted", "expanded", "auto"]


def tables(machine, *, reach=32, common=65_534):
    """The expanded engine with any number of common features; the others are compared line by line."""
    native = _core.ExpandedScorer(machine._native, None, reach, common)
    return ConjunctionExpanded(machine, native, CompileOptions("expanded"))


def assert_law_one(made, scores, x_rows):
    """Within 1e-9 of |b| + sum |a_i| k(s_i, x), for every row and output."""
    for x, row in zip(x_rows, np.asarray(scores).reshape(len(x_rows), made.n_outputs), strict=True):
        for output, got in enumerate(row):
            asked = made.support, made.column(output), made.intercept[output], x
            assert abs(Fraction(got) - oracle.score(*asked)) <= Fraction(1, 10**9) * oracle.magnitude(*asked)


@pytest.mark.parametrize("engine", ENGINES)
@given(made=given_conjunctions(), x=example_rows)
def test_equals_the_definition(engine, made, x):
    assert_law_one(made, made.machine().compile(engine).decision_function(x), x)


@given(made=given_conjunctions(min_outputs=2), x=example_rows)
def test_sparse_coefficients_are_as_good(made, x):
    machine = made.machine()
    sparse = machine.replace(coef=sp.csr_matrix(machine.coef))
    for engine in ENGINES:
        assert_law_one(made, sparse.compile(engine).decision_function(x), x)


@pytest.mark.parametrize("common", [0, 1, 3, 6])
@given(made=given_conjunctions(), x=example_rows)
def test_features_without_columns_are_compared(common, made, x):
    machine = made.machine()
    engine = tables(machine, common=common)
    assert_law_one(made, engine.scores(machine.examples(x), 1, None), x)


@pytest.mark.parametrize("engine", ENGINES)
@given(machine=classifiers_of_conjunctions(), x=example_rows)
def test_labels_are_the_definitions(engine, machine, x):
    scorer = machine.compile(engine)
    wanted = machine.answers(definition_of(machine).scores(machine.examples(x), 1, None))
    assert scorer.predict(x).tolist() == wanted.tolist()


@pytest.mark.parametrize("reach", [5, 7, 32])
@pytest.mark.parametrize("common", [0, 2, 9])
@given(machine=classifiers_of_conjunctions(), x=example_rows)
def test_what_is_decided_early_is_right(reach, common, machine, x):
    engine, rows = tables(machine, reach=reach, common=common), machine.examples(x)
    decided, effort = engine.decide(rows, 1, None)
    wanted = machine.decision.classes(definition_of(machine).scores(rows, 1, None))
    assert all(one in (-1, right) for one, right in zip(decided.tolist(), wanted.tolist(), strict=True))
    assert effort.stopped <= effort.rows <= len(x)


@given(made=given_conjunctions(), x=example_rows)
def test_scores_are_within_the_bounds(made, x):
    machine = made.machine()
    wanted = [
        [oracle.score(made.support, made.column(o), made.intercept[o], row) for o in range(made.n_outputs)] for row in x
    ]
    for name in ENGINES:
        scorer = machine.compile(name)
        scores = scorer.decision_function(x).reshape(len(x), made.n_outputs)
        bounds = scorer.error_bound(x).reshape(scores.shape)
        doubt = scorer._engine.doubt(FEATURES + 3)
        for row, (got, bound) in enumerate(zip(scores, bounds, strict=True)):
            assert all(abs(Fraction(a) - b) <= c for a, b, c in zip(got, wanted[row], bound, strict=True))
            assert bound.max() <= doubt[len(x[row])]


@given(made=given_conjunctions(), x=example_rows)
def test_what_a_row_can_hold_is_bounded_by_its_length(made, x):
    machine = made.machine()
    sizes = SizeTotals.of(machine)
    held = sizes.held(np.array([len(row) for row in x], dtype=np.int64))
    for row, most in zip(x, held, strict=True):
        lengths = [len(s) for s in made.support if s <= row]
        assert all(lengths.count(size) <= most[size] for size in range(len(most)))
    assert sizes.total.sum() == abs(machine.coef).sum()


@pytest.mark.parametrize("outputs", [1, 2, 11])
@pytest.mark.parametrize("longest", [1, 2, 3, 4])
def test_all_engines_are_equal_and_threads_change_no_bit(outputs, longest):
    machine = random_conjunctions(4000, 300, outputs=outputs, longest=longest, seed=longest)
    X = random_rows(500, 330, 20)
    wanted = machine.compile("direct").decision_function(X)
    for engine in ENGINES:
        scorer = machine.compile(engine)
        scores = scorer.decision_function(X)
        np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-10)
        assert np.array_equal(scores, scorer.decision_function(X, n_jobs=3))
        assert np.array_equal(scorer.predict(X), scorer.predict(X, n_jobs=3))
        assert np.array_equal(scorer.predict(X), machine.compile("direct").predict(X))
    assert machine.compile("expanded")._engine.conjunctions <= 4000
    assert machine.compile().engine == "expanded"


@pytest.mark.parametrize("outputs", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_more_features_than_tables_have_columns(outputs):
    machine = random_conjunctions(120_000, 90_000, outputs=outputs, longest=2)
    X = random_rows(300, 90_000, 12)
    wanted = machine.compile("inverted").decision_function(X)
    expanded = machine.compile("expanded")
    np.testing.assert_allclose(expanded.decision_function(X), wanted, rtol=0, atol=1e-10)
    assert expanded._engine.tiers[2] > 0
    assert np.array_equal(expanded.predict(X), machine.compile("inverted").predict(X))


def test_long_conjunctions_are_for_the_index():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([range(13), [1]]), [1.0, 2.0], 0.0)
    with pytest.raises(ValueError, match="tables hold conjunctions of up to 12 features; the longest one here has 13"):
        machine.compile("expanded")
    for engine in ("direct", "inverted", "auto"):
        assert machine.compile(engine).decision_function([set(range(20)), set(range(12))]).tolist() == [3, 2]


@pytest.mark.parametrize("longest", [5, 12])
def test_tables_hold_conjunctions_of_up_to_twelve(longest):
    machine = random_conjunctions(2000, 40, longest=longest)
    X = random_rows(200, 40, 40)
    wanted = machine.compile("direct").decision_function(X)
    np.testing.assert_allclose(machine.compile("expanded").decision_function(X), wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
@pytest.mark.parametrize("engine", ENGINES)
def test_machines_without_features_are_constants(rows, engine):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids(rows, 3), [1.5] * len(rows), 0.25)
    wanted = 0.25 + 1.5 * len(rows)
    assert machine.compile(engine).decision_function(gm.ids([[], [0, 2]])).tolist() == [wanted] * 2


def test_auto_says_what_it_expects():
    machine = random_conjunctions(20_000, 500, longest=2)
    report = machine.compile().report()
    assert report.engine == "expanded"
    assert "us a row; direct" in report.reason
    assert "20,000 conjunctions, 500 features" in str(report)
    assert machine.compile(sample=gm.ids([[0]])).engine == "expanded"
    assert machine.compile(max_bytes=machine.compile("inverted").nbytes).engine == "inverted"


def test_memory_is_bounded():
    machine = random_conjunctions(20_000, 500, longest=2)
    with pytest.raises(ValueError, match="takes more than max_bytes=100000"):
        machine.compile("expanded", max_bytes=100_000)
    with pytest.raises(ValueError, match="engine 'inverted' takes"):
        machine.compile("inverted", max_bytes=100_000)


@pytest.mark.parametrize("outputs", [1, 3])
def test_compiled_scorers_are_kept_and_read(outputs, tmp_path):
    machine = random_conjunctions(3000, 200, outputs=outputs)
    path, X = tmp_path / "scorer", random_rows(100, 200, 15)
    made = machine.compile("expanded", cache=path)
    again = machine.compile("expanded", cache=path)
    assert again.report().reason.startswith("read from")
    assert np.array_equal(made.decision_function(X), again.decision_function(X))
    assert np.array_equal(made.predict(X), again.predict(X))
    assert cached_scorer(machine, path).engine == "expanded"
    assert cached_scorer(random_conjunctions(30, 20), path) == "belongs to another machine"


def test_tables_of_another_machine_do_not_fit(tmp_path):
    machine, longer = random_conjunctions(300, 20, longest=2), random_conjunctions(300, 20, longest=3)
    native = machine.compile("expanded")._engine.native
    with pytest.raises(ValueError, match="do not fit together"):
        _core.ExpandedScorer.restore(longer._native, native.numbers(), native.arrays())


def test_labels_are_decided_before_all_is_looked_at():
    draw = np.random.default_rng(0)
    support = [[feature] for feature in range(50)] + [[a, b] for a in range(50) for b in range(a)]
    coef = np.concatenate([5 * draw.normal(size=50), 0.01 * draw.normal(size=1225)])
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids(support), coef, 0.0, classes=["no", "yes"])
    engine = tables(machine, common=0)
    decided, effort = engine.decide(random_rows(300, 50, 12), 1, None)
    assert effort.stopped > 200
    assert (decided >= 0).all()
    assert early_stop_stats(machine.compile("expanded"), random_rows(300, 50, 12)).rows > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "split"}, "engine must be one of 'auto', 'direct', 'inverted', 'expanded' for this kernel"),
        ({"engine": "forest"}, "engine must be one of"),
        ({"engine": "expanded", "sigma": 0.1}, "leave out some of those, as Rules.as_machine does"),
        ({"engine": "expanded", "xi": 2}, "the conjunctions of this machine are its support rows"),
    ],
)
def test_options_of_other_machines_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        random_conjunctions(30, 20).compile(**options)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_other_than_0_and_1(engine):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [0, 1]]), [1.0, 2.0], 0.0)
    table = np.array([[0.5, 1.0], [1.0, 0.0]])
    with pytest.warns(gm.DataConversionWarning):
        assert machine.compile(engine).decision_function(table).tolist() == [3, 1]
    for binarize in (None, False):
        with pytest.raises(ValueError, match=r"must hold only 0 and 1, got 0\.5"):
            machine.compile(engine, binarize=binarize).decision_function(table)


def test_apps_that_need_classes_one_by_one_refuse_it():
    with pytest.raises(ValueError, match="classes one by one are those of machines on sets"):
        labeller(random_conjunctions(10, 5).compile())


def test_combined_with_other_kernels():
    kernel = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.ConjunctionKernel().on("vectors")
    fields = gm.Examples(trees=gm.Forest.from_strings(["(S (A a))", "(S (B b))"]), vectors=gm.ids([[0], [0, 1]]))
    machine = gm.Machine(kernel, fields, [1.0, -2.0], 0.0)
    wanted = machine.compile("direct").decision_function(fields)
    np.testing.assert_allclose(machine.compile("forest").decision_function(fields), wanted, atol=1e-12)


def test_compiling_reports_and_can_be_stopped():
    machine, seen = random_conjunctions(200, 30), []
    machine.compile("expanded", progress=lambda *now: seen.append(now))
    assert seen[-1] == (30, 30)
    with pytest.raises(KeyboardInterrupt):
        machine.compile("expanded", progress=interrupting)


def interrupting(done, total):
    raise KeyboardInterrupt
