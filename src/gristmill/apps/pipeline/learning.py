"""How the stages of a pipeline learn: each from what those before it find in text that they have not learned from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.choosing import Trial, choose
from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.parsing.cross_filling import cross_fill
from gristmill.apps.parsing.scores import score_conllu
from gristmill.apps.parsing.tree import NOTHING
from gristmill.apps.pipeline.completion import Fillings, sentences_of_text
from gristmill.apps.pipeline.stages import NONE, SLOTS, Slot, Stage
from gristmill.base.progress import Progress, part_progress

Stages = dict[str, Any]  # apps by their slots


@dataclass(frozen=True)
class Development:
    """What parameters are chosen on: a text, or so large a share of the training text, its last sentences."""

    data: _core.Conllu | float
    tell: Callable[[Trial], object] | None = None  # called with each trial


@dataclass(frozen=True)
class PipelineLearning:
    """Settings of learning; see `TextPipeline`."""

    chosen: Mapping[str, Any]  # by slots: an app, 'none' or None
    folds: int
    development: Development | None
    n_jobs: int | None
    progress: Progress | None

    def slots(self, text: _core.Conllu) -> list[Slot]:
        """Those that are given, or not refused and taught by the text."""
        chosen = ((slot, self.chosen[slot.name]) for slot in SLOTS)
        return [slot for slot, app in chosen if app != NONE and (app is not None or slot.is_taught_by(text))]

    def stage(self, slot: Slot) -> Any:
        """The app of a slot: as it was given if it has learned already, else a new one with the same settings."""
        app = self.chosen[slot.name]
        if app is None:
            return slot.app(**{**slot.defaults, "n_jobs": self.n_jobs})
        return app if is_fitted(app) else _unlearned(app, n_jobs=self.n_jobs)


def is_fitted(app: App[Any]) -> bool:
    return "machine_" in vars(app)


def learn_stages(gold: _core.Conllu, learning: PipelineLearning) -> Stages:
    """All stages, one after another; LearningInterrupted keeps those that there are."""
    stages, slots = Stages(), learning.slots(gold)
    if not slots:
        raise ValueError("a pipeline needs stages: all are 'none', or the text has nothing to learn from")
    text, trials = _as_read(gold, slots), None if learning.development is None else Trials(gold, learning.development)
    for number, slot in enumerate(slots):
        stages[slot.name] = stage = learning.stage(slot)
        is_given = is_fitted(stage)
        try:
            if trials is not None and not is_given:
                trials.choose(slot, stage, text)
            _learn(stage, text, part_progress(learning.progress, number, len(slots)))
            if slot.fills and number + 1 < len(slots):
                text = _as_found(text, stage, 0 if is_given else learning.folds)
                trials = trials and trials.behind(stage)
        except KeyboardInterrupt as stop:
            learned = {name: one for name, one in stages.items() if is_fitted(one)}
            if not learned:
                raise
            raise LearningInterrupted(learned) from stop
    return stages


def _learn(stage: Any, text: _core.Conllu, progress: Progress | None = None) -> Any:
    """The stage, learned from the text unless it has learned before."""
    if not is_fitted(stage):
        stage.progress = progress
        try:
            stage.fit_conllu(text)
        finally:
            stage.progress = None
    return stage


def _unlearned(app: Any, **params: Any) -> Any:
    """An app with the same parameters that has learned nothing."""
    return type(app)(**{**app.get_params(), "progress": None, **params})


def _as_read(text: _core.Conllu, slots: Sequence[Slot]) -> _core.Conllu:
    """The text without columns that raw text will lack, for no stage finds them."""
    names = {slot.name for slot in slots}
    missing = [column for slot in SLOTS if slot.name not in names for column in slot.columns]
    if "tokenizer" not in names or not missing:
        return text
    nothing: Fillings = dict.fromkeys(missing, (np.zeros(text.columns.tokens, dtype=np.int32), [NOTHING]))
    return _core.Conllu.parse(text.filled(**nothing))


def _as_found(text: _core.Conllu, stage: Any, folds: int) -> _core.Conllu:
    """The text as the stages behind see it: with what this one finds, as well as it will find it in new text."""
    if folds == 0:
        return _filled(stage, text)

    def learn(known: _core.Conllu) -> Callable[[_core.Conllu], _core.Conllu]:
        return functools.partial(_filled, _learn(_unlearned(stage), known))

    return cross_fill(text, learn, folds)


def _filled(stage: Stage, text: _core.Conllu) -> _core.Conllu:
    """The text with what a stage finds in the place of what was there."""
    return _core.Conllu.parse(text.filled(**stage.fill_conllu(text)))


# --- parameters that are chosen ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trials:
    """Text that stages are judged on as the one in turn sees it."""

    gold: _core.Conllu  # that is learned from
    development: Development
    found: _core.Conllu | None = None  # the text that they are judged on, if that is one of its own

    def behind(self, stage: Stage) -> Trials:
        """The same with what one more stage finds."""
        data = self.development.data
        if isinstance(data, float):
            return self
        return Trials(self.gold, self.development, _filled(stage, self.found or data))

    def choose(self, slot: Slot, stage: Any, text: _core.Conllu) -> None:
        """Give the stage, which learns from the text, the parameters that are best."""
        known, unseen, truth = self._parts(text)

        def score() -> float:
            found = _filled(_learn(_unlearned(stage), known), unseen)
            scores = score_conllu(truth.filled().decode(), found.filled().decode())
            figure: float = getattr(scores, str(slot.judged_by)).f1
            return figure

        if slot.fills:
            choose(stage, slot.choices(stage), score, self.development.tell)

    def _parts(self, text: _core.Conllu) -> tuple[_core.Conllu, _core.Conllu, _core.Conllu]:
        """What is learned from, what is annotated, and what should come out."""
        data = self.development.data
        if isinstance(data, float):
            return *_cut(text, data), _cut(self.gold, data)[1]
        return text, self.found or data, data


def _cut(text: _core.Conllu, share: float) -> tuple[_core.Conllu, _core.Conllu]:
    """The text, and its last sentences apart."""
    sentences = sentences_of_text(text.filled())
    at = len(sentences) - max(1, round(share * len(sentences)))
    return _core.Conllu.parse(b"".join(sentences[:at])), _core.Conllu.parse(b"".join(sentences[at:]))
