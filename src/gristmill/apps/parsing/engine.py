"""What a parser works with: its machines, compiled, for the core; how it parsed; columns it has learned from."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.filled_columns import ColumnCheck, named_columns
from gristmill.apps.parsing.chunks import CHUNKS, meaning_of
from gristmill.apps.parsing.model import ALGORITHMS, Action, ParserModel, action_of, columns_of, links_of, parsed
from gristmill.apps.parsing.pseudo_projective import marks_of
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates import Templates, parse_templates
from gristmill.apps.templates.configurations import ConfigurationItem, Seen, parse_address
from gristmill.base.arrays import Indices, Int32s, Int64s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.shapley import Explainer
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import labeller
from gristmill.scoring.scorer import Scorer
from gristmill.scoring.scorers import Scorers


class ParseTrace(NamedTuple):
    """The steps to the tree of one sentence."""

    rows: Rows
    parts: list[str]  # machines that had to decide, by name
    choices: list[Action]  # what these find best of what can be done
    actions: list[Action]  # what was done: the same, but with a beam

    def by_part(self) -> Iterator[tuple[str, Indices]]:
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

    def parse(self, columns: _core.Columns, n_jobs: int | None, progress: Progress | None) -> tuple[Int32s, Int32s]:
        """Heads within their sentence, -1 for the root, and relations as numbers in `names`."""
        threads = resolve_jobs(n_jobs)
        if self.model.chunks is None:
            heads, relations = self._decoder.decode(columns, threads, progress)
        else:
            chunks = self.chunks(columns, threads, progress)
            links = self._decoder.decode(chunks.columns(columns), threads, progress)
            heads, relations = chunks.compose(*links)
        return heads, np.where(relations < 0, np.int32(len(self.names) - 1), relations)

    def chunks(self, columns: _core.Columns, threads: int, progress: Progress | None = None) -> _core.Chunks:
        """The chunks of all sentences, for parsers that link them."""
        numbers = self._tagger.decode(columns, threads, progress)
        return _core.Chunks.of_tags(columns, numbers, self._meanings, self.number[self.model.common])

    def trace(self, columns: _core.Columns, sentence: int = 0) -> ParseTrace:
        """How the tree of one of the sentences comes about; for parsers of chunks from these as tokens."""
        offsets, ids, parts, choices, actions = self._decoder.trace(columns, sentence)
        links = list(links_of(self._machines))
        return ParseTrace(self._rows(offsets, ids), [links[part] for part in parts.tolist()], choices, actions)

    def chunk_tags(self, columns: _core.Columns) -> tuple[list[str], Rows]:
        """What is decided on chunks, word by word, and what the machine saw of each word."""
        numbers = self._tagger.decode(columns)
        rows = self._rows(*_core.extract_rows(self._window, columns, numbers, self._names, False, True))
        return [self._tags[number] for number in numbers.tolist()], rows

    def explainer(self, name: str) -> Explainer:
        """That of one machine, kept for later calls."""
        return self._explainers.setdefault(name, Explainer(self._machines[name]))

    def _rows(self, offsets: Int64s, ids: Int32s) -> Rows:
        return Rows(offsets, ids, n_features=len(self._names))

    @functools.cached_property
    def _names(self) -> _core.Strings:
        return _core.Strings(list(self._machines.feature_names or ()))

    @functools.cached_property
    def _decoder(self) -> _core.ParseDecoder:
        features = parsed(self.model.templates, self.model.algorithm).compile(list(self.model.relations))
        marks = marks_of(self.model.relations) if self.model.lifted else []
        system, classifier = (
            ALGORITHMS[self.model.algorithm],
            action_classifier(self._machines, self.model, self.scorers),
        )
        return _core.ParseDecoder(system, features, self._names, classifier, marks, *self._beam)

    @functools.cached_property
    def _tags(self) -> list[str]:
        tags: list[str] = np.asarray(self._machines[CHUNKS].classes).tolist()
        return tags

    @functools.cached_property
    def _meanings(self) -> list[tuple[bool, int, int]]:
        return [meaning_of(tag, self.number) for tag in self._tags]

    @functools.cached_property
    def _window(self) -> _core.Window:
        assert self.model.chunks is not None
        return self.model.chunks.window(self._tags)

    @functools.cached_property
    def _tagger(self) -> _core.Decoder:
        return _core.Decoder(self._window, self._names, labeller(self.scorers[CHUNKS]), True)


def core_split(model: ParserModel) -> _core.SplitBy | None:
    """The address and column that machines are split by."""
    if model.split is None:
        return None
    column = columns_of(model.algorithm).index(model.split.column)
    return _core.SplitBy(parse_address(model.split.address).core, column)


def action_classifier(
    machines: Mapping[str, Machine], model: ParserModel, scorers: Mapping[str, Scorer]
) -> _core.ActionClassifier:
    """Which machine decides when, and what its classes mean: for the core."""
    number = {name: at for at, name in enumerate(model.relations)}
    links = links_of(machines)
    parts = [
        _core.ClassifierPart(
            labeller(scorers[name]), [action_of(action, number) for action in np.asarray(machine.classes).tolist()]
        )
        for name, machine in links.items()
    ]
    place = {name: at for at, name in enumerate(links)}
    route: _core.ClassifierRoute | None = None
    split = core_split(model)
    if model.split is not None and split is not None:
        chosen = [place[name] for name in model.split.machines.values()]
        route = _core.ClassifierRoute(split, list(model.split.machines), chosen, place[model.split.other])
    return _core.ActionClassifier(parts, route, number[model.common])


# --- columns it has learned from --------------------------------------------------------------------------------------

_ADVICE = (
    "Fill in what is missing (UPOS and XPOS: --tagger, a model of `gristmill tag train --conllu`), or train a parser "
    "on a treebank in which it is empty too."
)


def column_check(model: ParserModel, machines: Mapping[str, Machine]) -> ColumnCheck:
    """Warns where columns are empty that the parser has learned from; a form is never empty."""
    used = {*_looked_at(model)} if model.filled is not None else {*_named(model, machines)}
    places = {column.upper(): place for place, column in enumerate(COLUMNS) if column in used - {"form"}}
    known = model.filled
    shares = {name: None if known is None else known.get(name.lower(), 0.0) for name in places}
    return ColumnCheck("the parser", "words", places, shares, _ADVICE)


def _looked_at(model: ParserModel) -> Iterator[str]:
    for item in parsed(model.templates, model.algorithm).items:
        yield from _columns_of_item(item, model)
    if model.split is not None:
        yield _of_word(model.split.column)
    if model.chunks is not None:
        yield from (COLUMNS[look.column] for look in _chunk_templates(model).looks if look.column is not None)


def _named(model: ParserModel, machines: Mapping[str, Machine]) -> Iterator[str]:
    """The same for files of older releases, which keep no shares: columns that features were made of."""
    names = next(iter(machines.values())).feature_names or ()
    begins = {name.partition("=")[0] for name in names}
    for item in parsed(model.templates, model.algorithm).items:
        if item.name in begins:
            yield from _columns_of_item(item, model)
    if model.chunks is not None and CHUNKS in machines:
        yield from (COLUMNS[column] for column in named_columns(_chunk_templates(model), names))


def _columns_of_item(item: ConfigurationItem, model: ParserModel) -> Iterator[str]:
    columns = columns_of(model.algorithm)
    for part in item.parts:
        if isinstance(part, Seen) and part.column is not None:
            yield _of_word(columns[part.column])


def _of_word(column: str) -> str:
    """That of words, of one that chunks have: last-form is the form of a word."""
    return column.rpartition("-")[2]


def _chunk_templates(model: ParserModel) -> Templates:
    assert model.chunks is not None
    return parse_templates(model.chunks.templates, len(COLUMNS))
