"""A dependency parser: sentences in, trees out, action after action by kernel machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from gristmill import _core
from gristmill.apps.cross_prediction import FOLDS, check_folds
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.learning import Learning, keep_learned, recovered_learning
from gristmill.apps.parsing.chunks import DEFAULT_JOINS, parse_joins
from gristmill.apps.parsing.column_dropout import DEFAULT_DROPOUT, check_dropout
from gristmill.apps.parsing.cross_filling import read_tagged
from gristmill.apps.parsing.engine import ParserEngine
from gristmill.apps.parsing.learning import Learned, ParserLearning, learn_parser
from gristmill.apps.parsing.model import (
    ORACLES,
    PSEUDO_PROJECTIVE,
    ParserModel,
    algorithm_of,
    columns_of,
    default_templates,
    links_of,
    model_of,
    parsed,
    split_of,
)
from gristmill.apps.parsing.pseudo_projective import SCHEMES, likely_scheme, without_marks
from gristmill.apps.parsing.scores import ParseScores, score_conllu
from gristmill.apps.parsing.steps import explain_parse
from gristmill.apps.parsing.tree import DependencyTree, Sentences, Token, columns_of_words, sentences_of, trees_of
from gristmill.apps.parsing.treebank import (
    ColumnTagger,
    Source,
    Treebank,
    conllu_blocks,
    fill_tags,
    read_treebank,
    read_trees,
    with_trees,
)
from gristmill.apps.sentence_app import SentenceApp
from gristmill.base.arrays import Int32s
from gristmill.base.checks import check_choice, check_flag, check_positive, check_positive_int
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, writing
from gristmill.base.progress import Progress
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES
from gristmill.scoring.scorers import Scorers


@dataclass(eq=False, repr=False)
class DependencyParser(SentenceApp[ParserEngine]):
    """Parses sentences of any language that has a treebank in CoNLL-U.

    Words have a form and, where they are known, parts of speech, a lemma and features. A transition system builds the
    tree; what it does next, a machine with a polynomial kernel decides from templates over its stack and buffer, and
    from all conjunctions of them. The core holds the configurations, extracts the features and decodes.

    Parameters
    ----------
    algorithm : {'arc-standard', 'arc-eager', 'swap', 'head-final', 'cascaded'}
        'swap' gives trees with crossing arcs too. 'head-final' (Sassano's) and 'cascaded' (Kudo and Matsumoto's) are
        for languages such as Japanese: they find chunks first, then link each to one on its right. MaltParser's names
        nivrestandard, nivreeager, stackproj and stacklazy mean the same here.
    templates : str or None
        See `gristmill.apps.templates.configurations`; None: some that serve the algorithm well.
    oracle : {'static', 'dynamic'}
        'dynamic' (arc-eager): learn also from where the parser itself goes wrong. Takes about three times as long.
    pseudo_projective : {'none', 'baseline', 'head', 'path', 'head+path'}
        How crossing arcs are made fit for 'arc-standard' and 'arc-eager': relations say how, and they are put back
        after parsing. With 'none' sentences with crossing arcs are not learned from there.
    split : str or None
        A cell such as 'b0.upos': each of its values has a machine of its own.
    split_threshold : int
        Values with fewer rows than this share one.
    solver, multiclass, degree, C, epochs, keep_examples, engine, n_jobs, progress
        As in `Tagger`.
    chunks : str
        For 'head-final' and 'cascaded': relations that join words to a chunk; ``<`` only to a head on their left,
        ``>`` only to one on their right.
    column_dropout : float
        In so large a share of the training sentences, chosen anew for each, lemmas, XPOS and features are taken away,
        so that a parser can do without columns that a run lacks. With 0 it relies on them all.
    beam : int
        Ways that are followed at once; 1 is greedy.
    temperature : float
        Of the beam: how sure scores are; smaller is surer.

    Attributes
    ----------
    machine_, scorer_ : Machines, Scorers
        What was learned, and the same, compiled. Their classes are actions, their features have names.
    relations_ : list of str
        Those that may come out.
    n_features_, n_rows_, n_skipped_ : int
        After `fit`: features and rows that were learned from, and sentences whose trees the algorithm cannot give.

    Examples
    --------
    >>> from gristmill.apps import DependencyParser, Word
    >>> said = [Word("cats", upos="NOUN", head=2, deprel="nsubj"), Word("sleep", upos="VERB", head=0, deprel="root")]
    >>> more = [Word("see", upos="VERB", head=0, deprel="root"), Word("dogs", upos="NOUN", head=1, deprel="obj")]
    >>> parser = DependencyParser().fit([said, more])
    >>> tree = parser.parse([("dogs", "NOUN"), ("see", "VERB"), ("cats", "NOUN")])
    >>> tree.heads, tree.relations
    ([2, 0, 2], ['nsubj', 'root', 'obj'])
    """

    kind = key = "parser"
    machine_: Machines = field(init=False)
    _compiled_by = ("engine", "beam", "temperature")
    former_names: ClassVar = {"lifting": "pseudo_projective", "units": "chunks"}

    algorithm: str = "arc-standard"
    _: KW_ONLY
    templates: str | None = None
    oracle: str = "static"
    pseudo_projective: str = "none"
    split: str | None = None
    split_threshold: int = 1000
    solver: str = "online"
    multiclass: str = "auto"
    degree: int = 2
    C: float | None = None
    epochs: int = 10
    chunks: str = DEFAULT_JOINS
    keep_examples: bool = False
    column_dropout: float = DEFAULT_DROPOUT
    engine: str = "auto"
    beam: int = 1
    temperature: float = 0.3
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        algorithm = algorithm_of(self.algorithm)
        if self.templates is not None and not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        with naming("templates"):
            parsed(self._templates(), algorithm)
        check_choice("oracle", self.oracle, ORACLES)
        if self.oracle == "dynamic" and algorithm != "arc-eager":
            raise ValueError(f"oracle='dynamic' is of algorithm='arc-eager', got algorithm={self.algorithm!r}")
        check_choice("pseudo_projective", self.pseudo_projective, SCHEMES)
        if self.pseudo_projective != "none" and algorithm not in PSEUDO_PROJECTIVE:
            algorithms = " and ".join(PSEUDO_PROJECTIVE)
            given = f"pseudo_projective={self.pseudo_projective!r}"
            raise ValueError(f"{given} is of {algorithms}, got algorithm={self.algorithm!r}: use 'none'")
        split = split_of(self.split)
        if split is not None:
            check_choice("the column to split by", split.column, columns_of(algorithm))
        check_positive_int("split_threshold", self.split_threshold)
        check_choice("engine", self.engine, ENGINES)
        check_positive_int("beam", self.beam)
        check_positive("temperature", self.temperature)
        parse_joins(self.chunks)
        check_flag("keep_examples", self.keep_examples)
        check_dropout(self.column_dropout)
        self._how()

    def _templates(self) -> str:
        return default_templates(algorithm_of(self.algorithm)) if self.templates is None else self.templates

    def _how(self) -> Learning:
        return Learning(self.solver, self.multiclass, self.degree, self.C, self.epochs)

    # --- learning -----------------------------------------------------------------------------------------------------

    def fit(
        self, X: Source, y: None = None, *, taggers: Iterable[ColumnTagger] = (), folds: int = FOLDS
    ) -> DependencyParser:
        """Learn from a treebank.

        With taggers, each of which fills in columns, all sentences are learned from twice: with their own tags, and
        with tags as good as they will be on new text, those of taggers that were learned likewise from the other folds
        of the treebank. With 0 folds tags are those of the taggers themselves, as is right where these were learned
        from another text.
        """
        self.check_settings()
        check_folds(folds)
        return self.fit_treebank(read_tagged(X, taggers, folds))

    def fit_conllu(self, source: PathLike | _core.Conllu) -> DependencyParser:
        """Learn from a file in CoNLL-U, or from what was read of one."""
        if isinstance(source, _core.Conllu):
            return self.fit_treebank(Treebank.of_conllu(source))
        return self.fit_treebank(read_treebank(source))

    def fit_treebank(self, treebank: Treebank) -> DependencyParser:
        """Learn from trees that have been read."""
        self.check_settings()
        learning = ParserLearning(
            algorithm_of(self.algorithm),
            self._templates(),
            self._how(),
            dynamic=self.oracle == "dynamic",
            pseudo_projective=self.pseudo_projective,
            split=split_of(self.split),
            threshold=int(self.split_threshold),
            chunks=self.chunks,
            keep_examples=self.keep_examples,
            column_dropout=float(self.column_dropout),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        keep_learned(lambda: learn_parser(treebank, learning), self._keep_parts)
        return self

    def _keep_parts(self, learned: Learned) -> None:
        self.n_features_, self.n_rows_, self.n_skipped_ = learned.n_features, learned.n_rows, learned.n_skipped
        self._keep(learned.machines, learned.model)

    def _compile(self, machine: Machines) -> ParserEngine:
        beam, temperature = int(self.beam), float(self.temperature)
        return ParserEngine(machine, self._state, self.engine, beam=beam, temperature=temperature)

    # --- parsing ------------------------------------------------------------------------------------------------------

    @property
    def relations_(self) -> list[str]:
        model = self.engine_.model
        known = map(without_marks, model.relations) if model.lifted else model.relations
        return sorted({*known, model.root})

    def parse(self, X: Iterable[Any]) -> Any:
        """The tree of one sentence, or the trees of many.

        Words are strings, (form, upos, xpos, lemma, feats) or less, mappings as `conllu` reads them, or `Word`.
        EmptyColumnsWarning, once, where words lack columns that the parser has learned from; so do other methods.
        """
        return self.predict(X)

    def _predict_many(self, X: Sentences) -> list[DependencyTree]:
        words = sentences_of(X)
        heads, relations = self.parse_columns(columns_of_words(words))
        return trees_of(words, heads, relations, self.engine_.names)

    def explain(self, X: Iterable[Any], *, interactions: bool = False) -> Any:
        """Why a sentence got its tree: the steps that led there, and what each feature adds to the scores of actions.

        A `SentenceExplanation`, or a list of them for many sentences. With a beam these are the steps of the way that
        wins. Parsers of chunks decide on these first, from the last word to the first.

        Examples
        --------
        >>> from gristmill.apps import DependencyParser, Word
        >>> said = [Word("cats", upos="NOUN", head=2, deprel="nsubj"), Word("nap", upos="VERB", head=0, deprel="root")]
        >>> more = [Word("see", upos="VERB", head=0, deprel="root"), Word("dogs", upos="NOUN", head=1, deprel="obj")]
        >>> parser = DependencyParser(templates="{s0,s1,b0}.upos s0.lefts").fit([said, more])
        >>> explained = parser.explain([("dogs", "NOUN"), ("see", "VERB"), ("cats", "NOUN")])
        >>> [(step.what, step.label) for step in explained]
        [('dogs see | cats', 'LEFT:nsubj'), ('see cats |', 'RIGHT:obj')]
        >>> print(explained[1])
        see cats | -> RIGHT:obj
        baseline                 0
          s0.upos=NOUN     +0.0525  ########################################
          s1.upos=VERB     +0.0525  ########################################
          s0.lefts=0        +0.021  ################
        score (RIGHT:obj)    0.126
        """
        return super().explain(X, interactions=interactions)

    def _explain_one(self, X: Iterable[Token], *args: Any, **options: Any) -> SentenceExplanation:
        (sentence,) = sentences_of([X])
        self.engine_.check_columns(columns_of_words([sentence]))
        return explain_parse(self.engine_, sentence, *args, **options)

    def parse_columns(self, columns: _core.Columns) -> tuple[Int32s, Int32s]:
        """Heads within their sentence, -1 for the root, and relations as numbers in `engine_.names`."""
        engine = self.engine_
        engine.check_columns(columns)
        return engine.parse(columns, self.n_jobs, self.progress)

    def fill_conllu(self, text: _core.Conllu) -> dict[str, Any]:
        """Trees of all sentences, as `Conllu.filled` takes them."""
        heads, relations = self.parse_columns(text.columns)
        return {"heads": heads, "relations": (relations, self.engine_.names)}

    def parse_blocks(self, path: PathLike) -> Iterator[tuple[_core.Conllu, Int32s, Int32s]]:
        """A file in CoNLL-U in blocks: (text, heads of its words from -1 for the root, relations as numbers)."""
        for text in conllu_blocks(path):
            yield text, *self.parse_columns(text.columns)

    def parse_file(self, path: PathLike, output: PathLike) -> int:
        """Write a file in CoNLL-U again with heads and relations; how many words it had.

        Enhanced dependencies, which spoke of another tree, are dropped: the column DEPS, and empty nodes (8.1) with it.
        The file may be larger than memory.
        """
        words = 0
        with writing(output) as out:
            for text, heads, relations in self.parse_blocks(path):
                out.write(with_trees(text, heads, relations, self.engine_.names))
                words += text.columns.tokens
        return words

    def evaluate(
        self, X: Source | _core.Conllu, y: None = None, *, taggers: Iterable[ColumnTagger] = ()
    ) -> ParseScores:
        """Parse sentences whose trees are known, after taggers have filled in what they know, and compare.

        `score` is the labelled attachment score (LAS), the share of words with the right head and relation.
        """
        gold = X if isinstance(X, _core.Conllu) else read_trees(X)
        text = fill_tags(gold, taggers)
        heads, relations = self.parse_columns(text.columns)
        predicted = with_trees(text, heads, relations, self.engine_.names)
        return score_conllu(gold.filled().decode(), predicted.decode())

    @property
    def scorer_(self) -> Scorers:
        """The machines, compiled."""
        return self.engine_.scorers

    # --- files --------------------------------------------------------------------------------------------------------

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> ParserModel:
        return model_of(machines)

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off machines: algorithm, templates, pseudo_projective, split, chunks, how they learned."""
        model = model_of(machines)
        own: dict[str, Any] = {"algorithm": model.algorithm, "templates": model.templates}
        if model.split is not None:
            own["split"] = f"{model.split.address}.{model.split.column}"
        if model.chunks is not None:
            own["chunks"] = model.chunks.joins
        if model.lifted:
            own["pseudo_projective"] = likely_scheme(model.relations)
        return own | recovered_learning(next(iter(links_of(machines).values())))
