"""Sample sizes: from one whose ranking can be trusted, by factors, to all examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.base.checks import check_whole

_FIRST = 600  # examples; see docs/tuning.md for how rankings agree from there on
_CUTTING_PLANES = (250, 1000)  # sample sizes that the paper finds enough for C and for kernels


@dataclass(frozen=True)
class Rung:
    """One sample size; the last rung is exact, on all examples."""

    number: int
    sample_size: int
    is_exact: bool


def make_rungs(search: str, given: Any, n_examples: int, smallest: int, factor: float) -> list[Rung]:
    """The rungs of a search; `smallest` examples hold all classes."""
    sizes = _checked(given, n_examples, smallest, search) if given is not None else []
    if given is None and search == "cutting-plane":
        sizes = [size for size in _CUTTING_PLANES if size < n_examples]
    elif given is None and search != "exact":
        sizes = _by_factors(n_examples, max(_FIRST, smallest), factor)
    return [Rung(at, size, size == n_examples) for at, size in enumerate([*sizes, n_examples])]


def _by_factors(n_examples: int, first: int, factor: float) -> list[int]:
    sizes, size = [], float(first)
    while size * min(factor, 1.5) <= n_examples:  # a sample of nearly everything would save nothing
        sizes.append(int(size))
        size *= max(factor, 2.0)
    return sizes


def _checked(given: Any, n_examples: int, smallest: int, search: str) -> list[int]:
    sizes = [given] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    for size in sizes:
        check_whole("sample_sizes", size)
        if size > n_examples:
            raise ValueError(f"sample_sizes: {size} is more than the {n_examples} examples there are; use smaller ones")
        if size < smallest and search != "cutting-plane":
            raise ValueError(
                f"sample_sizes: the first {size} examples do not hold every class in every fold; from {smallest} on "
                "they do"
            )
    if search == "exact" and sizes:
        raise ValueError("sample_sizes are of the other searches: 'exact' looks at all examples at once")
    return sorted({int(size) for size in sizes} - {n_examples})
