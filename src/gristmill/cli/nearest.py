"""gristmill nearest: the examples of a file that are most similar to others."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import read_bytes, writing
from gristmill.cli.command import OUTPUT, Command, arguments, declared, given, option
from gristmill.cli.kernel_options import ROW_KERNELS, kernel_named, reads_marks, row_options, tree_options
from gristmill.cli.options import jobs_option, json_option
from gristmill.cli.screen import progress_bar
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.python_code import read_functions
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import ZeroBased, parse_rows
from gristmill.data.formats.tree_data import parse_tree_data
from gristmill.data.rows import Rows
from gristmill.display.words import spelled_label
from gristmill.kernels import Kernel, Normalized, TreeKernel
from gristmill.kernels.named import TREE_KERNELS
from gristmill.search import NearestIndex, Neighbours

_NAMES = ("tanimoto", *(name for name in ROW_KERNELS if name != "tanimoto"), *TREE_KERNELS)


@dataclass(frozen=True)
class _Examples:
    data: Forest | Rows
    labels: NDArray[Any] | None = None
    zero_based: bool | None = None
    places: list[str] | None = None  # in source files

    def name(self, number: int) -> str:
        """The number, counted from 1, or the place."""
        return str(number + 1) if self.places is None else self.places[number]


@click.command(cls=Command)
@arguments("data")
@arguments("queries", required=False)
@option("-k", "k", type=click.IntRange(1), help="How many neighbours.  [default: 5, or all with --threshold]")
@option("--threshold", type=float, help="Only neighbours that are at least so similar.")
@option("--kernel", "name", type=click.Choice(_NAMES), help="What to compare by.  [default: tanimoto; for code sst]")
@option(
    "--language", type=click.Choice(["python"]), help="Compare functions: DATA is a source file or a folder of them."
)
@functools.partial(declared, options=[*tree_options(), *row_options()])
@option("--zero-based/--one-based", default=None, help="Rows: how files count features.  [default: as DATA does]")
@jobs_option
@json_option
@option("-o", "--output", default="-", type=OUTPUT, help="The file to write to.  [default: stdout]")
@click.pass_context
def nearest(ctx: click.Context, /, data: str, queries: str | None, output: str, as_json: bool, **options: Any) -> None:
    """Find the examples of DATA that are most similar to each of QUERIES, or to each other.

    Files are in svmlight format; for kernels of trees they hold trees, and the kernel is normalised. A line is written
    for each neighbour: the number of the query, the number of the example of DATA, both counted from 1, their
    similarity, and the label of the example if it has one; with --language places stand for numbers. The most similar
    come first. Results are exact. Rows whose values are 0 and 1 are compared fastest.

    \b
    Examples:
      gristmill nearest train.svm test.svm -k 10
      gristmill nearest train.svm --threshold 0.8                       (near-duplicates)
      gristmill nearest train.trees test.trees --kernel sst -k 3 --json
      gristmill nearest code/ --language python --threshold 0.8         (clones)
    """
    options["name"] = options["name"] or ("tanimoto" if options["language"] is None else "sst")
    _check_kernel(ctx, options)
    known = _read(data, options)
    asked = None if queries is None else _read(queries, options | {"zero_based": known.zero_based})
    k = 5 if options["k"] is None and options["threshold"] is None else options["k"]
    with progress_bar("searching") as progress:
        found = NearestIndex(known.data, _kernel_of(options, known.data), n_jobs=options["jobs"]).query(
            None if asked is None else asked.data,
            k=k,
            threshold=options["threshold"],
            n_jobs=options["jobs"],
            progress=progress,
        )
    with writing(output) as out:
        for line in (_json_lines if as_json else _lines)(found, known, asked or known):
            out.write(f"{line}\n".encode())


def _check_kernel(ctx: click.Context, options: dict[str, Any]) -> None:
    name = options["name"]
    if options["language"] is not None and (name not in TREE_KERNELS or options["marks"] or options["field"]):
        raise click.UsageError("--language goes with kernels of trees, without --marks and --tree")
    if name in ROW_KERNELS and any(options[key] for key in ("no_normalize", "marks", "field")):
        raise click.UsageError("--no-normalize, --marks and --tree go with kernels of trees")
    kernel_named(name, options, given(ctx))


def _kernel_of(options: dict[str, Any], data: Forest | Rows) -> Kernel:
    """With a number for gamma, found from the data."""
    made = kernel_named(options["name"], options, (), data if isinstance(data, Rows) else None)
    return Normalized(made) if isinstance(made, TreeKernel) and not options["no_normalize"] else made


def _read(path: str, options: dict[str, Any]) -> _Examples:
    if options["language"] is not None:
        functions = read_functions(path)
        return _Examples(functions.trees, places=functions.places)
    of_rows = options["name"] in ROW_KERNELS
    kinds = [ROWS] if of_rows else [TREES, TREE_EXAMPLES]
    with reading(path, *kinds) as looked, progress_bar("reading") as progress:
        content = looked.content(read_bytes(path))
        if of_rows:
            base: ZeroBased = "auto" if options["zero_based"] is None else options["zero_based"]
            rows = parse_rows(content, zero_based=base, progress=progress)
            return _Examples(rows.rows, rows.labels, rows.zero_based)
        trees = parse_tree_data(content, marks=reads_marks(options["name"], options), progress=progress)
        if trees is None:
            raise FormatError("there are no trees in it; for data in svmlight format there is --kernel tanimoto")
        return _Examples(_field(trees.trees, options["field"]), trees.labels)


def _field(trees: dict[str, Forest], name: str | None) -> Forest:
    if name is None and len(trees) == 1:
        return next(iter(trees.values()))
    if name not in trees:
        raise FormatError(f"say which tree of an example with --tree: {', '.join(trees)}")
    return trees[name]


# --- out --------------------------------------------------------------------------------------------------------------


def _lines(found: Neighbours, known: _Examples, asked: _Examples) -> Iterator[str]:
    for query, neighbours in enumerate(found):
        for number, similarity in neighbours:
            cells = [asked.name(query), known.name(number), f"{similarity:.6g}", *_label(known, number)]
            yield "\t".join(cells)


def _json_lines(found: Neighbours, known: _Examples, asked: _Examples) -> Iterator[str]:
    """An object for each query."""
    for query, neighbours in enumerate(found):
        listed = [_as_dict(known, number) | {"similarity": similarity} for number, similarity in neighbours]
        yield json.dumps({"query": _as_dict(asked, query), "neighbours": listed})


def _as_dict(examples: _Examples, number: int) -> dict[str, Any]:
    place = {} if examples.places is None else {"place": examples.places[number]}
    label = _label(examples, number)
    return {"number": number + 1, **place, **({"label": label[0]} if label else {})}


def _label(known: _Examples, number: int) -> list[str]:
    return [] if known.labels is None else [spelled_label(known.labels[number].item())]
