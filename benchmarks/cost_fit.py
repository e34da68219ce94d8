"""Constants of the cost model, fitted to what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from gristmill.scoring.row_engines import Term


@dataclass(frozen=True)
class Sample:
    """What an engine touches a row, and the nanoseconds it took."""

    terms: list[Term]
    measured: float


@dataclass(frozen=True)
class Constant:
    """Nanoseconds of one thing touched: as shipped and as fitted; no fit where it was never touched."""

    name: str
    shipped: float
    fitted: float | None


def fit(samples: Sequence[Sample]) -> list[Constant]:
    """Constants from zero on whose sums have the least relative errors, squared. All samples are of one engine."""
    counts = np.array([[term.count for term in sample.terms] for sample in samples])
    measured = np.array([sample.measured for sample in samples])
    found, _ = nnls(counts / measured[:, None], np.ones(len(samples)))
    return [
        Constant(term.name, term.each, float(constant) if touched else None)
        for term, constant, touched in zip(samples[0].terms, found, counts.sum(axis=0) > 0, strict=True)
    ]


def refitted(terms: Sequence[Term], constants: Sequence[Constant]) -> float:
    """What the fitted constants expect."""
    return sum(term.count * (constant.fitted or 0.0) for term, constant in zip(terms, constants, strict=True))
