"""Checks of single parameters: ValueError with the name, what was expected and what was given."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_whole(value: Any) -> bool:
    """True for whole numbers, of Python or NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_positive_int(name: str, value: Any) -> None:
    """Raise ValueError unless it is a whole number from 1 on that the core can count."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1 on, got {value!r}")
    if value >= 2**63:
        raise ValueError(f"{name} must be a whole number below 2^63, got {value!r}")


def check_positive(name: str, value: Any, *, or_none: bool = False) -> None:
    """Raise ValueError unless it is a finite number above 0."""
    if or_none and value is None:
        return
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0{' or None' * or_none}, got {value!r}")


def check_not_negative(name: str, value: Any) -> None:
    """Raise ValueError unless it is a finite number, 0 or above."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number, 0 or above, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise ValueError unless it is a number above 0 and up to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
        raise ValueError(f"{name} must be a number above 0, up to 1, got {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Raise ValueError unless it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: Any, known: tuple[str | bool, ...]) -> None:
    """Raise ValueError unless it is one of the known names, or of True and False if these are known."""
    if not isinstance(value, str | bool) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def generator_of(random_state: Any) -> np.random.Generator:
    """The generator of a scikit-learn `random_state`: int, RandomState, Generator or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        expected = "a whole number from 0 on, a RandomState, a Generator or None"
        raise ValueError(f"random_state must be {expected}, got {random_state!r}") from None


def seed_of(random_state: Any) -> int:
    """A seed drawn by the `random_state`; the same int gives the same seed."""
    return int(generator_of(random_state).integers(2**63))
