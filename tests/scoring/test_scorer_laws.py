"""The laws of scorers: same bits for any threads, same labels for any engine, bounds that hold, errors that say why."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.data.rows import as_rows
from gristmill.machines.probability import CoupledSigmoid, Density, Laplace, Sigmoid
from gristmill.machines.schemes import Scheme
from gristmill.scoring.engines import ENGINES
from tests.data.strategies import as_dicts, classifiers, eighths, in_tenths, parts, rows
from tests.oracle import polynomial as oracle

NAMED_ENGINES = [engine for engine in ENGINES if engine != "auto"]
FAST_ENGINES = [engine for engine in NAMED_ENGINES if engine != "direct"]
THREADS = [2, 3, -1]
KERNEL = gm.PolynomialKernel(2)


def constant(scores, **options):
    """A machine that gives every row these scores."""
    return gm.Machine(KERNEL, [], np.empty((0, len(scores))), scores, **options)


# --- a large machine: byte columns, postings, touched lists and full passes -------------------------------------------

N_SUPPORT, N_FEATURES = 3000, 5000


def sparse_rows(id_lists):
    ids = [np.unique(row) for row in id_lists]
    starts = np.cumsum([0, *map(len, ids)])
    return sp.csr_matrix((np.ones(starts[-1]), np.concatenate(ids), starts), shape=(len(ids), N_FEATURES))


@pytest.fixture(scope="module")
def support():
    rng = np.random.default_rng(4)
    return sparse_rows(rng.zipf(1.4, (N_SUPPORT, 25)) % N_FEATURES)


@pytest.fixture(scope="module")
def queries(support):
    """By path: a column and postings; few postings; many postings but no column; features nobody has; none at all."""
    rng = np.random.default_rng(5)
    counts = np.asarray(support.sum(axis=0)).ravel().astype(int)
    frequent, rare = np.flatnonzero(counts * 16 >= N_SUPPORT), np.flatnonzero((counts > 0) & (counts * 16 < N_SUPPORT))
    often = rare[np.argsort(-counts[rare])]
    mixed = [np.concatenate([rng.choice(frequent, 3), rng.choice(rare, 10)]) for _ in range(100)]
    touching_few = [rng.choice(often[200:], 6) for _ in range(100)]
    touching_many = [often[: 20 + n] for n in range(20)]
    assert all(counts[row].sum() < N_SUPPORT / 4 for row in touching_few)
    assert all(counts[row].sum() >= N_SUPPORT / 4 for row in touching_many)
    return sparse_rows([*mixed, *touching_few, *touching_many, np.flatnonzero(counts == 0), np.empty(0, dtype=int)])


@pytest.fixture(scope="module", params=["one output", "13 outputs", "one output, sparse", "13 outputs, sparse"])
def large(request, support):
    outputs = 1 if "one" in request.param else 13
    coef = np.random.default_rng(6).normal(size=(N_SUPPORT, outputs))
    if "sparse" in request.param:
        coef = sp.csr_matrix(np.where(np.abs(coef) > 0.5, coef, 0))
    return gm.Machine(gm.PolynomialKernel(3, 0.7, 1.3), support, coef, np.linspace(-1, 1, outputs))


@pytest.mark.parametrize("engine", FAST_ENGINES)
def test_a_large_machine_equals_the_definition(engine, large, queries):
    magnitude = gm.Machine(large.kernel, large.support, abs(large.coef), abs(large.intercept))
    allowed = 1e-9 * magnitude.compile("direct").decision_function(queries)
    gap = large.compile(engine).decision_function(queries) - large.compile("direct").decision_function(queries)
    assert (abs(gap) <= allowed).all()


@pytest.mark.parametrize("n_jobs", THREADS)
@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_threads_do_not_change_a_bit_of_a_large_machine(engine, n_jobs, large, queries):
    scorer = large.compile(engine)
    np.testing.assert_array_equal(scorer.decision_function(queries, n_jobs), scorer.decision_function(queries))


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_a_score_does_not_depend_on_the_rows_beside_it(engine, large, queries):
    """Scratch is left clean."""
    scorer = large.compile(engine)
    alone = [scorer.decision_function(queries[row])[0] for row in range(0, queries.shape[0], 7)]
    np.testing.assert_array_equal(alone, scorer.decision_function(queries)[::7])


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_threads_of_python_share_a_scorer(engine, large, queries):
    scorer = large.compile(engine)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: scorer.decision_function(queries), range(8)))
    for answer in answers:
        np.testing.assert_array_equal(answer, scorer.decision_function(queries))


def test_occurrences_count_the_postings_of_every_feature(large, queries):
    known = np.asarray(large.support.to_csr().sum(axis=0)).ravel()
    batch = as_rows(queries)
    touched = _core.InvertedScorer(large._native).occurrences(batch.offsets, batch.ids)
    assert touched == known[batch.ids].sum()


# --- threads and bounds on small machines -----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", NAMED_ENGINES)
@given(machine_parts=parts(), x=rows.map(lambda x: x * 10), n_jobs=st.sampled_from(THREADS))
def test_threads_do_not_change_a_bit(engine, machine_parts, x, n_jobs):
    scorer = in_tenths(machine_parts).machine().compile(engine)
    np.testing.assert_array_equal(scorer.decision_function(x, n_jobs), scorer.decision_function(x))


@pytest.mark.parametrize("engine", NAMED_ENGINES)
@given(machine_parts=parts(), x=rows)
def test_the_error_bound_bounds_the_error(engine, machine_parts, x):
    made = in_tenths(machine_parts)
    scorer = made.machine().compile(engine)
    shape = (len(x), made.n_outputs)
    scores, bounds = scorer.decision_function(x).reshape(shape), scorer.error_bound(x).reshape(shape)
    for at, row in enumerate(as_dicts(x)):
        for output in range(made.n_outputs):
            exact = oracle.score(made.support, made.column(output), made.intercept[output], made.parameters, row)
            assert abs(Fraction(scores[at, output]) - exact) <= Fraction(bounds[at, output])


def test_error_bounds_of_real_arithmetic_are_not_claimed():
    scorer = gm.Machine(KERNEL, np.array([[0.5]]), [1.0], 0.0).compile()
    with pytest.raises(ValueError, match="binary machines and data only"):
        scorer.error_bound([{0}])


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", FAST_ENGINES)
@given(machine=classifiers(), x=rows)
def test_labels_are_those_of_the_definition(engine, machine, x):
    np.testing.assert_array_equal(machine.compile(engine).predict(x), machine.compile("direct").predict(x))


CANCELLING = [*permutations([0.1, 0.2, -0.3]), (0.7, 0.1, -0.8), (1e16, 1.0, -1e16), (0.1,) * 10 + (-1.0,)]
TIES = {
    Scheme.BINARY: lambda column: column,
    Scheme.ONE_CLASS: lambda column: column,
    Scheme.ONE_VS_ONE: lambda column: np.hstack([column, -column, column[::-1]]),
    Scheme.ONE_VS_REST: lambda column: np.hstack([column, column[::-1], -column]),
}


@pytest.mark.parametrize("scheme", TIES)
@pytest.mark.parametrize("engine", FAST_ENGINES)
def test_labels_are_those_of_the_definition_where_scores_cancel(engine, scheme):
    x = [{0, 1, 2}, {0, 1}, {2, 5}, {5}, set()]
    for terms, copies in product(CANCELLING, [1, 3, 400]):
        coef = TIES[scheme](np.tile(terms, copies)[:, None])
        classes = list("abc")[: 2 if coef.shape[1] == 1 else 3]
        machine = gm.Machine(
            gm.PolynomialKernel(2, 0.3, 0.1), [{0, 1, 2}] * len(coef), coef, [0] * coef.shape[1], classes, scheme
        )
        found, wanted = (machine.compile(name).predict(x) for name in (engine, "direct"))
        np.testing.assert_array_equal(found, wanted, err_msg=f"{terms}, {copies} times")


@pytest.mark.parametrize("engine", FAST_ENGINES)
def test_labels_are_those_of_the_definition_where_products_underflow(engine):
    least = 5e-324
    machine = gm.Machine(gm.PolynomialKernel(1, 0.8, 0.6), [{0}], [least], -least, classes=["no", "yes"])
    assert machine.compile(engine).predict([{0}]) == machine.compile("direct").predict([{0}])


@given(
    scores=st.integers(2, 5).flatmap(lambda n: st.lists(eighths, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
)
def test_pairs_vote_as_the_oracle_does(scores):
    n_classes = next(n for n in range(2, 6) if n * (n - 1) // 2 == len(scores))
    machine = constant(scores, classes=list(range(n_classes)), scheme="ovo")
    assert machine.compile().predict([set()]) == [oracle.vote(scores, n_classes)]


@given(scores=st.lists(eighths, min_size=2, max_size=5))
def test_one_vs_rest_takes_the_first_of_the_highest(scores):
    machine = constant(scores, classes=list(range(len(scores))), scheme="ovr")
    assert machine.compile().predict([set()]) == [scores.index(max(scores))]


@pytest.mark.parametrize("scheme", [Scheme.BINARY, Scheme.ONE_CLASS])
@pytest.mark.parametrize(
    ("score", "zero_class", "label"),
    [
        (1.0, 0, "in"),
        (1.0, 1, "in"),
        (-1.0, 0, "out"),
        (-1.0, 1, "out"),
        (0.0, 0, "out"),
        (0.0, 1, "in"),
        (-0.0, 1, "in"),
    ],
)
@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_the_sign_decides_and_zero_means_zero_class(engine, scheme, score, zero_class, label):
    machine = constant([score], classes=["out", "in"], scheme=scheme, zero_class=zero_class)
    assert machine.compile(engine).predict([set()]) == [label]


@pytest.mark.parametrize("outputs", [1, 2])
def test_regression_predicts_its_scores(outputs):
    coef = np.arange(2.0 * outputs).reshape(2, outputs)
    scorer = gm.Machine(KERNEL, [{0}, {1}], coef, np.zeros(outputs)).compile()
    np.testing.assert_array_equal(scorer.predict([{0}, {0, 1}]), scorer.decision_function([{0}, {0, 1}]))


def test_a_single_class_is_always_the_answer():
    machine = gm.Machine(KERNEL, [{n} for n in range(9)], np.empty((9, 0)), [], classes=["only"])
    assert list(machine.compile().predict([{0}, set()])) == ["only", "only"]


# --- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_an_empty_row_scores_the_value_at_zero_overlap(engine):
    machine = gm.Machine(gm.PolynomialKernel(3, 1.0, 2.0), [{0}, {1, 2}], [0.5, 2.0], -1.0)
    assert machine.compile(engine).decision_function([set()]) == [8 * 2.5 - 1]


@pytest.mark.parametrize("engine", NAMED_ENGINES)
@pytest.mark.parametrize("intercept", [[1.5], [1.5, -2.0]], ids=len)
def test_without_support_rows_the_intercept_is_the_score(engine, intercept):
    scores = constant(intercept).compile(engine).decision_function([set(), {3, 4}])
    np.testing.assert_array_equal(scores.reshape(2, -1), [intercept, intercept])


@pytest.mark.parametrize("engine", NAMED_ENGINES)
@pytest.mark.parametrize(("outputs", "shape"), [(1, (0,)), (3, (0, 3))])
@pytest.mark.parametrize("x", [[], np.empty((0, 4)), sp.csr_matrix((0, 4))], ids=lambda x: type(x).__name__)
def test_no_examples_give_no_scores(engine, outputs, shape, x):
    machine = gm.Machine(
        KERNEL,
        [{0}],
        np.ones((1, outputs)),
        np.zeros(outputs),
        list(range(max(2, outputs))),
        "ovr" if outputs > 1 else None,
    )
    scorer = machine.compile(engine)
    assert scorer.decision_function(x).shape == shape
    assert scorer.predict(x).shape == (0,)


@pytest.mark.parametrize("engine", NAMED_ENGINES)
@given(machine_parts=parts(), x=rows)
def test_features_never_seen_count_nothing(engine, machine_parts, x):
    scorer = machine_parts.machine().compile(engine)
    strange = [{*row, 50, 100_000, 2**31 - 2} for row in x]
    np.testing.assert_array_equal(scorer.decision_function(strange), scorer.decision_function(x))


@pytest.mark.parametrize("engine", NAMED_ENGINES)
def test_huge_ids_work_and_cost_no_memory(engine):
    huge = 2_000_000_000
    machine = gm.Machine(KERNEL, [{0, huge}, {huge, huge + 1}, {2**31 - 2}], [1.0, 2.0, -8.0], 0.0, classes=[0, 1])
    scorer = machine.compile(engine)
    np.testing.assert_array_equal(scorer.decision_function([{huge}, {0, huge}, {2**31 - 2, huge + 2}]), [4, 9, -29])
    np.testing.assert_array_equal(scorer.predict([{huge}, {2**31 - 2}]), [1, 0])
    assert scorer.nbytes < 1000


# --- probabilities ----------------------------------------------------------------------------------------------------


def sigmoids(draw, outputs):
    numbers = st.lists(eighths, min_size=outputs, max_size=outputs).map(np.array)
    return draw(st.sampled_from([Sigmoid, CoupledSigmoid]))(draw(numbers), draw(numbers))


@pytest.mark.parametrize("scheme", [Scheme.BINARY, Scheme.ONE_VS_ONE, Scheme.ONE_VS_REST])
@given(data=st.data(), x=rows)
def test_probabilities_are_positive_and_add_up_to_one(scheme, data, x):
    machine = data.draw(classifiers(schemes=(scheme,), probability=sigmoids))
    probabilities = machine.compile().predict_proba(x)
    assert probabilities.shape == (len(x), machine.n_classes)
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_probabilities_add_up_to_one_where_every_sigmoid_underflows():
    machine = constant([800.0, 900.0], classes=[0, 1], scheme="ovr", probability=Sigmoid(np.ones(2), np.zeros(2)))
    np.testing.assert_allclose(machine.compile().predict_proba([set()]).sum(axis=1), 1)


@given(machine_parts=parts(max_outputs=1), x=rows, slope=st.integers(1, 40), offset=eighths)
def test_binary_probabilities_rise_with_the_score(machine_parts, x, slope, offset):
    probability = Sigmoid(np.array([-slope / 100]), np.array([offset]))
    scorer = machine_parts.machine(classes=[0, 1], probability=probability).compile()
    order = np.argsort(scorer.decision_function(x))
    assert (np.diff(scorer.predict_proba(x)[order, 1]) >= -1e-15).all()


@pytest.mark.parametrize(("score", "inside"), [(-5.0, 0.001), (-0.5, 0.5), (5.0, 0.999)])
def test_density_marks_give_the_probability_of_an_inlier(score, inside):
    density = Density(np.array([-2.0, -1.0, 0.0, 1.0]))
    machine = constant([score], classes=[-1, 1], scheme="one-class", probability=density)
    np.testing.assert_allclose(machine.compile().predict_proba([set()]), [[1 - inside, inside]])


@pytest.mark.parametrize("options", [{"classes": [0, 1]}, {"probability": Laplace(np.ones(1))}], ids=str)
def test_a_machine_without_probabilities_says_so(options):
    with pytest.raises(ValueError, match="came without probability estimates"):
        constant([1.0], **options).compile().predict_proba([set()])


@pytest.mark.parametrize("engine", ["direct", "inverted", "expanded"])
def test_sums_beyond_the_largest_number_have_no_bound(engine):
    machine = gm.Machine(gm.PolynomialKernel(2), np.ones((2, 3)), [1e308, -1e308], 0.0, classes=[-1, 1])
    assert machine.compile(engine).error_bound(np.ones((1, 3))).tolist() == [np.inf]
