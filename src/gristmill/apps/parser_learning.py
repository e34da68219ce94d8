"""How a parser learns: rows of its configurations, and machines that tell what to do in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named_together, part_progress
from gristmill.apps.lifted_relations import lifted
from gristmill.apps.parser_actions import ActionRows, numbered_actions
from gristmill.apps.parser_choosing import chooser_of, core_split
from gristmill.apps.parser_model import ONLY, ParserModel, Split, links_of
from gristmill.apps.parser_settings import ALGORITHMS, is_of_units, parsed
from gristmill.apps.parser_units import (
    TAG_TEMPLATES,
    UNITS,
    UnitsModel,
    linked_units,
    numbered_tags,
    units_of_trees,
)
from gristmill.apps.treebank import Treebank
from gristmill.collection import Machines
from gristmill.data import Rows
from gristmill.kernels import Progress
from gristmill.machine import Machine

OTHER = "other"

Places = NDArray[np.intp]


@dataclass(frozen=True)
class ParserLearning:
    """What a parser is told; see `DependencyParser`."""

    algorithm: str
    templates: str
    how: Learning
    dynamic: bool
    lifting: str
    split: Split | None
    threshold: int
    units: str
    n_jobs: int | None
    progress: Progress | None


@dataclass(frozen=True)
class Learned:
    """Machines over the same features, and what the parser needs beside them."""

    machines: Machines
    model: ParserModel
    n_features: int
    n_rows: int
    n_skipped: int


class ParserInterrupted(KeyboardInterrupt):
    """Learning was interrupted; `learned` is what there is so far."""

    def __init__(self, learned: Learned) -> None:
        super().__init__()
        self.learned = learned


def learn_parser(treebank: Treebank, learning: ParserLearning) -> Learned:
    """All machines of a parser; ParserInterrupted keeps what there is, once it can parse."""
    names, machines = _core.Strings([]), dict[str, Machine]()
    units = None
    if is_of_units(learning.algorithm):
        units = UnitsModel(learning.units, TAG_TEMPLATES)
        found = units_of_trees(treebank, learning.units)
        machines[UNITS] = _learn_units(treebank, found, units, names, learning)
        treebank = linked_units(treebank, found)
    elif learning.algorithm != "swap":
        own = (treebank.columns, treebank.heads, treebank.relations, treebank.names)
        treebank = Treebank(treebank.columns, *lifted(*own, learning.lifting, learning.progress))
    treebank = treebank.sorted()
    model = _new_model(treebank, learning, units)
    lesson = static_lesson(treebank, model, names, learning.progress)
    if learning.dynamic and len(np.unique(lesson.rows.moves)) > 1:
        lesson = dynamic_lesson(treebank, model, lesson, learning)
    return _learn_actions(lesson, model, machines, learning)


def _learn_units(
    treebank: Treebank, units: _core.Units, model: UnitsModel, names: _core.Strings, learning: ParserLearning
) -> Machine:
    """The tagger that finds units, from their last word to their first."""
    tags, numbers = numbered_tags(units, treebank.names)
    if len(tags) < 2:
        raise ValueError("all words are units of their own: no relation of the treebank joins words")
    parts = (model.window(tags), treebank.columns, numbers, names)
    offsets, ids = _core.extract_rows(*parts, True, True, learning.progress)
    rows = Rows(offsets, ids, n_features=len(names))
    return learn(rows, numbers, tags, learning.how, n_jobs=learning.n_jobs, progress=learning.progress)


def _new_model(treebank: Treebank, learning: ParserLearning, units: UnitsModel | None) -> ParserModel:
    is_root = treebank.heads < 0
    if is_root.all():
        raise ValueError("there is nothing to learn: all sentences have one word")
    root, common = _commonest(treebank, is_root), _commonest(treebank, ~is_root)
    parts = (learning.algorithm, learning.templates, tuple(treebank.names), root, common)
    lifted_some = not is_of_units(learning.algorithm) and learning.algorithm != "swap" and learning.lifting != "none"
    return ParserModel(*parts, lifted_some, learning.split, units)


def _commonest(treebank: Treebank, chosen: NDArray[np.bool_]) -> str:
    """The relation of most of these words, of equals the first one."""
    return treebank.names[int(np.bincount(treebank.relations[chosen]).argmax())]


# --- rows -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lesson:
    """Rows to learn from, with the books that number their features and the values that machines are split by."""

    rows: ActionRows
    names: _core.Strings
    values: _core.Strings


def static_lesson(treebank: Treebank, model: ParserModel, names: _core.Strings, progress: Progress | None) -> Lesson:
    """The configurations on the way to the trees."""
    values = _core.Strings([])
    lookout = parsed(model.templates, model.algorithm).compile(list(model.relations))
    trees = (treebank.columns, treebank.heads, treebank.relations)
    parts = (lookout, *trees, core_split(model), names, values, progress)
    return Lesson(ActionRows(*_core.action_rows(ALGORITHMS[model.algorithm], *parts)), names, values)


def dynamic_lesson(treebank: Treebank, model: ParserModel, lesson: Lesson, learning: ParserLearning) -> Lesson:
    """More configurations: those that a parser which has learned a little comes to by itself.

    One pass of online learning leaves enough errors to learn from; explorers that have learned more, or from other
    sentences than they explore, teach no more.
    """
    brief = replace(learning, how=Learning(degree=learning.how.degree, C=learning.how.C, epochs=1))
    alone = replace(model, split=None)
    machine = _learn_group(lesson, alone, np.arange(len(lesson.rows.moves)), brief, 0, 1)
    chooser = chooser_of({ONLY: machine}, alone, {ONLY: machine.compile()})
    lookout = parsed(model.templates, model.algorithm).compile(list(model.relations))
    trees = (treebank.columns, treebank.heads, treebank.relations)
    parts = (chooser, *trees, core_split(model), lesson.names, lesson.values, learning.progress)
    explored = ActionRows(*_core.explored_rows(lookout, *parts))
    return replace(lesson, rows=lesson.rows.joined(explored))


# --- machines ---------------------------------------------------------------------------------------------------------


def _learn_actions(
    lesson: Lesson, model: ParserModel, machines: dict[str, Machine], learning: ParserLearning
) -> Learned:
    """Adds one machine, or one for each value that has enough rows."""
    groups = _groups(lesson, model, learning.threshold)
    if not groups:
        raise ValueError(_nothing_to_learn(lesson, model))
    for number, (name, chosen) in enumerate(groups.items()):
        try:
            machines[name] = _learn_group(lesson, model, chosen, learning, number, len(groups))
        except KeyboardInterrupt as stop:
            if isinstance(stop, LearningInterrupted):
                machines[name] = stop.machine
            if not links_of(machines):
                raise
            raise ParserInterrupted(_learned(lesson, model, machines, groups)) from stop
    return _learned(lesson, model, machines, groups)


def _nothing_to_learn(lesson: Lesson, model: ParserModel) -> str:
    if lesson.rows.skipped:
        return f"{model.algorithm} cannot give the trees of any sentence in which there is a choice"
    return "there is nothing to learn: all configurations ask for the same action"


def _learn_group(
    lesson: Lesson, model: ParserModel, chosen: Places, learning: ParserLearning, number: int, groups: int
) -> Machine:
    rows = Rows(lesson.rows.offsets, lesson.rows.ids, n_features=len(lesson.names))
    actions, numbers = numbered_actions(lesson.rows, model.relations)
    if len(chosen) < len(numbers):
        rows = rows.take(chosen)
        used, places = np.unique(numbers[chosen], return_inverse=True)
        actions, numbers = [actions[action] for action in used.tolist()], places.astype(np.int32).reshape(-1)
    progress = part_progress(learning.progress, number, groups)
    return learn(rows, numbers, actions, learning.how, n_jobs=learning.n_jobs, progress=progress)


def _groups(lesson: Lesson, model: ParserModel, threshold: int) -> dict[str, Places]:
    """Rows of each machine. Values that have few, or nothing to tell apart, share one, or join that of most rows."""
    codes = lesson.rows.moves.astype(np.int64) * (len(model.relations) + 1) + lesson.rows.relations
    everything = np.arange(len(codes))
    if len(np.unique(codes)) < 2:
        return {}
    if model.split is None:
        return {ONLY: everything}
    groups, rest = dict[str, Places](), [everything[lesson.rows.values < 0]]
    for number, value in enumerate(lesson.values.words()):
        chosen = np.flatnonzero(lesson.rows.values == number)
        if len(chosen) >= threshold and len(np.unique(codes[chosen])) > 1:
            groups[_group_name(model.split, value)] = chosen
        else:
            rest.append(chosen)
    others = np.sort(np.concatenate(rest))
    if not groups or len(np.unique(codes[others])) > 1:
        return groups | {OTHER: others}
    most = max(groups, key=lambda name: len(groups[name]))
    return groups | {most: np.sort(np.concatenate([groups[most], others]))}


def _group_name(split: Split, value: str) -> str:
    return f"{split.address}.{split.column}={value}"


def _learned(lesson: Lesson, model: ParserModel, machines: dict[str, Machine], groups: dict[str, Places]) -> Learned:
    model = _routed(lesson, model, machines, groups)
    named = named_together(list(machines.values()), lesson.names.words(), model.provenance())
    together = Machines(dict(zip(machines, named, strict=True)))
    return Learned(together, model, len(lesson.names), len(lesson.rows.moves), lesson.rows.skipped)


def _routed(lesson: Lesson, model: ParserModel, machines: dict[str, Machine], groups: dict[str, Places]) -> ParserModel:
    """The model that knows which machine decides on which value; on others that of most rows, if there is none."""
    if model.split is None:
        return model
    learned = [name for name in groups if name in machines]
    most = max(learned, key=lambda name: len(groups[name]))
    names = {value: _group_name(model.split, value) for value in lesson.values.words()}
    known = {value: name for value, name in names.items() if name in learned}
    return replace(model, split=replace(model.split, machines=known, other=OTHER if OTHER in learned else most))
