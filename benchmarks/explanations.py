"""Claim: exact Shapley values, 10,000 times as fast as KernelExplainer's estimates, for little more than one scoring.

Wanted beside one scoring by the inverted engine: three times its cost for values, ten times for interactions. All that
gristmill says was held against the formula, against sums over all subsets and against the scores before it was timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from benchmarks import explanations_cost as cost
from benchmarks import explanations_shap as beside
from benchmarks import explanations_trees as trees
from benchmarks.explanations_cost import Cost
from benchmarks.explanations_shap import Contest, Standing
from benchmarks.explanations_trees import TreeCost
from benchmarks.measure import Table, record
from gristmill.display.charts import Plot

T = TypeVar("T")

SHAP_ROUNDS, ROUNDS = 3, 7
WANTED, VALUES_AT_MOST, PAIRS_AT_MOST = 10_000, 3.0, 10.0
COLUMNS = [
    *("machine", "support rows", "explainer", "of the function of", "explanations a second", "slowest", "fastest"),
    *("gristmill beside it", "largest error, %", "mean error, %", "rows with a wrong top 3, %"),
]
SHOWN = {
    "gristmill": (beside.OURS, ""),
    "with interactions": (beside.PAIRS, ""),
    "a row at a time": (beside.SINGLE, ""),
    "permutation": (beside.PERMUTATION, beside.OF_OURS),
    "kernel": (beside.KERNEL, beside.OF_OURS),
    "kernel, of SVC": (beside.KERNEL, beside.OF_SVC),
}
ESTIMATES = {
    "permutation": (beside.PERMUTATION, beside.OF_OURS),
    "kernel": (beside.KERNEL, beside.OF_OURS),
    "kernel, l1_reg=False": (beside.ALL_FEATURES, beside.OF_OURS),
}


def main(
    contests: Sequence[beside.Case] = beside.CASES,
    costs: Sequence[cost.Case] = cost.CASES,
    rounds: int = ROUNDS,
    queries: int = cost.QUERIES,
    n_trees: int = trees.TRAIN,
) -> None:
    compared = [beside.compare(case, min(rounds, SHAP_ROUNDS)) for case in _said(contests)]
    weighed = [cost.weigh(case, rounds, queries) for case in _said(costs)]
    of_trees = trees.weigh(rounds, n_trees)
    record(
        "explanations",
        "Exact explanations beside shap's estimates",
        COLUMNS,
        [line for contest in compared for line in _contest_lines(contest)],
        [*_shap_notes(compared), *_cost_notes(weighed, rounds), *_tree_notes(of_trees)],
        {
            "beside shap": {contest.case: contest.standings for contest in compared},
            "beside one scoring": {one.case: one.timings for one in weighed},
            "trees": of_trees.timings,
        },
        more=[_cost_table(weighed), _whole_table(weighed), _tree_table(of_trees)],
        plots=list(_plots(compared)),
    )


def quick() -> None:
    """A look in a minute or so."""
    main(beside.QUICK, cost.QUICK, rounds=1, queries=300, n_trees=300)


def _said(cases: Iterable[T]) -> Iterator[T]:
    for case in cases:
        print(case, flush=True)
        yield case


# --- tables -----------------------------------------------------------------------------------------------------------


def _contest_lines(contest: Contest) -> Iterator[list[Any]]:
    ours = contest.standings[0].timing
    for one in contest.standings:
        timing = one.timing
        speeds = (_count(1 / seconds) for seconds in (timing.median, timing.slowest, timing.fastest))
        head = (contest.case, f"{contest.support:,}", one.explainer, one.function)
        yield [*head, *speeds, f"{_count(timing.median / ours.median)}x", *_error_cells(one)]


def _error_cells(one: Standing) -> tuple[str, ...]:
    if one.error is None:
        return "exact", "exact", "0"
    return _count(100 * one.error.largest), _count(100 * one.error.mean), f"{100 * one.error.reordered:.0f}"


def _cost_table(weighed: Sequence[Cost]) -> Table:
    columns = ["machine", "support rows", "outputs", "features a row", "scores, us a row", "values, us", "over scores"]
    columns += ["with interactions, us", "over scores", "scores of expanded, us", "values over these"]
    rows = []
    for one in weighed:
        head = one.case, f"{one.machine.n_support:,}", one.machine.n_outputs, f"{one.rows.lengths.mean():.1f}"
        sides = [one.spread(cost.INVERTED)]
        for side in (cost.VALUES, cost.PAIRS):
            sides += [one.spread(side), f"**{one.over(side):.2f}x**"]
        fits = cost.EXPANDED in one.timings
        sides += [one.spread(cost.EXPANDED) if fits else ""]
        sides += [f"{one.over(cost.VALUES, cost.EXPANDED):.1f}x" if fits else ""]
        rows.append([*head, *sides])
    return Table("Beside one scoring of the same rows by the inverted engine", columns, rows)


def _whole_table(weighed: Sequence[Cost]) -> Table:
    columns = ["machine", "importance, rows a second", "with interactions", f"{cost.TOP} heaviest conjunctions, s"]
    rows = [
        [
            one.case,
            *(_count(one.rows_a_second(side)) for side in (cost.AVERAGE, cost.PAIR_AVERAGE)),
            f"{one.timings[cost.RULES].median:.2g}",
        ]
        for one in weighed
    ]
    return Table("Of a data set, and of a machine", columns, rows)


def _tree_table(one: TreeCost) -> Table:
    columns = ["support trees", "outputs", "scores, us a tree", "rooted, us", "over scores", "shared, us"]
    columns += ["over scores", f"{trees.TOP} heaviest fragments, s"]
    sides = [f"{one.microseconds(trees.SCORES):.3g}"]
    for side in (trees.ROOTED, trees.SHARED):
        sides += [f"{one.microseconds(side):.3g}", f"{one.over(side):.1f}x"]
    head = f"{one.machine.n_support:,}", one.machine.n_outputs
    rows = [[*head, *sides, f"{one.timings[trees.FRAGMENTS].median:.2g}"]]
    return Table("Questions by the nodes of their trees, SST", columns, rows)


# --- words and plots --------------------------------------------------------------------------------------------------


def _shap_notes(compared: Sequence[Contest]) -> Iterator[str]:
    yield (
        "scikit-learn's SVC, (<x, y> + 1)^d; baseline for all: the row without any feature. One thread; medians of "
        f"{compared[0].standings[0].timing.rounds} rounds, all sides in turn. gristmill: {beside.BATCH:,} rows at a "
        "time, from scipy matrices, which are checked at each call; a row at a time with a kept `gm.Explainer`."
    )
    yield (
        "Values and interactions were equal to the formula and, on rows cut to few features, to sums over all subsets "
        "by the direct engine; values added up to the scores of all rows. 1e-9 of |b| + sum |a_i| k(s_i, x) each."
    )
    if not beside.HAS_SHAP:
        yield "shap is not installed: its rows are left out."
        return
    yield (
        f"shap's explainers have their defaults: {beside.KERNEL} some 2,000 evaluations a row, which are all subsets "
        "of eleven features, and the ten features that a lasso chooses (`l1_reg=False`: all); "
        f"{beside.PERMUTATION} 500 evaluations; {beside.EXACT} 2^n for n features of a row, up to {beside.MANY}; its "
        "values were asserted to be gristmill's. Errors are relative to the mean |value|. Orders that are gone through "
        f"in both directions are exact for pairs of features, so {beside.PERMUTATION} is exact for d = 2, and not "
        "beyond."
    )
    yield (
        "Columns are the features of the training part, for shap makes dense matrices of thousands of rows: "
        + "; ".join(
            f"{one.case} has {one.columns:,}, shap explained {one.rows} rows of up to {one.longest} features"
            for one in compared
        )
        + ". So few rows say roughly how large its errors are, and no more."
    )
    for function, wanted in ((beside.OF_SVC, f" Wanted: {WANTED:,}."), (beside.OF_OURS, "")):
        many, single = (_least(compared, ours, function) for ours in (beside.OURS, beside.SINGLE))
        yield (
            f"Over {beside.KERNEL}, given {function}: at least {many:,.0f} times as fast with many rows at a time, "
            f"{single:,.0f} times a row at a time.{wanted}"
        )


def _least(compared: Sequence[Contest], side: str, function: str) -> float:
    """How many times as fast gristmill is, where it is least."""
    sides = ((one.find(side), one.find(beside.KERNEL, function)) for one in compared)
    return min(theirs.timing.median / ours.timing.median for ours, theirs in sides if ours and theirs)


def _cost_notes(weighed: Sequence[Cost], rounds: int) -> Iterator[str]:
    values, pairs = (max(one.over(side) for one in weighed) for side in (cost.VALUES, cost.PAIRS))
    yield (
        f"Beside one scoring: values took at most {values:.2f} times as long (wanted: {VALUES_AT_MOST:g}), values with "
        f"interactions {pairs:.2f} times (wanted: {PAIRS_AT_MOST:g})."
    )
    yield (
        f"Up to {max(len(one.rows) for one in weighed):,} different rows of the test part, read and checked before; "
        f"one thread, medians (fastest and slowest) of {rounds} rounds, all sides in turn. Importance is "
        "the mean |value| of each feature, and the mean |interaction| of each pair of features that some row has."
    )


def _tree_notes(one: TreeCost) -> Iterator[str]:
    yield (
        f"{one.trees:,} questions, {trees.KERNEL}, normalised. *rooted*: what is counted with its top at a node; "
        "*shared*: Shapley values of nodes, with every fragment divided among its nodes. Both added up to the scores. "
        f"All {one.listed:,} fragments of a machine of {one.support} short questions gave its scores to "
        f"{one.rest:.0e}."
    )


def _plots(compared: Sequence[Contest]) -> Iterator[Plot]:
    ticks = [contest.case for contest in compared]
    speeds = _series(compared, SHOWN, lambda one: 1 / one.timing.median)
    yield Plot("speed", "Explanations", "machine", "explanations a second", speeds, log_y=True, ticks=ticks)
    errors = _series(compared, ESTIMATES, lambda one: 100 * one.error.mean if one.error else 0.0)
    if errors:
        label = "mean error, % of the mean |value|"
        yield Plot("error", "Errors of shap's estimates", "machine", label, errors, ticks=ticks)


def _series(
    compared: Sequence[Contest], sides: dict[str, tuple[str, str]], measure: Callable[[Standing], float]
) -> dict[str, list[tuple[float, float]]]:
    series: dict[str, list[tuple[float, float]]] = {}
    for place, contest in enumerate(compared):
        for name, side in sides.items():
            if one := contest.find(*side):
                series.setdefault(name, []).append((float(place), measure(one)))
    return series


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


if __name__ == "__main__":
    main()
