"""A lemmatizer: the lemma of a word from its form, its parts of speech and its features, by an edit script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from gristmill import _core
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.editing.app import EditApp
from gristmill.apps.editing.engine import EditModel
from gristmill.apps.editing.examples import cells_of, commonest, distinct
from gristmill.apps.editing.scores import LemmaScores, score_lemmas
from gristmill.apps.editing.scripts import fewest_scripts
from gristmill.apps.filled_columns import filled_shares
from gristmill.apps.parsing.tree import COLUMNS, Sentences, columns_of_words, sentences_of
from gristmill.apps.parsing.treebank import conllu_blocks, read_conllu
from gristmill.base.arrays import Int32s
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing

LEMMA_TEMPLATES = "F:0:0..3 F:0:0:lower F:0:3:parts F:0:0:lower+suffix:1..6 F:0:0:lower+prefix:1..3 F:0:0:brief"

_LEMMA = COLUMNS.index("lemma")


@dataclass(eq=False, repr=False)
class Lemmatizer(EditApp):
    """Finds the lemmas of words, from their parts of speech and features where they have them.

    A lemma is made of its form by an edit script: `lower:=--+e+r` puts er for the last two characters; see
    `gristmill.apps.editing.scripts`. A machine with a polynomial kernel chooses the script. Words that are alike in all
    that is looked at are one example, with the lemma that most of them have.

    Parameters
    ----------
    templates : str
        As in `Tagger`, for row 0 alone; columns are form, upos, xpos and feats, 0 to 3.
    degree, C, epochs, solver, multiclass, engine, n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled. Its classes are edit scripts, its features have names.
    n_features_ : int
        After `fit`: features of all words; the machine has those of its support rows.

    Examples
    --------
    >>> from gristmill.apps import Lemmatizer, Word
    >>> said = [("runs", "run", "VERB"), ("cats", "cat", "NOUN"), ("The", "the", "DET"), ("this", "this", "DET")]
    >>> lemmatizer = Lemmatizer().fit([[Word(*cells) for cells in said]])
    >>> lemmatizer.lemmatize([("The", "DET"), ("dogs", "NOUN")])
    ['the', 'dog']
    """

    kind = key = "lemmatizer"
    title = "the lemmatizer"
    looked_at: ClassVar = ("form", "upos", "xpos", "feats")

    templates: str = LEMMA_TEMPLATES

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Sentences, y: None) -> None:
        self.fit_columns(columns_of_words(sentences_of(X)))

    def fit_conllu(self, source: PathLike | _core.Conllu) -> Lemmatizer:
        """Learn from a file in CoNLL-U, or from what was read of one."""
        if isinstance(source, _core.Conllu):
            return self.fit_columns(source.columns)
        with naming(display_name(source)):
            return self.fit_columns(read_conllu(source).columns)

    def fit_columns(self, columns: _core.Columns) -> Lemmatizer:
        """Learn from the columns of CoNLL-U: form, lemma, upos, xpos and feats."""
        self.check_settings()
        words, lemmas = self._picked(columns), columns.column(_LEMMA)
        if not any(lemmas):
            raise FormatError("no word has a lemma")
        model = EditModel(self.templates, self.looked_at, filled_shares(words, range(len(self.looked_at))))
        lemmas = [lemma or form for form, lemma in zip(words.column(0), lemmas, strict=True)]
        examples = commonest(cells_of(words), lemmas)
        self._fit(model, [*examples], fewest_scripts([cells[0] for cells in examples], [*examples.values()]))
        return self

    def _picked(self, columns: _core.Columns) -> _core.Columns:
        return columns.picked([COLUMNS.index(name) for name in self.looked_at])

    # --- lemmas -------------------------------------------------------------------------------------------------------

    def lemmatize(self, X: Sentences) -> Any:
        """The lemmas of one sentence, a list of words, or of many.

        A word is a form; a form, upos, xpos and feats, as many as there are; or a `Word`. EmptyColumnsWarning, once,
        where columns are empty that the lemmatizer has learned from.
        """
        return self.predict(X)

    def _predict_many(self, X: Iterable[Any]) -> list[list[str]]:
        sentences = sentences_of(X)
        numbers, lemmas = self.lemmatize_columns(columns_of_words(sentences))
        found = iter([lemmas[number] for number in numbers.tolist()])
        return [[next(found) for _ in words] for words in sentences]

    def lemmatize_columns(self, columns: _core.Columns) -> tuple[Int32s, list[str]]:
        """Lemmas of words in the columns of CoNLL-U: of each word its number in a list, and the list."""
        words, engine = self._picked(columns), self.engine_
        if words.tokens:
            engine.check_columns(words)
        numbers, different = distinct(words)
        return numbers, engine.results(different, self.n_jobs, self.progress)

    def fill_conllu(self, text: _core.Conllu) -> dict[str, Any]:
        """The lemmas of all words, as `Conllu.filled` takes them."""
        return {"lemma": self.lemmatize_columns(text.columns)}

    def lemmatize_file(self, path: PathLike, output: PathLike) -> int:
        """Write a file of CoNLL-U again with lemmas; how many words it had. It may be larger than memory."""
        words = 0
        with writing(output) as out, naming(display_name(path)):
            for text in conllu_blocks(path):
                out.write(text.filled(**self.fill_conllu(text)))
                words += text.columns.tokens
        return words

    def _explain_one(self, X: Any, *, interactions: bool = False) -> SentenceExplanation:
        words = self._picked(columns_of_words(sentences_of([X])))
        return self.engine_.explain(cells_of(words), interactions=interactions)

    def evaluate(self, X: Sentences, y: None = None) -> LemmaScores:
        """Find the lemmas of words whose lemmas are known, and compare. `score` is the share that is right."""
        return self._score(columns_of_words(sentences_of(X)))

    def evaluate_file(self, path: PathLike) -> LemmaScores:
        """The same for a file in CoNLL-U."""
        total = LemmaScores()
        with naming(display_name(path)):
            for text in conllu_blocks(path):
                total += self._score(text.columns)
        return total

    def _score(self, columns: _core.Columns) -> LemmaScores:
        numbers, lemmas = self.lemmatize_columns(columns)
        return score_lemmas(columns.column(_LEMMA), [lemmas[number] for number in numbers.tolist()])
