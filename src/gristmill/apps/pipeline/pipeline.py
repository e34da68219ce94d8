"""From raw text to trees: stages, each of which fills in columns of CoNLL-U for those behind it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

from gristmill import _core
from gristmill.apps.base import App, with_provenance, without_provenance
from gristmill.apps.choosing import Trial
from gristmill.apps.cross_prediction import FOLDS
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.editing.splitter import Splitter
from gristmill.apps.learning import keep_learned
from gristmill.apps.loading import app_of, is_app, title_of, wrong_model
from gristmill.apps.parsing.scores import ParseScores, score_conllu
from gristmill.apps.parsing.tree import DependencyTree
from gristmill.apps.parsing.treebank import Source, read_trees, trees_of_conllu, words_of_columns
from gristmill.apps.pipeline.completion import with_flat_trees
from gristmill.apps.pipeline.inputs import INPUTS, STARTS, Reader, blocks_of_file, blocks_of_text, starts_of, words_in
from gristmill.apps.pipeline.learning import Development, PipelineLearning, Stages, is_fitted, learn_stages
from gristmill.apps.pipeline.stages import NONE, SLOTS, annotated, reader_of
from gristmill.apps.segmentation.files import as_bytes
from gristmill.apps.tokenization.tokenizer import Tokenizer
from gristmill.base.checks import check_choice, is_whole
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, display_name, writing
from gristmill.base.progress import Progress
from gristmill.machines.collection import MachineGroups, Machines
from gristmill.machines.formats import own
from gristmill.machines.machine import Machine
from gristmill.machines.store import sound
from gristmill.scoring.engines import ENGINES

KEY = "pipeline"


@dataclass(eq=False, repr=False)
class TextPipeline(App[Stages]):
    """Makes sentences, words, tags, lemmas and trees of raw text, in any language that has a treebank in CoNLL-U.

    Its stages are apps, and each learns from what those before it find in text that they have not learned from
    (jackknifing), so that it has seen errors like those that it will meet. What CoNLL-U gives already stays as it is.

    Parameters
    ----------
    tokenizer : Tokenizer, 'none' or None
        Sentences and tokens of raw text. None: one that is learned; an app that has not learned yet says how to learn,
        one that has is taken as it is; 'none': the stage is left out. So are the others.
    splitter : Splitter, 'none' or None
        Words of tokens that are several, such as French au, à le.
    tagger : MorphologicalTagger, 'none' or None
        Parts of speech and features.
    lemmatizer : Lemmatizer, 'none' or None
        Lemmas.
    parser : DependencyParser, 'none' or None
        Trees.
    folds : int
        Parts of the training text; each is annotated by stages that learned from the others. 0: by themselves.
    engine, n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_ : MachineGroups
        What was learned, by stages.
    stages_ : dict of str to app
        The stages by the names of their parameters, in their order.
    """

    kind = "text pipeline"
    key = KEY
    machine_: MachineGroups = field(init=False)
    _reads_tokens: ClassVar[bool] = False
    _compiled_by: ClassVar[tuple[str, ...]] = ("engine", "n_jobs")

    tokenizer: Any = None
    splitter: Any = None
    tagger: Any = None
    lemmatizer: Any = None
    parser: Any = None
    _: KW_ONLY
    folds: int = FOLDS
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        for slot in SLOTS:
            slot.check(getattr(self, slot.name))
        if not is_whole(self.folds) or self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds must be a whole number from 2 on, or 0, got {self.folds!r}")
        check_choice("engine", self.engine, ENGINES)

    # --- learning -----------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Source | _core.Conllu,
        y: None = None,
        *,
        dev: Source | _core.Conllu | float | None = None,
        tell: Callable[[Trial], object] | None = None,
    ) -> TextPipeline:
        """Learn from a treebank.

        Parameters
        ----------
        X : path, sentences or what was read of a file in CoNLL-U
        y : None
        dev : such a treebank, a share or None
            Choose costs, degrees, epochs and the parser's transition system that are best on this treebank, or on so
            large a share of X, its last sentences: some ten times the work.
        tell : callable or None
            Called with each trial of that.
        """
        self.check_settings()
        text = _read(X)
        chosen = {slot.name: getattr(self, slot.name) for slot in SLOTS}
        development = None if dev is None else Development(dev if isinstance(dev, float) else _read(dev), tell)
        learning = PipelineLearning(chosen, int(self.folds), development, self.n_jobs, self.progress)
        keep_learned(lambda: learn_stages(text, learning), self._keep_stages)
        return self

    def _keep_stages(self, stages: Stages) -> None:
        self._keep(MachineGroups({name: app.machine_ for name, app in stages.items()}), stages)

    def _compile(self, machine: MachineGroups) -> Stages:
        stages = {name: copy.copy(app) for name, app in self._state.items()}
        for app in stages.values():
            app.engine, app.n_jobs = self.engine, self.n_jobs
        return stages

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def stages_(self) -> Stages:
        return self.engine_

    def process(self, text: str, *, given: str = "text") -> str:
        """A text in CoNLL-U, with all that the stages find.

        Parameters
        ----------
        text : str
        given : {'text', 'horizontal', 'vertical', 'conllu'}
            What the text is: raw; words, a sentence a line with blanks between them; words, one a line with an empty
            line between sentences; CoNLL-U, where what is there stays.
        """
        check_choice("given", given, INPUTS)
        blocks = blocks_of_text(text, given, self._reader)
        return b"".join(annotated(one, self.stages_).filled() for one in blocks).decode()

    def process_file(self, path: PathLike, output: PathLike, *, given: str = "text") -> int:
        """The same for a file, which may be larger than memory; how many words it had."""
        words = 0
        with writing(output) as out:
            for text in self.process_blocks(path, given=given):
                out.write(text.filled())
                words += text.columns.tokens
        return words

    def process_blocks(self, path: PathLike, *, given: str = "text") -> Iterator[_core.Conllu]:
        """A file in blocks of some sentences, in CoNLL-U."""
        check_choice("given", given, INPUTS)
        for text in blocks_of_file(path, given, self._reader):
            with naming(display_name(path)):
                yield annotated(text, self.stages_)

    @property
    def _reader(self) -> Reader | None:
        """What finds words in raw text."""
        return reader_of(self.stages_)

    def _predict_many(self, X: Iterable[str]) -> list[list[DependencyTree]]:
        """The trees of each text."""
        return [trees_of_conllu(_core.Conllu.parse(self.process(text).encode())) for text in X]

    def evaluate(self, X: Source | _core.Conllu, y: None = None, *, given: str = "text") -> ParseScores:
        """Annotate the text of sentences whose trees are known, and compare: the scores of the CoNLL 2018 shared task.

        Parameters
        ----------
        X : path, sentences or what was read of a file in CoNLL-U
        y : None
        given : {'text', 'words', 'tags'}
            What the pipeline starts from: the raw text of X, its words, or its words, tags and lemmas. `score` is the
            labelled attachment score (LAS) from raw text. Without a parser all words depend on the first one.
        """
        check_choice("given", given, STARTS)
        gold = _read(X)
        found = (annotated(text, self.stages_) for text in starts_of(gold, given, self._reader))
        spelled = (text if "parser" in self.stages_ else with_flat_trees(text) for text in found)
        return score_conllu(gold.filled().decode(), b"".join(text.filled() for text in spelled).decode())

    # --- explanations -------------------------------------------------------------------------------------------------

    def explain(self, X: str | Iterable[str], *, stage: str | None = None, interactions: bool = False) -> Any:
        """Why a stage answered as it did to what those before it found: a `SentenceExplanation` for each sentence.

        Parameters
        ----------
        X : str or iterable of str
            A text, or many: a list of explanations for each.
        stage : str or None
            By its name in `stages_`; None: the last one. A tokenizer is explained text by text.
        interactions : bool
        """
        return super().explain(X, stage=stage, interactions=interactions)

    def _explain_one(self, X: str, *args: Any, stage: str | None = None, **options: Any) -> list[SentenceExplanation]:
        app = self.stage(stage)
        if isinstance(app, Tokenizer):
            return [app.explain(X, **options)]
        return [app.explain(one, **options) for text in self.stage_inputs(iter([as_bytes(X)]), stage) for one in text]

    def stage(self, name: str | None = None) -> Any:
        """The stage of a name, or the last one; ValueError where there is none."""
        if name is not None and name not in self.stages_:
            raise ValueError(f"the pipeline has no stage {name!r}; it has {', '.join(self.stages_)}")
        return self.stages_[name or list(self.stages_)[-1]]

    def stage_inputs(self, blocks: Iterator[bytes], stage: str | None = None) -> Iterator[list[Sequence[Any]]]:
        """The sentences of raw text as a stage behind the tokenizer sees them.

        These are words with what stages before it have found; for a splitter they are the forms of tokens.
        """
        names = list(self.stages_)
        before = {name: self.stages_[name] for name in names[: names.index(stage or names[-1])]}
        for text in words_in(reader_of(before))(blocks):
            sentences = words_of_columns(annotated(text, before).columns)
            is_split = isinstance(self.stage(stage), Splitter)
            yield [[word.form for word in words] if is_split else words for words in sentences]

    # --- files --------------------------------------------------------------------------------------------------------

    def _to_save(self) -> MachineGroups:
        """The machines of all stages with the parameters of each; the first keeps those of the pipeline."""
        (name, first), *rest = ((name, app.machine_for(own)) for name, app in self._state.items())
        chosen = {slot.name: _described(getattr(self, slot.name)) for slot in SLOTS}
        return MachineGroups({name: with_provenance(first, {KEY: {"folds": int(self.folds)} | chosen}), **dict(rest)})

    @classmethod
    def from_machines(cls, found: Machine | Machines, path: PathLike, **runtime: Any) -> Self:
        """The pipeline whose machines were read from a file."""
        if not is_app(found, KEY) or not isinstance(found, MachineGroups):
            raise wrong_model(found, path, title_of(KEY))
        with naming(display_name(path)), sound("text pipeline"):
            stages = {name: app_of(without_provenance(group, KEY), path) for name, group in found.groups.items()}
            described = cls.stored_params(found)
            chosen = {slot.name: _as_chosen(described[slot.name], stages.get(slot.name)) for slot in SLOTS}
            pipeline = cls(**described | chosen | runtime)
        pipeline._keep_stages(stages)
        return pipeline

    @classmethod
    def stored_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """The parameters that a model file keeps; of stages whether they were learned, given or left out."""
        known = next(iter(machines.values())).provenance[KEY]
        return {name: known[name] for name in ("folds", *(slot.name for slot in SLOTS))}


def _read(source: Source | _core.Conllu) -> _core.Conllu:
    """A treebank, all of whose sentences have trees."""
    return source if isinstance(source, _core.Conllu) else read_trees(source)


LEARNED, GIVEN = "learned", "given"


def _described(app: Any) -> str:
    """How a stage was chosen, for the file."""
    return NONE if app == NONE else GIVEN if app is not None and is_fitted(app) else LEARNED


def _as_chosen(described: str, app: Any) -> Any:
    """The parameter that a stage was chosen by; of one that was learned, an app that learns in the same way."""
    check_choice("how a stage was chosen", described, (NONE, LEARNED, GIVEN))
    if app is None or described == NONE:
        return NONE if described == NONE else None
    return app if described == GIVEN else type(app)(**app.get_params())
