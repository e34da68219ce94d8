"""What a segmenter works with: its machine, compiled, templates and dictionary."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.segmentation.files import as_bytes
from gristmill.apps.templates import Templates, parse_templates
from gristmill.base.arrays import Indices, Int32s, Int64s
from gristmill.base.checks import check_positive_int
from gristmill.data.rows import Rows
from gristmill.explanations.shapley import Explainer
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import labeller
from gristmill.scoring.scorer import Scorer

KEY = "segmenter"
CLASSES = ["inside", "end"]  # of the boundary behind a character

_LARGEST_TABLES = 1 << 28  # bytes while they are made; what is kept is a quarter


@dataclass(frozen=True)
class SegmenterModel:
    """How rows are made of characters."""

    templates: str
    dictionary: str | None = None  # words, a space between them; they have none
    longest: int = 12  # characters of a word of the dictionary

    def __post_init__(self) -> None:
        check_positive_int("longest", self.longest)
        if self.dictionary is not None and not isinstance(self.dictionary, str):
            raise ValueError(f"the dictionary must be words in one text, got {self.dictionary!r:.60}")
        as_bytes(self.dictionary or "")
        self.parsed()

    def parsed(self) -> Templates:
        return parse_boundaries(self.templates, self.dictionary is not None)

    @property
    def words(self) -> list[str]:
        return self.dictionary.split(" ") if self.dictionary else []

    def provenance(self) -> dict[str, Any]:
        return {KEY: asdict(self)}


class SeenBoundaries(NamedTuple):
    """Boundaries that were decided."""

    classes: Int32s  # of all characters, 1 if a word ends behind one
    open_places: Indices  # characters behind which the machine decides
    rows: Rows  # of these


@dataclass(frozen=True)
class SegmenterEngine:
    """Everything that is needed to segment."""

    model: SegmenterModel
    scorer: Scorer
    decoder: _core.Decoder
    book: _core.Dictionary | None
    window: _core.Window
    names: _core.Strings
    tables: _core.BoundaryDecoder | None  # the fastest way, where there is one

    @classmethod
    def of(cls, machine: Machine, model: SegmenterModel, engine: str | Scorer) -> SegmenterEngine:
        """With an engine by its name, or the machine compiled already, as it may be with options."""
        names = _core.Strings([str(name) for name in machine.feature_names or ()])
        book = None if model.dictionary is None else _core.Dictionary(model.words, model.longest)
        window = model.parsed().compile(CLASSES)

        def made(scorer: Scorer, *, by_tables: bool) -> SegmenterEngine:
            labels = labeller(scorer)
            tables = _core.boundary_decoder(window, names, book, labels, _LARGEST_TABLES) if by_tables else None
            return cls(model, scorer, _core.Decoder(window, names, labels), book, window, names, tables)

        if engine == "auto" and machine.is_binary_valued:
            found = made(machine.compile("inverted"), by_tables=True)  # quick to make, and seldom asked
            if found.tables is not None:
                return found
        return made(engine if isinstance(engine, Scorer) else machine.compile(engine), by_tables=False)

    @property
    def nbytes(self) -> int:
        """What decides takes."""
        return self.scorer.nbytes + (0 if self.tables is None else self.tables.nbytes)

    def classes(self, lines: _core.CharacterLines, threads: int) -> Int32s:
        """Of each character, 1 if a word ends behind it."""
        if self.tables is not None:
            return self.tables.decode(lines, threads)
        columns = lines.columns(self.book, False, threads)
        return self.decoder.decode(columns, threads)

    def seen(self, lines: _core.CharacterLines, threads: int) -> SeenBoundaries:
        """What was found, and what the machine saw when it decided."""
        columns = lines.columns(self.book, False, threads)
        classes = self.decoder.decode(columns, threads)
        offsets, ids = _core.extract_rows(self.window, columns, classes, self.names, False, False)
        open_places = np.flatnonzero(~lines.walls())
        return SeenBoundaries(classes, open_places, Rows(offsets, ids, n_features=len(self.names)).take(open_places))

    @functools.cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.scorer.machine)

    def explain(self, text: str, *, interactions: bool = False) -> SentenceExplanation:
        """Why words end where they do in a text; there is nothing to decide at white space."""
        lines = _core.CharacterLines(as_bytes(text))
        classes, open_places, rows = self.seen(lines, 1)
        characters = _parts(text, lines.spans(np.ones_like(classes)))
        steps = tuple(
            Decision.of(row, at, f"{characters[at]}|{characters[at + 1]}", CLASSES[classes[at]])
            for row, at in zip(self.explainer(rows, interactions=interactions), open_places.tolist(), strict=True)
        )
        return SentenceExplanation(characters, steps, words=_parts(text, lines.spans(classes)))


def _parts(text: str, spans: Int64s) -> tuple[str, ...]:
    return tuple(text[begin:end] for begin, end in spans.reshape(-1, 2).tolist())


def parse_boundaries(templates: str, dictionary: bool) -> Templates:
    """Templates for characters: in column 0 the character, in column 1 what the dictionary says."""
    parsed = parse_templates(templates, 2 if dictionary else 1)
    if parsed.uses_tags:
        raise ValueError(f"boundaries are decided one by one: templates cannot look at earlier ones, got {templates!r}")
    return parsed


def model_of(machine: Machine) -> SegmenterModel:
    """What the machine of a segmenter remembers of it; an error if that is not sound."""
    model = SegmenterModel(**machine.provenance[KEY])
    if machine.feature_names is None or machine.classes is None or machine.classes.tolist() != CLASSES:
        raise ValueError(f"expected names of features and the classes {CLASSES}")
    return model
