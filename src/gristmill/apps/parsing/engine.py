"""A parser's machines, compiled, with all else that the core needs to parse, and to say how it did."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.apps.filled_columns import ColumnCheck
from gristmill.apps.parsing.actions import Action, Numbers
from gristmill.apps.parsing.choosing import chooser_of
from gristmill.apps.parsing.chunks import UNITS, meaning_of
from gristmill.apps.parsing.columns import column_check
from gristmill.apps.parsing.model import ParserModel, links_of
from gristmill.apps.parsing.pseudo_projective import marks_of
from gristmill.apps.parsing.settings import ALGORITHMS, parsed
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.shapley import Explainer
from gristmill.machines.collection import Machines
from gristmill.scoring.scorers import Scorers


class ParseTrace(NamedTuple):
    """The steps to the tree of one sentence."""

    rows: Rows
    parts: list[str]  # machines that had to decide, by name
    choices: list[Action]  # what these find best of what can be done
    actions: list[Action]  # what was done: the same, but with a beam

    def by_part(self) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Each machine with the numbers of its steps."""
        for part in dict.fromkeys(self.parts):
            yield part, np.flatnonzero([one == part for one in self.parts])


class ParserEngine:
    """Parses columns of words. Safe to share between threads. Machines are compiled when they are first needed."""

    def __init__(
        self, machines: Machines, model: ParserModel, engine: str | Scorers, *, beam: int = 1, temperature: float = 1.0
    ) -> None:
        """With an engine by its name, or the machines compiled already, as they may be with options."""
        self.model, self.names = model, [*model.relations, model.root]
        self._machines, self._engine = machines, engine
        self._beam = beam, temperature
        self._explainers = dict[str, Explainer]()
        self.number = {name: at for at, name in enumerate(model.relations)}

    @functools.cached_property
    def scorers(self) -> Scorers:
        return self._engine if isinstance(self._engine, Scorers) else self._machines.compile(self._engine)

    @property
    def has_several(self) -> bool:
        """Whether there is more than one machine."""
        return len(self._machines) > 1

    @functools.cached_property
    def check_columns(self) -> ColumnCheck:
        """Warns where columns are empty that the parser has learned from."""
        return column_check(self.model, self._machines)

    def parse(self, columns: _core.Columns, n_jobs: int | None, progress: Progress | None) -> tuple[Numbers, Numbers]:
        """Heads within their sentence, -1 for the root, and relations as numbers in `names`."""
        threads = resolve_jobs(n_jobs)
        if self.model.units is None:
            heads, relations = self._decoder.decode(columns, threads, progress)
        else:
            units = self.units(columns, threads, progress)
            links = self._decoder.decode(units.columns(columns), threads, progress)
            heads, relations = units.compose(*links)
        return heads, np.where(relations < 0, np.int32(len(self.names) - 1), relations)

    def units(self, columns: _core.Columns, threads: int, progress: Progress | None = None) -> _core.Units:
        """The units of all sentences, for parsers that link them."""
        numbers = self._tagger.decode(columns, threads, progress)
        return _core.Units.of_tags(columns, numbers, self._meanings, self.number[self.model.common])

    def trace(self, columns: _core.Columns, sentence: int = 0) -> ParseTrace:
        """How the tree of one of the sentences comes about; for parsers of units from these as tokens."""
        offsets, ids, parts, choices, actions = self._decoder.trace(columns, sentence)
        links = list(links_of(self._machines))
        return ParseTrace(self._rows(offsets, ids), [links[part] for part in parts.tolist()], choices, actions)

    def unit_tags(self, columns: _core.Columns) -> tuple[list[str], Rows]:
        """What is decided on units, word by word, and what the machine saw of each word."""
        numbers = self._tagger.decode(columns)
        rows = self._rows(*_core.extract_rows(self._window, columns, numbers, self._names, False, True))
        return [self._tags[number] for number in numbers.tolist()], rows

    def explainer(self, name: str) -> Explainer:
        """That of one machine, kept for later calls."""
        return self._explainers.setdefault(name, Explainer(self._machines[name]))

    def _rows(self, offsets: NDArray[np.int64], ids: Numbers) -> Rows:
        return Rows(offsets, ids, n_features=len(self._names))

    @functools.cached_property
    def _names(self) -> _core.Strings:
        return _core.Strings(list(self._machines.feature_names or ()))

    @functools.cached_property
    def _decoder(self) -> _core.ParseDecoder:
        lookout = parsed(self.model.templates, self.model.algorithm).compile(list(self.model.relations))
        marks = marks_of(self.model.relations) if self.model.lifted else []
        system, chooser = ALGORITHMS[self.model.algorithm], chooser_of(self._machines, self.model, self.scorers)
        return _core.ParseDecoder(system, lookout, self._names, chooser, marks, *self._beam)

    @functools.cached_property
    def _tags(self) -> list[str]:
        tags: list[str] = np.asarray(self._machines[UNITS].classes).tolist()
        return tags

    @functools.cached_property
    def _meanings(self) -> list[tuple[bool, int, int]]:
        return [meaning_of(tag, self.number) for tag in self._tags]

    @functools.cached_property
    def _window(self) -> _core.Window:
        assert self.model.units is not None
        return self.model.units.window(self._tags)

    @functools.cached_property
    def _tagger(self) -> _core.Decoder:
        return _core.Decoder(self._window, self._names, self.scorers[UNITS].labeller(), True)
