"""What nodes add to scores: all common fragments, written down; Shapley values; sums that are the scores."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.tree_nodes import TreeExplainer, explain_trees
from tests.data.tree_strategies import MAY_BE_UNMARKED, tree_lists, trees
from tests.explanations.machines_to_explain import random_machine
from tests.kernels.test_trees import KINDS, eighths, forest, random_trees, twins
from tests.oracle import tree_shares as oracle
from tests.oracle.trees import nodes, normalised

pytestmark = MAY_BE_UNMARKED

KERNELS = [
    gm.SubtreeKernel(),
    gm.SubsetTreeKernel(leaves=True),
    gm.ProductionTreeKernel(marked=True, single_nodes=True),
    gm.PartialTreeKernel(),
    gm.PartialTreeKernel(weighting="span-1", max_children=2),
    gm.PartialTreeKernel(weighting="span", single_nodes=False),
    gm.OrderedTreeKernel(),
    gm.OrderedTreeKernel(marked=True),
    gm.Normalized(gm.SubsetTreeKernel() + 0.5 * gm.PartialTreeKernel()) + 2.0 * gm.SubtreeKernel(),
]
some_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)
all_kinds = pytest.mark.parametrize("kind", KINDS)
seeds = st.integers(0, 2**32)
same_bits = np.testing.assert_array_equal


def adds_up(machine, x, found, within=1e-9):
    """Both accounts are the score, within so much of |b| + sum_i |a_i| k(s_i, x): the score itself may cancel."""
    gram, coef, intercept = machine.kernel.direct(x, machine.support), machine.dense_coef(), machine.intercept
    expected, bound = gram @ coef + intercept, within * (abs(intercept) + gram @ abs(coef))
    assert len(found) == len(x)
    for number, one in enumerate(found):
        for total in (one.score, one.total(), one.base + one.rooted.sum(axis=0)):
            assert (abs(total - expected[number]) <= bound[number]).all()


@dataclass(frozen=True)
class Plain:
    """A kernel of some kind, with the definition and with what the oracle says of fragments."""

    kernel: gm.kernels.Kernel
    value: partial
    fragments: partial


@st.composite
def kernels(draw, kind):
    kernel_class, function, options = KINDS[kind]
    parameters = draw(st.fixed_dictionaries({"decay": eighths, **options}))
    return Plain(kernel_class(**parameters), partial(function, **parameters), partial(oracle.KINDS[kind], **parameters))


def shares_by_hand(account, fragments, machine, x):
    """Nodes x outputs."""
    n_nodes = len(nodes(x))
    every = np.array([[float(v) for v in account(found, n_nodes)] for found in fragments])
    return every.reshape(len(fragments), n_nodes).T @ machine.dense_coef()


# --- what nodes add, fragment by fragment -----------------------------------------------------------------------------


@all_kinds
@given(data=st.data(), x=trees(), other=trees())
def test_fragments_of_the_oracle_are_what_the_kernel_counts(kind, data, x, other):
    one = data.draw(kernels(kind))
    assert sum((w for _, w in one.fragments(x, other)), Fraction(0)) == one.value(x, other)


@all_kinds
@given(data=st.data(), support=tree_lists(), x=trees(), n_outputs=st.integers(1, 3), seed=seeds)
def test_shares_are_those_of_all_common_fragments(kind, data, support, x, n_outputs, seed):
    one = data.draw(kernels(kind))
    machine = random_machine(one.kernel, forest(support), n_outputs, seed)
    fragments = [one.fragments(x, other) for other in support]
    (found,) = explain_trees(machine, forest([x]))
    largest = abs(machine.dense_coef()).sum(axis=0) * max([float(one.value(x, s)) for s in support], default=0.0)
    for account, shares in ((oracle.rooted, found.rooted), (oracle.shared, found.shared)):
        expected = shares_by_hand(account, fragments, machine, x)
        assert (abs(shares - expected) <= 1e-12 * largest).all()


@given(one=st.sampled_from(list(KINDS)).flatmap(kernels), support=tree_lists(min_size=1), x=trees())
def test_normalised_shares_are_plain_ones_in_proportion(one, support, x):
    machine = random_machine(gm.Normalized(one.kernel), forest(support), 2)
    (found,) = explain_trees(machine, forest([x]))
    norms = [float(one.value(s, s) or 1) ** 0.5 for s in (x, *support)]
    coef = machine.dense_coef() / np.array(norms[1:])[:, None] / norms[0]
    (plain,) = explain_trees(gm.Machine(one.kernel, forest(support), coef, machine.intercept), forest([x]))
    np.testing.assert_allclose(found.rooted, plain.rooted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.shared, plain.shared, rtol=1e-9, atol=1e-12)
    expected = [float(normalised(one.value)(x, s)) for s in support] @ machine.dense_coef() + machine.intercept
    np.testing.assert_allclose(found.score, expected, rtol=1e-9, atol=1e-9)


@all_kinds
@given(data=st.data(), other=trees(["a", "b*1"]), x=trees(["a", "b*1"]).filter(lambda tree: len(nodes(tree)) <= 5))
def test_shared_are_the_shapley_values_of_the_nodes(kind, data, other, x):
    one = data.draw(kernels(kind))
    (found,) = explain_trees(gm.Machine(one.kernel, forest([other]), [1.0], 0.0), forest([x]))
    expected = oracle.shapley(one.fragments(x, other), len(nodes(x)))
    np.testing.assert_allclose(found.shared[:, 0], [float(v) for v in expected], rtol=1e-12)


# --- sums that are scores ---------------------------------------------------------------------------------------------


@given(twin=st.sampled_from([*KINDS, "sum"]).flatmap(twins), support=tree_lists(), x=tree_lists(), seed=seeds)
def test_rooted_and_shared_add_up_to_the_score(twin, support, x, seed):
    machine = random_machine(twin.kernel, forest(support), 3, seed)
    adds_up(machine, forest(x), explain_trees(machine, forest(x)))


@some_kernels
def test_large_trees_add_up(kernel):
    support, x = (forest(random_trees(n, n, ["a", "b", "c*1", "d"], 90)) for n in (40, 7))
    x.extend(support[:2])  # which they share as a whole
    machine = random_machine(kernel, support, 11)  # more outputs than are done at once
    adds_up(machine, x, explain_trees(machine, x))


@some_kernels
def test_questions_add_up(kernel, corpora):
    lines = gzip.decompress((corpora / "qc" / "train.tk.gz").read_bytes()).decode().splitlines()
    questions = gm.Forest.from_strings([line.partition("\t")[2] for line in lines[:330]])
    machine = random_machine(kernel, questions[:150], 2)
    adds_up(machine, questions[300:], explain_trees(machine, questions[300:]))


@pytest.mark.parametrize("threads", [2, 3])
@some_kernels
def test_threads_and_other_trees_do_not_change_a_bit(kernel, threads):
    support, x = (forest(random_trees(n, n, ["a", "b", "c*1"], 40)) for n in (30, 12))
    explainer = TreeExplainer(random_machine(kernel, support, 3))
    alone = [explainer.explain(x[n : n + 1])[0] for n in range(len(x))]
    together = explainer.explain(x, n_jobs=threads)
    for one, other in zip(alone, together, strict=True):
        same_bits(one.rooted, other.rooted)
        same_bits(one.shared, other.shared)


@some_kernels
def test_rooted_alone_is_the_same(kernel):
    support, x = (forest(random_trees(n, n, ["a", "b", "c*1"])) for n in (20, 5))
    explainer = TreeExplainer(random_machine(kernel, support, 2))
    for one, other in zip(explainer.explain(x), explainer.explain(x, shares="rooted"), strict=True):
        same_bits(one.rooted, other.rooted)
        same_bits(one.score, other.total())
        assert other.shared is None
        with pytest.raises(ValueError, match="has no 'shared'"):
            other.shares(kind="shared")


# --- trees of every shape ---------------------------------------------------------------------------------------------


@some_kernels
def test_nothing_in_common_is_nothing_at_all(kernel):
    machine = random_machine(kernel, forest(random_trees(5, 1)), 2)
    for x in (["(x y z)", "(q)"], [], ["(x)"]):
        for one in explain_trees(machine, x):
            assert not one.rooted.any()
            assert not one.shared.any()
            same_bits(one.score, machine.intercept)
    empty = gm.Machine(kernel, forest([]), np.empty((0, 1)), 1.0)
    (one,) = explain_trees(empty, ["(a b)"])
    same_bits(one.total(), [1.0])


@pytest.mark.parametrize(("kernel", "expected"), [(gm.OrderedTreeKernel(0.5), 1.0), (gm.SubsetTreeKernel(0.5), 0.0)])
def test_a_tree_of_one_node(kernel, expected):
    (one,) = explain_trees(gm.Machine(kernel, ["(a b a)", "(b a)"], [1.0, -1.0], 0.0), ["(a)"])
    same_bits(one.shared, one.rooted)
    assert one.shared.tolist() == [[expected - 0.5 * (expected > 0)]]
    assert one.labels == ("a",)


def chain(labels, leaf="x"):
    return "".join(f"({label} " for label in labels) + leaf + ")" * len(labels)


def test_a_deep_chain_has_the_shares_of_its_fragments():
    """All pieces of two nodes and more count 1: node k is in those that begin at or above it and end at or below it."""
    depth = 1500
    tree = chain([f"n{level}" for level in range(depth)])
    (found,) = explain_trees(gm.Machine(gm.SubsetTreeKernel(1.0), [tree], [1.0], 0.0), [tree])
    sizes = np.arange(2, depth + 2)
    for node in (0, 1, 700, depth - 1, depth):
        holding = np.minimum.reduce(
            [sizes, depth + 2 - sizes, np.full(depth, node + 1), np.full(depth, depth + 1 - node)]
        )
        assert found.shared[node, 0] == pytest.approx((holding / sizes).sum(), rel=1e-12)
    assert found.rooted[:, 0].tolist() == [*range(depth, 0, -1), 0]


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=str)
def test_chains_of_thousands_of_levels_need_no_stack(kernel):
    names = [f"n{level}" for level in range(10_000)]
    x = gm.Forest.from_strings([chain(names), chain(names[9000:], "unseen"), chain(["a*1"] * 60)], marks=True)
    support = [chain(names[5000:6000]), chain(["a*1"] * 40)]
    machine = random_machine(kernel, gm.Forest.from_strings(support, marks=True), 1)
    found = explain_trees(machine, x)
    adds_up(machine, x, found)
    assert len(found[0].draw().splitlines()) == 10_002
    assert len(found[0].text(0)) == 60


@some_kernels
def test_wide_nodes(kernel):
    support = gm.Forest.from_strings([f"(S {'(a b) ' * 60})", f"(S {'a ' * 59}(a c*1))"], marks=True)
    x = gm.Forest.from_strings([f"(S {'(a b) ' * 30}{'a ' * 30})", f"(S {'(a b) (a c*1) ' * 30})"], marks=True)
    machine = random_machine(kernel, support, 2)
    adds_up(machine, x, explain_trees(machine, x))


def test_sequences():
    machine = random_machine(gm.SubsequenceKernel(0.5), ["cat", "car", "bat"], 2)
    adds_up(machine, machine.kernel.examples(["cart", "b", ""]), explain_trees(machine, ["cart", "b", ""]))


# --- examples of several fields ---------------------------------------------------------------------------------------


def test_a_field_of_trees_is_explained():
    some = random_trees(20, 1, ["a", "b", "c*1"])
    X = gm.Examples(trees=forest(some), vectors=np.eye(20))
    kernel = gm.Normalized(gm.PartialTreeKernel().on("trees") + gm.OrderedTreeKernel(marked=True).on("trees"))
    machine = random_machine(kernel, X[:10], 2)
    found = explain_trees(machine, X[8:])
    adds_up(machine, X[8:], found)
    assert [one.tree for one in found] == list(X["trees"][8:])


def test_kernels_that_nodes_cannot_explain_are_refused():
    X = gm.Examples(trees=["(a b)"], others=["(a c)"], vectors=[{1}])
    trees_alone, vectors = gm.SubsetTreeKernel().on("trees"), gm.PolynomialKernel(2).on("vectors")
    with pytest.raises(ValueError, match="compares trees in the fields 'others' and 'trees'"):
        explain_trees(gm.Machine(trees_alone + gm.SubsetTreeKernel().on("others"), X, [1.0], 0.0), X)
    with pytest.raises(ValueError, match="it compares no trees"):
        explain_trees(gm.Machine(vectors, X, [1.0], 0.0), gm.Examples(vectors=[{1}]))
    with pytest.raises(ValueError, match="it compares no trees"):
        explain_trees(gm.Machine(gm.PolynomialKernel(2), [{1}], [1.0], 0.0), [{1}])
    with pytest.raises(ValueError, match="shares must be 'shared' or 'rooted', got 'all'"):
        explain_trees(gm.Machine(gm.SubsetTreeKernel(), ["(a b)"], [1.0], 0.0), ["(a b)"], shares="all")


def test_values_beyond_double_are_refused():
    tree = f"(S {'(a b) ' * 2000})"
    with pytest.raises(ValueError, match="the score of tree 1 leaves the range of double"):
        explain_trees(gm.Machine(gm.SubsetTreeKernel(1.0), [tree], [1.0], 0.0), ["(a b)", tree])


def test_explaining_reports_progress_and_can_be_stopped():
    tree = chain(["a"] * 400)
    machine, seen = gm.Machine(gm.PartialTreeKernel(), [tree], [1.0], 0.0), []

    def watch(done, total):
        seen.append((done, total))
        if len(seen) == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        explain_trees(machine, [tree, tree], progress=watch)
    assert len(seen) == 3
