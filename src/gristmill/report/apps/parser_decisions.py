"""Decisions of a parser as examples: on the oracle's path to the true trees, or on the parser's own path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.chunks import chunks_of_trees, linked_chunks
from gristmill.apps.parsing.engine import ParserEngine
from gristmill.apps.parsing.learning import static_lesson
from gristmill.apps.parsing.model import ALGORITHMS, ONLY, Action, ActionRows, action_name
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.steps import place_in_walk
from gristmill.apps.parsing.treebank import Treebank
from gristmill.base.arrays import Indices
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.report.apps.content import Places


@dataclass(frozen=True, eq=False)
class Decisions:
    """Configurations, each with the action that was taken.

    Parameters
    ----------
    engine : ParserEngine
    columns : Columns
        Of the tokens that are linked: words, or chunks of words.
    relations : sequence of str
        Those of the parser, then others that the data have.
    sentences : array
        Of each configuration, ascending.
    actions : list of Action
        The right action, or that of the parser.
    parts : sequence of str
        Which machine has to decide.
    rows : Rows
        The features that this machine sees.
    skipped : int
        Sentences that are left out: the algorithm cannot give their trees.
    """

    engine: ParserEngine
    columns: _core.Columns
    relations: Sequence[str]
    sentences: Indices
    actions: list[Action]
    parts: Sequence[str]
    rows: Rows
    skipped: int = 0

    @cached_property
    def places(self) -> Places:
        return Places(self.columns)

    def names(self, numbers: Indices) -> list[str]:
        """Names of the actions."""
        return [action_name(self.actions[number], self.relations) for number in numbers.tolist()]

    def of_sentence(self, sentence: int) -> range:
        """The configurations of a sentence; none if it was left out."""
        first, end = np.searchsorted(self.sentences, [sentence, sentence + 1]).tolist()
        return range(first, end)

    def name(self, number: int) -> str:
        """sentence 12, step 3: the mill | turns"""
        sentence = int(self.sentences[number])
        step = number - self.of_sentence(sentence)[0] + 1
        return f"sentence {sentence + 1:,}, step {step}: {self.place(number)}"

    def place(self, number: int) -> str:
        """Top of the stack and next words: `the mill | turns`."""
        sentence = int(self.sentences[number])
        words = self.places.words(sentence)
        walk = _core.Walk(ALGORITHMS[self.engine.model.algorithm], len(words))
        for action in self.actions[self.of_sentence(sentence)[0] : number]:
            walk.take(*action)
        return place_in_walk(words, walk.stack, walk.buffer)

    @cached_property
    def busiest(self) -> tuple[str, Indices]:
        """The machine that has most to decide, the first of equals, and its configurations."""
        parts = np.array(self.parts)
        names, firsts, counts = np.unique(parts, return_index=True, return_counts=True)
        name = names[max(range(len(names)), key=lambda at: (counts[at], -firsts[at]))]
        return str(name), np.flatnonzero(parts == name)


# --- the oracle's path ------------------------------------------------------------------------------------------------


def oracle_decisions(parser: DependencyParser, treebank: Treebank, progress: Progress | None) -> Decisions:
    """The right actions on the way to the true trees, as the parser has learned them."""
    engine, chunks = parser.engine_, parser.engine_.model.chunks
    if chunks is not None:
        treebank = linked_chunks(treebank, chunks_of_trees(treebank, chunks.joins))
    treebank = _renumbered(treebank, engine.model.relations)
    known = list(parser.machine_.feature_names or ())
    model = replace(engine.model, relations=tuple(treebank.names))
    lesson = static_lesson(treebank, model, _core.Strings(known), progress)
    rows = lesson.rows
    return Decisions(
        engine,
        treebank.columns,
        treebank.names,
        rows.sentences.astype(np.intp),
        _actions(rows),
        _parts(engine, rows, lesson.values.words()),
        _known_features(rows, len(known)),
        rows.skipped,
    )


def _actions(rows: ActionRows) -> list[Action]:
    numbers = zip(rows.moves.tolist(), rows.relations.tolist(), strict=True)
    return [(_core.Move(move), relation) for move, relation in numbers]


def _renumbered(treebank: Treebank, relations: Sequence[str]) -> Treebank:
    """The same treebank with the parser's relations first."""
    names = list(dict.fromkeys([*relations, *treebank.names]))
    places = np.array([names.index(name) for name in treebank.names], dtype=np.int32)
    return replace(treebank, relations=places[treebank.relations], names=names)


def _known_features(rows: ActionRows, known: int) -> Rows:
    """Rows without features that the machines have never seen, which have the highest numbers."""
    kept = rows.ids < known
    offsets = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])[rows.offsets]
    return Rows(offsets, rows.ids[kept], n_features=known)


def _parts(engine: ParserEngine, rows: ActionRows, values: Sequence[str]) -> Sequence[str]:
    split = engine.model.split
    if split is None:
        return [ONLY] * len(rows.moves)
    machines = [*(split.machines.get(value, split.other) for value in values), split.other]  # the last for no value, -1
    return [machines[value] for value in rows.values.tolist()]


# --- the parser's own path --------------------------------------------------------------------------------------------


def own_decisions(parser: DependencyParser, columns: _core.Columns, sentences: Indices) -> Decisions:
    """The actions of the parser in some sentences, ascending."""
    engine = parser.engine_
    if engine.model.chunks is not None:
        columns = engine.chunks(columns, 1).columns(columns)
    traces = [engine.trace(columns, sentence) for sentence in sentences.tolist()]
    lengths = [np.zeros(1, np.int64), *(trace.rows.lengths for trace in traces)]
    ids = np.concatenate([np.empty(0, np.int32), *(trace.rows.ids for trace in traces)])
    return Decisions(
        engine,
        columns,
        engine.names,
        np.repeat(sentences, [len(trace.parts) for trace in traces]),
        [action for trace in traces for action in trace.actions],
        [part for trace in traces for part in trace.parts],
        Rows(np.cumsum(np.concatenate(lengths)), ids, n_features=len(parser.machine_.feature_names or ())),
    )
