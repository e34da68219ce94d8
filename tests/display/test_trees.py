"""Pictures of trees: no box touches another, every node is described, large ones are cut and say so."""

from __future__ import annotations

import time
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.trees import DEEPEST, MOST, check_parents, kept, place, svg_tree
from tests.display.parsed_pages import assert_harmless

SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def tree_views(draw, most=25):
    """Parents in pre-order: a child hangs from the node before it or from one above that."""
    parents, path = [-1], [0]
    for node in range(1, draw(st.integers(1, most))):
        path = path[: draw(st.integers(1, len(path)))]
        parents.append(path[-1])
        path.append(node)
    return parents


# --- layout -----------------------------------------------------------------------------------------------------------


@given(tree_views(), st.data())
def test_boxes_never_touch(parents, data):
    widths = data.draw(st.lists(st.floats(10, 200), min_size=len(parents), max_size=len(parents)))
    placed = place(parents, widths, range(len(parents)))
    for level in {one.level for one in placed}:
        row = sorted((one for one in placed if one.level == level), key=lambda one: one.across)
        for left, right in pairwise(row):
            assert left.across + left.width / 2 < right.across - right.width / 2


@given(tree_views(), st.data())
def test_a_line_down_to_a_node_passes_no_other(parents, data):
    widths = data.draw(st.lists(st.floats(10, 200), min_size=len(parents), max_size=len(parents)))
    placed = place(parents, widths, range(len(parents)))
    for child in placed[1:]:
        top = placed[child.parent].level
        between = (one for one in placed if child.level < one.level < top)
        assert all(abs(one.across - child.across) > one.width / 2 for one in between)


@given(tree_views())
def test_children_are_below_their_parents_from_left_to_right_and_leaves_at_the_bottom(parents):
    placed = place(parents, [20.0] * len(parents), range(len(parents)))
    inner = set(parents)
    for at, one in enumerate(placed):
        assert (one.level == 0) == (at not in inner)
        own = [child for child in placed if child.parent == at]
        assert all(child.level < one.level for child in own)
        assert [child.across for child in own] == sorted(child.across for child in own)
        assert one.across - one.width / 2 >= -1e-9


@given(tree_views(most=60))
def test_small_trees_are_drawn_whole(parents):
    assert kept(check_parents(parents)) == (list(range(len(parents))), []) or len(parents) > DEEPEST


@pytest.mark.parametrize("parents", [[0], [-1, 1], [-1, -1], [-1, 0, 5], [-1, -2]])
def test_what_is_no_tree_is_refused(parents):
    with pytest.raises(ValueError, match="the parent of node"):
        check_parents(parents)


# --- pictures ---------------------------------------------------------------------------------------------------------

labels = st.text(max_size=40) | st.sampled_from(["</text><script>", "石臼", "&"])


@given(tree_views(), st.data())
def test_pictures_are_harmless_xml_that_holds_every_box(parents, data):
    count = len(parents)
    names = data.draw(st.lists(labels, min_size=count, max_size=count))
    shares = data.draw(st.none() | st.lists(st.floats(-5, 5), min_size=count, max_size=count))
    drawn = svg_tree(names, parents, shares)
    assert_harmless(drawn)
    root = ElementTree.fromstring(drawn)
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for box in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    assert len(root.findall(f"{SVG}g")) == count
    assert drawn == svg_tree(names, parents, shares)


def test_nodes_have_the_colour_and_number_of_their_share():
    root = ElementTree.fromstring(svg_tree(["NP", "the", "dog"], [-1, 0, 0], [0.5, 0.0, -1.0]))
    boxes = [(box.attrib["fill"], float(box.attrib["fill-opacity"])) for box in root.iter(f"{SVG}rect")]
    assert boxes == [("#0072B2", 0.275), ("#0072B2", 0.0), ("#D55E00", 0.55)]
    assert [text.text for text in root.iter(f"{SVG}text")] == ["NP", "+0.5", "the", "0", "dog", "\u22121"]
    assert root.find(f"{SVG}title").text == "the dog"
    assert root.find(f"{SVG}desc").text == "A tree of 3 nodes; those that add most: dog \u22121, NP +0.5."


@pytest.mark.parametrize(
    ("parents", "drawn_nodes"),
    [([-1, *range(100_000)], DEEPEST), ([-1, *([0] * 100_000)], MOST)],
    ids=["deep", "wide"],
)
def test_large_trees_are_cut_quickly_and_say_so(parents, drawn_nodes):
    begin = time.perf_counter()
    drawn = svg_tree(["x"] * len(parents), parents)
    assert time.perf_counter() - begin < 5
    assert len(drawn) < 200_000
    assert drawn.count("<g ") == drawn_nodes
    assert f"{len(parents) - drawn_nodes:,} more nodes are not drawn" in drawn


def test_nodes_that_were_not_given_count_as_not_drawn():
    assert "97 more nodes are not drawn" in svg_tree(["S", "a", "b"], [-1, 0, 0], nodes=100)


def test_long_labels_are_shortened_and_told_in_full_to_who_points_at_them():
    name = "x" * 200
    root = ElementTree.fromstring(svg_tree([name], [-1]))
    assert len(root.find(f".//{SVG}text").text) == 24
    assert root.find(f"{SVG}g/{SVG}title").text == name


def test_an_empty_tree_is_an_empty_picture():
    assert "an empty tree" in svg_tree([], [])


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="as many labels, parents and shares"):
        svg_tree(["a", "b"], [-1])
