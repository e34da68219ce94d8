"""Gram matrices of growing samples: each is the leading block of the next, so no pair is computed twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.kernels import Kernel, KernelRows, TreeRows
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import PRECOMPUTED

_ROWS = 1024  # computed at once
_STRIP = 64  # rows that are transposed at once


@dataclass(frozen=True)
class Block:
    """The kernel of different examples with each other and with held-out examples, if there are any."""

    gram: Floats
    cross: Floats | None = None  # examples x held-out examples

    @property
    def nbytes(self) -> int:
        return self.gram.nbytes + (0 if self.cross is None else self.cross.nbytes)


class SharedRows(TrainingRows):
    """A Gram matrix computed here: it is symmetric by construction and not checked again."""

    def __init__(self, gram: Floats, max_bytes: int) -> None:
        super().__init__(PRECOMPUTED, gram, max_bytes)

    def _make(self, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        return _core.gram_rows(self.data)


def extend_block(
    kernel: Kernel, data: Any, held_out: Any, before: Block | None, n_jobs: int | None, progress: Progress | None
) -> Block:
    """The block of these examples; `before` covers the first of them."""
    gram = extend_gram(kernel.rows(data), None if before is None else before.gram, n_jobs, progress)
    if held_out is None:
        return Block(gram)
    done = 0 if before is None or before.cross is None else len(before.cross)
    validation = kernel.rows(held_out)
    rest = validation.against(take(data, np.arange(done, len(gram))), n_jobs=n_jobs, progress=progress)
    return Block(gram, rest if done == 0 or before is None else np.concatenate([before.cross, rest]))


def extend_gram(rows: KernelRows, before: Floats | None, n_jobs: int | None, progress: Progress | None) -> Floats:
    size, done = len(rows), 0 if before is None else len(before)
    if before is None or done == 0:
        return rows.gram(n_jobs=n_jobs, progress=progress)
    if done == size:
        return before
    gram = np.empty((size, size))
    gram[:done, :done] = before
    for begin in range(done, size, _ROWS):
        end = min(begin + _ROWS, size)
        if isinstance(rows, TreeRows):
            fresh = rows.lower(begin, end, n_jobs=n_jobs, progress=progress)
        else:
            fresh = rows.take(np.arange(begin, end), n_jobs=n_jobs, progress=progress)
        _mirror(gram, fresh, begin)
    return gram


def _mirror(gram: Floats, fresh: Floats, begin: int) -> None:
    """Write rows from `begin` on, and the same as columns; in strips, for the cache."""
    for low in range(0, len(fresh), _STRIP):
        strip = fresh[low : low + _STRIP]
        first, last = begin + low, begin + low + len(strip)
        gram[first:last, :first] = strip[:, :first]
        gram[:first, first:last] = strip[:, :first].T
        corner = strip[:, first:last]  # what is right of the diagonal may be missing, or differ in the last bit
        gram[first:last, first:last] = np.tril(corner) + np.tril(corner, -1).T
