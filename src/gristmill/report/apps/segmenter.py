"""Reports on segmenters: words; every boundary that white space leaves open is an example."""

from __future__ import annotations

import numpy as np

from gristmill import _core
from gristmill.apps.segmentation.engine import CLASSES
from gristmill.apps.segmentation.scores import WordScores, score_words
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.base.threads import resolve_jobs
from gristmill.display.frames import note
from gristmill.display.markup import joined
from gristmill.display.numbers import in_percent, number
from gristmill.report.apps.content import Asked, Told
from gristmill.report.apps.found_tables import found_table
from gristmill.report.apps.places import Places
from gristmill.report.evaluation_result import Known
from gristmill.report.labels import truth_of
from gristmill.report.section import Section, paragraph

_AROUND = 6  # characters on either side of a boundary


def tell_words(segmenter: Segmenter, lines: _core.CharacterLines, asked: Asked) -> Told:
    """Segment all lines once. Text without a boundary between words is not judged."""
    compiled = segmenter.engine_
    seen = compiled.seen(lines, resolve_jobs(asked.wishes.n_jobs))
    scores = compiled.scorer.trusted_scores(seen.rows, asked.wishes.n_jobs, progress=asked.progress)
    ends = lines.ends()
    is_segmented = asked.labels and bool(ends[seen.open_places].any())
    truth = (
        truth_of(segmenter.machine_, np.array(CLASSES)[ends[seen.open_places].astype(int)]) if is_segmented else None
    )
    places = Places(lines.columns(None, False, 1))
    known = Known(
        *(compiled.scorer, seen.rows, scores, truth, asked.sources, asked.wishes),
        lambda boundary: _called(places, int(seen.open_places[boundary])),
        are_decisions=True,
    )
    of_lines = ("lines", number(len(lines)))
    if truth is None:
        return Told(known, (), (of_lines,))
    judged = score_words(ends, seen.classes == 1, lines.walls())
    return Told(known, (_words(judged),), (("F1 of words", in_percent(judged.f1)), of_lines))


def _called(places: Places, character: int) -> str:
    """line 3, character 5: また海|を見たい"""
    found = places.place(character, _AROUND)
    before, after = "".join([*found.before[1:], found.token]), "".join(found.after)
    return f"line {found.sentence:,}, character {found.number:,}: {before}|{after}"


def _words(judged: WordScores) -> Section:
    said = paragraph(
        f"{judged.correct:,} of {judged.gold:,} words were found with their first and last character, and "
        f"{judged.predicted - judged.correct:,} that are none. {judged.correct_boundaries:,} of {judged.boundaries:,} "
        f"boundaries are right, {in_percent(judged.accuracy)}."
    )
    line = ("words", judged.precision, judged.recall, judged.f1, judged.gold, judged.predicted, judged.correct)
    example = note(
        "In the sections below an example is a boundary between two characters that white space leaves open: either a "
        "word ends there, or it is inside of one. Features that the machine has never seen are left out."
    )
    body = joined(said, found_table("Words", "", [line]), example)
    return Section("words", "Words", body, judged.as_dict())
