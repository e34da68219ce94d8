"""Tree kernels: their values, and the laws that hold for all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import gristmill as gm
from gristmill import _core
from gristmill.kernels import trees as kernels_of_trees
from tests.data.tree_strategies import (
    MAY_BE_UNMARKED,
    from_parents,
    relabelled,
    shapes,
    to_string,
    to_strings,
    tree_lists,
    trees,
)
from tests.oracle import trees as oracle

pytestmark = MAY_BE_UNMARKED

# Multiples of 1/8: exact in binary, so that the rational oracle sees the same numbers.
eighths = st.integers(1, 8).map(lambda n: n / 8)
KINDS = {
    "st": (gm.SubtreeKernel, oracle.subtree, {}),
    "sst": (gm.SubsetTreeKernel, oracle.subset_tree, {"leaves": st.booleans()}),
    "ptk": (
        gm.PartialTreeKernel,
        oracle.partial_tree,
        {
            "mu": eighths,
            "weighting": st.sampled_from(["gap", "span-1", "span"]),
            "max_children": st.none() | st.integers(1, 4),
            "single_nodes": st.booleans(),
            "terminal_factor": st.just(1.0) | st.sampled_from([0.0, 0.25, 0.75]),
        },
    ),
    "lo": (gm.OrderedTreeKernel, oracle.ordered_tree, {"marked": st.booleans()}),
    "c": (gm.ProductionTreeKernel, oracle.production_tree, {"marked": st.booleans(), "single_nodes": st.booleans()}),
}
KERNELS = [
    gm.SubtreeKernel(),
    gm.SubsetTreeKernel(leaves=True),
    gm.PartialTreeKernel(),
    gm.OrderedTreeKernel(marked=True),
    gm.ProductionTreeKernel(single_nodes=True),
    gm.Normalized(gm.SubsetTreeKernel()),
    gm.Normalized(gm.SubsetTreeKernel() + 0.5 * gm.PartialTreeKernel()),
]

# Other names, other order; what is marked stays marked.
RENAMED = {"a": "x", "b": "a", "c": "é", "a*1": "a*7", "b*2": "x*1"}

all_kinds = pytest.mark.parametrize("kind", [*KINDS, "sum"])
some_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)
close = partial(np.testing.assert_allclose, rtol=1e-12, atol=0)  # nothing cancels: all terms are positive
same_bits = np.testing.assert_array_equal


@dataclass(frozen=True)
class Twin:
    """A kernel and its definition."""

    kernel: Callable
    oracle: Callable

    def expected(self, left, right):
        values = [float(self.oracle(x, y)) for x in left for y in right]
        return np.array(values).reshape(len(left), len(right))


@st.composite
def twins(draw, kind):
    """Kernels of a kind, or the sum of two of any kind, plain or normalised."""
    if kind == "sum":
        weight = draw(eighths)
        left, right = (draw(st.sampled_from(list(KINDS)).flatmap(twins)) for _ in range(2))
        kernel = left.kernel + weight * right.kernel
        definition = lambda x, y: left.oracle(x, y) + Fraction(weight) * right.oracle(x, y)  # noqa: E731
    else:
        kernel_class, function, options = KINDS[kind]
        parameters = draw(st.fixed_dictionaries({"decay": eighths, **options}))
        kernel, definition = kernel_class(**parameters), partial(function, **parameters)
    return (
        Twin(gm.Normalized(kernel), oracle.normalised(definition)) if draw(st.booleans()) else Twin(kernel, definition)
    )


def forest(some_trees, marks=True):
    return gm.Forest.from_strings(to_strings(some_trees), marks=marks)


def random_trees(n_trees, seed, labels="abcde", largest=25):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, n_trees)
    return [from_parents([rng.integers(0, i + 1) for i in range(size - 1)], rng.choice(list(labels), size).tolist())
            for size in sizes]  # fmt: skip


# --- values -----------------------------------------------------------------------------------------------------------


@all_kinds
@given(data=st.data(), left=tree_lists(), right=tree_lists())
def test_gram_equals_the_oracle(kind, data, left, right):
    twin = data.draw(twins(kind))
    close(twin.kernel(forest(left), forest(right)), twin.expected(left, right))


def test_values_of_kelp_issue_11():
    trees = gm.Forest.from_strings(["(a b (c d))", "(a b (c (d e)))"])
    same_bits(gm.SubtreeKernel(decay=1.0)(trees[:1], trees), [[2, 0]])
    same_bits(gm.SubsetTreeKernel(decay=1.0)(trees[:1], trees), [[3, 3]])


@pytest.mark.parametrize("marked", [False, True])
@given(left=trees(), right=trees())
def test_a_decay_of_one_counts_common_fragments(marked, left, right):
    def count(fragments):
        several = [Counter(fragment for n in oracle.nodes(tree) for fragment in fragments(n)) for tree in (left, right)]
        return sum(times * several[1][f] for f, times in several[0].items() if oracle.is_marked(f) or not marked)

    pair = forest([left]), forest([right])
    assert gm.OrderedTreeKernel(1.0, marked=marked)(*pair) == count(oracle.ordered)
    assert gm.ProductionTreeKernel(1.0, marked=marked)(*pair) == count(oracle.of_productions)


@pytest.mark.parametrize("decay", [0.25, 0.5])
def test_decay_is_to_the_power_of_nodes_or_of_productions(decay):
    """(S (A a)): its fragments have 1, 1, 1, 2, 2 and 3 nodes; those of whole productions 1, 1 and 2 productions."""
    X = forest([("S", ("A", "a"))])
    assert gm.OrderedTreeKernel(decay)(X) == 3 * decay + 2 * decay**2 + decay**3
    assert gm.ProductionTreeKernel(decay)(X) == 2 * decay + decay**2


@given(tree=shapes().map(lambda parents: from_parents(parents, [f"n{i}" for i in range(len(parents) + 1)])))
def test_ordered_kernel_counts_the_subtrees_of_distinct_labels(tree):
    def rooted(node):
        return prod(1 + rooted(child) for child in oracle.children(node))

    assert gm.OrderedTreeKernel(decay=1.0)(forest([tree])) == [[sum(map(rooted, oracle.nodes(tree)))]]


@given(decay=eighths, left=tree_lists(), right=tree_lists())
def test_the_subtree_kernel_is_an_inner_product_of_counts(decay, left, right):
    """Of each whole subtree, so that no pair of nodes needs to be compared."""

    def row(tree):
        whole = Counter(oracle.complete(n) for n in oracle.nodes(tree) if oracle.children(n))
        return np.array([whole[f] * decay ** (oracle.productions(f) / 2) for f in columns])

    columns = list({oracle.complete(n) for tree in left + right for n in oracle.nodes(tree)})
    vectors = [np.array([row(tree) for tree in side]).reshape(len(side), len(columns)) for side in (left, right)]
    close(gm.SubtreeKernel(decay)(forest(left), forest(right)), vectors[0] @ vectors[1].T)


@given(decay=eighths, left=tree_lists(), right=tree_lists())
def test_production_kernel_without_single_nodes_is_the_subset_tree_kernel(decay, left, right):
    pair = forest(left), forest(right)
    close(gm.ProductionTreeKernel(decay)(*pair), gm.SubsetTreeKernel(decay)(*pair))


@given(decay=eighths, mu=eighths, left=tree_lists(), right=tree_lists())
def test_the_unlexicalized_kernel_is_the_partial_tree_kernel_without_pairs_of_equal_labels(decay, mu, left, right):
    """5.12: K_uPTK = K_PTK - mu decay^2 times the pairs; taken off inside the recursion nothing would be left."""
    pair = forest(left), forest(right)
    labels = [[list(map(oracle.label, oracle.nodes(tree))) for tree in side] for side in (left, right)]
    equal = [[sum(map(some.count, others)) for others in labels[1]] for some in labels[0]]
    whole, unlexicalized = (gm.PartialTreeKernel(decay, mu, single_nodes=single)(*pair) for single in (True, False))
    pairs = mu * decay**2 * np.reshape(equal, whole.shape)
    np.testing.assert_allclose(unlexicalized + pairs, whole, rtol=1e-12)


def test_the_unlexicalized_kernel_is_not_zero():
    assert gm.PartialTreeKernel(0.5, 0.5, single_nodes=False)(["(a b)"], ["(a b c)"]) == [[0.5 * 0.5 * 0.25]]


@given(decay=eighths, mu=eighths, factor=st.sampled_from([0.0, 0.5, 1.0, 3.0]), left=tree_lists(), right=tree_lists())
def test_values_are_those_of_kelp_with_its_terminal_factor(decay, mu, factor, left, right):
    kernel = gm.PartialTreeKernel(decay, mu, terminal_factor=factor)
    twin = Twin(kernel, partial(oracle.partial_tree_of_kelp, decay=decay, mu=mu, terminal_factor=factor))
    expected = twin.expected(left, right)
    for found in (kernel(forest(left), forest(right)), kernel.direct(forest(left), forest(right))):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_a_leaf_counts_by_the_terminal_factor_also_beside_an_inner_node():
    kernel = gm.PartialTreeKernel(1.0, 1.0, terminal_factor=0.25)
    same_bits(kernel(["(a)"], ["(a)", "(a b)"]), [[0.25, 0.25]])
    same_bits(kernel(["(a b)"], ["(a b)", "(a c)"]), [[1 + 2 * 0.25, 1]])


@given(factor=st.sampled_from([2.0, 50.0, 1000.0]), some_trees=tree_lists(["a", "b"], min_size=1))
def test_kernels_that_weigh_leaves_more_have_bounds_that_hold(factor, some_trees):
    """They may be indefinite: a label may stand at leaves and at inner nodes."""
    X = forest(some_trees)
    for kernel in (plain := gm.PartialTreeKernel(terminal_factor=factor), gm.Normalized(plain), 0.5 * plain + plain):
        assert not kernel.is_semidefinite
        bound = kernel.bound(X)
        assert (kernel(X) <= np.sqrt(np.outer(bound, bound)) * (1 + 1e-12)).all()


@some_kernels
def test_a_leaf_in_brackets_is_a_leaf(kernel):
    plain, bracketed = (gm.Forest.from_strings([text], marks=True) for text in ("(a*1 b (c d))", "(a*1 (b) (c (d)))"))
    same_bits(kernel(bracketed, plain), kernel(plain))


# --- laws -------------------------------------------------------------------------------------------------------------


@all_kinds
@given(data=st.data(), left=tree_lists(), right=tree_lists())
def test_rows_gram_and_direct_are_one(kind, data, left, right):
    kernel, left, right = data.draw(twins(kind)).kernel, forest(left), forest(right)
    gram, provider = kernel(left), kernel.rows(left)
    assert len(provider) == len(left)
    for i in range(len(left)):
        close(provider[i], gram[i])
        close(provider[[i, 0]], gram[[i, 0]])
    close(provider.against(right), kernel(right, left))
    close(kernel.direct(right, left), kernel(right, left))


@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.parametrize(("lookup", "production_ids"), [(False, True), (True, False), (False, False)])
@given(data=st.data(), left=tree_lists(), right=tree_lists())
def test_plain_loops_over_nodes_and_labels_give_the_same_bits(kind, lookup, production_ids, data, left, right):
    """What looking nodes up by their labels, and productions by their numbers, is measured against."""
    kernel_class, _, options = KINDS[kind]
    kernel = kernel_class(**data.draw(st.fixed_dictionaries({"decay": eighths, **options})))
    left, right = forest(left), forest(right)
    out = np.full((len(left), len(right)), np.nan)
    how = {"lookup": lookup, "production_ids": production_ids}
    _core.tree_direct(kernel._native, right.indexed(), left._store, left._roots, out, 1, None, **how)
    same_bits(out, kernel.direct(left, right))


def test_self_kernels_are_computed_once(monkeypatch):
    asked, diagonal = [], kernels_of_trees._diagonal
    monkeypatch.setattr(
        kernels_of_trees, "_diagonal", lambda kernel, A, n_jobs: asked.append(len(A)) or diagonal(kernel, A, n_jobs)
    )
    rows = gm.Normalized(gm.OrderedTreeKernel()).rows(forest(random_trees(9, seed=1)))
    for _ in range(3):
        rows.take(np.arange(4))
    rows.gram()
    assert asked == [9]


@all_kinds
@given(data=st.data(), some_trees=tree_lists())
def test_gram_of_one_side_is_symmetric_and_positive_semidefinite(kind, data, some_trees):
    kernel, X = data.draw(twins(kind)).kernel, forest(some_trees)
    gram = kernel(X)
    assert gram.dtype == np.float64
    assert gram.shape == (len(X), len(X))
    same_bits(gram, gram.T)
    close(gram, kernel(X, X))
    close(kernel.diag(X), np.diagonal(gram))
    assert (np.linalg.eigvalsh(gram) >= -1e-9 * gram.max(initial=0)).all()


@all_kinds
@given(data=st.data(), some_trees=tree_lists())
def test_normalised_diagonal_is_one_or_zero_for_trees_without_fragments(kind, data, some_trees):
    twin, X = data.draw(twins(kind)), forest(some_trees)
    expected = [float(twin.oracle(tree, tree) > 0) for tree in some_trees]
    kernel = gm.Normalized(twin.kernel)
    close(kernel.diag(X), expected)
    close(np.diagonal(kernel(X)), expected)


@all_kinds
@given(data=st.data(), some_trees=tree_lists(list(RENAMED)))
def test_names_of_labels_do_not_matter(kind, data, some_trees):
    kernel = data.draw(twins(kind)).kernel
    renamed = [relabelled(tree, RENAMED.get) for tree in some_trees]
    close(kernel(forest(renamed)), kernel(forest(some_trees)))


@given(twin=twins("sum"), left=tree_lists(["a", "b", "c"]), right=tree_lists(["a", "b", "c"]))
def test_marks_that_are_not_there_do_not_matter(twin, left, right):
    unread = [forest(side, marks=False) for side in (left, right)]
    close(twin.kernel(*unread), twin.kernel(forest(left), forest(right)))


@some_kernels
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_do_not_change_a_bit(kernel, n_jobs):
    X, queries = (forest(random_trees(n, seed=n, labels=["a", "b", "c", "d*1"])) for n in (150, 70))
    same_bits(kernel(X, n_jobs=n_jobs), kernel(X, n_jobs=1))
    same_bits(kernel(queries, X, n_jobs=n_jobs), kernel(queries, X, n_jobs=1))


@some_kernels
@pytest.mark.parametrize(("left", "right"), [([], ["a"]), (["a"], []), ([], [])])
def test_no_trees_give_an_empty_gram(kernel, left, right):
    assert kernel(forest(left), forest(right)).shape == (len(left), len(right))
    assert kernel.diag(forest([])).shape == (0,)


# --- forests ----------------------------------------------------------------------------------------------------------


@all_kinds
@given(data=st.data(), left=tree_lists(), right=tree_lists())
def test_queries_from_another_forest_are_as_those_from_the_same(kind, data, left, right):
    kernel = data.draw(twins(kind)).kernel
    both, others = forest(left + right), [("unseen", "c", ("b", "a")), "b"]
    queries = forest(others + left)[len(others) :]  # the same labels have other numbers
    close(kernel(queries, forest(right)), kernel(both[: len(left)], both[len(left) :]))


@all_kinds
@pytest.mark.parametrize("as_forest", [False, True], ids=["strings", "forest"])
@given(data=st.data(), first=tree_lists(), more=tree_lists(), queries=tree_lists())
def test_extending_a_forest_is_as_making_it_at_once(kind, as_forest, data, first, more, queries):
    kernel, grown, queries = data.draw(twins(kind)).kernel, forest(first), forest(queries)
    provider = kernel.rows(grown)
    before = [provider[:], provider.against(queries)]
    grown.extend(forest(more) if as_forest else to_strings(more))
    at_once = forest(first + more)
    assert len(grown) == len(at_once)
    close(kernel(grown), kernel(at_once))
    close(kernel(queries, grown), kernel(queries, at_once))
    close(kernel.rows(grown).against(queries), kernel(queries, at_once))
    assert len(provider) == len(first)
    same_bits(provider[:], before[0])
    same_bits(provider.against(queries), before[1])


@given(some_trees=tree_lists(min_size=1), more=trees())
def test_extending_a_slice_leaves_the_forest_alone_and_the_other_way_round(some_trees, more):
    kernel, whole = gm.SubsetTreeKernel(leaves=True), forest(some_trees)
    gram, part = kernel(whole), whole[:1]
    part.extend([to_string(more)])
    close(kernel(whole), gram)
    whole.extend([to_string(more)])
    close(kernel(part), kernel(forest([some_trees[0], more])))


@pytest.mark.parametrize(
    "which",
    [
        slice(2, 5),
        slice(None, None, -2),
        slice(0, 0),
        [3, 0, 3],
        [],
        [-1],
        np.array([1, 4], dtype=np.int32),
        np.arange(7) % 2 == 0,
        [True, False, False, True, False, True, True],
    ],
    ids=str,
)
@some_kernels
def test_parts_of_a_forest_give_parts_of_the_gram(kernel, which):
    X = forest(random_trees(7, seed=3))
    gram, numbers = kernel(X), np.arange(7)[which]
    assert len(X[which]) == len(numbers)
    close(kernel(X[which]), gram[np.ix_(numbers, numbers)])
    close(kernel(X[which], X), gram[numbers])
    close(kernel.diag(X[which]), np.diagonal(gram)[numbers])


@pytest.mark.parametrize("which", [[7], [-8], [True, False]], ids=str)
def test_parts_that_are_not_there_are_refused(which):
    with pytest.raises(IndexError):
        forest(random_trees(7, seed=3))[which]


# --- large trees ------------------------------------------------------------------------------------------------------

DEPTH = 100_000
LONG = DEPTH * (DEPTH + 1) / 2  # pieces of the chain, by nodes above the leaf


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (gm.SubtreeKernel(1.0), DEPTH),
        (gm.SubsetTreeKernel(1.0), LONG),
        (gm.PartialTreeKernel(1.0, 1.0), LONG + DEPTH + 1),
        (gm.OrderedTreeKernel(1.0), LONG + DEPTH + 1),
        (gm.ProductionTreeKernel(1.0), LONG),
    ],
    ids=str,
)
def test_a_deep_chain(kernel, value):
    chain = "".join(f"(n{level} " for level in range(DEPTH)) + "x" + ")" * DEPTH
    X = gm.Forest.from_strings([chain])
    assert kernel(X) == [[value]]
    assert kernel.diag(X) == [value]


@pytest.mark.parametrize(
    ("child", "kernel", "value"),
    [
        ("x", gm.SubtreeKernel(0.5), 0.5),
        ("x", gm.SubsetTreeKernel(0.5), 0.5),
        ("x", gm.SubsetTreeKernel(0.5, leaves=True), 0.5 + 0.5 * 10_000**2),
        ("x", gm.ProductionTreeKernel(0.5, single_nodes=True), 0.5 + 1 + 10_000**2),
        ("(x y)", gm.SubtreeKernel(1.0), 1 + 10_000**2),
        ("(x y)", gm.SubsetTreeKernel(2**-10), 2**-10 * (1 + 2**-10) ** 10_000 + 2**-10 * 10_000**2),
    ],
    ids=str,
)
def test_a_wide_node(child, kernel, value):
    X = gm.Forest.from_strings([f"(S {' '.join([child] * 10_000)})"])
    np.testing.assert_allclose(kernel(X), [[value]], rtol=1e-11)


def test_pairs_beyond_32_bits_are_counted():
    """X.09: 70,000 equal leaves are 4.9 thousand million pairs."""
    X = gm.Forest.from_strings([f"(S {'x ' * 70_000})"])
    kernel = gm.SubsetTreeKernel(0.5, leaves=True)
    for found in (kernel(X)[0, 0], kernel.diag(X)[0], (kernel.operator(X) @ [1.0])[0]):
        assert found == 0.5 + 0.5 * 70_000**2


@pytest.mark.parametrize("method", ["__call__", "diag"])
@pytest.mark.parametrize(
    "kernel",
    [
        gm.SubsetTreeKernel(1.0),
        gm.PartialTreeKernel(1.0, 1.0),
        gm.OrderedTreeKernel(1.0),
        gm.ProductionTreeKernel(1.0),
        gm.Normalized(gm.SubsetTreeKernel(1.0)),
    ],
    ids=str,
)
def test_overflow_is_an_error_that_names_the_tree(kernel, method):
    """Sixteen children on each of three floors: 2^16 fragments, then about 2^256, then 2^4096."""
    tree = ("p", "x")
    for floor in "abc":
        tree = (floor, *[tree] * 16)
    X = forest([*random_trees(7, seed=4), tree])
    with pytest.raises(ValueError, match="range of double") as error:
        getattr(kernel, method)(X)
    assert re.search(r"\btree 7\b", str(error.value))


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-0.5, float("nan"), float("inf"), "one", None], ids=repr)
@pytest.mark.parametrize(
    ("kernel_class", "name"),
    [*((kernel_class, "decay") for kernel_class, *_ in KINDS.values()), (gm.PartialTreeKernel, "mu")],
)
def test_a_bad_weight_is_refused(kernel_class, name, value):
    with pytest.raises(ValueError, match=name):
        kernel_class(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("weighting", "gaps"), ("max_children", 0), ("max_children", 1.5)),
        *(("terminal_factor", value) for value in (-1, 1e-4, 1e4, float("nan"), False, "1", None)),
    ],
)
def test_bad_options_of_the_partial_tree_kernel_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        gm.PartialTreeKernel(**{name: value})


# --- in scikit-learn --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def task():
    """Trees, and whether an a hangs below an a."""
    some_trees = random_trees(150, seed=5)
    edges = [
        {(n[0], oracle.label(child)) for n in oracle.nodes(tree) for child in oracle.children(n)} for tree in some_trees
    ]
    return forest(some_trees), np.array([("a", "a") in several for several in edges])


@pytest.mark.parametrize("kernel", [gm.SubsetTreeKernel(), gm.Normalized(gm.PartialTreeKernel())], ids=str)
def test_svc_takes_the_kernel_as_a_callable(kernel, task):
    X, y = task
    train, test = X[:100], X[100:]
    ours = SVC(kernel=kernel, C=100).fit(train, y[:100])
    theirs = SVC(kernel="precomputed", C=100).fit(kernel(train), y[:100])
    same_bits(ours.predict(test), theirs.predict(kernel(test, train)))
    assert 0 < ours.predict(test).sum() < 50


def test_a_gram_matrix_is_written_into_out(task):
    X, _ = task
    rows, out = gm.Normalized(gm.SubsetTreeKernel()).rows(X), np.full((150, 150), np.nan)
    assert rows.gram(out=out) is out
    same_bits(out, rows.gram())
    for wrong in (out[:, :9], out.astype(np.float32), out[::-1, ::-1]):
        with pytest.raises(ValueError, match="out must"):
            rows.gram(out=wrong)


def test_cross_validation_takes_a_forest(task):
    X, y = task
    kernel = gm.Normalized(gm.SubsetTreeKernel())
    ours = cross_val_score(SVC(kernel=kernel), X, y, cv=3, error_score="raise")
    theirs = cross_val_score(SVC(kernel="precomputed"), kernel(X), y, cv=3)
    close(ours, theirs)
