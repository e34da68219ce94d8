"""The heaviest fragments of machines on trees: none is missed, and all of them together are the machine."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.fragments import fragments_of
from tests.across.interrupting import SOON, seconds_to_stop
from tests.data.tree_strategies import MAY_BE_UNMARKED, to_string, to_strings, tree_lists
from tests.oracle import fragments as oracle
from tests.properties import share

pytestmark = MAY_BE_UNMARKED

H = 0.5  # so that nothing is rounded
FAMILIES = {
    "st": (gm.SubtreeKernel(H), oracle.subtrees(H)),
    "sst": (gm.SubsetTreeKernel(H), oracle.of_whole_productions(H)),
    "sst-2": (gm.SubsetTreeKernel(2.0), oracle.of_whole_productions(2)),
    "sst-bow": (gm.SubsetTreeKernel(H, leaves=True), oracle.of_whole_productions(H, leaves=True)),
    "c-marked": (gm.ProductionTreeKernel(H, marked=True), oracle.of_whole_productions(H, marked=True)),
    "c-single": (gm.ProductionTreeKernel(H, single_nodes=True), oracle.of_whole_productions(H, single_nodes=True)),
    "c-marked-single": (
        gm.ProductionTreeKernel(H, marked=True, single_nodes=True),
        oracle.of_whole_productions(H, marked=True, single_nodes=True),
    ),
    "lo": (gm.OrderedTreeKernel(H), oracle.skipping(H)),
    "lo-2": (gm.OrderedTreeKernel(2.0), oracle.skipping(2)),
    "lo-marked": (gm.OrderedTreeKernel(H, marked=True), oracle.skipping(H, marked=True)),
    "ptk": (gm.PartialTreeKernel(H, H), oracle.partial(H, H)),
    "ptk-2": (gm.PartialTreeKernel(2.0, 1.0), oracle.partial(2, 1)),
    "ptk-span-1": (gm.PartialTreeKernel(H, H, "span-1"), oracle.partial(H, H, "span-1")),
    "ptk-span": (gm.PartialTreeKernel(H, H, "span"), oracle.partial(H, H, "span")),
    "ptk-short": (gm.PartialTreeKernel(H, H, max_children=2), oracle.partial(H, H, max_children=2)),
    "uptk-4": (
        gm.PartialTreeKernel(4.0, 1 / 64, single_nodes=False),
        oracle.partial(4, 1 / 64, single_nodes=False),
    ),
    "uptk": (gm.PartialTreeKernel(H, H, single_nodes=False), oracle.partial(H, H, single_nodes=False)),
}
all_families = pytest.mark.parametrize(("kernel", "family"), FAMILIES.values(), ids=FAMILIES)
halves = st.integers(-6, 6).map(lambda n: n / 2)
few = share(0.1)  # of each family


@st.composite
def tasks(draw):
    """Trees, some of them equal, with coefficients for one to three outputs."""
    trees, outputs = draw(tree_lists(min_size=1, max_size=5)), draw(st.integers(1, 3))
    row = st.lists(halves, min_size=outputs, max_size=outputs)
    return trees, draw(st.lists(row, min_size=len(trees), max_size=len(trees)))


def forest(kernel, trees):
    return gm.Forest.from_strings(to_strings(trees), marks=kernel.marked)


def machine_of(kernel, trees, coef, *, sparse=False):
    intercept = np.arange(len(coef[0])) / 4
    return gm.Machine(kernel, forest(kernel, trees), sp.csr_matrix(coef) if sparse else coef, intercept)


def listed(family, trees, coef):
    """(tree, size, output, weight, support, occurrences) of all fragments, in order."""
    sums = oracle.weights(family, trees, coef)
    rows = [
        (to_string(f), family.size(f), output, float(one.weight), one.support, one.occurrences)
        for (f, output), one in sums.items()
    ]
    return sorted(rows, key=lambda row: (-abs(row[3]), row[1], row[0], row[2]))


def facts(fragments):
    return [(one.tree, one.size, one.output, one.weight, one.support, one.occurrences) for one in fragments]


def magnitude(machine, trees):
    """|b| + sum |a| k, for each tree and output."""
    return np.abs(machine.intercept) + machine.kernel.direct(trees, machine.support) @ abs(machine.coef)


# --- against the oracle -----------------------------------------------------------------------------------------------


@all_families
@given(task=tasks(), sparse=st.booleans())
@few
def test_all_of_them_are_those_of_the_oracle(kernel, family, task, sparse):
    machine = machine_of(kernel, *task, sparse=sparse)
    assert facts(fragments_of(machine, min_weight=0)) == listed(family, *task)


@all_families
@given(task=tasks(), top=st.integers(1, 12))
@few
def test_the_heaviest_are_the_first_of_all(kernel, family, task, top):
    found, expected = fragments_of(machine_of(kernel, *task), top=top), listed(family, *task)
    assert facts(found) == expected[:top]
    assert found.floor == (abs(expected[top - 1][3]) if len(expected) >= top else 0)


@all_families
@given(
    task=tasks(),
    min_weight=st.sampled_from([0.0, 0.125, 0.5, 2.0]),
    min_support=st.integers(1, 3),
    max_size=st.integers(1, 4) | st.none(),
    data=st.data(),
)
@few
def test_limits_leave_out_what_they_say(kernel, family, task, min_weight, min_support, max_size, data):
    output = data.draw(st.none() | st.integers(0, len(task[1][0]) - 1))
    limits = {"min_support": min_support, "max_size": max_size, "output": output}
    expected = [
        row
        for row in listed(family, *task)
        if abs(row[3]) >= min_weight
        and row[4] >= min_support
        and (max_size is None or row[1] <= max_size)
        and output in (None, row[2])
    ]
    machine = machine_of(kernel, *task)
    assert facts(fragments_of(machine, min_weight=min_weight, **limits)) == expected
    if min_weight == 0:
        assert facts(fragments_of(machine, top=5, **limits)) == expected[:5]


@all_families
@pytest.mark.parametrize("normalised", [False, True], ids=["plain", "normalised"])
@given(task=tasks(), others=tree_lists(min_size=1, max_size=4))
@few
def test_all_of_them_together_are_the_machine(kernel, family, normalised, task, others):
    machine = machine_of(gm.Normalized(kernel) if normalised else kernel, *task)
    trees = forest(kernel, others)
    coverage = fragments_of(machine, min_weight=0).coverage(trees)
    near = 1e-9 * magnitude(machine, trees)
    assert np.all(np.abs(coverage.rest) <= near)
    assert np.all(coverage.bound == 0)
    assert np.all(np.abs(coverage.base + coverage.listed - coverage.score) <= near)
    if not normalised:
        sums = oracle.weights(family, *task)
        expected = [[float(oracle.score(family, sums, o, tree)) for o in range(len(task[1][0]))] for tree in others]
        assert np.all(np.abs(coverage.listed - expected) <= near)


@all_families
@pytest.mark.parametrize("normalised", [False, True], ids=["plain", "normalised"])
@given(
    task=tasks(),
    others=tree_lists(min_size=1, max_size=4),
    limits=st.fixed_dictionaries(
        {},
        optional={
            "top": st.integers(1, 6),
            "min_weight": st.sampled_from([0.125, 0.5, 2.0]),
            "min_support": st.just(2),
            "max_size": st.integers(1, 3),
        },
    ),
)
@few
def test_what_is_left_out_keeps_to_its_bound(kernel, family, normalised, task, others, limits):
    machine = machine_of(gm.Normalized(kernel) if normalised else kernel, *task)
    trees = forest(kernel, [*others, *task[0]])
    coverage = fragments_of(machine, **limits).coverage(trees)
    assert np.all(np.abs(coverage.rest) <= coverage.bound + 1e-9 * magnitude(machine, trees))


@given(task=tasks(), top=st.integers(1, 9), data=st.data())
@few
def test_sums_of_kernels_have_the_fragments_of_all(task, top, data):
    names = data.draw(st.lists(st.sampled_from(["sst", "st", "lo", "ptk"]), min_size=2, max_size=3, unique=True))
    kernels = [FAMILIES[name][0] for name in names]
    machine = machine_of(sum(0.5 * kernel for kernel in kernels), *task)
    half = [[a / 2 for a in row] for row in task[1]]
    expected = sorted(
        (-abs(row[3]), *row, repr(kernel))
        for name, kernel in zip(names, kernels, strict=True)
        for row in listed(FAMILIES[name][1], task[0], half)
    )
    everything = fragments_of(machine, min_weight=0)
    assert sorted((-abs(one[3]), *one) for one in facts(everything)) == sorted(row[:-1] for row in expected)
    assert sorted(one.kernel for one in everything) == sorted(row[-1] for row in expected)
    found = fragments_of(machine, top=top)
    assert [abs(one.weight) for one in found] == [-row[0] for row in expected[:top]]
    assert found.floor == (-expected[top - 1][0] if len(expected) >= top else 0)
    trees = forest(machine.kernel, task[0])
    near = 1e-9 * magnitude(machine, trees)
    assert np.all(np.abs(everything.coverage(trees).rest) <= near)
    coverage = found.coverage(trees)
    assert np.all(np.abs(coverage.rest) <= coverage.bound + near)


@given(task=tasks(), threads=st.integers(2, 4), name=st.sampled_from(list(FAMILIES)))
@few
def test_the_number_of_threads_changes_nothing(task, threads, name):
    machine = machine_of(gm.Normalized(FAMILIES[name][0]), *task)
    assert list(fragments_of(machine, top=7)) == list(fragments_of(machine, top=7, n_jobs=threads))


# --- what there is to see ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def machine():
    support = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP sleep))", "(S (NP cats) (VP bark))"]
    coef = [[1.0, 0.0, -1.0], [-1.0, 0.5, 0.0], [0.5, 0.0, 0.25]]
    classes = ["loud", "quiet", "odd"]
    return gm.Machine(gm.SubsetTreeKernel(0.5), support, coef, [0.0, 0.0, 0.0], classes, "ovr")


def test_a_fragment_says_what_one_of_it_adds(machine):
    """A tree with the fragment alone, and nothing else that weighs."""
    found = fragments_of(machine, min_weight=0)
    bark = next(one for one in found if one.tree == "(VP bark)" and one.output_name == "loud")
    assert (bark.weight, bark.support, bark.occurrences, bark.size) == (0.75, 2, 2, 1)
    assert machine.compile().decision_function(["(VP bark)"])[0, 0] == bark.weight


def test_outputs_have_their_names(machine):
    assert {one.output_name for one in fragments_of(machine)} == {"loud", "quiet", "odd"}
    assert {one.output for one in fragments_of(machine, output=1)} == {1}


def test_they_print_as_a_table_and_as_lines(machine):
    found = fragments_of(machine, top=2)
    assert str(found) == found.table()
    assert found.table().splitlines()[0] == "2 fragments of 3 support trees; no other weighs more than 0.5"
    assert found.text().splitlines()[0].startswith("+0.75  (VP bark)  -> loud")
    assert json.loads(found.to_json()) == found.as_dict()
    assert found.as_dict()["fragments"][0]["tree"] == "(VP bark)"
    assert repr(found).startswith("Fragments(2 of Machine(")


def test_they_say_what_was_not_searched(machine):
    """There are fragments of two productions, and some of one tree alone."""
    found = fragments_of(machine, max_size=1, min_support=2)
    others = "there are no others of up to 1 production in 2 support trees or more"
    assert found.table().splitlines()[0] == f"{len(found)} fragments of 3 support trees; {others}"
    assert "no other of up to 2 productions weighs more than 0.5\n" in fragments_of(machine, top=2, max_size=2).table()
    facts = found.as_dict()
    assert (facts["floor"], facts["max_size"], facts["min_support"]) == (0, 1, 2)
    assert json.loads(fragments_of(machine, max_size=np.int64(1), min_support=np.int64(2)).to_json()) == facts


@pytest.mark.parametrize(
    ("kernel", "units"),
    [("sst", "productions"), ("lo", "nodes"), (gm.SubsetTreeKernel() + gm.OrderedTreeKernel(), "parts")],
    ids=["sst", "lo", "sum"],
)
def test_they_say_what_sizes_count(kernel, units):
    assert f" of up to 3 {units}\n" in str(fragments_of(gm.Machine(kernel, ["(S a)"], [1.0], 0.0), max_size=3))


def test_the_lightest_of_a_sum_bounds_the_others():
    """SST has a fragment of weight 1 here, K_lo three of weight 1/4."""
    machine = gm.Machine(gm.SubsetTreeKernel(1.0) + gm.OrderedTreeKernel(0.25), ["(S a b)"], [1.0], 0.0)
    found = fragments_of(machine, top=3)
    assert [one.weight for one in found] == [1.0, 0.25, 0.25]
    assert found.floor == 0.25
    assert found.coverage(["(S a b)"]).rest.item() > 0


def test_control_characters_in_labels_are_masked():
    found = fragments_of(gm.Machine(gm.SubsetTreeKernel(), ["(S \033[2J)"], [1.0], 0.0, ["no", "\033[1m"]))
    assert found[0].tree == "(S \033[2J)"
    assert "\033" not in found.table() + found.text()


def test_estimators_and_scorers_have_the_fragments_of_their_machines():
    clf = gm.KernelSVC("sst").fit(["(S a b)", "(S a c)", "(S b c)"], [0, 1, 1])
    expected = list(fragments_of(clf.machine_))
    assert expected
    assert list(fragments_of(clf)) == list(fragments_of(clf.machine_.compile())) == expected
    with pytest.raises(ValueError, match="expected a machine"):
        fragments_of("sst")


def test_they_are_a_sequence(machine):
    found = fragments_of(machine, top=5)
    assert len(found) == 5
    assert found[0] == next(iter(found))
    assert found[-2:] == list(found)[3:]


def test_coverage_is_of_the_outputs_that_were_searched(machine):
    coverage = fragments_of(machine, output=1).coverage(["(S (NP cats) (VP sleep))", "(NP cats)"])
    assert coverage.score.shape == coverage.listed.shape == coverage.bound.shape == (2, 1)
    assert coverage.base.shape == (1,)


def test_labels_with_brackets_and_stars_keep_their_spelling():
    trees = [r"(S \(x\) a*1)", r"(S \(x\) b)"]
    plain = gm.Machine(gm.SubsetTreeKernel(), gm.Forest.from_strings(trees), [1.0, -1.0], 0.0)
    marked = gm.Machine(gm.SubsetTreeKernel(), gm.Forest.from_strings(trees, marks=True), [1.0, -1.0], 0.0)
    for one in (plain, marked):
        found = fragments_of(one)
        assert {fragment.tree for fragment in found} == {r"(S \(x\) a*1)", r"(S \(x\) b)"}
        coverage = found.coverage(one.support)
        assert np.array_equal(coverage.listed, coverage.total)


def test_marked_kernels_have_only_fragments_with_a_mark():
    support = ["(S (NP*1 a b) (VP c))", "(S (NP*1 a) (VP c))"]
    found = fragments_of(gm.Machine("lo-marked", support, [1.0, 0.5], 0.0))
    assert found
    assert all("*1" in one.tree for one in found)


def test_a_fragment_may_be_heavy_for_its_gaps():
    machine = gm.Machine(FAMILIES["uptk-4"][0], ["(a b x x x c)"], [1.0], 0.0)
    assert [(one.tree, one.weight, one.occurrences) for one in fragments_of(machine, top=1)] == [("(a b c)", 1 / 16, 1)]


def test_fields_of_examples_have_fragments():
    trees = gm.Forest.from_strings(["(S a b)", "(S a c)"])
    kernel = gm.Normalized(gm.SubsetTreeKernel().on("left") + gm.OrderedTreeKernel().on("right"))
    machine = gm.Machine(kernel, gm.Examples(left=trees, right=trees[::-1]), [1.0, -0.5], 0.0)
    found = fragments_of(machine, min_weight=0)
    assert {one.kernel for one in found} == {repr(gm.SubsetTreeKernel()), repr(gm.OrderedTreeKernel())}
    coverage = found.coverage(machine.support)
    np.testing.assert_allclose(coverage.listed, coverage.total, rtol=1e-12)


def test_fragments_of_two_fields_say_whose_they_are():
    trees = gm.Forest.from_strings(["(S a b)", "(S a c)"])
    kernel = gm.SubsetTreeKernel(0.5)
    machine = gm.Machine(kernel.on("left") + kernel.on("right"), gm.Examples(left=trees, right=trees[::-1]), [2, -1], 0)
    found = fragments_of(machine, top=2)
    assert [(one.tree, one.field) for one in found] == [("(S a b)", "left"), ("(S a c)", "right")]
    assert [one["field"] for one in found.as_dict()["fragments"]] == ["left", "right"]
    assert found.table().splitlines()[1:] == [
        "    weight  support    times  output  field  fragment",
        "        +1        1        1  value   left   (S a b)",
        "        +1        1        1  value   right  (S a c)",
    ]
    assert found.text().splitlines()[0] == "+1  (S a b)  -> value  (1 support tree, field left)"


def test_fragments_of_two_kernels_say_whose_they_are(machine):
    kernels = gm.SubtreeKernel(0.5), gm.SubsetTreeKernel(0.5)
    found = fragments_of(gm.Machine(sum(kernels), machine.support, machine.coef[:, 0], 0.0), top=2)
    assert {(one.tree, one.kernel, one.field) for one in found} == {("(VP bark)", repr(one), None) for one in kernels}
    for one, line, row in zip(found, found.text().splitlines(), found.table().splitlines()[2:], strict=True):
        assert line.endswith(f"(2 support trees, kernel {one.kernel})")
        assert one.kernel in row
    assert found.table().splitlines()[1].split()[-2:] == ["kernel", "fragment"]
    assert fragments_of(machine, top=2).table().splitlines()[1].split()[-2:] == ["output", "fragment"]


def test_a_machine_without_coefficients_has_no_fragments():
    found = fragments_of(gm.Machine(gm.SubsetTreeKernel(), ["(S a)", "(S b)"], [0.0, 0.0], 0.5))
    assert list(found) == []
    assert "there are no others" in str(found)
    assert found.coverage(["(S a)"]).rest.tolist() == [[0.0]]


@pytest.mark.parametrize("name", ["sst", "lo"])
def test_the_weights_of_a_learned_machine_give_its_scores(name):
    """A tree SVM spelled out: for new trees too, the sum over their fragments is what dynamic programming computes."""
    trees = [
        f"(S (NP (D {d}) (N {n})) (VP (V {v})))" for d in ("the", "a") for n in ("dog", "cow") for v in ("eats", "runs")
    ]
    clf = gm.KernelSVC(FAMILIES[name][0], C=1.0).fit(trees, ["cow" in tree for tree in trees])
    unseen = ["(S (NP (D the) (N cow)) (VP (V eats) (NP (N hay))))", "(S (NP (N dog)) (VP (V runs)))", "(S hay)"]
    coverage = fragments_of(clf.machine_, min_weight=0).coverage(unseen)
    wanted = clf.machine_.compile("direct").decision_function(unseen)
    np.testing.assert_allclose((coverage.base + coverage.listed).ravel(), wanted, rtol=1e-9, atol=1e-9)
    assert len(set(np.round(wanted, 6))) == len(unseen)


def test_sequences_have_their_subsequences():
    machine = gm.Machine(gm.SubsequenceKernel(0.5), ["cat", "cart"], [1.0, 0.5], 0.0)
    found = fragments_of(machine, min_weight=0)
    assert "(sequence c t)" in [one.tree for one in found]
    coverage = found.coverage(["cat", "rat"])
    np.testing.assert_allclose(coverage.listed, coverage.total, rtol=1e-12)


# --- what is refused, and how it ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top"),
        ({"min_weight": -1.0}, "min_weight"),
        ({"min_support": 0}, "min_support"),
        ({"max_size": 0}, "max_size"),
        ({"output": 3}, "from 0 to 2"),
        ({"output": -1}, "from 0 to 2"),
        ({"top": 20, "max_fragments": 10}, "max_fragments"),
        ({"min_weight": 0.0, "max_fragments": 3}, "max_fragments = 3"),
    ],
    ids=str,
)
def test_limits_that_make_no_sense_are_refused(machine, options, message):
    with pytest.raises(ValueError, match=message):
        fragments_of(machine, **options)


def test_machines_on_rows_are_refused():
    with pytest.raises(ValueError, match="conjunctions instead"):
        fragments_of(gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0))
    kernel = gm.SubsetTreeKernel().on("trees") + gm.PolynomialKernel(2).on("rows")
    both = gm.Examples(trees=gm.Forest.from_strings(["(S a)"]), rows=sp.csr_matrix([[1.0]]))
    with pytest.raises(ValueError, match="does not compare trees"):
        fragments_of(gm.Machine(kernel, both, [1.0], 0.0))


@pytest.mark.parametrize("name", ["st", "sst", "lo", "ptk"])
def test_deep_trees_do_not_exhaust_the_stack(name):
    deep, kernel = "(a " * 10_000 + "b" + ")" * 10_000, FAMILIES[name][0]
    assert len(fragments_of(gm.Machine(kernel, [deep, "(a b)"], [1.0, -0.5], 0.0), top=20)) == 20
    shallow = fragments_of(gm.Machine(kernel, ["(a (a b))", "(a b)"], [1.0, -0.5], 0.0), min_weight=0)
    coverage = shallow.coverage([deep])
    np.testing.assert_allclose(coverage.listed, coverage.total, rtol=1e-9)


def test_a_search_can_be_stopped():
    names = " ".join(f"w{i}" for i in range(40))
    endless = gm.Machine(gm.OrderedTreeKernel(1.0), [f"(s {names})", f"(s {names} x)"], [1.0, 0.5], 0.0)
    assert seconds_to_stop(lambda: fragments_of(endless, min_weight=0)) < SOON


def test_fragments_without_a_weight_of_their_own_are_refused():
    """A fragment counts by the terminal factor where it ends at a leaf of a tree, and fully where it does not."""
    machine = gm.Machine(gm.PartialTreeKernel(terminal_factor=0.5), ["(a b)", "(a (b c))"], [1.0, -1.0], 0.0)
    with pytest.raises(ValueError, match="a fragment has no weight of its own"):
        gm.explain(machine, top=3)
