"""What rows of features beside trees add to the scores of a machine, such as the words of the trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.explanations.explanation import Contribution, Explanation
from gristmill.explanations.names import heaviest
from gristmill.explanations.shapley import Explainer
from gristmill.kernels.components import Leaf, field_of
from gristmill.machines.machine import Machine

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Beside:
    """The features of one example in one field: what each adds, its Shapley value with the norm of the row held fixed.

    Features that no support example has add nothing, and are left out.
    """

    field: str
    ids: NDArray[np.int32]
    names: tuple[str, ...]
    values: Floats  # features x outputs

    def top(self, column: Floats, k: int | None = None) -> list[Contribution]:
        """Features that add or take most by these values, one for each; those of 0 are left out."""
        order = heaviest(column, k)
        return [Contribution((int(self.ids[at]),), self.names[at], float(column[at])) for at in order if column[at]]

    def as_list(self) -> list[dict[str, Any]]:
        """As JSON can hold it."""
        return [{"name": name, "values": values} for name, values in zip(self.names, self.values.tolist(), strict=True)]


class BesideExplainer:
    """Explains what one kernel of rows adds."""

    def __init__(self, leaf: Leaf) -> None:
        self.field = leaf.field or ""
        self._leaf = leaf
        none = np.zeros(leaf.coef.shape[1])
        self._explainer = Explainer(Machine(leaf.kernel, leaf.support, leaf.coef, none), binarize=False)

    def explain(self, data: Any, n_jobs: int | None) -> tuple[Explanation, Floats]:
        """All rows, and what each gets without any feature: rows x outputs."""
        rows = replace(field_of(data, self._leaf.field), feature_names=None)  # kernels do not look at names either
        told = self._explainer(rows, n_jobs=n_jobs)
        scale = self._leaf.scale(data, n_jobs)
        values = told.values * np.repeat(scale, np.diff(told.offsets))[:, None]
        return replace(told, values=values), scale[:, None] * told.base


def beside_trees(explainers: list[BesideExplainer], data: Any, n_jobs: int | None) -> tuple[list[list[Beside]], Floats]:
    """Of each example its features, field by field, and what it gets without any of them: examples x outputs."""
    told, bases = dict[str, Explanation](), list[Floats]()
    for explainer in explainers:
        found, base = explainer.explain(data, n_jobs)
        bases.append(base)
        before = told.get(explainer.field)
        told[explainer.field] = found if before is None else replace(found, values=before.values + found.values)
    fields = [[_known(field, found, at) for field, found in told.items()] for at in range(len(data))]
    return fields, np.sum(bases, axis=0)


def _known(field: str, told: Explanation, at: int) -> Beside:
    row = told[at]
    known = row.ids < row.machine.n_features
    names = tuple(name for name, is_known in zip(row.names, known.tolist(), strict=True) if is_known)
    return Beside(field, row.ids[known], names, row.values[known])
