"""Machines on rows of features."""

from __future__ import annotations

import functools
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.id_table import IdTable
from gristmill.data.rows import LARGEST_ID, NO_VALUES, Binarize, Rows
from gristmill.explanations import Explainer, RowExplanation
from gristmill.explanations.ablation import ablated_rows
from gristmill.explanations.models import largest
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer
from gristmill.web import openapi
from gristmill.web.adapters.base import Answer, ExplainOptions, MachineAdapter, ModelRequest, Schema
from gristmill.web.adapters.changes import RowChanges
from gristmill.web.adapters.influences import deciders, has_deciders
from gristmill.web.limits import Limits, RefusedError, Watch, bad_input, check_most
from gristmill.web.openapi import LARGEST_VALUE
from gristmill.web.requests import number

Name = str | int

NUMBER = "0|[1-9][0-9]{0,9}"  # of a feature, as text
_NUMBER = re.compile(NUMBER)
_FEW = 3  # examples
_LOOKED_AT = 1000  # support rows, to choose them from
_SHORT = 40  # features of an example
_LOOK_UP = 10  # nanoseconds of a conjunction
_ROW, _EXPLAINED_ROW = 5_000, 100_000  # nanoseconds of Python for each


class RowsAdapter(MachineAdapter):
    """Scores and explains rows; completes the names of features."""

    kind = inputs = "rows"
    option_names: ClassVar[tuple[str, ...]] = ("output", "interactions", "without", "changes", "influence")

    def __init__(self, scorer: Scorer, limits: Limits, binarize: Binarize = 0.0) -> None:
        super().__init__(scorer, limits)
        self._explainer = Explainer(self.machine, groups=False, binarize=False)
        self._reader = RowReader(self.machine, binarize, limits)

    def facts(self) -> Answer:
        known = {"changes": RowChanges.searches(self.machine), "influence": has_deciders(self.machine)}
        return {**super().facts(), "values": self._reader.keeps_values, **known}

    def read(self, given: Any, where: str) -> Row:
        return self._reader.read(given, where)

    def score(self, inputs: Sequence[Row], watch: Watch) -> list[Answer]:
        return self._answered(inputs, self._scores(inputs, watch))

    def estimated_nanoseconds(self, query: ModelRequest) -> float:
        """By conjunctions that are looked up, else by postings and all support rows; for each output."""
        inputs, options = query
        scoring = sum(map(self._scoring, inputs)) + _ROW * len(inputs)
        if options is None:
            return scoring
        if options.changes or options.influence:
            return math.inf
        scoring += _EXPLAINED_ROW * len(inputs)
        shares = sum(2 * self._counting(row) * (len(row.ids) if options.interactions else 1) for row in inputs)
        others = sum(len(row.ids) * self._scoring(row) for row in inputs) if options.without else 0
        return scoring + shares * len(self.outputs) + others

    def _scoring(self, row: Row) -> float:
        if self.scorer.engine == "direct":
            return float(len(self.machine.rows.ids) * len(self.outputs))
        if self.scorer.engine in ("inverted", "bits"):
            return self._counting(row) * len(self.outputs)
        conjunctions = _LOOK_UP * (len(row.ids) + 1.0) ** self._longest
        rare = 0.0 if self.scorer.engine == "expanded" else self._counting(row)
        return (conjunctions + rare) * len(self.outputs)

    @functools.cached_property
    def _longest(self) -> int:
        return self.machine.feature_kernel.longest(self.machine.rows)

    def _counting(self, row: Row) -> float:
        """Overlaps with all support rows, by the lists of features."""
        return float(self._postings.of(np.asarray(row.ids)).sum() + self.machine.n_support)

    @functools.cached_property
    def _postings(self) -> IdTable:
        """How many support rows have each feature."""
        return IdTable(*np.unique(self.machine.rows.ids, return_counts=True), absent=0)

    def _answered(self, rows: Sequence[Row], scores: Floats) -> list[Answer]:
        return [_with_unknown(answer, row) for answer, row in zip(self._answers.of(scores), rows, strict=True)]

    def _scores(self, rows: Sequence[Row], watch: Watch) -> Floats:
        check_most("scores", len(rows) * len(self.outputs), self.limits.numbers)
        return self._trusted(rows_of(rows, self._reader.width), watch)

    def _trusted(self, X: Rows, watch: Watch) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):  # what leaves the range of doubles becomes null
            return trusted_scores(self.scorer, X, progress=watch)

    def explain(self, inputs: Sequence[Row], options: ExplainOptions, watch: Watch) -> list[Answer]:
        if options.interactions:
            pairs = sum(len(row.ids) * (len(row.ids) - 1) // 2 for row in inputs)
            check_most("pairs of features", pairs, self.limits.pairs)
        scores = self._scores(inputs, watch)
        return [
            {**answer, **self._explained(row, scored, options, watch)}
            for row, scored, answer in zip(inputs, scores, self._answered(inputs, scores), strict=True)
        ]

    def _explained(self, row: Row, scores: Floats, options: ExplainOptions, watch: Watch) -> Answer:
        """One row at a time: what is known of all at once may be more than memory holds."""
        watch()
        X = rows_of([row], self._reader.width)
        (explanation,) = self._explainer(X, interactions=options.interactions, progress=watch)
        (winner,) = self._answers.winners(scores[None])
        output = self._answers.explained_output(scores, winner, options.output)
        outputs = self._answers.outputs
        column = outputs.column(explanation.values, output)
        without = self._without(row, output, watch) if options.without else None
        names, parts = self._names(explanation, row), list[Answer]()
        for at in largest(column, None):
            part: Answer = {"name": names[at], "value": number(float(column[at]))}
            parts.append(part if without is None else {**part, "without": without[at]})
        found: Answer = {
            "output": outputs.name(output),
            "baseline": number(float(outputs.column(explanation.base, output))),
            "score": number(float(outputs.column(scores, output))),
            "features": parts,
        }
        if options.changes:
            found["changes"] = self._changes.of(X, watch)
        if options.influence:
            found["influence"] = deciders(self.machine, X, output, watch)
        return {**found, "interactions": self._pairs(explanation, row, output)} if options.interactions else found

    @functools.cached_property
    def _changes(self) -> RowChanges:
        return RowChanges(self.machine)

    def _without(self, row: Row, output: int, watch: Watch) -> list[Answer]:
        """The answer without each feature."""
        check_most("features in a row that are left out one by one", len(row.ids), self.limits.without)
        scores = self._trusted(ablated_rows(row.ids, row.values, _width(row.ids, self._reader.width)), watch)
        return [
            {**self._answers.verdict(one, winner), "score": number(score)}
            for one, winner, score in zip(
                scores.tolist(),
                self._answers.winners(scores),
                self._answers.outputs.column(scores, output).tolist(),
                strict=True,
            )
        ]

    def _pairs(self, explanation: RowExplanation, row: Row, output: int) -> list[Answer]:
        assert explanation.interactions is not None
        column = self._answers.outputs.column(explanation.interactions, output)
        pairs = list(combinations(self._names(explanation, row), 2))
        return [
            {"features": list(pairs[at]), "value": number(float(column[at]))}
            for at in largest(column, None)
            if column[at]
        ]

    def _names(self, explanation: RowExplanation, row: Row) -> Sequence[Name]:
        """What is explained, as the API calls it."""
        width = self._reader.width
        return [self._name(at) if at < width else row.unknown[at - width] for at in explanation.ids.tolist()]

    def _name(self, place: int) -> Name:
        names = self.machine.feature_names
        return names[place] if names else place + (self.machine.first_id or 0)

    def examples(self) -> list[Any]:
        """Support rows that weigh most, of each sign."""
        support, weights = self.machine.rows, np.asarray(self.machine.coef.sum(axis=1)).ravel()
        heavy = np.argsort(-np.abs(weights), kind="stable")[:_LOOKED_AT].tolist()
        fitting = [at for at in heavy if 0 < support.lengths[at] <= _SHORT]
        signs = [[at for at in fitting if weights[at] * sign > 0][:1] for sign in (1, -1)]
        chosen = list(dict.fromkeys([*signs[0], *signs[1], *fitting]))[:_FEW]
        return [self._listed(support.one(at)) for at in chosen]

    def _listed(self, row: Any) -> Any:
        names = [self._name(place) for place in row.ids.tolist()]
        return names if row.is_binary else {str(n): v for n, v in zip(names, row.values.tolist(), strict=True)}

    def features(self, prefix: str, limit: int) -> list[Answer]:
        return self._completion(prefix, limit)

    @functools.cached_property
    def _completion(self) -> Completion:
        return Completion(self.machine)

    @property
    def input_schema(self) -> Schema:
        named, first = self.machine.feature_names is not None, self.machine.first_id or 0
        return openapi.row(self.limits, named=named, first=first, digits=NUMBER)

    @property
    def scored_schema(self) -> Schema:
        return openapi.scored(openapi.UNKNOWN, optional=["unknown"])

    @property
    def explained_schema(self) -> Schema:
        known = openapi.UNKNOWN | openapi.EXPLAINED | openapi.FEATURES | openapi.CHANGES | openapi.INFLUENCE
        return openapi.scored(known, optional=["unknown", "interactions", "changes", "influence"])


def _with_unknown(answer: Answer, row: Row) -> Answer:
    return {**answer, "unknown": row.unknown} if row.unknown else answer


# --- rows of requests -------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """Ascending columns with their values, and features that the machine does not know.

    The first of these has the column behind all that are known, and so on, where it counts for the length of the row.
    """

    ids: list[int]
    values: list[float]
    unknown: list[Name]


class RowReader:
    """Finds the columns of features.

    Parameters
    ----------
    machine : Machine
    binarize : float, None or False
        What becomes of values other than 0 and 1; a machine with real support values computes with them.
    limits : Limits
    """

    def __init__(self, machine: Machine, binarize: Binarize, limits: Limits) -> None:
        names = machine.feature_names
        self._places = None if names is None else {name: place for place, name in enumerate(names)}
        self._first = machine.first_id or 0
        self._n_features = machine.n_features
        self._counts_unknown = machine.sees_lengths
        self.width = max(machine.n_features, len(names or ()))
        self._binarize: Binarize = binarize if machine.is_binary_valued else False
        self._limits = limits

    @property
    def keeps_values(self) -> bool:
        """Whether other values than 0 and 1 are computed with."""
        return self._binarize is False

    def read(self, given: Any, where: str) -> Row:
        """A list of names or numbers, or an object of values."""
        plain = self._plain(given)
        return self._checked(given, where) if plain is None else plain

    def _plain(self, given: Any) -> Row | None:
        """A list of different known features, as most rows are, at a tenth of the cost. Else None."""
        kind = int if self._places is None else str
        if type(given) is not list or len(given) > self._limits.features or set(map(type, given)) != {kind}:
            return None
        if self._places is None:
            columns = [number - self._first for number in given]
            is_known = min(columns) >= 0 and max(columns) < self._n_features
        else:
            columns = list(map(self._places.get, given))
            is_known = None not in columns
        if not is_known or len(set(columns)) < len(columns):
            return None
        return Row(sorted(columns), [1.0] * len(columns), [])

    def _checked(self, given: Any, where: str) -> Row:
        """Feature by feature, so that an error has its place."""
        if not isinstance(given, list | dict):
            raise bad_input("a row is a list of features or an object of values", given, where)
        check_most("features in a row", len(given), self._limits.features, where)
        found: dict[int, float] = {}
        unknown: dict[Name, float] = {}
        for at, name in enumerate(given):
            place = f"{where}[{at}]" if isinstance(given, list) else f"{where}.{name:.60}"
            value = self._value(given[name], place) if isinstance(given, dict) else 1.0
            column = self._column(name, place)
            if isinstance(name, str) != isinstance(next(iter(given)), str):
                raise RefusedError("bad_input", "the features of a row are all numbers, or all texts", place)
            if column in found or name in unknown:
                raise RefusedError("bad_input", f"the feature {name!r:.60} stands twice in the row", place)
            if column is None:
                unknown[name] = value
            else:
                found[column] = value
        if self._counts_unknown:
            found |= dict(enumerate(unknown.values(), self.width))
        ids = sorted(column for column, value in found.items() if value)
        return Row(ids, [found[column] for column in ids], list(unknown))

    def _column(self, name: Any, where: str) -> int | None:
        """None for a feature that the machine does not know."""
        if self._places is not None:
            if not isinstance(name, str):
                raise bad_input("the features of this model have names", name, where)
            return self._places.get(name)
        if not _is_number(name):
            raise bad_input("the features of this model are whole numbers", name, where)
        column = int(name) - self._first
        if not 0 <= column <= LARGEST_ID:
            last = LARGEST_ID + self._first
            raise bad_input(f"features are numbers from {self._first} to {last}", int(name), where)
        return column if column < self._n_features else None

    def _value(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise bad_input("the value of a feature is a number", value, where)
        if not -LARGEST_VALUE <= value <= LARGEST_VALUE:
            raise bad_input(f"values lie within {LARGEST_VALUE:g} of 0", value, where)
        if value in (0, 1) or self._binarize is False:
            return float(value)
        if self._binarize is None:
            raise bad_input("values are 0 or 1 here", value, where)
        return float(value > self._binarize)


def _is_number(name: Any) -> bool:
    if isinstance(name, str):
        return _NUMBER.fullmatch(name) is not None
    whole = isinstance(name, int) and not isinstance(name, bool)
    return whole or (isinstance(name, float) and name.is_integer())  # 3.0 is an integer in JSON


def rows_of(rows: Sequence[Row], n_features: int) -> Rows:
    """As scorers take them, with so many columns or more."""
    offsets = np.cumsum([0, *(len(row.ids) for row in rows)], dtype=np.int64)
    ids = [place for row in rows for place in row.ids]
    values = np.array([value for row in rows for value in row.values], dtype=np.float64)
    return Rows(
        offsets, np.array(ids, dtype=np.int32), NO_VALUES if (values == 1).all() else values, _width(ids, n_features)
    )


def _width(ids: Iterable[int], n_features: int) -> int:
    """The columns of rows with these ids."""
    return max(n_features, 1 + max(ids, default=-1))


# --- completion of names ----------------------------------------------------------------------------------------------


class Completion:
    """Features of the support rows by their first letters, in any case. Cost: the number of features that match."""

    def __init__(self, machine: Machine) -> None:
        used, support = np.unique(machine.rows.ids, return_counts=True)
        first, names = machine.first_id or 0, machine.feature_names
        listed: list[str | int] = [names[place] if names else place + first for place in used.tolist()]
        keys = [str(name).casefold() for name in listed]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = [keys[at] for at in order]
        self._names = [listed[at] for at in order]
        self._support = support[order]

    def __call__(self, prefix: str, limit: int) -> list[dict[str, Any]]:
        """Those with most support rows first, and by name among equals."""
        start = prefix.casefold()
        begin, end = bisect_left(self._keys, start), bisect_left(self._keys, start + chr(0x10FFFF))
        support = self._support[begin:end]
        chosen = np.argsort(-support, kind="stable")[:limit].tolist()
        return [{"name": self._names[begin + at], "support": int(support[at])} for at in chosen]
