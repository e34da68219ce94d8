"""Timing that survives noisy machines: all sides in turn, several rounds, medians and ratios."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from gristmill.display.charts import Plot

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "data"
TABLES: Path | None = None  # a folder of CSV files or of treebanks, of `--data DIR`


class Missing(Exception):  # noqa: N818
    """What a benchmark needs is not on this machine."""


@dataclass(frozen=True)
class Timing:
    """Seconds: median, fastest and slowest round."""

    median: float
    fastest: float
    slowest: float
    rounds: int


@dataclass(frozen=True)
class Table:
    """A further table of a page."""

    title: str
    columns: list[str]
    rows: list[list[Any]]


def alternate(sides: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Timing]:
    """Time every side once per round, in turn, so that a busy minute hits all of them."""
    return in_turn({name: partial(seconds_of, call) for name, call in sides.items()}, rounds)


def in_turn(clocks: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Timing]:
    """The same for sides that say themselves how many seconds they took."""
    seconds: dict[str, list[float]] = {name: [] for name in clocks}
    for _ in range(rounds):
        for name, clock in clocks.items():
            seconds[name].append(clock())
    return {name: Timing(median(s), min(s), max(s), rounds) for name, s in seconds.items()}


def seconds_of(call: Callable[[], Any]) -> float:
    """By the wall clock."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu_seconds_of(call: Callable[[], Any]) -> float:
    """Of processor time, which other programs of a busy machine leave nearly alone."""
    start = time.process_time()
    call()
    return time.process_time() - start


def corpora() -> Path:
    """The folder of corpora, as for the tests."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GRISTMILL_DATA", default))
    if not folder.is_dir():
        raise Missing("no corpora: set GRISTMILL_DATA to the folder that holds them")
    return folder


def record(
    name: str,
    title: str,
    columns: list[str],
    rows: list[list[Any]],
    notes: list[str],
    raw: Any,
    *,
    more: Sequence[Table] = (),
    plots: Sequence[Plot] = (),
) -> None:
    """Print the tables and write them, with everything needed to judge them, to docs/results/data/NAME.json."""
    result = {
        "title": title,
        "columns": columns,
        "rows": rows,
        "more": more,
        "plots": plots,
        "notes": notes,
        "timings": raw,
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "-uno") else ""),
        "date": time.strftime("%Y-%m-%d"),
        "processor": _processor(),
        "python": platform.python_version(),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1, default=asdict) + "\n", encoding="utf-8")
    for table in (Table(title, columns, rows), *more):
        _print(table)


def _print(table: Table) -> None:
    print(f"\n{table.title}")
    for row in (table.columns, *table.rows):
        print("  ".join(f"{cell!s:>16}" for cell in row))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
    return done.stdout.strip()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return f"{line.split(':')[1].strip()}, {os.cpu_count()} cores"
    return platform.processor()
