"""Small tasks of parsing: walks, trees and sentences, and the core compared with its slow twins."""

from __future__ import annotations

from itertools import chain, product

import numpy as np
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates import View
from tests.apps.templates.template_strategies import bags, single_views
from tests.oracle.parsing import LINKS, Parser, is_tree

SYSTEMS = dict(_core.System.__members__)
MOVES = dict(_core.Move.__members__)

cells = st.sampled_from(["a", "b", "A", "ab", "a,b", "a|b", "x/y", "=", "_", "", "Ünï", "漢字"])


def numbers(values):
    return np.array(values, dtype=np.int32)


def flat(lists):
    return list(chain.from_iterable(lists))


# --- ways of parsers --------------------------------------------------------------------------------------------------


def walk_of(system, words, actions=()):
    """The core's own parser after some actions."""
    walk = _core.Walk(SYSTEMS[system], words)
    for move, relation in actions:
        walk.take(MOVES[move], relation)
    return walk


def legal_of(walk):
    return {move.name for move in walk.legal}


def oracle_actions(system, heads, relations):
    """What the core's static oracle does, by name."""
    found = _core.actions_of(SYSTEMS[system], numbers(heads), numbers(relations))
    return [(move.name, relation) for move, relation in found]


@st.composite
def walks(draw, system, max_words=8, relations=3):
    """A twin at the end of a random walk. Some of them love one move, which gives chains and stars."""
    parser = Parser(system, draw(st.integers(0, max_words)))
    loved = draw(st.sampled_from([None, *MOVES]))
    while parser.legal:
        moves = {loved} & parser.legal or parser.legal
        move = draw(st.sampled_from(sorted(moves)))
        parser.take(move, draw(st.integers(0, relations - 1)) if move in LINKS else -1)
    return parser


# --- trees ------------------------------------------------------------------------------------------------------------


def all_trees(words):
    """All of so many words."""
    return [list(heads) for heads in product(range(-1, words), repeat=words) if is_tree(list(heads))]


@st.composite
def any_trees(draw, max_words=9, min_words=0):
    """Heads of trees, crossing ones too: words join those that are in the tree, in any order."""
    order = draw(st.integers(min_words, max_words).flatmap(lambda n: st.permutations(range(n))))
    heads = [-1] * len(order)
    for at, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, at - 1))]
    return heads


def trees_for(system, max_words=8):
    """Heads that a system can give."""
    return any_trees(max_words) if system == "swap" else walks(system, max_words).map(lambda parser: parser.heads)


def line(words, forward=True):
    """Every word depends on the one before it, or behind it."""
    return list(range(-1, words - 1)) if forward else [*range(1, words), -1]


def star(words, centre=0):
    return [-1 if word == centre else centre for word in range(words)]


# --- sentences --------------------------------------------------------------------------------------------------------


def columns_of(sentences):
    """Sentences of words, which are tuples of five cells."""
    flat = [cell for words in sentences for word in words for cell in word]
    return _core.Columns.of_cells(flat, len(COLUMNS), np.array([len(words) for words in sentences], dtype=np.int64))


def sentences_like(draw, all_heads, own_cells=cells):
    """Words for trees."""
    return [[draw(st.tuples(*[own_cells] * len(COLUMNS))) for _ in heads] for heads in all_heads]


def plain_sentences(lengths):
    """Words that differ in their forms."""
    counter = iter(range(sum(lengths)))
    return [[(f"w{next(counter)}", "", "", "", "") for _ in range(length)] for length in lengths]


# --- templates --------------------------------------------------------------------------------------------------------

STEPS = list(_core.Step.__members__)
addresses = st.tuples(st.sampled_from("sb"), st.integers(0, 3), st.lists(st.sampled_from(STEPS), max_size=3).map(tuple))
all_bags = bags | st.builds(View, st.just("parts"), lower=st.booleans())


def spelled_address(address):
    base, depth, steps = address
    return ".".join([f"{base}{depth}", *steps])


def named_part(what, address, more):
    """(its name, the part) as the oracle takes it."""
    if what == "distance":
        return f"distance({spelled_address(address)},{spelled_address(more)})", (what, address, more)
    column = COLUMNS[what] if isinstance(what, int) else what
    view = f":{more}" if more is not None and str(more) else ""
    return f"{spelled_address(address)}.{column}{view}", (what, address, more)


columns = st.integers(0, len(COLUMNS) - 1)
single_parts = st.one_of(
    st.builds(named_part, columns, addresses, single_views),
    st.builds(named_part, st.sampled_from(["deprel", "lefts", "rights"]), addresses, st.none()),
    st.builds(named_part, st.just("distance"), addresses, addresses),
)
bag_items = st.builds(named_part, columns, addresses, all_bags).map(lambda part: [part])
single_items = st.lists(single_parts, min_size=1, max_size=3)


def written(item):
    """An item as a word of a template."""
    return "/".join(name for name, _ in item), [item]


@st.composite
def braced(draw):
    """{s0,b0.ldep}.{form,upos}: all pairs; sometimes with a range of sizes or one more part."""
    places = draw(st.lists(addresses, min_size=1, max_size=3))
    seen = draw(st.lists(columns, min_size=1, max_size=3))
    sizes = range(draw(st.integers(1, 2)), 4)
    sized = (f":suffix:{sizes[0]}..3", [View("suffix", size) for size in sizes])
    view, views = draw(st.sampled_from([("", [View()]), (":lower", [View(lower=True)]), sized]))
    more, parts = draw(st.sampled_from([("", []), ("/b0.lefts", [named_part("lefts", ("b", 0, ()), None)])]))
    text = f"{{{','.join(map(spelled_address, places))}}}.{{{','.join(COLUMNS[c] for c in seen)}}}{view}{more}"
    items = [[named_part(what, address, one), *parts] for address in places for what in seen for one in views]
    return text, items


@st.composite
def templates(draw, max_size=8):
    """Text, and the items that it means."""
    words = draw(st.lists((single_items | bag_items).map(written) | braced(), min_size=1, max_size=max_size))
    blanks = st.sampled_from([" ", "\n", "\t ", " # s0.form\n"])
    text = "".join(word + draw(blanks) for word, _ in words)
    return text, [item for _, items in words for item in items]
