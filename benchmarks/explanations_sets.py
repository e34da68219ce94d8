"""Claim: exact Shapley values under kernels that are no polynomials, beside shap's estimates and shapiq's exact ones.

A fitted SVC with an RBF kernel on binary rows, and the same support rows under the Tanimoto kernel. shapiq's
ProductKernelExplainer is exact as well and drops absent columns from the kernel, a game of its own: it stands beside
`absent="dropped"`, and its values are asserted to be the same. shap's explainers compare with the row without any
feature, as gristmill does by default.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.svm import SVC

import gristmill as gm
from benchmarks.cost_cases import distinct
from benchmarks.examples import Data, sample
from benchmarks.explanations_check import TOLERANCE, assert_adds_up, by_subsets, ids_of
from benchmarks.machines import magnitude
from benchmarks.measure import Timing, corpora, cpu_seconds_of, in_turn, record
from gristmill.data.rows import Rows

Floats = NDArray[np.float64]

SCORES, OURS, PAIRS, AGAINST = "scores, inverted", "values", "values and interactions", "against another row"
GROUPED, WIDTH = "groups of nine columns", 9
DROPPED, SINGLE = 'absent="dropped"', 'absent="dropped", a row at a time'
SHAPIQ, KERNEL, EXACT = "shapiq, ProductKernelExplainer", "shap, KernelExplainer", "shap, ExactExplainer"
ROUNDS, BATCH, SINGLES, SEED = 3, 1_000, 50, 1
SLOW = 5.0  # seconds for a row: what takes longer is timed once
MANY = 16  # features of a row beyond which ExactExplainer refuses
SHORT, CHECKED = 8, 3  # features, and rows, that are held against all subsets
COLUMNS = ["machine", "support rows", "features a row", "explainer", "us a row", "fastest", "slowest", "over scores"]
HAS_SHAP, HAS_SHAPIQ = (importlib.util.find_spec(name) is not None for name in ("shap", "shapiq"))


@dataclass(frozen=True)
class Case:
    """What the SVC learns from, its kernel, and how many rows the peers explain in a round."""

    name: str
    load: Callable[[], tuple[Data, Data]]
    kernel: gm.RBFKernel | gm.TanimotoKernel
    train: int
    rows: int
    shapiq: bool = False  # which takes half a minute for a row of 100 columns and 240 support rows

    def __str__(self) -> str:
        return f"{self.name}, {self.kernel!r}, {self.train:,} rows"


@dataclass(frozen=True)
class Contest:
    """All explainers of one machine; seconds are of one row."""

    case: str
    machine: gm.Machine
    rows: Rows
    timings: dict[str, Timing]

    def over(self, side: str, other: str) -> float:
        return self.timings[side].median / self.timings[other].median


def load(name: str, test: str) -> tuple[Data, Data]:
    train, other = (gm.read_svmlight(corpora() / "binary" / f"{part}.gz") for part in (name, test))
    for X in (train[0], other[0]):
        X.resize(X.shape[0], max(train[0].shape[1], other[0].shape[1]))
    return train, other


_A9A, _AGARICUS = partial(load, "a9a", "a9a.t"), partial(load, "agaricus.train", "agaricus.test")
CASES = (
    Case("a9a", _A9A, gm.RBFKernel(0.05), 5_000, 1),
    Case("a9a", _A9A, gm.TanimotoKernel(), 5_000, 1),
    Case("agaricus", _AGARICUS, gm.RBFKernel(0.05), 5_000, 1),
    Case("a9a", _A9A, gm.RBFKernel(0.05), 500, 1, shapiq=True),
    Case("agaricus", _AGARICUS, gm.RBFKernel(0.05), 500, 1, shapiq=True),
)


def main(cases: Sequence[Case] = CASES, rounds: int = ROUNDS, batch: int = BATCH) -> None:
    found = []
    for case in cases:
        print(case, flush=True)
        found.append(compare(case, rounds, batch))
    record(
        "explanations_sets",
        "Exact explanations of RBF and Tanimoto machines",
        COLUMNS,
        [line for contest in found for line in _lines(contest)],
        list(_notes(found, rounds)),
        {contest.case: contest.timings for contest in found},
    )


def quick() -> None:
    """A look in a minute or so."""
    main(tuple(replace(case, train=500, shapiq=False) for case in CASES[:3]), rounds=1, batch=100)


def compare(case: Case, rounds: int, batch: int) -> Contest:
    """All answers are right, then all take turns."""
    svc, machine, X = fitted(case, batch)
    rows = distinct(X)
    check(machine, rows)
    few = rows.take(np.arange(min(case.rows, len(rows)))).to_csr().toarray()
    clocks, once = dict(_ours(machine, rows)), {}
    for name, explain in _theirs(svc if case.shapiq else None, machine, few):
        seconds = _each(partial(_assert_equal, name, machine, few, explain), len(few))
        if seconds > SLOW:
            once[name] = Timing(seconds, seconds, seconds, 1)
        else:
            clocks[name] = partial(_each, partial(_one_by_one, explain, few), len(few))
    return Contest(str(case), machine, rows, in_turn(clocks, rounds) | once)


def fitted(case: Case, batch: int) -> tuple[SVC, gm.Machine, sp.csr_matrix]:
    """The SVC, its machine, and rows that it has not seen, over the features that it has: peers take dense ones."""
    train, (queries, _) = case.load()
    X, y = sample(train, case.train)
    known = np.flatnonzero(X.getnnz(axis=0))
    gamma = case.kernel.gamma if isinstance(case.kernel, gm.RBFKernel) else 0.05
    svc = SVC(kernel="rbf", gamma=gamma).fit(X[:, known].toarray(), y)
    support = sp.csr_matrix(svc.support_vectors_)
    machine = gm.Machine(case.kernel, support, svc.dual_coef_.T, svc.intercept_, svc.classes_)
    chosen = np.random.default_rng(SEED).permutation(queries.shape[0])[:batch]
    return svc, machine, queries[chosen][:, known]


def check(machine: gm.Machine, rows: Rows) -> None:
    """AssertionError where values do not add up to scores, or cut rows have not what all subsets say."""
    explainer = gm.Explainer(machine)
    assert_adds_up(machine, rows, explainer(rows))
    assert_adds_up(machine, rows, gm.explain(machine, rows, baseline=rows.one(0)))
    some = rows.take(np.arange(min(SINGLES, len(rows))))
    assert_adds_up(machine, some, gm.explain(machine, some, groups=groups(machine)))
    short = [ids_of(rows, at)[:SHORT] for at in range(min(CHECKED, len(rows)))]
    allowed = TOLERANCE * magnitude(machine, gm.ids(short)).max()
    for row, ids in zip(explainer(gm.ids(short), interactions=True), short, strict=True):
        values, pairs = by_subsets(machine, ids)
        assert row.interactions is not None
        assert np.abs(row.values - values).max(initial=0) <= allowed
        assert np.abs(row.interactions - pairs).max(initial=0) <= allowed


def _ours(machine: gm.Machine, rows: Rows) -> Iterator[tuple[str, Callable[[], float]]]:
    explainer, against, scorer = gm.Explainer(machine), gm.Explainer(machine, baseline=rows.one(0)), _scorer(machine)
    grouped = gm.Explainer(machine, groups=groups(machine))
    some = rows.take(np.arange(min(SINGLES, len(rows))))
    yield SCORES, partial(_each, partial(scorer.decision_function, rows), len(rows))
    yield OURS, partial(_each, partial(explainer, rows), len(rows))
    yield PAIRS, partial(_each, partial(explainer, rows, interactions=True), len(rows))
    yield AGAINST, partial(_each, partial(against, some), len(some))
    yield GROUPED, partial(_each, partial(grouped, some), len(some))
    if isinstance(machine.kernel, gm.RBFKernel):
        dropped = gm.Explainer(machine, absent="dropped")
        each = [some.one(at) for at in range(len(some))]
        yield DROPPED, partial(_each, partial(dropped, rows), len(rows))
        yield SINGLE, partial(_each, lambda: [dropped(row) for row in each], len(each))


def groups(machine: gm.Machine) -> list[range]:
    """Columns that follow one another."""
    columns = machine.n_features
    return [range(at, min(at + WIDTH, columns)) for at in range(0, columns, WIDTH)]


def _scorer(machine: gm.Machine) -> Any:
    return machine.compile("inverted")


def _theirs(svc: SVC | None, machine: gm.Machine, few: Floats) -> Iterator[tuple[str, Callable[[Floats], Floats]]]:
    """Explainers of one row, with their defaults; shap's are given the function of a gristmill scorer."""
    if HAS_SHAPIQ and svc is not None:
        from shapiq.explainer.product_kernel import ProductKernelExplainer

        product = ProductKernelExplainer(model=svc)
        yield SHAPIQ, lambda row: np.array([product.explain(row)[(at,)] for at in range(len(row))])
    if HAS_SHAP:
        import shap

        nothing, function = np.zeros((1, few.shape[1])), _scorer(machine).decision_function
        kernel = shap.KernelExplainer(function, nothing)
        yield KERNEL, lambda row: np.asarray(kernel.shap_values(row[None], silent=True))[0]
        if (few != 0).sum(axis=1).max() <= MANY:
            exact = shap.ExactExplainer(function, shap.maskers.Independent(nothing))
            yield EXACT, lambda row: np.asarray(exact(row[None], silent=True).values)[0]


def _assert_equal(name: str, machine: gm.Machine, few: Floats, explain: Callable[[Floats], Floats]) -> None:
    """Exact peers have our values."""
    if name == KERNEL:
        return
    explanation = gm.explain(machine, few, absent="dropped" if name == SHAPIQ else None)
    for row, told, allowed in zip(few, explanation, magnitude(machine, few), strict=True):
        values = np.zeros(few.shape[1])
        values[told.ids] = told.values[:, 0]
        size = allowed if name == EXACT else np.abs(machine.dense_coef()).sum()
        assert np.abs(explain(row) - values).max() <= TOLERANCE * size, name


def _one_by_one(explain: Callable[[Floats], Floats], few: Floats) -> list[Floats]:
    return [explain(row) for row in few]


def _each(call: Callable[[], Any], count: int) -> float:
    return cpu_seconds_of(call) / count


def _lines(contest: Contest) -> Iterator[list[Any]]:
    head = contest.case, f"{contest.machine.n_support:,}", f"{contest.rows.lengths.mean():.1f}"
    for name, timing in contest.timings.items():
        times = (f"{1e6 * seconds:,.3g}" for seconds in (timing.median, timing.fastest, timing.slowest))
        yield [*head, name, *times, f"{contest.over(name, SCORES):,.3g}x"]


def _notes(found: Sequence[Contest], rounds: int) -> Iterator[str]:
    yield (
        "scikit-learn's SVC; its support rows under the kernel that is named. Processor time, medians of "
        f"{rounds} rounds, all sides in turn. gristmill explains many rows at a time unless said otherwise, from rows "
        f"that were checked. What takes more than {SLOW:.0f} s for a row is timed once, at its first call, which may "
        "include compiling (ExactExplainer)."
    )
    yield (
        "Values added up to the scores of all rows, against the empty row and against another one; rows cut to "
        f"{SHORT} features had the values and interactions that sums over all subsets give, 1e-9 of |b| + sum |a_i| "
        "k(s_i, x) each. So had ExactExplainer's values, and shapiq's (1e-9 of sum |a_i|) those of dropped columns."
    )
    for name, other in ((SHAPIQ, DROPPED), (SHAPIQ, SINGLE), (KERNEL, OURS), (EXACT, OURS)):
        faster = [one.over(name, other) for one in found if name in one.timings]
        if faster:
            yield f"{name}: at least {min(faster):,.0f} times as long as gristmill, {other}."
        else:
            yield f"{name}: left out, or not installed."


if __name__ == "__main__":
    main()
