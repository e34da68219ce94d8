"""Reports on parsers: trees; the worst sentences; every step on the way to a true tree is an example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.model import action_name
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.scores import ParseScores, score_conllu
from gristmill.apps.parsing.tree import DependencyTree, Word, trees_of
from gristmill.apps.parsing.treebank import Treebank, with_trees, words_of_columns
from gristmill.base.arrays import Flags, Indices, Int64s
from gristmill.display.markup import Child, Html, element, joined
from gristmill.display.numbers import in_percent, number, result
from gristmill.display.page import fold, note, scroll
from gristmill.display.tables import matrix, table
from gristmill.report.apps.content import ReportContent, ReportRequest, score_line, score_table
from gristmill.report.apps.parser_decisions import Decisions, oracle_decisions, own_decisions
from gristmill.report.doubtful import Case, direction
from gristmill.report.evaluation_result import EvaluationResult, sample, truth_of
from gristmill.report.page import Section, paragraph
from gristmill.report.sections.mistakes import row_bars

_SCORES = ("uas", "las", "clas", "mlas", "blex")
_WORDS = 15  # wrong ones that are listed
_TREES = 3  # that are drawn where there is no truth


def parser_content(parser: DependencyParser, text: _core.Conllu, request: ReportRequest) -> ReportContent:
    """Parse all sentences once. The truth is the heads and relations of the text, unless labels are ignored."""
    gold = Treebank.of_conllu(text) if request.labels else None
    names = parser.engine_.names
    parser.engine_.check_columns(text.columns)
    heads, relations = parser.engine_.parse(text.columns, request.options.n_jobs, request.progress)
    found, of_sentences = Treebank(text.columns, heads, relations, names), ("sentences", number(len(text.columns)))
    if gold is None:
        some = sample(len(found), request.options.examples, request.options.random_state)
        decisions = _some(own_decisions(parser, found.columns, some.numbers))
        shown = first_sentences(found, _example(decisions, f"a step of the parser in {some.describe('sentence')}"))
        return ReportContent(_evaluation(decisions, request), (shown,), (of_sentences,))
    metrics = score_conllu(text.filled().decode(), with_trees(text, heads, relations, names).decode())
    compared, decisions = ComparedTrees(gold, found), _some(oracle_decisions(parser, gold, request.progress))
    sections = _trees(metrics, compared, decisions), worst_sentences(compared, decisions, request.options.mistakes)
    tiles = [(name.upper(), in_percent(getattr(metrics, name).f1)) for name in ("las", "uas")]
    return ReportContent(_evaluation(decisions, request), sections, (*tiles, of_sentences))


def _some(decisions: Decisions) -> Decisions:
    if decisions.parts:
        return decisions
    why = "has nothing to decide in these sentences"
    if decisions.skipped:
        why = f"can give none of these trees by {decisions.engine.model.algorithm}"
    raise ValueError(f"there are no examples to report on: the parser {why}")


def _evaluation(decisions: Decisions, request: ReportRequest) -> EvaluationResult:
    """The evaluation of the machine that has most to decide."""
    name, chosen = decisions.busiest
    scorer, rows = decisions.engine.scorers[name], decisions.rows.take(chosen)
    truth = truth_of(scorer.machine, decisions.names(chosen)) if request.labels else None
    scores = request.scores(scorer, rows)
    return request.evaluation(scorer, rows, scores, truth, lambda at: decisions.name(int(chosen[at])))


def _trees(metrics: ParseScores, compared: ComparedTrees, decisions: Decisions) -> Section:
    right, las = int((compared.wrong_by_sentence == 0).sum()), metrics.las
    text = paragraph(
        f"{las.correct:,} of {las.gold:,} words have the right head and relation, {in_percent(las.f1)}; "
        f"{right:,} of {len(compared):,} sentences have no wrong one. Relations count up to ':', as in the CoNLL 2018 "
        "shared task."
    )
    scores = score_table("Scores", "score", (score_line(name.upper(), getattr(metrics, name)) for name in _SCORES))
    names, counts = compared.confusion
    confusion = matrix("Relations of all words", names, counts, column_title="predicted")
    body = joined(text, scores, _relations(metrics), confusion, _example(decisions, "a step on the way to a true tree"))
    figures = metrics.as_dict() | {"right_sentences": right, "confusion": {"names": names, "counts": counts.tolist()}}
    return Section("trees", "Trees", body, figures)


def _relations(metrics: ParseScores) -> Html:
    lines: list[list[Child]] = [
        [one.relation, one.gold, result(one.heads / one.gold), result(one.correct / one.gold)]
        for one in metrics.relations
    ]
    heads = ["true relation", "words", "right head (%)", "and right relation (%)"]
    return table("Words by their true relation", heads, lines, numeric=[1, 2, 3])


def _example(decisions: Decisions, what: str) -> Html:
    """A note on what the other sections are about."""
    text = f"In the sections below an example is {what}, and the answer is what the machine finds best there, be it "
    text += "possible or not. Features that it has never seen are left out."
    if decisions.skipped:
        noun = "sentence is" if decisions.skipped == 1 else "sentences are"
        text += (
            f" {decisions.skipped:,} {noun} left out there: {decisions.engine.model.algorithm} cannot give the tree."
        )
    if decisions.engine.has_several:
        name, chosen = decisions.busiest
        text += f" Of several machines it is the one that has most to decide, {name}: "
        text += f"{len(chosen):,} of {len(decisions.parts):,} steps."
    return note(text)


# --- predicted and true trees -----------------------------------------------------------------------------------------


class WrongWord(NamedTuple):
    """A word as the parser has it, and as it is."""

    found: Word
    true: Word


@dataclass(frozen=True, eq=False)
class ComparedTrees:
    """Two treebanks of the same words."""

    true: Treebank
    found: Treebank

    def __len__(self) -> int:
        return len(self.true)

    @cached_property
    def relations(self) -> list[str]:
        """Names of relations up to ':', sorted."""
        return sorted({name.partition(":")[0] for name in (*self.true.names, *self.found.names)})

    @cached_property
    def wrong(self) -> Flags:
        """Whether the head or the relation of each word is wrong."""
        heads, relations = self.true.heads != self.found.heads, self._numbers(self.true) != self._numbers(self.found)
        return np.asarray(heads | relations, dtype=np.bool_)

    @cached_property
    def wrong_by_sentence(self) -> Indices:
        ends = np.concatenate([[0], np.cumsum(self.wrong)])[self.true.columns.starts()]
        return np.diff(ends)

    @cached_property
    def confusion(self) -> tuple[list[str], Int64s]:
        """Relations that occur, and words by the true one and the one that was found."""
        counts = np.zeros((len(self.relations), len(self.relations)), dtype=np.int64)
        np.add.at(counts, (self._numbers(self.true), self._numbers(self.found)), 1)
        used = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
        return [self.relations[at] for at in used.tolist()], counts[np.ix_(used, used)]

    def worst(self, most: int) -> list[int]:
        """Sentences with the most wrong words; of equals the shorter ones come first."""
        lengths = np.diff(self.true.columns.starts())
        order = np.lexsort((np.arange(len(self)), lengths, -self.wrong_by_sentence))
        return [int(at) for at in order[:most] if self.wrong_by_sentence[at]]

    def wrong_words(self, sentence: int) -> Iterator[WrongWord]:
        begin, end = self.true.columns.starts()[sentence : sentence + 2].tolist()
        pairs = zip(tree_of(self.found, sentence), tree_of(self.true, sentence), strict=True)
        for is_wrong, (found, true) in zip(self.wrong[begin:end].tolist(), pairs, strict=True):
            if is_wrong:
                yield WrongWord(found, true)

    def _numbers(self, treebank: Treebank) -> Indices:
        place = {name: at for at, name in enumerate(self.relations)}
        return np.array([place[name.partition(":")[0]] for name in treebank.names], dtype=np.intp)[treebank.relations]


def tree_of(treebank: Treebank, sentence: int) -> DependencyTree:
    """One tree of a treebank."""
    chosen = slice(sentence, sentence + 1)
    begin, end = treebank.columns.starts()[sentence : sentence + 2].tolist()
    words = list(words_of_columns(treebank.columns, chosen))
    return trees_of(words, treebank.heads[begin:end], treebank.relations[begin:end], treebank.names)[0]


# --- sentences --------------------------------------------------------------------------------------------------------


def worst_sentences(compared: ComparedTrees, right: Decisions, most: int) -> Section:
    """The worst sentences, each with both trees, its wrong words, and the first wrong step."""
    worst = compared.worst(most)
    wrong = int((compared.wrong_by_sentence > 0).sum())
    text = f"{wrong:,} of {len(compared):,} sentences have wrong words; here are the {len(worst):,} that have most."
    drawn = [_sentence(compared, right, at, opened=at == worst[0]) for at in worst]
    counts = compared.wrong_by_sentence[worst].tolist()
    figures = [{"sentence": at + 1, "wrong_words": count} for at, count in zip(worst, counts, strict=True)]
    body = joined(paragraph(text if wrong else "All trees are right."), drawn)
    return Section("sentences", "Worst sentences", body, {"total": wrong, "worst": figures})


def first_sentences(found: Treebank, example: Html) -> Section:
    """The first trees, where there is no truth."""
    trees = [tree_of(found, at) for at in range(min(_TREES, len(found)))]
    drawn = [fold(f"sentence {at + 1}", _arcs("The tree", tree), opened=at == 0) for at, tree in enumerate(trees)]
    return Section("sentences", "First sentences", joined(drawn, example), {"sentences": len(found)})


def _sentence(compared: ComparedTrees, right: Decisions, at: int, *, opened: bool) -> Html:
    found, true = tree_of(compared.found, at), tree_of(compared.true, at)
    wrong = list(compared.wrong_words(at))
    head = f"sentence {at + 1:,}: {len(wrong):,} of {len(true):,} words are wrong"
    trees = _arcs("The predicted tree", found), _arcs("The true tree", true)
    return fold(head, trees, _words(wrong, found, true), _first_wrong_step(right, at), opened=opened)


def _arcs(label: str, tree: DependencyTree) -> Html:
    return element("figure", element("figcaption", label), scroll(label, Html(tree.svg())), class_="gm-figure")


def _words(wrong: list[WrongWord], found: DependencyTree, true: DependencyTree) -> Html:
    lines = [[one.true.form, _link(one.found, found), _link(one.true, true)] for one in wrong[:_WORDS]]
    rest = note(f"{len(wrong) - _WORDS:,} more") if len(wrong) > _WORDS else None
    return joined(table("Words that are wrong", ["word", "predicted", "true"], lines), rest)


def _link(word: Word, tree: DependencyTree) -> str:
    """nsubj of turns"""
    return f"{word.deprel} of {tree[word.head - 1].form}" if word.head else f"{word.deprel} of the sentence"


# --- the first wrong step ---------------------------------------------------------------------------------------------


def _first_wrong_step(right: Decisions, sentence: int) -> Html | None:
    """The first step that does not lead to the true tree, and why; None where there is none to compare."""
    engine, steps = right.engine, right.of_sentence(sentence)
    if not steps or engine.model.chunks is not None:
        return None
    trace = engine.trace(right.columns, sentence)
    way = [right.actions[at] for at in steps]
    at = _first_difference(trace.actions, way)
    if at is None:
        return None
    taken, correct = action_name(trace.actions[at], right.relations), action_name(way[at], right.relations)
    text = paragraph(
        f"The parser leaves the way to the true tree at step {at + 1} ({right.place(steps[at])}), where it does "
        f"{taken} and {correct} is right."
    )
    row = engine.explainer(trace.parts[at])(trace.rows.take(np.array([at])))[0]
    classes = np.asarray(row.machine.classes).tolist()
    if taken not in classes or correct not in classes:
        return text
    weights = direction(row.machine, classes.index(taken), classes.index(correct))
    case = Case(at, taken, correct, correct, weights, float(row.score @ weights))
    return joined(text, row_bars(row, case))


def _first_difference(one: Iterable[object], other: Iterable[object]) -> int | None:
    return next((at for at, (here, there) in enumerate(zip(one, other, strict=False)) if here != there), None)
