"""What a morphological tagger is made of: steps, each a tagger of one column of CoNLL-U or of several at once.

UPOS come first, from forms. Then XPOS and features together, from forms and the UPOS of all words around: a tag of that
step is what stands in its columns, with a blank between them, as in "NN Case=Nom|Number=Sing".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.filled_columns import LEAST, filled_shares
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named_together
from gristmill.apps.parsing.cross_filling import Fill, cross_fill
from gristmill.apps.parsing.tree import COLUMNS, NOTHING
from gristmill.apps.tagging.chunks import column_tags
from gristmill.apps.tagging.engine import TaggerEngine, TaggerModel
from gristmill.apps.tagging.tagger import sorted_tags
from gristmill.apps.templates import parse_templates
from gristmill.base.arrays import Int32s
from gristmill.base.errors import FormatError
from gristmill.base.progress import Progress, part_progress
from gristmill.data.rows import Rows
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine
from gristmill.scoring.scorers import Scorers

KEY = "morphology"
TAGS = ("upos", "xpos", "feats")  # columns that can be tagged
TEMPLATES = "F:-1..1:0 F:0:0:lower+suffix:1..8 F:0:0:lower+prefix:1..5 F:0:0:brief T:-1"

_GIVEN = "F:-2..2:1.."  # what earlier steps have found
_BETWEEN = " "

Fillings = dict[str, Any]  # numbers of words in a list of tags, by column, as `Conllu.filled` takes them


@dataclass(frozen=True)
class Step:
    """One tagger: which columns it fills in, from which ones in addition to forms."""

    fills: tuple[str, ...]
    given: tuple[str, ...]
    model: TaggerModel

    def __post_init__(self) -> None:
        if not self.fills or len({*self.fills, *self.given}) != len(self.fills) + len(self.given):
            raise ValueError("a step fills in columns that differ from those it is given")
        if not {*self.fills, *self.given} <= {*TAGS}:
            raise ValueError(f"steps are of {', '.join(TAGS)}, got {[*self.fills, *self.given]!r:.60}")
        if self.model.columns != 1 + len(self.given):
            raise ValueError(f"a step that is given {len(self.given)} columns looks at {self.model.columns}")

    @property
    def name(self) -> str:
        """That of its machine."""
        return "+".join(self.fills)

    @classmethod
    def of_mapping(cls, known: Mapping[str, Any]) -> Step:
        return cls(tuple(known["fills"]), tuple(known["given"]), TaggerModel(**known["model"]))

    def words(self, text: _core.Conllu) -> _core.Columns:
        """Forms, and the columns that are given."""
        return text.columns.picked([COLUMNS.index(name) for name in ("form", *self.given)])

    def fillings(self, numbers: Int32s, tags: Sequence[str]) -> Fillings:
        """Tags of words column by column."""
        parts = zip(*(tag.split(_BETWEEN) for tag in tags), strict=True)
        return {name: (numbers, part) for name, part in zip(self.fills, map(list, parts), strict=True)}


def steps_of(columns: Sequence[str], templates: str) -> tuple[Step, ...]:
    """UPOS, and what comes after it."""
    groups = [tuple(name for name in columns if (name == "upos") == is_first) for is_first in (True, False)]
    steps, given = list[Step](), tuple[str, ...]()
    for fills in filter(None, groups):
        own = f"{templates} {_GIVEN}" if given else templates
        steps.append(Step(fills, given, TaggerModel(own, "forward", 1 + len(given))))
        given += fills
    return tuple(steps)


def filled_columns(text: _core.Conllu) -> tuple[str, ...]:
    """Those that a text teaches: filled in a tenth of its words or more."""
    shares = filled_shares(text.columns, map(COLUMNS.index, TAGS))
    found = tuple(name for name, share in zip(TAGS, shares, strict=True) if share >= LEAST)
    if not found:
        raise FormatError(f"there is nothing to learn: {', '.join(TAGS)} are empty")
    return found


# --- learning ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MorphologyLearning:
    """Settings of learning; see `MorphologicalTagger`."""

    how: Learning
    folds: int
    n_jobs: int | None
    progress: Progress | None


def learn_steps(text: _core.Conllu, steps: Sequence[Step], learning: MorphologyLearning) -> Machines:
    """A machine for each step; those behind it learn from what it says of sentences that it has not learned from.

    LearningInterrupted keeps the machines that there are.
    """
    names, machines = _core.Strings([]), dict[str, Machine]()
    for number, step in enumerate(steps):
        progress = part_progress(learning.progress, number, len(steps))
        try:
            machines[step.name] = _learn_step(text, step, names, learning, progress)
            if number + 1 < len(steps):
                text = _cross_filled(text, step, learning)
        except KeyboardInterrupt as stop:
            if isinstance(stop, LearningInterrupted) and step.name not in machines:
                machines[step.name] = stop.learned
            if not machines:
                raise
            raise LearningInterrupted(_together(machines, names, steps)) from stop
    return _together(machines, names, steps)


def _learn_step(
    text: _core.Conllu, step: Step, names: _core.Strings, learning: MorphologyLearning, progress: Progress | None
) -> Machine:
    columns = _with_tags(text, step)
    classes, labels = sorted_tags(column_tags(columns))
    window = parse_templates(step.model.templates, step.model.columns).compile(classes)
    offsets, ids = _core.extract_rows(window, columns, labels, names, True, False, None)
    rows = Rows(offsets, ids, n_features=len(names))
    return learn(rows, labels, classes, learning.how, n_jobs=learning.n_jobs, progress=progress)


def _with_tags(text: _core.Conllu, step: Step) -> _core.Columns:
    """Words with what is given, and the tag in the last column."""
    cells = [step.words(text).column(place) for place in range(step.model.columns)]
    own = [_checked_cells(text, name) for name in step.fills]
    tags = [_BETWEEN.join(parts) for parts in zip(*own, strict=True)]
    words = zip(*cells, tags, strict=True)
    lengths = np.diff(text.columns.starts())
    return _core.Columns.of_cells([cell for word in words for cell in word], len(cells) + 1, lengths)


def _checked_cells(text: _core.Conllu, name: str) -> list[str]:
    """All cells of a column; XPOS and features may be empty here and there, UPOS may not."""
    cells = [cell or NOTHING for cell in text.columns.column(COLUMNS.index(name))]
    for number, cell in enumerate(cells, 1):
        if cell == NOTHING and name == "upos":
            raise FormatError(f"word {number} of the file has no {name}")
        if _BETWEEN in cell:
            raise FormatError(f"word {number} of the file has a blank in its {name}, {cell!r:.60}: CoNLL-U allows none")
    return cells


def _cross_filled(text: _core.Conllu, step: Step, learning: MorphologyLearning) -> _core.Conllu:
    def learn_from(known: _core.Conllu) -> Fill:
        names = _core.Strings([])
        machines = {step.name: _learn_step(known, step, names, learning, None)}
        engine = MorphologyEngine(_together(machines, names, [step]), [step], "auto")
        return lambda other: _core.Conllu.parse(other.filled(**engine.fill(other, learning.n_jobs, None)))

    return cross_fill(text, learn_from, learning.folds) if learning.folds else text


def _together(machines: Mapping[str, Machine], names: _core.Strings, steps: Sequence[Step]) -> Machines:
    """Machines over one space of features; the first one remembers the steps."""
    kept = [asdict(step) for step in steps if step.name in machines]
    named = named_together([*machines.values()], names.words(), {KEY: {"steps": kept}})
    return Machines(dict(zip(machines, named, strict=True)))


# --- what was learned -------------------------------------------------------------------------------------------------


def steps_of_machines(machines: Mapping[str, Machine]) -> tuple[Step, ...]:
    """What machines remember of the tagger that they were learned by; an error if that is not sound."""
    known = next(iter(machines.values())).provenance[KEY]
    steps = tuple(map(Step.of_mapping, known["steps"]))
    if [step.name for step in steps] != [*machines]:
        raise ValueError(f"there are machines {[*machines]!r:.60} for the steps {[step.name for step in steps]}")
    for step in steps:
        _check_machine(machines[step.name], step)
    return steps


def _check_machine(machine: Machine, step: Step) -> None:
    if machine.feature_names is None or machine.classes is None or machine.classes.dtype.kind != "U":
        raise ValueError("a tagger's machine has names of features, and tags")
    for tag in machine.classes.tolist():
        if len(tag.split(_BETWEEN)) != len(step.fills):
            raise ValueError(f"the tag {tag!r:.60} is not one of {step.name}")


class MorphologyEngine:
    """Tags text. Safe to share between threads. Machines are compiled when they are first needed."""

    def __init__(self, machines: Machines, steps: Sequence[Step], engine: str | Scorers) -> None:
        """With an engine by its name, or the machines compiled already, as they may be with options."""

        def of(step: Step) -> TaggerEngine:
            own = engine if isinstance(engine, str) else engine[step.name]
            return TaggerEngine(machines[step.name], step.model, own)

        self.steps = tuple((step, of(step)) for step in steps)

    @property
    def scorer(self) -> Scorers:
        return Scorers({step.name: tagger.scorer for step, tagger in self.steps})

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that it fills in."""
        return tuple(name for step, _ in self.steps for name in step.fills)

    def fill(self, text: _core.Conllu, n_jobs: int | None, progress: Progress | None) -> Fillings:
        """What stands in the columns of all words."""
        found = Fillings()
        for number, step in enumerate(self.fill_steps(n_jobs, progress)):
            if number:
                text = _core.Conllu.parse(text.filled(**found))
            found |= step(text)
        return found

    def fill_steps(self, n_jobs: int | None, progress: Progress | None) -> list[Callable[[_core.Conllu], Fillings]]:
        """The same step by step, each of a text in which those before it are filled in."""

        def fill(number: int, text: _core.Conllu) -> Fillings:
            step, tagger = self.steps[number]
            numbers = tagger.numbers(step.words(text), n_jobs, part_progress(progress, number, len(self.steps)))
            return step.fillings(numbers, tagger.tags)

        return [functools.partial(fill, number) for number in range(len(self.steps))]
