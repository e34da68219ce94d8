"""A tagger: sentences in, a tag for each token out, decided one after another by a kernel machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gristmill import _core
from gristmill.apps.base import is_one, with_tags
from gristmill.apps.columns import Token, as_encoded, column_blocks, columns_of, read_columns
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.filled_columns import filled_shares
from gristmill.apps.learning import Learning, keep_learned, learn, named, recovered_learning
from gristmill.apps.parsing.treebank import read_tags, tags_of_conllu
from gristmill.apps.sentence_app import SentenceApp, remembering
from gristmill.apps.tagging.calibrating import fitted_probability
from gristmill.apps.tagging.chunks import (
    SCHEMES,
    Chunk,
    NumberedTags,
    are_chunk_tags,
    chunks_of,
    column_tags,
    likely_scheme,
    nearest_scheme,
    respelled,
)
from gristmill.apps.tagging.engine import CONLLU_COLUMNS, CONSTRAINTS, DIRECTIONS, TaggerEngine, TaggerModel, model_of
from gristmill.apps.tagging.scores import ChunkScores, score_chunks
from gristmill.apps.templates import parse_templates
from gristmill.base.arrays import Int32s
from gristmill.base.checks import check_choice, check_flag, check_positive_int
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

DEFAULT_TEMPLATES = "F:-2..2:0.. F:0:0:lower+suffix:1..4 F:0:0:lower+prefix:1..4 F:-1..1:0:brief T:-2..-1"


@dataclass(eq=False, repr=False)
class Tagger(SentenceApp[TaggerEngine]):
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
    constraints : {'none', 'chunks'}
        'chunks': each token gets the best of the tags with which its sentence can be well spelled in the scheme that
        was learned: no I-NP but behind B-NP or I-NP where that is IOB2. Learning does not depend on it, so that it can
        be changed afterwards, and in `load`.
    keep_examples : bool
        Whether the model keeps the training sentences of its support rows, for `gristmill.influence`.
    engine : {'auto', 'direct', 'inverted', 'bits', 'expanded', 'split'}
        How the machine is evaluated; all give the same tags.
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total) of each part of the work.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled. Its classes are tags, its features have names.
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

    kind = key = "tagger"
    formats = ("yamcha", "yamcha-text")
    machine_: Machine = field(init=False)
    former_names: ClassVar = {"scheme": "tag_scheme"}
    _compiled_by: ClassVar = ("engine", "constraints")

    templates: str = DEFAULT_TEMPLATES
    _: KW_ONLY
    solver: str = "online"
    multiclass: str = "auto"
    degree: int = 2
    C: float | None = None
    epochs: int = 10
    direction: str = "forward"
    tag_scheme: str = "keep"
    constraints: str = "none"
    keep_examples: bool = False
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        check_choice("direction", self.direction, DIRECTIONS)
        check_choice("tag_scheme", self.tag_scheme, ("keep", *SCHEMES))
        check_choice("constraints", self.constraints, CONSTRAINTS)
        check_choice("engine", self.engine, ENGINES)
        check_flag("keep_examples", self.keep_examples)
        self._learning()

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Iterable[Sequence[Token]], y: Iterable[Sequence[str]] | None) -> None:
        self.fit_columns(columns_of(with_tags(X, y)))

    def fit_file(self, path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> Tagger:
        """Learn from a file of columns, the last of them the tag; with `tabs`, only tabs separate them."""
        columns = read_columns(path, encoding=encoding, tabs=tabs)
        with naming(display_name(path)):
            return self.fit_columns(columns, encoding=encoding)

    def fit_conllu(self, source: PathLike | _core.Conllu, column: str = "upos") -> Tagger:
        """Learn from the forms of CoNLL-U, a file or what was read of one, with a column as the tag: upos or xpos."""
        check_choice("column", column, CONLLU_COLUMNS)
        if isinstance(source, _core.Conllu):
            return self.fit_columns(tags_of_conllu(source, column), conllu=column)
        columns = read_tags(source, column)
        with naming(display_name(source)):
            return self.fit_columns(columns, conllu=column)

    def relearned(self, text: _core.Conllu) -> Tagger:
        """A tagger with the same parameters, learned from another text; for one that was learned from CoNLL-U."""
        (column,) = self.conllu_columns_
        return Tagger(**self.get_params()).fit_conllu(text, column)

    def fit_columns(self, columns: _core.Columns, *, encoding: str = "utf-8", conllu: str | None = None) -> Tagger:
        """Learn from columns, the last of them the tag; `conllu` if it is one of CoNLL-U's."""
        self.check_settings()
        width = _check_columns(columns)
        with naming("templates"):
            templates = parse_templates(self.templates, width)
        given = column_tags(columns)
        _check_tags(given.names)
        own = given if self.tag_scheme == "keep" else respelled(given, self.tag_scheme)
        classes, labels = sorted_tags(own)
        names, backward = _core.Strings([]), self.direction == "backward"
        window = templates.compile(classes)
        offsets, ids = _core.extract_rows(window, columns, labels, names, True, backward, self.progress)
        rows = Rows(offsets, ids, n_features=len(names))
        outside = None if self.tag_scheme == "keep" else nearest_scheme(given)
        spelling = nearest_scheme(own) if are_chunk_tags(classes) else None
        filled = filled_shares(columns, range(width))
        model = TaggerModel(self.templates, self.direction, width, outside, encoding, conllu, filled, spelling)
        if self.constraints != "none":
            model.rules(classes)  # fails before anything is learned

        def keep(machine: Machine) -> None:
            self.n_features_ = len(names)
            if self.keep_examples:
                machine = remembering(machine, rows, columns)
            self._keep(named(machine, names.words(), model.provenance()), model)

        how = self._learning()
        keep_learned(lambda: learn(rows, labels, classes, how, n_jobs=self.n_jobs, progress=self.progress), keep)
        return self

    def _learning(self) -> Learning:
        return Learning(self.solver, self.multiclass, self.degree, self.C, self.epochs)

    def calibrate(
        self, X: Iterable[Sequence[Token]], y: Iterable[Sequence[str]] | None = None, *, folds: int = 0
    ) -> Tagger:
        """Fit probabilities of tags (`confidences`) to sentences whose tags are known; `save` keeps them.

        Tags are the last column of each token, or `y`. The sentences are others than those that were learned from; or
        the same with `folds`, each of which is judged by a tagger that learns from the others: as many times learning.
        """
        return self.calibrate_columns(columns_of(with_tags(X, y)), folds=folds)

    def calibrate_columns(self, columns: _core.Columns, *, folds: int = 0) -> Tagger:
        """The same for columns, the last of them the tag."""
        _check_columns(columns)
        self.engine_.check_gold(columns)
        self._keep(self.machine_.replace(probability=fitted_probability(self, columns, folds)), self._state)
        return self

    def _compile(self, machine: Machine) -> TaggerEngine:
        return TaggerEngine(machine, self._state, self.engine, self.constraints)

    # --- tagging ------------------------------------------------------------------------------------------------------

    @property
    def tags_(self) -> list[str]:
        return self.engine_.tags

    @property
    def conllu_columns_(self) -> tuple[str]:
        """The column of CoNLL-U that tags are of; ValueError if they are of none."""
        column = self.engine_.model.conllu
        if column is None:
            raise ValueError("the tagger was not learned from CoNLL-U: use `gristmill tag train --conllu upos`")
        return (column,)

    def tag(self, X: Sequence[Any]) -> Any:
        """The tags of one sentence, a list of tokens, or of many; columns too many do not matter.

        EmptyColumnsWarning, once, where columns are empty ('' or '_') that the tagger has learned from; so do other
        methods.
        """
        return self.predict(X)

    def explain(self, X: Sequence[Any], *, interactions: bool = False) -> Any:
        """Why the tokens of a sentence got their tags: what each feature adds to the scores of tags, token by token.

        A `SentenceExplanation`, or a list of them for many sentences. Features of tags before a token are those of the
        predicted tags.

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
        return super().explain(X, interactions=interactions)

    def _predict_many(self, X: Iterable[Sequence[Token]]) -> list[list[str]]:
        return self.tag_columns(columns_of(X))

    def _explain_one(self, X: Sequence[Token], *args: Any, **options: Any) -> SentenceExplanation:
        columns = columns_of([X])
        self.engine_.check_columns(columns)
        return self.engine_.explain(columns, *args, **options)

    def candidates(self, X: Sequence[Any], n: int = 2, *, probability: bool = False) -> Any:
        """The n best tags of each token with their scores, best first, given the tags that were found before it.

        Of one sentence a list for each token, of many sentences such lists. How sure a tag is says its margin, the
        difference between the first two scores or, with `probability`, its probability, where the tagger was
        calibrated. Tags are spelled as the machine has them (`tag_scheme`).

        Examples
        --------
        >>> from gristmill.apps import Tagger
        >>> said = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
        >>> tagger = Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1").fit(said)
        >>> [[tag for tag, score in token] for token in tagger.candidates(["the", "dog", "eats"])]
        [['D', 'V'], ['N', 'V'], ['V', 'N']]
        """
        check_positive_int("n", n)
        return self._of_tokens(
            X, lambda columns: self.engine_.candidates(columns, n, self.n_jobs, probability=probability)
        )

    def confidences(self, X: Sequence[Any]) -> Any:
        """The probability of the tag of each token, where the tagger was calibrated.

        Of one sentence a list, of many sentences lists.

        Examples
        --------
        >>> from gristmill.apps import Tagger
        >>> said = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
        >>> tagger = Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1").fit(said).calibrate([[("the", "D"), ("cow", "N")]])
        >>> [round(share, 2) for share in tagger.confidences(["the", "dog", "eats"])]
        [0.95, 0.98, 1.0]
        """
        return self._of_tokens(X, lambda columns: self.engine_.confidences(columns, self.n_jobs).tolist())

    def _of_tokens(self, X: Sequence[Any], answer: Callable[[_core.Columns], list[Any]]) -> Any:
        """Answers about tokens, by sentence: a list for one sentence, lists for many."""
        is_single = is_one(X, self._reads_tokens)
        columns = columns_of([X] if is_single else X)
        self.engine_.check_columns(columns)
        tokens = answer(columns)
        found = [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]
        return found[0] if is_single else found

    def tag_columns(self, columns: _core.Columns) -> list[list[str]]:
        """The tags of all sentences."""
        return NumberedTags(self.engine_.tags, self._numbers(columns), columns.starts()).sentences()

    def tag_conllu(self, text: _core.Conllu) -> tuple[str, Int32s]:
        """Tags of the words of CoNLL-U: the column they belong to, and what they are as numbers in `tags_`."""
        return self.conllu_columns_[0], self._numbers(text.columns.picked([0]))

    def fill_conllu(self, text: _core.Conllu) -> dict[str, tuple[Int32s, list[str]]]:
        """Tags of the words of CoNLL-U by their column, as `Conllu.filled` takes them."""
        column, numbers = self.tag_conllu(text)
        return {column: (numbers, self.tags_)}

    def tag_blocks(self, path: PathLike, *, encoding: str | None = None, tabs: bool = False) -> Iterator[Any]:
        """A file of columns in blocks: (columns, tags of their tokens as numbers in `tags_`)."""
        own = encoding or self.engine_.model.encoding
        for columns in column_blocks(path, encoding=own, tabs=tabs):
            with naming(display_name(path)):
                yield columns, self._numbers(columns)

    def tag_file(self, path: PathLike, output: PathLike, *, encoding: str | None = None, tabs: bool = False) -> int:
        """Write a file of columns again with the tag as one column more; how many tokens it had.

        The file may be larger than memory. Columns beyond those that were learned from do not matter.
        """
        tokens, own = 0, encoding or self.engine_.model.encoding
        with writing(output) as out:
            for columns, numbers in self.tag_blocks(path, encoding=own, tabs=tabs):
                out.write(as_encoded(columns.with_column(numbers, self.tags_), own))
                tokens += columns.tokens
        return tokens

    def chunks(self, tokens: Sequence[Token]) -> list[Chunk]:
        """The chunks of a sentence that its tags say."""
        return chunks_of(self.tag(tokens))

    def evaluate(self, X: Iterable[Sequence[Token]], y: Iterable[Sequence[str]] | None = None) -> ChunkScores:
        """Tag sentences whose tags are known, and compare. Tags are the last column of each token, or `y`.

        `score` is the F1 of chunks or, where tags are not those of chunks, the share of tokens with the right tag.
        """
        return self.evaluate_columns(columns_of(with_tags(X, y)))

    def evaluate_columns(self, columns: _core.Columns) -> ChunkScores:
        """The same for columns, the last of them the tag."""
        _check_columns(columns)
        self.engine_.check_gold(columns)
        return score_chunks(column_tags(columns).sentences(), self.tag_columns(columns))

    def _numbers(self, columns: _core.Columns) -> Int32s:
        engine = self.engine_
        engine.check_columns(columns)
        return engine.numbers(columns, self.n_jobs, self.progress)

    # --- files --------------------------------------------------------------------------------------------------------

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> TaggerModel:
        return model_of(*machines.values())

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine: how it learned, templates, direction and the likely scheme of its tags."""
        (machine,) = machines.values()
        model = model_of(machine)
        own = {"templates": model.templates, "direction": model.direction}
        scheme = "keep" if model.scheme is None else likely_scheme(np.asarray(machine.classes).tolist())
        return own | {"tag_scheme": scheme} | recovered_learning(machine)


def sorted_tags(tags: NumberedTags) -> tuple[list[str], Int32s]:
    """Tags that occur, sorted, so that their numbers do not depend on the order of sentences; those of all tokens."""
    used = sorted({tags.names[number] for number in np.unique(tags.numbers).tolist()})
    place = {tag: number for number, tag in enumerate(used)}
    return used, np.array([place.get(name, -1) for name in tags.names], dtype=np.int32)[tags.numbers]


def _check_tags(tags: list[str]) -> None:
    """A tag is one column of a file."""
    for tag in tags:
        if not tag or any(blank in tag for blank in " \t\r\n"):
            raise ValueError(f"a tag is a word without blanks, got {tag!r}")


def _check_columns(columns: _core.Columns) -> int:
    """The number of columns without the tag."""
    if columns.tokens == 0:
        raise FormatError("there are no tokens")
    if columns.columns < 2:
        raise FormatError("a token needs a word and, in the last column, its tag; got one column")
    return columns.columns - 1
