"""What a tokenizer works with: its machine, compiled, templates, pairs of characters that tell, words."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.segmentation.files import as_bytes
from gristmill.apps.templates import Templates, parse_templates
from gristmill.apps.tokenization.gold import CLASSES, INSIDE, TOKEN
from gristmill.base.arrays import Indices, Int32s, Int64s
from gristmill.data.rows import Rows
from gristmill.explanations.shapley import Explainer
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import labeller
from gristmill.scoring.scorer import Scorer

KEY = "tokenizer"
COLUMNS_OF_PLACE = 15  # see core/text_apps/tagging/raw_text.hpp
LONGEST = 12  # characters of a word of the dictionary


@dataclass(frozen=True)
class TokenizerModel:
    """How rows are made of places between characters, and at which of them there is nothing to decide."""

    templates: str
    pairs: Sequence[Sequence[str]]  # of characters, by what always ends between them
    cases: str  # words as they are written within sentences, a space between them
    dictionary: str | None  # tokens of a script without spaces, a space between them
    spaces: bool  # whether tokens may hold spaces

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) for text in (self.templates, self.cases, self.dictionary or "")):
            raise ValueError("templates, words and the dictionary must be text")
        if len(self.pairs) != len(CLASSES):
            raise ValueError(f"expected lists of pairs for {CLASSES}, got {len(self.pairs)}")
        as_bytes(self.cases + (self.dictionary or ""))
        self.parsed()
        self.known_pairs()

    def parsed(self) -> Templates:
        parsed = parse_templates(self.templates, COLUMNS_OF_PLACE)
        if any(look.distance != 0 for look in parsed.looks):
            raise ValueError(f"each place is decided alone: templates look at row 0 only, got {self.templates!r:.80}")
        return parsed

    def known_pairs(self) -> _core.KnownPairs:
        return _core.KnownPairs([list(pairs) for pairs in self.pairs])

    def book(self) -> _core.Dictionary | None:
        return None if self.dictionary is None else _core.Dictionary(self.dictionary.split(), LONGEST)

    def provenance(self) -> dict[str, Any]:
        return {KEY: asdict(self)}


@dataclass(frozen=True)
class TokenizerEngine:
    """Everything that is needed to tokenize."""

    model: TokenizerModel
    scorer: Scorer
    decoder: _core.Decoder
    window: _core.Window
    names: _core.Strings
    codes: Int32s  # of the machine's classes in `CLASSES`
    known: _core.KnownPairs
    cases: _core.WordCases
    book: _core.Dictionary | None

    @classmethod
    def of(cls, machine: Machine, model: TokenizerModel, engine: str | Scorer) -> TokenizerEngine:
        """With an engine by its name, or the machine compiled already, as it may be with options."""
        scorer = engine if isinstance(engine, Scorer) else machine.compile(engine)
        names = _core.Strings([str(name) for name in machine.feature_names or ()])
        classes = np.asarray(machine.classes).tolist()
        window = model.parsed().compile(classes)
        codes = np.array([CLASSES.index(name) for name in classes], dtype=np.int32)
        decoder = _core.Decoder(window, names, labeller(scorer))
        looks = model.known_pairs(), _core.WordCases(model.cases.split()), model.book()
        return cls(model, scorer, decoder, window, names, codes, *looks)

    def endings(self, text: bytes, raw: _core.RawText, threads: int) -> Int32s:
        """What ends behind each character; see `CLASSES`."""
        endings = self.known.endings(raw)
        places = np.flatnonzero(endings < 0)
        if len(places):
            endings[places] = self.codes[self.decoder.decode(self._columns(text, raw, places, threads), threads)]
        if not self.model.spaces:
            endings[(endings == INSIDE) & (raw.gaps() > 0)] = TOKEN
        return endings

    def _columns(self, text: bytes, raw: _core.RawText, places: Int64s, threads: int) -> _core.Columns:
        facts = None if self.book is None else _core.CharacterLines(text).columns(self.book, False, threads)
        return raw.columns(places, self.cases, facts, np.zeros(0, dtype=np.int32))

    @functools.cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.scorer.machine)

    def explain(self, text: str, *, interactions: bool = False) -> SentenceExplanation:
        """Why tokens and sentences end where they do, where that was decided."""
        content = as_bytes(text)
        raw = _core.RawText(content)
        endings, places = self.endings(content, raw, 1), np.flatnonzero(self.known.endings(raw) < 0)
        columns = self._columns(content, raw, places, 1)
        offsets, ids = _core.extract_rows(
            self.window, columns, np.zeros_like(places, dtype=np.int32), self.names, False, False
        )
        explained = self.explainer(Rows(offsets, ids, n_features=len(self.names)), interactions=interactions)
        characters = tuple(one for one in text if not one.isspace())
        steps = tuple(_decision(explained[n], at, characters, endings) for n, at in enumerate(places.tolist()))
        spans = raw.spans(endings).reshape(-1, 3).tolist()
        return SentenceExplanation(characters, steps, words=tuple(text[begin:end] for begin, end, _ in spans))


def _decision(row: Any, at: int, characters: Sequence[str], endings: Int32s) -> Decision:
    behind = characters[at + 1] if at + 1 < len(characters) else ""
    return Decision.of(row, at, f"{characters[at]}|{behind}", CLASSES[endings[at]])


def model_of(machine: Machine) -> TokenizerModel:
    """What the machine of a tokenizer remembers of it; an error if that is not sound."""
    model = TokenizerModel(**machine.provenance[KEY])
    if machine.feature_names is None or machine.classes is None or not set(machine.classes.tolist()) <= set(CLASSES):
        raise ValueError(f"expected names of features and classes among {CLASSES}")
    return model


def open_places(endings: Int32s) -> Indices:
    """Where pairs of characters do not tell."""
    return np.flatnonzero(endings < 0)
