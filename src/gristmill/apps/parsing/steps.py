"""Why a parser gave a sentence its tree: the steps that led there, and what the machines saw in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.parsing.chunks import CHUNKS
from gristmill.apps.parsing.engine import ParserEngine, ParseTrace
from gristmill.apps.parsing.model import ALGORITHMS, action_name, action_of
from gristmill.apps.parsing.tree import Word, columns_of_words, trees_of
from gristmill.explanations.explanation import RowExplanation
from gristmill.scoring.deciding import class_numbers

_SEEN = 2  # words of the stack, and of the buffer, that say where a parser is


def explain_parse(engine: ParserEngine, words: tuple[Word, ...], *, interactions: bool = False) -> SentenceExplanation:
    """The steps to the tree of a sentence; for parsers of chunks first the decisions on these."""
    columns = columns_of_words([words])
    (tree,) = trees_of([words], *engine.parse(columns, None, None), engine.names)
    forms = tuple(word.form for word in words)
    steps, tokens = list[Decision](), _Tokens.of_words(forms)
    if engine.model.chunks is not None:
        steps += _chunk_steps(engine, columns, forms, interactions)
        chunks = engine.chunks(columns, 1)
        columns, tokens = chunks.columns(columns), _Tokens.of_chunks(forms, chunks)
    steps += _link_steps(engine, columns, tokens, interactions)
    return SentenceExplanation(forms, tuple(steps), tree=tree)


class _Tokens(NamedTuple):
    """What a parser links: words, or chunks of words."""

    names: tuple[str, ...]
    places: list[int]  # words that stand for them

    @classmethod
    def of_words(cls, forms: tuple[str, ...]) -> _Tokens:
        return cls(forms, list(range(len(forms))))

    @classmethod
    def of_chunks(cls, forms: tuple[str, ...], chunks: _core.Chunks) -> _Tokens:
        starts = chunks.starts().tolist()
        names = (" ".join(forms[begin:end]) for begin, end in pairwise(starts))
        return cls(tuple(names), chunks.tops().tolist())


def _chunk_steps(
    engine: ParserEngine, columns: _core.Columns, forms: Sequence[str], interactions: bool
) -> Iterator[Decision]:
    """The last word is decided on first."""
    tags, rows = engine.chunk_tags(columns)
    explained = engine.explainer(CHUNKS)(rows, interactions=interactions)
    for at in reversed(range(len(forms))):
        yield Decision.of(explained[at], at, forms[at], tags[at], machine_name=CHUNKS)


def _link_steps(
    engine: ParserEngine, columns: _core.Columns, tokens: _Tokens, interactions: bool
) -> Iterator[Decision]:
    trace = engine.trace(columns)
    walk = _core.Walk(ALGORITHMS[engine.model.algorithm], len(tokens.names))
    relations = engine.model.relations
    highest, moves = _highest(engine, trace), _moves(engine, trace)
    for at, row in enumerate(_explained(engine, trace, interactions)):
        action, choice, legal = trace.actions[at], trace.choices[at], walk.legal
        stack, buffer = walk.stack, walk.buffer
        possible = tuple(name for name, move in moves[trace.parts[at]] if move in legal)
        yield Decision.of(
            row,
            tokens.places[stack[-1] if stack else buffer[0]],
            place_in_walk(tokens.names, stack, buffer),
            action_name(action, relations),
            machine_name=trace.parts[at] if engine.has_several else "",
            best=None if choice == action else action_name(choice, relations),
            impossible=None if highest[at] in possible else highest[at],
            stack=tuple(tokens.names[word] for word in stack),
            buffer=tuple(tokens.names[word] for word in buffer),
            possible=possible,
        )
        walk.take(*action)


def place_in_walk(names: Sequence[str], stack: list[int], buffer: list[int]) -> str:
    """Top of the stack and next words: `the mill | turns`."""
    before = [*["…"] * (len(stack) > _SEEN), *(names[word] for word in stack[-_SEEN:])]
    after = [*(names[word] for word in buffer[:_SEEN]), *["…"] * (len(buffer) > _SEEN)]
    return f"{' '.join(before)} | {' '.join(after)}".strip()


def _explained(engine: ParserEngine, trace: ParseTrace, interactions: bool) -> list[RowExplanation]:
    """All rows, each by the machine that had to decide on it."""
    found = dict[int, RowExplanation]()
    for part, at in trace.by_part():
        explained = engine.explainer(part)(trace.rows.take(at), interactions=interactions)
        found.update(zip(at.tolist(), explained, strict=True))
    return [found[at] for at in range(len(trace.parts))]


def _moves(engine: ParserEngine, trace: ParseTrace) -> dict[str, list[tuple[str, _core.Move]]]:
    """Of each machine that decided the names of its classes, and what they do."""
    classes = {part: np.asarray(engine.scorers[part].machine.classes).tolist() for part, _ in trace.by_part()}
    return {part: [(name, action_of(name, engine.number)[0]) for name in names] for part, names in classes.items()}


def _highest(engine: ParserEngine, trace: ParseTrace) -> list[str]:
    """What each machine scores highest, whether that can be done or not."""
    found = np.empty(len(trace.parts), dtype=object)
    for part, at in trace.by_part():
        scorer = engine.scorers[part]
        found[at] = np.asarray(scorer.machine.classes)[class_numbers(scorer, trace.rows.take(at))]
    return [str(name) for name in found]
