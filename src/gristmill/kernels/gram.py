"""Gram matrices, computed in blocks of rows into any array: also into a file that exceeds memory.

Symmetric ones equal `kernel(A)` bit for bit, for any size of blocks. `kernel(A, B)` may differ in the last bits,
because tree kernels add up in the order of the trees of a block.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.kernels import KernelRows, TreeRows

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def block_rows(columns: int, max_bytes: int, block: int | None = None) -> int:
    """How many rows of `columns` doubles fit into max_bytes; at most `block`."""
    fit = max_bytes // (8 * max(columns, 1))
    if fit == 0:
        raise ValueError(f"a row of {columns} values takes {8 * columns} bytes; {max_bytes} are too few")
    return fit if block is None else min(fit, block)


def fill_symmetric(
    out: Floats, rows: KernelRows, block: int, *, n_jobs: int | None = None, progress: Progress | None = None
) -> None:
    """The kernel of all pairs of examples of `rows`; tree kernels compute each pair once."""
    size = len(rows)
    for begin, end in _blocks(size, block):
        if isinstance(rows, TreeRows):
            watch = _part(progress, begin * begin, end * end, size * size)
            _mirror(out, rows.lower(begin, end, n_jobs=n_jobs, progress=watch), begin, end)
        else:
            watch = _part(progress, begin, end, size)
            out[begin:end] = rows.take(np.arange(begin, end), n_jobs=n_jobs, progress=watch)


def fill_against(
    out: Floats, rows: KernelRows, X: Any, block: int, *, n_jobs: int | None = None, progress: Progress | None = None
) -> None:
    """The kernel of the examples of X (a Forest, or Rows) with those of `rows`."""
    for begin, end in _blocks(len(X), block):
        watch = _part(progress, begin, end, len(X))
        out[begin:end] = rows.against(X.take(np.arange(begin, end)), n_jobs=n_jobs, progress=watch)


def _blocks(size: int, block: int) -> Iterator[tuple[int, int]]:
    return ((begin, min(begin + block, size)) for begin in range(0, size, block))


def _mirror(out: Floats, lower: Floats, begin: int, end: int) -> None:
    corner = lower[:, begin:end]
    out[begin:end, :begin] = lower[:, :begin]
    out[:begin, begin:end] = lower[:, :begin].T
    out[begin:end, begin:end] = corner + np.tril(corner, -1).T


def _part(progress: Progress | None, begin: int, end: int, total: int) -> Progress | None:
    """Progress of a block as a part of the whole."""
    if progress is None:
        return None
    return lambda done, of: progress(begin + (end - begin) * done // max(of, 1), total)


# --- on disk ----------------------------------------------------------------------------------------------------------


def npy_matrix(path: Path, shape: tuple[int, int]) -> Floats:
    """A matrix that is a .npy file."""
    matrix = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=shape)
    with path.open("r+b") as file:
        _reserve(file.fileno(), path.stat().st_size, str(path))
    return matrix


@contextlib.contextmanager
def scratch_matrix(shape: tuple[int, int], max_bytes: int, folder: Path | None) -> Iterator[Floats]:
    """A matrix in memory, or beyond `max_bytes` in an unnamed file, which the system removes."""
    nbytes = 8 * shape[0] * shape[1]
    if nbytes <= max_bytes:
        yield np.empty(shape)
        return
    where = str(folder or tempfile.gettempdir())
    with _unnamed(where) as file:
        _reserve(file.fileno(), nbytes, where)
        yield np.memmap(file, dtype=np.float64, mode="r+", shape=shape)


def _unnamed(folder: str) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(dir=folder)
    except OSError as error:  # which names a file that nobody has heard of
        error.filename = folder
        raise


def _reserve(file: int, size: int, name: str) -> None:
    """Fail now if the disk is too small: a write to a mapped file would kill the process."""
    try:
        os.posix_fallocate(file, 0, size)
    except OSError as error:
        if error.errno in _FULL:
            raise OSError(error.errno, error.strerror, name) from error
        os.truncate(file, size)
