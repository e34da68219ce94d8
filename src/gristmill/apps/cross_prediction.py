"""Cross-prediction (jackknifing): what a model says of sentences that it has not learned from.

A stage that learns from another one's answers must see them as good as they will be on new text. On sentences that a
model has learned from they are far better, so that the stage would trust them too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from gristmill.base.checks import is_whole

FOLDS = 5

S = TypeVar("S")
P = TypeVar("P")


def cross_predict(
    sentences: Sequence[S], learn: Callable[[list[S]], Callable[[list[S]], Iterable[P]]], folds: int = FOLDS
) -> list[P]:
    """What a model that was learned from all other folds predicts for each sentence.

    Folds are neighbouring sentences, for texts are easier where sentences next to them are known. The result depends on
    nothing but the arguments.

    Parameters
    ----------
    sentences : sequence
    learn : callable
        Learns from some of the sentences and gives what predicts others: ``lambda known: Tagger().fit(known).tag``.
    folds : int
        At least 2; if there are fewer sentences, each of them is a fold.

    Examples
    --------
    >>> from gristmill.apps.cross_prediction import cross_predict
    >>> cross_predict([1, 2, 3, 4], lambda known: lambda others: [(other, known) for other in others], folds=2)
    [(1, [3, 4]), (2, [3, 4]), (3, [1, 2]), (4, [1, 2])]
    """
    found = list[P]()
    for begin, end in pairwise(_bounds(len(sentences), folds)):
        predict = learn([*sentences[:begin], *sentences[end:]])
        found += predict(list(sentences[begin:end]))
    return found


def check_folds(folds: Any) -> None:
    """ValueError unless it is a number of folds, or 0 for none."""
    if not is_whole(folds) or folds < 0 or folds == 1:
        raise ValueError(f"folds must be 0, or a whole number from 2 on, got {folds!r}")


def _bounds(sentences: int, folds: int) -> list[int]:
    """Where folds begin, and the end."""
    check_folds(folds)
    if folds < 2 or sentences < 2:
        raise ValueError(f"cross-prediction takes 2 folds or more of 2 sentences or more, got {folds} of {sentences}")
    folds = min(folds, sentences)
    return [fold * sentences // folds for fold in range(folds + 1)]
