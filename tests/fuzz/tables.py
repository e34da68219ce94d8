"""Counts of a run as tables: readers, uses, finds."""

from __future__ import annotations

from tests.fuzz.children import LOAD

READER_HEAD = ("reader", "inputs", "read", "refused", "slowest s", "largest MB", "finds")
USE_HEAD = ("use", "runs", "answered", "refused", "slowest s", "largest MB", "finds")


def reader_rows(totals):
    for reader, inputs in totals.inputs.items():
        if (reader, LOAD) in totals.counts:
            yield (reader, inputs, *_numbers(totals.counts[reader, LOAD])[1:])


def use_rows(totals, steps):
    for step in steps:
        count = totals.of_step(step)
        if step != LOAD and count.runs:
            yield (step, *_numbers(count))


def _numbers(count):
    return (
        *(count.runs, count.answered, count.refused),
        *(f"{count.slowest:.2f}", f"{count.largest / 2**20:.0f}", count.finds),
    )


def as_text(totals, steps):
    """All of it for a terminal."""
    parts = [aligned([READER_HEAD, *reader_rows(totals)]), aligned([USE_HEAD, *use_rows(totals, steps)])]
    finds = [f"{times} x {find.reader}, {find.step}: {find.problem}" for find, times in totals.finds.values()]
    inputs = sum(totals.inputs.values())
    parts.append(f"{inputs} inputs in {totals.seconds:.0f} s, {len(finds)} kinds of finds")
    return "\n\n".join([*parts, *finds])


def aligned(rows):
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in texts) for at in range(len(texts[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in texts
    )


def as_markdown(totals, steps):
    """A page for the documentation."""
    tables = [READER_HEAD, *reader_rows(totals)], [USE_HEAD, *use_rows(totals, steps)]
    inputs = f"{sum(totals.inputs.values()):,} inputs, {len(totals.finds)} kinds of finds. See [](robustness.md)."
    return "\n".join(["# Readers and uses that were fuzzed\n", f"{inputs}\n", *(markdown(rows) for rows in tables)])


def markdown(rows):
    head, *rest = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([head, "|---" * len(rows[0]) + "|", *rest]) + "\n"
