"""How a parser learns: rows of its configurations, and machines that decide what to do in them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gristmill import _core
from gristmill.apps.filled_columns import filled_shares
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named_together
from gristmill.apps.parsing.chunks import (
    CHUNKS,
    TAG_TEMPLATES,
    ChunkModel,
    chunks_of_trees,
    linked_chunks,
    numbered_tags,
)
from gristmill.apps.parsing.column_dropout import drop_columns
from gristmill.apps.parsing.engine import action_classifier, core_split
from gristmill.apps.parsing.model import (
    ALGORITHMS,
    ONLY,
    ActionRows,
    ParserModel,
    Split,
    links_chunks,
    links_of,
    numbered_actions,
    parsed,
)
from gristmill.apps.parsing.pseudo_projective import projectivized
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.parsing.treebank import Treebank
from gristmill.apps.sentence_app import remembering
from gristmill.base.arrays import Flags, Indices, Int32s
from gristmill.base.progress import Progress, part_progress
from gristmill.data.rows import Rows
from gristmill.explanations.kept_examples import Places
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine

OTHER = "other"


@dataclass(frozen=True)
class ParserLearning:
    """Settings of learning; see `DependencyParser`."""

    algorithm: str
    templates: str
    how: Learning
    dynamic: bool
    pseudo_projective: str
    split: Split | None
    threshold: int
    chunks: str
    keep_examples: bool
    column_dropout: float
    n_jobs: int | None
    progress: Progress | None


@dataclass(frozen=True)
class Learned:
    """Machines over the same features, and what else the parser needs."""

    machines: Machines
    model: ParserModel
    n_features: int
    n_rows: int
    n_skipped: int


def learn_parser(treebank: Treebank, learning: ParserLearning) -> Learned:
    """All machines of a parser; LearningInterrupted keeps what there is, once it can parse."""
    names, machines, words = _core.Strings([]), dict[str, Machine](), treebank.columns
    chunks, filled = None, dict(zip(COLUMNS, filled_shares(treebank.columns, range(len(COLUMNS))), strict=True))
    treebank = replace(treebank, columns=drop_columns(treebank.columns, learning.column_dropout))
    if links_chunks(learning.algorithm):
        chunks = ChunkModel(learning.chunks, TAG_TEMPLATES)
        found = chunks_of_trees(treebank, learning.chunks)
        machines[CHUNKS] = _learn_chunks(treebank, found, chunks, names, learning)
        treebank = linked_chunks(treebank, found)
    elif learning.pseudo_projective != "none":
        own = (treebank.columns, treebank.heads, treebank.relations, treebank.names)
        treebank = Treebank(treebank.columns, *projectivized(*own, learning.pseudo_projective, learning.progress))
    treebank = treebank.sorted()
    model = replace(_new_model(treebank, learning, chunks), filled=filled)
    lesson = static_lesson(treebank, model, names, learning.progress)
    lesson = replace(lesson, kept=words if learning.keep_examples else None)
    if learning.dynamic and len(np.unique(lesson.rows.moves)) > 1:
        return _learn_exploring(treebank, lesson, model, learning)
    return _learn_actions(lesson, model, machines, learning)


def _learn_chunks(
    treebank: Treebank, chunks: _core.Chunks, model: ChunkModel, names: _core.Strings, learning: ParserLearning
) -> Machine:
    """The tagger that finds chunks, from their last word to their first."""
    tags, numbers = numbered_tags(chunks, treebank.names)
    if len(tags) < 2:
        raise ValueError("all words are chunks of their own: no relation of the treebank joins words")
    parts = (model.window(tags), treebank.columns, numbers, names)
    offsets, ids = _core.extract_rows(*parts, True, True, learning.progress)
    rows = Rows(offsets, ids, n_features=len(names))
    try:
        machine = learn(rows, numbers, tags, learning.how, n_jobs=learning.n_jobs, progress=learning.progress)
    except LearningInterrupted as stop:
        raise KeyboardInterrupt from stop  # chunks alone cannot parse
    return remembering(machine, rows, treebank.columns) if learning.keep_examples else machine


def _new_model(treebank: Treebank, learning: ParserLearning, chunks: ChunkModel | None) -> ParserModel:
    is_root = treebank.heads < 0
    if is_root.all():
        raise ValueError("there is nothing to learn: all sentences have one word")
    root, common = _commonest(treebank, is_root), _commonest(treebank, ~is_root)
    parts = (learning.algorithm, learning.templates, tuple(treebank.names), root, common)
    return ParserModel(*parts, learning.pseudo_projective != "none", learning.split, chunks)


def _commonest(treebank: Treebank, chosen: Flags) -> str:
    """The relation of most of these words, of equals the first one."""
    return treebank.names[int(np.bincount(treebank.relations[chosen]).argmax())]


# --- rows -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lesson:
    """Rows to learn from, with the books that number their features and the values that machines are split by."""

    rows: ActionRows
    names: _core.Strings
    values: _core.Strings
    relations: Sequence[str]
    kept: _core.Columns | None = None  # the words, where machines are to keep them

    @property
    def examples(self) -> Rows:
        """All rows."""
        return Rows(self.rows.offsets, self.rows.ids, n_features=len(self.names))

    def remembered(self, machine: Machine) -> Machine:
        """With the sentences of its support rows, where they are kept; rows are about no single word."""
        if self.kept is None:
            return machine
        places = Places(self.rows.sentences.astype(np.intp), np.full(len(self.rows.sentences), -1))
        return remembering(machine, self.examples, self.kept, places)

    @functools.cached_property
    def actions(self) -> tuple[list[str], Int32s]:
        """Their names, sorted, and which is right in each row."""
        return numbered_actions(self.rows, self.relations)


def static_lesson(treebank: Treebank, model: ParserModel, names: _core.Strings, progress: Progress | None) -> Lesson:
    """The configurations on the way to the trees."""
    values = _core.Strings([])
    features = parsed(model.templates, model.algorithm).compile(list(model.relations))
    trees = (treebank.columns, treebank.heads, treebank.relations)
    parts = (features, *trees, core_split(model), names, values, progress)
    rows = ActionRows(*_core.action_rows(ALGORITHMS[model.algorithm], *parts))
    return Lesson(rows, names, values, model.relations)


def dynamic_lesson(
    treebank: Treebank, model: ParserModel, lesson: Lesson, explorer: Machine, progress: Progress | None
) -> Lesson:
    """More configurations: those that a parser which has learned a little comes to by itself."""
    classifier = action_classifier({ONLY: explorer}, replace(model, split=None), {ONLY: explorer.compile()})
    features = parsed(model.templates, model.algorithm).compile(list(model.relations))
    trees = (treebank.columns, treebank.heads, treebank.relations)
    parts = (classifier, *trees, core_split(model), lesson.names, lesson.values, progress)
    explored = ActionRows(*_core.explored_rows(features, *parts))
    return replace(lesson, rows=lesson.rows.joined(explored))


# --- machines ---------------------------------------------------------------------------------------------------------


def _learn_exploring(treebank: Treebank, lesson: Lesson, model: ParserModel, learning: ParserLearning) -> Learned:
    """With a dynamic oracle. Until machines can parse that have learned from it, the explorer's is what there is.

    One pass of online learning leaves enough errors to learn from; explorers that have learned more, or from other
    sentences than they explore, teach no more.
    """
    alone, brief = replace(model, split=None), replace(learning, how=_in_brief(learning.how))
    try:
        explorer = _learn_group(lesson, np.arange(len(lesson.rows.moves)), brief, 0, 1)
    except LearningInterrupted as stop:
        raise LearningInterrupted(_learned(lesson, alone, {ONLY: stop.learned}, {})) from stop
    try:
        longer = dynamic_lesson(treebank, model, lesson, explorer, learning.progress)
        return _learn_actions(longer, model, {}, learning)
    except LearningInterrupted:
        raise
    except KeyboardInterrupt as stop:
        raise LearningInterrupted(_learned(lesson, alone, {ONLY: explorer}, {})) from stop


def _in_brief(how: Learning) -> Learning:
    """One pass online; prices of errors differ by solver."""
    return Learning(degree=how.degree, C=how.C if how.solver == "online" else None, epochs=1)


def _learn_actions(
    lesson: Lesson, model: ParserModel, machines: dict[str, Machine], learning: ParserLearning
) -> Learned:
    """Adds one machine, or one for each value that has enough rows."""
    groups = _groups(lesson, model.split, learning.threshold)
    if not groups:
        raise ValueError(_nothing_to_learn(lesson, model))
    for number, (name, chosen) in enumerate(groups.items()):
        try:
            machines[name] = _learn_group(lesson, chosen, learning, number, len(groups))
        except KeyboardInterrupt as stop:
            if isinstance(stop, LearningInterrupted):
                machines[name] = stop.learned
            if not links_of(machines):
                raise
            raise LearningInterrupted(_learned(lesson, model, machines, groups)) from stop
    return _learned(lesson, model, machines, groups)


def _nothing_to_learn(lesson: Lesson, model: ParserModel) -> str:
    if lesson.rows.skipped:
        return f"{model.algorithm} cannot give the trees of any sentence in which there is a choice"
    return "there is nothing to learn: all configurations ask for the same action"


def _learn_group(lesson: Lesson, chosen: Indices, learning: ParserLearning, number: int, groups: int) -> Machine:
    rows = lesson.examples
    actions, numbers = lesson.actions
    if len(chosen) < len(numbers):
        rows = rows.take(chosen)
        used, places = np.unique(numbers[chosen], return_inverse=True)
        actions, numbers = [actions[action] for action in used.tolist()], places.astype(np.int32).reshape(-1)
    progress = part_progress(learning.progress, number, groups)
    return learn(rows, numbers, actions, learning.how, n_jobs=learning.n_jobs, progress=progress)


def _groups(lesson: Lesson, split: Split | None, threshold: int) -> dict[str, Indices]:
    """Rows of each machine. Values that have few, or nothing to tell apart, share one, or join that of most rows."""
    actions, numbers = lesson.actions
    if len(actions) < 2:
        return {}
    if split is None:
        return {ONLY: np.arange(len(numbers))}
    without, *places = _places_of_values(lesson)
    groups, rest = dict[str, Indices](), [without]
    for value, chosen in zip(lesson.values.words(), places, strict=True):
        if len(chosen) >= threshold and len(np.unique(numbers[chosen])) > 1:
            groups[_group_name(split, value)] = chosen
        else:
            rest.append(chosen)
    others = np.sort(np.concatenate(rest))
    if not groups or len(np.unique(numbers[others])) > 1:
        return groups | {OTHER: others}
    most = max(groups, key=lambda name: len(groups[name]))
    return groups | {most: np.sort(np.concatenate([groups[most], others]))}


def _places_of_values(lesson: Lesson) -> list[Indices]:
    """Rows in which the cell that machines are split by is not there, then those of each of its values."""
    order = np.argsort(lesson.rows.values, kind="stable")
    ends = np.searchsorted(lesson.rows.values[order], np.arange(len(lesson.values)))
    return np.split(order, ends)


def _group_name(split: Split, value: str) -> str:
    return f"{split.address}.{split.column}={value}"


def _learned(lesson: Lesson, model: ParserModel, machines: dict[str, Machine], groups: dict[str, Indices]) -> Learned:
    model = _routed(lesson, model, machines, groups)
    machines = {name: one if name == CHUNKS else lesson.remembered(one) for name, one in machines.items()}
    named = named_together(list(machines.values()), lesson.names.words(), model.provenance())
    together = Machines(dict(zip(machines, named, strict=True)))
    return Learned(together, model, len(lesson.names), len(lesson.rows.moves), lesson.rows.skipped)


def _routed(
    lesson: Lesson, model: ParserModel, machines: dict[str, Machine], groups: dict[str, Indices]
) -> ParserModel:
    """The model that knows which machine decides on which value; on others that of most rows, if there is none."""
    if model.split is None:
        return model
    learned = [name for name in groups if name in machines]
    most = max(learned, key=lambda name: len(groups[name]))
    names = {value: _group_name(model.split, value) for value in lesson.values.words()}
    known = {value: name for value, name in names.items() if name in learned}
    return replace(model, split=replace(model.split, machines=known, other=OTHER if OTHER in learned else most))
