"""Engines compared: the time and memory that each needs for the same answers."""

from __future__ import annotations

from typing import Any

from gristmill.display.markup import Child, Html, joined
from gristmill.display.numbers import memory, number
from gristmill.display.page import note
from gristmill.display.tables import table
from gristmill.evaluation.engines import Comparison, EngineLine, compare
from gristmill.report.evaluation_result import EvaluationResult
from gristmill.report.page import Section

MOST = 500  # examples that engines are timed on
_PRODUCTS = 2_000_000  # with support rows, that the definition computes in a turn of some hundredths of a second
_KERNELS = 100_000  # values of other kernels, which take longer
_FEWEST = 20  # rows
_ROUNDS = 3


def section(evaluation: EvaluationResult) -> Section | None:
    """Answers are compared first, then engines timed in turn."""
    if not evaluation.options.engines:
        return None
    machine = evaluation.machine
    support = max(machine.n_support, 1)
    most = max(_FEWEST, _PRODUCTS // support) if machine.explains_features else max(1, _KERNELS // support)
    some = evaluation.sample(min(MOST, most))
    examples = evaluation.some(some.numbers)
    found = compare([machine], examples, binarize=evaluation.scorer.binarize, rounds=_ROUNDS)
    equal = " Labels of exact engines were compared first and are equal." if evaluation.has_classes else ""
    remark = note(f"Measured {some.on_examples}; one thread, medians of {_ROUNDS} rounds in turn.{equal}")
    return Section("engines", "Engines compared", joined(_tables(found), remark), _figures(found))


def _tables(found: Comparison) -> Html:
    heads = ["engine", "µs an example", "examples a second", "times direct", "to compile", "memory", "exact"]
    running = [line for line in found.lines if line.refused is None]
    shown = table(
        "Time and memory of the engines",
        [*heads, "scores differ by"],
        [_line(line) for line in running],
        numeric=range(1, 8),
    )
    refused = [note(f"{line.name} does not take this machine: {line.refused}") for line in found.lines if line.refused]
    chosen = [note(f"auto chose {line.engine}: {line.reason}.") for line in running if line.name == "auto"]
    return joined(shown, chosen, refused)


def _line(line: EngineLine) -> list[Child]:
    timing = line.labels or line.scores
    microseconds = timing.median if timing is not None else float("nan")
    return [
        line.name,
        f"{microseconds:,.3f}",
        number(round(1e6 / microseconds)) if microseconds else "",
        f"{line.labels_speedup or line.scores_speedup or 0:.3g}",
        f"{line.compile_seconds:.2g} s",
        memory(line.nbytes),
        "yes" if line.exact else "no",
        f"{line.largest_difference or 0:.2g}",
    ]


def _figures(found: Comparison) -> dict[str, Any]:
    lines: list[dict[str, Any]] = []
    timings: dict[str, Any] = {}
    for line in found.lines:
        kept = ("name", "engine", "refused", "exact", "nbytes", "largest_difference")
        lines.append({key: getattr(line, key) for key in kept})
        timing = line.labels or line.scores
        timings[line.name] = {
            "microseconds": None if timing is None else timing.median,
            "compile_seconds": line.compile_seconds,
            "speedup": line.labels_speedup or line.scores_speedup,
        }
    return {"examples": found.rows, "lines": lines, "timings": timings | {"fastest": found.fastest}}
