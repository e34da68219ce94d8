"""What hypothesis draws for templates: cells of many scripts, sentences, tags, and templates for them."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from gristmill.apps.templates import Item, Look, Templates, View

# Known for so long that no later Unicode will think otherwise.
KNOWN = [c for c in map(chr, range(0x30000)) if unicodedata.ucd_3_2_0.category(c) not in ("Cn", "Co", "Cs")]
OUTSIDE = [("-", "__BOS__", "+", "__EOS__"), ("_B-", "", "_B+", ""), ("", "", "", ""), ("a", "b", "a", "b")]
TAGS = ["O", "B-NP", "ß", ""]

letters = st.sampled_from("aAbB1,") | st.sampled_from(KNOWN)
few_cells = st.sampled_from(["a", "b", "A", "ab", "a,b", "", "漢字"])
cells = few_cells | st.text(letters, max_size=6)
sizes = st.integers(1, 4)
whole_views = st.builds(View, lower=st.booleans())
sized_views = st.builds(View, st.sampled_from(["prefix", "suffix"]), sizes, st.booleans())
plain_views = st.builds(View, st.sampled_from(["shape", "brief", "type"]), lower=st.booleans())
bags = st.builds(View, st.just("grams"), sizes, st.booleans()) | st.builds(View, st.just("pieces"), lower=st.booleans())
single_views = whole_views | sized_views | plain_views
distances = st.integers(-3, 3) | st.sampled_from([-40, 40])


@st.composite
def items(draw, columns, tag_distances):
    texts = st.sampled_from(["", "a", "x:", "漢"])
    tag_looks = st.builds(Look, tag_distances, st.none())
    looks = st.builds(Look, distances, st.integers(0, columns - 1), single_views) | tag_looks
    bag_looks = st.builds(Look, distances, st.integers(0, columns - 1), bags)
    if draw(st.integers(0, 3)) == 0:
        return Item(((draw(texts), draw(bag_looks)),), draw(texts))
    pieces = draw(st.lists(st.tuples(texts, looks), max_size=3))
    return Item(tuple(pieces), draw(texts))


def templates(columns, tag_distances=distances, max_size=6):
    """Items may be there twice, or spell the same features."""
    some = st.lists(items(columns, tag_distances), max_size=max_size).map(tuple)
    return st.builds(Templates, some, st.sampled_from(OUTSIDE))


def sentences(columns, own_cells=cells, max_size=4, longest=6):
    """Lists of tokens, which are tuples of cells; empty ones happen."""
    token = st.tuples(*[own_cells] * columns)
    return st.lists(st.lists(token, max_size=longest), max_size=max_size)
