"""Claim: from a frame in one line, table machines are at the level of boosted trees, and every score is a sum of parts.

`python -m benchmarks tables [--data DIR]`: five folds of all tables (benchmarks/table_data.py) and systems
(benchmarks/table_systems.py). Each run is remembered (benchmarks/table_runs.py), so the contest can be stopped and goes
on; what has been measured so far is written when it ends or stops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from statistics import mean, median
from typing import Any

import numpy as np
from scipy.stats import rankdata

from benchmarks import measure
from benchmarks.table_data import DEVELOPMENT, FOLDS, ROWS, Table, sources
from benchmarks.table_runs import Run, measured, remember, remembered
from benchmarks.table_systems import LIGHTGBM, MANY, OURS, SETTINGS, SVC_ROWS, SYSTEMS, TUNED, System

NEAR = 0.002  # of AUC
RANKED_FROM = 0.5  # of the tables: who took part in fewer has wins and losses, but no rank
RANKED = [system.name for system in SYSTEMS if not system.is_tuned]

Cells = dict[tuple[str, str], list[Run]]  # by table and system


def main(folds: Sequence[int] = range(FOLDS), only: Sequence[str] = (), systems: Sequence[System] = SYSTEMS) -> None:
    tables = sources(measure.TABLES)
    names = [name for name in tables if not only or name in only]
    done = remembered()
    try:
        for fold, name in product(folds, names):
            missing = [s for s in systems if s.is_there and (name, fold, s.name) not in done]
            table = tables[name]() if missing else None
            for system in missing:
                assert isinstance(table, Table)
                run = measured(table, fold, system)
                remember(run)
                done[run.key] = run
                print(f"{name} {fold} {system.name}: {run.quality:.4f} in {run.fit:.1f} s", flush=True)
    finally:
        write(done.values())


def quick() -> None:
    """A look: one fold of small tables."""
    main([0], ["german", "breast_cancer", "iris", "diabetes"])


def write(runs: Iterable[Run]) -> None:
    """The page of what has been measured."""
    cells = _cells(list(runs))
    names = list(dict.fromkeys(table for table, _ in cells))
    classified = [name for name in names if cells[name, OURS] and cells[name, OURS][0].rmse is None]
    valued = [name for name in names if cells[name, OURS] and name not in classified]
    measure.record(
        "tables",
        "Learners of tables side by side",
        [
            "system",
            "mean rank by AUC",
            "tables",
            "held out",
            "wins of gristmill",
            "losses",
            "mean AUC",
            "log loss",
            "ECE",
        ],
        [_summary(system, classified, cells) for system in [*RANKED, TUNED]],
        _notes(classified, cells),
        [],
        more=[
            _quality_table("AUC", classified, cells),
            _quality_table("R2", valued, cells),
            *(_beside(other, classified + valued, cells) for other in (TUNED, "CatBoost", "EBM")),
            _other_scores(classified, cells),
            _cost_table(classified + valued, cells),
            _folds_table(classified + valued, cells),
        ],
    )


def _cells(runs: list[Run]) -> Cells:
    """On the folds of a table that gristmill has been measured on."""
    ours = {run.key for run in runs if run.system == OURS}
    found: Cells = defaultdict(list)
    for run in runs:
        if (run.table, run.fold, OURS) in ours:
            found[run.table, run.system].append(run)
    return found


# --- quality ----------------------------------------------------------------------------------------------------------


def _quality(runs: list[Run]) -> float:
    return mean(run.quality for run in runs) if runs else float("nan")


def _ranks(names: Sequence[str], cells: Cells) -> dict[str, list[float]]:
    """Of systems that were not tuned, on tables where all of them took part, by what they are above ours."""
    found: dict[str, list[float]] = defaultdict(list)
    there = [s for s in RANKED if sum(bool(cells.get((name, s))) for name in names) >= RANKED_FROM * len(names)]
    for name in names:
        values = [np.subtract(*_same_folds(name, system, OURS, cells)) for system in there]
        if not np.isnan(values).any():
            for system, rank in zip(there, rankdata(-np.round(values, 6)), strict=True):
                found[system].append(float(rank))
    return found


def _same_folds(name: str, system: str, other: str, cells: Cells) -> tuple[float, float]:
    """The mean quality of both on the folds that both have."""
    own, others = ({run.fold: run.quality for run in cells.get((name, s), [])} for s in (system, other))
    both = sorted(set(own) & set(others))
    if not both:
        return float("nan"), float("nan")
    return mean(own[fold] for fold in both), mean(others[fold] for fold in both)


def _summary(system: str, names: list[str], cells: Cells) -> list[Any]:
    ranks = _ranks(names, cells).get(system, [])
    held = _ranks([name for name in names if name not in DEVELOPMENT], cells).get(system, [])
    pairs = [_same_folds(name, OURS, system, cells) for name in names]
    wins = sum(ours > theirs for ours, theirs in pairs)
    losses = sum(ours < theirs for ours, theirs in pairs)
    runs = [run for name in names for run in cells.get((name, system), [])] if ranks else []
    return [
        system,
        f"{mean(ranks):.2f}" if ranks else "",
        len(ranks) or "",
        f"{mean(held):.2f}" if held else "",
        *(["", ""] if system == OURS else [wins, losses]),
        *(_mean_of(runs, field) for field in ("auc", "log_loss", "ece")),
    ]


def _mean_of(runs: Iterable[Run], field: str) -> str:
    values = [value for run in runs if (value := getattr(run, field)) is not None and not np.isnan(value)]
    return f"{mean(values):.4f}" if values else ""


def _quality_table(noun: str, names: list[str], cells: Cells) -> measure.Table:
    rows = []
    for name in names:
        values = {system.name: _quality(cells.get((name, system.name), [])) for system in SYSTEMS}
        folds = [len(cells.get((name, system.name), [])) for system in SYSTEMS]
        kind = "development" if name in DEVELOPMENT else "held out"
        rows.append([name, kind, _folds(folds), *("" if np.isnan(v) else f"{v:.4f}" for v in values.values())])
    return measure.Table(f"{noun} by table", ["table", "part", "folds", *(s.name for s in SYSTEMS)], rows)


def _beside(other: str, names: list[str], cells: Cells) -> measure.Table:
    """On the same folds."""
    rows = []
    for name in names:
        ours, theirs = _same_folds(name, OURS, other, cells)
        if not np.isnan(ours):
            rows.append([name, len(cells[name, other]), f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"])
    columns = ["table", "folds", OURS, other, "difference"]
    return measure.Table(f"Beside {other}, on the same folds: AUC or R2", columns, rows)


def _folds(counts: list[int]) -> str:
    """How many folds were measured, of most systems and of those with fewest."""
    held = [count for count in counts if count]
    return str(max(held)) if min(held) == max(held) else f"{min(held)}-{max(held)}"


def _other_scores(names: list[str], cells: Cells) -> measure.Table:
    rows = []
    for name, system in product(names, (OURS, LIGHTGBM, TUNED, "EBM")):
        runs = cells.get((name, system), [])
        if runs:
            rows.append([name, system, *(_mean_of(runs, field) for field in ("auc", "log_loss", "accuracy", "ece"))])
    return measure.Table("Other scores", ["table", "system", "AUC", "log loss", "accuracy", "ECE"], rows)


# --- cost -------------------------------------------------------------------------------------------------------------


def _cost_table(names: list[str], cells: Cells) -> measure.Table:
    rows = []
    for system in (system.name for system in SYSTEMS):
        shared = [name for name in names if cells.get((name, system))]
        if shared:
            rows.append([system, len(shared), *_costs(system, shared, cells)])
    columns = ["fit, s", "fit over gristmill", "us a row", "over gristmill", "us a row, encoded", "over gristmill"]
    more = ["us a single row", "over gristmill", "us a row explained", "KB"]
    return measure.Table("Medians over tables", ["system", "tables", *columns, *more], rows)


def _costs(system: str, names: list[str], cells: Cells) -> list[str]:
    """Of each table the fold that was least disturbed by what else the machine did: the fastest."""

    def best(own: str, field: str, name: str, folds: Iterable[int]) -> float | None:
        values = [getattr(run, field) for run in cells[name, own] if run.fold in folds]
        return None if None in values else min(values)

    def over(field: str) -> str:
        shared = {
            name: {run.fold for run in cells[name, system]} & {run.fold for run in cells[name, OURS]} for name in names
        }
        pairs = [[best(own, field, name, folds) for own in (system, OURS)] for name, folds in shared.items() if folds]
        ratios = [own / ours for own, ours in pairs if own is not None and ours is not None]
        return f"{median(ratios):.2f}" if ratios else ""

    def middle(field: str, factor: float, digits: int = 2) -> str:
        found = [best(system, field, name, range(FOLDS)) for name in names]
        values = [value for value in found if value is not None]
        return f"{factor * median(values):.{digits}f}" if values else ""

    timed = [middle("fit", 1), over("fit")]
    timed += [middle("batch", 1e6), over("batch"), middle("encoded", 1e6), over("encoded")]
    return [*timed, middle("row", 1e6, 0), over("row"), middle("explain", 1e6, 1), middle("nbytes", 1e-3, 0)]


# --- notes ------------------------------------------------------------------------------------------------------------


def _said_of_load(cells: Cells) -> str:
    """How busy the machine was."""
    loads = [run.load for runs in cells.values() for run in runs if run.load is not None]
    total = sum(map(len, cells.values()))
    if not loads:
        return "How busy the machine was is not remembered."
    return (
        f"The load of the machine is remembered of {len(loads):,} of {total:,} runs; it was {median(loads):.0f} in the "
        f"median, {max(loads):.0f} at most, so seconds are bounds from above."
    )


def _folds_table(names: list[str], cells: Cells) -> measure.Table:
    """What has been measured so far."""
    rows = []
    for system in SYSTEMS:
        counts = [len(cells.get((name, system.name), [])) for name in names]
        complete = sum(count == FOLDS for count in counts)
        rows.append([system.name, sum(count > 0 for count in counts), complete, sum(counts), len(names) * FOLDS])
    columns = ["system", "tables", f"with all {FOLDS} folds", "folds", "of"]
    return measure.Table("What has been measured", columns, rows)


def _notes(names: list[str], cells: Cells) -> list[str]:
    gaps = {name: np.subtract(*_same_folds(name, OURS, TUNED, cells)) for name in names}
    judged = {name: gap for name, gap in gaps.items() if not np.isnan(gap)}
    near = [name for name, gap in judged.items() if gap >= -NEAR]
    far = ", ".join(f"{name} {gap:+.4f}" for name, gap in judged.items() if gap < -NEAR) or "none"
    return [
        f"Five folds of at most {ROWS:,} rows of a table; *folds* says how many were measured. One thread each.",
        f"Within {NEAR} of the AUC of tuned LightGBM, or above it: {len(near)} of {len(judged)} tables. Further below: "
        f"{far}.",
        "Defaults of gristmill were chosen by folds of the development tables; the others were looked at afterwards.",
        "Ranks are among systems that were not tuned and took part in half of the tables or more, on tables where all "
        "of them did, by mean differences on folds that both have. AUC of several classes: one against the rest, their "
        "mean. ECE: calibration error, 15 bins.",
        f"LightGBM, tuned: {SETTINGS} random settings, trees by early stopping, judged by three folds or, of {MANY:,} "
        "rows and more, a fifth held out.",
        f"SVM, RBF: learns from {SVC_ROWS:,} rows at most. EBM: interpret's default of 14 bags.",
        "Seconds are those of the processor, of the fold that was least disturbed, which is the fastest; ratios are of "
        f"folds that both have. {_said_of_load(cells)}",
        "*Encoded*: from codes of bins; LightGBM from an array of numbers. Explained: Shapley values of one-hot "
        "columns, and of columns by LightGBM's TreeSHAP.",
        "docs/tables_measured.md says where the tables come from.",
    ]
