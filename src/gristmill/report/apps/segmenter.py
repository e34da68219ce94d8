"""Reports on segmenters: words; every boundary that white space leaves open is an example."""

from __future__ import annotations

import numpy as np

from gristmill import _core
from gristmill.apps.segmentation.engine import CLASSES
from gristmill.apps.segmentation.scores import WordScores, score_words
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.base.threads import resolve_jobs
from gristmill.display.markup import joined
from gristmill.display.numbers import in_percent, number
from gristmill.display.page import note
from gristmill.report.apps.content import Places, ReportContent, ReportRequest, score_table
from gristmill.report.evaluation_result import truth_of
from gristmill.report.page import Section, paragraph

_AROUND = 6  # characters on either side of a boundary


def segmenter_content(segmenter: Segmenter, lines: _core.CharacterLines, request: ReportRequest) -> ReportContent:
    """Segment all lines once. Text without a boundary between words has no truth."""
    compiled = segmenter.engine_
    seen = compiled.seen(lines, resolve_jobs(request.options.n_jobs))
    scores = request.scores(compiled.scorer, seen.rows)
    ends = lines.ends()
    labels = np.array(CLASSES)[ends[seen.open_places].astype(int)]
    is_segmented = request.labels and bool(ends[seen.open_places].any())
    truth = truth_of(segmenter.machine_, labels) if is_segmented else None
    places = Places(lines.columns(None, False, 1))
    evaluation = request.evaluation(
        compiled.scorer, seen.rows, scores, truth, lambda at: _name(places, int(seen.open_places[at]))
    )
    of_lines = ("lines", number(len(lines)))
    if truth is None:
        return ReportContent(evaluation, (), (of_lines,))
    metrics = score_words(ends, seen.classes == 1, lines.walls())
    return ReportContent(evaluation, (_words(metrics),), (("F1 of words", in_percent(metrics.f1)), of_lines))


def _name(places: Places, character: int) -> str:
    """line 3, character 5: また海|を見たい"""
    found = places.place(character, _AROUND)
    before, after = "".join([*found.before[1:], found.token]), "".join(found.after)
    return f"line {found.sentence:,}, character {found.number:,}: {before}|{after}"


def _words(metrics: WordScores) -> Section:
    wrong = metrics.predicted - metrics.correct
    text = paragraph(
        f"{metrics.correct:,} of {metrics.gold:,} words were found with their first and last character, and "
        f"{wrong:,} that are none. {metrics.correct_boundaries:,} of {metrics.boundaries:,} "
        f"boundaries are right, {in_percent(metrics.accuracy)}."
    )
    line = ("words", metrics.precision, metrics.recall, metrics.f1, metrics.gold, metrics.predicted, metrics.correct)
    example = note(
        "In the sections below an example is a boundary between two characters that white space leaves open: either a "
        "word ends there, or it is inside of one. Features that the machine has never seen are left out."
    )
    body = joined(text, score_table("Words", "", [line]), example)
    return Section("words", "Words", body, metrics.as_dict())
