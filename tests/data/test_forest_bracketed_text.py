"""Bracketed trees: what is read, what it means, and where it goes wrong."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data import relations
from tests.across.interrupting import seconds_to_stop
from tests.data.tree_strategies import from_parents, shapes, to_strings, tree_lists
from tests.oracle.trees import MARKED, label, nodes

read = gm.Forest.from_strings


def labels(forest):
    """(text, mark) of all different labels."""
    texts, ends, marks, *_ = forest.flat()
    starts = [0, *ends[:-1]]
    return {(texts[i:j].decode(), int(mark)) for i, j, mark in zip(starts, ends, marks, strict=True)}


def leaves(text, **options):
    """The labels of a tree '(S ...)' besides S."""
    return {label for label, _ in labels(read([text], **options))} - {"S"}


# --- spellings --------------------------------------------------------------------------------------------------------

# One tree in several spellings; the first is the plainest, which is what a forest writes.
SAME = [
    ("(S (NP a) b)", "(S(NP a)b)", " ( S ( NP a ) b ) ", "\n(S\n\t(NP\r\n a)\v\fb\n)\n", "(S (NP (a)) (b))"),
    ("(S a)", "( (S a))", "((S a))", "(\n(S a)\n)", "( (S (a)) )"),
    ("(a)", "( a )", "((a))"),
    ("(é (🌳 x) e\u0301)", "(é(🌳 x)e\u0301)"),
    ("(S a\u00a0b)", "(S  a\u00a0b)"),  # white space of other scripts is none
    (r"(S \( \) a\ b \\)", "(S \\(  \\)\ta\\ b\t\\\\)"),
    ("(S \\\n)", "( (S (\\\n)))"),
    ("(S \0)", "(S (\0))"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
def test_spellings_of_one_tree(spellings):
    assert list(read(spellings)) == [spellings[0]] * len(spellings)
    assert read(spellings).n_subtrees == read(spellings[:1]).n_subtrees


@pytest.mark.parametrize(
    ("written", "label"),
    [
        (r"\(", "("),
        (r"a\)b", "a)b"),
        (r"a\ b", "a b"),
        ("a\\\nb", "a\nb"),
        (r"\\", "\\"),
        (r"a\\", "a\\"),
        (r"\\\\", r"\\"),
        (r"1\/2", r"1\/2"),
        (r"\x", r"\x"),
        (r"\"", r"\""),
        (r"\\x", r"\x"),
        (r"\\\x", r"\\x"),
        ('"a', '"a'),
        ('"a"b"', '"a"b"'),
        ("a*1", "a*1"),
    ],
)
def test_a_backslash_escapes_brackets_space_and_itself_alone(written, label):
    assert leaves(f"(S {written})") == {label}


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ('"a b"', "a b"),
        ('"("', "("),
        (r'"\""', '"'),
        (r'"\\"', "\\"),
        (r'"a\x"', r"a\x"),
        (r'"1\/2"', r"1\/2"),
        ('"a\nb"', "a\nb"),
        ('a"b', 'a"b'),
        (r"a\ b", "a b"),
    ],
)
def test_labels_in_quotes(written, label):
    assert leaves(f"(S {written})", quoted=True) == {label}
    assert leaves(f"({written} S)", quoted=True) == {label}


@given(data=st.data(), parents=shapes())
def test_any_label_in_any_tree_survives_a_round_trip(data, parents):
    text = st.text(st.characters(codec="utf-8"), min_size=1) | st.text("()\\ \n\"*1a'-=", min_size=1)
    names = data.draw(st.lists(text, min_size=len(parents) + 1, max_size=len(parents) + 1))
    forest = gm.Forest.from_nested([from_parents(parents, names)])
    again = read(list(forest))
    assert again == forest
    assert labels(again) == {(name, 0) for name in names}
    assert list(again) == list(forest)


@given(some_trees=tree_lists())
def test_marked_trees_survive_a_round_trip(some_trees):
    forest = read(to_strings(some_trees), marks=True)
    again = read(list(forest), marks=True)
    assert again == forest
    assert list(again) == to_strings(some_trees)
    names = [[label(n) for n in nodes(tree)] for tree in some_trees]
    marks = [sorted(int(name.rpartition("*")[2]) for name in several if MARKED.fullmatch(name)) for several in names]
    assert [sorted(found.values()) for found in relations.marked_nodes(again)] == marks


@given(text=st.text('()ab\\ \n"*1-=é'))
def test_any_text_is_read_or_refused(text):
    for options in ({}, {"quoted": True, "marks": True}, {"traces": False, "functions": False, "lowercase": True}):
        with contextlib.suppress(gm.FormatError):
            forest = read([text], **options)
            assert list(read(list(forest))) == list(forest)


# --- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("NP*1", ("NP", 1)),
        ("NP*12", ("NP", 12)),
        ("é*3", ("é", 3)),
        ("a*1*2", ("a*1", 2)),
        ("**1", ("*", 1)),
        ("a*4294967295", ("a", 2**32 - 1)),
        (r"a\ b*1", ("a b", 1)),
        ("*1", ("*1", 0)),
        ("*", ("*", 0)),
        ("a*", ("a*", 0)),
        ("a*0", ("a*0", 0)),
        ("a*01", ("a*01", 0)),
        ("a*1*", ("a*1*", 0)),
        ("a*-1", ("a*-1", 0)),
        ("a*+1", ("a*+1", 0)),
        ("a*1x", ("a*1x", 0)),
    ],
)
def test_what_is_a_mark(written, label):
    forest = read([f"(S {written})"], marks=True)
    assert labels(forest) == {("S", 0), label}
    assert forest.has_marks == (label[1] > 0)
    assert list(forest) == [f"(S {written})"]
    assert not read([f"(S {written})"]).has_marks


def test_forests_that_differ_in_marks_alone_are_different():
    assert read(["(a*1 b)"], marks=True) != read(["(a*1 b)"])
    assert read(["(a*1 b)"], marks=True) == read(["(a*1 b)"], marks=True)


@pytest.mark.parametrize(
    ("written", "tree"),
    [
        ("(S (NP-SBJ (-NONE- *)) (VP x (NP (-NONE- *T*-1))))", "(S (VP x))"),
        ("(S (-NONE- 0) a)", "(S a)"),
        ("(S (A (B (-NONE- x))) c)", "(S c)"),
        ("(S (A (-NONE- x) b) c)", "(S (A b) c)"),
        ("( (S (-NONE- 0) a))", "(S a)"),
        ("(S a (B))", "(S a B)"),
        ("(S (-NONE-X a))", "(S (-NONE-X a))"),
    ],
)
def test_traces_go_with_what_is_empty_without_them(written, tree):
    assert list(read([written], traces=False)) == [tree]
    assert list(read([written])) == list(read(list(read([written]))))


@pytest.mark.parametrize(
    ("written", "tree"),
    [
        ("(NP-SBJ-1 (A=2 b=c) d-e)", "(NP (A b=c) d-e)"),
        ("(S (=x y) (- z) (a- b))", "(S (=x y) (- z) (a b))"),
        ("(NP-SBJ)", "(NP-SBJ)"),
        ("(é-X a)", "(é a)"),
    ],
)
def test_functions_are_cut_off_inner_nodes(written, tree):
    assert list(read([written], functions=False)) == [tree]


def test_lower_case_is_for_leaves():
    assert list(read(["(S (NP DOG ÉÜ) (X) NP)"], lowercase=True)) == ["(S (NP dog éü) x np)"]
    assert labels(read(["(S İ)"], lowercase=True)) == {("S", 0), ("İ".lower(), 0)}
    assert list(read(["(NP*1 DOG*2)"], lowercase=True, marks=True)) == ["(NP*1 dog*2)"]
    assert len(read([], lowercase=True)) == 0


# --- malformed --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(S (NP a)", 1, 1, "never closed"),
        ("(S\n  (NP a", 2, 3, "never closed"),
        ("(é (ü", 1, 5, "never closed"),  # columns are bytes
        ("(S a\\)", 1, 1, "never closed"),
        ("(", 1, 1, "never closed"),
        ("(S a))", 1, 6, "something follows"),
        ("(S a)\n(S b)", 1, 6, "something follows"),
        ("(S a) b", 1, 6, "something follows"),
        (")", 1, 1, "begins with '\\('"),
        ("", 1, 1, "got nothing"),
        (" \n", 1, 1, "got nothing"),
        ("word", 1, 1, "begins with '\\(', got 'word'"),
        ("\n  two words", 2, 3, "begins with '\\(', got 'two words'"),
        ("()", 1, 2, "expected a label"),
        ("(S\n ())", 2, 3, "expected a label"),
        ("(S ((a)))", 1, 5, "expected a label"),
        ("(((a)))", 1, 3, "expected a label"),
        ("((a) (b))", 1, 1, "holds one tree"),
        ("((a) b)", 1, 6, "expected an opening bracket, got 'b\\)'"),
    ],
    ids=repr,
)
def test_malformed_trees_are_refused_with_their_place(text, line, column, message):
    with pytest.raises(gm.FormatError, match=f"tree 2: .*{message}") as error:
        read(["(a b)", "(c)", text, "(never read"])
    assert (error.value.line, error.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "options", "column", "message"),
    [
        ('(S "a b)', {"quoted": True}, 4, "quotation mark is never closed"),
        ('(S "a\\"', {"quoted": True}, 4, "quotation mark is never closed"),
        ('(S "a\\', {"quoted": True}, 4, "quotation mark is never closed"),
        ('(S "a"b)', {"quoted": True}, 7, "expected a space or bracket"),
        ('("" a)', {"quoted": True}, 2, "cannot be empty"),
        ("(S a*4294967296)", {"marks": True}, 4, "a mark must be below"),
        ("(S a*99999999999999999999)", {"marks": True}, 4, "a mark must be below"),
        ("(S (-NONE- a))", {"traces": False}, 1, "nothing is left"),
    ],
    ids=repr,
)
def test_what_options_refuse(text, options, column, message):
    with pytest.raises(gm.FormatError, match=f"tree 0: .*{message}") as error:
        read([text], **options)
    assert (error.value.line, error.value.column) == (1, column)


@pytest.mark.parametrize(
    ("strings", "message"),
    [
        ("(S a)", "single str"),
        (b"(S a)", "single bytes"),
        (["(S a)", b"(S a)"], "tree 1: expected a string, got bytes"),
        ([None], "tree 0: expected a string, got NoneType"),
        ([["(S a)"]], "tree 0: expected a string, got list"),
        (["(S a)", "(S \ud800)"], "tree 1: .*(surrogate|Unicode)"),
    ],
    ids=repr,
)
def test_what_is_no_string_is_refused(strings, message):
    with pytest.raises(ValueError, match=message):
        read(strings)


# --- large trees ------------------------------------------------------------------------------------------------------


def test_deep_trees():
    depth = 100_000
    text = "(a " * depth + "x" + ")" * depth
    forest = read([text])
    assert list(forest) == [text]
    assert [part.tolist() for part in forest.sizes()] == [[depth + 1], [1], [depth + 1]]
    assert gm.Forest.from_flat(*forest.flat()) == forest
    with pytest.raises(gm.FormatError) as error:
        read([text[:-1]])
    assert (error.value.line, error.value.column) == (1, 1)


def test_wide_trees():
    text = f"(S {' '.join(['x', '(y z)'] * 5000)})"
    forest = read([text])
    assert list(forest) == [text]
    assert [part.tolist() for part in forest.sizes()] == [[15_001], [10_000], [3]]
    assert forest.n_subtrees == 4


@pytest.mark.parametrize("as_one", [False, True], ids=["many trees", "one tree"])
def test_ctrl_c_stops_reading(as_one):
    texts = [f"(S (NP (D the) (N dog{n})) (VP barks))" for n in range(1_500_000)]
    if as_one:
        texts = [f"(S {' '.join(texts)})"]
    assert seconds_to_stop(lambda: read(texts)) < 1
