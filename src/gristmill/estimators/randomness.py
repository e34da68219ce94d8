"""scikit-learn's `random_state` as a generator of numbers, or as a seed."""

from __future__ import annotations

from typing import Any

import numpy as np


def generator_of(random_state: Any) -> np.random.Generator:
    """From an int, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def seed_of(random_state: Any) -> int:
    """A number that stands for it; one that is a number stands for itself."""
    return int(generator_of(random_state).integers(2**63))
