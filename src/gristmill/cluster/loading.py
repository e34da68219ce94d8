"""What users have on a cluster -> tasks that read a partition each: collections, delayed blocks, files, local data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.files import read_bytes
from gristmill.cluster.examples import units_of
from gristmill.cluster.partitions import RawPartition
from gristmill.data.forest import Forest, compared_trees
from gristmill.data.formats import bracketed
from gristmill.data.formats.kinds import LABELS, ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.rows import Binarize, Rows, as_rows
from gristmill.kernels import Kernel

_BLOCK = 50_000  # examples of the client in one task


@dataclass(frozen=True)
class Reading:
    """How a block becomes rows or trees."""

    kernel: Kernel
    binarize: Binarize = 0.0
    zero_based: bool = False  # ids of files

    def block(self, X: Any, y: Any, weights: Any = None) -> RawPartition:
        """From a block of X and its labels."""
        data = self.examples(X)
        labels = np.asarray(y)
        if labels.shape != (len(data),):
            raise ValueError(f"a partition of X has {len(data)} examples, and y has labels of shape {labels.shape}")
        return RawPartition(data, labels, units_of(None if weights is None else np.asarray(weights), len(data)))

    def pair(self, block: Any, weights: Any = None) -> RawPartition:
        """From a block that is (X, y)."""
        if not (isinstance(block, tuple) and len(block) == 2):
            raise ValueError(f"without y each partition must be a pair (X, y), got {type(block).__name__}")
        return self.block(*block, weights)

    def file(self, path: str) -> RawPartition:
        """From a file of examples with labels."""
        if self.kernel.reads == "rows":
            with reading(path, ROWS, also=[LABELS]) as looked:
                found = parse_rows(looked.content(read_bytes(path)), zero_based=self.zero_based, words=True)
                return self.block(found.rows, _numbers_or_words(found.labels))
        with reading(path, TREES, TREE_EXAMPLES) as looked:
            trees = bracketed.parse_trees(looked.content(read_bytes(path)), marks=self.kernel.marked)
            if trees.labels is None:
                raise ValueError(f"{path}: the trees have no labels; give them as y")
            return self.block(trees.forest, _numbers_or_words(trees.labels))

    def examples(self, X: Any) -> Any:
        """As the kernel compares them."""
        if self.kernel.reads == "rows":
            X = np.asarray(X) if isinstance(X, list) else X  # a table, as scikit-learn reads it
            return as_rows(X, binarize=self.binarize, training=True)
        return compared_trees(list(X) if not isinstance(X, Forest) else X, marked=self.kernel.marked)


def _numbers_or_words(labels: Any) -> NDArray[Any]:
    """As numbers where all of them are."""
    given = np.asarray(labels)
    try:
        return given.astype(np.float64)
    except ValueError:
        return given.astype(str)


@dataclass(frozen=True)
class Blocks:
    """One list a partition: blocks of X, of y and of weights; y is None where X has the labels."""

    X: list[Any]
    y: list[Any] | None
    weights: list[Any] | None

    def __len__(self) -> int:
        return len(self.X)


def raw_partitions(client: Any, how: Reading, X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Futures of RawPartition."""
    if are_paths(X):
        _check_alone("files", y, sample_weight)
        return [client.submit(how.file, str(path), pure=False) for path in X]
    if not is_spread(X):
        return [client.submit(how.block, *block, pure=False) for block in _local_blocks(X, y, sample_weight)]
    from dask import delayed

    blocks = _spread_blocks(X, y, sample_weight)
    read = delayed(how.block if blocks.y is not None else how.pair, pure=False)
    lists = [some for some in (blocks.X, blocks.y, blocks.weights) if some is not None]
    return list(client.compute([read(*parts) for parts in zip(*lists, strict=True)]))


def _spread_blocks(X: Any, y: Any, sample_weight: Any) -> Blocks:
    parts = delayed_parts(X, "X", None)
    rows = _row_chunks(X)
    labels = None if y is None else delayed_parts(y, "y", rows)
    weights = None if sample_weight is None else delayed_parts(sample_weight, "sample_weight", rows)
    for name, some in (("y", labels), ("sample_weight", weights)):
        if some is not None and len(some) != len(parts):
            raise ValueError(
                f"X has {len(parts)} partitions and {name} has {len(some)}: they must be partitioned alike"
            )
    return Blocks(parts, labels, weights)


def _row_chunks(X: Any) -> Any:
    """The sizes of the blocks of a Dask array, to which y is cut; None for others."""
    return X.chunks[0] if hasattr(X, "chunks") else None


def delayed_parts(collection: Any, name: str, rows: Any) -> list[Any]:
    """A delayed object for each partition."""
    if isinstance(collection, list | tuple):
        if not all(_is_delayed(part) for part in collection):
            raise ValueError(f"{name} must be a Dask collection or a list of delayed partitions, as X is")
        return list(collection)
    if hasattr(collection, "chunks"):  # a Dask array: rows are cut, columns are not
        chunks = collection.chunks[0] if rows is None else rows
        whole = collection.rechunk({0: chunks, **dict.fromkeys(range(1, collection.ndim), -1)})
        return list(np.ravel(whole.to_delayed()))
    if hasattr(collection, "to_delayed"):
        return list(collection.to_delayed())
    raise ValueError(
        f"{name} must be a Dask collection or a list of delayed partitions, got {type(collection).__name__}"
    )


def _is_delayed(value: Any) -> bool:
    return type(value).__module__.startswith("dask.") and hasattr(value, "__dask_graph__")


def is_spread(X: Any) -> bool:
    if isinstance(X, list | tuple):
        return len(X) > 0 and _is_delayed(X[0])
    return hasattr(X, "__dask_graph__")


def are_paths(X: Any) -> bool:
    """A list of paths; strings that are bracketed trees are no paths."""
    if not isinstance(X, list | tuple) or not X:
        return False
    return all(
        isinstance(path, PathLike) or (isinstance(path, str) and not path.lstrip().startswith("(")) for path in X
    )


def _check_alone(what: str, y: Any, sample_weight: Any) -> None:
    if y is not None or sample_weight is not None:
        raise ValueError(f"{what} have labels of their own; weights can be given with delayed partitions: leave y out")


def _local_blocks(X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Data of the client, in blocks; they live in the tasks, on the scheduler."""
    if y is None:
        raise ValueError("y is needed with X: the labels of its examples")
    labels = np.asarray(y)
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape != (size,):
        raise ValueError(f"X has {size} examples, and y has labels of shape {labels.shape}")
    weights = None if sample_weight is None else np.asarray(sample_weight)
    for some in _slices(size):
        yield _rows_of(X, some), labels[some], None if weights is None else weights[some]


def local_slices(X: Any) -> Iterator[Any]:
    """Blocks of data of the client."""
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    return (_rows_of(X, some) for some in _slices(size))


def _slices(size: int) -> Iterator[slice]:
    return (slice(begin, min(begin + _BLOCK, size)) for begin in range(0, max(size, 1), _BLOCK))


def _rows_of(X: Any, some: slice) -> Any:
    if isinstance(X, Rows):
        return X.take(np.arange(some.start, some.stop))
    return X.iloc[some] if hasattr(X, "iloc") else X[some]
