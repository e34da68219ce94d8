"""Claim: C="auto" is nearly as good as the best C of a grid, on tables, words and trees, whatever the kernel.

Everything is judged by folds of training parts, no test set is looked at. The page is where the factors of
`gristmill.solvers.cost_scale` come from: what is lost by each factor, on average over all sets, against the best of
them. A hinge loss is that of KernelSVC, whose probabilities are by folds (gm.tune); a logistic one is solved here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import gristmill as gm
from benchmarks.auto_cost_sets import SETS, DataSet
from benchmarks.measure import Table, record
from gristmill.data.rows import as_rows
from gristmill.kernels import Kernel
from gristmill.solvers.cost_scale import FACTORS as CHOSEN
from gristmill.solvers.cost_scale import online_cost, scaled_cost, squared_lengths

Floats = NDArray[np.float64]

SIZE, FOLDS = 600, 5
SMALL, FEW = 400, 3  # logistic machines are dense
FACTORS = [10 ** (at / 2) for at in range(-4, 5)]
EPOCHS = 10
_STEPS, _CHANGE = 50, 1e-5  # of Newton's method
COLUMNS = [
    *("data", "classes", "kernel", "C", "accuracy, %", "at C = 1", "best", "factor of the best"),
    *("log loss", "at C = 1", "best"),
]


@dataclass
class Losses:
    """For one measure: what each factor loses against the best one, and what C = 1 loses, a row for each trial."""

    name: str
    chosen: float
    rows: list[list[float]] = field(default_factory=list)

    def add(self, scores: Any, at_one: float) -> None:
        best = max(*scores, at_one)
        self.rows.append([best - score for score in (*scores, at_one)])

    def lines(self) -> list[list[Any]]:
        """Means over all trials, and the largest losses."""
        table = np.array(self.rows)
        kinds: dict[str, Callable[..., Floats]] = {"mean": np.mean, "worst": np.max}
        marks = ["**{:.4f}**" if factor == self.chosen else "{:.4f}" for factor in (*FACTORS, None)]
        return [
            [self.name, kind, *(mark.format(value) for mark, value in zip(marks, how(table, axis=0), strict=True))]
            for kind, how in kinds.items()
        ]


def main(sets: Mapping[str, DataSet] = SETS, size: int = SIZE, small: int = SMALL) -> None:
    hinge, shares = (Losses(f"KernelSVC, {what}", CHOSEN["hinge"]) for what in ("accuracy", "log loss"))
    logistic = Losses("logistic, log loss", CHOSEN["logistic"])
    online = Losses("OnlineKernelClassifier, accuracy", 1.0)
    rows = []
    for name, data in sets.items():
        X, y = data.sample(size)
        for title, kernel in data.kernels.items():
            rows.append([name, len(np.unique(y)), title, *batch(X, y, kernel, hinge, shares)])
            if len(np.unique(y)) == 2:
                logistic.add(*logistic_scores(X, y, kernel, small))
            if isinstance(kernel, gm.PolynomialKernel):
                online.add(*online_scores(X, y, kernel))
            print(*rows[-1], sep="  ", flush=True)
    measures = [one for one in (hinge, shares, logistic, online) if one.rows]
    record(
        "auto_cost",
        "C by the scale of the data",
        COLUMNS,
        rows,
        [
            f"Samples of {size:,} examples of training parts; {FOLDS} folds. *C*: what C='auto' stands for in "
            "KernelSVC, a factor of 1 over the squared mean length of the examples in the space of the kernel. *best*: "
            f"of {len(FACTORS)} values, factors of 0.01 to 100, each sqrt(10) times the one before, and of C = 1.",
            "Log loss: probabilities by sigmoids of the other folds; the smaller, the better.",
            "What a factor loses: best score of the set and kernel minus its own; in bold the factor of 'auto'. "
            f"Logistic machines: two classes, {small} examples, {FEW} folds. Online: the factor of opal's C, "
            f"1 / (epochs * mean k(x, x)), {EPOCHS} epochs, {FEW} folds.",
            "Tables (adult, bank, german, breast_cancer, digits, wine, iris, diabetes) are encoded by TableEncoder.",
        ],
        {},
        more=[
            Table(
                "What each factor loses",
                ["what", "over all sets", *(f"{factor:.2g}" for factor in FACTORS), "C = 1"],
                [line for one in measures for line in one.lines()],
            )
        ],
    )


def quick() -> None:
    """A look in a minute or so."""
    main({name: SETS[name] for name in ("iris", "wine", "diabetes")}, size=150, small=100)


def batch(X: Any, y: NDArray[Any], kernel: Kernel, hinge: Losses, shares: Losses) -> list[Any]:
    """Cells of a row: by KernelSVC at 'auto', at 1 and at the best factor."""
    unit = scaled_cost(squared_lengths(kernel, kernel.examples(X)))
    costs = [factor * unit for factor in FACTORS]
    cells: list[Any] = [f"{unit:.3g}"]
    for scoring, losses in (("accuracy", hinge), ("neg_log_loss", shares)):
        found = gm.tune(
            *(X, y), kernels=kernel, C=[*costs, 1.0, "auto"], folds=FOLDS, search="exact", scoring=scoring, refit=False
        )
        scores = {trial.setting.C: trial.score for trial in found.trials}
        tried = [scores[cost] for cost in costs]
        losses.add(tried, scores[1.0])
        auto, one, best = scores["auto"], scores[1.0], max(*tried, scores[1.0])
        if scoring == "accuracy":
            cells += [f"{100 * value:.1f}" for value in (auto, one, best)]
            cells.append("C = 1" if one == best and best not in tried else f"{FACTORS[tried.index(best)]:.2g}")
        else:
            cells += [f"{-value:.3f}" for value in (auto, one, best)]
    return cells


# --- logistic loss ----------------------------------------------------------------------------------------------------


def logistic_scores(X: Any, y: NDArray[Any], kernel: Kernel, size: int) -> tuple[list[float], float]:
    """Negative log loss of each factor, and of C = 1."""
    data, y = kernel.examples(X[:size]), y[:size]
    gram, squares = kernel(data) + 1.0, squared_lengths(kernel, data)
    parts = list(StratifiedKFold(FEW, shuffle=True, random_state=0).split(y, y))
    unit = scaled_cost(squares)
    with threadpool_limits(limits=1):  # threads that wait for one another would take fifty times as long
        losses = [_logistic_loss(gram, y, parts, cost) for cost in (*(factor * unit for factor in FACTORS), 1.0)]
    return [-loss for loss in losses[:-1]], -losses[-1]


def _logistic_loss(gram: Floats, y: NDArray[Any], parts: Any, cost: float) -> float:
    found = []
    for learned, left in parts:
        weights = kernel_logistic(gram[np.ix_(learned, learned)], y[learned], cost)
        shares = 1 / (1 + np.exp(-gram[np.ix_(left, learned)] @ weights))
        found.append(log_loss(y[left], shares, labels=[0, 1]))
    return float(np.mean(found))


def kernel_logistic(gram: Floats, y: NDArray[Any], cost: float) -> Floats:
    """Minimises 1/2 a'Ka + C sum log(1 + exp(-y f)), f = Ka, by Newton's method with halved steps."""
    signs, a, f = 2.0 * y - 1, np.zeros(len(y)), np.zeros(len(y))

    def objective(a: Floats, f: Floats) -> float:
        return float(a @ f / 2 + cost * np.logaddexp(0, -signs * f).sum())

    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-f))
        curved = np.maximum(share * (1 - share), 1e-10)
        target = f + (y - share) / curved
        step = np.linalg.solve(gram + np.diag(1 / (cost * curved)), target) - a
        rise, now, size = gram @ step, objective(a, f), 1.0
        while size > _CHANGE and objective(a + size * step, f + size * rise) > now:
            size /= 2
        a, f = a + size * step, f + size * rise
        if size * np.abs(rise).max() < _CHANGE:
            break
    return a


# --- online learning --------------------------------------------------------------------------------------------------


def online_scores(X: Any, y: NDArray[Any], kernel: gm.PolynomialKernel) -> tuple[list[float], float]:
    """Accuracy at each factor, and at C = 1."""
    unit = online_cost(float(kernel.diag(as_rows(X)).mean()), EPOCHS)
    parts = list(StratifiedKFold(FEW, shuffle=True, random_state=0).split(y, y))
    found = []
    for cost in (*(factor * unit for factor in FACTORS), 1.0):
        clf = gm.OnlineKernelClassifier(kernel, C=cost, epochs=EPOCHS)
        found.append(float(np.mean([clf.fit(X[a], y[a]).score(X[b], y[b]) for a, b in parts])))
    return found[:-1], found[-1]


if __name__ == "__main__":
    main()
