"""The grid of a search: kernels x values of their parameters x C, as value objects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from gristmill.kernels import Kernel, as_kernel
from gristmill.kernels.by_name import SCALE
from gristmill.kernels.named import ROW_KERNELS, SEQUENCE_KERNELS, TREE_KERNELS
from gristmill.solvers.cost_scale import AUTO, check_cost

_STRUCTURE = ("kernel", "parts", "field")  # what kernels are made of, which is no parameter
_SCALED = ("rbf", "sigmoid")  # names whose gamma is 'scale', unless the grid says others
_FIXED = ("linear",)  # names that mean one kernel, whatever the grid says of degree, gamma and coef0

Item = TypeVar("Item")
Cost = float | Literal["auto"]


@dataclass(frozen=True)
class KernelSetting:
    """A kernel with all its parameters, its name, and the parameters that were varied."""

    name: str  # as the user named the kernel
    kernel: Kernel
    parameters: tuple[tuple[str, Any], ...] = ()  # those that were varied and that it has

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={_plain(value)}" for name, value in self.parameters)])

    def value(self, parameter: str) -> Any:
        """Of one that was varied; None where the kernel does not have it."""
        return dict(self.parameters).get(parameter)


@dataclass(frozen=True)
class Setting:
    """A kernel and C: what one machine is trained with."""

    kernel_setting: KernelSetting
    C: Cost

    @property
    def kernel(self) -> Kernel:
        return self.kernel_setting.kernel

    @property
    def cost(self) -> str:
        """C, to be read."""
        return self.C if isinstance(self.C, str) else f"{self.C:g}"

    @property
    def name(self) -> str:
        """Of the kernel, without its parameters."""
        return self.kernel_setting.name

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.kernel_setting.parameters)

    def __str__(self) -> str:
        return f"{self.kernel_setting} C={self.cost}"


@dataclass(frozen=True)
class Grid:
    """All combinations; C ascends, so that each machine can start from the solution before it; 'auto' comes last."""

    kernels: list[KernelSetting]
    costs: list[Cost]

    def __len__(self) -> int:
        return len(self.kernels) * len(self.costs)

    @property
    def settings(self) -> list[Setting]:
        return [Setting(kernel, cost) for kernel in self.kernels for cost in self.costs]


def make_grid(
    kernels: Any, costs: Any, parameters: Mapping[str, Any] | None, gamma: Callable[[str], float] | None = None
) -> Grid:
    """The grid of the parameters of `tune`, checked; `gamma` knows the number that 'scale' and 'auto' stand for."""
    values = {name: _listed(some, f"parameters[{name!r}]", "a value or a list") for name, some in _items(parameters)}
    number = _unknown if gamma is None else gamma
    named = _named(kernels, None if "gamma" in values else number)
    for name in values:
        if not any(_varies(called, kernel, name) for called, kernel in named):
            known = sorted({own for called, kernel in named if called not in _FIXED for own in parameters_of(kernel)})
            raise ValueError(f"no kernel has a parameter {name!r}; those of these kernels are {', '.join(known)}")
    made = [setting for called, kernel in named for setting in _variants(called, kernel, values, number)]
    return Grid(_different(made, lambda setting: setting.kernel), _costs(costs))


def parameters_of(kernel: Kernel) -> set[str]:
    """Names of everything that can be varied, also in the kernels that this one is made of."""
    assert is_dataclass(kernel)
    own = {field.name for field in fields(kernel)} - set(_STRUCTURE)
    return own.union(*(parameters_of(part) for part in _parts(kernel)))


def with_parameter(kernel: Kernel, name: str, value: Any) -> Kernel:
    """The kernel with this value wherever it, or one it is made of, has the parameter."""
    assert is_dataclass(kernel)
    changes: dict[str, Any] = {}
    for field in fields(kernel):
        held_out = getattr(kernel, field.name)
        if isinstance(held_out, Kernel):
            changes[field.name] = with_parameter(held_out, name, value)
        elif field.name == "parts":
            changes[field.name] = tuple(with_parameter(part, name, value) for part in held_out)
        elif field.name == name:
            changes[name] = value
    return replace(kernel, **changes)


def _variants(
    called: str, kernel: Kernel, values: Mapping[str, list[Any]], gamma: Callable[[str], float]
) -> Iterable[KernelSetting]:
    own = [name for name in values if _varies(called, kernel, name)]
    tried = [[_number(name, value, gamma) for value in values[name]] for name in own]
    for some in itertools.product(*tried):
        made = kernel
        for name, value in zip(own, some, strict=True):
            made = with_parameter(made, name, value)
        yield KernelSetting(called, made, tuple(zip(own, some, strict=True)))


def _number(name: str, value: Any, gamma: Callable[[str], float]) -> Any:
    return gamma(value) if name == "gamma" and isinstance(value, str) else value


def _unknown(word: str) -> float:
    raise ValueError(f"gamma must be a number here, got {word!r}: there are no rows to find it from")


def _varies(called: str, kernel: Kernel, parameter: str) -> bool:
    return called not in _FIXED and parameter in parameters_of(kernel)


def _parts(kernel: Any) -> Sequence[Kernel]:
    held = [getattr(kernel, name) for name in _STRUCTURE if hasattr(kernel, name)]
    return [part for one in held for part in (one if isinstance(one, tuple) else [one]) if isinstance(part, Kernel)]


def _as_kernel(kernel: Any, gamma: Callable[[str], float] | None) -> Kernel:
    if gamma is not None and isinstance(kernel, str) and kernel in _SCALED:
        return with_parameter(as_kernel(kernel), "gamma", gamma(SCALE))
    names = (*ROW_KERNELS, *TREE_KERNELS, *SEQUENCE_KERNELS)
    if isinstance(kernel, Kernel) or (isinstance(kernel, str) and kernel in names):
        return as_kernel(kernel)
    listed = ", ".join(map(repr, names))
    raise ValueError(f"kernels must be gristmill kernels or among {listed}, got {kernel!r}")


def _named(kernels: Any, gamma: Callable[[str], float] | None) -> list[tuple[str, Kernel]]:
    """Kernels and their names: the keys of a dict, the strings themselves, or the repr; `gamma` is for 'scale'."""
    if isinstance(kernels, Mapping):
        kernels = kernels.items()
    else:
        alone = isinstance(kernels, str | Kernel) or not isinstance(kernels, Iterable)
        chosen = [kernels] if alone else kernels
        kernels = [(kernel if isinstance(kernel, str) else repr(kernel), kernel) for kernel in chosen]
    pairs = _listed(kernels, "kernels", "as in kernels=['sst', 'ptk']")
    return [(str(name), _as_kernel(kernel, gamma)) for name, kernel in pairs]


def _costs(costs: Any) -> list[Cost]:
    values = _listed(costs, "C", "as in C=[0.1, 1, 10]")
    for value in values:
        check_cost(value)
    numbers: list[Cost] = sorted({float(value) for value in values if not isinstance(value, str)})
    return [*numbers, *([AUTO] if AUTO in values else [])]


def _items(parameters: Mapping[str, Any] | None) -> Iterable[tuple[str, Any]]:
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ValueError(f"parameters must be a dict, as {{'decay': [0.2, 0.4]}}, got {parameters!r}")
    return (parameters or {}).items()


def _listed(given: Any, name: str, example: str) -> list[Any]:
    """One value or several, as a list that is not empty."""
    alone = isinstance(given, str | Kernel) or not isinstance(given, Iterable)
    values = [given] if alone else [one.item() if isinstance(one, np.generic) else one for one in given]
    if not values:
        raise ValueError(f"{name} is empty: there is nothing to try; give at least one value, {example}")
    return values


def _different(items: list[Item], key: Any) -> list[Item]:
    """Without duplicates; the first of equal ones stays."""
    return list({key(item): item for item in reversed(items)}.values())[::-1]


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
