"""The heaviest conjunctions are those of the enumeration, and together they are the machine."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.coverage import subset_weights
from gristmill.explanations.models import feature_name, output_names
from gristmill.explanations.rules import rules_of
from tests.across.interrupting import SOON, seconds_to_stop
from tests.data.strategies import as_dicts, in_tenths, parts, rows
from tests.oracle.conjunctions import heaviest
from tests.oracle.polynomial import magnitude, subset_weight

HALVES = st.integers(-6, 6).map(lambda n: n / 2)  # so that weights are exact, ties too
KERNELS = st.builds(gm.PolynomialKernel, st.integers(1, 6), HALVES, HALVES)
SMALL = parts(kernel=KERNELS, features=6, longest=6, max_outputs=3)
LIMITS = st.fixed_dictionaries({"min_support": st.integers(1, 3), "max_size": st.none() | st.integers(1, 4)})


def facts_of(rules):
    """By the oracle."""
    return [(rule.features, rule.output, rule.weight, rule.support) for rule in rules]


def allowed(machine_parts, x):
    """What exact means: 1e-9 of |b| + sum_i |a_i k(s_i, x)|, rows x outputs."""
    made = machine_parts
    columns = [made.column(output) for output in range(made.n_outputs)]
    sizes = [
        [
            magnitude(made.support, column, b, made.parameters, row)
            for column, b in zip(columns, made.intercept, strict=True)
        ]
        for row in as_dicts(x)
    ]
    return 1e-9 * np.array(sizes, dtype=float).reshape(len(x), made.n_outputs)


def random_machine(n_rows=300, n_features=40, n_outputs=3, degree=3, seed=0):
    draw = np.random.default_rng(seed)
    share = 1 / np.arange(2, n_features + 2)
    support = [np.flatnonzero(draw.random(n_features) < 4 * share).tolist() for _ in range(n_rows)]
    coef = draw.normal(size=(n_rows, n_outputs)) * (draw.random((n_rows, n_outputs)) < 0.7)
    return gm.Machine(gm.PolynomialKernel(degree), gm.ids(support), coef, draw.normal(size=n_outputs))


# --- the enumeration --------------------------------------------------------------------------------------------------


@given(made=SMALL, top=st.integers(1, 40), limits=LIMITS, n_jobs=st.sampled_from([None, 2, 3]))
def test_the_top_is_that_of_the_enumeration(made, top, limits, n_jobs):
    rules = rules_of(made.machine(), top=top, n_jobs=n_jobs, **limits)
    assert facts_of(rules) == heaviest(made.support, made.coef, made.parameters, **limits)[:top]


@given(made=SMALL, min_weight=st.integers(0, 200).map(lambda n: n / 4), limits=LIMITS)
def test_a_threshold_keeps_what_weighs_as_much(made, min_weight, limits):
    every = heaviest(made.support, made.coef, made.parameters, **limits)
    assert facts_of(rules_of(made.machine(), min_weight=min_weight, **limits)) == [
        one for one in every if abs(one[2]) >= min_weight
    ]


@given(made=SMALL, top=st.integers(1, 20), data=st.data())
def test_one_output_is_looked_at_alone(made, top, data):
    output = data.draw(st.integers(0, made.n_outputs - 1))
    every = heaviest(made.support, made.coef, made.parameters)
    assert (
        facts_of(rules_of(made.machine(), top=top, output=output)) == [one for one in every if one[1] == output][:top]
    )


@given(made=SMALL, top=st.integers(1, 20))
def test_sparse_coefficients_give_the_same(made, top):
    dense = made.machine()
    sparse = gm.Machine(dense.kernel, dense.support, sp.csr_matrix(dense.coef), dense.intercept)
    assert list(rules_of(sparse, top=top)) == list(rules_of(dense, top=top))


@given(made=SMALL)
def test_positive_and_negative_parts_are_separate(made):
    for rule in rules_of(made.machine(), top=50):
        c = subset_weight(*made.parameters, len(rule.features))
        pairs = zip(made.support, made.column(rule.output), strict=True)
        parts = [c * a for row, a in pairs if set(rule.features) <= set(row)]
        assert rule.positive == sum(part for part in parts if part > 0)
        assert rule.negative == sum(part for part in parts if part < 0)
        assert rule.weight == rule.positive + rule.negative


@pytest.mark.parametrize("top", [1, 7, 200])
@pytest.mark.parametrize("n_jobs", [None, 3])
def test_the_top_of_a_larger_machine_begins_its_whole_list(top, n_jobs):
    machine = random_machine()
    every = rules_of(machine, min_weight=0)
    assert len(every) > 5000
    assert rules_of(machine, top=top, n_jobs=n_jobs)[:] == every[:top]
    min_weight = abs(every[top].weight)
    assert rules_of(machine, min_weight=min_weight, n_jobs=n_jobs)[:] == [
        rule for rule in every if abs(rule.weight) >= min_weight
    ]


def test_equal_rows_with_opposite_coefficients_leave_nothing():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {0, 1}, {2}], [1.0, -1.0, 0.0], 0.5)
    assert len(rules_of(machine)) == 0
    assert rules_of(machine).table() == "0 conjunctions of 3 support rows; there are no others\n" + HEAD


HEAD = "weight  conjunction  output  support  positive  negative"


@pytest.mark.parametrize("support", [[], [[]], [[], []]])
def test_machines_without_features_have_no_rules(support):
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids(support), np.ones(len(support)), 0.5)
    rules = rules_of(machine)
    assert len(rules) == 0
    coverage = rules.coverage([set(), {3}])
    assert (coverage.rest == 0).all()
    assert (coverage.bound == 0).all()


# --- what they carry --------------------------------------------------------------------------------------------------


@given(made=SMALL.map(in_tenths), x=rows)
def test_all_rules_together_are_the_machine(made, x):
    coverage = rules_of(made.machine(), min_weight=0).coverage(x)
    near = allowed(made, x) + 1e-300
    assert (np.abs(coverage.base + coverage.listed - coverage.score) <= near).all()
    assert (np.abs(coverage.rest) <= near).all()
    assert (coverage.bound == 0).all()


@given(made=SMALL.map(in_tenths), x=rows, top=st.integers(1, 30), limits=LIMITS, data=st.data())
def test_the_rest_lies_within_its_bound(made, x, top, limits, data):
    output = data.draw(st.none() | st.integers(0, made.n_outputs - 1))
    rules = rules_of(made.machine(), top=top, output=output, **limits)
    coverage = rules.coverage(x)
    assert coverage.rest.shape == (len(x), len(rules.outputs))
    near = allowed(made, x)[:, list(rules.outputs)]
    assert (np.abs(coverage.rest) <= coverage.bound * (1 + 1e-9) + 10 * near).all()


@given(made=SMALL, x=rows, top=st.integers(1, 30))
def test_coverage_is_the_sum_of_the_rules_that_hold(made, x, top):
    rules = rules_of(made.machine(), top=top)
    coverage = rules.coverage(x).listed
    for at, row in enumerate(x):
        holding = [rule for rule in rules if set(rule.features) <= set(row)]
        assert rules.matching(row) == holding
        for output in rules.outputs:
            assert coverage[at, output] == sum(rule.weight for rule in holding if rule.output == output)


def test_the_bound_is_useful():
    machine = random_machine(n_outputs=1)
    coverage = rules_of(machine, top=2000).coverage(machine.support)
    assert (np.abs(coverage.rest) <= coverage.bound + 1e-9).all()
    assert np.median(coverage.bound / np.abs(coverage.total)) < 20


@given(made=SMALL.map(in_tenths), largest=st.integers(0, 8))
def test_subset_weights_are_the_differences_of_the_kernel(made, largest):
    expected = [float(subset_weight(*made.parameters, size)) for size in range(largest + 1)]
    assert subset_weights(made.kernel, largest).tolist() == expected


# --- behaviour --------------------------------------------------------------------------------------------------------


def named_machine():
    names, classes = ["word=bank", "pos=NN", "word=river"], ["no", "yes"]
    kernel = gm.PolynomialKernel(2)
    return gm.Machine(kernel, [{0, 1}, {1, 2}, {1}], [1.0, -0.5, 0.25], -1.0, classes, feature_names=names)


def test_rules_read_as_text():
    rules = rules_of(named_machine(), top=3)
    assert rules.text().splitlines() == [
        "   +3  word=bank           -> class yes  (1 support row)",
        "+2.25  pos=NN              -> class yes  (3 support rows)",
        "   +2  word=bank & pos=NN  -> class yes  (1 support row)",
    ]
    assert str(rules).splitlines() == [
        "3 conjunctions of 3 support rows; no other weighs more than 2",
        "weight  conjunction         output  support  positive  negative",
        "    +3  word=bank           yes           1        +3        +0",
        " +2.25  pos=NN              yes           3     +3.75      -1.5",
        "    +2  word=bank & pos=NN  yes           1        +2        +0",
    ]


def test_rules_are_a_sequence_and_go_into_json():
    rules = rules_of(named_machine(), min_weight=0)
    assert len(rules) == 5
    assert rules[-1] == list(rules)[4]
    assert rules[1:3] == list(rules)[1:3]
    with pytest.raises(IndexError):
        rules[5]
    held = json.loads(rules.to_json())
    assert held["floor"] == 0
    assert held["rules"][0] == {
        "features": [0],
        "names": ["word=bank"],
        "output": 0,
        "output_name": "yes",
        "weight": 3.0,
        "support": 1,
        "positive": 3.0,
        "negative": 0.0,
    }


@pytest.mark.parametrize(
    ("n_outputs", "options", "names"),
    [
        (1, {"classes": [-1, 1]}, ("1",)),
        (1, {}, ("value",)),
        (2, {}, ("value 0", "value 1")),
        (3, {"classes": ["a", "b", "c"], "scheme": "ovr"}, ("a", "b", "c")),
        (3, {"classes": ["a", "b", "c"], "scheme": "ovo"}, ("a : b", "a : c", "b : c")),
        (1, {"classes": ["out", "in"], "scheme": "one-class"}, ("in",)),
    ],
)
def test_outputs_are_named_by_the_class_they_favour(n_outputs, options, names):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], np.ones((1, n_outputs)), np.zeros(n_outputs), **options)
    assert output_names(machine) == names
    assert [rule.output_name for rule in rules_of(machine)] == list(names)


def test_features_without_names_count_as_data_files_do():
    from_one = gm.Machine(gm.PolynomialKernel(1), [{0, 4}], [1.0], 0.0, first_id=1)
    assert [rule.names for rule in rules_of(from_one)] == [("1",), ("5",)]
    assert feature_name(named_machine(), 2) == "word=river"


def test_columns_of_a_frame_are_found_by_name():
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame([[1, 0, 1]], columns=["pos=NN", "word=river", "word=bank"])
    rules = rules_of(named_machine(), min_weight=0)
    assert rules.matching(x) == rules.matching({0, 1})
    np.testing.assert_array_equal(rules.coverage(x).listed, rules.coverage([{0, 1}]).listed)


def test_matching_is_about_one_row():
    with pytest.raises(ValueError, match="expected one row, got 2"):
        rules_of(named_machine()).matching([{0}, {1}])


def test_real_values_are_refused_with_the_reason():
    machine = gm.Machine(gm.PolynomialKernel(2), np.array([[0.5, 1.0]]), [1.0], 0.0)
    with pytest.raises(ValueError, match="values other than 0 and 1"):
        rules_of(machine)


def test_trees_are_refused_with_the_reason():
    machine = gm.Machine(gm.SubsetTreeKernel(), gm.Forest.from_strings(["(A b)"]), [1.0], 0.0)
    with pytest.raises(ValueError, match="fragments"):
        rules_of(machine)


def test_more_rules_than_allowed_are_refused():
    machine = random_machine()
    every = len(rules_of(machine, min_weight=0))
    assert len(rules_of(machine, min_weight=0, max_rules=every)) == every
    with pytest.raises(ValueError, match="more than max_rules = 5 conjunctions weigh that much"):
        rules_of(machine, min_weight=0, max_rules=5)
    with pytest.raises(ValueError, match="top must be at most max_rules"):
        rules_of(machine, top=6, max_rules=5)


@pytest.mark.parametrize(
    "options",
    [{"top": 0}, {"top": 1.5}, {"min_support": 0}, {"max_size": 0}, {"min_weight": -1}, {"output": 1}, {"output": -1}],
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        rules_of(named_machine(), **options)


def test_an_error_of_the_callback_comes_out():
    def fail(done, total):
        raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        rules_of(random_machine(), progress=fail)


def test_numpy_numbers_are_accepted():
    one, two = np.int64(1), np.int32(2)
    rules = rules_of(random_machine(), top=two, output=one, min_support=one, max_size=two, n_jobs=two)
    assert [rule.output for rule in rules] == [1, 1]


def test_progress_is_reported_and_ends():
    reports = []
    rules_of(random_machine(), top=5, progress=lambda done, total: reports.append((done, total)))
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_long_search_can_be_interrupted(n_jobs):
    machine = random_machine(n_rows=3000, n_features=400, n_outputs=2, degree=6)
    work = lambda: rules_of(machine, top=1_000_000, n_jobs=n_jobs)  # noqa: E731
    assert seconds_to_stop(work) < SOON


def test_an_output_is_chosen_by_its_name():
    coef, classes = [[1.0, 2.0, 3.0]], ["a", "b", "c"]
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]]), coef, [0.0, 0.0, 0.0], classes, "ovr")
    assert rules_of(machine, output="b").as_dict() == rules_of(machine, output=1).as_dict()
    assert {rule.output_name for rule in rules_of(machine, output="b")} == {"b"}


@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(3), gm.PolynomialKernel(3, coef0=0.0)], ids=repr)
def test_a_row_of_a_hundred_thousand_features_has_its_first_conjunctions(kernel):
    """All of a size weigh the same, and those with the smallest ids win: nobody looks at the others."""
    features = 100_000
    found = rules_of(gm.Machine(kernel, gm.ids([range(features)]), [1.0], 0.0), top=100)
    small = rules_of(gm.Machine(kernel, gm.ids([range(150)]), [1.0], 0.0), top=100)
    assert [(rule.features, rule.weight) for rule in found] == [(rule.features, rule.weight) for rule in small]
    assert found.floor == found[0].weight


def test_the_first_of_equals_are_found_among_several_rows():
    rows = [range(number * 700, (number + 1) * 700) for number in range(5)]
    found = rules_of(gm.Machine(gm.PolynomialKernel(3, coef0=0.0), gm.ids(rows), np.ones(5), 0.0), top=10, n_jobs=2)
    assert [rule.features for rule in found] == [(0, other) for other in range(1, 11)]
