"""Machines on rows of features."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from gristmill.data.rows import Binarize, Rows
from gristmill.explanations import Explainer, RowExplanation
from gristmill.explanations.ablation import ablated_rows
from gristmill.explanations.models import largest
from gristmill.scoring.scorer import Scorer
from gristmill.web import schemas
from gristmill.web.adapters.answers import Answers, Floats
from gristmill.web.adapters.base import Answer, Asked, Player, Schema, Wanted
from gristmill.web.adapters.completion import Completion
from gristmill.web.adapters.facts import machine_facts
from gristmill.web.adapters.row_inputs import NUMBER, Name, Row, RowReader, rows_of
from gristmill.web.limits import Limits
from gristmill.web.refusals import check_most
from gristmill.web.strict_json import number
from gristmill.web.watch import Watch

_FEW = 3  # examples
_LOOKED_AT = 1000  # support rows, to choose them from
_SHORT = 40  # features of an example
_LOOK_UP = 10  # nanoseconds of a conjunction
_ROW, _EXPLAINED_ROW = 5_000, 100_000  # nanoseconds of Python for each


class RowsPlayer(Player):
    """Scores and explains rows; completes the names of features."""

    kind = inputs = "rows"
    options = ("output", "interactions", "without")

    def __init__(self, scorer: Scorer, limits: Limits, binarize: Binarize = 0.0) -> None:
        super().__init__(limits)
        self.scorer, self.machine = scorer, scorer.machine
        self._answers = Answers(scorer)
        self._explainer = Explainer(self.machine, binarize=False)
        self._reader = RowReader(self.machine, binarize, limits)

    @property
    def outputs(self) -> tuple[str, ...]:
        return self._answers.outputs.all_names

    def facts(self) -> Answer:
        return {**machine_facts(self.machine, self.scorer), "values": self._reader.keeps_values}

    def read(self, given: Any, where: str) -> Row:
        return self._reader.read(given, where)

    def score(self, inputs: Sequence[Row], watch: Watch) -> list[Answer]:
        return self._answered(inputs, self._scores(inputs, watch))

    def effort(self, asked: Asked) -> float:
        """Of conjunctions that are looked up, else of postings and all support rows; for each output."""
        inputs, wanted = asked
        scoring = sum(map(self._scoring, inputs)) + _ROW * len(inputs)
        if wanted is None:
            return scoring
        scoring += _EXPLAINED_ROW * len(inputs)
        shares = sum(2 * self._counting(row) * (len(row.ids) if wanted.interactions else 1) for row in inputs)
        others = sum(len(row.ids) * self._scoring(row) for row in inputs) if wanted.without else 0
        return scoring + shares * len(self.outputs) + others

    def _scoring(self, row: Row) -> float:
        if self.scorer.engine == "direct":
            return float(len(self.machine.support.ids) * len(self.outputs))
        if self.scorer.engine == "inverted":
            return self._counting(row) * len(self.outputs)
        conjunctions = _LOOK_UP * (len(row.ids) + 1.0) ** self.machine.kernel.degree
        rare = 0.0 if self.scorer.engine == "expanded" else self._counting(row)
        return (conjunctions + rare) * len(self.outputs)

    def _counting(self, row: Row) -> float:
        """Overlaps with all support rows, by the lists of features."""
        return float(self._postings[row.ids].sum() + self.machine.n_support)

    @functools.cached_property
    def _postings(self) -> Floats:
        """How many support rows have each feature."""
        known = max(self.machine.n_features, len(self.machine.feature_names or ()))
        return np.bincount(self.machine.support.ids, minlength=known).astype(np.float64)

    def _answered(self, rows: Sequence[Row], scores: Floats) -> list[Answer]:
        return [_with_unknown(answer, row) for answer, row in zip(self._answers.of(scores), rows, strict=True)]

    def _scores(self, rows: Sequence[Row], watch: Watch) -> Floats:
        check_most("scores", len(rows) * len(self.outputs), self.limits.numbers)
        return self._trusted(rows_of(rows, self.machine.n_features), watch)

    def _trusted(self, X: Rows, watch: Watch) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):  # what leaves the range of doubles is told as null
            return self.scorer.trusted_scores(X, progress=watch)

    def explain(self, inputs: Sequence[Row], wanted: Wanted, watch: Watch) -> list[Answer]:
        if wanted.interactions:
            pairs = sum(len(row.ids) * (len(row.ids) - 1) // 2 for row in inputs)
            check_most("pairs of features", pairs, self.limits.pairs)
        scores = self._scores(inputs, watch)
        return [
            {**answer, **self._explained(row, scored, wanted, watch)}
            for row, scored, answer in zip(inputs, scores, self._answered(inputs, scores), strict=True)
        ]

    def _explained(self, row: Row, scores: Floats, wanted: Wanted, watch: Watch) -> Answer:
        """One row at a time: what is known of all at once may be more than memory holds."""
        watch()
        X = rows_of([row], self.machine.n_features)
        (told,) = self._explainer(X, interactions=wanted.interactions, progress=watch)
        (winner,) = self._answers.winners(scores[None])
        output = self._answers.told(scores, winner, wanted.output)
        outputs = self._answers.outputs
        column = outputs.column(told.values, output)
        without = self._without(row, output, watch) if wanted.without else None
        parts: list[Answer] = []
        for at in largest(column, None):
            part: Answer = {"name": self._name(row.ids[at]), "value": number(float(column[at]))}
            parts.append(part if without is None else {**part, "without": without[at]})
        found: Answer = {
            "output": outputs.name(output),
            "baseline": number(float(outputs.column(told.base, output))),
            "score": number(float(outputs.column(scores, output))),
            "features": parts,
        }
        return {**found, "interactions": self._pairs(told, output)} if wanted.interactions else found

    def _without(self, row: Row, output: int, watch: Watch) -> list[Answer]:
        """The answer if a feature were not there, for each of them."""
        check_most("features in a row that are left out one by one", len(row.ids), self.limits.without)
        scores = self._trusted(ablated_rows(row.ids, row.values, self.machine.n_features), watch)
        return [
            {**self._answers.verdict(one, winner), "score": number(score)}
            for one, winner, score in zip(
                scores.tolist(),
                self._answers.winners(scores),
                self._answers.outputs.column(scores, output).tolist(),
                strict=True,
            )
        ]

    def _pairs(self, told: RowExplanation, output: int) -> list[Answer]:
        assert told.interactions is not None
        column = self._answers.outputs.column(told.interactions, output)
        names = list(map(self._name, told.ids.tolist()))
        pairs = list(combinations(names, 2))
        return [
            {"features": list(pairs[at]), "value": number(float(column[at]))}
            for at in largest(column, None)
            if column[at]
        ]

    def _name(self, place: int) -> Name:
        names = self.machine.feature_names
        return names[place] if names else place + (self.machine.first_id or 0)

    def examples(self) -> list[Any]:
        """Support rows that weigh most, of each sign."""
        support, weights = self.machine.support, np.asarray(self.machine.coef.sum(axis=1)).ravel()
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
        return schemas.row(self.limits, named=named, first=first, digits=NUMBER)

    @property
    def scored_schema(self) -> Schema:
        return schemas.scored(schemas.UNKNOWN, optional=["unknown"])

    @property
    def explained_schema(self) -> Schema:
        known = schemas.UNKNOWN | schemas.EXPLAINED | schemas.FEATURES
        return schemas.scored(known, optional=["unknown", "interactions"])


def _with_unknown(answer: Answer, row: Row) -> Answer:
    return {**answer, "unknown": row.unknown} if row.unknown else answer
