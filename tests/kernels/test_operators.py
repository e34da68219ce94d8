"""Operators over trees: K W without K, as by the book, and the same to the last bit however it comes about."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.tree_strategies import MAY_BE_UNMARKED, crowds, relabelled, to_strings, tree_lists
from tests.kernels.test_trees import KINDS, all_kinds, eighths, forest, random_trees, twins
from tests.oracle import trees as oracle

pytestmark = MAY_BE_UNMARKED

KERNELS = [
    gm.SubtreeKernel(),
    gm.SubsetTreeKernel(leaves=True),
    gm.ProductionTreeKernel(marked=True, single_nodes=True),
    gm.PartialTreeKernel(weighting="span-1", max_children=3),
    gm.PartialTreeKernel(single_nodes=False),
    gm.OrderedTreeKernel(marked=True),
    gm.Normalized(gm.PartialTreeKernel()),
    gm.Normalized(gm.SubsetTreeKernel() + 0.5 * gm.OrderedTreeKernel()),
]
MIXED = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2, 0.5, 1.0).on("vectors")

some_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)
any_kernel = st.sampled_from([*KINDS, "sum"]).flatmap(twins).map(lambda twin: twin.kernel)
same_bits = np.testing.assert_array_equal


def near(product, gram, W, within=1e-12):
    """Within so much of the sum of absolute terms: the result itself may cancel."""
    assert product.shape == W.shape
    assert (np.abs(product - gram @ W) <= within * (np.abs(gram) @ np.abs(W))).all()


def random_weights(n, columns, seed=0):
    """Numbers of both signs; but for the first, some columns and most of some others are zero."""
    rng = np.random.default_rng(seed)
    shares = np.append(1.0, rng.choice([0, 0.05, 1], columns - 1))
    return rng.normal(size=(n, columns)) * (rng.random((n, columns)) < shares)


@st.composite
def weights(draw, n):
    """A vector, or a matrix of some columns."""
    shape = (n, *draw(st.lists(st.integers(0, 3), max_size=1)))
    numbers = st.sampled_from([0.0, 1.0, -1.0, 2.5, -0.375])
    return np.array(draw(st.lists(numbers, min_size=prod(shape), max_size=prod(shape)))).reshape(shape)


@pytest.fixture(scope="module")
def crowd():
    return forest(random_trees(90, seed=1, labels=["a", "b", "a*1"], largest=12))


# --- values -----------------------------------------------------------------------------------------------------------


@all_kinds
@given(data=st.data(), some_trees=tree_lists())
def test_operator_equals_the_sums_of_the_oracle(kind, data, some_trees):
    twin, W = data.draw(twins(kind)), data.draw(weights(len(some_trees)))
    near(twin.kernel.operator(forest(some_trees), method="compiled") @ W, twin.expected(some_trees, some_trees), W)


@given(data=st.data(), decay=eighths, longest=st.none() | st.integers(1, 5), normalised=st.booleans())
def test_operator_over_sequences_equals_the_sums_of_the_oracle(data, decay, longest, normalised):
    sequences = data.draw(st.lists(st.text("ab", max_size=6), max_size=5))
    kernel = gm.SubsequenceKernel(decay, longest)
    definition = lambda s, t: oracle.subsequences(s, t, decay, longest)  # noqa: E731
    if normalised:
        kernel, definition = gm.Normalized(kernel), oracle.normalised(definition)
    gram = np.array([[float(definition(s, t)) for t in sequences] for s in sequences])
    W = data.draw(weights(len(sequences)))
    near(kernel.operator(sequences, method="compiled") @ W, gram.reshape(2 * (len(sequences),)), W)


@given(kernel=any_kernel, trees=crowds())
def test_all_methods_give_the_sums_of_kernels(kernel, trees):
    X = forest(trees)
    W, gram = random_weights(len(X), 3), kernel.direct(X)
    for method in ("auto", "compiled", "gram", "rows"):
        near(kernel.operator(X, method=method) @ W, gram, W)


@given(kernel=st.builds(gm.SubsequenceKernel, eighths, st.none() | st.integers(1, 6)), seed=st.integers(0, 2**32))
def test_operator_over_many_sequences_gives_the_sums_of_kernels(kernel, seed):
    rng = np.random.default_rng(seed)
    X = gm.Forest.from_sequences(
        rng.choice(list("abcd")[: rng.integers(1, 5)], rng.integers(0, 13)) for _ in range(100)
    )
    W = random_weights(len(X), 2)
    near(kernel.operator(X, method="compiled") @ W, kernel.direct(X), W)


@pytest.mark.parametrize("kernel", [MIXED, gm.Normalized(MIXED), 0.5 * gm.Normalized(MIXED) + MIXED], ids=str)
def test_operator_over_fields_gives_the_sums_of_kernels(kernel, crowd):
    X = gm.Examples(trees=crowd, vectors=np.random.default_rng(2).integers(0, 2, (len(crowd), 5)))
    W = random_weights(len(X), 3)
    op = kernel.operator(X)
    assert op.method == "compiled+gram"
    near(op @ W, kernel(X), W)
    np.testing.assert_allclose(op.diagonal(), np.diagonal(kernel(X)), rtol=1e-12)


@pytest.mark.parametrize("kernel", [gm.OrderedTreeKernel(marked=True), KERNELS[0] + KERNELS[2]], ids=str)
def test_marks_in_a_field_of_strings_are_read_as_the_kernel_wants_them(kernel):
    X, W = gm.Examples(trees=["(a*1 b)", "(a*1 (b c))"]), np.eye(2)
    for in_field in (kernel.on("trees"), gm.Normalized(kernel).on("trees"), gm.Normalized(kernel.on("trees"))):
        near(in_field.operator(X, method="compiled") @ W, in_field(X), W)


@some_kernels
def test_deep_chains(kernel):
    chains = ["".join(f"(n{level}*1 " for level in range(begin, 20_000)) + "x" + ")" * (20_000 - begin)
              for begin in (0, 1, 17_000)]  # fmt: skip
    chains += ["(a*1 " * depth + "x" + ")" * depth for depth in (800, 799)]
    X, W = gm.Forest.from_strings(chains, marks=True), random_weights(5, 4)
    near(kernel.operator(X, method="compiled") @ W, kernel.direct(X), W, within=1e-11)


@some_kernels
def test_more_subtrees_of_one_production_than_narrow_places_can_tell_apart(kernel):
    n, some = 70_000, np.array([0, 1, 7, 69_999])
    X, W = gm.Forest.from_strings([f"(S (A w{i}) (B*1 w{i % 3}))" for i in range(n)], marks=True), random_weights(n, 2)
    rows, product = kernel.rows(X).take(some), kernel.operator(X, method="compiled", n_jobs=2) @ W
    assert (np.abs(product[some] - rows @ W) <= 1e-11 * (rows @ np.abs(W))).all()


@pytest.mark.parametrize("text", ["(a*1)", "(a*1 b)"])
@some_kernels
def test_one_tree(kernel, text):
    X = gm.Forest.from_strings([text], marks=True)
    near(kernel.operator(X, method="compiled") @ [2.0], kernel(X), np.array([2.0]))


@pytest.mark.parametrize("method", ["auto", "compiled", "gram", "rows"])
@some_kernels
def test_no_trees(kernel, method):
    op = kernel.operator([], method=method)
    assert op.shape == (0, 0)
    assert (op @ []).shape == (0,)
    assert (op @ np.empty((0, 3))).shape == (0, 3)


# --- laws -------------------------------------------------------------------------------------------------------------


@given(kernel=any_kernel, trees=crowds(), scale=st.sampled_from([-3.0, 0.5, 1e6]))
def test_operator_is_symmetric_and_linear(kernel, trees, scale):
    op = kernel.operator(forest(trees), method="compiled")
    x, y = np.random.default_rng(1).normal(size=(2, len(trees)))
    product, magnitude = op @ y, op @ np.abs(y)
    assert abs(x @ product - y @ (op @ x)) <= 1e-12 * (np.abs(x) @ magnitude)
    assert (np.abs(op @ (x + scale * y) - (op @ x + scale * product))
            <= 1e-12 * (op @ np.abs(x) + abs(scale) * magnitude)).all()  # fmt: skip


@some_kernels
def test_zero_weights_give_zeros(kernel, crowd):
    same_bits(kernel.operator(crowd) @ np.zeros((len(crowd), 3)), np.zeros((len(crowd), 3)))


@given(kernel=any_kernel, trees=crowds(), columns=st.integers(2, 17), seed=st.integers(0, 99))
def test_a_column_has_the_bits_it_has_alone(kernel, trees, columns, seed):
    """Where all weights of a list are zero it is skipped, but not for the sake of one column among others."""
    op, W = kernel.operator(forest(trees), method="compiled"), random_weights(len(trees), columns, seed)
    product = op @ W
    for column in range(columns):
        same_bits(op @ W[:, column], product[:, column])


@pytest.mark.parametrize("method", ["gram", "rows"])
def test_a_column_has_the_bits_it_has_alone_by_other_methods(method, crowd):
    op, W = gm.PartialTreeKernel().operator(crowd, method=method, n_jobs=2), random_weights(len(crowd), 17)
    product = op @ W
    for column in range(17):
        same_bits(op @ W[:, column], product[:, column])


@given(kernel=any_kernel, trees=crowds())
def test_threads_do_not_change_a_bit(kernel, trees):
    X, W = forest(trees), random_weights(len(trees), 3)
    alone = kernel.operator(X, method="compiled")
    for n_jobs in (2, 3):
        same_bits(kernel.operator(X, method="compiled", n_jobs=n_jobs) @ W, alone @ W)
        same_bits(alone.apply(W, n_jobs=n_jobs), alone @ W)


def test_weights_may_be_of_any_layout_and_type(crowd):
    op, W = gm.SubsetTreeKernel().operator(crowd), np.arange(3.0 * len(crowd)).reshape(-1, 3) % 5 - 2
    for same in (np.asfortranarray(W), np.repeat(W, 2, axis=0)[::2], W.astype(int), W.astype(np.float32), W.tolist()):
        same_bits(op @ same, op @ W)
    same_bits(op @ (W > 0), op @ (W > 0).astype(float))
    assert (op @ W[:, :1]).shape == (len(crowd), 1)


# --- appending --------------------------------------------------------------------------------------------------------

SOURCES = {
    "strings": to_strings,
    "tuples": lambda trees: [relabelled(tree, str) for tree in trees],
    "another store": lambda trees: forest([("c", "b"), *trees])[1:],
}


@pytest.mark.parametrize("source", [*SOURCES, "the same store"])
@given(data=st.data(), kernel=any_kernel, trees=tree_lists(max_size=9) | crowds())
def test_an_extended_operator_is_the_one_of_all_trees(source, data, kernel, trees):
    X, W = forest(trees), random_weights(len(trees), 2)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(trees)), min_size=1, max_size=3)))
    op = kernel.operator(forest(trees[: cuts[0]]) if source in SOURCES else X[: cuts[0]], method="compiled")
    for begin, end in pairwise([*cuts, len(trees)]):
        op.extend(SOURCES[source](trees[begin:end]) if source in SOURCES else X[begin:end])
    whole = kernel.operator(X, method="compiled")
    same_bits(op @ W, whole @ W)
    assert (op.shape, op.n_trees, op.n_subtrees) == (whole.shape, whole.n_trees, whole.n_subtrees)
    same_bits(op.diagonal(), whole.diagonal())


@pytest.mark.parametrize("method", ["gram", "rows"])
def test_other_methods_are_extended_too(method, crowd):
    kernel, W = gm.Normalized(gm.PartialTreeKernel()), random_weights(len(crowd), 2)
    op = kernel.operator(crowd[:50], method=method)
    op.extend(crowd[50:])
    assert op.method == method
    same_bits(op @ W, kernel.operator(crowd, method=method) @ W)


def test_trees_that_are_known_compile_nothing(crowd):
    op = gm.SubsetTreeKernel().operator(crowd)
    nbytes, X = op.nbytes, crowd[np.arange(len(crowd)) // 2]
    op.extend(X)
    assert op.n_trees == len({*crowd})
    assert op.nbytes <= nbytes + 8 * len(X)


@pytest.mark.parametrize("several", [list, iter, np.array])
def test_strings_are_read_as_those_the_forest_was_made_of(several):
    X = gm.Forest.from_strings(["(NP-SBJ The)"], functions=False, lowercase=True)
    op = gm.SubsetTreeKernel(1.0).operator(X)
    op.extend(several(["(NP-OBJ the)"]))
    same_bits(op @ [1.0, 0.0], [1.0, 1.0])


def test_an_operator_and_its_forest_grow_apart(crowd):
    X, W = crowd[:50], random_weights(50, 1)
    op = gm.SubsetTreeKernel().operator(X)
    before = op @ W
    X.extend(crowd[50:])
    same_bits(op @ W, before)
    op.extend(crowd[50:60])
    assert (len(X), op.shape) == (len(crowd), (60, 60))


def stop(done, total):
    raise KeyError("enough")


@pytest.mark.parametrize(
    ("more", "options", "error"),
    [
        (["(a b)", "(a b"], {}, "never closed"),
        ("(a b)", {}, "a single str"),
        ([f"(a w{i})" for i in range(5000)], {}, "max_bytes"),
        (["(a new)"], {"progress": stop}, "enough"),
        (["(new " * 400 + "x" + ")" * 400], {}, "range of double"),
    ],
    ids=["text", "type", "size", "stopped", "range"],
)
@pytest.mark.parametrize("kernel", [gm.SubsetTreeKernel(6.0), gm.SubtreeKernel(6.0)], ids=str)
def test_nothing_has_changed_after_an_error(kernel, more, options, error, crowd):
    W = random_weights(60, 2)
    op = kernel.operator(crowd[:50], method="compiled", max_bytes=300_000)
    before, nbytes = op @ W[:50], op.nbytes
    with pytest.raises((ValueError, KeyError), match=error):
        op.extend(more, **options)
    assert (op.shape, op.nbytes) == ((50, 50), nbytes)
    same_bits(op @ W[:50], before)
    op.extend(crowd[50:60])
    same_bits(op @ W, kernel.operator(crowd[:60], method="compiled") @ W)
