"""Reports on taggers: chunks, where tags are those of chunks; every token is an example, as the machine saw it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.tagging.chunks import NumberedTags, are_chunk_tags, column_tags, nearest_scheme, respelled
from gristmill.apps.tagging.engine import SeenTokens, TaggerEngine
from gristmill.apps.tagging.scores import ChunkScores, score_numbers
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.arrays import Flags, Int32s
from gristmill.display.markup import Html, joined
from gristmill.display.numbers import in_percent, number
from gristmill.display.page import note
from gristmill.report.apps.content import Places, ReportContent, ReportRequest, score_line, score_table
from gristmill.report.evaluation_result import Truth, truth_of
from gristmill.report.page import Section, paragraph

_AROUND = 3  # words on either side of a token


def tagger_content(tagger: Tagger, columns: _core.Columns, request: ReportRequest) -> ReportContent:
    """Tag all sentences once. The last column has the true tags, unless labels are ignored."""
    if not columns.tokens:
        raise ValueError("there are no examples to report on")
    engine = tagger.engine_
    engine.check_columns(columns)
    seen = engine.seen(columns, request.options.n_jobs, request.progress)
    scores = request.scores(engine.scorer, seen.rows)
    truth = _truth(engine, columns, seen) if request.labels else None
    places = Places(columns)
    evaluation = request.evaluation(engine.scorer, seen.rows, scores, truth, lambda token: _name(places, token))
    sentences = ("sentences", number(len(columns)))
    if truth is None:
        return ReportContent(evaluation, (), (sentences,))
    tags, gold = _compared(engine, columns)
    metrics = score_numbers(tags, gold, seen.tags, columns.starts())
    whole = _whole(gold != seen.tags, columns)
    if are_chunk_tags(tags):
        section, tile = _chunks(metrics, whole), ("F1 of chunks", in_percent(metrics.total.f1))
    else:
        section, tile = _tags(metrics, whole), ("tokens with the right tag", in_percent(metrics.accuracy))
    return ReportContent(evaluation, (section,), (tile, sentences))


def _truth(engine: TaggerEngine, columns: _core.Columns, seen: SeenTokens) -> Truth | None:
    """Tags in the scheme of the machine, which is seen in the tags that it predicts."""
    gold = column_tags(columns)
    if engine.model.scheme is not None:
        classes = np.asarray(engine.scorer.machine.classes).tolist()
        gold = respelled(gold, nearest_scheme(NumberedTags(classes, seen.classes, columns.starts())))
    return truth_of(engine.scorer.machine, np.array(gold.names, dtype=object)[gold.numbers])


def _compared(engine: TaggerEngine, columns: _core.Columns) -> tuple[list[str], Int32s]:
    """Names of tags, those of the tagger first, and the true ones as numbers."""
    names = _core.Strings(engine.tags)
    gold = columns.numbers(columns.columns - 1, names)
    return names.words(), gold


def _whole(wrong: Flags, columns: _core.Columns) -> tuple[int, int]:
    """Sentences without a wrong tag, and all that have tokens."""
    starts = columns.starts()
    filled = starts[:-1][np.diff(starts) > 0]
    return int((np.add.reduceat(wrong, filled) == 0).sum()), len(filled)


def _name(places: Places, token: int) -> str:
    """sentence 12, token 3: He reckons [the] current account deficit"""
    found = places.place(token, _AROUND)
    words = " ".join([*found.before, f"[{found.token}]", *found.after])
    return f"sentence {found.sentence:,}, token {found.number}: {words}"


def _chunks(metrics: ChunkScores, whole: tuple[int, int]) -> Section:
    total = metrics.total
    text = paragraph(
        f"{total.correct:,} of {total.gold:,} chunks were found with their first token, last token and type, and "
        f"{total.predicted - total.correct:,} that are none, as conlleval counts them. {_tokens(metrics, whole)}"
    )
    lines = [score_line(one.type or "no type", one) for one in (*metrics.types, total)]
    body = joined(text, score_table("Chunks by type", "type", lines), _example())
    return Section("chunks", "Chunks", body, _figures(metrics, whole))


def _tags(metrics: ChunkScores, whole: tuple[int, int]) -> Section:
    return Section("tags", "Tags", joined(paragraph(_tokens(metrics, whole)), _example()), _figures(metrics, whole))


def _tokens(metrics: ChunkScores, whole: tuple[int, int]) -> str:
    right, sentences = whole
    return (
        f"{metrics.correct_tokens:,} of {metrics.tokens:,} tokens have the right tag, {in_percent(metrics.accuracy)}; "
        f"{right:,} of {sentences:,} sentences have no wrong one."
    )


def _example() -> Html:
    return note(
        "In the sections below an example is a token, as the machine saw it when it decided: tags before it are the "
        "predicted ones, right or not, and features that it has never seen are left out."
    )


def _figures(metrics: ChunkScores, whole: tuple[int, int]) -> dict[str, Any]:
    return metrics.as_dict() | {"right_sentences": whole[0], "sentences": whole[1]}
