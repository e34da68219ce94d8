"""How far a small sample can be trusted: its ranking of settings beside the exact one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """Of one sample size, over the settings that were also judged exactly."""

    sample_size: int
    settings: int
    kendall: float  # tau-b; nan where a ranking has nothing but ties
    spearman: float
    regret: float  # exact score of the best minus that of the one this sample would choose


def agreement(sample_size: int, small: Sequence[float], exact: Sequence[float]) -> Agreement:
    """Scores of the same settings, on a sample and exact."""
    from scipy import stats

    chosen = max(range(len(small)), key=lambda at: (small[at], -at))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant rankings, for which nan says it all
        few = len(small) < 2
        kendall = float("nan") if few else float(stats.kendalltau(small, exact).statistic)
        spearman = float("nan") if few else float(stats.spearmanr(small, exact).statistic)
    return Agreement(sample_size, len(small), kendall, spearman, max(exact) - exact[chosen])
