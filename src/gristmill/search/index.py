"""gm.nearest and gm.NearestIndex: the most similar examples by any kernel."""

from __future__ import annotations

import functools
import math
from numbers import Real
from typing import Any

from gristmill.base.checks import check_positive_int
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import aligned
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, OverlapKernel, as_kernel
from gristmill.kernels.base import check_symmetric
from gristmill.kernels.operators import worthwhile_operator
from gristmill.search.neighbours import Neighbours
from gristmill.search.ways import ByGramRows, ByOverlap, ByProducts, Request, Search


class NearestIndex:
    """Examples, prepared to be searched again and again.

    Binary rows with a kernel of sets are kept as columns of bits, by length; trees are compiled into one operator
    (`Kernel.operator`) where that pays; everything else is searched through rows of the Gram matrix. All are exact.

    Parameters
    ----------
    data : examples
        Rows, trees or whatever the kernel compares.
    kernel : Kernel or str
        What is similar; by name as everywhere: 'tanimoto', 'cosine', 'dice', 'rbf', 'poly', 'sst', ...
    n_jobs : int or None
        Threads, to compile trees.

    Attributes
    ----------
    kernel : Kernel
    nbytes : int
        Memory of the columns of bits or of the operator; 0 where there are none.

    Examples
    --------
    >>> import gristmill as gm
    >>> index = gm.NearestIndex(gm.ids([[1, 2, 3], [2, 3, 4], [7]]))
    >>> index.query(gm.ids([[2, 3, 4, 5]]), k=1)
    1 query among 3 examples, 1 neighbour
    0: 1 (0.75)
    >>> index.query(threshold=0.5)
    3 queries among 3 examples, 2 neighbours
    0: 1 (0.5)
    1: 0 (0.5)
    2: none
    """

    def __init__(self, data: Any, kernel: Any = "tanimoto", *, n_jobs: int | None = None) -> None:
        self.kernel = as_kernel(kernel)
        check_symmetric(self.kernel, "a search")
        self._data = self.kernel.examples(data)
        self._fast = _fast_search(self.kernel, self._data, n_jobs)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"NearestIndex(<{len(self):,} examples>, kernel={self.kernel!r})"

    @property
    def nbytes(self) -> int:
        return 0 if self._fast is None else self._fast.nbytes

    def query(
        self,
        queries: Any = None,
        *,
        k: int | None = None,
        threshold: float | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Neighbours:
        """The neighbours of each query; see `gristmill.nearest`."""
        request = _request(k, threshold)
        own = queries is None
        examples = self._data if own else aligned(self.kernel.examples(queries), self._data)
        found = self._search_for(examples).find(examples, own, request, resolve_jobs(n_jobs), progress)
        return Neighbours(*found, len(self))

    def _search_for(self, examples: Any) -> Search:
        values = isinstance(examples, Rows) and not examples.is_binary
        return self._gram_search if self._fast is None or values else self._fast

    @functools.cached_property
    def _gram_search(self) -> ByGramRows:
        return ByGramRows(self.kernel, self._data)


def _fast_search(kernel: Kernel, data: Any, n_jobs: int | None) -> ByOverlap | ByProducts | None:
    """The search that does not compare all pairs one by one, where there is one."""
    if isinstance(kernel, OverlapKernel) and data.is_binary:
        return ByOverlap(kernel, data)
    operator = worthwhile_operator(kernel, data, n_jobs) if isinstance(data, Forest) else None
    return None if operator is None else ByProducts(operator)


def nearest(
    data: Any,
    queries: Any = None,
    *,
    k: int | None = None,
    threshold: float | None = None,
    kernel: Any = "tanimoto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Neighbours:
    """The examples of `data` that are most similar to each query: exact, by any kernel.

    Parameters
    ----------
    data : examples
        What is searched: rows, trees or whatever the kernel compares.
    queries : examples or None
        None: every example of `data` is a query, and is not its own neighbour. Copies of it are.
    k : int or None
        How many neighbours a query has at most; None: all that reach the threshold.
    threshold : float or None
        The least similarity of a neighbour, which may be reached; None: any. `k`, `threshold` or both must be given.
    kernel : Kernel or str
        What is similar.
    n_jobs : int or None
        Threads; they never change a result.
    progress : callable or None
        Called with (done, total). Raise in it, or press Ctrl-C, to stop.

    Returns
    -------
    Neighbours

    Examples
    --------
    >>> import gristmill as gm
    >>> names = gm.ids([[1, 2, 3, 4], [2, 3, 4, 5], [7, 8], [7, 8]])
    >>> gm.nearest(names, threshold=0.6)
    4 queries among 4 examples, 4 neighbours
    0: 1 (0.6)
    1: 0 (0.6)
    2: 3 (1)
    3: 2 (1)
    >>> gm.nearest(names, gm.ids([[7, 8, 9]]), k=2, kernel="cosine")
    1 query among 4 examples, 2 neighbours
    0: 2 (0.8165), 3 (0.8165)
    """
    _request(k, threshold)  # before the data are indexed
    return NearestIndex(data, kernel, n_jobs=n_jobs).query(
        queries, k=k, threshold=threshold, n_jobs=n_jobs, progress=progress
    )


def _request(k: Any, threshold: Any) -> Request:
    if k is None and threshold is None:
        raise ValueError("give k, how many neighbours to find, or threshold, how similar they must be, or both")
    if k is not None:
        check_positive_int("k", k)
    is_number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if threshold is not None and not (is_number and math.isfinite(threshold)):
        raise ValueError(f"threshold must be a finite number or None, got {threshold!r}")
    return Request(None if k is None else int(k), None if threshold is None else float(threshold))
