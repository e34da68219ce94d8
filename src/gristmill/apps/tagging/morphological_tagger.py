"""A morphological tagger: UPOS, XPOS and features of words, as CoNLL-U has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeGuard, cast

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.cross_prediction import FOLDS, check_folds
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.learning import Learning, keep_learned, recovered_learning
from gristmill.apps.parsing.tree import Sentences, Word, conllu_of, sentences_of
from gristmill.apps.parsing.treebank import Source, conllu_blocks, fill_tags, is_path, read_conllu, words_of_columns
from gristmill.apps.tagging.column_scores import ColumnScores, score_columns
from gristmill.apps.tagging.morphology import (
    KEY,
    TAGS,
    TEMPLATES,
    Fillings,
    MorphologyEngine,
    MorphologyLearning,
    Step,
    filled_columns,
    learn_steps,
    steps_of,
    steps_of_machines,
)
from gristmill.apps.templates import parse_templates
from gristmill.base.checks import check_choice
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

AUTO = "auto"


@dataclass(eq=False, repr=False)
class MorphologicalTagger(App[MorphologyEngine]):
    """Tags words with their parts of speech (UPOS, and the treebank's own XPOS) and features.

    It learns from CoNLL-U. UPOS are found first; then XPOS and features, at once, from UPOS of all words around too.

    Parameters
    ----------
    columns : str
        'upos', 'xpos', 'feats', or several with commas between them. 'auto': those that are filled in a tenth of the
        training words or more.
    templates : str
        Features of forms and of tags before them, as in `Tagger`.
    folds : int
        XPOS and features learn from UPOS of taggers that were learned from other folds; 0: from those of the treebank.
    solver, multiclass, degree, C, epochs, engine, n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machines, Scorers
        What was learned, and the same, compiled: 'upos', and 'xpos+feats' whose tags are both with a blank in between.
    conllu_columns_ : tuple of str
        Those that are filled in.

    Examples
    --------
    >>> from gristmill.apps import MorphologicalTagger, Word
    >>> one = [Word("dogs", upos="NOUN", feats="Number=Plur"), Word("bark", upos="VERB")]
    >>> two = [Word("the", upos="DET"), Word("cat", upos="NOUN", feats="Number=Sing"), Word("naps", upos="VERB")]
    >>> tagger = MorphologicalTagger(folds=0).fit([one, two])
    >>> [(word.form, word.upos, word.feats) for word in tagger.tag(["the", "cat"])]
    [('the', 'DET', '_'), ('cat', 'NOUN', 'Number=Sing')]
    """

    kind = "morphological tagger"
    key = KEY
    machine_: Machines = field(init=False)

    columns: str = AUTO
    _: KW_ONLY
    templates: str = TEMPLATES
    folds: int = FOLDS
    solver: str = "online"
    multiclass: str = "auto"
    degree: int = 2
    C: float | None = None
    epochs: int = 10
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        check_columns(self.columns)
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        with naming("templates"):
            parse_templates(self.templates, 1)
        check_folds(self.folds)
        check_choice("engine", self.engine, ENGINES)
        self._how()

    def _how(self) -> Learning:
        return Learning(self.solver, self.multiclass, self.degree, self.C, self.epochs)

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Source, y: None) -> None:
        self.fit_conllu(X)

    def fit_conllu(self, source: Source | _core.Conllu) -> MorphologicalTagger:
        """Learn from a file in CoNLL-U, from what was read of one, or from sentences of words."""
        self.check_settings()
        text = _text_of(source)
        with naming(display_name(source)) if _is_file(source) else nullcontext():
            chosen = filled_columns(text) if self.columns == AUTO else check_columns(self.columns)
            learning = MorphologyLearning(self._how(), int(self.folds), self.n_jobs, self.progress)
            steps = steps_of(chosen, self.templates)
            keep_learned(lambda: learn_steps(text, steps, learning), self._keep_machines)
        return self

    def relearned(self, text: _core.Conllu) -> MorphologicalTagger:
        """A tagger with the same parameters, learned from another text."""
        columns = ",".join(self.conllu_columns_)
        return MorphologicalTagger(**self.get_params() | {"columns": columns}).fit_conllu(text)

    def _keep_machines(self, machines: Machines) -> None:
        self._keep(machines, steps_of_machines(machines))

    def _compile(self, machine: Machines) -> MorphologyEngine:
        return MorphologyEngine(machine, self._state, self.engine)

    # --- tagging ------------------------------------------------------------------------------------------------------

    @property
    def conllu_columns_(self) -> tuple[str, ...]:
        return self.engine_.columns

    def tag(self, X: Iterable[Any]) -> Any:
        """The words of one sentence with their tags, or those of many sentences."""
        return self.predict(X)

    def _predict_many(self, X: Sentences) -> list[list[Word]]:
        sentences = sentences_of(X)
        text = conllu_of(sentences)
        tagged = map(list, words_of_columns(fill_tags(text, [self]).columns))
        return [next(tagged) if words else [] for words in sentences]

    def fill_conllu(self, text: _core.Conllu) -> Fillings:
        """Tags of all words, as `Conllu.filled` takes them."""
        return self.engine_.fill(text, self.n_jobs, self.progress)

    def fill_steps(self) -> list[Callable[[_core.Conllu], Fillings]]:
        """The same step by step: UPOS, then the others, of a text in which UPOS are filled in."""
        return self.engine_.fill_steps(self.n_jobs, self.progress)

    def tag_file(self, path: PathLike, output: PathLike) -> int:
        """Write a file in CoNLL-U, which may be larger than memory, again with its tags; how many words it had."""
        words = 0
        with writing(output) as out:
            for text in conllu_blocks(path):
                out.write(text.filled(**self.fill_conllu(text)))
                words += text.columns.tokens
        return words

    def evaluate(self, X: Source | _core.Conllu, y: None = None) -> ColumnScores:
        """Tag words whose tags are known, and compare. `score` is the share of words with all tags right."""
        gold = _text_of(X)
        return score_columns(gold, fill_tags(gold, [self]), self.conllu_columns_)

    def _explain_one(self, X: Iterable[Any], *args: Any, **options: Any) -> SentenceExplanation:
        """Why words got their UPOS, or, where it finds none, their other tags."""
        (sentence,) = sentences_of([X])
        (step, tagger), *_ = self.engine_.steps
        return tagger.explain(step.words(conllu_of([sentence])), *args, **options)

    # --- files --------------------------------------------------------------------------------------------------------

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> tuple[Step, ...]:
        return steps_of_machines(machines)

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off machines: columns, templates, how they learned."""
        steps = steps_of_machines(machines)
        columns = ",".join(name for step in steps for name in step.fills)
        own = {"columns": columns, "templates": steps[0].model.templates}
        return own | recovered_learning(next(iter(machines.values())))


def check_columns(columns: Any) -> tuple[str, ...]:
    """Columns by name, in the order of CoNLL-U; all of 'auto'. ValueError where there is none of a name."""
    if columns == AUTO:
        return TAGS
    names = columns.split(",") if isinstance(columns, str) else []
    if not names or not {*names} <= {*TAGS} or len({*names}) < len(names):
        raise ValueError(f"columns must be 'auto' or some of {', '.join(TAGS)} with commas between, got {columns!r}")
    return tuple(name for name in TAGS if name in names)


def _text_of(source: Source | _core.Conllu) -> _core.Conllu:
    if isinstance(source, _core.Conllu):
        return source
    return read_conllu(source) if is_path(source) else conllu_of(sentences_of(cast(Sentences, source)))


def _is_file(source: Source | _core.Conllu) -> TypeGuard[PathLike]:
    return not isinstance(source, _core.Conllu) and is_path(source)
