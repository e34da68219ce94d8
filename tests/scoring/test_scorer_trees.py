"""Scorers of machines on trees: by lists, by vectors of Delta and mapped they are the definition, in any company."""

from __future__ import annotations

import threading
import time
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.scoring.composed import Made, Mapped
from gristmill.scoring.kernel_engines import Folded
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.scorer import Scorer
from tests.data.tree_strategies import MAY_BE_UNMARKED, crowds, tree_lists
from tests.kernels.test_trees import KINDS, eighths, forest, random_trees, twins
from tests.oracle import trees as oracle

pytestmark = MAY_BE_UNMARKED

ENOUGH = (2**62, 10**6)  # what lists may take, bytes and steps: more would take the tests too long
WAYS = {"lists": ENOUGH, "vectors": (0, 0), "mapped": ENOUGH}
KERNELS = [
    gm.SubtreeKernel(),
    gm.SubsetTreeKernel(leaves=True),
    gm.ProductionTreeKernel(single_nodes=True),
    gm.ProductionTreeKernel(marked=True),
    gm.ProductionTreeKernel(marked=True, single_nodes=True),
    gm.PartialTreeKernel(weighting="span"),
    gm.PartialTreeKernel(weighting="span-1", max_children=2),
    gm.PartialTreeKernel(single_nodes=False),
    gm.OrderedTreeKernel(),
    gm.OrderedTreeKernel(marked=True),
    gm.Normalized(gm.SubsetTreeKernel()),
    gm.Normalized(gm.SubsetTreeKernel() + 0.5 * gm.PartialTreeKernel()) + 2.0 * gm.SubtreeKernel(),
]
MIXED = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2, 0.5, 1.0).on("vectors")
FIELDS = [
    MIXED,
    gm.Normalized(MIXED),
    gm.Normalized(gm.PartialTreeKernel().on("trees")) + gm.OrderedTreeKernel(marked=True).on("others") + MIXED,
]
NAMES = ["unseen", "word", "a*7", "a", "b", "b*1"]  # some of which the support lacks

all_ways = pytest.mark.parametrize("way", WAYS)
some_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)
any_twin = st.sampled_from([*KINDS, "sum"]).flatmap(twins)
any_kernel = any_twin.map(lambda twin: twin.kernel)
seeds = st.integers(0, 2**32)
same_bits = np.testing.assert_array_equal


@pytest.fixture(autouse=True, scope="module")
def limited():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "worthwhile", lambda trees: ENOUGH)
        yield


def stop(done, total):
    raise KeyError("enough")


def compiled(machine, way):
    """A scorer that goes this way; by vectors where there is no other."""
    if way == "direct":
        return machine.compile("direct")
    source = Made(is_kept=way == "mapped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "worthwhile", lambda trees: WAYS[way])
        engine = Folded(machine, source)
    if way == "mapped" and source.arrays is not None:
        engine = Folded(machine, Mapped(source.arrays))
    return Scorer(machine, engine, way, CompileOptions())


def scores_of(machine, way, x, **options):
    return compiled(machine, way).decision_function(x, **options).reshape(len(x), machine.n_outputs)


def near(scores, gram, machine, within=1e-9):
    """Within so much of |b| + sum_i |a_i| k(s_i, x): the score itself may cancel."""
    coef, intercept = machine.dense_coef(), machine.intercept
    assert (abs(scores - (gram @ coef + intercept)) <= within * (abs(intercept) + gram @ abs(coef))).all()


def random_machine(kernel, support, n_outputs, seed=0, **options):
    """Coefficients of both signs, some of them zero."""
    rng = np.random.default_rng(seed)
    coef = rng.normal(size=(len(support), n_outputs)) * (rng.random((len(support), n_outputs)) < 0.8)
    return gm.Machine(kernel, support, coef, rng.normal(size=n_outputs), **options)


# --- trees to be scored -----------------------------------------------------------------------------------------------


def changed(random, tree):
    """The tree with another label somewhere."""
    below = oracle.children(tree)
    if not below or random.random() < 0.3:
        return oracle.node(random.choice(NAMES), below)
    at = random.randrange(len(below))
    return oracle.node(
        oracle.label(tree), [changed(random, child) if n == at else child for n, child in enumerate(below)]
    )


def takes_subsequences(kernel):
    return "Partial" in repr(kernel) or "Ordered" in repr(kernel)


@st.composite
def tasks(draw):
    """A kernel, support trees, and trees of the same making: of the support, changed somewhere, of one node."""
    kernel, trees, random = draw(any_kernel), draw(crowds())[:90], Random(draw(seeds))
    queries = [
        *trees[len(trees) // 3 :],
        *(changed(random, tree) for tree in random.sample(trees, len(trees) // 3)),
        *(("S", changed(random, tree), tree) for tree in trees[:3]),
        *NAMES,
    ]
    return kernel, forest(trees[: len(trees) // 2]), forest(queries)


def many_of_one_production(n_trees, seed, width=4):
    """Trees under one production with places for few subtrees, and their parents: lists of hundreds."""
    random = Random(seed)
    few = [("a", "b"), ("a", "c*1"), ("a", ("b", "c*1")), ("a", ("b", "a")), ("a", ("b", ("a", "b"))), "a"]
    below = [("S", *random.choices(few, k=width), ("b", *random.choices(few, k=2))) for _ in range(n_trees)]
    return [*below, *(("T", *random.sample(below, 2)) for _ in range(n_trees // 3))]


# --- every way is the definition --------------------------------------------------------------------------------------


@given(twin=any_twin, support=tree_lists(), x=tree_lists(), n_outputs=st.integers(1, 5), seed=seeds)
def test_scores_are_those_of_the_oracle(twin, support, x, n_outputs, seed):
    ours, gram = random_machine(twin.kernel, forest(support), n_outputs, seed), twin.expected(x, support)
    for way in (*WAYS, "direct"):
        near(scores_of(ours, way, forest(x)), gram, ours)


texts = st.lists(st.text("abz", max_size=6), max_size=5)


@given(decay=eighths, longest=st.none() | st.integers(1, 5), is_normalised=st.booleans(), support=texts, x=texts)
def test_scores_of_sequences_are_those_of_the_oracle(decay, longest, is_normalised, support, x):
    kernel = gm.SubsequenceKernel(decay, longest)
    definition = lambda s, t: oracle.subsequences(s, t, decay, longest)  # noqa: E731
    if is_normalised:
        kernel, definition = gm.Normalized(kernel), oracle.normalised(definition)
    gram = np.array([[float(definition(s, t)) for t in support] for s in x]).reshape(len(x), len(support))
    ours = random_machine(kernel, support, 2)
    for way in (*WAYS, "direct"):
        near(scores_of(ours, way, x), gram, ours)


@given(task=tasks(), n_outputs=st.integers(1, 5), seed=seeds)
def test_every_way_is_the_definition_within_what_is_allowed_for_rounding(task, n_outputs, seed):
    kernel, support, x = task
    ours, gram = random_machine(kernel, support, n_outputs, seed), kernel.direct(x, support)
    wanted = (gram[:, :, None] * ours.dense_coef()).sum(axis=1) + ours.intercept
    for way in WAYS:
        engine = compiled(ours, way)._engine
        scores = engine.scores(x, 1, None)
        near(scores, gram, ours)
        assert (abs(scores - wanted) <= 2 * engine.bounds(x)).all()
        assert (abs(scores - wanted) <= 2 * engine._rounding(x, engine._absolute.scores(x, 1, None))).all()


@some_kernels
def test_lists_of_hundreds_of_subtrees(kernel):
    width = 1 if takes_subsequences(kernel) else 3
    support, x = (forest(many_of_one_production(n, seed, width)) for n, seed in ((250, 1), (20, 2)))
    ours, gram = random_machine(kernel, support, 2), kernel.direct(x, support)
    for way in WAYS:
        near(scores_of(ours, way, x), gram, ours)
    assert compiled(ours, "lists")._engine.terms > len(support) or kernel == gm.SubtreeKernel()


@given(decay=eighths, longest=st.none() | st.integers(1, 6), seed=seeds)
def test_many_sequences(decay, longest, seed):
    rng = np.random.default_rng(seed)
    some = ["".join(rng.choice(list("abcd")[: rng.integers(1, 5)], rng.integers(0, 13))) for _ in range(80)]
    kernel = gm.SubsequenceKernel(decay, longest)
    support, x = kernel.examples(some[:50]), kernel.examples([*some[40:], "zebra", "z", ""])
    ours, gram = random_machine(kernel, support, 2), kernel.direct(x, support)
    for way in WAYS:
        near(scores_of(ours, way, x), gram, ours)


@all_ways
@pytest.mark.parametrize("kernel", FIELDS, ids=str)
def test_examples_of_several_fields(kernel, way):
    trees = forest(random_trees(120, seed=1, labels=["a", "b", "c*1"], largest=12))
    vectors = np.random.default_rng(2).integers(0, 2, (len(trees), 6))
    X = gm.Examples(trees=trees, others=trees[::-1], vectors=vectors)
    ours, x = random_machine(kernel, X[:70], 3), X[50:]
    near(scores_of(ours, way, x), kernel.direct(x, X[:70]), ours)
    none = gm.Machine(kernel, X[:0], np.empty((0, 2)), [1.0, 2.0])
    near(scores_of(none, way, x), np.empty((len(x), 0)), none)


# --- any company, any store, any number of threads --------------------------------------------------------------------


@given(task=tasks(), n_outputs=st.integers(1, 5), seed=seeds)
def test_a_score_has_the_same_bits_in_any_company(task, n_outputs, seed):
    kernel, support, x = task
    ours, order = random_machine(kernel, support, n_outputs, seed), np.random.default_rng(seed).permutation(len(x))
    for way in WAYS:
        scorer = compiled(ours, way)
        scores = scorer.decision_function(x)
        same_bits(scorer.decision_function(x[order]), scores[order])
        same_bits(scorer.decision_function(x, n_jobs=2), scores)
        for at in order[:10]:
            same_bits(scorer.decision_function(x[[at]])[0], scores[at])


@given(task=tasks(), n_outputs=st.integers(1, 3))
def test_a_score_has_the_same_bits_from_any_store(task, n_outputs):
    kernel, support, x = task
    shared, other = forest([]), forest([("unseen", ("b", "a"), "c*3")])
    for some in (support, x):
        shared.extend(some)
    other.extend(x)
    other = other[1:]
    for way in WAYS:
        scorer = compiled(random_machine(kernel, shared[: len(support)], n_outputs), way)
        same_bits(scorer.decision_function(shared[len(support) :]), scorer.decision_function(other))
        grown = forest([])
        grown.extend(support)
        scorer = compiled(random_machine(kernel, grown, n_outputs), way)
        scores = scorer.decision_function(other)
        grown.extend(list(x))
        same_bits(scorer.decision_function(grown[len(support) :]), scores)
        same_bits(scorer.decision_function(other), scores)


@all_ways
@some_kernels
def test_a_few_trees_of_a_large_store(kernel, way):
    """Whose nodes and symbols are not all looked at."""
    some = random_trees(40, seed=6, labels=["a", "b", "c*1", "w7"], largest=12)
    words = [("S", (f"w{n}", "a"), ("b", f"v{n}*2")) for n in range(3000)]
    small, large = forest(some), forest([*words[:1500], *some, *words[1500:]])[1500:1540]
    machines = [random_machine(kernel, trees[:30], 2) for trees in (small, large)]
    for ours in machines:
        scorer = compiled(ours, way)
        scores = scorer.decision_function(small)
        near(scores, kernel.direct(small, small[:30]), ours)
        same_bits(scorer.decision_function(large), scores)
        for at in (0, 10, 29, 31, 39):
            for trees in (small, large):
                same_bits(scorer.decision_function(trees[at : at + 1])[0], scores[at])


@all_ways
@some_kernels
def test_threads_do_not_change_a_bit(kernel, way):
    support, x = (forest(random_trees(n, seed=n, labels=["a", "b", "c", "d*1"])) for n in (60, 300))
    scorer = compiled(random_machine(kernel, support, 3), way)
    scores = scorer.decision_function(x)
    for n_jobs in (2, 3):
        same_bits(scorer.decision_function(x, n_jobs), scores)


@all_ways
def test_a_forest_may_grow_while_its_trees_are_scored(way):
    """Support, what is scored and what comes share one store."""
    whole = forest(random_trees(300, seed=5, labels=["a", "b", "c*1"]))
    scorer = compiled(random_machine(gm.PartialTreeKernel(), whole[:100], 2), way)
    wanted, found, part = scorer.decision_function(whole), [], whole[:]

    def score():
        found.extend(scorer.decision_function(part, n_jobs=2) for _ in range(10))

    readers = [threading.Thread(target=score) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(200):
        whole.extend([f"(n{n} (a b) (w{n} c))" for _ in range(20)])
    for reader in readers:
        reader.join()
    assert len(found) == 30
    for scores in found:
        same_bits(scores, wanted)


# --- trees of every shape ---------------------------------------------------------------------------------------------

DEPTH = 20_000


def chain(labels, leaf="x"):
    return "".join(f"({label} " for label in labels) + leaf + ")" * len(labels)


@some_kernels
def test_deep_chains(kernel):
    """Known, partly known, with a leaf that nobody has, and of one label."""
    names = [f"n{level}*1" for level in range(DEPTH)]
    support = [chain(names), chain(["a*1"] * 100), chain(names[17_000:]), chain(["a*1"] * 99, "b")]
    queries = [*support, chain(["a*1", "unseen", *names]), chain(names[-2000:], "unseen"), chain(["a*1"] * 500, "b")]
    support, x = (gm.Forest.from_strings(strings, marks=True) for strings in (support, queries))
    ours, gram = random_machine(kernel, support, 2), kernel.direct(x, support)
    for way in WAYS:
        near(scores_of(ours, way, x), gram, ours)


def wide(n):
    children = [
        ["(a b)"],
        ["(a b)"] * n,
        ["(a b)"] * (n + 1),
        ["a"] * n + ["(a c*1)"],
        ["(a c)"] * 3 + ["(a b)"] * (n - 3),
    ]
    return [f"(S {' '.join(below)})" for below in children]


@all_ways
@some_kernels
def test_wide_nodes(kernel, way):
    n = 8 if takes_subsequences(kernel) else 60
    support = gm.Forest.from_strings(wide(n)[1:], marks=True)
    more = [f"(S {'(a b) (a unseen) ' * (n // 2)})", f"(T {' '.join(wide(n)[:2])} {wide(n)[3]})"]
    x = gm.Forest.from_strings([*wide(n), *more], marks=True)
    ours = random_machine(kernel, support, 2)
    near(scores_of(ours, way, x), kernel.direct(x, support), ours)


def flat_trees(n_trees, width):
    """Nodes with many children of one label."""
    random, few = Random(0), ["(a b)", "(a a)", "a", "(a (a b*1))"]
    return [f"(a {' '.join(random.choices(few, k=width))})" for _ in range(n_trees)]


@pytest.mark.parametrize("kernel", [gm.PartialTreeKernel(), gm.OrderedTreeKernel()], ids=str)
def test_a_wide_node_takes_no_longer_than_by_the_definition(kernel):
    """Where lists have more ways through them than anyone can walk."""
    x = gm.Forest.from_strings(flat_trees(1, 60))
    ours = random_machine(kernel, gm.Forest.from_strings(flat_trees(30, 6)), 1)
    seconds = []
    for engine in ("direct", "auto"):
        scorer, start = ours.compile(engine), time.perf_counter()
        for _ in range(3):
            scorer.decision_function(x)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 20 * seconds[0]


@pytest.mark.parametrize("kernel", [gm.PartialTreeKernel(), gm.OrderedTreeKernel(0.1, marked=True)], ids=str)
def test_nodes_too_wide_for_lists(kernel):
    """Compiling turns to vectors."""
    x = gm.Forest.from_strings(flat_trees(21, 40), marks=True)
    ours = random_machine(kernel, x[:20], 2)
    scorer = ours.compile("forest")
    assert scorer._engine.terms == 0  # there are no lists
    near(scorer.decision_function(x), kernel.direct(x, x[:20]), ours)


@all_ways
@some_kernels
def test_trees_of_one_node(kernel, way):
    support = gm.Forest.from_strings(["(a*1)", "(b)", "(a b)", "(c*1 (a*1 b))"], marks=True)
    x = gm.Forest.from_strings(["(a)", "(b)", "(a*1)", "(c*1)", "(unseen)", "(a*2)", "(b a)"], marks=True)
    ours = random_machine(kernel, support, 3)
    near(scores_of(ours, way, x), kernel.direct(x, support), ours)
    alone = random_machine(kernel, support[:1], 3)
    near(scores_of(alone, way, x), kernel.direct(x, support[:1]), alone)


@all_ways
@some_kernels
def test_nothing_in_common_is_the_intercept_to_the_last_bit(kernel, way):
    ours = random_machine(kernel, forest(random_trees(50, seed=1)), 3)
    x = forest([("unseen", "word"), "word", ("unseen", ("word*1", "x"), "y")])
    same_bits(scores_of(ours, way, x), [ours.intercept] * 3)


# --- machines of every kind -------------------------------------------------------------------------------------------


@all_ways
@some_kernels
def test_machines_without_weight(kernel, way):
    """No support, no coefficient that counts, or ones that add up to nothing."""
    x = forest(random_trees(50, seed=2, labels=["a", "b", "c*1"]))
    none = gm.Machine(kernel, x[:0], np.empty((0, 2)), [1.5, -2.0])
    zero = gm.Machine(kernel, x[:9], np.zeros((9, 2)), [1.5, -2.0])
    for ours in (none, zero):
        same_bits(scores_of(ours, way, x), [[1.5, -2.0]] * 50)
        assert scores_of(ours, way, x[:0]).shape == (0, 2)
    opposite = gm.Machine(kernel, x[[*range(9), *range(9)]], np.repeat([[1.0, 2.0], [-1.0, -2.0]], 9, axis=0), [0, 0])
    near(scores_of(opposite, way, x), kernel.direct(x, opposite.support), opposite)


@given(task=tasks(), seed=seeds)
def test_equal_support_trees_are_one_with_the_sum_of_their_coefficients(task, seed):
    kernel, support, x = task
    twice = np.random.default_rng(seed).integers(0, len(support), 2 * len(support))
    repeated = random_machine(kernel, support[twice], 2, seed)
    coef = np.zeros((len(support), 2))
    np.add.at(coef, twice, repeated.coef)
    merged, gram = gm.Machine(kernel, support, coef, repeated.intercept), kernel.direct(x, support)[:, twice]
    for way in WAYS:
        near(scores_of(merged, way, x), gram, repeated)
        near(scores_of(repeated, way, x), gram, repeated)


@all_ways
def test_numbers_of_every_size(way):
    """Folding does not lose what the definition keeps."""
    x = forest(random_trees(40, seed=3, labels="ab"))
    kernel = gm.SubsetTreeKernel()
    ours = gm.Machine(kernel, x, np.logspace(-200, 200, 40)[:, None] * [[1.0, -1.0]], [0.0, 1.0])
    near(scores_of(ours, way, x), kernel.direct(x, x), ours)


LARGE = ("c", *[("b", *[("a", *[("p", "x")] * 16)] * 16)] * 16)  # 2^16 fragments, then about 2^256, then 2^4096


@all_ways
@pytest.mark.parametrize(
    "kernel",
    [
        gm.SubsetTreeKernel(1.0),
        gm.ProductionTreeKernel(1.0, marked=True),
        gm.PartialTreeKernel(1.0, 1.0),
        gm.PartialTreeKernel(1.0, 1.0, single_nodes=False),
        gm.OrderedTreeKernel(1.0),
    ],
    ids=str,
)
def test_scores_that_leave_the_range_are_an_error_that_names_the_tree(kernel, way):
    small = [("a", ("p", "x")), ("p", "x")]
    with pytest.raises(ValueError, match=r"tree \d.*range of double"):
        scores_of(gm.Machine(kernel, forest([*small, LARGE]), np.ones((3, 1)), 0.0), way, forest([*small, LARGE]))
    ours = gm.Machine(kernel, forest(small), np.full((2, 1), 1e307), 0.0)
    if kernel.marked:
        return
    with pytest.raises(ValueError, match=r"tree 1.*range of double"):
        scores_of(ours, way, forest(["a", LARGE, LARGE]))
