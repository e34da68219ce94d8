"""Forests to mine, the kernels they are mined for, and what the native miner found in the words of the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from tests.data.tree_strategies import from_parents, to_strings, tree_lists
from tests.oracle import freqtm

PLENTY = 1 << 30
ALL_RULES = freqtm.Rules()
LETTERS = [
    ["a"],
    ["a*1"],
    ["a", "b"],
    ["a", "a*1"],
    ["a", "b*1", "b*2"],
    ["a", "b", "c", "a*1"],
    ["a", "b", "c*1", "c*2"],
]


@dataclass(frozen=True)
class Family:
    """Kernels of all decays, and how their fragments grow."""

    kernel: Callable
    growth: object
    marked: bool = False


FAMILIES = {
    "lo": Family(gm.OrderedTreeKernel, freqtm.OrderedGrowth()),
    "lo-marked": Family(lambda decay: gm.OrderedTreeKernel(decay, marked=True), freqtm.OrderedGrowth(), marked=True),
    "c": Family(gm.ProductionTreeKernel, freqtm.ProductionGrowth()),
    "c-marked": Family(
        lambda decay: gm.ProductionTreeKernel(decay, marked=True), freqtm.ProductionGrowth(), marked=True
    ),
    "c-single": Family(
        lambda decay: gm.ProductionTreeKernel(decay, single_nodes=True), freqtm.ProductionGrowth(single_nodes=True)
    ),
    "c-marked-single": Family(
        lambda decay: gm.ProductionTreeKernel(decay, marked=True, single_nodes=True),
        freqtm.ProductionGrowth(single_nodes=True),
        marked=True,
    ),
}
all_families = pytest.mark.parametrize("family", [pytest.param(f, id=name) for name, f in FAMILIES.items()])
marked_families = pytest.mark.parametrize(
    "family", [pytest.param(f, id=name) for name, f in FAMILIES.items() if f.marked]
)

# --- what hypothesis draws --------------------------------------------------------------------------------------------

seeds = st.integers(0, 2**32)
rules = st.builds(freqtm.Rules, *[st.booleans()] * 10)
limits = st.fixed_dictionaries(
    {
        "max_size": st.integers(1, 9) | st.integers(1, 30),
        "max_embeddings": st.sampled_from([0.1, 0.5, 1, 1.5, 2, 3, 20, 1e9]),
        "min_support": st.sampled_from([2, 2, 3, 4]),
    }
)


def distinct(trees):
    return list(dict.fromkeys(trees))


def random_tree(random, labels, nodes):
    """Any shape, or one that tends to a chain or to one wide node."""
    size, manner = random.randint(1, nodes), random.random()
    parents = [
        random.choice([range(i + 1), [i], [0]][(random.random() < 0.7) * (1 + (manner < 0.4))]) for i in range(size - 1)
    ]
    return from_parents(parents, random.choices(labels, k=size))


def changed(random, tree, labels):
    """Another label somewhere, or a child more: the trees have much in common."""
    if isinstance(tree, str):
        tree = (tree,)
    name, *below = tree
    if not below or random.random() < 0.3:
        return random.choice([(random.choice(labels), *below), (name, *below, random.choice(labels))])
    at = random.randrange(len(below))
    below[at] = changed(random, below[at], labels)
    return (name, *below)


def random_trees(random, largest=7, most=7):
    """Up to so many distinct trees, some of them variants of others."""
    labels = random.choice(LETTERS)
    trees = [random_tree(random, labels, largest) for _ in range(random.randint(0, most))]
    for _ in range(random.randint(0, most - len(trees)) if trees else 0):
        trees.append(plain(changed(random, random.choice(trees), labels)))
    return distinct(trees)


def plain(tree):
    """("a",) is the leaf "a"."""
    if isinstance(tree, str) or len(tree) == 1:
        return tree if isinstance(tree, str) else tree[0]
    return (tree[0], *map(plain, tree[1:]))


forests = tree_lists(max_size=7).map(distinct) | seeds.map(lambda seed: random_trees(Random(seed)))
# As many at once as hypothesis would take long to draw.
forest_lists = seeds.map(lambda seed: [random_trees(Random(seed + i)) for i in range(10)])


# --- mining -----------------------------------------------------------------------------------------------------------


def forest(trees):
    return gm.Forest.from_strings(to_strings(trees), marks=True)


def native_rules(some_rules):
    return _core.MiningRules(**asdict(some_rules))


def mine(
    family,
    trees,
    max_size=20,
    max_embeddings=20.0,
    rules=ALL_RULES,
    compress=True,
    max_bytes=PLENTY,
    threads=1,
    progress=None,
    min_support=2,
):
    X = trees if isinstance(trees, gm.Forest) else forest(trees)
    settings = max_size, float(max_embeddings), native_rules(rules), compress, max_bytes, threads, progress, min_support
    return _core.SubtreePatterns(family.kernel(0.5)._native, X.indexed(), *settings)


def found(patterns):
    """What the native miner found: pairs, and (OP, sizes of its fragments) for every pattern."""
    starts, trees, counts = (array.tolist() for array in patterns.patterns())
    size_starts, sizes, numbers = (array.tolist() for array in patterns.histograms())
    items = []
    for p in range(patterns.size):
        part, own = slice(*starts[p : p + 2]), slice(*size_starts[p : p + 2])
        items.append(
            (tuple(zip(trees[part], counts[part], strict=True)), dict(zip(sizes[own], numbers[own], strict=True)))
        )
    return SimpleNamespace(malicious=list(zip(*(a.tolist() for a in patterns.malicious()), strict=True)), items=items)


def expected(family, trees, max_size=20, max_embeddings=20.0, rules=ALL_RULES, min_support=2):
    """What it has to find; features by enumeration, whatever the search of the oracle registered."""
    search = freqtm.Search(trees, family.growth, family.marked, max_size, max_embeddings, rules, min_support).run()
    features = freqtm.features(trees, family.growth, family.marked, search.malicious)
    items = [(op, dict(sizes)) for op, sizes in freqtm.compressed(features, family.growth).items()]
    singles = [(op, {family.growth.weight_size(fragment): 1}) for fragment, op in features.items()]
    return SimpleNamespace(malicious=sorted(search.malicious), items=items, singles=singles, features=len(features))


def as_bag(items):
    """In any order."""
    return Counter((op, tuple(sorted(sizes.items()))) for op, sizes in items)


def arrays(patterns):
    return [*patterns.malicious(), *patterns.patterns(), *patterns.histograms()]
