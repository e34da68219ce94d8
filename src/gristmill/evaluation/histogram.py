"""Histograms of several groups of numbers over the same bins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gristmill.display.charts import Plot

Floats = NDArray[np.float64]

BINS = 40


def histogram(name: str, title: str, x: str, groups: Mapping[str, Floats]) -> Plot:
    """How many examples of each group have a number in each of 40 bins between the lowest and the highest of all."""
    filled = {group: numbers for group, numbers in groups.items() if len(numbers)}
    edges = _edges(np.concatenate(list(filled.values())) if filled else np.zeros(1))
    series = {}
    for group, numbers in filled.items():
        counts, _ = np.histogram(numbers, edges)
        series[group] = list(zip(edges.tolist(), [*counts.tolist(), 0], strict=True))
    return Plot(name, title, x, "examples", series, styles=dict.fromkeys(series, "bars"))


def _edges(numbers: Floats) -> Floats:
    low, high = float(numbers.min()), float(numbers.max())
    if not high > low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    distinct = np.unique(edges)  # numbers so close that bins between them have no width
    return distinct if len(distinct) > 1 else np.array([low, np.nextafter(low, np.inf)])
