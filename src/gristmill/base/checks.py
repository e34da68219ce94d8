"""Checks of single parameters, at the door: each refuses with what was got and what was wanted."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_whole(value: Any) -> bool:
    """True for whole numbers, of Python or NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_whole(name: str, value: Any) -> None:
    """Refuse what is no whole number from 1 on."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1 on, got {value!r}")


def check_positive(name: str, value: Any, *, or_none: bool = False) -> None:
    """Refuse what is no finite number above 0."""
    if or_none and value is None:
        return
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0{' or None' * or_none}, got {value!r}")


def check_not_negative(name: str, value: Any) -> None:
    """Refuse what is no finite number, 0 or above."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number, 0 or above, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Refuse what is no number above 0 up to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
        raise ValueError(f"{name} must be a number above 0, up to 1, got {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse what is not among the known names."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def generator_of(random_state: Any) -> np.random.Generator:
    """From an int, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        wanted = "a whole number from 0 on, a RandomState, a Generator or None"
        raise ValueError(f"random_state must be {wanted}, got {random_state!r}") from None


def seed_of(random_state: Any) -> int:
    """A number that stands for it; one that is a number stands for itself."""
    return int(generator_of(random_state).integers(2**63))
