"""Probabilities of tags: a softmax whose slope is fitted to scores of tokens that the tagger has not learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.cross_prediction import check_folds, cross_predict
from gristmill.apps.tagging.chunks import column_tags, respelled
from gristmill.base.arrays import Floats, Indices
from gristmill.machines.probability import ScaledSoftmax
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import trusted_scores
from gristmill.solvers.temperature import fitted_softmax

if TYPE_CHECKING:
    from gristmill.apps.tagging.tagger import Tagger

Sentence = list[tuple[str, ...]]  # tokens, the tag last


def fitted_probability(tagger: Tagger, columns: _core.Columns, folds: int) -> ScaledSoftmax:
    """From columns whose last one is the tag; with folds those that were learned from, judged by taggers of the rest.

    Tags that were not learned count for nothing.
    """
    check_folds(folds)
    if tagger.machine_.scheme is Scheme.ONE_VS_ONE:
        raise ValueError("probabilities need a score of each tag, multiclass='ovo' has votes: use 'native' or 'ovr'")
    scores, labels = _cross_judged(tagger, columns, folds) if folds else _judged(tagger, columns)
    known = (labels >= 0) & np.isfinite(scores[np.arange(len(scores)), labels])
    return fitted_softmax(scores[known], labels[known])


def _judged(tagger: Tagger, columns: _core.Columns) -> tuple[Floats, Indices]:
    """Scores of all tokens (tokens x classes), and the numbers of their true classes, -1 where there is none."""
    engine = tagger.engine_
    own = trusted_scores(engine.scorer, engine.rows(columns), tagger.n_jobs)
    scores = np.hstack([np.zeros_like(own), own]) if own.shape[1] == 1 else own
    given = column_tags(columns)
    gold = given if tagger.tag_scheme == "keep" else respelled(given, tagger.tag_scheme)
    place = _places(tagger)
    return scores, np.array([place.get(name, -1) for name in gold.names], dtype=np.intp)[gold.numbers]


def _cross_judged(tagger: Tagger, columns: _core.Columns, folds: int) -> tuple[Floats, Indices]:
    """The same of each fold by a tagger that learns from the others; scores of tags that it does not meet are -inf."""
    places = _places(tagger)

    def learned(known: list[Sentence]) -> Callable[[list[Sentence]], Iterator[tuple[Floats, int]]]:
        other = type(tagger)(**tagger.get_params()).fit_columns(columns_of(known))
        own = np.array([places[name] for name in _places(other)])

        def judge(sentences: list[Sentence]) -> Iterator[tuple[Floats, int]]:
            found, labels = _judged(other, columns_of(sentences))
            scores = np.full((len(found), len(places)), -np.inf)
            scores[:, own] = found
            return zip(scores, np.where(labels < 0, -1, own[labels]).tolist(), strict=True)

        return judge

    scores, labels = zip(*cross_predict(_sentences(columns), learned, folds), strict=True)
    return np.array(scores), np.array(labels)


def _places(tagger: Tagger) -> dict[str, int]:
    """The number of each class of its machine."""
    return {name: at for at, name in enumerate(np.asarray(tagger.machine_.classes).tolist())}


def _sentences(columns: _core.Columns) -> list[Sentence]:
    tokens = list(zip(*map(columns.column, range(columns.columns)), strict=True))
    found = [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]
    return [sentence for sentence in found if sentence]
