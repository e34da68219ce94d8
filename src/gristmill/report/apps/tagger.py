"""Reports on taggers: chunks, where tags are those of chunks; every token is an example, as the machine saw it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.apps.tagging.chunks import NumberedTags, are_chunk_tags, column_tags, nearest_scheme, respelled
from gristmill.apps.tagging.engine import Numbers, SeenTokens, TaggerEngine
from gristmill.apps.tagging.scores import ChunkScores, score_numbers
from gristmill.apps.tagging.tagger import Tagger
from gristmill.display.markup import Html, joined
from gristmill.display.numbers import in_percent, number
from gristmill.display.page import note
from gristmill.report.apps.content import Asked, Told
from gristmill.report.apps.found_tables import found_line, found_table
from gristmill.report.apps.places import Places
from gristmill.report.evaluation_result import Known
from gristmill.report.labels import Truth, truth_of
from gristmill.report.section import Section, paragraph

_AROUND = 3  # words on either side of a token


def tell_tags(tagger: Tagger, columns: _core.Columns, asked: Asked) -> Told:
    """Tag all sentences once. The tag that is true is the last column, unless labels are not asked for."""
    if not columns.tokens:
        raise ValueError("there are no examples to report on")
    engine = tagger.engine_
    engine.check_columns(columns)
    seen = engine.seen(columns, asked.wishes.n_jobs, asked.progress)
    scores = engine.scorer.trusted_scores(seen.rows, asked.wishes.n_jobs, progress=asked.progress)
    truth = _truth(engine, columns, seen) if asked.labels else None
    places = Places(columns)
    known = Known(
        *(engine.scorer, seen.rows, scores, truth, asked.sources, asked.wishes),
        lambda token: _called(places, token),
        are_decisions=True,
    )
    sentences = ("sentences", number(len(columns)))
    if truth is None:
        return Told(known, (), (sentences,))
    tags, gold = _compared(engine, columns)
    judged = score_numbers(tags, gold, seen.tags, columns.starts())
    whole = _whole(gold != seen.tags, columns)
    if are_chunk_tags(tags):
        return Told(known, (_chunks(judged, whole),), (("F1 of chunks", in_percent(judged.total.f1)), sentences))
    return Told(known, (_tags(judged, whole),), (("tokens with the right tag", in_percent(judged.accuracy)), sentences))


def _truth(engine: TaggerEngine, columns: _core.Columns, seen: SeenTokens) -> Truth | None:
    """Tags as the machine spells them, which it shows by those that it finds."""
    gold = column_tags(columns)
    if engine.model.scheme is not None:
        classes = np.asarray(engine.scorer.machine.classes).tolist()
        gold = respelled(gold, nearest_scheme(NumberedTags(classes, seen.classes, columns.starts())))
    return truth_of(engine.scorer.machine, np.array(gold.names, dtype=object)[gold.numbers])


def _compared(engine: TaggerEngine, columns: _core.Columns) -> tuple[list[str], Numbers]:
    """Names of tags, those of the tagger first, and the true ones as numbers."""
    names = _core.Strings(engine.tags)
    gold = columns.numbers(columns.columns - 1, names)
    return names.words(), gold


def _whole(wrong: NDArray[np.bool_], columns: _core.Columns) -> tuple[int, int]:
    """Sentences without a wrong tag, and all that have tokens."""
    starts = columns.starts()
    filled = starts[:-1][np.diff(starts) > 0]
    return int((np.add.reduceat(wrong, filled) == 0).sum()), len(filled)


def _called(places: Places, token: int) -> str:
    """sentence 12, token 3: He reckons [the] current account deficit"""
    found = places.place(token, _AROUND)
    words = " ".join([*found.before, f"[{found.token}]", *found.after])
    return f"sentence {found.sentence:,}, token {found.number}: {words}"


def _chunks(judged: ChunkScores, whole: tuple[int, int]) -> Section:
    total = judged.total
    said = paragraph(
        f"{total.correct:,} of {total.gold:,} chunks were found with their first token, last token and type, and "
        f"{total.predicted - total.correct:,} that are none, as conlleval counts them. {_tokens(judged, whole)}"
    )
    lines = [found_line(one.type or "no type", one) for one in (*judged.types, total)]
    body = joined(said, found_table("Chunks by type", "type", lines), _example())
    return Section("chunks", "Chunks", body, _figures(judged, whole))


def _tags(judged: ChunkScores, whole: tuple[int, int]) -> Section:
    return Section("tags", "Tags", joined(paragraph(_tokens(judged, whole)), _example()), _figures(judged, whole))


def _tokens(judged: ChunkScores, whole: tuple[int, int]) -> str:
    right, sentences = whole
    return (
        f"{judged.correct_tokens:,} of {judged.tokens:,} tokens have the right tag, {in_percent(judged.accuracy)}; "
        f"{right:,} of {sentences:,} sentences have no wrong one."
    )


def _example() -> Html:
    return note(
        "In the sections below an example is a token, as the machine saw it when it decided: tags before it are those "
        "that were found, right or not, and features that it has never seen are left out."
    )


def _figures(judged: ChunkScores, whole: tuple[int, int]) -> dict[str, Any]:
    return judged.as_dict() | {"right_sentences": whole[0], "sentences": whole[1]}
