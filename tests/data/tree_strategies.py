"""Trees that hypothesis draws, as nested tuples: small, and of so few labels that they have much in common."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import strategies as st

from tests.oracle.trees import children, label, node

# Of tests that give drawn trees to marked kernels: in many lists of them nothing is marked, and 0 is right.
MAY_BE_UNMARKED = pytest.mark.filterwarnings("ignore:the kernel counts fragments with a marked node")
NODES = 8  # the oracle writes down every fragment
MANY = 150
# At leaves and above them. The last ones look marked and are not.
LABELS = ["a", "b", "a*1", "b*2", "c", "a*2", "a*12", "*1", "a*0", "a*01", "a*1*", "*"]


def from_parents(parents, labels):
    """The tree whose node i + 1 hangs below node parents[i]; node 0 is the root."""
    below = [[] for _ in labels]
    for child in range(len(parents), 0, -1):
        tree = (labels[child], *below[child]) if below[child] else labels[child]
        below[parents[child - 1]].insert(0, tree)
    return (labels[0], *below[0]) if below[0] else labels[0]


def to_string(tree):
    """(S (NP dog) x); a tree of one node is (x)."""
    return f"({' '.join([label(tree), *(_inside(child) for child in children(tree))])})"


def _inside(tree):
    return tree if isinstance(tree, str) else to_string(tree)


def to_strings(trees):
    return [to_string(tree) for tree in trees]


def relabelled(tree, names):
    """The same tree with names(label) as labels."""
    return (names(label(tree)), *(relabelled(child, names) for child in children(tree)))


@st.composite
def shapes(draw):
    """Parents of up to NODES nodes: any, a chain, or one wide node."""
    size = draw(st.integers(1, NODES))
    above = [st.integers(0, node) for node in range(size - 1)]
    chain, wide = range(size - 1), [0] * (min(size, 6) - 1)
    return list(draw(st.one_of(st.tuples(*above), st.just(chain), st.just(wide))))


@st.composite
def _of_any_shape(draw, labels):
    parents = draw(shapes())
    names = draw(st.lists(labels, min_size=len(parents) + 1, max_size=len(parents) + 1))
    return from_parents(parents, names)


@st.composite
def _with_twins(draw, labels):
    """Equal children: one subtree that a forest keeps once."""
    child = from_parents([0] * draw(st.integers(0, 1)), draw(st.lists(labels, min_size=2, max_size=2)))
    return draw(labels), *[child] * draw(st.integers(2, 3))


def trees(labels=LABELS):
    """Trees of the first label alone, of the first few, or of all."""
    some = st.sampled_from([labels[:1], labels[:2], labels[:4], labels]).map(st.sampled_from)
    return some.flatmap(lambda names: st.one_of(_of_any_shape(names), _with_twins(names)))


@st.composite
def tree_lists(draw, labels=LABELS, min_size=0, max_size=5):
    """Lists of trees, some of them several times."""
    few = draw(st.lists(trees(labels), min_size=1, max_size=4))
    return draw(st.lists(st.sampled_from(few), min_size=min_size, max_size=max_size))


# --- many trees -------------------------------------------------------------------------------------------------------


@cache
def all_trees(labels, nodes):
    """Every tree of so many nodes."""
    return [node(name, below) for name in labels for below in _all_sequences(labels, nodes - 1)]


@cache
def _all_sequences(labels, nodes):
    """Every sequence of trees with so many nodes together."""
    if nodes == 0:
        return [()]
    heads = ((tree, nodes - size) for size in range(1, nodes + 1) for tree in all_trees(labels, size))
    return [(tree, *rest) for tree, left in heads for rest in _all_sequences(labels, left)]


def _themselves(random, trees):
    return random.choices(trees, k=MANY)


def _under_one_production(random, trees):
    width, few = random.randint(1, 4), random.sample(trees, random.randint(2, 12))
    return [("S", *random.choices(few, k=width)) for _ in range(MANY)]


def _under_two_floors(random, trees):
    few = random.sample(trees, random.randint(2, 8))
    above = [("S", *random.choices(few, k=random.randint(1, 3))) for _ in range(10)]
    return [("T", *random.choices(above, k=random.randint(1, 3))) for _ in range(MANY)]


def _under_wide_nodes(random, trees):
    few = random.sample(trees[:20], random.randint(1, 3))
    return [(random.choice(["a", "b*1"]), *random.choices(few, k=random.randint(1, 12))) for _ in range(MANY // 5)]


def _under_chains(random, trees):
    chains = random.choices(trees[:5], k=MANY // 10)
    for _ in range(30):  # all of which belong to the forest
        chains += [(random.choice(["a", "a", "a", "b*1"]), chain) for chain in chains[-MANY // 10 :]]
    return random.sample(chains, MANY // 5)


@st.composite
def crowds(draw):
    """Lists of up to MANY trees of one to three labels, some of them several times: one production has many."""
    labels, nodes = draw(st.sampled_from([(("a",), 7), (("a", "b"), 5), (("a", "b*1"), 5), (("a", "b", "c*2"), 4)]))
    make = draw(
        st.sampled_from([_themselves, _under_one_production, _under_two_floors, _under_wide_nodes, _under_chains])
    )
    random = Random(draw(st.integers(0, 2**32)))
    return make(random, [tree for size in range(1, nodes + 1) for tree in all_trees(labels, size)])
