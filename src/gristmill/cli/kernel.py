"""gristmill kernel: the Gram matrix of a file, for other programs."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.errors import FormatError
from gristmill.base.files import read_bytes, writing
from gristmill.base.replacing import replacing
from gristmill.cli.command import FILE, OUTPUT, Command, arguments, declared, given, option
from gristmill.cli.kernel_options import KERNEL_NAMES, ROW_KERNELS, kernel_named, reads_marks, row_options, tree_options
from gristmill.cli.options import BYTES, jobs_option
from gristmill.cli.screen import count, note, progress_bar
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.precomputed import label_numbers, write_precomputed
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import ZeroBased, parse_rows
from gristmill.data.formats.tree_data import parse_tree_data
from gristmill.data.rows import Rows
from gristmill.display.numbers import memory
from gristmill.kernels import Kernel, Normalized, TreeKernel
from gristmill.kernels.gram import block_rows, fill_against, fill_symmetric, npy_matrix, scratch_matrix


@dataclass(frozen=True)
class _Examples:
    data: Forest | Rows
    labels: NDArray[Any]  # empty where the file has none
    zero_based: bool | None = None


@click.command(cls=Command)
@arguments("file")
@option("-k", "--kernel", "name", type=click.Choice(KERNEL_NAMES), required=True, help="What to compare by.")
@functools.partial(declared, options=[*tree_options(), *row_options()])
@option("--against", type=FILE, metavar="FILE2", help="Columns: these examples, not those of FILE.")
@option("--zero-based/--one-based", default=None, help="Rows: how files count features.  [default: as FILE does]")
@option("-o", "--output", type=OUTPUT, required=True, metavar="OUT", help="The file to write.")
@option("--format", "kind", type=click.Choice(["npy", "libsvm"]), default="npy")
@jobs_option
@option("--block", advanced=True, type=click.IntRange(1), metavar="ROWS", help="The most rows to compute at a time.")
@option("--max-bytes", type=BYTES, default="256M", help="Memory for the values, as 500M or 2GiB.")
@click.pass_context
def kernel(ctx: click.Context, /, file: str, against: str | None, output: str, kind: str, **options: Any) -> None:
    """Write the Gram matrix of FILE to OUT: the kernel of every example with every other.

    FILE holds bracketed trees, one after the other or one a line behind its label and a tab; or data of SVM-light-TK
    or KeLP, where --tree says which of several trees; for kernels of rows (poly, rbf, ...) data in svmlight format.
    Tree kernels are normalised unless --no-normalize is given. With --against the matrix has a row for every example
    of FILE and a column for every one of FILE2, as needed to test what was trained on FILE2.

    The matrix is computed in blocks of rows and need not fit into memory. OUT appears when it is complete: as a .npy
    file for numpy.load (with mmap_mode="r" for large ones), or as text for LIBSVM (svm-train -t 4), where labels that
    are words are numbered and standard error says how.

    \b
    Examples:
      gristmill kernel train.trees --kernel sst --decay 0.4 -o train.npy
      gristmill kernel test.trees --against train.trees --kernel ptk --format libsvm -o test.kernel
      gristmill kernel train.svm --kernel poly --degree 2 -o train.npy --max-bytes 1G
      gristmill kernel train.svm --kernel rbf --gamma scale -o train.npy
    """
    if output == "-" and kind == "npy":
        raise click.UsageError("a .npy file cannot go to standard output; say --format libsvm")
    _check_kernel(ctx, options)
    with _target(output, kind) as target:  # first, so that a wrong place is known before the work
        left = _read(file, options)
        right = left if against is None else _read(against, options | {"zero_based": left.zero_based})
        compare = _kernel_of(options, right.data)
        shape = (len(left.data), len(right.data))
        with target.matrix(shape, options["max_bytes"]) as matrix:
            _fill(matrix, compare, left, right, options)
            target.finish(matrix, left.labels, right.labels)
    if output != "-":
        note(f"{count(shape[0])} x {count(shape[1])} values ({memory(8 * shape[0] * shape[1])}) are in {output}")


def _check_kernel(ctx: click.Context, options: dict[str, Any]) -> None:
    name = options["name"]
    if name in ROW_KERNELS and (options["no_normalize"] or options["marks"] or options["field"]):
        raise click.UsageError("--no-normalize, --marks and --tree go with kernels of trees")
    kernel_named(name, options, given(ctx))


def _kernel_of(options: dict[str, Any], columns: Forest | Rows) -> Kernel:
    """With a number for gamma, found from the examples that the matrix has a column for."""
    made = kernel_named(options["name"], options, (), columns if isinstance(columns, Rows) else None)
    return Normalized(made) if isinstance(made, TreeKernel) and not options["no_normalize"] else made


# --- in ---------------------------------------------------------------------------------------------------------------


def _read(path: str, options: dict[str, Any]) -> _Examples:
    of_rows = options["name"] in ROW_KERNELS
    kinds = [ROWS] if of_rows else [TREES, TREE_EXAMPLES]
    with reading(path, *kinds) as looked, progress_bar("reading") as progress:
        content = looked.content(read_bytes(path))
        if of_rows:
            base: ZeroBased = "auto" if options["zero_based"] is None else options["zero_based"]
            rows = parse_rows(content, zero_based=base, progress=progress)
            found = _Examples(rows.rows, rows.labels, rows.zero_based)
        else:
            trees = parse_tree_data(content, marks=reads_marks(options["name"], options), progress=progress)
            if trees is None:
                raise FormatError("there are no trees in it; for data in svmlight format there is --kernel poly")
            labels = np.empty(0, dtype=str) if trees.labels is None else trees.labels
            found = _Examples(_field(trees.trees, options["field"]), labels)
        if len(found.data) == 0:
            raise FormatError("there are no examples in it")
        return found


def _field(trees: dict[str, Forest], name: str | None) -> Forest:
    if name is None and len(trees) == 1:
        return next(iter(trees.values()))
    if name not in trees:
        raise FormatError(f"say which tree of an example with --tree: {', '.join(trees)}")
    return trees[name]


# --- out --------------------------------------------------------------------------------------------------------------


def _fill(matrix: Floats, compare: Kernel, left: _Examples, right: _Examples, options: dict[str, Any]) -> None:
    block = block_rows(matrix.shape[1], options["max_bytes"], options["block"])
    with progress_bar("comparing") as progress:
        rows = compare.rows(right.data)
        if left is right:
            fill_symmetric(matrix, rows, block, n_jobs=options["jobs"], progress=progress)
        else:
            fill_against(matrix, rows, left.data, block, n_jobs=options["jobs"], progress=progress)


class _Npy:
    def __init__(self, path: Path) -> None:
        self._path = path

    @contextlib.contextmanager
    def matrix(self, shape: tuple[int, int], max_bytes: int) -> Iterator[Floats]:
        yield npy_matrix(self._path, shape)

    def finish(self, matrix: Any, labels: NDArray[Any], others: NDArray[Any]) -> None:
        matrix.flush()


class _Libsvm:
    def __init__(self, out: Any, folder: Path | None) -> None:
        self._out = out
        self._folder = folder

    def matrix(self, shape: tuple[int, int], max_bytes: int) -> contextlib.AbstractContextManager[Floats]:
        return scratch_matrix(shape, max_bytes, self._folder)

    def finish(self, matrix: Floats, labels: NDArray[Any], others: NDArray[Any]) -> None:
        numbers, names = label_numbers(labels, others)
        if not len(labels):
            note("the examples have no labels; they are written with 0")
            numbers = np.zeros(len(matrix))
        for name, number in names.items():
            note(f"label {number} is {name}")
        with progress_bar("writing") as progress:
            write_precomputed(self._out, matrix, numbers, progress=progress)


@contextlib.contextmanager
def _target(output: str, kind: str) -> Iterator[_Npy | _Libsvm]:
    if kind == "npy":
        with replacing(output) as path:
            yield _Npy(path)
        return
    with writing(output) as out:
        yield _Libsvm(out, None if output == "-" else Path(output).resolve().parent)
