"""Reports on parsers: trees; the worst sentences; every step on the way to a true tree is an example."""

from __future__ import annotations

from gristmill import _core
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.scores import ParseScores, score_conllu
from gristmill.apps.parsing.treebank import Treebank, with_trees
from gristmill.display.frames import note
from gristmill.display.markup import Child, Html, joined
from gristmill.display.numbers import in_percent, number, result
from gristmill.display.tables import matrix, table
from gristmill.report.apps.compared_trees import ComparedTrees
from gristmill.report.apps.content import Asked, Told
from gristmill.report.apps.found_tables import found_line, found_table
from gristmill.report.apps.parser_decisions import Decisions, oracle_decisions, own_decisions
from gristmill.report.apps.worst_sentences import first_sentences, worst_sentences
from gristmill.report.evaluation_result import Known
from gristmill.report.labels import truth_of
from gristmill.report.sample import sample
from gristmill.report.section import Section, paragraph

_SCORES = ("uas", "las", "clas", "mlas", "blex")


def tell_trees(parser: DependencyParser, text: _core.Conllu, asked: Asked) -> Told:
    """Parse all sentences once. The truth is the heads and relations of the text, unless labels are not asked for."""
    gold = Treebank.of_conllu(text) if asked.labels else None
    names = parser.engine_.names
    parser.engine_.check_columns(text.columns)
    heads, relations = parser.engine_.parse(text.columns, asked.wishes.n_jobs, asked.progress)
    found, of_sentences = Treebank(text.columns, heads, relations, names), ("sentences", number(len(text.columns)))
    if gold is None:
        some = sample(len(found), asked.wishes.examples, asked.wishes.random_state)
        decisions = _some(own_decisions(parser, found.columns, some.numbers))
        said = first_sentences(found, _example(decisions, f"a step of the parser in {some.said_of('sentence')}"))
        return Told(_known(decisions, asked), (said,), (of_sentences,))
    judged = score_conllu(text.filled().decode(), with_trees(text, heads, relations, names).decode())
    compared, decisions = ComparedTrees(gold, found), _some(oracle_decisions(parser, gold, asked.progress))
    sections = _trees(judged, compared, decisions), worst_sentences(compared, decisions, asked.wishes.mistakes)
    tiles = [(name.upper(), in_percent(getattr(judged, name).f1)) for name in ("las", "uas")]
    return Told(_known(decisions, asked), sections, (*tiles, of_sentences))


def _some(decisions: Decisions) -> Decisions:
    if decisions.parts:
        return decisions
    why = "has nothing to decide in these sentences"
    if decisions.skipped:
        why = f"can give none of these trees by {decisions.engine.model.algorithm}"
    raise ValueError(f"there are no examples to report on: the parser {why}")


def _known(decisions: Decisions, asked: Asked) -> Known:
    """Of the machine that has most to decide."""
    name, chosen = decisions.busiest
    scorer, rows = decisions.engine.scorers[name], decisions.rows.take(chosen)
    scores = scorer.trusted_scores(rows, asked.wishes.n_jobs, progress=asked.progress)
    truth = truth_of(scorer.machine, decisions.names(chosen)) if asked.labels else None
    return Known(
        *(scorer, rows, scores, truth, asked.sources, asked.wishes),
        lambda at: decisions.called(int(chosen[at])),
        are_decisions=True,
    )


def _trees(judged: ParseScores, compared: ComparedTrees, decisions: Decisions) -> Section:
    right, las = int((compared.wrong_by_sentence == 0).sum()), judged.las
    said = paragraph(
        f"{las.correct:,} of {las.gold:,} words have the right head and relation, {in_percent(las.f1)}; "
        f"{right:,} of {len(compared):,} sentences have no wrong one. Relations count up to ':', as in the CoNLL 2018 "
        "shared task."
    )
    scores = found_table("Scores", "score", (found_line(name.upper(), getattr(judged, name)) for name in _SCORES))
    names, counts = compared.confusion
    confusion = matrix("Relations of all words", names, counts, column_title="found")
    body = joined(said, scores, _relations(judged), confusion, _example(decisions, "a step on the way to a true tree"))
    figures = judged.as_dict() | {"right_sentences": right, "confusion": {"names": names, "counts": counts.tolist()}}
    return Section("trees", "Trees", body, figures)


def _relations(judged: ParseScores) -> Html:
    lines: list[list[Child]] = [
        [one.relation, one.gold, result(one.heads / one.gold), result(one.correct / one.gold)]
        for one in judged.relations
    ]
    heads = ["true relation", "words", "right head (%)", "and right relation (%)"]
    return table("Words by their true relation", heads, lines, numeric=[1, 2, 3])


def _example(decisions: Decisions, what: str) -> Html:
    """What the other sections are about."""
    said = f"In the sections below an example is {what}, and the answer is what the machine finds best there, be it "
    said += "possible or not. Features that it has never seen are left out."
    if decisions.skipped:
        noun = "sentence is" if decisions.skipped == 1 else "sentences are"
        said += (
            f" {decisions.skipped:,} {noun} left out there: {decisions.engine.model.algorithm} cannot give the tree."
        )
    if decisions.engine.has_several:
        name, chosen = decisions.busiest
        said += f" Of several machines it is the one that has most to decide, {name}: "
        said += f"{len(chosen):,} of {len(decisions.parts):,} steps."
    return note(said)
