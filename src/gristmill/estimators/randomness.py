"""scikit-learn's `random_state` as a generator of numbers, or as a seed."""

from __future__ import annotations

from typing import Any

import numpy as np


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
