"""How the stages of a pipeline learn: each from what those before it find in text that they have not learned from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.parsing.cross_filling import cross_fill
from gristmill.apps.pipeline.stages import NONE, SLOTS, Slot, Stage
from gristmill.base.progress import Progress, part_progress

Stages = dict[str, Any]  # apps by their slots


@dataclass(frozen=True)
class PipelineLearning:
    """Settings of learning; see `TextPipeline`."""

    chosen: Mapping[str, Any]  # by slots: an app, 'none' or None
    folds: int
    n_jobs: int | None
    progress: Progress | None

    def slots(self, text: _core.Conllu) -> list[Slot]:
        """Those that are wanted, or not refused and taught by the text."""
        chosen = ((slot, self.chosen[slot.name]) for slot in SLOTS)
        return [slot for slot, app in chosen if app != NONE and (app is not None or slot.is_taught_by(text))]

    def stage(self, slot: Slot) -> Any:
        """The app of a slot: as it was given if it has learned already, else a new one with the same settings."""
        app = self.chosen[slot.name]
        if app is not None and is_fitted(app):
            return app
        kind, params = (slot.app, slot.defaults) if app is None else (type(app), app.get_params())
        return kind(**{**params, "n_jobs": self.n_jobs, "progress": None})


def is_fitted(app: App[Any]) -> bool:
    return "machine_" in vars(app)


def learn_stages(text: _core.Conllu, learning: PipelineLearning) -> Stages:
    """All stages, one after another; LearningInterrupted keeps those that there are."""
    stages, slots = Stages(), learning.slots(text)
    if not slots:
        raise ValueError("a pipeline needs stages: all are 'none', or the text has nothing to learn from")
    for number, slot in enumerate(slots):
        stages[slot.name] = stage = learning.stage(slot)
        try:
            _learn(stage, text, part_progress(learning.progress, number, len(slots)))
            if number + 1 < len(slots):
                text = _as_found(text, slot, stage, learning)
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


def _as_found(text: _core.Conllu, slot: Slot, stage: Any, learning: PipelineLearning) -> _core.Conllu:
    """The text as the stages behind see it: with what this one finds, as well as it will find it in new text."""
    if not slot.fills:
        return text
    if learning.folds == 0 or is_fitted(learning.stage(slot)):
        return _filled(stage, text)

    def learn(known: _core.Conllu) -> Callable[[_core.Conllu], _core.Conllu]:
        return functools.partial(_filled, _learn(learning.stage(slot), known))

    return cross_fill(text, learn, learning.folds)


def _filled(stage: Stage, text: _core.Conllu) -> _core.Conllu:
    """The text with what a stage finds in the place of what was there."""
    return _core.Conllu.parse(text.filled(**stage.fill_conllu(text)))
