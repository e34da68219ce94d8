"""Small apps on sentences, and sentences with true labels, to make reports of."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger
from gristmill.apps.roles import Sentences, write_propositions, write_sentences
from gristmill.machines.formats import write
from tests.apps.parsing import small_treebanks as parser_tasks
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES
from tests.apps.tagging import chunked_sentences as tagger_tasks

NASTY = "<script>alert(1)</script>"
JAPANESE = [
    "また 行き たい 、 そんな 店 です 。",
    "海 を 見 たい 。",
    "海 が 見え た 。",
    "この 店 は また 行き たい 。",
]
MORE_JAPANESE = [
    "そんな 海 が 見え たい 。",
    "店 を 見 た 。",
    "この <b> 海 は そんな 海 です 。",
    "また 店 を 見 た 。",
]
TEMPLATES = "F:-1..1:0.. T:-2..-1"
KINDS = ["chunks", "respelled", "words_tags", "yamcha", "segmenter", "parser", "split", "parser_chunks", "roles"]


class Task(NamedTuple):
    """An app, the data it is evaluated on, and how a file of them is spelled; roles have a second file."""

    app: Any
    source: Any
    text: str | None = None


@cache
def task(kind: str) -> Task:
    """Made once; see the functions below."""
    made: Task = globals()[f"make_{kind}"]()
    return made


def tagged(seed: int = 1) -> list[Any]:
    """Sentences that are harder than those learned from, with a token that looks like markup."""
    found = tagger_tasks.sentences(12, seed)
    return [[(NASTY, "N", "B-NP"), ("grinds", "V", "B-NP"), ("stone", "N", "I-VP")], *found]


def make_chunks() -> Task:
    app = Tagger(TEMPLATES, epochs=2).fit(tagger_tasks.sentences(20))
    return Task(app, tagged(), tagger_tasks.text_of(tagged()))


def make_respelled() -> Task:
    """The machine spells chunks in another way than the file."""
    app = Tagger(TEMPLATES, epochs=2, tag_scheme="BIOES").fit(tagger_tasks.sentences(20))
    return Task(app, tagged(), tagger_tasks.text_of(tagged()))


def make_words_tags() -> Task:
    """Tags that are not those of chunks."""
    app = Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1", epochs=2).fit(_kinds(tagger_tasks.sentences(20)))
    return Task(app, _kinds(tagged()), tagger_tasks.text_of(_kinds(tagged())))


def _kinds(sentences: list[Any]) -> list[Any]:
    return [[token[:2] for token in sentence] for sentence in sentences]


def make_yamcha() -> Task:
    app = Tagger("F:-1..1:0.. T:-1", multiclass="ovo", epochs=2).fit(tagger_tasks.sentences(20))
    with tempfile.TemporaryDirectory() as folder:
        write(app.machine_, Path(folder) / "model", "yamcha")
        return Task(Tagger.load(Path(folder) / "model"), tagged())


def make_segmenter() -> Task:
    return Task(Segmenter().fit(JAPANESE), MORE_JAPANESE, "\n".join([*MORE_JAPANESE, ""]))


def make_parser() -> Task:
    """Evaluated also on a relation that was never learned, and on a tree that the algorithm cannot give."""
    app = DependencyParser(epochs=1).fit(parser_tasks.sentences(15))
    first, *others = parser_tasks.sentences(10, seed=3)
    nasty = tuple(replace(word, form=NASTY, deprel="new:kind") if word.deprel == "nsubj" else word for word in first)
    source = [nasty, *others, *parser_tasks.crossing(2)]
    return Task(app, source, parser_tasks.text_of(source))


def make_split() -> Task:
    app = DependencyParser("arc-eager", epochs=1, split="b0.upos", split_threshold=20)
    return Task(app.fit(parser_tasks.sentences(15)), parser_tasks.sentences(10, seed=3))


def make_parser_chunks() -> Task:
    app = DependencyParser("head-final", epochs=1).fit(parser_tasks.head_final(15))
    return Task(app, parser_tasks.head_final(10, seed=3))


def make_roles() -> Task:
    app = RoleLabeller(min_count=1).fit(TREES[list(range(30))], PROPOSITIONS[:30])
    return Task(app, (Sentences(TREES), PROPOSITIONS[20:]))


def write_roles(folder: Path) -> tuple[str, str]:
    """Files of trees and of propositions."""
    sentences, propositions = task("roles").source
    write_sentences(folder / "trees", sentences)
    write_propositions(folder / "props", propositions)
    return str(folder / "trees"), str(folder / "props")
