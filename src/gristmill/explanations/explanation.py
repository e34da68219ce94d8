"""Explanation: what each feature of some rows adds to their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.data.rows import NO_VALUES, Rows
from gristmill.display.bars import aligned, first_few, signed_bars
from gristmill.display.page import notebook
from gristmill.display.words import counted
from gristmill.explanations.groups import Groups, n_players
from gristmill.explanations.models import Outputs, feature_name, largest, output_names, output_number
from gristmill.explanations.pictures import FEW, first_pictures, row_picture
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import class_numbers

if TYPE_CHECKING:
    import shap


class Contribution(NamedTuple):
    """What a feature, or a pair of features, adds to one output."""

    features: tuple[int, ...]
    name: str
    value: float


@dataclass(frozen=True, eq=False)
class RowExplanation:
    """One row: `base` and the values add up to its score, exactly but for rounding.

    Parameters
    ----------
    machine : Machine
    ids : array
        Features, ascending.
    data : array
        Their values in the row.
    values : array of shape (features, outputs)
        Shapley values.
    base : array of shape (outputs,)
        The score of the baseline.
    interactions : array of shape (pairs, outputs) or None
        Shapley interactions of pairs (0, 1), (0, 2), ..., (1, 2), ...
    groups : Groups or None
        What players are, where they are groups of columns: `ids` are then their numbers, and `data` that of the column
        which is present, from 1 on, or 0.
    row : Rows or None
        The row itself, where there are groups.
    """

    machine: Machine
    ids: Int32s
    data: Floats
    values: Floats
    base: Floats
    interactions: Floats | None
    groups: Groups | None = field(default=None, kw_only=True)
    row: Rows | None = field(default=None, kw_only=True)

    @property
    def score(self) -> Floats:
        """One number per output."""
        return np.asarray(self.base + self.values.sum(axis=0))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the features; "no x" for one that only the baseline has, "x = 2.5" for values other than 0 and 1."""
        if self.groups is not None and self.row is not None:
            return self.groups.texts(self.ids, self.row)
        named = (feature_name(self.machine, int(feature)) for feature in self.ids)
        return tuple(_with_value(name, float(value)) for name, value in zip(named, self.data, strict=True))

    @property
    def noun(self) -> str:
        """What a player is."""
        return "feature" if self.groups is None else "column"

    @property
    def output_names(self) -> tuple[str, ...]:
        return output_names(self.machine)

    @cached_property
    def outputs(self) -> Outputs:
        """What can be explained: outputs, and classes of one-vs-one machines."""
        return Outputs.of(self.machine)

    @cached_property
    def predicted(self) -> int:
        """The output or class that is explained by default: that of the predicted class."""
        scheme = self.machine.scheme
        return self.outputs.predicted(self.score, self._class() if scheme.has_labels else 0, scheme)

    def _class(self) -> int:
        """The predicted class by the direct engine: sums of values round, and scores may be that close."""
        engine = self.machine.compile("direct", binarize=False)
        if self.row is not None:
            return int(class_numbers(engine, self.row)[0])
        present = self.data != 0
        values = NO_VALUES if (self.data[present] == 1).all() else self.data[present]
        offsets = np.array([0, present.sum()], dtype=np.int64)
        row = Rows(offsets, self.ids[present], values, self.machine.n_features)
        return int(class_numbers(engine, row)[0])

    def output(self, output: int | str | None) -> int:
        """The number of an output or class, given by number or name; None: `predicted`."""
        return self.predicted if output is None else self.outputs.number(output)

    def _column(self, table: Floats, output: int | str | None) -> Floats:
        return self.outputs.column(table, self.output(output))

    def top(self, k: int | None = None, output: int | str | None = None) -> list[Contribution]:
        """Features that add most, up or down; features that add nothing are left out."""
        column, names = self._column(self.values, output), self.names
        return [
            Contribution((int(self.ids[at]),), names[at], float(column[at])) for at in largest(column, k) if column[at]
        ]

    def top_pairs(self, k: int | None = None, output: int | str | None = None) -> list[Contribution]:
        """Pairs that interact most; pairs that do not are left out."""
        column, names = self._column(self._pairs(), output), self.names
        one, other = np.triu_indices(len(self.ids), 1)
        return [
            Contribution(
                (int(self.ids[one[at]]), int(self.ids[other[at]])),
                f"{names[one[at]]} & {names[other[at]]}",
                float(column[at]),
            )
            for at in largest(column, k)
            if column[at]
        ]

    def matrix(self, output: int | str | None = None) -> Floats:
        """Interactions as shap's TreeExplainer has them, features x features, all of it adding up to score - base.

        Each side of the diagonal has half of an interaction; the diagonal has the rest of the feature's own value.
        """
        n = len(self.ids)
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = self._column(self._pairs(), output) / 2
        matrix += matrix.T
        np.fill_diagonal(matrix, self._column(self.values, output) - matrix.sum(axis=1))
        return matrix

    def _pairs(self) -> Floats:
        if self.interactions is None:
            raise ValueError("there are no interactions: use explain(machine, X, interactions=True)")
        return self.interactions

    def draw(self, output: int | str | None = None, top: int = 10) -> str:
        """Text with a bar for each of the features that add most: '#' up, '-' down."""
        number = self.output(output)
        lines = [("baseline", _number(self._column(self.base, number)), "")]
        lines += self._drawn(self.top(None, number), top, self.noun)
        lines += [(f"score ({self.outputs.name(number)})", _number(self._column(self.score, number)), "")]
        if self.interactions is not None and (pairs := self.top_pairs(None, number)):
            lines += [("", "", ""), ("interactions", "", ""), *self._drawn(pairs, top, "pair")]
        return "\n".join(aligned(lines, right=(1,)))

    def _drawn(self, found: list[Contribution], top: int, what: str) -> list[tuple[str, str, str]]:
        shown, rest = found[:top], found[top:]
        if len(rest) == 1:
            shown, rest = found, []
        bars = signed_bars(one.value for one in shown)
        lines = [("  " + one.name, f"{one.value:+.4g}", drawn) for one, drawn in zip(shown, bars, strict=True)]
        if rest and what != "pair":  # interactions do not add up to the score: their rest means nothing
            lines.append((f"  {len(rest)} other {what}s", f"{sum(one.value for one in rest):+.4g}", ""))
        return lines

    __str__ = draw

    def _repr_html_(self) -> str:
        return notebook(row_picture(self))

    def to_json(self, output: int | str | None = None) -> str:
        return json.dumps(self.as_dict(output), allow_nan=False)

    def as_dict(self, output: int | str | None = None) -> dict[str, Any]:
        """One output as plain data for JSON; features that add most come first."""
        number = self.output(output)
        found: dict[str, Any] = {
            "output": self.outputs.name(number),
            "baseline": float(self._column(self.base, number)),
            "score": float(self._column(self.score, number)),
            "features": [
                {"feature": one.features[0], "name": one.name, "value": one.value} for one in self.top(None, number)
            ],
        }
        if self.interactions is not None:
            found["interactions"] = [
                {"features": list(one.features), "name": one.name, "value": one.value}
                for one in self.top_pairs(None, number)
            ]
        return found


@dataclass(frozen=True, eq=False)
class Explanation(Sequence[RowExplanation]):
    """What the features of rows add to their scores, in flat arrays; made by `gristmill.explain`.

    ``explanation[i]`` is the explanation of one row; they can be counted, iterated and printed.

    Parameters
    ----------
    machine : Machine
    offsets : int64 array, one more than there are rows
        Where each row begins in `ids`, `data` and `values`.
    ids, data : arrays
        Features of the rows, and their values there. With a baseline also the features that only the baseline has.
    values : array of shape (entries, outputs)
        Shapley values.
    base : array of shape (outputs,)
        The score of the baseline.
    interactions : array of shape (pairs, outputs) or None
        Shapley interactions of the pairs of each row, (0, 1), (0, 2), ..., (1, 2), ...
    groups : Groups or None
        What players are, where they are groups of columns, such as the fields of a table: `ids` are then their numbers,
        and `data` that of the column which is present, from 1 on, or 0.
    rows : Rows or None
        The rows themselves, where there are groups.
    """

    machine: Machine
    offsets: Int64s
    ids: Int32s
    data: Floats
    values: Floats
    base: Floats
    interactions: Floats | None = None
    groups: Groups | None = None
    rows: Rows | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, at: int) -> RowExplanation: ...
    @overload
    def __getitem__(self, at: slice) -> list[RowExplanation]: ...
    def __getitem__(self, at: int | slice) -> RowExplanation | list[RowExplanation]:
        found = range(len(self))[at]
        return self._row(found) if isinstance(found, int) else [self._row(one) for one in found]

    def _row(self, at: int) -> RowExplanation:
        part = slice(self.offsets[at], self.offsets[at + 1])
        pairs = None
        if self.interactions is not None:
            pairs = self.interactions[self.pair_offsets[at] : self.pair_offsets[at + 1]]
        row = None if self.rows is None else self.rows.one(at)
        found = self.machine, self.ids[part], self.data[part], self.values[part], self.base, pairs
        return RowExplanation(*found, groups=self.groups, row=row)

    def __iter__(self) -> Iterator[RowExplanation]:
        return (self[row] for row in range(len(self)))

    @cached_property
    def pair_offsets(self) -> Int64s:
        """Where each row begins in `interactions`."""
        return pair_offsets(self.offsets)

    @property
    def output_names(self) -> tuple[str, ...]:
        return output_names(self.machine)

    @property
    def n_players(self) -> int:
        """Columns of the machine, or groups of them."""
        return n_players(self.machine, self.groups)

    @property
    def scores(self) -> Floats:
        """Rows x outputs: base and values added up."""
        sums = np.zeros((len(self) + 1, len(self.base)))
        filled = np.flatnonzero(np.diff(self.offsets))
        if len(filled):
            sums[filled] = np.add.reduceat(self.values, self.offsets[filled], axis=0)
        return np.asarray(self.base + sums[:-1])

    def to_csr(self, output: int | str | None = None) -> sp.csr_matrix:
        """The values of one output as a sparse matrix, rows x features of the machine, or groups of them.

        Parameters
        ----------
        output : int, str or None
            None: the only one.
        """
        if output is None and len(self.base) != 1:
            raise ValueError(f"say which output: one of {', '.join(map(repr, self.output_names))}")
        number = 0 if output is None else output_number(self.output_names, output)
        width = max(self.n_players, int(self.ids.max(initial=-1)) + 1)
        values = sp.csr_matrix((self.values[:, number], self.ids, self.offsets), shape=(len(self), width))
        values.resize(len(self), self.n_players)  # features that the machine does not have add nothing
        return values

    def to_shap(
        self, output: int | str | None = None, *, interactions: bool = False, max_features: int | None = None
    ) -> shap.Explanation:
        """The same as a `shap.Explanation`, for shap's plots. Needs shap.

        Parameters
        ----------
        output : int, str or None
            One output; None: all, if there are several.
        interactions : bool
            Matrices of interactions instead of values.
        max_features : int or None
            Columns for so many features, those with the largest values in these rows. One more column has the sum of
            all others, so that rows still add up. None: all features of the machine, so that several explanations
            have the same columns.
        """
        from gristmill.explanations.shap_objects import to_shap

        return to_shap(self, output, interactions=interactions, max_features=max_features)

    def as_dict(self, output: int | str | None = None) -> dict[str, Any]:
        """Row by row, one output each, as plain data for JSON."""
        return {"rows": [row.as_dict(output) for row in self]}

    def to_json(self, output: int | str | None = None) -> str:
        return json.dumps(self.as_dict(output), allow_nan=False)

    def __str__(self) -> str:
        """The first rows, drawn."""
        return first_few(self, "row")

    def _repr_html_(self) -> str:
        return notebook(first_pictures([row_picture(row) for row in self[:FEW]], "row", len(self)))

    def __repr__(self) -> str:
        rows = counted(len(self), "row")
        pairs = "" if self.interactions is None else f", {counted(len(self.interactions), 'interaction')}"
        return f"Explanation({rows}, {counted(len(self.ids), 'value')}{pairs}, {counted(len(self.base), 'output')})"


def pair_offsets(offsets: Int64s) -> Int64s:
    """Where the pairs of each row begin, and their end."""
    lengths = np.diff(offsets)
    return np.concatenate([[0], np.cumsum(lengths * (lengths - 1) // 2)]).astype(np.int64)


def _with_value(name: str, value: float) -> str:
    return name if value == 1 else f"no {name}" if value == 0 else f"{name} = {value:.4g}"


def _number(value: Any) -> str:
    return f"{float(value) + 0.0:.4g}"  # a zero has no sign
