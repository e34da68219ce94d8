"""gristmill inspect: what is in a model or data file."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from gristmill.apps.base import PARAMS, params_as_json
from gristmill.apps.loading import params_of
from gristmill.base.files import display_name, read_bytes
from gristmill.base.packed import Budget
from gristmill.cli.command import Command, arguments, declared, given, option
from gristmill.cli.inspect_tables import column_lines, is_table, show_columns, show_table
from gristmill.cli.inspect_trees import TreeView, label_lines, show_trees
from gristmill.cli.kernel_options import CONVERSION_LIMITS, limit_options, reads_marks
from gristmill.cli.options import Compilation, compile_options, jobs_option, json_option, optional_engine, scorer_path
from gristmill.cli.screen import count, progress_bar, table
from gristmill.data.formats.kinds import CHECKPOINT, GRAM, LABELS, MODEL, ROWS, SCORER, TABLE, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.formats.tree_data import TreeData, parse_tree_data
from gristmill.display.numbers import memory
from gristmill.evaluation.summaries import (
    DataSummary,
    MachineSummary,
    OutputSummary,
    TreeMachineSummary,
    summarise_data,
    summarise_machine,
    summarise_tree_machine,
)
from gristmill.kernels.conversion.forest import RULES
from gristmill.machines.collection import Machines
from gristmill.machines.formats import ModelFormat, folders, read_as, read_model, recognise
from gristmill.machines.machine import Machine
from gristmill.machines.table_files import KEY
from gristmill.scoring.scorer import Scorer
from gristmill.scoring.scorers import Scorers

_EXPLAINED = (GRAM, LABELS, TREE_EXAMPLES, CHECKPOINT, SCORER)  # what is shown, or says what it is when it is read
_CONVERTING = {*CONVERSION_LIMITS, "rules", "compress", "jobs"}  # parameters


@click.command(cls=Command)
@arguments("file")
@option(
    "--degree",
    type=click.IntRange(1, 3),
    default=2,
    help="Data: count conjunctions of up to this many features; 3 takes time.",
)
@option("--top", type=click.IntRange(0), default=10, help="Most frequent features, or productions of trees, to list.")
@option("--marks", is_flag=True, help="Trees: NP*1 is NP with mark 1.")
@option("--histogram", is_flag=True, help="Trees: show how alike pairs of them are, and warn if that is lopsided.")
@option(
    "--conversion",
    metavar="KERNEL",
    type=click.Choice(["lo", "lo-marked", "c", "c-marked", "sst"]),
    help="Trees: convert them for lo, lo-marked, c, c-marked or sst, as train does, and show what comes of it. "
    "--max-bytes is what that may take.",
)
@functools.partial(declared, options=limit_options())
@option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice([f"{no}{rule.replace('_', '-')}" for rule in RULES for no in ("", "no-")]),
    metavar="[no-]RULE",
    advanced=True,
    help=f"Switch a rule of the search on or off: {', '.join(RULES).replace('_', '-')}. They change the time and what "
    "is searched, never a kernel value; no-same-places is the paper's search, fragment by fragment. May be repeated.",
)
@option(
    "--compress/--no-compress",
    default=True,
    advanced=True,
    help="Join fragments with equal occurrences to one pattern.  [default: yes]",
)
@jobs_option
@compile_options(optional_engine("Models: compile for this engine and show what it takes and costs."))
@json_option
@click.pass_context
def inspect(
    ctx: click.Context, /, file: str, degree: int, top: int, marks: bool, how: Compilation, as_json: bool, **trees: Any
) -> None:
    """Show what FILE holds: a model of any known format, data in svmlight format, trees, or a table.

    The figures are those of the papers' tables: support vectors, |F|, average |x|, B (average length of a feature's
    postings) for models; |x^d| (conjunctions an example has on average) and |F^d| (different conjunctions) for data;
    for trees their sizes, what they share, and how many pairs of nodes match, and with --conversion those of Table 3:
    fragments that trees share, patterns of them, |V|, the rate of malicious pairs and the seconds it took. The compiled
    scorer is shown where there is one (FILE.scorer). Of taggers, segmenters, parsers, role labellers
    and tree classifiers the parameters are shown that they were made with; of tables, and of models that read tables,
    the columns.

    \b
    Examples:
      gristmill inspect libsvm.model
      gristmill inspect model.safetensors --engine expanded --sigma 0.001
      gristmill inspect people.csv
      gristmill inspect train.trees --histogram
      gristmill inspect roles.trees --conversion lo-marked --conversion-max-size 15
    """
    view = TreeView(top=top, max_bytes=how.max_bytes, **trees)
    wrong = [spelled for name, spelled in given(ctx).items() if name in _CONVERTING]
    if view.conversion is None and wrong:
        raise click.UsageError(f"{', '.join(wrong)}: with --conversion only")
    compiles = how if view.conversion is None else replace(how, max_bytes=None)
    if how.engine is None and not compiles.is_default:
        raise click.UsageError(
            "--sigma, --xi, --certified, --rare go with --engine, --max-bytes with it or --conversion"
        )
    if file != "-" and Path(file).is_dir():
        _inspect_many(read_model(file), "directory of models", how, as_json)
        return
    with reading(file, MODEL, ROWS, TREES, TABLE, also=_EXPLAINED) as looked:
        budget = Budget()
        content = looked.content(read_bytes(file, budget))
        known = recognise(content)
        found = _models(content, known, budget)
        if isinstance(found, Machines):
            _inspect_many(found, "collection of models", how, as_json)
            return
        if known is None or found is None:
            if how.engine is not None:
                raise ValueError("--engine compiles models; this is no model of a known format")
            if is_table(content, file):
                show_table(content, display_name(file), as_json=as_json)
                return
            found_trees = _trees(content, reads_marks(view.conversion, {"marks": marks}))
            if found_trees is not None:
                show_trees(found_trees, view, as_json=as_json)
            elif marks or view.histogram or view.conversion:
                raise ValueError("--marks, --histogram and --conversion go with trees; there are none in this file")
            else:
                summary, lines, title = _inspect_data(content, degree, top)
                _show(title, summary, lines, [], as_json)
            return
        params = params_of(found)
    scorers = [part for part in (_cached_facts(found, file), _compiled_facts(found, how)) if part is not None]
    if not found.explains_features:
        on_trees = summarise_tree_machine(found)
        _show(known.TITLE, on_trees, _tree_machine_lines(on_trees), scorers, as_json, params)
        return
    model = summarise_machine(found, top=top)
    _show(known.TITLE, model, [*_machine_lines(model), *column_lines(found)], scorers, as_json, params)
    if not as_json:
        show_columns(found)


def _models(content: bytes, known: ModelFormat | None, budget: Budget) -> Machine | Machines | None:
    if folders.is_archive(content):
        return folders.load_archive(content, recognise, budget)
    return None if known is None else read_as(known, content)


def _trees(content: bytes, marks: bool) -> TreeData | None:
    with progress_bar("reading") as progress:
        return parse_tree_data(content, marks=marks, progress=progress)


def _show(
    title: str,
    summary: DataSummary | MachineSummary | TreeMachineSummary,
    lines: Iterable[tuple[str, str]],
    scorers: list[_Compiled],
    as_json: bool,
    params: dict[str, Any] | None = None,
) -> None:
    if as_json:
        found = {part.key: part.facts for part in scorers} | _params_facts(params)
        click.echo(json.dumps({"format": title, **asdict(summary), **found}))
        return
    table(title, ["", ""], lines)
    _show_params(params)
    for part in scorers:
        table(part.title, ["", ""], _scorer_lines(part.facts))
    if summary.frequent:
        cells = [(feature, count(times)) for feature, times in summary.frequent]
        table("most frequent features", ["feature", "occurrences"], cells)


def _params_facts(params: dict[str, Any] | None) -> dict[str, Any]:
    return {} if params is None else {"params": params_as_json(params)}


def _show_params(params: dict[str, Any] | None) -> None:
    if params is not None:
        table("parameters", ["", ""], [(name, _cut(str(value))) for name, value in params.items()])


def _inspect_many(machines: Any, title: str, how: Compilation, as_json: bool) -> None:
    params = params_of(machines)
    summaries = {name: _summarised(machine) for name, machine in machines.items()}
    scorers = None if how.engine is None else Scorers({name: _compiled(machines, name, how) for name in machines})
    if as_json:
        each = {name: asdict(summary) for name, summary in summaries.items()}
        if scorers is not None:
            each = {name: facts | {"compiled": asdict(scorers[name].report())} for name, facts in each.items()}
        total = {} if scorers is None else {"compiled": asdict(scorers.report())}
        click.echo(json.dumps({"format": title, "machines": each, **total, **_params_facts(params)}))
        return
    columns = ["name", "machine", "kernel", "outputs", "|SV|", "|F|", "average |X|"]
    cells = [
        [name, s.scheme, s.kernel, count(s.outputs), count(s.support), *_of_features(s)]
        for name, s in summaries.items()
    ]
    if scorers is not None:
        columns += ["engine", "memory"]
        cells = [[*row, scorers[row[0]].engine, memory(scorers[row[0]].nbytes)] for row in cells]
    table(f"{title}: {len(cells)}", columns, cells, left=3)
    _show_params(params)
    if scorers is not None:
        click.echo(str(scorers.report()))


def _compiled(machines: Machines, name: str, how: Compilation) -> Scorer:
    try:
        return how.compile(machines[name])
    except ValueError as error:
        raise ValueError(f"machine {name!r}: {error}") from error


def _summarised(machine: Machine) -> MachineSummary | TreeMachineSummary:
    if not machine.explains_features:
        return summarise_tree_machine(machine)
    return summarise_machine(machine, top=0)


def _of_features(model: MachineSummary | TreeMachineSummary) -> tuple[str, str]:
    """How many there are, and on average in an example; trees have none."""
    return (count(model.features), f"{model.average:.2f}") if isinstance(model, MachineSummary) else ("", "")


def _inspect_data(content: bytes, degree: int, top: int) -> tuple[DataSummary, Iterable[tuple[str, str]], str]:
    rows, labels, _, zero_based = parse_rows(content)
    with progress_bar("counting conjunctions") as progress:
        summary = summarise_data(
            rows, labels, first_id=0 if zero_based else 1, degree=degree, top=top, progress=progress
        )
    return summary, _data_lines(summary), "data in svmlight format"


def _data_lines(data: DataSummary) -> Iterable[tuple[str, str]]:
    yield "examples |T|", count(data.examples)
    yield from label_lines(data.labels)
    yield "values", "binary" if data.binary else "real (scored by the direct engine only)"
    yield "features |F|", count(data.features)
    yield "  counted from", str(data.first_id)
    yield "  of which occur once", count(data.once)
    yield "active features |x|: average", f"{data.average:.2f}"
    yield "  shortest, longest", f"{data.shortest}, {data.longest}"
    for top, share in data.coverage.items():
        yield f"  slots of the top {top} features", f"{share:.1%}"
    for degree in range(2, max(data.conjunctions, default=0) + 1):
        yield f"conjunctions |x^{degree}|: average", f"{data.conjunctions[degree]:,.1f}"
        yield f"different conjunctions |F^{degree}|", count(data.distinct[degree])


def _output_lines(model: OutputSummary, support: str) -> Iterable[tuple[str, str]]:
    """What all machines have."""
    yield "machine", f"{model.scheme}, {model.outputs} output{'s' * (model.outputs != 1)}"
    yield "kernel", model.kernel
    if model.classes is not None:
        yield "classes", _shortened(model.classes)
    yield support, count(model.support)
    each = " (average over outputs)" if model.outputs > 1 else ""
    yield f"  in an output{each}", count(model.support_per_output)
    yield f"  positive{each}", count(model.positive_per_output)
    yield f"  negative{each}", count(model.negative_per_output)


def _machine_lines(model: MachineSummary) -> Iterable[tuple[str, str]]:
    yield from _output_lines(model, f"{model.noun}s" + " |SV|" * (model.noun == "support vector"))
    yield "values", "binary" if model.binary else "real (scored by the direct engine only)"
    yield "features |F|", count(model.features)
    if model.first_id is not None:
        yield "  counted from", str(model.first_id)
    yield "active features |X|: average", f"{model.average:.2f}"
    yield "  longest", count(model.longest)
    yield "postings of a feature B: average", f"{model.postings:.2f}"
    if model.probability:
        yield "probabilities", model.probability
    if model.provenance.keys() - {KEY}:
        yield "from", _provenance(model.provenance)


def _tree_machine_lines(model: TreeMachineSummary) -> Iterable[tuple[str, str]]:
    yield from _output_lines(model, "support examples")
    for name, subtrees in model.subtrees.items():
        yield f"{name}: different subtrees", count(subtrees)
        yield "  nodes for each", count(model.node_sharing[name])
    if model.provenance:
        yield "from", _provenance(model.provenance)


def _shortened(classes: list[Any], most: int = 20) -> str:
    shown = ", ".join(map(str, classes[:most]))
    return f"{shown}, ... ({len(classes)} in all)" if len(classes) > most else shown


def _provenance(known: dict[str, Any]) -> str:
    return ", ".join(f"{key} {_cut(str(value))}" for key, value in known.items() if key not in (PARAMS, KEY))


def _cut(text: str, most: int = 200) -> str:
    """Some values, such as the dictionary of a segmenter, are too long to be looked at."""
    return text if len(text) <= most else f"{text[:most]}..."


# --- compiled scorers -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Compiled:
    """One scorer: facts by name, for JSON and for a table."""

    key: str
    title: str
    facts: dict[str, Any]


def _cached_facts(machine: Machine, model: str) -> _Compiled | None:
    """The compiled scorer in the file MODEL.scorer, if there is one."""
    from gristmill.scoring.cache import header_of, numbers
    from gristmill.scoring.compile import cached_scorer
    from gristmill.scoring.options import CompileOptions

    path = scorer_path(model)
    if path is None:
        return None
    facts: dict[str, Any] = {"file": str(path), "belongs": False}
    header, numbered = header_of(path), numbers(path)
    if header is None or numbered is None:
        return _Compiled("scorer", f"compiled scorer {path.name}", facts | {"reason": "is no compiled scorer"})
    engine = "expanded" if header.get("engine") == "auto" else str(header.get("engine"))
    sigma, xi = header.get("sigma", 0.0), header.get("xi", 1)
    options = CompileOptions(engine, sigma=sigma, xi=xi) if machine.explains_features else CompileOptions()
    found = cached_scorer(machine, path, options)
    facts |= {"belongs": True} if not isinstance(found, str) else {"reason": found}
    facts |= {"engine": engine, "exact": sigma == 0 and xi == 1}
    if machine.explains_features:
        dense, common, features = (numbered.get(key, 0) for key in ("dense", "common", "features"))
        facts |= {"sigma": sigma, "xi": xi, "conjunctions": numbered.get("conjunctions", 0)}
        facts["tiers"] = [dense, common - dense, features - common]
    facts["nbytes"] = path.stat().st_size if isinstance(found, str) else found.nbytes
    return _Compiled("scorer", f"compiled scorer {path.name}", facts)


def _compiled_facts(machine: Machine, how: Compilation) -> _Compiled | None:
    """What compiling gives."""
    if how.engine is None:
        return None
    start = time.perf_counter()
    report = how.compile(machine).report()
    facts = asdict(report) | {"seconds": time.perf_counter() - start}
    return _Compiled("compiled", f"compiled with --engine {how.engine}", facts)


_WORK = {"ns": "  nanoseconds", "entries": "  weights looked at", "probes": "  probes", "lines": "  cache lines"}


def _scorer_lines(facts: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """For a table."""
    if "belongs" in facts:
        yield "belongs to this model", "yes" if facts["belongs"] else f"no: it {facts['reason']}"
    if "engine" not in facts:
        return
    yield "engine", facts["engine"]
    if "belongs" not in facts:
        yield "  because", facts["reason"]
    yield "exact", "yes" if facts["exact"] else "no"
    if facts.get("sigma") or facts.get("xi", 1) > 1:
        yield "  sigma, xi", f"{facts['sigma']:g}, {facts['xi']}"
    if facts.get("conjunctions") is not None:
        yield "conjunctions", count(facts["conjunctions"])
    if facts.get("tiers") is not None:
        yield "features dense, common, rare", ", ".join(map(count, facts["tiers"]))
    yield "memory", memory(facts["nbytes"])
    if "seconds" in facts:
        yield "seconds to compile", f"{facts['seconds']:.3f}"
    for name, value in facts.get("work", {}).items():
        yield f"{_WORK.get(name, name)} expected for a row", f"{value:,.1f}"
