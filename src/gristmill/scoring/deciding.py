"""From a scorer to class numbers that are the definition's: early stops, doubts, and who settles them.

Class numbers are positions in the machine's `classes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.scoring.engines import EarlyStopStats
from gristmill.scoring.row_engines import RowEngine
from gristmill.scoring.scorer import Scorer

_LONGEST = 1024  # features of a row whose class the core decides with its engine; longer ones are for the definition


def class_numbers(scorer: Scorer, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Indices:
    """The classes of examples, the definition's unless the scorer is neither exact nor certified."""
    if not scorer.machine.scheme.has_labels:
        raise ValueError("a regression machine has no classes")
    data, threads = scorer.examples(X), resolve_jobs(n_jobs)
    early = scorer._engine.decide(data, threads, progress) if scorer.exact else None
    if early is None:
        return scorer.machine.decision.classes(trusted_scores(scorer, data, n_jobs, progress=progress))
    classes = early[0].astype(np.intp)
    undecided = np.flatnonzero(classes < 0)
    if len(undecided):
        scores = scorer._engine.definition.scores(data.take(undecided), threads, None)
        classes[undecided] = scorer.machine.decision.classes(scores)
    return classes


def trusted_scores(scorer: Scorer, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
    """Raw scores of shape (examples, outputs) that decide as the definition does.

    Examples whose label could hang on an error are scored again by the definition. A scorer that is neither exact nor
    certified gives its own scores.
    """
    data, threads = scorer.examples(X), resolve_jobs(n_jobs)
    scores = scorer._engine.scores(data, threads, progress)
    certain = scorer.exact or scorer.certified
    if scorer.engine == "direct" or not scorer.machine.scheme.has_labels or not certain:
        return scores
    doubtful = np.flatnonzero(scorer.machine.decision.unsure(scores, scorer._engine.bounds(data)))
    if len(doubtful):
        some = data.take(doubtful)
        scores[doubtful] = (
            scorer._engine.resolved(some, threads) if scorer.exact else trusted_scores(scorer._exact, some, n_jobs)
        )
    return scores


def classes_among(scorer: Scorer, X: Any, scores: Floats, possible: Flags) -> Indices:
    """The classes that trusted scores of X mean where only some classes are possible: the definition's.

    Scores that can be trusted for the best of all classes may be too close for the best of some.
    """
    rule = scorer.machine.decision
    found = rule.classes(scores)
    others = np.flatnonzero(~possible[found])
    if len(others):
        if scorer.exact or scorer.certified:
            again = scorer._engine.definition.scores(scorer.examples(X).take(others), 1, None)
        else:
            again = scores[others]
        found[others] = rule.among(again, possible)
    return found


def early_stop_stats(scorer: Scorer, X: Any, n_jobs: int | None = None) -> EarlyStopStats:
    """What `predict` has to look at and what it may skip, counted over the distinct rows of X."""
    data = scorer.examples(X)
    can_stop = scorer.exact and scorer.machine.scheme.has_labels
    early = scorer._engine.decide(data, resolve_jobs(n_jobs), None) if can_stop else None
    return EarlyStopStats(len(data), 0, len(getattr(data, "ids", ())), 0) if early is None else early[1]


def labeller(scorer: Scorer) -> _core.Labeller:
    """The core's own way from rows to class numbers, for apps that need one class before the next row."""
    engine, definition, machine = scorer._engine, scorer._engine.definition, scorer.machine
    binary = isinstance(engine, RowEngine) and isinstance(definition, RowEngine) and not engine.keeps_values
    if not machine.scheme.has_labels or not binary or not machine.compares_sets:
        raise ValueError("classes one by one are those of machines on sets with binary rows that classify")
    assert isinstance(engine, RowEngine)
    assert isinstance(definition, RowEngine)
    return _core.Labeller(
        engine.native,
        definition.native,
        machine.decision.native,
        scorer.exact or scorer.certified,
        scorer.exact,
        np.ascontiguousarray(engine.doubt(_LONGEST)),
    )
