"""What a budget of support rows costs in accuracy: the related work that Yoshinaga and Kitsuregawa 2010 name.

The oldest row is forgotten for a new one. Orabona, Keshet and Caputo 2009 found such learners no better than one that
stops as soon as it has so many rows, so that stands beside it. Coefficients are the last ones: averages would have the
rows that were forgotten as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gristmill as gm
from benchmarks.chunking import cpu_seconds
from benchmarks.examples import Data
from benchmarks.measure import Table

BLOCK = 100  # examples between two looks at the number of support rows
COLUMNS = ["budget", "support rows", "CPU seconds", "accuracy, %", "stopped at so many, %"]


def table(train: Data, test: Data, settings: dict[str, Any], budgets: Sequence[int]) -> Table:
    """Of one task, without a budget first."""
    rows = [_row(budget, train, test, settings) for budget in (None, *budgets)]
    return Table("A budget of support rows", COLUMNS, rows)


def _row(budget: int | None, train: Data, test: Data, settings: dict[str, Any]) -> list[str]:
    model = gm.OnlineKernelClassifier(**settings, budget=budget, averaged=False)
    seconds = cpu_seconds(lambda: model.fit(*train))
    assert budget is None or model.machine_.n_support <= budget
    stopped = "" if budget is None else f"{100 * _stopped(budget, train, settings).score(*test):.2f}"
    support = f"{model.machine_.n_support:,}"
    name = "none" if budget is None else f"{budget:,}"
    return [name, support, f"{seconds:.2f}", f"{100 * model.score(*test):.2f}", stopped]


def _stopped(budget: int, train: Data, settings: dict[str, Any]) -> gm.OnlineKernelClassifier:
    """What was learned when there were so many support rows."""
    (X, y), classes = train, sorted(set(train[1].tolist()))
    model = gm.OnlineKernelClassifier(**settings, averaged=False)
    for begin in range(0, X.shape[0], BLOCK):
        model.partial_fit(X[begin : begin + BLOCK], y[begin : begin + BLOCK], classes=classes)
        if model.stats_.support >= budget:
            break
    return model
