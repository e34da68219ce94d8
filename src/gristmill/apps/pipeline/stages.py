"""The stages of a pipeline, in their order: what each is made of, learns from and finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.choosing import Choice, learning_choices, system_choices
from gristmill.apps.editing.lemmatizer import Lemmatizer
from gristmill.apps.editing.splitter import Splitter
from gristmill.apps.filled_columns import LEAST, filled_shares
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.pipeline.completion import Fillings, completed
from gristmill.apps.pipeline.inputs import Reader
from gristmill.apps.tagging.morphological_tagger import MorphologicalTagger
from gristmill.apps.tokenization.tokenizer import Tokenizer

NONE = "none"  # instead of an app: the stage is left out

_RANGE = re.compile(rb"^[0-9]+-[0-9]+\t", re.MULTILINE)


class Stage(Protocol):
    """An app that fills in columns of CoNLL-U."""

    def fill_conllu(self, text: _core.Conllu) -> Fillings:
        """What it finds for all words, as `Conllu.filled` takes it."""
        ...


@dataclass(frozen=True)
class Slot:
    """A place in the pipeline: the parameter that it is chosen by, its app, and the columns that it finds.

    A treebank in which hardly a word has any of these teaches nothing there, and the stage is left out.
    """

    name: str
    app: type[App[Any]]
    columns: tuple[str, ...] = ()
    judged_by: str | None = None  # of ParseScores; None: it fills in no columns that stages behind it learn from
    defaults: Mapping[str, Any] = field(default_factory=dict)  # parameters of an app that is learned for a pipeline

    @property
    def fills(self) -> bool:
        """Whether it fills in columns of words."""
        return self.judged_by is not None

    def is_taught_by(self, text: _core.Conllu) -> bool:
        if self.app is Splitter:
            return _RANGE.search(text.filled()) is not None
        shares = filled_shares(text.columns, [COLUMNS.index(column) for column in self.columns])
        return not shares or max(shares) >= LEAST

    def choices(self, stage: Any) -> list[Choice]:
        """What is chosen on development data."""
        systems = system_choices(stage) if isinstance(stage, DependencyParser) else []
        return [*systems, *learning_choices(stage)]

    def check(self, given: Any) -> None:
        """ValueError unless a parameter is None, 'none' or the app of the slot."""
        if given is not None and given != NONE and not isinstance(given, self.app):
            kind = self.app.__name__
            raise ValueError(f"{self.name} must be a {kind}, 'none' or None for one that is learned, got {given!r:.60}")


PARSER = {
    **{"algorithm": "arc-eager", "oracle": "dynamic"},  # which has seen what follows from errors, as tags have them
    "column_dropout": 0.0,  # stages before it leave no column empty
}

SLOTS = (
    Slot("tokenizer", Tokenizer),
    Slot("splitter", Splitter),
    Slot("tagger", MorphologicalTagger, ("upos", "xpos", "feats"), "all_tags"),
    Slot("lemmatizer", Lemmatizer, ("lemma",), "lemmas"),
    Slot("parser", DependencyParser, judged_by="las", defaults=PARSER),
)


def reader_of(stages: Mapping[str, Any]) -> Reader | None:
    """What finds sentences and words in raw text; None without a tokenizer."""
    if "tokenizer" not in stages:
        return None
    tokenizer, splitter = stages["tokenizer"], stages.get("splitter")

    def read(blocks: Iterator[bytes]) -> Iterator[_core.Conllu]:
        for found in tokenizer.conllu_blocks(blocks):
            yield _core.Conllu.parse(found if splitter is None else splitter.split_conllu(found))

    return read


def overwritten(text: _core.Conllu, stages: Mapping[str, Any]) -> _core.Conllu:
    """The same in the place of what was there; trees stay where no stage finds any."""
    for slot in SLOTS:
        if slot.fills and slot.name in stages:
            text = _core.Conllu.parse(text.filled(**stages[slot.name].fill_conllu(text)))
    return text


def annotated(text: _core.Conllu, stages: Mapping[str, Any]) -> _core.Conllu:
    """The text with all columns that stages fill in, each from what those before have found; what is given stays."""
    for slot in SLOTS:
        if slot.fills and slot.name in stages:
            for fill in _steps_of(stages[slot.name]):
                text = completed(text, fill(text))
    return text


def _steps_of(stage: Stage) -> Sequence[Callable[[_core.Conllu], Fillings]]:
    """What a stage does one after the other, so that its later steps see what is given, too."""
    return stage.fill_steps() if isinstance(stage, MorphologicalTagger) else [stage.fill_conllu]
