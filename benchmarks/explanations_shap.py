"""The same fitted SVC explained by gristmill and by shap, against the same baseline: the row without any feature.

shap's explainers know nothing of the model but a function. They are given that of the SVC, and that of
`gm.accelerate`, so that what is left is their own cost. ExactExplainer goes through all 2^n subsets of the n features
of a row, where they are few enough for it; its values are asserted to be gristmill's.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import gristmill as gm
from benchmarks import conll, links, svm_contest
from benchmarks.cost_cases import distinct
from benchmarks.examples import Data, sample
from benchmarks.explanations_check import TOLERANCE, check
from benchmarks.machines import magnitude
from benchmarks.measure import Timing, in_turn, seconds_of

Floats = NDArray[np.float64]

OURS, PAIRS, SINGLE = "gristmill", "gristmill, with interactions", "gristmill, a row at a time"
KERNEL, PERMUTATION, EXACT = "KernelExplainer", "PermutationExplainer", "ExactExplainer"
OF_SVC, OF_OURS = "SVC", "gm.accelerate"
ALL_FEATURES = f"{KERNEL}, l1_reg=False"
BATCH, SINGLES, SEED = 2_000, 200, 1
MANY = 16  # features of a row beyond which ExactExplainer refuses
HAS_SHAP = importlib.util.find_spec("shap") is not None


@dataclass(frozen=True)
class Case:
    """What the SVC learns from, and how many rows shap explains in a round."""

    name: str
    load: Callable[[], tuple[Data, Data]]
    degree: int
    C: float
    train: int
    rows: int

    def __str__(self) -> str:
        return f"{self.name} d={self.degree}"


CASES = (
    Case("a9a", partial(svm_contest.load, "a9a"), 2, 0.01, 5_000, 10),
    Case("a9a", partial(svm_contest.load, "a9a"), 3, 0.0001, 5_000, 10),
    Case("BaseNP", conll.load, 2, 1.0, 2_000, 8),
    Case("links", links.load, 3, 1.0, 2_000, 6),
)
QUICK = (Case("BaseNP", conll.load, 2, 1.0, 300, 2),)


@dataclass(frozen=True)
class Error:
    """Of estimates: beside the mean |value|; and the share of rows where the three largest come in a wrong order."""

    largest: float
    mean: float
    reordered: float


@dataclass(frozen=True)
class Standing:
    """One explainer, and the function that it calls; `timing` is of one explanation."""

    explainer: str
    function: str
    timing: Timing
    error: Error | None


@dataclass(frozen=True)
class Contest:
    """All explainers of one machine."""

    case: str
    support: int
    columns: int
    rows: int  # that shap explained in a round
    longest: int  # features of these
    standings: list[Standing]

    def find(self, explainer: str, function: str = "") -> Standing | None:
        wanted = explainer, function
        return next((one for one in self.standings if (one.explainer, one.function) == wanted), None)


def compare(case: Case, rounds: int) -> Contest:
    """Ours is right, then all take turns."""
    svc, X = fitted(case)
    machine, rows = gm.from_sklearn(svc), distinct(X)
    rows = rows.take(np.arange(min(BATCH, len(rows))))
    check(machine, rows)
    X = rows.to_csr()
    X.resize(len(rows), svc.shape_fit_[1])
    few = X[: case.rows].toarray()
    clocks: dict[tuple[str, str], Callable[[], float]] = {(name, ""): clock for name, clock in _ours(svc, X).items()}
    errors: dict[tuple[str, str], Error] = {}
    with threadpool_limits(1):
        if HAS_SHAP:
            for name, explain in _theirs(svc, few).items():
                errors[name] = _error(name[0], machine, few, explain(few))
                clocks[name] = partial(_each, partial(explain, few), len(few))
        numbers = {str(number): clock for number, clock in enumerate(clocks.values())}
        timings = in_turn(numbers, rounds).values()
    standings = [Standing(*name, timing, errors.get(name)) for name, timing in zip(clocks, timings, strict=True)]
    return Contest(str(case), machine.n_support, few.shape[1], len(few), _longest(few), standings)


def fitted(case: Case) -> tuple[SVC, sp.csr_matrix]:
    """The SVC, and rows that it has not seen, over the features that it has: shap makes dense matrices of them."""
    train, (queries, _) = case.load()
    X, y = sample(train, case.train)
    known = np.flatnonzero(X.getnnz(axis=0))
    svc = SVC(kernel="poly", degree=case.degree, gamma=1.0, coef0=1.0, C=case.C, cache_size=500).fit(X[:, known], y)
    chosen = np.random.default_rng(SEED).permutation(queries.shape[0])[: 2 * BATCH]
    return svc, queries[chosen][:, known]


def _ours(svc: SVC, X: sp.csr_matrix) -> dict[str, Callable[[], float]]:
    """Matrices of scipy, as users have them: checking them is part of it."""
    explainer = gm.Explainer(svc)
    rows = [X[at] for at in range(min(SINGLES, X.shape[0]))]
    return {
        OURS: partial(_each, partial(explainer, X), X.shape[0]),
        PAIRS: partial(_each, partial(explainer, X, interactions=True), X.shape[0]),
        SINGLE: partial(_each, lambda: [explainer(row) for row in rows], len(rows)),
    }


def _theirs(svc: SVC, few: Floats) -> Mapping[tuple[str, str], Callable[[Floats], Floats]]:
    """With their default budgets."""
    import shap

    np.random.seed(SEED)  # shap draws from there
    nothing = np.zeros((1, few.shape[1]))
    masker = shap.maskers.Independent(nothing)
    found: dict[tuple[str, str], Callable[[Floats], Floats]] = {}
    functions = {OF_SVC: svc.decision_function, OF_OURS: gm.accelerate(svc).decision_function}
    for name, function in functions.items():
        kernel = shap.KernelExplainer(function, nothing)
        found[KERNEL, name] = partial(kernel.shap_values, silent=True)
        found[PERMUTATION, name] = _values_of(shap.PermutationExplainer(function, masker, seed=SEED))
    found[ALL_FEATURES, OF_OURS] = partial(kernel.shap_values, silent=True, l1_reg=False)
    if _longest(few) <= MANY:
        found[EXACT, OF_OURS] = _values_of(shap.ExactExplainer(function, masker))
    return found


def _values_of(explainer: Any) -> Callable[[Floats], Floats]:
    return lambda X: np.asarray(explainer(X, silent=True).values)


def _error(explainer: str, machine: gm.Machine, few: Floats, estimates: Floats) -> Error:
    """Of shap's values; AssertionError where they claim to be exact and are not ours."""
    values = np.zeros(few.shape)
    for at, row in enumerate(gm.Explainer(machine)(few)):
        values[at, row.ids] = row.values[:, 0]
    if explainer == EXACT:
        assert np.all(np.abs(estimates - values) <= TOLERANCE * magnitude(machine, few)[:, None])
    return error_of(values, estimates, few != 0)


def error_of(values: Floats, estimates: Floats, present: NDArray[np.bool_]) -> Error:
    """Over the features that rows have."""
    apart, unit = np.abs(estimates - values)[present], np.abs(values[present]).mean()
    lost = _three(values, values) - _three(values, estimates)  # what ties leave equal is no error
    wrong = (np.abs(lost) > TOLERANCE * unit).any(axis=1)
    return Error(float(apart.max() / unit), float(apart.mean() / unit), float(wrong.mean()))


def _three(values: Floats, order: Floats) -> Floats:
    """|values| of the features that are the three largest by another account."""
    places = np.argsort(-np.abs(order), axis=1, kind="stable")[:, :3]
    return np.abs(np.take_along_axis(values, places, axis=1))


def _longest(few: Floats) -> int:
    return int((few != 0).sum(axis=1).max())


def _each(call: Callable[[], Any], count: int) -> float:
    return seconds_of(call) / count
