"""What a tagger works with: its machine, compiled, templates, names of features, spelling of tags."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.columns import check_encoding
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.filled_columns import ColumnCheck, check_shares, named_columns
from gristmill.apps.tagging.chunks import SCHEMES, are_chunk_tags, likely_scheme
from gristmill.apps.templates import Templates, parse_templates
from gristmill.base.arrays import Flags, Floats, Int32s
from gristmill.base.checks import check_choice, check_positive_int
from gristmill.base.errors import FormatError
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels
from gristmill.explanations.shapley import Explainer
from gristmill.machines.machine import Machine
from gristmill.machines.probability import probabilities
from gristmill.scoring.deciding import labeller, trusted_scores
from gristmill.scoring.scorer import Scorer

KEY = "tagger"
DIRECTIONS = ("forward", "backward")
CONLLU_COLUMNS = ("upos", "xpos")  # that are tags
CONSTRAINTS = ("none", "chunks")

_ADVICE = "Columns count from 0. Fill in what is missing, or train a tagger whose templates do not look at it."


@dataclass(frozen=True)
class TaggerModel:
    """How rows are made of tokens, and tags of classes."""

    templates: str
    direction: str
    columns: int  # of a token, the tag not counted
    scheme: str | None = None  # that comes out, if it is not that of the classes
    encoding: str = "utf-8"  # of files, unless something else is said
    conllu: str | None = None  # the column of CoNLL-U that tags are of, if they are
    filled: Sequence[float] | None = None  # shares of training tokens by column; None in files of older releases
    spelling: str | None = None  # the scheme of the classes, if they are tags of chunks; None in older files, too

    def __post_init__(self) -> None:
        if not isinstance(self.templates, str):
            raise ValueError(f"templates must be text, got {self.templates!r}")
        check_encoding(self.encoding)
        check_choice("direction", self.direction, DIRECTIONS)
        check_positive_int("columns", self.columns)
        for name, scheme in (("scheme", self.scheme), ("spelling", self.spelling)):
            if scheme is not None:
                check_choice(name, scheme, SCHEMES)
        if self.conllu is not None:
            check_choice("conllu", self.conllu, CONLLU_COLUMNS)
        if self.filled is not None:
            if not isinstance(self.filled, Sequence) or len(self.filled) != self.columns:
                raise ValueError(f"there must be a share of each of {self.columns} columns, got {self.filled!r:.60}")
            check_shares(self.filled)
        self.parsed()

    def parsed(self) -> Templates:
        return parse_templates(self.templates, self.columns)

    def provenance(self) -> dict[str, Any]:
        return {KEY: asdict(self)}

    def rules(self, classes: list[str]) -> _core.TagRules:
        """Which class may follow which where chunks are to be well spelled; ValueError for tags of anything else."""
        if not are_chunk_tags(classes):
            raise ValueError(
                f"constraints='chunks' is for tags of chunks, such as O, B-NP and I-NP; these are "
                f"{listed_labels(classes)}: use constraints='none'"
            )
        scheme = likely_scheme(classes) if self.spelling is None else self.spelling
        return _core.TagRules(classes, scheme, self.direction == "backward")


def model_of(machine: Machine) -> TaggerModel:
    """What a machine remembers of the tagger it was learned by; an error if that is not sound."""
    known = machine.provenance.get(KEY)
    model = _of_yamcha(machine.provenance) if known is None else TaggerModel(**known)
    if machine.feature_names is None or machine.classes is None or machine.classes.dtype.kind != "U":
        raise ValueError("a tagger's machine has names of features, and tags")
    return model


def _of_yamcha(provenance: Mapping[str, Any]) -> TaggerModel:
    parameters = provenance.get("parameters", {})
    words = [f"F:{place}" for place in parameters.get("features", "").split()]
    words += [f"B:{place}" for place in parameters.get("bow_features", "").split()]
    words += [f"T:{row}" for row in parameters.get("tag_features", "").split()]
    return TaggerModel(
        " ".join(words),
        parameters.get("parsing_direction", "forward"),
        int(parameters.get("column_size", 1)),
        encoding=provenance.get("encoding", "utf-8"),
    )


class SeenTokens(NamedTuple):
    """Tokens that were tagged."""

    tags: Int32s  # in `TaggerEngine.tags`
    classes: Int32s  # of the machine, which may spell tags in another way
    rows: Rows
    allowed: Flags | None  # tokens x classes: those that constraints left to choose from; None: all


class TaggerEngine:
    """Tags columns. Safe to share between threads. The machine is compiled when it is first needed."""

    def __init__(self, machine: Machine, model: TaggerModel, engine: str | Scorer, constraints: str = "none") -> None:
        """With an engine by its name, or the machine compiled already, as it may be with options."""
        templates = model.parsed()
        classes = np.asarray(machine.classes).tolist()
        self.model = model
        self._machine, self._engine = machine, engine
        self._classes: list[str] = classes
        self._window = templates.compile(classes)
        self._columns = templates.columns
        self._rules = None if constraints == "none" else model.rules(classes)
        self._converter = None if model.scheme is None else _core.TagConverter(classes, model.scheme)
        self.tags: list[str] = classes if self._converter is None else self._converter.tags

    @functools.cached_property
    def scorer(self) -> Scorer:
        return self._engine if isinstance(self._engine, Scorer) else self._machine.compile(self._engine)

    @functools.cached_property
    def _names(self) -> _core.Strings:
        return _core.Strings(list(self._machine.feature_names or ()))

    @functools.cached_property
    def _decoder(self) -> _core.Decoder:
        return _core.Decoder(self._window, self._names, labeller(self.scorer), self._is_backward, self._rules)

    @property
    def _is_backward(self) -> bool:
        return self.model.direction == "backward"

    def check_columns(self, columns: _core.Columns) -> None:
        """Warn where columns are empty that the tagger has learned from; FormatError where there are none."""
        self._check(columns)
        if columns.tokens:
            self._column_check(columns)

    @functools.cached_property
    def _column_check(self) -> ColumnCheck:
        templates, shares = self.model.parsed(), self.model.filled
        used = sorted({look.column for look in templates.looks if look.column is not None})
        if shares is None:
            used = sorted(named_columns(templates, self._machine.feature_names or ()))
        names = {f"column {place}": place for place in used}
        known = {name: None if shares is None else shares[place] for name, place in names.items()}
        return ColumnCheck("the tagger", "tokens", names, known, _ADVICE)

    @functools.cached_property
    def explainer(self) -> Explainer:
        return Explainer(self._machine)

    def numbers(self, columns: _core.Columns, n_jobs: int | None, progress: Progress | None) -> Int32s:
        """The tags of all tokens, as numbers in `tags`."""
        self._check(columns)
        return self._spelled(self._decoder.decode(columns, resolve_jobs(n_jobs), progress), columns)

    def rows(self, columns: _core.Columns) -> Rows:
        """What the machine saw of each token: features, those of tags that were found before it among them."""
        return self.seen(columns, None, None).rows

    def seen(self, columns: _core.Columns, n_jobs: int | None, progress: Progress | None) -> SeenTokens:
        """What was found, and what the machine saw when it decided."""
        self._check(columns)
        classes = self._decoder.decode(columns, resolve_jobs(n_jobs), progress)
        offsets, ids = _core.extract_rows(self._window, columns, classes, self._names, False, self._is_backward)
        rows = Rows(offsets, ids, n_features=len(self._names))
        return SeenTokens(self._spelled(classes, columns), classes, rows, self._allowed(classes, columns))

    def _allowed(self, classes: Int32s, columns: _core.Columns) -> Flags | None:
        if self._rules is None:
            return None
        return self._rules.allowed(classes, columns.starts()).reshape(-1, len(self._classes)).astype(bool)

    def candidates(
        self, columns: _core.Columns, n: int, n_jobs: int | None, *, probability: bool = False
    ) -> list[list[tuple[str, float]]]:
        """The classes of each token that score best, given what was found before it; that which was found is first.

        Fewer than n where constraints leave fewer.
        """
        seen = self.seen(columns, n_jobs, None)
        scores = (self._shares if probability else self._scores)(seen, n_jobs)
        ranks = scores.copy() if seen.allowed is None else np.where(seen.allowed, scores, -np.inf)
        ranks[np.arange(len(scores)), seen.classes] = np.inf
        best = np.argsort(-ranks, axis=1, kind="stable")[:, :n]
        return [
            [(self._classes[place], float(own[place])) for place in places if rank[place] > -np.inf]
            for own, rank, places in zip(scores, ranks, best.tolist(), strict=True)
        ]

    def confidences(self, columns: _core.Columns, n_jobs: int | None) -> Floats:
        """The probability of the tag of each token."""
        seen = self.seen(columns, n_jobs, None)
        return np.asarray(self._shares(seen, n_jobs)[np.arange(len(seen.classes)), seen.classes])

    def _scores(self, seen: SeenTokens, n_jobs: int | None) -> Floats:
        """Tokens x classes."""
        return self._machine.decision.by_class(trusted_scores(self.scorer, seen.rows, n_jobs))

    def _shares(self, seen: SeenTokens, n_jobs: int | None) -> Floats:
        """Probabilities, of tags that constraints leave: what they rule out has its share divided among the others."""
        if self._machine.probability is None:
            raise ValueError(
                "the tagger has no probabilities: use `gristmill tag train --probability`, or Tagger.calibrate"
            )
        shares = probabilities(self._machine, trusted_scores(self.scorer, seen.rows, n_jobs))
        if seen.allowed is None:
            return shares
        left = np.where(seen.allowed, shares, 0.0)
        return np.asarray(left / np.maximum(left.sum(axis=1, keepdims=True), np.finfo(float).tiny))

    def explain(self, columns: _core.Columns, *, interactions: bool = False) -> SentenceExplanation:
        """Why the tokens of a sentence, the only one, got their tags."""
        seen, tokens = self.seen(columns, None, None), columns.column(0)
        explained = self.explainer(seen.rows, interactions=interactions)
        steps = tuple(
            Decision.of(explained[at], at, token, self._classes[number], **self._choice(seen, at))
            for at, (token, number) in enumerate(zip(tokens, seen.classes.tolist(), strict=True))
        )
        tags = tuple(self.tags[number] for number in seen.tags.tolist())
        return SentenceExplanation(tuple(tokens), steps, tags=tags)

    def _choice(self, seen: SeenTokens, at: int) -> dict[str, Any]:
        """What constraints left to choose from for a token, as a Decision has it."""
        if seen.allowed is None:
            return {}
        possible = tuple(self._classes[number] for number in np.flatnonzero(seen.allowed[at]).tolist())
        (highest,) = self.scorer.predict(seen.rows.take(np.array([at]))).tolist()
        return {"possible": possible, "impossible": None if highest in possible else highest}

    def _spelled(self, found: Int32s, columns: _core.Columns) -> Int32s:
        """Classes as numbers in `tags`."""
        return found if self._converter is None else self._converter.convert(found, columns.starts())

    def check_gold(self, columns: _core.Columns) -> None:
        """FormatError if the tag, the last column, is one of those that the tagger looks at."""
        if columns.tokens and columns.columns <= self._columns:
            raise FormatError(
                f"tokens have {columns.columns} column{'s' * (columns.columns != 1)} with the tag; the tagger looks at "
                f"{self._columns} in addition to it"
            )

    def _check(self, columns: _core.Columns) -> None:
        if columns.tokens and columns.columns < self._columns:
            raise FormatError(
                f"tokens have {columns.columns} column{'s' * (columns.columns != 1)}; the tagger looks at "
                f"{self._columns}, as in the sentences it has learned from, which had {self.model.columns} and the tag"
            )
