"""What taggers, segmenters and parsers share: they decide about sentences, one decision after the other, on rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from gristmill import _core
from gristmill.apps.base import App, is_one
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.explanations import Influence, Influences, influence
from gristmill.explanations.kept_examples import KeptExamples, Places
from gristmill.machines.machine import Machine

E = TypeVar("E")


class SentenceApp(App[E]):
    """Base of apps whose explanations are those of decisions.

    With `keep_examples` their machines keep the training sentences that support rows were made from.
    """

    keep_examples: bool

    def influence(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Influences:
        """Who decided about a sentence, or about several: decision by decision; see `gristmill.influence`."""
        X = list(X) if isinstance(X, Iterator) else X
        sentences = [X] if is_one(X, self._reads_tokens) else X
        made: list[Influence] = []
        for number, sentence in enumerate(sentences, 1):
            made += _of_sentence(self._explain_one(sentence), n_jobs)
            if progress is not None:
                progress(number, len(sentences))
        return Influences(tuple(made))


def remembering(machine: Machine, rows: Rows, columns: _core.Columns, places: Places | None = None) -> Machine:
    """A machine that keeps the sentences of its support rows, which were made from columns: one a word, or `places`."""
    words, starts = columns.column(0), columns.starts().tolist()
    where = Places.of_words(starts) if places is None else places
    kept = KeptExamples.of(machine.rows, rows, where, lambda number: words[starts[number] : starts[number + 1]])
    return machine.replace(provenance=machine.provenance | kept.provenance())


def _of_sentence(explained: SentenceExplanation, n_jobs: int | None) -> list[Influence]:
    """In the order of its decisions; each machine is asked once."""
    found: dict[int, Influence] = {}
    machines = {id(step.machine): step.machine for step in explained}
    for key, machine in machines.items():
        own = [number for number, step in enumerate(explained) if id(step.machine) == key]
        asked = influence(machine, _rows(explained[number] for number in own), n_jobs=n_jobs)
        for number, one in zip(own, asked, strict=True):
            found[number] = replace(one, heading=explained[number].heading)
    return [found[number] for number in range(len(explained))]


def _rows(steps: Iterable[Decision]) -> Rows:
    chosen: Sequence[Decision] = list(steps)
    offsets = np.cumsum([0, *(len(step.ids) for step in chosen)], dtype=np.int64)
    ids = np.concatenate([step.ids for step in chosen]).astype(np.int32)
    return Rows(offsets, ids, n_features=chosen[0].machine.n_features)
