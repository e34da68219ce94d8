"""The stages of a pipeline, in their order: what each is made of, learns from and fills in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.editing.lemmatizer import Lemmatizer
from gristmill.apps.filled_columns import LEAST, filled_shares
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.pipeline.completion import Fillings, completed
from gristmill.apps.tagging.morphological_tagger import MorphologicalTagger

NONE = "none"  # instead of an app: the stage is left out


class Stage(Protocol):
    """An app that fills in columns of CoNLL-U and learns from words that have them."""

    def fit_conllu(self, source: Any) -> Any:
        """Learn from a file, or from what was read of one."""
        ...

    def fill_conllu(self, text: _core.Conllu) -> Fillings:
        """What it finds for all words, as `Conllu.filled` takes it."""
        ...


@dataclass(frozen=True)
class Slot:
    """A place in the pipeline: the parameter that it is chosen by, its app, and what it is learned for.

    A treebank in which hardly a word has any of the columns teaches nothing there, and the stage is left out.
    """

    name: str
    app: type[App[Any]]
    columns: tuple[str, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)  # parameters of an app that is learned for a pipeline

    def is_taught_by(self, text: _core.Conllu) -> bool:
        shares = filled_shares(text.columns, [COLUMNS.index(column) for column in self.columns])
        return not self.columns or max(shares) >= LEAST

    def check(self, given: Any) -> None:
        """ValueError unless a parameter is None, 'none' or the app of the slot."""
        if given is not None and given != NONE and not isinstance(given, self.app):
            kind = self.app.__name__
            raise ValueError(f"{self.name} must be a {kind}, 'none' or None for one that is learned, got {given!r:.60}")


SLOTS = (
    Slot("tagger", MorphologicalTagger, ("upos", "xpos", "feats")),
    Slot("lemmatizer", Lemmatizer, ("lemma",)),
    Slot("parser", DependencyParser, (), {"column_dropout": 0.0}),  # the stages before it leave no column empty
)


def annotated(text: _core.Conllu, stages: Iterable[Stage]) -> _core.Conllu:
    """The text with all columns that stages fill in, each from what those before have found; what is given stays."""
    for stage in stages:
        text = completed(text, stage.fill_conllu(text))
    return text
