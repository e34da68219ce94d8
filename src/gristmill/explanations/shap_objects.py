"""Explanations as shap objects, for shap's plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.checks import check_positive_int
from gristmill.explanations.groups import player_name
from gristmill.explanations.models import output_number

if TYPE_CHECKING:
    from gristmill.explanations.explanation import Explanation

PLENTY = 4 << 30  # bytes


def to_shap(
    explanation: Explanation, output: int | str | None, *, interactions: bool = False, max_features: int | None = None
) -> Any:
    """See `Explanation.to_shap`."""
    try:
        import shap
    except ImportError as error:
        raise ImportError("to_shap needs shap: pip install shap") from error
    names = explanation.output_names
    outputs = list(range(len(names))) if output is None else [output_number(names, output)]
    columns = _Columns(explanation, outputs, max_features, dimensions=2 if interactions else 1)
    values = columns.matrices() if interactions else columns.values()
    base = np.broadcast_to(explanation.base[outputs], (len(explanation), len(outputs))).copy()
    single = len(outputs) == 1
    return shap.Explanation(
        values=values[..., 0] if single else values,
        base_values=base[:, 0] if single else base,
        data=columns.data(),
        feature_names=columns.names(),
        output_names=None if single else list(names),  # shap has no place for a single name
    )


class _Columns:
    """Entries of rows in the columns of a table: all features of the machine, or some and one column for the others."""

    def __init__(self, explanation: Explanation, outputs: list[int], max_features: int | None, dimensions: int) -> None:
        self.explanation, self.outputs = explanation, outputs
        self.known = explanation.ids < explanation.n_players  # other features add nothing
        self.rows = np.repeat(np.arange(len(explanation)), np.diff(explanation.offsets))[self.known]
        if max_features is None:
            self._keep_all(dimensions)
        else:
            check_positive_int("max_features", max_features)
            self._keep(max_features)
        self.width = len(self.features) + (self.others > 0)

    def _keep_all(self, dimensions: int) -> None:
        width = self.explanation.n_players
        _check_size(len(self.explanation) * width**dimensions * len(self.outputs), width)
        self.features: NDArray[Any] = np.arange(width)
        self.place, self.others = self.explanation.ids[self.known].astype(np.intp), 0

    def _keep(self, most: int) -> None:
        """Columns for the features with the largest values only."""
        found, place = np.unique(self.explanation.ids[self.known], return_inverse=True)
        magnitudes = np.abs(self.explanation.values[self.known][:, self.outputs]).sum(axis=1)
        weight = np.bincount(place, magnitudes, len(found))
        heaviest = np.sort(np.argsort(-weight, kind="stable")[:most])
        number = np.full(len(found), len(heaviest), dtype=np.intp)
        number[heaviest] = np.arange(len(heaviest))
        self.features, self.place, self.others = found[heaviest], number[place], len(found) - len(heaviest)

    def names(self) -> list[str]:
        explained = self.explanation
        known = [player_name(explained.machine, explained.groups, int(feature)) for feature in self.features]
        return known + [f"{self.others} other features"] * (self.others > 0)

    def data(self) -> Floats:
        table = np.zeros((len(self.explanation), self.width))
        kept = self.place < len(self.features)
        table[self.rows[kept], self.place[kept]] = self.explanation.data[self.known][kept]
        return table

    def values(self) -> Floats:
        table = np.zeros((len(self.explanation), self.width, len(self.outputs)))
        np.add.at(table, (self.rows, self.place), self.explanation.values[self.known][:, self.outputs])
        return table

    def matrices(self) -> Floats:
        table = np.zeros((len(self.explanation), self.width, self.width, len(self.outputs)))
        for row, part in enumerate(self.explanation):
            own = self.rows == row
            known = np.flatnonzero(self.known[self.explanation.offsets[row] : self.explanation.offsets[row + 1]])
            for column, output in enumerate(self.outputs):
                matrix = part.matrix(output)[np.ix_(known, known)]
                np.add.at(table[row, :, :, column], np.ix_(self.place[own], self.place[own]), matrix)
        return table


def _check_size(numbers: int, width: int) -> None:
    if 8 * numbers > PLENTY:
        raise ValueError(
            f"a table of all {width:,} features of the machine takes {8 * numbers / (1 << 30):.1f} GiB: "
            "give max_features, or fewer rows at a time, or use to_csr"
        )
