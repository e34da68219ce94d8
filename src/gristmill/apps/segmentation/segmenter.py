"""A segmenter: text without spaces in, words out; every boundary is decided by a kernel machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from gristmill import _core
from gristmill.apps.columns import BOM
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.learning import Learning, keep_learned, learn, named, recovered_learning
from gristmill.apps.segmentation.engine import (
    CLASSES,
    KEY,
    SegmenterEngine,
    SegmenterModel,
    model_of,
    parse_boundaries,
)
from gristmill.apps.segmentation.files import (
    Sentences,
    as_bytes,
    segmented_blocks,
    segmented_bytes,
    text_blocks,
    with_narrow_gaps,
)
from gristmill.apps.segmentation.scores import WordScores, score_words
from gristmill.apps.sentence_app import SentenceApp, remembering
from gristmill.base.arrays import Int32s
from gristmill.base.checks import check_choice, check_flag, check_positive_int
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.kept_examples import Places
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

CHARACTERS = "F:-2..3:0 F:-2..3:0:type"  # Kudo and Matsumoto 2003, section 5.2
DICTIONARY = "B:0:1"

Format = Literal["text", "conllu"]


@dataclass(eq=False, repr=False)
class Segmenter(SentenceApp[SegmenterEngine]):
    """Finds the words of text that has no spaces between them: Japanese, Chinese, Thai, whatever there are examples of.

    It learns from sentences: lists of words, or segmented text, where gaps between words are spaces. Where all gaps are
    two spaces or more, or ideographic ones, as in SIGHAN's corpora, text has none of its own.

    Whether a word ends behind a character is decided for each one, from the characters around it, their types, and
    the words of the training text that may begin, end or go on there. White space always ends a word, and is kept.

    Parameters
    ----------
    templates : str or None
        Which characters around a boundary, seen how, are features: ``F:-2..3:0 F:-2..3:0:type B:0:1``. Column 0 is the
        character, row 0 the one before the boundary; column 1 what the dictionary says. None: these.
    dictionary : bool
        Keep the words of the training text. While learning, a sentence does not see those that only it has.
    longest_word : int
        Characters of the longest words of the dictionary.
    degree, C, solver, epochs, keep_examples, engine, n_jobs, progress
        As in `Tagger`. Exact solvers take longer here, and find hardly better words.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled.
    words_ : list of str
        The dictionary.
    n_boundaries_, n_features_ : int
        After `fit`: what there was to decide, and of how many features. The machine has those of its support rows.

    Examples
    --------
    >>> from gristmill.apps import Segmenter
    >>> segmenter = Segmenter().fit(["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"])
    >>> segmenter.segment("また海を見たい")
    ['また', '海', 'を', '見', 'たい']
    """

    kind = key = KEY
    machine_: Machine = field(init=False)
    _reads_tokens = False

    templates: str | None = None
    _: KW_ONLY
    dictionary: bool = True
    longest_word: int = 12
    degree: int = 2
    C: float = 0.003
    solver: str = "online"
    epochs: int = 10
    keep_examples: bool = False
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        if self.templates is not None and not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, or None for those of the paper, got {self.templates!r}")
        check_flag("dictionary", self.dictionary)
        check_flag("keep_examples", self.keep_examples)
        check_positive_int("longest_word", self.longest_word)
        check_choice("engine", self.engine, ENGINES)
        parse_boundaries(self._templates(), self.dictionary)
        self._learning()

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Sentences, y: None) -> None:
        self._fit(_gold(X))

    def fit_file(self, path: PathLike) -> Segmenter:
        """Learn from a file of segmented text or CoNLL-U, whichever it is."""
        text = b"".join(segmented_blocks(path))
        with naming(display_name(path)):
            return self.fit_segmented(text)

    def fit_segmented(self, text: bytes) -> Segmenter:
        """Learn from segmented text in UTF-8, all of whose spaces but one in each gap are its own."""
        self.check_settings()
        return self._fit(_core.CharacterLines(text, True))

    def _fit(self, lines: _core.CharacterLines) -> Segmenter:
        book = _core.Dictionary([], int(self.longest_word)) if self.dictionary else None
        if book is not None:
            book.learn(lines)
        model = SegmenterModel(
            self._templates(), None if book is None else " ".join(book.words()), int(self.longest_word)
        )
        columns = lines.columns(book, True, resolve_jobs(self.n_jobs))
        labels, open_places = lines.ends().astype(np.int32), np.flatnonzero(~lines.walls())
        _check_decisions(labels[open_places], len(lines))
        names = _core.Strings([])
        window = model.parsed().compile(CLASSES)
        offsets, ids = _core.extract_rows(window, columns, labels, names, True, False, self.progress)
        rows = Rows(offsets, ids, n_features=len(names)).take(open_places)

        def keep(machine: Machine) -> None:
            self.n_boundaries_, self.n_features_ = len(rows), len(names)
            if self.keep_examples:
                machine = remembering(machine, rows, columns, Places.of_words(columns.starts()).take(open_places))
            self._keep(named(machine, names.words(), model.provenance()), model)

        parts = (rows, labels[open_places], CLASSES, self._learning())
        keep_learned(lambda: learn(*parts, n_jobs=self.n_jobs, progress=self.progress), keep)
        return self

    def _templates(self) -> str:
        if self.templates is not None:
            return self.templates
        return f"{CHARACTERS} {DICTIONARY}" if self.dictionary else CHARACTERS

    def _learning(self) -> Learning:
        return Learning(self.solver, "auto", self.degree, self.C, self.epochs)

    def _compile(self, machine: Machine) -> SegmenterEngine:
        return SegmenterEngine.of(machine, self._state, self.engine)

    # --- segmenting ---------------------------------------------------------------------------------------------------

    def segment(self, X: str | Iterable[str]) -> Any:
        """The words of one text, without white space, or of many."""
        return self.predict(X)

    def _predict_many(self, X: Iterable[str]) -> list[list[str]]:
        return [[text[begin:end] for begin, end in self.spans(text)] for text in X]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where words begin and end in a text."""
        lines = _core.CharacterLines(as_bytes(text))
        places = lines.spans(self._classes(lines)).tolist()
        return list(zip(places[::2], places[1::2], strict=True))

    def explain(self, X: str | Iterable[str], *, interactions: bool = False) -> Any:
        """Why words end where they do: what each feature adds, boundary by boundary, but for those of white space.

        A `SentenceExplanation`, or a list of them for many texts.

        Examples
        --------
        >>> from gristmill.apps import Segmenter
        >>> said = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
        >>> segmenter = Segmenter("F:0..1:0 F:0..1:0:type", dictionary=False).fit(said)
        >>> print(segmenter.explain("海を見たい")[0])
        海|を -> end
        baseline           0.03284
          F:+0:0:海         +0.164  ########################################
          F:+0:0:type:C    +0.1033  ##########################
          F:+1:0:を       +0.08874  ######################
          F:+1:0:type:H  -0.007017  --
        score (end)         0.3818
        """
        return super().explain(X, interactions=interactions)

    def _explain_one(self, X: str, *args: Any, **options: Any) -> SentenceExplanation:
        return self.engine_.explain(X, *args, **options)

    def segmented(self, text: str) -> str:
        """The text with a space more between words; `joined` gives the text again."""
        lines = _core.CharacterLines(as_bytes(text))
        return lines.segmented(self._classes(lines)).decode()

    @staticmethod
    def joined(text: str) -> str:
        """Segmented text without the spaces that were added."""
        return _core.CharacterLines(as_bytes(text), True).joined().decode()

    def segment_file(self, path: PathLike, output: PathLike, *, to: Format = "text") -> int:
        """Write a file of text again as segmented text or CoNLL-U; returns how many characters it had, spaces aside.

        The file may be larger than memory; each line is a sentence. CoNLL-U has nothing of lines without words.
        """
        check_choice("to", to, get_args(Format))
        number, characters, engine = 1, 0, self.engine_
        with writing(output) as out, naming(display_name(path)):
            for block in text_blocks(path):
                if block == BOM:
                    out.write(BOM)
                    continue
                lines = _core.CharacterLines(block, False, number)
                classes = engine.classes(lines, resolve_jobs(self.n_jobs))
                out.write(lines.conllu(classes) if to == "conllu" else lines.segmented(classes))
                number, characters = number + len(lines), characters + lines.characters
                if self.progress is not None:
                    self.progress(characters, characters)
        return characters

    def evaluate(self, X: Sentences, y: None = None) -> WordScores:
        """Segment the text of sentences whose words are known, and compare. `score` is the F1 of words."""
        return self._score(_gold(X))

    def evaluate_file(self, path: PathLike) -> WordScores:
        """The same for a file of segmented text or CoNLL-U."""
        total, number = WordScores(), 1
        for block in segmented_blocks(path):
            with naming(display_name(path)):
                lines = _core.CharacterLines(block, True, number)
            total, number = total + self._score(lines), number + len(lines)
        return total

    def evaluate_segmented(self, text: bytes) -> WordScores:
        """The same for segmented text as `fit_segmented` takes it."""
        return self._score(_core.CharacterLines(text, True))

    def _score(self, lines: _core.CharacterLines) -> WordScores:
        return score_words(lines.ends(), self._classes(lines) == 1, lines.walls())

    def _classes(self, lines: _core.CharacterLines) -> Int32s:
        """1 where a word ends."""
        return self.engine_.classes(lines, resolve_jobs(self.n_jobs))

    # --- what was learned ---------------------------------------------------------------------------------------------

    @property
    def words_(self) -> list[str]:
        return self.engine_.model.words

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> SegmenterModel:
        return model_of(*machines.values())

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine: how it learned, templates, whether it has a dictionary, of which words."""
        (machine,) = machines.values()
        model = model_of(machine)
        own = {"templates": model.templates, "dictionary": model.dictionary is not None, "longest_word": model.longest}
        how = recovered_learning(machine)
        return own | {name: how[name] for name in ("degree", "C", "solver") if name in how}


def _gold(sentences: Sentences) -> _core.CharacterLines:
    """Sentences whose words are known."""
    return _core.CharacterLines(b"".join(with_narrow_gaps([segmented_bytes(sentences)])), True)


def _check_decisions(labels: Int32s, lines: int) -> None:
    if not len(labels):
        raise FormatError(f"there is nothing to learn from: {lines} lines without a boundary between two characters")
    if len(np.unique(labels)) < 2:
        found = "every character is a word" if labels[0] else "no line has two words with one space between them"
        raise FormatError(f"there is nothing to tell apart: {found}; expected a sentence a line, a space between words")
