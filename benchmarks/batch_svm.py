"""Claim: the SVMs of LIBSVM, many times faster; whole corpora take less time than LIBSVM needs for a tenth of them.

C-SVC with a polynomial kernel on BaseNP decisions (CoNLL-2000) and a9a: gristmill's solvers beside svm-train and
scikit-learn's SVC, each training in a process of its own, all in turn. Sides are compared before their times count:
dual objectives of the machines are at most 1e-6 worse than svm-train's, scores of the test part within ten times the
tolerance, for solutions that leave a violation of 1e-3 may differ by more than that (the page says by how much), and at
a tight tolerance within 1e-6. liblinear learns from the explicit expansion, with a price on the intercept, which
gristmill is told to have as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.learning_tables import slope
from benchmarks.measure import Table, record
from benchmarks.svm_contest import (
    DUAL_CD,
    SLOW,
    SMO,
    Case,
    Result,
    check,
    in_rounds,
    load,
    measured,
    objective_apart,
    reference_of,
    scores_apart,
    shared,
    task_of,
    trainer,
)
from benchmarks.svm_runs import LIBLINEAR, LIBSVM, LINEAR_SVC, Outcome, Report, Settings, available
from gristmill.display.charts import Plot
from gristmill.display.words import counted

LINEAR_SCORES = 5.0  # how far apart, times the tolerance
TIGHT, TIGHT_SCORES = 1e-8, 1e-6
COLUMNS = [
    *("data", "examples", "degree", "C", "side", "threads", "seconds", "fastest", "over svm-train", "MB"),
    *("support rows", "shared with svm-train, %", "objective apart", "scores apart", "accuracy, %"),
]


@dataclass(frozen=True)
class Plan:
    """What a run takes up: cases, tight ones, (examples, tolerance) beside liblinear, and rounds of each."""

    cases: tuple[Case, ...]
    tight: tuple[Case, ...]
    linear: tuple[tuple[int | None, float], ...]
    rounds: int = 3


def _cases(sizes: Sequence[int], degree: int) -> list[Case]:
    few = [Case("BaseNP", n, degree, 0.001) for n in sizes if n < 20_000]
    more = [Case("BaseNP", n, degree, 0.001, jobs=(1, 2)) for n in sizes if 20_000 <= n < 50_000]
    many = [Case("BaseNP", n, degree, 0.001, (LIBSVM, SMO, DUAL_CD)) for n in sizes if n >= 50_000]
    return [*few, *more, *many]


FULL = Plan(
    (
        *_cases((5_000, 10_000, 20_000, 50_000), 2),
        Case("BaseNP", None, 2, 0.001, (DUAL_CD,), (1, 2)),
        *_cases((5_000, 10_000, 20_000, 50_000), 3),
        Case("BaseNP", None, 3, 0.001, (DUAL_CD,), (1, 2)),
        Case("a9a", None, 2, 0.001, (LIBSVM, SMO, DUAL_CD)),
        Case("a9a", None, 2, 0.01, (LIBSVM, SMO, DUAL_CD)),
    ),
    (Case("BaseNP", 5_000, 2, 0.001), Case("BaseNP", 5_000, 3, 0.001), Case("a9a", 5_000, 2, 0.01)),
    ((20_000, 0.1), (20_000, 0.001), (None, 0.1), (None, 0.001)),
)
QUICK = Plan(
    (*_cases((500, 1_000), 2), *_cases((500,), 3), Case("a9a", 500, 2, 0.01)),
    (Case("BaseNP", 500, 2, 0.001),),
    ((1_000, 0.001),),
    rounds=1,
)


def main(plan: Plan = FULL) -> None:
    notes = [
        f"Medians of {counted(plan.rounds, 'round')}, all sides in turn, each in a process of its own; what took over "
        f"{SLOW:.0f} s trained once.",
        "svm-train: the whole program, with a cache of 1,000 MB (as SVC). The others: `fit` on a scipy matrix in "
        "memory. *MB*: by how much the process grew while it trained; of svm-train the whole program.",
        "*objective apart*: relative to the dual objective of svm-train's machine, both computed from the machines; "
        "what is below 0 is nearer to the solution. "
        "*scores apart*: the largest difference on the test part. *shared*: of the different support rows of both.",
        "All sides stop at a violation of 1e-3, but where a tolerance is named.",
        *(f"{side} was not there." for side in (LIBSVM, LIBLINEAR) if not available(side)),
    ]
    with tempfile.TemporaryDirectory() as name:
        results = {case: measured(case, Path(name) / f"case{at}", plan.rounds) for at, case in enumerate(plan.cases)}
        tight = [row for at, case in enumerate(plan.tight) for row in tightly(case, Path(name) / f"tight{at}")]
        linear = [beside_linear(*each, Path(name) / f"linear{at}", plan.rounds) for at, each in enumerate(plan.linear)]
    plots = [_plot(results, degree) for degree in (2, 3)]
    record(
        "batch_svm",
        "Batch SVMs beside LIBSVM, scikit-learn and liblinear",
        COLUMNS,
        [row for case, result in results.items() for row in _rows(case, result)],
        notes,
        {str(case): _raw(result) for case, result in results.items()} | {"liblinear": [raw for _, raw in linear]},
        more=[
            _claims(results, linear),
            _slopes(plots),
            _linear_table([row for rows, _ in linear for row in rows]),
            _tight_table(tight),
        ],
        plots=plots,
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


def _raw(result: Result) -> dict[str, list[Report]]:
    return {f"{side}, {jobs}": [run.report for run in runs] for (side, jobs), runs in result.items()}


def _seconds(runs: list[Outcome]) -> float:
    return median(run.report.seconds for run in runs)


def _rows(case: Case, result: Result) -> list[list[Any]]:
    reference = reference_of(result)
    base = _seconds(result[LIBSVM, 1]) if (LIBSVM, 1) in result else None
    rows = []
    for (side, jobs), runs in result.items():
        machine = runs[0].machine
        assert machine is not None
        rows.append(
            [
                *(case.data, f"{_size(case):,}", case.degree, case.C, side, jobs),
                *(f"{_seconds(runs):.2f}", f"{min(run.report.seconds for run in runs):.2f}"),
                "" if base is None else f"{base / _seconds(runs):.1f}x",
                f"{median(run.report.bytes for run in runs) / 1e6:.0f}",
                f"{machine.n_support:,}",
                *_answers(runs[0], reference, with_reference=base is not None),
                f"{100 * _accuracy(runs[0], case):.2f}",
            ]
        )
    return rows


def _answers(outcome: Outcome, reference: Outcome, *, with_reference: bool) -> list[str]:
    if not with_reference:
        return ["", "", ""]
    apart = objective_apart(outcome, reference), scores_apart(outcome, reference)
    return [f"{100 * shared(outcome, reference):.1f}", *(f"{value:.1e}" for value in apart)]


def _accuracy(outcome: Outcome, case: Case) -> float:
    wanted = load(case.data)[1][1]
    return float(np.mean((outcome.scores > 0) == (np.asarray(wanted) == 1)))


def _size(case: Case) -> int:
    return case.n or int(load(case.data)[0][0].shape[0])


def tightly(case: Case, folder: Path) -> list[list[Any]]:
    """The same at a tight tolerance, once, for the answers only."""
    task = task_of(case.data, case.n, folder)
    sides = [side for side in case.sides if available(side)]
    found = {side: task.run(side, replace(case.settings, tol=TIGHT)) for side in sides}
    reference, rows = found[sides[0]], []
    for side, outcome in found.items():
        check(f"{case}, {side}, {TIGHT}", outcome, reference, TIGHT_SCORES)
        answers = _answers(outcome, reference, with_reference=True)
        rows.append([case.data, f"{_size(case):,}", case.degree, case.C, side, *answers])
    return rows


def _tight_table(rows: list[list[Any]]) -> Table:
    return Table(f"Answers at a tolerance of {TIGHT:g}", [*COLUMNS[:5], *COLUMNS[11:14]], rows)


# --- beside liblinear -------------------------------------------------------------------------------------------------


def beside_linear(
    n: int | None, tol: float, folder: Path, rounds: int
) -> tuple[list[list[Any]], dict[str, list[Report]]]:
    """Degree 2 on BaseNP, the intercept with a price: rows of the table, and all reports."""
    task = task_of("BaseNP", n, folder)
    settings = Settings(2, 0.001, tol=tol, constant=True)
    sides = [side for side in (DUAL_CD, LINEAR_SVC, LIBLINEAR) if available(side)]
    result = in_rounds({side: trainer(task, side, settings) for side in sides}, rounds)
    ours, rows = result[DUAL_CD], []
    for side, runs in result.items():
        apart = scores_apart(runs[0], ours[0])
        assert apart <= LINEAR_SCORES * tol, f"{side}, {n}, {tol}: scores are {apart} apart"
        solver = median(run.report.seconds - run.report.prepared for run in runs)
        rows.append(
            [
                *(f"{n or _size(FULL_SET):,}", tol, side, f"{_seconds(runs):.2f}", f"{solver:.2f}"),
                *(f"{_seconds(runs) / _seconds(ours):.1f}x", f"{solver / _seconds(ours):.1f}x"),
                *(f"{size / 1e6:.0f}" for size in (runs[0].report.bytes, runs[0].report.expanded)),
                f"{apart:.1e}",
            ]
        )
    return rows, {side: [run.report for run in runs] for side, runs in result.items()}


FULL_SET = Case("BaseNP", None, 2, 0.001)


def _linear_table(rows: list[list[Any]]) -> Table:
    columns = ["examples", "tolerance", "side", "seconds", "solver only", "over dual-cd", "solver only, over"]
    return Table(
        "BaseNP, degree 2, an intercept with a price: liblinear on the explicit expansion",
        [*columns, "MB", "expansion, MB", "scores apart"],
        rows,
    )


# --- what was claimed -------------------------------------------------------------------------------------------------


def _claims(results: dict[Case, Result], linear: list[tuple[list[list[Any]], Any]]) -> Table:
    def seconds(n: int | None, degree: int, side: str) -> float:
        found = [r for case, r in results.items() if (case.data, case.n, case.degree) == ("BaseNP", n, degree)]
        return _seconds(found[0][side, 1]) if found and (side, 1) in found[0] else float("nan")

    wanted = [
        ("dual-cd over svm-train, 50,000, degree 2", 60, (50_000, 2, LIBSVM), (50_000, 2, DUAL_CD)),
        ("dual-cd on all, over svm-train on 20,000, degree 2", 1, (20_000, 2, LIBSVM), (None, 2, DUAL_CD)),
        ("dual-cd over svm-train, 20,000, degree 3", 15, (20_000, 3, LIBSVM), (20_000, 3, DUAL_CD)),
        ("smo over svm-train, 20,000, degree 2", 5, (20_000, 2, LIBSVM), (20_000, 2, SMO)),
        ("smo over svm-train, 20,000, degree 3", 5, (20_000, 3, LIBSVM), (20_000, 3, SMO)),
    ]
    found = {what: seconds(*them) / seconds(*us) for what, _, them, us in wanted}
    rows = [[what, f"{ratio}x", f"{found[what]:.1f}x"] for what, ratio, _, _ in wanted if found[what] > 0]
    for row in (row for rows_of, _ in linear for row in rows_of if row[2] != DUAL_CD):
        rows.append([f"dual-cd over {row[2]}, {row[0]}, tolerance {row[1]}", "2x", row[5]])
    return Table("What was wanted", ["what", "wanted", "found"], rows)


def _plot(results: dict[Case, Result], degree: int) -> Plot:
    series: dict[str, list[tuple[float, float]]] = {}
    for case, result in results.items():
        if (case.data, case.degree) == ("BaseNP", degree):
            for (side, jobs), runs in result.items():
                if jobs == 1:
                    series.setdefault(side, []).append((float(_size(case)), _seconds(runs)))
    title = f"BaseNP, degree {degree}, C = 0.001"
    return Plot(f"degree{degree}", title, "examples", "seconds", series, log_x=True, log_y=True)


def _slopes(plots: list[Plot]) -> Table:
    sides = list(dict.fromkeys(side for plot in plots for side in plot.series))
    rows = [[side, *(_slope(plot.series.get(side, ())) for plot in plots)] for side in sides]
    return Table("Time grows with the number of examples to the power of", ["side", "degree 2", "degree 3"], rows)


def _slope(points: Sequence[tuple[float, float]]) -> str:
    return f"{slope(points):.2f}" if len(points) > 1 else ""
