"""Claim: margins and labels are exact and come faster than from pecco and opal with their best options.

Machines of LIBSVM and of opal, read from their files. Programs that are on PATH take part (see `benchmarks.peers` for
what their clocks count); each tries a few sets of options first, and its fastest then run in turn with gristmill, one
thread. pecco's numbers for features are outside its clock; ours are inside, for rows that were read and checked before
(as `gristmill predict` does) and for scipy matrices, which are checked at each call.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import gristmill as gm
from benchmarks.contest import COMPILES, FINALISTS, OURS, ROUNDS, TRIALS, Result, Trial, hold
from benchmarks.measure import Missing, Table, Timing, record
from benchmarks.peer_machines import CASES, PASSES, Case, trained, write_files
from benchmarks.peers import TRAIN, Files, Opal, Pecco, Peer, SvmPredict, found
from gristmill.display.charts import Plot

EVENTS = f"-e {TRAIN}"
PECCO = {
    2: ("-t 0", "-t 1", *(f"-t 1 {EVENTS} -r {r}" for r in (0, 0.01, 0.02, 0.05)), f"-t 2 -f {TRAIN} {EVENTS} -i 6"),
    3: ("-t 0", "-t 1", *(f"-t 1 {EVENTS} -r {r}" for r in (0, 0.1, 0.2, 0.3)), f"-t 2 -f {TRAIN} {EVENTS} -i 4"),
}
OPAL = {2: ("", *(f"--kernel-splitN {n}" for n in (1023, 2047, 8191))), 3: ("", "--kernel-splitN 255")}
SHOWN = (OURS, "pecco", "opal")  # in plots; beside svm-predict all would lie at the bottom
COLUMNS = [
    *("machine", "support vectors", "program", "margin, us", "fastest", "over", "label, us", "fastest", "over"),
    *("compile, s", "over", "options"),
]


def main(size: int | None = None, cases: Sequence[Case] = ()) -> None:
    """With machines that learn from `size` examples, or from all; some of them, or all."""
    results: dict[Case, Result] = {}
    notes = [f"{program} was not on PATH." for program in ("pecco", "opal", "svm-predict") if not found(program)]
    for case in cases or CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                path = trained(case, Path(folder), size)
            except Missing as reason:
                notes.append(f"{case}: skipped, {reason}.")
            else:
                files = write_files(case, Path(folder))
                results[case] = hold(path, files, partial(_peers, case, files, Path(folder) / "peers"), notes)
    notes = list(dict.fromkeys(notes))  # what holds for all machines is said once
    print(*notes, sep="\n")
    if not results:
        raise Missing("no machine could be trained")
    record(
        "beside_peers",
        "Beside pecco, opal and svm-predict",
        COLUMNS,
        [row for case, result in results.items() for row in _rows(case, result)],
        [*_notes(), *notes],
        {str(case): result.standings for case, result in results.items()},
        more=[_trial_table(results)],
        plots=[_plot(results, "margin"), _plot(results, "label")],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, CASES[::2])


def _notes() -> list[str]:
    return [
        f"The whole test part, {PASSES} times a round, one thread; medians of {ROUNDS} rounds, all programs in turn; "
        "*over* is the program's median over gristmill's.",
        "pecco and opal: their own clocks, which leave out the numbering of features (opal's also their sorting); "
        "gristmill's time holds both. A reading of the clock, some 10 ns, is inside theirs. Reading of text is outside "
        "for all. svm-predict: the program on some rows less the program on none.",
        f"The fastest of the options below, for margins and for labels; {FINALISTS} of each ran in the rounds.",
        f"*compile*: from the model's text to the first answer, medians of {COMPILES}; pecco's by its own clock, with "
        "the options of its margins (those of its labels follow where they differ), training examples read included.",
        "Labels were equal, and margins to the six decimals that are printed, before anything was timed.",
    ]


def _peers(case: Case, files: Files, folder: Path, machine: gm.Machine) -> Iterator[Peer]:
    """The programs that can score the machine, with each of their options; made when they are asked for."""
    if found("pecco"):
        for number, options in enumerate(PECCO[case.degree]):
            yield Pecco(machine, options, files, folder / f"pecco{number}")
    if found("opal") and case.trainer == "opal":
        for number, options in enumerate(OPAL[case.degree]):
            yield Opal(machine, options, files, folder / f"opal{number}")
    if found("svm-predict") and case.trainer == "LIBSVM":
        yield SvmPredict(machine, "", files, folder / "svm-predict")


def _rows(case: Case, result: Result) -> list[list[Any]]:
    ours = result.standings[OURS]
    rows = []
    for name, one in result.standings.items():
        cells: list[Any] = [str(case), f"{result.n_support:,}", name]
        for timing, base in ((one.margin, ours.margin), (one.label, ours.label)):
            cells += [_microseconds(timing.median), _microseconds(timing.fastest), _over(timing, base)]
        options = "; ".join(f"`{options}`" for options in dict.fromkeys(one.options) if options)
        rows.append([*cells, f"{one.compile.median:.3g}", _over(one.compile, ours.compile), options])
    return rows


def _trial_table(results: dict[Case, Result]) -> Table:
    columns = ["machine", "program", "options", "compile, s", "margin, us", "label, us"]
    rows = [[str(case), *_trial_cells(trial)] for case, result in results.items() for trial in result.trials]
    return Table(f"Options tried (faster of {TRIALS}; compiled once)", columns, rows)


def _trial_cells(trial: Trial) -> list[Any]:
    options = f"`{trial.peer.options}`" if trial.peer.options else ""
    times = [f"{trial.compile:.3g}", _microseconds(trial.margin), _microseconds(trial.label)]
    return [trial.peer.program, options, *times]


def _plot(results: dict[Case, Result], what: Literal["margin", "label"]) -> Plot:
    series: dict[str, list[tuple[float, float]]] = {}
    for place, result in enumerate(results.values()):
        for name in SHOWN:
            if name in result.standings:
                timing: Timing = getattr(result.standings[name], what)
                series.setdefault(name, []).append((float(place), 1e6 * timing.median))
    ticks = [str(case) for case in results]
    return Plot(what, f"Time for a {what}", "machine", "us an example", series, log_y=True, ticks=ticks)


def _microseconds(seconds: float) -> str:
    return f"{1e6 * seconds:.3g}"


def _over(timing: Timing, base: Timing) -> str:
    return f"{timing.median / base.median:,.2f}x"


if __name__ == "__main__":
    main()
