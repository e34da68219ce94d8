"""Chunks of words for head-final languages, such as the bunsetsu of Japanese: found by a tagger, linked by a parser.

A tag says whether a chunk begins with a word, and where in the chunk its head is: B:h begins a chunk and is its head,
I:case:@ hangs on the chunk's head, I:fixed:-1 on the word before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.parsing.treebank import Treebank
from gristmill.apps.templates import parse_templates
from gristmill.base.arrays import Int32s
from gristmill.machines.machine import Machine

CHUNKS = "units"  # the name of the machine that finds them
DEFAULT_JOINS = "case aux mark cop fixed punct compound nummod dep< advcl<"  # for UD's Japanese treebanks
TAG_TEMPLATES = (
    "F:-2..2:0 F:-3..3:3 F:-2..2:2 F:-1..1:1 F:0:0:lower+suffix:1..2 F:0:0:brief T:-3..-1"  # form, upos, xpos, lemma
)
_RAREST = 5  # words that have a tag; rarer ones count as hanging on the chunk's head

_AWAY = re.compile(r"[+-][1-9][0-9]{0,8}")

Meaning = tuple[bool, int, int]  # begins a chunk; relation, -1 of its head; how far away its head is, 0 the chunk's


@dataclass(frozen=True)
class ChunkModel:
    """How chunks are found."""

    joins: str
    templates: str

    def __post_init__(self) -> None:
        parse_joins(self.joins)
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r:.60}")
        parse_templates(self.templates, len(COLUMNS))

    def window(self, tags: list[str]) -> _core.Window:
        return parse_templates(self.templates, len(COLUMNS)).compile(tags)

    def check(self, machine: Machine | None, relations: Mapping[str, int]) -> None:
        """ValueError unless the machine finds chunks."""
        if machine is None or machine.classes is None or machine.classes.dtype.kind != "U":
            raise ValueError("there is no machine that finds chunks")
        for tag in machine.classes.tolist():
            meaning_of(tag, relations)


def parse_joins(text: str) -> dict[str, int]:
    """Relations that join a word to its head: 1 to one on its left, 2 to one on its right, 3 to both."""
    joins = dict[str, int]()
    for word in text.split() if isinstance(text, str) else ():
        relation = word.rstrip("<>")
        side = {"": 3, "<": 1, ">": 2}.get(word[len(relation) :])
        if not relation or side is None:
            raise ValueError(f"expected relations such as case or dep< (to a head on the left), got {word!r}")
        joins[relation] = joins.get(relation, 0) | side
    if not joins:
        raise ValueError(f"chunks need relations that join words, got {text!r}")
    return joins


def chunks_of_trees(treebank: Treebank, joins: str) -> _core.Chunks:
    """Chunks by the relations between neighbours; of relations with a part behind ':' the first part counts too."""
    known = parse_joins(joins)
    sides = [known.get(name, known.get(name.partition(":")[0], 0)) for name in treebank.names]
    return _core.Chunks.of_trees(treebank.columns, treebank.heads, treebank.relations, np.array(sides, dtype=np.uint8))


def linked_chunks(treebank: Treebank, chunks: _core.Chunks) -> Treebank:
    """Chunks as words, each with its link as its head."""
    heads, relations = chunks.links(treebank.heads, treebank.relations)
    return Treebank(chunks.columns(treebank.columns), heads, relations, treebank.names)


def numbered_tags(chunks: _core.Chunks, relations: Sequence[str]) -> tuple[list[str], Int32s]:
    """Tags, sorted, and those of all words as numbers."""
    meanings = chunks.tags()
    counts = Counter(meanings)
    kept = {meaning: meaning if count >= _RAREST else (*meaning[:2], 0) for meaning, count in counts.items()}
    names = {meaning: _tag(kept[meaning], relations) for meaning in counts}
    tags = sorted(set(names.values()))
    place = {tag: number for number, tag in enumerate(tags)}
    return tags, np.array([place[names[meaning]] for meaning in meanings], dtype=np.int32)


def _tag(meaning: Meaning, relations: Sequence[str]) -> str:
    begins, relation, away = meaning
    inside = "h" if relation < 0 else f"{relations[relation]}:{f'{away:+d}' if away else '@'}"
    return f"{'B' if begins else 'I'}:{inside}"


def meaning_of(tag: str, relations: Mapping[str, int]) -> Meaning:
    """What a tag says, for the core; ValueError if it is none."""
    begins, _, inside = tag.partition(":")
    relation, _, away = inside.rpartition(":")
    if begins in ("B", "I"):
        if inside == "h":
            return begins == "B", -1, 0
        if relation in relations and (away == "@" or _AWAY.fullmatch(away)):
            return begins == "B", relations[relation], 0 if away == "@" else int(away)
    raise ValueError(f"{tag!r} is no tag of a chunk")
