"""A tagger: sentences in, a tag for each token out, decided one after another by a kernel machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gristmill import _core
from gristmill.apps.base import PARAMS, App
from gristmill.apps.columns import Token, as_encoded, column_blocks, columns_of, read_columns
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.filled_columns import filled_shares
from gristmill.apps.learning import Learning, LearningInterrupted, learn, named, recovered_learning
from gristmill.apps.parsing.treebank import read_tags
from gristmill.apps.provenance import without_provenance
from gristmill.apps.tagging.chunks import (
    SCHEMES,
    Chunk,
    NumberedTags,
    chunks_of,
    column_tags,
    likely_scheme,
    nearest_scheme,
    respelled,
)
from gristmill.apps.tagging.engine import Numbers, TaggerEngine
from gristmill.apps.tagging.model import CONLLU_COLUMNS, DIRECTIONS, TaggerModel, load_model, model_of
from gristmill.apps.tagging.scores import ChunkScores, score_chunks
from gristmill.apps.templates import parse_templates
from gristmill.base.checks import check_choice
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

DEFAULT_TEMPLATES = "F:-2..2:0.. F:0:0:lower+suffix:1..3 F:0:0:lower+prefix:1..3 F:0:0:brief T:-2..-1"


class Tagger(App):
    """Tags the tokens of sentences: chunks, parts of speech, names, whatever there are examples of.

    A token is a word, or a tuple of columns such as word and part of speech. Templates say which columns of which
    tokens around it, and which tags before it, are features; a machine with a polynomial kernel decides on them and on
    all their conjunctions. The core extracts the features and decodes the sentences.

    Parameters
    ----------
    templates : str
        As YamCha spells them, ``F:-2..2:0.. T:-2..-1``, or the text of a CRF++ template file; see
        `gristmill.apps.templates.reading`.
    solver : {'online', 'dual-cd', 'smo'}
        Passive-aggressive learning, averaged: seconds. Or exact support vector machines: minutes, and a little better.
    multiclass : {'auto', 'native', 'ovr', 'ovo'}
        One machine of all tags ('online' only), one for each tag against the rest, one for each pair of tags as in
        YamCha. 'auto': 'native' where it can be, else 'ovr'.
    degree : int
        Conjunctions of up to so many features.
    C : float or None
        The price of an error; None: one that serves the solver well.
    epochs : int
        Passes of online learning.
    direction : {'forward', 'backward'}
        Backward, the last token is tagged first, and rows of templates count from the end, as in YamCha.
    tag_scheme : {'keep', 'IOB1', 'IOB2', 'IOE1', 'IOE2', 'BIOES'}
        How the machine spells chunks; what comes out is spelled as what was learned from.
    engine : {'auto', 'direct', 'inverted', 'expanded', 'split'}
        How the machine is evaluated; all give the same tags.
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total) of each part of the work.

    Attributes
    ----------
    machine_ : Machine
        What was learned. Its classes are tags, its features have names.
    tags_ : list of str
        Those that may come out.
    n_features_ : int
        After `fit`: features of all sentences; the machine has those of its support rows.

    Examples
    --------
    >>> from gristmill.apps import Tagger
    >>> said = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
    >>> tagger = Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1").fit(said)
    >>> tagger.tag(["the", "dog", "eats"])
    ['D', 'N', 'V']
    """

    kind = "tagger"
    former_names: ClassVar = {"scheme": "tag_scheme"}

    def __init__(
        self,
        templates: str = DEFAULT_TEMPLATES,
        *,
        solver: str = "online",
        multiclass: str = "auto",
        degree: int = 2,
        C: float | None = None,
        epochs: int = 10,
        direction: str = "forward",
        tag_scheme: str = "keep",
        engine: str = "auto",
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.templates, self.solver, self.multiclass = templates, solver, multiclass
        self.degree, self.C, self.epochs = degree, C, epochs
        self.direction, self.tag_scheme, self.engine = direction, tag_scheme, engine
        self.n_jobs, self.progress = n_jobs, progress
        self.check_settings()

    def check_settings(self) -> None:
        """ValueError where one is not what it may be; called again by `fit`."""
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        check_choice("direction", self.direction, DIRECTIONS)
        check_choice("tag_scheme", self.tag_scheme, ("keep", *SCHEMES))
        check_choice("engine", self.engine, ENGINES)
        self._learning()

    # --- learning -----------------------------------------------------------------------------------------------------

    def fit(self, sentences: Iterable[Sequence[Sequence[str]]]) -> Tagger:
        """Learn from sentences: lists of tokens, each a tuple of its columns and, last, its tag.

        If it is interrupted, what was learned so far is kept; if it fails, what was learned before is left as it was.
        """
        return self.fit_columns(columns_of(sentences))

    def fit_file(self, path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> Tagger:
        """Learn from a file of columns, the last of them the tag; with `tabs`, only tabs separate them."""
        columns = read_columns(path, encoding=encoding, tabs=tabs)
        with naming(display_name(path)):
            return self.fit_columns(columns, encoding=encoding)

    def fit_conllu(self, path: PathLike, column: str = "upos") -> Tagger:
        """Learn from the forms of a file in CoNLL-U, with one of its columns as the tag: upos or xpos."""
        check_choice("column", column, CONLLU_COLUMNS)
        columns = read_tags(path, column)
        with naming(display_name(path)):
            return self.fit_columns(columns, conllu=column)

    def fit_columns(self, columns: _core.Columns, *, encoding: str = "utf-8", conllu: str | None = None) -> Tagger:
        """Learn from columns, the last of them the tag; `conllu` if it is one of CoNLL-U's."""
        self.check_settings()
        width = _check_columns(columns)
        with naming("templates"):
            templates = parse_templates(self.templates, width)
        given = column_tags(columns)
        _check_tags(given.names)
        classes, labels = _sorted(given if self.tag_scheme == "keep" else respelled(given, self.tag_scheme))
        names, backward = _core.Strings([]), self.direction == "backward"
        window = templates.compile(classes)
        offsets, ids = _core.extract_rows(window, columns, labels, names, True, backward, self.progress)
        rows = Rows(offsets, ids, n_features=len(names))
        outside = None if self.tag_scheme == "keep" else nearest_scheme(given)
        filled = filled_shares(columns, range(width))
        model = TaggerModel(self.templates, self.direction, width, outside, encoding, conllu, filled)
        try:
            machine = learn(rows, labels, classes, self._learning(), n_jobs=self.n_jobs, progress=self.progress)
        except LearningInterrupted as stop:
            self.n_features_ = len(names)
            self._settle(named(stop.machine, names.words(), model.provenance()), model)
            raise
        self.n_features_ = len(names)
        self._settle(named(machine, names.words(), model.provenance()), model)
        return self

    def _learning(self) -> Learning:
        return Learning(self.solver, self.multiclass, self.degree, self.C, self.epochs)

    def _settle(self, machine: Machine, model: TaggerModel) -> None:
        self.engine_, self.machine_ = TaggerEngine(machine, model, self.engine), machine

    # --- tagging ------------------------------------------------------------------------------------------------------

    @property
    def tags_(self) -> list[str]:
        return self._engine().tags

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """The tags of a sentence, whose tokens are words or tuples of columns; columns too many do not matter.

        EmptyColumnsWarning, once, where columns are empty ('' or '_') that the tagger has learned from; so do other
        methods.
        """
        return self.tag_sentences([tokens])[0]

    def explain(self, tokens: Sequence[Token], *, interactions: bool = False) -> SentenceExplanation:
        """Why the tokens of a sentence got their tags: what each feature adds to the scores of tags, token by token.

        Features of tags before a token are those of the tags that were found.

        Examples
        --------
        >>> from gristmill.apps import Tagger
        >>> said = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
        >>> tagger = Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1").fit(said)
        >>> print(tagger.explain(["the", "dog", "eats"])[2])
        eats -> V
        baseline             -0.001123
          F:+1:0:+1__EOS__     +0.1114  ########################################
          F:+0:0:suffix:1:s    +0.1114  ########################################
          T:-1:N               +0.1114  ########################################
          F:-1:0:dog            +0.056  #####################
          F:+0:0:eats          +0.0554  ####################
        score (V)               0.4445
        """
        columns, engine = columns_of([tokens]), self._engine()
        engine.check_columns(columns)
        return engine.explain(columns, interactions=interactions)

    def tag_sentences(self, sentences: Iterable[Sequence[Token]]) -> list[list[str]]:
        """The tags of many sentences at once."""
        return self.tag_columns(columns_of(sentences))

    def tag_columns(self, columns: _core.Columns) -> list[list[str]]:
        """The tags of all sentences."""
        return listed(self._engine().tags, self._numbers(columns), columns)

    def tag_conllu(self, text: _core.Conllu) -> tuple[str, Numbers]:
        """Tags of the words of CoNLL-U: the column they belong to, and what they are as numbers in `tags_`."""
        model = self._engine().model
        if model.conllu is None:
            raise ValueError("the tagger was not learned from CoNLL-U: use `gristmill tag train --conllu upos`")
        return model.conllu, self._numbers(text.columns.picked([0]))

    def tag_blocks(self, path: PathLike, *, encoding: str | None = None, tabs: bool = False) -> Iterator[Any]:
        """A file of columns in blocks: (columns, tags of their tokens as numbers in `tags_`)."""
        own = encoding or self._engine().model.encoding
        for columns in column_blocks(path, encoding=own, tabs=tabs):
            with naming(display_name(path)):
                yield columns, self._numbers(columns)

    def tag_file(self, path: PathLike, output: PathLike, *, encoding: str | None = None, tabs: bool = False) -> int:
        """Write a file of columns again with the tag as one column more; how many tokens it had.

        The file may be larger than memory. Columns beyond those that were learned from do not matter.
        """
        tokens, own = 0, encoding or self._engine().model.encoding
        with writing(output) as out:
            for columns, numbers in self.tag_blocks(path, encoding=own, tabs=tabs):
                out.write(as_encoded(columns.with_column(numbers, self.tags_), own))
                tokens += columns.tokens
        return tokens

    def chunks(self, tokens: Sequence[Token]) -> list[Chunk]:
        """The chunks of a sentence that its tags say."""
        return chunks_of(self.tag(tokens))

    def score(self, sentences: Iterable[Sequence[Sequence[str]]]) -> ChunkScores:
        """Tag sentences whose tags are known, the last column of each token, and compare."""
        columns = columns_of(sentences)
        _check_columns(columns)
        self._engine().check_gold(columns)
        gold = listed(columns.column(columns.columns - 1), np.arange(columns.tokens), columns)
        return score_chunks(gold, self.tag_columns(columns))

    def _engine(self) -> TaggerEngine:
        if not hasattr(self, "engine_"):
            raise ValueError("there is nothing learned yet: call fit, or load what was saved")
        return self.engine_

    def _numbers(self, columns: _core.Columns) -> Numbers:
        engine = self._engine()
        engine.check_columns(columns)
        return engine.numbers(columns, self.n_jobs, self.progress)

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write everything that was learned, and the parameters, to one safetensors file, whole or not at all."""
        self._engine()
        self._remembered(self.machine_).save(path)

    @classmethod
    def load(
        cls, path: PathLike, *, engine: str = "auto", n_jobs: int | None = None, progress: Progress | None = None
    ) -> Tagger:
        """What was saved, or a model of YamCha, compiled or text; FormatError for other files.

        Parameters are those that it was saved with, but for engine, n_jobs and progress. Of older files and of YamCha's
        they are what can be read off the machine, else the defaults.
        """
        machine, model = load_model(path)
        per_run = {"engine": engine, "n_jobs": n_jobs, "progress": progress}
        tagger = cls._restored({"": machine}, path, per_run)
        tagger._settle(without_provenance(machine, PARAMS), model)
        return tagger

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine: how it learned, templates, direction and the likely scheme of its tags."""
        (machine,) = machines.values()
        model = model_of(machine)
        own = {"templates": model.templates, "direction": model.direction}
        scheme = "keep" if model.scheme is None else likely_scheme(np.asarray(machine.classes).tolist())
        return own | {"tag_scheme": scheme} | recovered_learning(machine)


def _sorted(tags: NumberedTags) -> tuple[list[str], Numbers]:
    """Tags that occur, sorted, so that their numbers do not depend on the order of sentences; those of all tokens."""
    used = sorted({tags.names[number] for number in np.unique(tags.numbers).tolist()})
    place = {tag: number for number, tag in enumerate(used)}
    return used, np.array([place.get(name, -1) for name in tags.names], dtype=np.int32)[tags.numbers]


def listed(words: list[str], numbers: Any, columns: _core.Columns) -> list[list[str]]:
    """Words by their numbers, sentence by sentence."""
    flat, starts = [words[number] for number in numbers.tolist()], columns.starts().tolist()
    return [flat[begin:end] for begin, end in pairwise(starts)]


def _check_tags(tags: list[str]) -> None:
    """A tag is one column of a file."""
    for tag in tags:
        if not tag or any(blank in tag for blank in " \t\r\n"):
            raise ValueError(f"a tag is a word without blanks, got {tag!r}")


def _check_columns(columns: _core.Columns) -> int:
    """How many columns there are beside the tag."""
    if columns.tokens == 0:
        raise FormatError("there are no tokens")
    if columns.columns < 2:
        raise FormatError("a token needs a word and, in the last column, its tag; got one column")
    return columns.columns - 1
