"""gristmill bench: the user's own model and data through every engine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from gristmill.apps.loading import open_machines
from gristmill.base.errors import FormatError
from gristmill.base.files import display_name
from gristmill.cli.command import Command, arguments, option
from gristmill.cli.options import (
    base_option,
    binarize_option,
    certified_option,
    json_option,
    machine_option,
    max_bytes_option,
    rare_option,
    xi_option,
)
from gristmill.cli.screen import count, note, progress_bar, table
from gristmill.display.numbers import memory
from gristmill.evaluation.engines import Comparison, EngineLine, Timing, compare, spread
from gristmill.machines.data_files import read_rows_for
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES


class _Sigmas(click.ParamType):  # type: ignore[type-arg]
    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        try:
            sigmas = tuple(float(part) for part in str(value).split(",")) if isinstance(value, str) else tuple(value)
        except ValueError:
            sigmas = (-1.0,)
        if not all(0 <= sigma < float("inf") for sigma in sigmas):
            self.fail(f"{value!r} is not a list of numbers from 0 on, as 0.01,0.001", param, ctx)
        return sigmas


@click.command(cls=Command)
@arguments("model", "data")
@machine_option
@option(
    "--engine",
    "engines",
    type=click.Choice(ENGINES),
    multiple=True,
    default=ENGINES,
    help="Try this engine and direct, not all; may be repeated.  [default: all]",
)
@max_bytes_option
@option(
    "--sigma",
    "sigmas",
    type=_Sigmas(),
    default=(),
    metavar="S,S,...",
    help="Also try approximations: conjunctions that weigh less are dropped, as 0.01,0.001.",
)
@xi_option
@certified_option
@rare_option
@binarize_option
@base_option
@option("--rounds", type=click.IntRange(1), default=5, help="How often each engine is timed.")
@option("--rows", "most", type=click.IntRange(1), help="Use at most so many rows of DATA, evenly spread.")
@json_option
def bench(
    model: str,
    data: str,
    name: str | None,
    sigmas: tuple[float, ...],
    zero_based: bool | None,
    most: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Time MODEL on DATA (svmlight format) with every engine.

    Labels are compared first: they must be those of the direct engine. Then all engines are timed in turn, several
    rounds, one thread; medians are shown. An engine that would take long is timed on some of the rows. Of a collection
    all machines are timed, or the one that --machine names: times are means over machines, memory and seconds to
    compile are sums. Compiled scorers (MODEL.scorer) are not used.

    \b
    Examples:
      gristmill bench model.safetensors test.svm
      gristmill bench model.safetensors test.svm --sigma 0.01,0.001 --rounds 9
    """
    xi = options["xi"]
    if options["certified"] and not sigmas and xi == 1:
        raise click.UsageError("--certified goes with --sigma or --xi")
    machines = list(open_machines(model, name, trees=False).values())
    with progress_bar("reading") as progress:
        reader = max(machines, key=lambda machine: (machine.first_id is not None, _has_words(machine)))
        rows, _ = read_rows_for(reader, data, zero_based=zero_based, progress=progress)
    if not len(rows):
        raise FormatError("there are no examples in it", display_name(data))
    sigmas = sigmas or ((0.0,) if xi > 1 else ())
    with progress_bar("timing") as progress:
        some = rows if most is None else spread(rows, most)
        found = compare(machines, some, sigmas=sigmas, progress=progress, **options)
    if as_json:
        click.echo(json.dumps(asdict(found)))
    else:
        _show(found)


def _has_words(machine: Machine) -> bool:
    return machine.classes is not None and machine.classes.dtype.kind == "U"


# --- tables -----------------------------------------------------------------------------------------------------------


def _show(found: Comparison) -> None:
    over = f", mean over {found.machines} machines" if found.machines > 1 else ""
    exact = [line for line in found.lines if line.approximation is None and line.refused is None]
    has_labels = any(line.labels is not None for line in exact)
    columns = ["engine", "scores us", "labels us", "x direct", "compile s", "memory", "exact"]
    table(
        f"microseconds an example{over}: {count(found.rows)} rows, one thread, median of {found.rounds} rounds",
        [*columns, "labels equal" if has_labels else "scores differ by"],
        [_cells(line) for line in exact],
    )
    for line in exact:
        if line.name == "auto":
            click.echo(f"auto chose {line.engine}: {line.reason}\n")
    _show_threads(found)
    _show_approximations(found)
    for line in found.lines:
        if line.refused is not None:
            note(f"{line.name} left out: {line.refused}")
        elif line.rows < found.rows:
            note(f"{line.name} timed on {count(line.rows)} of {count(found.rows)} rows: all would take too long")
    if found.compared < found.rows:
        note(f"labels compared with direct on {count(found.compared)} of {count(found.rows)} rows")


def _cells(line: EngineLine) -> list[str]:
    return [
        line.name,
        _us(line.scores),
        _us(line.labels),
        _times(line),
        f"{line.compile_seconds:.3f}",
        memory(line.nbytes),
        _yes(line.exact),
        f"{line.largest_difference:.1e}" if line.labels_equal is None else _yes(line.labels_equal),
    ]


def _show_threads(found: Comparison) -> None:
    cells = [(line.engine, line.threads, _us(line.scores), _us(line.labels)) for line in found.threads]
    table("the fastest with threads", ["engine", "threads", "scores us", "labels us"], cells)


def _show_approximations(found: Comparison) -> None:
    cells = []
    for line in found.lines:
        loss = line.approximation
        if loss is None:
            continue
        differ = "" if loss.labels_differ is None else f"{count(loss.labels_differ)} of {count(loss.compared)}"
        cells.append(
            [
                line.name + (", certified" if loss.certified else ""),
                count(line.conjunctions or 0),
                _us(line.scores),
                _us(line.labels),
                _times(line),
                memory(line.nbytes),
                differ,
                f"{loss.largest_error:.1e}",
                f"{loss.largest_bound:.1e}" + ("" if loss.within_bound else " (exceeded)"),
            ]
        )
    if cells:
        columns = ["approximation", "conjunctions", "scores us", "labels us", "x direct", "memory", "labels differ"]
        table("approximations (PKE)", [*columns, "largest error", "largest bound"], cells)


def _us(timing: Timing | None) -> str:
    return "" if timing is None else f"{timing.median:,.3f}"


def _times(line: EngineLine) -> str:
    """The speed-up of labels, or of scores where there are no labels."""
    return f"{line.labels_speedup or line.scores_speedup:,.1f}x"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
