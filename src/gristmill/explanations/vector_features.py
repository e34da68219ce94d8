"""What the features of vectors next to trees add to the scores of a machine, such as the words of the trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Int32s
from gristmill.explanations.explanation import Contribution, Explanation
from gristmill.explanations.models import largest
from gristmill.explanations.shapley import Explainer
from gristmill.kernels import FeatureKernel
from gristmill.kernels.components import Component, field_of
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class VectorFeatures:
    """The features of one example in one field, with their Shapley values; the norm of the vector is held fixed.

    Features that no support example has add nothing, and are left out.
    """

    field: str
    ids: Int32s
    names: tuple[str, ...]
    values: Floats  # features x outputs

    def top(self, column: Floats, k: int | None = None) -> list[Contribution]:
        """Features of largest magnitude in a column of values, one number per feature; those of 0 are left out."""
        order = largest(column, k)
        return [Contribution((int(self.ids[at]),), self.names[at], float(column[at])) for at in order if column[at]]

    def as_list(self) -> list[dict[str, Any]]:
        """As plain data for JSON."""
        return [{"name": name, "values": values} for name, values in zip(self.names, self.values.tolist(), strict=True)]


class VectorExplainer:
    """Explains what one kernel of rows adds."""

    def __init__(self, component: Component) -> None:
        kernel, coef = component.kernel, component.coef
        if not isinstance(kernel, FeatureKernel):
            raise ValueError(f"neither the nodes of trees nor features can explain what {kernel!r} adds to a score")
        self.field = component.field or ""
        self._component = component
        machine = Machine(kernel, component.support, coef, np.zeros(coef.shape[1]))
        self._explainer = Explainer(machine, binarize=False)

    def explain(self, data: Any, n_jobs: int | None) -> tuple[Explanation, Floats]:
        """All rows, and the score of each without any feature: rows x outputs."""
        rows = replace(field_of(data, self._component.field), feature_names=None)  # kernels ignore names too
        found = self._explainer(rows, n_jobs=n_jobs)
        scale = self._component.scale(data, n_jobs)
        values = found.values * np.repeat(scale, np.diff(found.offsets))[:, None]
        return replace(found, values=values), scale[:, None] * found.base


def vector_features(
    explainers: list[VectorExplainer], data: Any, n_jobs: int | None
) -> tuple[list[list[VectorFeatures]], Floats]:
    """For each example its features, field by field, and its score without any of them: examples x outputs."""
    fields, bases = dict[str, Explanation](), list[Floats]()
    for explainer in explainers:
        found, base = explainer.explain(data, n_jobs)
        bases.append(base)
        before = fields.get(explainer.field)
        fields[explainer.field] = found if before is None else replace(found, values=before.values + found.values)
    features = [[_known(field, found, at) for field, found in fields.items()] for at in range(len(data))]
    return features, np.sum(bases, axis=0)


def _known(field: str, found: Explanation, at: int) -> VectorFeatures:
    row = found[at]
    known = row.ids < row.machine.n_features
    names = tuple(name for name, is_known in zip(row.names, known.tolist(), strict=True) if is_known)
    return VectorFeatures(field, row.ids[known], names, row.values[known])
