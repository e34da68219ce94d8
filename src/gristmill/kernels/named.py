"""Kernels by name, and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from gristmill.kernels.base import Kernel
from gristmill.kernels.combined import FieldKernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.polynomial import PolynomialKernel
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
ROW_KERNELS: Mapping[str, PolynomialKernel] = {"poly": PolynomialKernel(), "linear": PolynomialKernel(1, 1.0, 0.0)}
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

_SIMPLE: Mapping[str, type[Any]] = {
    "polynomial": PolynomialKernel,
    "subtree": SubtreeKernel,
    "subset-tree": SubsetTreeKernel,
    "partial-tree": PartialTreeKernel,
    "ordered-tree": OrderedTreeKernel,
    "production-tree": ProductionTreeKernel,
    "subsequence": SubsequenceKernel,
}


def as_kernel(kernel: Any) -> Kernel:
    """A kernel, or the one with this name: 'poly' and 'linear' on rows; 'st', 'sst', ..., which are normalised.

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


def to_spec(kernel: Kernel) -> dict[str, Any]:
    """A kernel as plain data for JSON."""
    if isinstance(kernel, Normalized):
        return {"name": "normalized", "kernel": to_spec(kernel.kernel)}
    if isinstance(kernel, ScaledKernel):
        return {"name": "scaled", "weight": kernel.weight, "kernel": to_spec(kernel.kernel)}
    if isinstance(kernel, FieldKernel):
        return {"name": "field", "field": kernel.field, "kernel": to_spec(kernel.kernel)}
    if isinstance(kernel, SumKernel):
        return {"name": "sum", "parts": [to_spec(part) for part in kernel.parts]}
    for name, kind in _SIMPLE.items():
        if type(kernel) is kind:
            return {"name": name, **asdict(kernel)}  # type: ignore[call-overload]
    raise ValueError(f"{kernel!r} cannot be saved")


def from_spec(spec: Any) -> Kernel:
    """The kernel of such data; ValueError for anything else."""
    if not isinstance(spec, dict) or "name" not in spec:
        raise ValueError(f"no kernel: {spec!r}")
    rest = {key: value for key, value in spec.items() if key != "name"}
    name = spec["name"]
    try:
        if name == "normalized":
            return Normalized(from_spec(rest["kernel"]))
        if name == "scaled":
            return ScaledKernel(from_spec(rest["kernel"]), rest["weight"])
        if name == "field":
            return FieldKernel(from_spec(rest["kernel"]), rest["field"])
        if name == "sum":
            return SumKernel(tuple(from_spec(part) for part in rest["parts"]))
        kind = _SIMPLE[name]
        known = {field.name for field in fields(kind)}
        if set(rest) - known:
            raise ValueError(f"kernel {name!r} has no {sorted(set(rest) - known)}")
        kernel: Kernel = kind(**rest)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no kernel: {spec!r}") from error
    return kernel
