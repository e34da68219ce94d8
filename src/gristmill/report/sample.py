"""Some examples of many, chosen by a seed; whoever shows what was found on them says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of examples, ascending, of how many, by which seed."""

    numbers: NDArray[np.intp]
    of: int
    seed: int

    @property
    def said(self) -> str:
        """on 2,000 of 50,000 examples, chosen by seed 0"""
        return f"on {self.said_of('example')}"

    def said_of(self, noun: str) -> str:
        """2,000 of 50,000 sentences, chosen by seed 0"""
        if len(self.numbers) == self.of:
            return f"all {self.of:,} {noun}s" if self.of > 1 else f"the only {noun}"
        return f"{len(self.numbers):,} of {self.of:,} {noun}s, chosen by seed {self.seed}"


def sample(of: int, most: int, seed: int) -> Sample:
    """All, or so many by chance."""
    if of <= most:
        return Sample(np.arange(of), of, seed)
    return Sample(np.sort(np.random.default_rng(seed).choice(of, most, replace=False)), of, seed)
