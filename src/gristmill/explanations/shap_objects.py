"""Explanations as objects of shap, so that its plots can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.checks import check_positive_int
from gristmill.explanations.names import feature_name, output_number

if TYPE_CHECKING:
    from gristmill.explanations.explanation import Explanation

Floats = NDArray[np.float64]

PLENTY = 4 << 30  # bytes


def to_shap(
    told: Explanation, output: int | str | None, *, interactions: bool = False, max_features: int | None = None
) -> Any:
    """See `Explanation.to_shap`."""
    try:
        import shap
    except ImportError as error:
        raise ImportError("to_shap needs shap: pip install shap") from error
    outputs = list(range(len(told.base))) if output is None else [output_number(told.output_names, output)]
    columns = _Columns(told, outputs, max_features, dimensions=2 if interactions else 1)
    values = columns.matrices() if interactions else columns.values()
    base = np.broadcast_to(told.base[outputs], (len(told), len(outputs))).copy()
    names = [told.output_names[number] for number in outputs]
    single = len(outputs) == 1
    return shap.Explanation(
        values=values[..., 0] if single else values,
        base_values=base[:, 0] if single else base,
        data=columns.data(),
        feature_names=columns.names(),
        output_names=None if single else names,  # shap has no place for the name of one
    )


class _Columns:
    """Entries of rows in the columns of a table: all features of the machine, or some and one column for the others."""

    def __init__(self, told: Explanation, outputs: list[int], max_features: int | None, dimensions: int) -> None:
        self.told, self.outputs = told, outputs
        self.known = told.ids < told.machine.n_features  # features that the machine does not have add nothing
        self.rows = np.repeat(np.arange(len(told)), np.diff(told.offsets))[self.known]
        if max_features is None:
            self._keep_all(dimensions)
        else:
            check_positive_int("max_features", max_features)
            self._keep(max_features)
        self.width = len(self.features) + (self.others > 0)

    def _keep_all(self, dimensions: int) -> None:
        width = self.told.machine.n_features
        _check_size(len(self.told) * width**dimensions * len(self.outputs), width)
        self.features: NDArray[Any] = np.arange(width)
        self.place, self.others = self.told.ids[self.known].astype(np.intp), 0

    def _keep(self, most: int) -> None:
        """Columns for the features with the largest values only."""
        found, place = np.unique(self.told.ids[self.known], return_inverse=True)
        weight = np.bincount(place, np.abs(self.told.values[self.known][:, self.outputs]).sum(axis=1), len(found))
        heaviest = np.sort(np.argsort(-weight, kind="stable")[:most])
        number = np.full(len(found), len(heaviest), dtype=np.intp)
        number[heaviest] = np.arange(len(heaviest))
        self.features, self.place, self.others = found[heaviest], number[place], len(found) - len(heaviest)

    def names(self) -> list[str]:
        known = [feature_name(self.told.machine, int(feature)) for feature in self.features]
        return known + [f"{self.others} other features"] * (self.others > 0)

    def data(self) -> Floats:
        table = np.zeros((len(self.told), self.width))
        kept = self.place < len(self.features)
        table[self.rows[kept], self.place[kept]] = self.told.data[self.known][kept]
        return table

    def values(self) -> Floats:
        table = np.zeros((len(self.told), self.width, len(self.outputs)))
        np.add.at(table, (self.rows, self.place), self.told.values[self.known][:, self.outputs])
        return table

    def matrices(self) -> Floats:
        table = np.zeros((len(self.told), self.width, self.width, len(self.outputs)))
        for row, part in enumerate(self.told):
            own = self.rows == row
            known = np.flatnonzero(self.known[self.told.offsets[row] : self.told.offsets[row + 1]])
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
