"""Importance: what features and pairs of them add on average over a data set."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int32s, Int64s
from gristmill.data.rows import most_columns
from gristmill.display.bars import aligned, signed_bars
from gristmill.display.page import notebook
from gristmill.display.words import counted
from gristmill.explanations.explanation import Contribution, Explanation
from gristmill.explanations.groups import Groups, n_players, player_name
from gristmill.explanations.models import largest, output_names, output_number
from gristmill.explanations.pictures import importance_picture
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class Importance:
    """Averages over all rows of a data set; rows that do not have a feature count as 0.

    Parameters
    ----------
    machine : Machine
    rows : int
        Number of rows.
    magnitudes, means : arrays of shape (features of the machine or groups of them, outputs)
        Averages of ``|phi|`` and of phi.
    counts : int64 array
        Number of rows that have each feature.
    pairs : int32 array of shape (pairs, 2) or None
        Pairs of features that some row has, most important first, over all outputs.
    pair_magnitudes, pair_means : arrays of shape (pairs, outputs) or None
        Averages of ``|interaction|`` and of interactions.
    pair_counts : int64 array or None
    groups : Groups or None
        Where groups of columns are explained, such as the fields of a table: features are then numbers of groups.
    features : int32 array or None
        The features that the first three arrays are of, ascending. None: all of them; a machine with far more columns
        than entries has those of the rows alone.
    """

    machine: Machine
    rows: int
    magnitudes: Floats
    means: Floats
    counts: Int64s
    pairs: Int32s | None = None
    pair_magnitudes: Floats | None = None
    pair_means: Floats | None = None
    pair_counts: Int64s | None = None
    groups: Groups | None = None
    features: Int32s | None = None

    @property
    def output_names(self) -> tuple[str, ...]:
        return output_names(self.machine)

    def top(self, k: int | None = None, output: int | str | None = None) -> list[Contribution]:
        """Features with the largest mean ``|phi|``, of one output or over all; those of 0 are left out."""
        column = self._column(self.magnitudes, output)
        return [
            Contribution((feature,), player_name(self.machine, self.groups, feature), float(column[at]))
            for at, feature in ((at, self._feature(at)) for at in largest(column, k) if column[at])
        ]

    def mean(self, feature: int, output: int = 0) -> float:
        """The average of phi of one feature, for the output with this number."""
        return float(self.means[self._place(feature), output])

    def _feature(self, at: int) -> int:
        """The feature of a place in the arrays."""
        return int(at) if self.features is None else int(self.features[at])

    def _place(self, feature: int) -> int:
        return feature if self.features is None else int(np.searchsorted(self.features, feature))

    def top_pairs(self, k: int | None = None, output: int | str | None = None) -> list[Contribution]:
        """Pairs with the largest mean ``|interaction|``."""
        if self.pairs is None or self.pair_magnitudes is None:
            raise ValueError("there are no interactions: use importance(machine, X, interactions=True)")
        column, found = self._column(self.pair_magnitudes, output), []
        for at in [at for at in largest(column, k) if column[at]]:
            one, other = (int(feature) for feature in self.pairs[at])
            name = " & ".join(player_name(self.machine, self.groups, feature) for feature in (one, other))
            found.append(Contribution((one, other), name, float(column[at])))
        return found

    def _column(self, table: Floats, output: int | str | None) -> Floats:
        if output is None:
            return np.asarray(table.sum(axis=1))
        return np.asarray(table[:, output_number(self.output_names, output)])

    def draw(self, output: int | str | None = None, top: int = 20) -> str:
        """Text with a bar for each of the most important features, and pairs."""
        parts = [f"mean |value| over {self.rows:,} rows", *_drawn(self.top(top, output))]
        if self.pairs is not None:
            parts += ["", "mean |interaction|", *_drawn(self.top_pairs(top, output))]
        return "\n".join(parts)

    __str__ = draw

    def _repr_html_(self) -> str:
        return notebook(importance_picture(self))

    def as_dict(self, output: int | str | None = None, top: int | None = None) -> dict[str, Any]:
        """As plain data for JSON, most important features first."""
        found: dict[str, Any] = {
            "rows": self.rows,
            "features": [
                {
                    "feature": one.features[0],
                    "name": one.name,
                    "magnitude": one.value,
                    "count": int(self.counts[self._place(one.features[0])]),
                }
                for one in self.top(top, output)
            ],
        }
        if self.pairs is not None:
            found["interactions"] = [
                {"features": list(one.features), "name": one.name, "magnitude": one.value}
                for one in self.top_pairs(top, output)
            ]
        return found

    def to_json(self, output: int | str | None = None, top: int | None = None) -> str:
        return json.dumps(self.as_dict(output, top), allow_nan=False)

    def __repr__(self) -> str:
        pairs = "" if self.pairs is None else f", {counted(len(self.pairs), 'pair')}"
        return f"Importance({counted(self.rows, 'row')}, {counted(int((self.counts > 0).sum()), 'feature')}{pairs})"


class Totals:
    """Running sums over explanations."""

    def __init__(self, machine: Machine, interactions: bool, groups: Groups | None = None) -> None:
        self.machine, self.groups, self.rows = machine, groups, 0
        self.players = n_players(machine, groups)
        is_wide = groups is None and machine.n_features > most_columns(machine.rows)
        self.features: Int32s | None = np.empty(0, dtype=np.int32) if is_wide else None
        size = 0 if is_wide else self.players
        self.magnitudes, self.sums = np.zeros((2, size, machine.n_outputs))
        self.counts = np.zeros(size, dtype=np.int64)
        self.pairs = _core.PairTotals(machine.n_outputs) if interactions else None

    def add(self, explanation: Explanation) -> None:
        """Add the rows of an explanation; features beyond the columns of the machine are left out."""
        known = explanation.ids < self.players
        places, values = self._places(explanation.ids[known]), explanation.values[known]
        size = len(self.counts)
        for output in range(self.machine.n_outputs):
            column = np.ascontiguousarray(values[:, output])
            self.sums[:, output] += np.bincount(places, column, size)
            self.magnitudes[:, output] += np.bincount(places, np.abs(column), size)
        self.counts += np.bincount(places[explanation.data[known] != 0], minlength=size)
        self.rows += len(explanation)
        if self.pairs is not None and explanation.interactions is not None:
            self.pairs.add(explanation.offsets, explanation.ids, explanation.interactions)

    def _places(self, ids: Int32s) -> Indices:
        """Where the sums of these features stand; there is room for new ones."""
        if self.features is None:
            return ids.astype(np.intp)
        both = np.union1d(self.features, ids)
        old, self.features = np.searchsorted(both, self.features), both
        for name in ("magnitudes", "sums", "counts"):
            sums = getattr(self, name)
            wider = np.zeros((len(both), *sums.shape[1:]), dtype=sums.dtype)
            wider[old] = sums
            setattr(self, name, wider)
        return np.searchsorted(both, ids)

    def importance(self) -> Importance:
        """The averages so far."""
        rows = max(self.rows, 1)
        plain = self.machine, self.rows, self.magnitudes / rows, self.sums / rows, self.counts
        if self.pairs is None:
            return Importance(*plain, groups=self.groups, features=self.features)
        shape = len(self.pairs), self.machine.n_outputs
        magnitudes = self.pairs.magnitudes().reshape(shape) / rows
        order = np.argsort(-magnitudes.sum(axis=1), kind="stable")
        return Importance(
            *plain,
            self.pairs.features().reshape(-1, 2)[order],
            magnitudes[order],
            self.pairs.sums().reshape(shape)[order] / rows,
            self.pairs.examples()[order],
            self.groups,
            self.features,
        )


def _drawn(found: list[Contribution]) -> list[str]:
    bars = signed_bars(one.value for one in found)
    lines = [("  " + one.name, f"{one.value:.4g}", drawn) for one, drawn in zip(found, bars, strict=True)]
    return aligned(lines, right=(1,)) if lines else ["  (none)"]
