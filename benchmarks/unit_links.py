"""Japanese dependency parsing as in Kudo and Matsumoto 2003, section 5.3: does a unit depend on the one behind it?

Cascaded chunking over units of UD Japanese GSD, which are given, as the paper's bunsetsu are: by the relations that
join words in the trees of a file. One machine of degree 3 decides, without relations.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.parsing import GSD, text_of, write
from gristmill import _core
from gristmill.apps.learning import Learning, learn, named
from gristmill.apps.parsing.chunks import DEFAULT_JOINS, TAG_TEMPLATES, ChunkModel, chunks_of_trees, linked_chunks
from gristmill.apps.parsing.engine import action_classifier
from gristmill.apps.parsing.learning import static_lesson
from gristmill.apps.parsing.model import ONLY, ParserModel, numbered_actions, parsed
from gristmill.apps.parsing.treebank import Treebank, read_conllu, read_treebank
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer

# What a unit is headed by, what it ends in and begins with, its neighbours, and what depends on it so far.
TEMPLATES = """
{s0,b0}.{lemma,upos,xpos,last-form,last-xpos,mark-form,first-form}
s1.{upos,last-form} b1.{upos,xpos,last-form}
{s0,b0}.ldep.{last-form,upos}
distance(s0,b0)
"""
LINK = "link"
MODEL = ParserModel("cascaded", TEMPLATES, (LINK,), LINK, LINK, chunks=ChunkModel(DEFAULT_JOINS, TAG_TEMPLATES))


class Links:
    """JDP: links between units by features like the paper's."""

    def __init__(self, C: float, folder: Path, train: int | None, test: int | None) -> None:
        known = write(folder / "train units", text_of(GSD, "train", train))
        self._text = write(folder / "units", text_of(GSD, "test", test))
        self.machine, self.examples = _learned(_units(known), C)
        self.sentences = len(self._test)

    def use(self, scorer: Scorer) -> None:
        lookout = parsed(TEMPLATES, MODEL.algorithm).compile([LINK])
        chooser = action_classifier({ONLY: self.machine}, MODEL, {ONLY: scorer})
        self._decoder = _core.ParseDecoder(_core.System.cascade, lookout, self._names, chooser, [])

    def run(self, output: Path) -> None:
        """Heads are those that are found; relations stay as they are."""
        text = read_conllu(self._text)
        trees = Treebank.of_conllu(text)
        units = chunks_of_trees(trees, DEFAULT_JOINS)
        heads, _ = units.compose(*self._decoder.decode(units.columns(text.columns)))
        output.write_bytes(text.filled(heads, (trees.relations, trees.names)))

    def score(self) -> float:
        """The share of units with the right head; the last of a sentence has none."""
        heads, _ = self._decoder.decode(self._test.columns)
        has_head = np.ones(len(heads), dtype=bool)
        has_head[self._test.columns.starts()[1:] - 1] = False
        return float(np.mean((heads == self._test.heads)[has_head]))

    @cached_property
    def _test(self) -> Treebank:
        return _units(self._text)

    @cached_property
    def _names(self) -> _core.Strings:
        return _core.Strings(list(self.machine.feature_names or ()))


def _units(path: Path) -> Treebank:
    """Units as words, their links without relations."""
    treebank = read_treebank(path)
    linked = linked_chunks(treebank, chunks_of_trees(treebank, DEFAULT_JOINS))
    return Treebank(linked.columns, linked.heads, np.zeros_like(linked.relations), [LINK])


def _learned(units: Treebank, C: float) -> tuple[Machine, int]:
    """A support vector machine, and how many decisions it was learned from."""
    names = _core.Strings([])
    found = static_lesson(units, MODEL, names, None).rows
    actions, numbers = numbered_actions(found, MODEL.relations)
    rows = Rows(found.offsets, found.ids, n_features=len(names))
    machine = learn(rows, numbers, actions, Learning("dual-cd", degree=3, C=C), n_jobs=1)
    return named(machine, names.words(), MODEL.provenance()), len(numbers)
