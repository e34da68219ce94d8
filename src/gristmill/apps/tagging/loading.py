"""Taggers from files, of one column or of several."""

from __future__ import annotations

from typing import Any

from gristmill.apps.loading import is_app
from gristmill.apps.tagging.morphological_tagger import MorphologicalTagger
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.files import PathLike, display_name
from gristmill.machines.formats import read_model


def load_tagger(path: PathLike, **runtime: Any) -> Tagger | MorphologicalTagger:
    """The tagger of a file; FormatError where it holds something else."""
    found = read_model(path)
    kind = MorphologicalTagger if is_app(found, MorphologicalTagger.key) else Tagger
    return kind.from_machines(found, path, **runtime)


def load_column_tagger(path: PathLike, **runtime: Any) -> Tagger | MorphologicalTagger:
    """The same, of one that was learned from CoNLL-U."""
    tagger = load_tagger(path, **runtime)
    if isinstance(tagger, Tagger) and tagger.engine_.model.conllu is None:
        remedy = "use `gristmill tag train --conllu upos`"
        raise ValueError(f"{display_name(path)}: the tagger was not learned from CoNLL-U: {remedy}")
    return tagger
