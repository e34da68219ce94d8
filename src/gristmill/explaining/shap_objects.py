"""Explanations as objects of shap, so that its plots can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gristmill.checks import check_whole
from gristmill.explaining.names import feature_name, output_number

if TYPE_CHECKING:
    from gristmill.explaining.explanation import Explanation

Floats = NDArray[np.float64]


def to_shap(
    told: Explanation, output: int | str | None, *, interactions: bool = False, max_features: int | None = None
) -> Any:
    """See `Explanation.to_shap`."""
    try:
        import shap
    except ImportError as error:
        raise ImportError("to_shap needs shap: pip install shap") from error
    outputs = list(range(len(told.base))) if output is None else [output_number(told.output_names, output)]
    columns = _Columns(told, outputs, max_features)
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
    """Entries of rows in the columns of a table: the features that some row has, the last column for all others."""

    def __init__(self, told: Explanation, outputs: list[int], max_features: int | None) -> None:
        self.told, self.outputs = told, outputs
        self.features, place = np.unique(told.ids, return_inverse=True)
        self.rows = np.repeat(np.arange(len(told)), np.diff(told.offsets))
        self.others = 0
        if max_features is not None:
            check_whole("max_features", max_features)
            place = self._keep(max_features, place)
        self.place = place
        self.width = len(self.features) + (self.others > 0)

    def _keep(self, most: int, place: NDArray[np.intp]) -> NDArray[np.intp]:
        if len(self.features) <= most:
            return place
        weight = np.abs(self.told.values[:, self.outputs]).sum(axis=1)
        heaviest = np.argsort(-np.bincount(place, weight, len(self.features)), kind="stable")[:most]
        self.others = len(self.features) - most
        number = np.full(len(self.features), most, dtype=np.intp)
        number[np.sort(heaviest)] = np.arange(most)
        self.features = self.features[np.sort(heaviest)]
        return number[place]

    def names(self) -> list[str]:
        known = [feature_name(self.told.machine, int(feature)) for feature in self.features]
        return known + [f"{self.others} other features"] * (self.others > 0)

    def data(self) -> Floats:
        table = np.zeros((len(self.told), self.width))
        kept = self.place < len(self.features)
        table[self.rows[kept], self.place[kept]] = self.told.data[kept]
        return table

    def values(self) -> Floats:
        table = np.zeros((len(self.told), self.width, len(self.outputs)))
        np.add.at(table, (self.rows, self.place), self.told.values[:, self.outputs])
        return table

    def matrices(self) -> Floats:
        table = np.zeros((len(self.told), self.width, self.width, len(self.outputs)))
        for row, part in enumerate(self.told):
            place = self.place[self.told.offsets[row] : self.told.offsets[row + 1]]
            for column, output in enumerate(self.outputs):
                np.add.at(table[row, :, :, column], (place[:, None], place[None, :]), part.matrix(output))
        return table
