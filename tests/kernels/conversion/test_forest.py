"""ConvertedForest: a forest like any other, whose kernels are those of the plain trees."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
import gristmill.kernels.conversion.forest
from gristmill import _core
from gristmill.kernels import TreeRows
from gristmill.kernels.conversion.forest import RULES, fragments_of
from gristmill.kernels.conversion.rows import ConvertedRows
from gristmill.kernels.named import TREE_KERNELS
from tests.data.tree_strategies import MAY_BE_UNMARKED, to_strings, tree_lists

pytestmark = MAY_BE_UNMARKED

MARKED = [
    "(S (NP*1 the dog) (VP (V barks) (ADV loud)))",
    "(S (NP*1 the cat) (VP (V barks) (ADV loud)))",
    "(S (NP*1 dogs) (VP*2 (V bark)))",
    "(S (NP*1 the dog) (VP (V barks) (ADV loud)))",
    "(S (NP the dog) (VP*2 (V barks)))",
]
NAMES = ["lo", "lo-marked", "c", "c-marked", "sst"]
CLASSES = {
    "lo": gm.OrderedTreeKernel,
    "lo-marked": lambda decay: gm.OrderedTreeKernel(decay, marked=True),
    "c": lambda decay: gm.ProductionTreeKernel(decay, single_nodes=True),
    "c-marked": lambda decay: gm.ProductionTreeKernel(decay, marked=True),
    "sst": gm.SubsetTreeKernel,
}


TWO_KINDS = [
    f"(S (NP*1 {subject}) (VP (V {verb}) (NP n{n})))" if kind else f"(S (PP*2 in) (ADV {subject}) (X {verb} n{n}))"
    for n, subject in enumerate(("dogs", "cats", "cows"))
    for verb in ("see", "hear", "like", "eat")
    for kind in (0, 1)
]


def clusters(gram):
    found = gram[:, [0, -1]].argmax(axis=1)  # nearest to the first tree or to the last one
    for _ in range(20):
        means = (found[:, None] == np.arange(2)) / np.maximum(np.bincount(found, minlength=2), 1)
        found = (np.einsum("ik,ij,jk->k", means, gram, means) - 2 * gram @ means).argmin(axis=1)
    return found.tolist()


def convert(trees, kernel, **limits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.MaliciousPairsWarning)
        return gm.ConvertedForest(trees, kernel, **limits)


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=0)


@given(
    tree_lists(min_size=0, max_size=8),
    st.sampled_from(NAMES),
    st.integers(1, 8),
    st.sampled_from([1.0, 2.0, 20.0]),
    st.booleans(),
)
def test_one_conversion_gives_every_kernel_of_its_fragments(trees, name, max_size, max_embeddings, compress):
    forest = gm.Forest.from_strings(to_strings(trees), marks=True)
    limits = {"max_size": max_size, "max_embeddings": max_embeddings, "compress": compress}
    converted = convert(forest, CLASSES[name](0.3), **limits)
    for decay in (0.05, 0.7, 1.0):
        for kernel in (CLASSES[name](decay), gm.Normalized(CLASSES[name](decay))):
            assert isinstance(kernel.rows(converted), ConvertedRows)
            close(kernel(converted), kernel(forest))
            half = len(trees) // 2
            close(kernel(converted[half:], converted[:half]), kernel(forest[half:], forest[:half]))


@given(tree_lists(min_size=1, max_size=8), st.sampled_from(NAMES), st.data())
def test_parts_in_any_order_are_of_the_same_conversion(trees, name, data):
    forest = gm.Forest.from_strings(to_strings(trees), marks=True)
    kernel = gm.Normalized(CLASSES[name](0.5))
    converted = convert(forest, kernel, max_size=4)
    columns = data.draw(st.lists(st.integers(0, len(trees) - 1), max_size=6))
    queries = data.draw(st.lists(st.integers(0, len(trees) - 1), max_size=6))
    rows = kernel.rows(converted[columns])
    assert isinstance(rows, ConvertedRows)
    close(rows.against(converted[queries]), kernel(forest[queries], forest[columns]))
    some = np.array(queries, dtype=np.intp) % max(len(columns), 1) if columns else np.empty(0, dtype=np.intp)
    close(rows.take(some), kernel(forest[columns])[some])
    close(rows.gram(n_jobs=2), kernel(forest[columns]))


# --- like a forest ----------------------------------------------------------------------------------------------------


def test_it_is_the_forest_it_was_made_of():
    forest = gm.Forest.from_strings(MARKED, marks=True)
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    assert converted == forest
    assert list(converted) == list(forest)
    assert converted[1] == forest[1]
    assert converted.shape == (5,)
    assert type(converted.plain) is gm.Forest
    for which in (slice(1, 3), [0, 4], np.array([True, False, True, False, False]), (slice(2), Ellipsis), []):
        part = converted[which]
        assert isinstance(part, gm.ConvertedForest)
        assert part.mined is converted.mined
        assert part == forest[which]
    assert repr(converted[1:3]) == f"ConvertedForest(2 of 5 trees, {converted.stats.patterns} patterns)"


def test_equal_trees_are_one():
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    numbers = converted.numbers()
    assert numbers[0] == numbers[3]
    assert len(set(numbers.tolist())) == converted.stats.trees == 4
    np.testing.assert_array_equal(converted[[4, 0]].numbers(), numbers[[4, 0]])


def test_it_cannot_grow():
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    with pytest.raises(ValueError, match="cannot grow"):
        converted.extend(["(S a)"])
    plain = converted.plain
    plain.extend(["(S a)"])
    assert (len(plain), len(converted)) == (6, 5)


@pytest.mark.parametrize("travel", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_copy_that_travels_arrives_plain(travel):
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    arrived = travel(converted[1:])
    assert type(arrived) is gm.Forest
    assert arrived == converted[1:]


def test_a_shallow_copy_is_of_the_same_conversion():
    part = gm.ConvertedForest(MARKED, "lo-marked")[1:]
    copied = copy.copy(part)
    assert copied is not part
    assert copied == part
    assert copied.mined is part.mined


def test_two_forests_are_converted_together():
    train, dev = (gm.Forest.from_strings(some, marks=True) for some in (MARKED[:3], MARKED[3:]))
    converted = gm.ConvertedForest(train + dev, "lo-marked")
    kernel = gm.Normalized(gm.OrderedTreeKernel(0.3, marked=True))
    close(kernel(converted[3:], converted[:3]), kernel(dev, train))
    assert type(converted + dev) is gm.Forest
    assert list(converted[:1] + dev) == [MARKED[0], *MARKED[3:]]


@pytest.mark.parametrize(
    "make",
    [
        lambda own: own.from_strings(MARKED),
        lambda own: own.from_nested([("S", "a")]),
        lambda own: own.from_ast([]),
        lambda own: own.from_xml([]),
        lambda own: own.from_parents([["a"]], [[-1]]),
        lambda own: own.from_sequences(["ab"]),
        lambda own: own.from_flat(*gm.Forest.from_strings(MARKED).flat()),
    ],
)
def test_it_is_not_read_from_anything(make):
    make(gm.Forest)
    with pytest.raises(TypeError, match=r"ConvertedForest\(Forest.from_strings\(...\), 'lo'\)"):
        make(gm.ConvertedForest)


# --- who uses it ------------------------------------------------------------------------------------------------------


def test_kernels_that_count_something_else_do_not_notice():
    forest = gm.Forest.from_strings(MARKED, marks=True)
    converted = gm.ConvertedForest(forest, "lo-marked")
    others = [gm.OrderedTreeKernel(), gm.ProductionTreeKernel(marked=True), gm.PartialTreeKernel(), gm.SubtreeKernel()]
    for kernel in others:
        assert isinstance(kernel.rows(converted), TreeRows)
        np.testing.assert_array_equal(kernel(converted), kernel(forest))
    mixed = gm.OrderedTreeKernel(0.5, marked=True) + 2 * gm.Normalized(gm.SubsetTreeKernel())
    close(mixed(converted), mixed(forest))


def test_sst_and_c_are_the_same():
    converted = convert(MARKED, "sst")
    assert converted.supports(gm.ProductionTreeKernel(0.1))
    assert not converted.supports(gm.ProductionTreeKernel(0.1, single_nodes=True))
    assert not converted.supports(gm.SubsetTreeKernel(leaves=True))
    assert not converted.supports(gm.PolynomialKernel(2))
    assert converted.supports("sst")
    assert not converted.supports("lo")
    with pytest.raises(ValueError, match="kernel"):
        converted.supports("no such kernel")


def test_what_is_mined_is_what_the_core_can_mine():
    kernels = [make(0.3) for make in CLASSES.values()]
    kernels += [make() for make in TREE_KERNELS.values()]
    kernels += [gm.SubsequenceKernel(), gm.PartialTreeKernel(0.3, 0.3, single_nodes=False), gm.SubsetTreeKernel(1.0)]
    for kernel in kernels:
        assert (fragments_of(kernel) is not None) == _core.supports_mining(kernel._native), kernel


def test_other_trees_are_compared_too():
    kernel = gm.Normalized(gm.OrderedTreeKernel(0.4, marked=True))
    forest, converted = gm.Forest.from_strings(MARKED, marks=True), gm.ConvertedForest(MARKED, "lo-marked")
    unseen = ["(S (NP*1 the dog) (VP (V sleeps)))", MARKED[2]]
    close(kernel(unseen, converted), kernel(unseen, forest))
    close(kernel(converted, unseen), kernel(forest, unseen))
    again = gm.ConvertedForest(MARKED, "lo-marked")
    close(kernel(again, converted), kernel(forest))


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    trees = [f"(S (A a{rng.integers(9)}) (B*1 (C c{rng.integers(5)}) b{rng.integers(5)}))" for _ in range(80)]
    kernel = gm.Normalized(gm.OrderedTreeKernel(0.3, marked=True))
    one, two = (gm.ConvertedForest(trees, "lo-marked", n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.malicious, two.malicious)
    np.testing.assert_array_equal(kernel(one, n_jobs=1), kernel(two, n_jobs=2))


def test_a_machine_scores_trees_that_were_converted_with_its_support():
    kernel = gm.Normalized(gm.OrderedTreeKernel(0.4, marked=True))
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    machine = gm.Machine(kernel, converted[:3], [1.0, -2.0, 0.5], 0.1, classes=["no", "yes"])
    plain = gm.Machine(kernel, converted.plain[:3], [1.0, -2.0, 0.5], 0.1, classes=["no", "yes"])
    scorer = machine.compile("converted")
    assert scorer.engine == "converted"
    assert scorer.nbytes == converted.stats.nbytes
    for X in (converted, converted[3:], MARKED):
        close(scorer.decision_function(X), plain.compile("direct").decision_function(X))
        np.testing.assert_array_equal(scorer.predict(X), plain.compile("direct").predict(X))
    assert machine == plain
    with pytest.raises(ValueError, match="needs support trees of a ConvertedForest"):
        plain.compile("converted")
    with pytest.raises(ValueError, match="more than max_bytes=1"):
        machine.compile("converted", max_bytes=1)


def test_k_means_on_rows_of_converted_trees_finds_the_clusters_of_plain_trees():
    """Lloyd's algorithm by the Gram matrix: distances to the mean of a cluster are means of kernels."""
    kernel = gm.Normalized(gm.OrderedTreeKernel(0.3, marked=True))
    forest = gm.Forest.from_strings(TWO_KINDS, marks=True)
    labels = [clusters(kernel.rows(trees).gram()) for trees in (gm.ConvertedForest(forest, kernel), forest)]
    assert labels[0] == labels[1]
    assert labels[0] in ([0, 1] * 12, [1, 0] * 12)


# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_size", [3, 20])
def test_stats(max_size):
    converted = convert(MARKED, "lo-marked", max_size=max_size)
    assert (len(converted.malicious) > 0) == (max_size == 3)
    stats = converted.stats
    starts, trees, _ = converted.mined.patterns.patterns()
    assert (stats.examples, stats.trees, stats.patterns) == (5, 4, len(starts) - 1)
    assert stats.entries_per_tree == len(trees) / 4
    assert stats.features >= stats.patterns > 0
    assert stats.malicious_rate == (2 * len(converted.malicious) + 4) / 16
    assert converted[:2].stats is stats
    lines = str(stats).splitlines()
    assert lines[0].split() == ["#", "examples", "5"]
    assert [line.rsplit(None, 1)[0].rstrip() for line in lines][5] == "rate of malicious pairs r_m (%)"
    assert len({len(line) for line in lines}) == 1


def test_the_work_of_an_entry_is_what_two_trees_share():
    converted = gm.ConvertedForest(MARKED, "lo-marked")
    rows = gm.OrderedTreeKernel(marked=True).rows(converted[[0, 1, 2, 4]])
    starts = converted.mined.patterns.patterns()[0]
    assert 0 < rows.work <= float((np.diff(starts) ** 2).sum()) / 16
    assert rows.nbytes > converted.stats.nbytes


def test_rare_fragments_are_left_to_dynamic_programming():
    usual, rare = (convert(MARKED, "lo-marked", min_support=least) for least in (2, 3))
    assert rare.stats.features < usual.stats.features
    assert rare.stats.malicious_rate > usual.stats.malicious_rate
    kernel = gm.OrderedTreeKernel(0.4, marked=True)
    close(kernel(rare), kernel(usual))


def test_malicious_pairs_are_numbers_of_trees():
    converted = convert(MARKED, "lo-marked", max_size=3)
    numbers, pairs = converted.numbers(), converted.malicious
    assert pairs.dtype == np.uint32
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert sorted([numbers[0], numbers[1]]) in pairs.tolist()  # (S NP*1 ... ) of three nodes and more


def test_a_warning_where_it_will_not_pay():
    with pytest.warns(gm.MaliciousPairsWarning, match="67% of the pairs of trees share too much") as caught:
        gm.ConvertedForest(MARKED, "lo-marked", max_size=2)
    assert caught[0].filename == __file__


def test_the_histogram_counts_every_pair_once_for_each_row():
    converted = convert(MARKED, "lo-marked", max_size=4)
    found = converted.histogram()
    assert found.rows == 4
    assert found.nothing + sum(found.pairs) == 4 * 3
    assert sum(found.malicious) == 2 * len(converted.malicious)
    gram = gm.OrderedTreeKernel(1.0, marked=True)(converted.plain[[0, 1, 2, 4]])
    others = gram[~np.eye(4, dtype=bool)]
    assert found.nothing == np.count_nonzero(others == 0)
    assert found.pairs[1] == np.count_nonzero((others >= 10) & (others < 100))
    assert found.lowest == 0
    few = converted.histogram(rows=2, decay=0.1, n_jobs=2)
    assert (few.rows, few.nothing + sum(few.pairs)) == (2, 6)
    assert few.lowest < 0
    assert str(found).splitlines()[0].split() == ["K", "from", "pairs", "malicious"]
    assert converted[:0].histogram().pairs == []


def test_the_histogram_begins_where_there_are_pairs():
    trees = [f"(S (A (B b) (C c)) (D (E e) (F f)) x{n})" for n in range(3)]
    found = convert(trees, "lo").histogram()
    assert found.lowest > 0
    assert found.pairs == [6]
    assert len(str(found).splitlines()) == 3


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "ptk"}, "trees can be converted for 'lo', 'lo-marked'"),
        ({"kernel": gm.PolynomialKernel(2)}, "trees can be converted for"),
        ({"kernel": 0.5 * gm.OrderedTreeKernel()}, "trees can be converted for"),
        ({"max_size": 0}, "max_size must be a whole number from 1 on"),
        ({"max_size": 2.5}, "max_size must be"),
        ({"max_embeddings": 0}, "max_embeddings must be a finite number above 0"),
        ({"min_support": 1}, "min_support must be a whole number from 2 on"),
        ({"min_support": 2.5}, "min_support must be a whole number from 2 on"),
        ({"max_bytes": -1}, "max_bytes must be"),
        ({"rules": {"no such rule": True}}, "rules must name rules"),
        ({"rules": {"marks": "perhaps"}}, "rules must name rules"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gm.ConvertedForest(MARKED, **{"kernel": "lo-marked", **options})


def test_too_little_memory_is_said():
    with pytest.raises(gm.PatternsTooLargeError, match="lower max_size"):
        gm.ConvertedForest(MARKED, "lo-marked", max_bytes=10)


def test_rules_change_no_value():
    kernel, forest = gm.OrderedTreeKernel(0.4, marked=True), gm.Forest.from_strings(MARKED, marks=True)
    for rule in set(RULES) - {"size_limit"}:
        for on in (True, False):
            close(kernel(gm.ConvertedForest(forest, "lo-marked", rules={rule: on})), kernel(forest))


def test_rules_are_those_of_the_core():
    assert [name for name in dir(_core.MiningRules) if not name.startswith("_")] == sorted(RULES)


def test_values_beyond_doubles_are_refused():
    trees = [f"(S {'a ' * 1200})", "(S a b)", "(S b)"]
    converted = convert(trees, "lo")
    for kernel in (gm.OrderedTreeKernel(1.0), gm.Normalized(gm.OrderedTreeKernel(1.0))):
        with pytest.raises(ValueError, match="leaves the range of double"):
            kernel(converted)
    with pytest.raises(ValueError, match="with itself leaves the range"):
        gm.Normalized(gm.OrderedTreeKernel(1.0))(converted[1:], converted[:1])


MANY = [f"(S (A*1 a{n % 7} (B b{n % 3})) (C c{n % 5}) (D d{n % 11} (E e{n % 2})))" for n in range(3000)]


def stop(done, total):
    raise KeyboardInterrupt


def test_it_can_be_interrupted():
    with pytest.raises(KeyboardInterrupt):
        gm.ConvertedForest(MANY, "lo-marked", progress=stop)


WAYS = [
    lambda rows, progress: rows.gram(progress=progress),
    lambda rows, progress: rows.take(np.arange(9), progress=progress),
    lambda rows, progress: rows.against(rows.data[:9], progress=progress),
]


@pytest.mark.parametrize("way", WAYS)
def test_rows_report_progress_from_malicious_pairs_on(way):
    kernel = gm.OrderedTreeKernel(0.3, marked=True)
    converted = convert(MANY[:1200], kernel, max_size=4)
    assert len(converted.malicious) > 100
    calls = []
    rows = kernel.rows(converted)
    way(rows, lambda done, total: calls.append(done / total))
    assert min(calls) < 0.5  # malicious pairs
    assert calls[-1] == 1
    calls.clear()
    way(rows, lambda done, total: calls.append(done / total))
    assert calls[-1] == 1
    rows = kernel.rows(converted)
    with pytest.raises(KeyboardInterrupt):
        way(rows, stop)
    assert rows._native is None
