"""Some examples of many, chosen by a random state; whoever shows what was found on them says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of examples, ascending, of how many, by which random state."""

    numbers: NDArray[np.intp]
    of: int
    random_state: int

    @property
    def said(self) -> str:
        """on 2,000 of 50,000 examples, chosen by random state 0"""
        return f"on {self.said_of('example')}"

    def said_of(self, noun: str) -> str:
        """2,000 of 50,000 sentences, chosen by random state 0"""
        if len(self.numbers) == self.of:
            return f"all {self.of:,} {noun}s" if self.of > 1 else f"the only {noun}"
        return f"{len(self.numbers):,} of {self.of:,} {noun}s, chosen by random state {self.random_state}"


def sample(of: int, most: int, random_state: int) -> Sample:
    """All, or so many by chance."""
    if of <= most:
        return Sample(np.arange(of), of, random_state)
    return Sample(np.sort(np.random.default_rng(random_state).choice(of, most, replace=False)), of, random_state)
