"""Steps that put others together, or choose columns: pipelines, ColumnTransformer, FeatureUnion, feature selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from gristmill.estimators.encodings.parts import Part, cannot, converts, parts_after


@converts(Pipeline)
def chained(step: Any, parts: Sequence[Part]) -> list[Part]:
    """One after the other."""
    for _, own in step.steps:
        parts = _through(own, parts)
    return list(parts)


@converts(ColumnTransformer)
def side_by_side(step: Any, parts: Sequence[Part]) -> list[Part]:
    """Each of its own columns."""
    _check_no_weights(step)
    found: list[Part] = []
    for name, own, _ in step.transformers_:
        chosen = [parts[at] for at in step._transformer_to_input_indices[name]]
        found += _through(own, chosen) if chosen else []
    return found


@converts(FeatureUnion)
def united(step: Any, parts: Sequence[Part]) -> list[Part]:
    """Each of all columns."""
    _check_no_weights(step)
    return [part for _, own in step.transformer_list for part in _through(own, parts)]


@converts(FrozenEstimator)
def frozen(step: Any, parts: Sequence[Part]) -> list[Part]:
    """The transformer inside."""
    return parts_after(step.estimator, parts)


@converts(SelectorMixin)
def chosen(step: Any, parts: Sequence[Part]) -> list[Part]:
    """Those that feature selection keeps."""
    return [part for part, kept in zip(parts, step.get_support(), strict=True) if kept]


@converts(FunctionTransformer)
def unchanged(step: Any, parts: Sequence[Part]) -> list[Part]:
    """Without a function, columns as they are."""
    if step.func is not None:
        raise cannot(step, "it calls a function", "apply it to the table before")
    return list(parts)


def _through(step: Any, parts: Sequence[Part]) -> list[Part]:
    if isinstance(step, str) and step == "drop":
        return []
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return list(parts)
    return parts_after(step, parts)


def _check_no_weights(step: Any) -> None:
    if step.transformer_weights:
        raise cannot(step, "transformer_weights make other values than 0 and 1", "leave them out")
