"""Boundary examples of semantic role labelling: is this constituent an argument of that predicate?

For every predicate of a PropBank set, in the order of its file, the candidates are the nodes of the sentence's tree in
post-order, without words (in delexicalised sets tags are the leaves, and candidates), punctuation marks, and what
dominates the predicate. An example is 1 where the tokens of the candidate are exactly those of an argument, else -1.
The root of its tree is the lowest node above predicate and candidate; below it is one of two forms:

path     the branches to the predicate and to the candidate, nothing beside them, and all that is below the candidate;
minimal  all from the first to the last token of the two; the predicate has mark 1, the candidate mark 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, islice, pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.trees import lines_of

Form = Literal["path", "minimal"]
Key = tuple[int, ...]  # a node: its symbol and its children

# Without these the training part of WSJ has 4.54 million examples and, with marks, 2.24 million different trees.
PUNCTUATION = frozenset([",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH"])
PREDICATE, CANDIDATE = 1, 2  # marks
LEFT, RIGHT = False, True  # the branches of an example


def boundary_examples(
    name: str, n: int | None = None, form: Form = "path", marks: bool = False
) -> tuple[gm.Forest, NDArray[np.int8]]:
    """The first n examples of a set (None: all): trees and labels. With marks, paths have those of the other form.

    Equal subtrees are one node from the start: that makes millions of examples in seconds.
    """
    sentences = [line.split("\t") for line in lines_of(f"srl/{name}.trees.gz")]
    numbers = {(document, number): at for at, (document, number, _) in enumerate(sentences)}
    grove = Grove(gm.Forest.from_strings(tree for *_, tree in sentences), has_words="delex" not in name)
    propositions = map(Proposition.parse, lines_of(f"srl/{name}.props.gz"))
    examples = _examples(grove, numbers, propositions, form, marks or form == "minimal")
    made = np.fromiter(islice(examples, n), dtype=[("root", np.uint32), ("label", np.int8)])
    return grove.forest(made["root"].copy()), made["label"].copy()


class Proposition(NamedTuple):
    """A predicate: its sentence, its token and the first and last tokens of its arguments."""

    sentence: tuple[str, str]
    token: int
    arguments: frozenset[tuple[int, int]]

    @classmethod
    def parse(cls, line: str) -> Proposition:
        document, number, token, _, spans = line.split("\t")
        parts = (span.split(":", 1) for span in spans.split())
        ends = (tokens.split("-") for tokens, role in parts if role != "V")
        return cls((document, number), int(token), frozenset((int(first), int(last)) for first, last in ends))


class Grove:
    """The different subtrees of sentences and examples, each once; children have smaller numbers."""

    def __init__(self, sentences: gm.Forest, has_words: bool) -> None:
        self.texts, self.text_ends, _, node_ends, values, roots = sentences.flat()
        self.n_symbols = len(self.text_ends)
        flat, starts = values.tolist(), [0, *node_ends.tolist()]
        self.keys: list[Key] = [tuple(flat[begin:end]) for begin, end in pairwise(starts)]  # nodes of the sentences
        self.numbers = {key: number for number, key in enumerate(self.keys)}  # of all nodes
        self.roots: list[int] = roots.tolist()
        self.is_token = [self._stands_for_a_token(key, has_words) for key in self.keys]
        labels = [self.texts[begin:end].decode() for begin, end in pairwise([0, *self.text_ends.tolist()])]
        self.punctuation = {symbol for symbol, label in enumerate(labels) if label in PUNCTUATION}

    def _stands_for_a_token(self, key: Key, has_words: bool) -> bool:
        """A leaf, or where leaves are words the tag above one: words are no candidates."""
        return len(key) == 1 or (has_words and len(key) == 2 and len(self.keys[key[1]]) == 1)

    def node(self, *key: int) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def marked(self, node: int, mark: int) -> int:
        """A node of a sentence with a mark; symbols with a mark follow those with the mark before."""
        symbol, *children = self.keys[node]
        return self.node(symbol + mark * self.n_symbols, *children)

    def forest(self, roots: NDArray[np.uint32]) -> gm.Forest:
        marks = np.arange(1 + CANDIDATE, dtype=np.uint32)
        return gm.Forest.from_flat(
            self.texts * len(marks),
            np.concatenate([self.text_ends + len(self.texts) * int(mark) for mark in marks]),
            np.repeat(marks, self.n_symbols),
            np.cumsum(np.fromiter(map(len, self.numbers), dtype=np.int64)),
            np.fromiter(chain.from_iterable(self.numbers), dtype=np.uint32),
            roots,
        )


@dataclass(frozen=True)
class Sentence:
    """Nodes of a tree in post-order, the root last, without words: numbers in the grove, and where they stand."""

    nodes: list[int]
    parents: list[int]
    places: list[int]  # among the children of the parent
    depths: list[int]
    spans: list[tuple[int, int]]  # first and last token
    tokens: list[int]  # nodes that stand for one
    candidates: list[int]

    @classmethod
    def of(cls, grove: Grove, root: int) -> Sentence:
        walked, last = _walk_backwards(grove, root), -1
        nodes, parents, places, depths = map(list, zip(*reversed(walked), strict=True))
        parents = [len(nodes) - 1 - parent for parent in parents]
        spans, tokens, begins = [], [], [len(nodes)] * len(nodes)
        for at, node in enumerate(nodes):
            if grove.is_token[node]:
                last += 1
                begins[at] = last
                tokens.append(at)
            spans.append((begins[at], last))
            begins[parents[at]] = min(begins[parents[at]], begins[at])
        candidates = [at for at, node in enumerate(nodes) if grove.keys[node][0] not in grove.punctuation]
        return cls(nodes, parents, places, depths, spans, tokens, candidates)

    def way_to(self, node: int) -> list[int]:
        """The nodes from the root to this one, by depth."""
        way = [node]
        for _ in range(self.depths[node]):
            way.append(self.parents[way[-1]])
        return way[::-1]


def _walk_backwards(grove: Grove, root: int) -> list[tuple[int, int, int, int]]:
    """(node, parent, place, depth) from the root on, last children first: the post-order from its end."""
    walked: list[tuple[int, int, int, int]] = []
    waiting = [(root, 0, 0, 0)]
    while waiting:
        at, here = len(walked), waiting.pop()
        walked.append(here)
        node, _, _, depth = here
        if not grove.is_token[node]:
            waiting += [(child, at, place, depth + 1) for place, child in enumerate(grove.keys[node][1:])]
    return walked


class Branches:
    """What is kept of a sentence's tree between its nodes and nodes above them."""

    def __init__(self, grove: Grove, sentence: Sentence, form: Form, has_marks: bool) -> None:
        self.grove, self.sentence, self.has_marks = grove, sentence, has_marks
        self.is_path = form == "path"
        self._made: dict[tuple[int, bool, int], list[int]] = {}

    def join(self, node: int, left: int, right: int, left_place: int, right_place: int) -> int:
        """A node with two branches, which take the places of two of its children."""
        key = self.grove.keys[self.sentence.nodes[node]]
        return self.grove.node(key[0], left, *self._between(key, left_place, right_place), right)

    def branch(self, node: int, height: int, side: bool, mark: int) -> int:
        """From so many levels above a node down to it, as the left or the right branch of an example.

        Made upwards, as far as anyone asked for: candidates have the same branches for all predicates.
        """
        made = self._made.get((node, side, mark))
        if made is None:
            bottom = self.sentence.nodes[node]
            made = self._made[node, side, mark] = [self.grove.marked(bottom, mark) if self.has_marks else bottom]
        if len(made) <= height:
            way = self.sentence.way_to(node)
            while len(made) <= height:
                made.append(self._above(way[-len(made)], made[-1], side))
        return made[height]

    def _above(self, node: int, branch: int, side: bool) -> int:
        """The parent of a node, with a branch in the node's place and nothing on the outer side of it."""
        key, place = self.grove.keys[self.sentence.nodes[self.sentence.parents[node]]], self.sentence.places[node]
        if side == LEFT:
            return self.grove.node(key[0], branch, *self._between(key, place, len(key) - 1))
        return self.grove.node(key[0], *self._between(key, -1, place), branch)

    def _between(self, key: Key, left: int, right: int) -> Key:
        """The children between two places that are kept."""
        return () if self.is_path else key[left + 2 : right + 1]


def _examples(
    grove: Grove, sentences: dict[tuple[str, str], int], propositions: Iterable[Proposition], form: Form, marks: bool
) -> Iterator[tuple[int, int]]:
    """(root, label)"""
    for name, group in groupby(propositions, key=lambda proposition: proposition.sentence):
        sentence = Sentence.of(grove, grove.roots[sentences[name]])
        branches = Branches(grove, sentence, form, marks)
        for proposition in group:
            yield from _examples_of(proposition, sentence, branches)


def _examples_of(proposition: Proposition, sentence: Sentence, branches: Branches) -> Iterator[tuple[int, int]]:
    way = sentence.way_to(sentence.tokens[proposition.token])
    tops, dominating = _tops(sentence, way), set(way)
    for candidate in sentence.candidates:
        if candidate not in dominating:
            is_argument = sentence.spans[candidate] in proposition.arguments
            yield _tree(sentence, branches, way, candidate, tops[candidate]), 1 if is_argument else -1


def _tops(sentence: Sentence, way: list[int]) -> list[int]:
    """For each node the highest node above it, or itself, that is not on the way to the predicate."""
    tops, on_way = list(range(len(sentence.nodes))), set(way)
    for node in reversed(range(len(tops))):
        parent = sentence.parents[node]
        if parent not in on_way:
            tops[node] = tops[parent]
    return tops


def _tree(sentence: Sentence, branches: Branches, way: list[int], candidate: int, top: int) -> int:
    """The example of a candidate that hangs by its highest node on the way to the predicate."""
    predicate, depth = way[-1], sentence.depths[top]
    side = RIGHT if candidate > predicate else LEFT
    ours = branches.branch(candidate, sentence.depths[candidate] - depth, side, CANDIDATE)
    other = branches.branch(predicate, sentence.depths[predicate] - depth, not side, PREDICATE)
    ends = (other, ours) if side == RIGHT else (ours, other)
    places = sorted((sentence.places[way[depth]], sentence.places[top]))
    return branches.join(sentence.parents[top], *ends, *places)
