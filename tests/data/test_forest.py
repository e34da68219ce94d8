"""Forest: an array of trees that slices, grows, travels and counts equal subtrees once."""

from __future__ import annotations

import ast
import copy
import pickle
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.across.interrupting import seconds_to_stop
from tests.data.tree_strategies import to_string, to_strings, tree_lists
from tests.oracle.trees import children, label, nodes

read = gm.Forest.from_strings
TREES = ["(S (NP a) b)", "(S (NP a) (NP a))", "(x)", "(S (NP a) b)", "(T b)"]


@pytest.fixture
def forest():
    return read(TREES)


# --- an array of trees ------------------------------------------------------------------------------------------------

PARTS = [
    slice(None),
    slice(1, 3),
    slice(-2, None),
    slice(None, None, -2),
    slice(7, 9),
    [3, 0, 3],
    [-1],
    [],
    np.array([], dtype=int),
    np.array([1, 4], dtype=np.int32),
    np.array([0, 1, 0, 0, 1], dtype=bool),
    [True, False, False, True, False],
    range(2),
    ...,
    (slice(0, 2), ...),
    ([2, 1], ...),
    ([], ...),
]


@pytest.mark.parametrize("which", PARTS, ids=repr)
def test_parts_are_those_of_an_array(forest, which):
    rows = which[0] if isinstance(which, tuple) else which
    expected = [] if np.size(rows) == 0 else np.array(TREES)[rows].tolist()
    part = forest[which]
    assert isinstance(part, gm.Forest)
    assert list(part) == expected
    assert (len(part), part.shape, part.ndim) == (len(expected), (len(expected),), 1)


@pytest.mark.parametrize("which", [0, 4, -1, -5, np.int64(2), np.array(3), (1, ...)], ids=repr)
def test_a_number_gives_a_string(forest, which):
    assert forest[which] == TREES[which[0] if isinstance(which, tuple) else int(which)]


@pytest.mark.parametrize(
    "which", [5, -6, [5], [0, -6], [True, False], 1.0, "a", None, True, (0, 1), [[0, 1]], np.empty(0)], ids=repr
)
def test_what_is_not_there_is_refused(forest, which):
    with pytest.raises(IndexError):
        forest[which]


def test_no_trees():
    empty = read([])
    assert (len(empty), empty.n_subtrees, list(empty), empty.has_marks) == (0, 0, [], False)
    assert [part.tolist() for part in empty.sizes()] == [[], [], []]
    assert empty == gm.Forest() == gm.Forest.from_nested([]) == gm.Forest.from_flat(*empty.flat())
    assert empty.relabelled(leaves=str.upper) == empty.with_tags([]) == empty


@given(left=tree_lists(), right=tree_lists())
def test_equal_forests_have_equal_trees_in_equal_order(left, right):
    assert (read(to_strings(left)) == read(to_strings(right))) == (to_strings(left) == to_strings(right))
    both = read(to_strings(left + right))
    assert (both[: len(left)] == both[len(left) :]) == (to_strings(left) == to_strings(right))


def test_a_forest_equals_nothing_else(forest):
    assert forest != TREES
    assert (forest == 3) is False
    with pytest.raises(TypeError):
        hash(forest)


def test_repr_says_how_many(forest):
    assert repr(forest) == "Forest(5 trees, 7 different subtrees)"
    assert repr(forest[2:3]) == "Forest(1 trees, 1 different subtrees)"


# --- what is in it ----------------------------------------------------------------------------------------------------


def levels(tree):
    return 1 + max(map(levels, children(tree)), default=0)


@given(some_trees=tree_lists(), which=st.lists(st.booleans()))
def test_equal_subtrees_count_once(some_trees, which):
    """In a part of a larger forest as in a forest of its own."""
    forest = read(to_strings(some_trees))
    mask = np.resize(np.array([*which, True]), len(some_trees))
    chosen = [tree for tree, keep in zip(some_trees, mask, strict=True) if keep]
    assert forest[mask].n_subtrees == len({to_string(n) for tree in chosen for n in nodes(tree)})
    expected = [(len(nodes(tree)), sum(not children(n) for n in nodes(tree)), levels(tree)) for tree in chosen]
    assert list(zip(*(part.tolist() for part in forest[mask].sizes()), strict=True)) == expected


def test_trees_larger_than_can_be_counted_are_refused():
    """2^33 - 1 nodes, of which 33 are different."""
    ends = np.cumsum([1] + [3] * 32)
    below = np.array([0] + [part for n in range(32) for part in (0, n, n)], dtype=np.uint32)
    one = np.zeros(1, dtype=np.uint32)
    forest = gm.Forest.from_flat(b"a", np.array([1]), one, ends, below, one + 32)
    assert forest.n_subtrees == 33
    with pytest.raises(ValueError, match=r"tree 0 has 2\^32 - 1 nodes or more"):
        forest.indexed()


def test_relabelled():
    forest = read(["(NP*1 the (N dog*2))", "(dog)"], marks=True)
    assert list(forest.relabelled(leaves=str.upper)) == ["(NP*1 THE (N DOG*2))", "(DOG)"]
    assert list(forest.relabelled(nodes=str.lower)) == ["(np*1 the (n dog*2))", "(dog)"]
    assert list(forest.relabelled(lambda _: "x", lambda _: "y")) == ["(y*1 x (y x*2))", "(x)"]
    assert forest.relabelled() == forest
    assert forest.relabelled().has_marks


@pytest.mark.parametrize("to", ["", None, 3, "\ud800"], ids=repr)
def test_labels_that_are_none_are_refused(to):
    with pytest.raises(ValueError, match=r"label|surrogate"):
        read(["(S a)"]).relabelled(leaves=lambda _: to)


def test_with_tags():
    forest = read(["(NP the (X dog))", "(a)"])
    assert list(forest.with_tags([["D", "N"], ["T"]])) == ["(NP (D the) (X (N dog)))", "(T a)"]
    marked = read(["(NP*1 the dog*2)"], marks=True).with_tags([["D", "N"]])
    assert list(marked) == ["(NP*1 (D the) (N dog*2))"]
    assert marked.has_marks


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([["D", "N"]], "tags for each of 2 trees, got 1"),
        ([["D", "N"], []], "tree 1 has more leaves than tags"),
        ([["D"], ["T"]], "tree 0 has more leaves than tags"),
        ([["D", "N", "X"], ["T"]], "tree 0 has fewer leaves than tags"),
        ([["D", ""], ["T"]], "empty"),
        ([["D", 1.5], ["T"]], "label"),
        ([["D", "\ud800"], ["T"]], "surrogate|Unicode"),
    ],
    ids=repr,
)
def test_tags_that_do_not_fit_are_refused(tags, message):
    with pytest.raises(ValueError, match=message):
        read(["(NP the dog)", "(a)"]).with_tags(tags)


# --- trees from elsewhere ---------------------------------------------------------------------------------------------


def parents_of(tree):
    names, above = [], []

    def walk(tree, parent):
        here = len(names)
        names.append(label(tree))
        above.append(parent)
        for child in children(tree):
            walk(child, here)

    walk(tree, -1)
    return names, above


def element_of(tree):
    element = ET.Element(label(tree))
    element.extend(map(element_of, children(tree)))
    return element


@pytest.mark.parametrize("marks", [False, True])
@given(some_trees=tree_lists())
def test_sources_give_what_strings_give(marks, some_trees):
    expected = read(to_strings(some_trees), marks=marks)
    arrays = list(zip(*map(parents_of, some_trees), strict=True)) or [[], []]
    for made in (
        gm.Forest.from_nested(some_trees, marks=marks),
        gm.Forest.from_parents(*arrays, marks=marks),
    ):
        assert made == expected
        assert made.n_subtrees == expected.n_subtrees
        assert made.has_marks == expected.has_marks
    if not marks:
        assert gm.Forest.from_xml(map(element_of, some_trees)) == expected


def test_sources_with_their_options():
    module = ast.parse("x = 1").body
    assert list(gm.Forest.from_ast(module)) == ["(Assign (Name x) (Constant 1))"]
    assert list(gm.Forest.from_ast(module, values=False, contexts=True)) == ["(Assign (Name Store) Constant)"]
    page = [ET.fromstring('<p id="1">a b<i>c</i></p>')]
    assert list(gm.Forest.from_xml(page, words="split", attributes=True)) == ["(p (@id 1) a b (i c))"]
    assert list(gm.Forest.from_xml(page)) == ["(p a\\ b (i c))"]
    assert list(gm.Forest.from_sequences(["ab", [1, "x y"], []])) == [
        "(sequence a b)",
        "(sequence 1 x\\ y)",
        "(sequence)",
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gm.Forest.from_nested("(S a)"), "single string"),
        (lambda: gm.Forest.from_nested([("S", "a"), ("S", None)]), "tree 1: expected a tree"),
        (lambda: gm.Forest.from_nested([("S", "a*4294967296")], marks=True), "tree 0: .*below 2\\^32"),
        (lambda: gm.Forest.from_ast(["x = 1"]), "tree 0: expected a node of Python's ast"),
        (lambda: gm.Forest.from_xml([None]), "tree 0: expected an XML element"),
        (lambda: gm.Forest.from_parents([["a"], ["b"]], [[-1], [0]]), "tree 1: a tree has one root"),
        (lambda: gm.Forest.from_parents([["a"], ["b"]], [[-1]]), "2 .*1|labels and parents"),
        (lambda: gm.Forest.from_sequences([["a", ""]]), "tree 0: a label must not be empty"),
    ],
)
def test_sources_that_hold_no_trees_are_refused(make, message):
    with pytest.raises(ValueError, match=message) as error:
        make()
    assert "zip" not in str(error.value)


# --- growing ----------------------------------------------------------------------------------------------------------


@given(first=tree_lists(), more=tree_lists())
def test_extending(first, more):
    expected = read(to_strings(first + more))
    for part in (to_strings(more), read(to_strings(more)), iter(to_strings(more))):
        grown = read(to_strings(first))
        before = grown[:]
        grown.extend(part)
        assert grown == expected
        assert list(before) == to_strings(first)
    both = read(to_strings(more + first))
    whole = both[len(more) :]
    whole.extend(both[: len(more)])
    assert whole == expected
    assert len(both) == len(first + more)
    whole.extend(whole)
    assert list(whole) == to_strings(first + more) * 2


@pytest.mark.parametrize(
    ("options", "text", "label"),
    [
        ({"marks": True}, "(S a*1)", "a*1"),
        ({"quoted": True}, '(S "a b")', r"a\ b"),
        ({"traces": False}, "(S (-NONE- x) a)", "a"),
        ({"functions": False}, "(S-X a)", "a"),
        ({"lowercase": True}, "(S A)", "a"),
    ],
)
def test_strings_are_read_as_those_before(options, text, label):
    forest = read(["(S x)"], **options)
    for grown in (forest, forest[:0], copy.deepcopy(forest), pickle.loads(pickle.dumps(forest))):
        grown.extend([text])
        assert grown[-1] == f"(S {label})"
        assert grown.has_marks == ("marks" in options)


def test_options_of_extend_hold_once():
    forest = read(["(a*1)"], marks=True)
    forest.extend(["(a*2)"], marks=False)
    forest.extend(["(a*3)"])
    assert forest.flat()[2].tolist() == [1, 0, 3]


@pytest.mark.parametrize("make", [lambda f: f.relabelled(), lambda f: f.with_tags([["t"]])], ids=["relabelled", "tags"])
def test_changed_forests_read_on_as_before(make):
    forest = make(read(["(a*1 b)"], marks=True))
    forest.extend(["(c*2)"])
    assert forest[1:].has_marks


@pytest.mark.parametrize("more", [["(a)", "(b"], "(a)", ["(a)", 3], 3, [3]], ids=repr)
def test_a_failed_extend_leaves_all_as_it_was(forest, more):
    with pytest.raises((ValueError, TypeError)):
        forest.extend(more)
    assert list(forest) == TREES
    assert forest == read(TREES)


@given(tree_lists(min_size=0), tree_lists(min_size=0))
def test_adding_gives_the_trees_of_both(first, more):
    left, right = read(to_strings(first), marks=True), read(to_strings(more), marks=True)
    both = left + right
    assert type(both) is gm.Forest
    assert list(both) == to_strings(first) + to_strings(more)
    assert (len(left), len(right)) == (len(first), len(more))
    assert left + left[:0] == left
    both.extend(["(A*1 a)"])
    assert both[-1] == "(A*1 a)"
    assert len(left) == len(first)


def test_only_forests_are_added(forest):
    for other in (TREES, "(S a)", 1, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            forest + other


def test_a_forest_is_not_read_again(forest):
    with pytest.raises(ValueError, match="takes no options"):
        forest.extend(forest, marks=True)


# --- travelling -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda forest: pickle.loads(pickle.dumps(forest))])
@given(some_trees=tree_lists(), marks=st.booleans())
def test_copies_are_equal_and_grow_apart(travel, some_trees, marks):
    forest = read(to_strings(some_trees), marks=marks)[::-1]
    copied = travel(forest)
    assert copied == forest
    assert copied.has_marks == forest.has_marks
    assert all(np.array_equal(a, b) for a, b in zip(copied.flat(), forest.flat(), strict=True))
    copied.extend(["(new tree)"])
    assert len(forest) == len(some_trees)
    assert list(copied[:-1]) == list(forest)


@given(some_trees=tree_lists(), data=st.data())
def test_damaged_arrays_are_refused_or_a_forest(some_trees, data):
    """Never a crash, and never a forest that cannot be used."""
    arrays = list(read(to_strings(some_trees), marks=True).flat())
    which = data.draw(st.integers(0, len(arrays) - 1))
    if which == 0:
        text = bytearray(arrays[0] + b"?")
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
        arrays[0] = bytes(text[: data.draw(st.integers(0, len(text)))])
    else:
        limits = np.iinfo(arrays[which].dtype)
        values = [*arrays[which].tolist(), 0]
        number = st.integers(-3, 20) | st.sampled_from([limits.max, limits.min, 2**31])
        drawn = min(max(data.draw(number), limits.min), limits.max)
        values[data.draw(st.integers(0, len(values) - 1))] = drawn
        kept = values[: data.draw(st.sampled_from([len(values), len(values) - 1, len(values) // 2]))]
        arrays[which] = np.array(kept, dtype=arrays[which].dtype)
    try:
        forest = gm.Forest.from_flat(*arrays)
    except ValueError:
        return
    assert read(list(forest), marks=True).n_subtrees <= forest.n_subtrees
    assert gm.SubsetTreeKernel()(forest).shape == (len(forest),) * 2


@pytest.mark.parametrize("text", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"])
def test_arrays_whose_text_is_no_utf8_are_refused(text):
    zero = np.zeros(1, dtype=np.uint32)
    with pytest.raises(ValueError, match="UTF-8"):
        gm.Forest.from_flat(text, np.array([len(text)]), zero, np.array([1]), zero, zero)


# --- threads and patience ---------------------------------------------------------------------------------------------


def test_threads_append_and_compute_at_the_same_time():
    """All slices share one store."""
    kernel, whole = gm.PartialTreeKernel(), read([f"(S (A a{n % 7}) (B b{n}))" for n in range(60)])
    gram, failures = kernel(whole), []

    def work(number):
        own = whole[:]
        try:
            for turn in range(20):
                own.extend([f"(S (A a{turn}) (C{number} (D d{turn}) x))"])
                other = whole[:1]
                other.extend(own)
                np.testing.assert_array_equal(kernel(own[:60], own)[:, :60], gram)
                assert other[1:] == own
                assert own[-1] == f"(S (A a{turn}) (C{number} (D d{turn}) x))"
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(whole) == 60


def test_numbers_of_trees_are_found_once(forest):
    asked = []

    def find(what):
        return forest.per_tree(what, lambda: asked.append(what) or np.arange(float(len(forest))))

    find("k")[:] = -1
    assert find("k").tolist() == [0, 1, 2, 3, 4]
    assert asked == ["k"]
    find("other")
    forest.extend(["(y)"])
    assert len(find("other")) == 6
    assert asked == ["k", "other", "other"]


@given(tree_lists())
def test_a_diagonal_that_is_known_is_that_of_the_kernel(trees):
    known = read(to_strings(trees))
    for kernel in (gm.SubsetTreeKernel(0.4), gm.SubsetTreeKernel(0.5), gm.SubsetTreeKernel(0.5), gm.SubtreeKernel(0.4)):
        assert np.array_equal(kernel.diag(known), kernel.diag(read(to_strings(trees))))


CHAIN = "(a " * 30_000 + "a" + ")" * 30_000
WIDE = f"(S {'x ' * 20_000})"


@pytest.mark.parametrize("method", ["__call__", "diag", "direct"])
@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (gm.SubsetTreeKernel(1.0), CHAIN),
        (gm.PartialTreeKernel(0.1, 0.1), CHAIN),
        (gm.PartialTreeKernel(0.1, 0.1, max_children=5), WIDE),
    ],
    ids=["deep sst", "deep ptk", "wide ptk"],
)
def test_ctrl_c_stops_a_kernel(kernel, text, method):
    forest = read([text])
    assert seconds_to_stop(lambda: getattr(kernel, method)(forest)) < 1
