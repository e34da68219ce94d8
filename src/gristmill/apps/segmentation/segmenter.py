"""A segmenter: text without spaces in, words out; every boundary is decided by a kernel machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.apps.base import PARAMS, App
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named, recovered_learning
from gristmill.apps.provenance import without_provenance
from gristmill.apps.segmentation.engine import (
    CLASSES,
    CompiledSegmenter,
    SegmenterModel,
    load_model,
    model_of,
    parse_boundaries,
)
from gristmill.apps.segmentation.files import (
    BOM,
    Sentences,
    as_bytes,
    segmented_blocks,
    segmented_bytes,
    text_blocks,
    with_narrow_gaps,
)
from gristmill.apps.segmentation.scores import WordScores, score_words
from gristmill.base.checks import check_choice, check_flag, check_whole
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

CHARACTERS = "F:-2..3:0 F:-2..3:0:type"  # Kudo and Matsumoto 2003, section 5.2
DICTIONARY = "B:0:1"

Format = Literal["text", "conllu"]
Numbers = NDArray[np.int32]


class Segmenter(App):
    """Finds the words of text that has no spaces between them: Japanese, Chinese, Thai, whatever there are examples of.

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
    degree : int
        Conjunctions of so many features.
    C : float
        The price of an error.
    solver : {'online', 'dual-cd', 'smo'}
        Passive-aggressive learning, averaged: seconds. Or exact support vector machines: longer, and hardly better.
    epochs : int
        Passes of online learning.
    engine : {'auto', 'direct', 'inverted', 'expanded', 'split'}
        How the machine is evaluated; all find the same words.
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total) of each part of the work.

    Attributes
    ----------
    machine_ : Machine
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

    kind = "segmenter"

    def __init__(
        self,
        templates: str | None = None,
        *,
        dictionary: bool = True,
        longest_word: int = 12,
        degree: int = 2,
        C: float = 0.001,
        solver: str = "online",
        epochs: int = 10,
        engine: str = "auto",
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.templates, self.dictionary, self.longest_word = templates, dictionary, longest_word
        self.degree, self.C, self.solver, self.epochs = degree, C, solver, epochs
        self.engine, self.n_jobs, self.progress = engine, n_jobs, progress
        self.check_settings()

    def check_settings(self) -> None:
        """ValueError where one is not what it may be; called again by `fit`."""
        if self.templates is not None and not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, or None for those of the paper, got {self.templates!r}")
        check_flag("dictionary", self.dictionary)
        check_whole("longest_word", self.longest_word)
        check_choice("engine", self.engine, ENGINES)
        parse_boundaries(self._templates(), self.dictionary)
        self._learning()

    # --- learning -----------------------------------------------------------------------------------------------------

    def fit(self, sentences: Sentences) -> Segmenter:
        """Learn from sentences: lists of words, or segmented text, where gaps between words are spaces.

        Where all gaps are two spaces or more, or ideographic ones, as in SIGHAN's corpora, text has none of its own.

        If it is interrupted, what was learned so far is kept; if it fails, what was learned before is left as it was.
        """
        self.check_settings()
        return self._fit(_gold(sentences))

    def fit_file(self, path: PathLike) -> Segmenter:
        """Learn from a file of segmented text or CoNLL-U, whichever it is."""
        self.check_settings()
        text = b"".join(segmented_blocks(path))
        with naming(display_name(path)):
            return self._fit(_core.CharacterLines(text, True))

    def _fit(self, lines: _core.CharacterLines) -> Segmenter:
        book = _core.WordBook([], int(self.longest_word)) if self.dictionary else None
        if book is not None:
            book.learn(lines)
        model = SegmenterModel(
            self._templates(), None if book is None else " ".join(book.words()), int(self.longest_word)
        )
        columns = lines.columns(book, True, resolve_jobs(self.n_jobs))
        labels, asked = lines.ends().astype(np.int32), np.flatnonzero(~lines.walls())
        _check_decisions(labels[asked], len(lines))
        names = _core.Strings([])
        window = model.parsed().compile(CLASSES)
        offsets, ids = _core.extract_rows(window, columns, labels, names, True, False, self.progress)
        rows = Rows(offsets, ids, n_features=len(names)).take(asked)
        self.n_boundaries_, self.n_features_ = len(rows), len(names)
        try:
            machine = learn(rows, labels[asked], CLASSES, self._learning(), n_jobs=self.n_jobs, progress=self.progress)
        except LearningInterrupted as stop:
            self._keep(named(stop.machine, names.words(), model.provenance()), model)
            raise
        self._keep(named(machine, names.words(), model.provenance()), model)
        return self

    def _templates(self) -> str:
        if self.templates is not None:
            return self.templates
        return f"{CHARACTERS} {DICTIONARY}" if self.dictionary else CHARACTERS

    def _learning(self) -> Learning:
        return Learning(self.solver, "auto", self.degree, self.C, self.epochs)

    def _keep(self, machine: Machine, model: SegmenterModel) -> None:
        self.machine_, self._model = machine, model
        self._compiled: CompiledSegmenter | None = None

    # --- segmenting ---------------------------------------------------------------------------------------------------

    def segment(self, text: str) -> list[str]:
        """The words of a text, without white space."""
        return [text[begin:end] for begin, end in self.spans(text)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where words begin and end in a text."""
        lines = _core.CharacterLines(as_bytes(text))
        places = lines.spans(self._classes(lines)).tolist()
        return list(zip(places[::2], places[1::2], strict=True))

    def explain(self, text: str, *, interactions: bool = False) -> SentenceExplanation:
        """Why words end where they do: what each feature adds, boundary by boundary, but for those of white space.

        Examples
        --------
        >>> from gristmill.apps import Segmenter
        >>> said = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
        >>> segmenter = Segmenter("F:0..1:0 F:0..1:0:type", dictionary=False).fit(said)
        >>> print(segmenter.explain("海を見たい")[0])
        海|を -> end
        baseline          0.00946
          F:+0:0:海      +0.05466  ########################################
          F:+0:0:type:C  +0.03444  ##########################
          F:+1:0:を      +0.02958  ######################
          F:+1:0:type:H  -0.01138  ---------
        score (end)        0.1168
        """
        return self.compiled_.explain(text, interactions=interactions)

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
        self.machine_or_fail()
        number, characters = 1, 0
        with writing(output) as out, naming(display_name(path)):
            for block in text_blocks(path):
                if block == BOM:
                    out.write(BOM)
                    continue
                lines = _core.CharacterLines(block, False, number)
                classes = self._classes(lines)
                out.write(lines.conllu(classes) if to == "conllu" else lines.segmented(classes))
                number, characters = number + len(lines), characters + lines.characters
                if self.progress is not None:
                    self.progress(characters, characters)
        return characters

    def score(self, sentences: Sentences) -> WordScores:
        """Segment the text of sentences whose words are known, and compare."""
        return self._score(_gold(sentences))

    def score_file(self, path: PathLike) -> WordScores:
        """The same for a file of segmented text or CoNLL-U."""
        self.machine_or_fail()
        total, number = WordScores(), 1
        for block in segmented_blocks(path):
            with naming(display_name(path)):
                lines = _core.CharacterLines(block, True, number)
            total, number = total + self._score(lines), number + len(lines)
        return total

    def _score(self, lines: _core.CharacterLines) -> WordScores:
        return score_words(lines.ends(), self._classes(lines) == 1, lines.walls())

    def _classes(self, lines: _core.CharacterLines) -> Numbers:
        """1 where a word ends."""
        return self.compiled_.classes(lines, resolve_jobs(self.n_jobs))

    # --- what was learned ---------------------------------------------------------------------------------------------

    def machine_or_fail(self) -> Machine:
        """ValueError if there is nothing learned yet."""
        if not hasattr(self, "machine_"):
            raise ValueError("there is nothing learned yet: call fit, or load what was saved")
        return self.machine_

    @property
    def compiled_(self) -> CompiledSegmenter:
        """The machine, compiled when first needed, with everything else that is needed to segment."""
        machine = self.machine_or_fail()
        if self._compiled is None or self._compiled.engine != self.engine:
            self._compiled = CompiledSegmenter.of(machine, self._model, self.engine)
        return self._compiled

    @compiled_.setter
    def compiled_(self, compiled: CompiledSegmenter) -> None:
        self._compiled, self.engine = compiled, compiled.engine

    @property
    def words_(self) -> list[str]:
        self.machine_or_fail()
        return self._model.words

    def save(self, path: PathLike) -> None:
        """Write everything that was learned, and the parameters, to one safetensors file, whole or not at all."""
        self._remembered(self.machine_or_fail()).save(path)

    @classmethod
    def load(
        cls, path: PathLike, *, engine: str = "auto", n_jobs: int | None = None, progress: Progress | None = None
    ) -> Segmenter:
        """What was saved; FormatError for other files.

        Parameters are those that it was saved with, but for engine, n_jobs and progress. Of older files they are what
        can be read off the machine, else the defaults.
        """
        machine, model = load_model(path)
        per_run = {"engine": engine, "n_jobs": n_jobs, "progress": progress}
        segmenter = cls._restored({"": machine}, path, per_run)
        segmenter._keep(without_provenance(machine, PARAMS), model)
        return segmenter

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


def _check_decisions(labels: Numbers, lines: int) -> None:
    if not len(labels):
        raise FormatError(f"there is nothing to learn from: {lines} lines without a boundary between two characters")
    if len(np.unique(labels)) < 2:
        found = "every character is a word" if labels[0] else "no line has two words with one space between them"
        raise FormatError(f"there is nothing to tell apart: {found}; expected a sentence a line, a space between words")
