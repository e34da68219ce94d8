"""gristmill nearest: the examples of a file that are most similar to others."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import click
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import read_bytes, writing
from gristmill.cli.command import FILE, OUTPUT, Command, arguments, declared, given, option
from gristmill.cli.kernel_options import kernel_named, reads_marks, row_options, tree_options
from gristmill.cli.options import jobs_option, json_option
from gristmill.cli.screen import progress_bar
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import ZeroBased, parse_rows
from gristmill.data.formats.tree_data import parse_tree_data
from gristmill.data.rows import Rows
from gristmill.display.words import spelled_label
from gristmill.kernels import Kernel, Normalized
from gristmill.kernels.named import ROW_KERNELS, TREE_KERNELS
from gristmill.search import NearestIndex, Neighbours

_NAMES = ("tanimoto", *(name for name in ROW_KERNELS if name != "tanimoto"), *TREE_KERNELS)
_OF_TREES = ("no_normalize", "marks", "field")
_OF_ROWS = ("degree", "gamma", "coef0")


@dataclass(frozen=True)
class _Examples:
    data: Forest | Rows
    labels: NDArray[Any] | None
    zero_based: bool | None = None


@click.command(cls=Command)
@arguments("data")
@click.argument("queries", type=FILE, required=False)
@option("-k", "k", type=click.IntRange(1), help="How many neighbours.  [default: 5, or all with --threshold]")
@option("--threshold", type=float, help="Only neighbours that are at least so similar.")
@option("--kernel", "name", type=click.Choice(_NAMES), default="tanimoto", help="What to compare by.")
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
    similarity, and the label of the example if it has one. The most similar come first. Results are exact. Rows whose
    values are 0 and 1 are compared fastest.

    \b
    Examples:
      gristmill nearest train.svm test.svm -k 10
      gristmill nearest train.svm --threshold 0.8                       (near-duplicates)
      gristmill nearest train.trees test.trees --kernel sst -k 3 --json
    """
    compare = _kernel_of(ctx, options)
    known = _read(data, compare, options)
    asked = None if queries is None else _read(queries, compare, options | {"zero_based": known.zero_based})
    k = 5 if options["k"] is None and options["threshold"] is None else options["k"]
    with progress_bar("searching") as progress:
        found = NearestIndex(known.data, compare).query(
            None if asked is None else asked.data,
            k=k,
            threshold=options["threshold"],
            n_jobs=options["jobs"],
            progress=progress,
        )
    with writing(output) as out:
        for line in _json_lines(found, known) if as_json else _lines(found, known):
            out.write(f"{line}\n".encode())


def _kernel_of(ctx: click.Context, options: dict[str, Any]) -> Kernel:
    name, set_ = options["name"], given(ctx)
    if name in TREE_KERNELS:
        made = kernel_named(name, options, set_)
        return made if options["no_normalize"] else Normalized(made)
    if any(options[key] for key in _OF_TREES):
        raise click.UsageError("--no-normalize, --marks and --tree go with kernels of trees")
    kernel = ROW_KERNELS[name]
    known = {field.name for field in fields(kernel)} if name != "linear" else set()  # type: ignore[arg-type]
    for key, spelled in set_.items():
        if (key in _OF_ROWS and key not in known) or key in ("decay", "mu", "weighting"):
            raise click.UsageError(f"{spelled} does not go with --kernel {name}")
    return replace(kernel, **{key: options[key] for key in _OF_ROWS if key in known and key in set_})  # type: ignore[type-var]


def _read(path: str, compare: Kernel, options: dict[str, Any]) -> _Examples:
    of_rows = compare.reads == "rows"
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


def _lines(found: Neighbours, known: _Examples) -> Iterator[str]:
    for query, neighbours in enumerate(found, start=1):
        for number, similarity in neighbours:
            cells = [str(query), str(number + 1), f"{similarity:.6g}", *_label(known, number)]
            yield "\t".join(cells)


def _json_lines(found: Neighbours, known: _Examples) -> Iterator[str]:
    """An object for each query."""
    for query, neighbours in enumerate(found, start=1):
        listed = [
            {"number": number + 1, "similarity": similarity, **dict.fromkeys(("label",) * len(label), "".join(label))}
            for number, similarity in neighbours
            for label in [_label(known, number)]
        ]
        yield json.dumps({"query": query, "neighbours": listed})


def _label(known: _Examples, number: int) -> list[str]:
    return [] if known.labels is None else [spelled_label(known.labels[number].item())]
