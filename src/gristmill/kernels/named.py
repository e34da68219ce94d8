"""Kernels by name, and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from typing import Any

import numpy as np

from gristmill.kernels.base import Kernel
from gristmill.kernels.combined import FieldKernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.conjunction import ConjunctionKernel
from gristmill.kernels.overlap import OverlapKernel
from gristmill.kernels.polynomial import PolynomialKernel
from gristmill.kernels.sets import CosineKernel, DiceKernel, RBFKernel, SetKernel, SigmoidKernel, TanimotoKernel
from gristmill.kernels.trees import (
    OrderedTreeKernel,
    PartialTreeKernel,
    ProductionTreeKernel,
    SubsequenceKernel,
    SubsetTreeKernel,
    SubtreeKernel,
    TreeKernel,
)

# Names that are accepted wherever a kernel is. Tree and sequence kernels are normalised; the others are not.
ROW_KERNELS: Mapping[str, OverlapKernel] = {
    "poly": PolynomialKernel(),
    "linear": PolynomialKernel(1, 1.0, 0.0),
    "rbf": RBFKernel(),
    "tanimoto": TanimotoKernel(),
    "sigmoid": SigmoidKernel(),
    "cosine": CosineKernel(),
    "dice": DiceKernel(),
}
TREE_KERNELS: Mapping[str, Callable[..., TreeKernel]] = {
    "st": SubtreeKernel,
    "sst": SubsetTreeKernel,
    "sst-bow": lambda **options: SubsetTreeKernel(leaves=True, **options),
    "ptk": PartialTreeKernel,
    "uptk": lambda **options: PartialTreeKernel(single_nodes=False, **options),
    "lo": OrderedTreeKernel,
    "c": ProductionTreeKernel,
    "lo-marked": lambda **options: OrderedTreeKernel(marked=True, **options),
    "c-marked": lambda **options: ProductionTreeKernel(marked=True, **options),
}
SEQUENCE_KERNELS: Mapping[str, Callable[..., TreeKernel]] = {"subsequence": SubsequenceKernel}

_KINDS: Mapping[str, type[Any]] = {
    "normalized": Normalized,
    "scaled": ScaledKernel,
    "field": FieldKernel,
    "sum": SumKernel,
    "polynomial": PolynomialKernel,
    "rbf": RBFKernel,
    "tanimoto": TanimotoKernel,
    "sigmoid": SigmoidKernel,
    "cosine": CosineKernel,
    "dice": DiceKernel,
    "set": SetKernel,
    "conjunction": ConjunctionKernel,
    "subtree": SubtreeKernel,
    "subset-tree": SubsetTreeKernel,
    "partial-tree": PartialTreeKernel,
    "ordered-tree": OrderedTreeKernel,
    "production-tree": ProductionTreeKernel,
    "subsequence": SubsequenceKernel,
}


def as_kernel(kernel: Any) -> Kernel:
    """A kernel, or the one with this name: 'poly', 'rbf', ... on rows; 'st', 'sst', ..., which are normalised.

    Examples
    --------
    >>> from gristmill.kernels import as_kernel
    >>> as_kernel("poly"), as_kernel("sst")
    (PolynomialKernel(degree=2, gamma=1.0, coef0=1.0), Normalized(SubsetTreeKernel(decay=0.4, leaves=False)))
    """
    if isinstance(kernel, Kernel):
        return kernel
    normalised = {**TREE_KERNELS, **SEQUENCE_KERNELS}
    if isinstance(kernel, str) and kernel in ROW_KERNELS:
        return ROW_KERNELS[kernel]
    if isinstance(kernel, str) and kernel in normalised:
        return Normalized(normalised[kernel]())
    names = ", ".join(map(repr, (*ROW_KERNELS, *normalised)))
    raise ValueError(f"kernel must be a gristmill kernel or one of {names}, got {kernel!r}")


def to_spec(kernel: Any) -> dict[str, Any]:
    """A kernel as plain data for JSON: its name and its fields."""
    for name, kind in _KINDS.items():
        if type(kernel) is kind and not callable(getattr(kernel, "function", None)):
            written = (one for one in fields(kernel) if _is_written(one, getattr(kernel, one.name)))
            return {"name": name, **{one.name: _plain(getattr(kernel, one.name)) for one in written}}
    raise ValueError(f"{kernel!r} cannot be saved")


def _is_written(field: Field[Any], value: Any) -> bool:
    """Fields that came later are left out at their default, so that files stay as they were."""
    return field.metadata.get("saved") != "unless default" or bool(value != field.default)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [to_spec(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return to_spec(value) if isinstance(value, Kernel) else value


def from_spec(spec: Any) -> Kernel:
    """The kernel of such data; ValueError for anything else."""
    try:
        kind = _KINDS[spec["name"]]
        given = {key: _made(key, value) for key, value in spec.items() if key != "name"}
        unknown = sorted(given.keys() - {field.name for field in fields(kind)})
        if unknown:
            raise ValueError(f"kernel {spec['name']!r} has no {unknown}")
        kernel: Kernel = kind(**given)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no kernel: {spec!r}") from error
    return kernel


def _made(key: str, value: Any) -> Any:
    if key == "parts":
        return tuple(map(from_spec, value))
    return from_spec(value) if key == "kernel" else value
