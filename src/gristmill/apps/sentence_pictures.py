"""Decisions about a sentence as parts of a page: what was found, and each decision folded below it."""

from __future__ import annotations

from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.display.markup import Html, element, joined
from gristmill.display.page import fold, note, scroll
from gristmill.explanations.pictures import row_picture

_STEPS = 60  # decisions that are drawn


def sentence_picture(found: SentenceExplanation, top: int = 5) -> Html:
    """What was found, and the decisions that led there; behind each of them what its features add."""
    if found.tree is not None:
        answer = scroll("A dependency tree", Html(found.tree.svg()))
    else:
        answer = element("p", found.answer)
    steps = [fold(step.heading, row_picture(step, top=top)) for step in found[:_STEPS]]
    rest = note(f"{len(found) - _STEPS:,} more decisions") if len(found) > _STEPS else None
    return joined(answer, steps, rest)


def decision_picture(step: Decision) -> Html:
    """One decision, and what its features add."""
    return joined(element("p", step.heading), row_picture(step))
