"""Trees that hypothesis draws, as nested tuples: small, and of so few labels that they have much in common."""

from __future__ import annotations

from hypothesis import strategies as st

from oracle.trees import children, label

NODES = 8  # the oracle writes down every fragment
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
