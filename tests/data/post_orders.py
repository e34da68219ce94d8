"""Trees of the tests of sources: what hypothesis draws, and post-orders back to tuples."""

from __future__ import annotations

from hypothesis import strategies as st

from gristmill.data.tree_sources import PostOrder

DEPTH = 20_000
WIDTH = 10_000

LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
TREES = st.recursive(
    st.tuples(LABELS), lambda inner: st.builds(lambda label, kids: (label, *kids), LABELS, st.lists(inner, max_size=4))
)


def trees_of(out):
    """The trees as tuples, each (label, child, ...) down to the leaves (label,)."""
    assert len(out.labels) == len(out.children)
    done = []
    for label, count in zip(out.labels, out.children, strict=True):
        first = len(done) - count
        assert first >= 0
        done[first:] = [(label, *done[first:])]
    return done


def tree_of(add, *source, **options):
    out = PostOrder()
    assert add(out, *source, **options) is None
    (tree,) = trees_of(out)
    return tree


def brackets(add, *source, **options):
    return bracketed(tree_of(add, *source, **options))


def bracketed(tree):
    label, *children = tree
    return f"({label} {' '.join(map(bracketed, children))})" if children else label


def assert_is_chain(out, depth):
    assert len(out.labels) == depth
    assert out.children == [0] + [1] * (depth - 1)
