"""Taggers, segmenters and parsers: sentences in, decisions and their explanations out."""

from __future__ import annotations

import abc
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gristmill.apps import DependencyParser, Segmenter, Tagger, TextPipeline
from gristmill.apps.columns import columns_of
from gristmill.apps.decisions import Ablation, Decision, SentenceExplanation, ablate
from gristmill.apps.parsing.steps import explain_parse
from gristmill.apps.parsing.tree import DependencyTree, Word, columns_of_words, sentences_of, trees_of
from gristmill.apps.tagging.chunks import NumberedTags
from gristmill.explanations.models import Outputs, largest
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer
from gristmill.web import openapi
from gristmill.web.adapters.base import Answer, ExplainOptions, ModelAdapter, Schema, engine_facts, machine_facts
from gristmill.web.limits import Limits, Watch, bad_input, check_most
from gristmill.web.requests import number

Tokens = list[tuple[str, ...]]  # cells of each

# spelled out: Python and JavaScript, and so JSON Schema, differ in what they call white space
BLANKS = r" \t\n\r\f\v\u00a0\u3000"
_BLANK = re.compile(f"[{BLANKS}]+")


class SentencesAdapter(ModelAdapter, abc.ABC):
    """What sentences have in common, whatever is decided about them."""

    inputs = "sentences"
    option_names: ClassVar[tuple[str, ...]] = ("output", "without")
    answered: ClassVar[Mapping[str, Schema]]  # what an answer holds besides the tokens

    @abc.abstractmethod
    def _explained(self, sentence: Any) -> SentenceExplanation: ...

    @abc.abstractmethod
    def _answer(self, explanation: SentenceExplanation) -> Answer:
        """The answer of `score`."""

    @abc.abstractmethod
    def _scorer_of(self, decision: Decision) -> Scorer:
        """The scorer of the machine that has decided."""

    def explain(self, inputs: Sequence[Any], options: ExplainOptions, watch: Watch) -> list[Answer]:
        found, numbers = list[Answer](), 0
        for sentence in inputs:
            watch()
            explanation = self._explained(sentence)
            numbers += sum(_numbers(decision, options) for decision in explanation)
            check_most("numbers in an answer", numbers, self.limits.numbers)
            found.append(
                {
                    **self._answer(explanation),
                    "steps": [self._step(decision, options, watch) for decision in explanation],
                }
            )
        return found

    def _step(self, decision: Decision, options: ExplainOptions, watch: Watch) -> Answer:
        without = None
        if options.without:
            check_most("features of a decision that are left out one by one", len(decision.ids), self.limits.without)
            without = ablate(decision, self._scorer_of(decision), watch)
        return _step_answer(decision, options.output, without)

    @property
    def scored_schema(self) -> Schema:
        return openapi.record({"tokens": openapi.array(openapi.TEXT), **self.answered})

    @property
    def explained_schema(self) -> Schema:
        return openapi.record({"tokens": openapi.array(openapi.TEXT), **self.answered, **openapi.STEPS})


class TaggerAdapter(SentencesAdapter):
    """A tag for each token."""

    kind = "tagger"
    answered: ClassVar[Mapping[str, Schema]] = {"tags": openapi.array(openapi.TEXT)}

    def __init__(self, tagger: Tagger, limits: Limits) -> None:
        super().__init__(limits)
        self._tagger = tagger
        self._columns = tagger.engine_.model.parsed().columns
        self._most = max(self._columns, tagger.engine_.model.columns)
        tagger.tag(["a"] if self._columns == 1 else [("a",) * self._columns])  # compiles

    @property
    def outputs(self) -> tuple[str, ...]:
        return Outputs.of(self._tagger.machine_).all_names

    def facts(self) -> Answer:
        return {**machine_facts(self._tagger.machine_, self._tagger.engine_.scorer), "columns": self._columns}

    def read(self, given: Any, where: str) -> Tokens:
        return read_tokens(given, where, range(self._columns, self._most + 1), self.limits)

    def score(self, inputs: Sequence[Tokens], watch: Watch) -> list[Answer]:
        engine = self._tagger.engine_
        columns = columns_of([[token[: self._columns] for token in sentence] for sentence in inputs], self._columns)
        tags = NumberedTags(engine.tags, engine.numbers(columns, None, watch), columns.starts()).sentences()
        return [{"tokens": forms_of(s), "tags": found} for s, found in zip(inputs, tags, strict=True)]

    def _explained(self, sentence: Tokens) -> SentenceExplanation:
        return self._tagger.engine_.explain(columns_of([[token[: self._columns] for token in sentence]]))

    def _scorer_of(self, decision: Decision) -> Scorer:
        return self._tagger.engine_.scorer

    def _answer(self, explanation: SentenceExplanation) -> Answer:
        return {"tokens": list(explanation.tokens), "tags": list(explanation.tags or ())}

    @property
    def input_schema(self) -> Schema:
        return openapi.tokens(self.limits, range(self._columns, self._most + 1), BLANKS)


class SegmenterAdapter(SentencesAdapter):
    """Words of text without spaces."""

    kind = "segmenter"
    answered: ClassVar[Mapping[str, Schema]] = {"words": openapi.array(openapi.TEXT)}

    def __init__(self, segmenter: Segmenter, limits: Limits) -> None:
        super().__init__(limits)
        self._segmenter = segmenter
        self._scorer: Scorer = segmenter.engine_.scorer

    @property
    def outputs(self) -> tuple[str, ...]:
        return Outputs.of(self._segmenter.machine_).all_names

    def facts(self) -> Answer:
        return machine_facts(self._segmenter.machine_, self._scorer)

    def read(self, given: Any, where: str) -> str:
        if not isinstance(given, str):
            raise bad_input("a sentence is a text here", given, where)
        check_most("characters in a text", len(given), self.limits.tokens, where)
        return given

    def score(self, inputs: Sequence[str], watch: Watch) -> list[Answer]:
        found = []
        for text in inputs:
            watch()
            words = self._segmenter.segment(text)
            found.append({"tokens": list("".join(words)), "words": words})
        return found

    def _explained(self, sentence: str) -> SentenceExplanation:
        return self._segmenter.engine_.explain(sentence)

    def _scorer_of(self, decision: Decision) -> Scorer:
        return self._scorer

    def _answer(self, explanation: SentenceExplanation) -> Answer:
        return {"tokens": list(explanation.tokens), "words": list(explanation.words or ())}

    @property
    def input_schema(self) -> Schema:
        return {"type": "string", "maxLength": self.limits.tokens}


class ParserAdapter(SentencesAdapter):
    """A head and a relation for each word."""

    kind = "parser"
    option_names = ("without",)  # outputs of its machines are actions
    answered: ClassVar[Mapping[str, Schema]] = {
        "heads": openapi.array(openapi.COUNT),
        "relations": openapi.array(openapi.TEXT),
        "svg": openapi.TEXT,
    }

    def __init__(self, parser: DependencyParser, limits: Limits) -> None:
        super().__init__(limits)
        self._parser = parser
        parser.engine_.parse(columns_of_words(sentences_of([["a"]])), None, None)  # compiles

    @property
    def outputs(self) -> tuple[str, ...]:
        return ()

    def facts(self) -> Answer:
        machines, scorers = self._parser.machine_, self._parser.engine_.scorers
        first: Machine = next(iter(machines.values()))
        return {
            **machine_facts(first, next(iter(scorers.values()))),
            "classes": self._parser.relations_,
            "outputs": [],
            "support": sum(machine.n_support for machine in machines.values()),
            "engine": engine_facts(list(scorers.values())),
            "columns": 2,
        }

    def read(self, given: Any, where: str) -> Tokens:
        """Cells are form, upos, xpos, lemma and feats, as many as are known; in a text, form/upos."""
        tokens = read_tokens(given, where, range(1, 6), self.limits)
        return [form_and_tag(token[0]) for token in tokens] if isinstance(given, str) else tokens

    def score(self, inputs: Sequence[Tokens], watch: Watch) -> list[Answer]:
        words = sentences_of(inputs)
        heads, relations = self._parser.engine_.parse(columns_of_words(words), None, watch)
        return [_of_tree(tree) for tree in trees_of(words, heads, relations, self._parser.engine_.names)]

    def _explained(self, sentence: Tokens) -> SentenceExplanation:
        (words,) = sentences_of([sentence])
        return explain_parse(self._parser.engine_, words)

    def _scorer_of(self, decision: Decision) -> Scorer:
        scorers = self._parser.engine_.scorers
        return scorers[decision.machine_name] if decision.machine_name else next(iter(scorers.values()))

    def _answer(self, explanation: SentenceExplanation) -> Answer:
        assert explanation.tree is not None
        return _of_tree(explanation.tree)

    @property
    def input_schema(self) -> Schema:
        return openapi.tokens(self.limits, range(1, 6), BLANKS)


class PipelineAdapter(ParserAdapter):
    """Raw text: sentences, words and their trees, side by side, and why its parser decided so."""

    kind = "pipeline"

    def __init__(self, pipeline: TextPipeline, limits: Limits) -> None:
        missing = [name for name in ("tokenizer", "parser") if name not in pipeline.stages_]
        if missing:
            raise ValueError(f"the playground has no page for a pipeline without a {missing[0]}: serve its stages")
        super().__init__(pipeline.stages_["parser"], limits)
        self._pipeline = pipeline
        pipeline.process("a")  # compiles

    def facts(self) -> Answer:
        return {**super().facts(), "columns": 1}

    def read(self, given: Any, where: str) -> str:  # type: ignore[override]
        if not isinstance(given, str):
            raise bad_input("a text is expected here", given, where)
        check_most("characters in a text", len(given), self.limits.tokens, where)
        return given

    def score(self, inputs: Sequence[str], watch: Watch) -> list[Answer]:  # type: ignore[override]
        found = list[Answer]()
        for text in inputs:
            watch()
            found.append(_of_tree(side_by_side(self._pipeline.predict(text))))
        return found

    def _explained(self, sentence: Any) -> SentenceExplanation:
        return joined_explanation(self._pipeline.explain(sentence, stage="parser"))

    @property
    def input_schema(self) -> Schema:
        return {"type": "string", "maxLength": self.limits.tokens}


def side_by_side(trees: Sequence[DependencyTree]) -> DependencyTree:
    """The words of all sentences, whose heads are counted through; each has a root."""
    words = list[Word]()
    for tree in trees:
        begin = len(words)
        words += [replace(word, head=word.head and word.head + begin) for word in tree]
    return DependencyTree(tuple(words))


def joined_explanation(sentences: Sequence[SentenceExplanation]) -> SentenceExplanation:
    """The decisions about all sentences, one after the other."""
    tokens, steps = list[str](), list[Decision]()
    for one in sentences:
        steps += [replace(step, token=step.token + len(tokens)) for step in one]
        tokens += one.tokens
    tree = side_by_side([one.tree for one in sentences if one.tree is not None])
    return SentenceExplanation(tuple(tokens), tuple(steps), tree=tree)


# --- answers ----------------------------------------------------------------------------------------------------------


def _of_tree(tree: DependencyTree) -> Answer:
    forms = [word.form for word in tree]
    return {"tokens": forms, "heads": tree.heads, "relations": tree.relations, "svg": tree.svg()}


def _numbers(decision: Decision, options: ExplainOptions) -> int:
    """How many an answer has of it: of each output, and of each feature."""
    return len(decision.base) + len(decision.ids) * (2 if options.without else 1)


def _step_answer(decision: Decision, output: str | None, without: Ablation | None) -> Answer:
    explained, outputs = decision.output(output), decision.outputs
    column, names = outputs.column(decision.values, explained), decision.names
    left = None if without is None else outputs.column(without.scores, explained)
    parts: list[Answer] = []
    for at in largest(column, None):
        part: Answer = {"name": names[at], "value": number(float(column[at]))}
        if without is not None and left is not None:
            part["without"] = {"label": without.labels[at], "value": None, "score": number(float(left[at]))}
        parts.append(part)
    scores = decision.score.tolist()
    found: Answer = {
        "token": decision.token,
        "what": decision.what,
        "label": decision.label,
        "output": outputs.name(explained),
        "baseline": number(float(outputs.column(decision.base, explained))),
        "score": number(float(outputs.column(decision.score, explained))),
        "scores": dict(zip(decision.output_names, map(number, scores), strict=True)),
        "features": parts,
    }
    more = {"machine": decision.machine_name, "best": decision.best, "impossible": decision.impossible}
    found |= {key: text for key, text in more.items() if text}
    if decision.stack is not None and decision.buffer is not None:
        found |= {"stack": list(decision.stack), "buffer": list(decision.buffer)}
    return found


# --- sentences of requests --------------------------------------------------------------------------------------------


def read_tokens(given: Any, where: str, columns: range, limits: Limits) -> Tokens:
    """Tokens of a text with blanks between them, or of a list; each is a tuple of cells."""
    if isinstance(given, str):
        words = [word for word in _BLANK.split(given) if word]
        check_most("tokens in a sentence", len(words), limits.tokens, where)
        return [_cells_of(word, columns[0], where) for word in words]
    if not isinstance(given, list):
        raise bad_input("a sentence is a text or a list of tokens", given, where)
    check_most("tokens in a sentence", len(given), limits.tokens, where)
    return [_checked_token(token, f"{where}[{at}]", columns) for at, token in enumerate(given)]


def _cells_of(word: str, columns: int, where: str) -> tuple[str, ...]:
    cells = tuple(word.rsplit("/", columns - 1))
    if len(cells) < columns or not all(cells):
        shape = "/".join(["word", *["TAG"] * (columns - 1)])
        raise bad_input(f"tokens have {columns} parts here, as {shape}", word, where)
    return cells


def _checked_token(token: Any, where: str, columns: range) -> tuple[str, ...]:
    cells = (token,) if isinstance(token, str) else token
    if not isinstance(cells, tuple | list) or len(cells) not in columns:
        allowed = str(columns[0]) if len(columns) == 1 else f"{columns[0]} to {columns[-1]}"
        raise bad_input(f"a token is a list of {allowed} texts", token, where)
    for cell in cells:
        if not isinstance(cell, str) or not cell or _BLANK.search(cell):
            raise bad_input("a part of a token is a text without blanks", cell, where)
    return tuple(cells)


def form_and_tag(word: str) -> tuple[str, ...]:
    form, slash, tag = word.rpartition("/")
    return (form, tag) if slash and form and tag else (word,)


def forms_of(sentence: Tokens) -> list[str]:
    return [token[0] for token in sentence]
