"""What every node of a tree adds to the scores of a machine on trees, exactly.

Two accounts of f(T) - b, which both add up to it: `rooted` gives what is counted with its top at a node to that node;
`shared` divides every common fragment equally among all its nodes, which are the Shapley values of the nodes where a
fragment counts if all its nodes are there. Normalised kernels are divided by the norm of the whole tree: it is held
fixed while nodes share, as are the gaps between children that fragments skip.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.explaining.machines import machine_of
from gristmill.explaining.names import output_names, told_output
from gristmill.explaining.tree_explanation import Floats, NodeShare, Shares, TreeExplanation, TreeExplanations
from gristmill.forest import Forest
from gristmill.kernels import FieldKernel, Kernel, Normalized, Progress, ScaledKernel, SumKernel
from gristmill.kernels.trees import TreeKernel, inverse_norms
from gristmill.machine import Machine
from gristmill.relations import outlines
from gristmill.relations.outline import Outline
from gristmill.scorer import Scorer
from gristmill.threads import resolve_jobs

__all__ = ["NodeShare", "TreeExplainer", "TreeExplanation", "explain_trees"]


def explain_trees(
    machine: Any,
    trees: Any,
    *,
    shares: Shares = "shared",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TreeExplanations:
    """Say for each tree what its nodes add to the scores. See `TreeExplainer`, which serves several calls.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explaining.tree_nodes import explain_trees
    >>> support = gm.Forest.from_strings(["(S (NP dogs) (VP bark))", "(S (NP dogs) (VP (V sleep)))"])
    >>> machine = gm.Machine(gm.SubsetTreeKernel(1.0), support, [1.0, -0.5], 0.25, classes=["quiet", "loud"])
    >>> (found,) = explain_trees(machine, ["(S (NP cats) (VP bark))"])
    >>> print(found)
    loud: 2.75 = 0.25 + 2.5
    S             +0.4167  ###################
    ├─ NP         +0.4167  ###################
    │  └─ cats    +0.0000
    └─ VP         +0.9167  ########################################
       └─ bark    +0.7500  #################################
    >>> (heaviest,) = found.top(1)
    >>> heaviest.text, round(heaviest.share, 4)
    ('(VP bark)', 0.9167)
    """
    return TreeExplainer(machine_of(machine)).explain(trees, shares=shares, n_jobs=n_jobs, progress=progress)


class TreeExplainer:
    """Explains scores of a machine by the nodes of trees. Immutable and safe to share between threads.

    Parameters
    ----------
    machine : Machine
        Its kernel must be a tree kernel, or a weighted sum of such, normalised or not, on one field of trees.
    """

    def __init__(self, machine: Machine) -> None:
        kernel: Kernel = machine.kernel
        self.machine = machine
        _check_fields(kernel)
        self._part = _make_part(kernel, machine.support, machine.dense_coef())

    def explain(
        self, trees: Any, *, shares: Shares = "shared", n_jobs: int | None = None, progress: Progress | None = None
    ) -> TreeExplanations:
        """Say for each tree what its nodes add to the scores.

        Parameters
        ----------
        trees : Forest, list of bracketed strings, or Examples
            What the machine scores.
        shares : {'shared', 'rooted'}
            'rooted' leaves out `shared`, which takes about as many times longer as the largest common fragment has
            nodes.
        n_jobs : int or None
            Threads; the numbers are the same for any.
        progress : callable or None
            Called with (done, total). Raise in it, or press Ctrl-C, to stop.
        """
        if shares not in ("shared", "rooted"):
            raise ValueError(f"shares must be 'shared' or 'rooted', got {shares!r}")
        kernel: Kernel = self.machine.kernel
        data = kernel.examples(trees)
        forest = self._part.forest(data)
        rooted, shared = self._part.shares(data, shares == "shared", resolve_jobs(n_jobs), progress)
        base, names = self.machine.intercept, output_names(self.machine)
        found, begin = TreeExplanations(), 0
        for tree, outline, winner in zip(forest, outlines(forest), self._classes(data, n_jobs), strict=True):
            own = slice(begin, begin + len(outline))
            begin += len(outline)
            labels, parents = _pre_order(outline)
            score = base + rooted[own].sum(axis=0)
            part = None if shared is None else shared[own]
            told = told_output(self.machine, score, int(winner))
            found.append(TreeExplanation(tree, labels, parents, rooted[own], part, base, score, names, told))
        return found

    def _classes(self, data: Any, n_jobs: int | None) -> NDArray[np.intp]:
        """The number of the class of each tree, where there is a choice of outputs."""
        if self.machine.n_outputs == 1 or not self.machine.scheme.has_labels:
            return np.zeros(len(data), dtype=np.intp)
        return self._scorer.decide(data, n_jobs)

    @functools.cached_property
    def _scorer(self) -> Scorer:
        return self.machine.compile()


def _pre_order(outline: Outline) -> tuple[tuple[str, ...], Any]:
    """Labels and parents; what begins at the same leaf is above what comes before it in post-order."""
    order = np.lexsort((-np.arange(len(outline)), np.asarray(outline.begins)))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    parents = places[np.asarray(outline.parents, dtype=np.int64)[order]]
    parents[0] = -1
    labels, marks = outline.labels, outline.marks
    return tuple(f"{labels[n]}*{marks[n]}" if marks[n] else labels[n] for n in order.tolist()), parents


# --- kernels made of kernels ------------------------------------------------------------------------------------------


class _Part(abc.ABC):
    """sum_i coef[i] k(s_i, x) for one kernel, by the nodes of x."""

    @abc.abstractmethod
    def forest(self, data: Any) -> Forest:
        """The trees whose nodes these are."""

    @abc.abstractmethod
    def shares(
        self, data: Any, shared: bool, threads: int, progress: Progress | None
    ) -> tuple[Floats, Floats | None]: ...


def _make_part(kernel: Kernel, support: Any, coef: Floats) -> _Part:
    if isinstance(kernel, TreeKernel):
        return _Trees(kernel, support, coef)
    if isinstance(kernel, Normalized):
        scaled = coef * inverse_norms(kernel.kernel.diag(support))[:, None]
        return _Normalized(kernel.kernel, _make_part(kernel.kernel, support, scaled))
    if isinstance(kernel, ScaledKernel):
        return _make_part(kernel.kernel, support, kernel.weight * coef)
    if isinstance(kernel, FieldKernel):
        return _Field(kernel.field, _make_part(kernel.kernel, support[kernel.field], coef))
    if isinstance(kernel, SumKernel):
        return _Sum([_make_part(part, support, coef) for part in kernel.parts])
    raise ValueError(
        f"the nodes of a tree cannot say what {kernel!r} adds to a score: it compares no trees; "
        "a machine that is explained by nodes has tree kernels alone, or a sum of them"
    )


def _check_fields(kernel: Kernel) -> None:
    fields = sorted(set(_fields(kernel)))
    if len(fields) > 1:
        names = " and ".join(map(repr, fields))
        raise ValueError(f"the nodes of one tree explain a score, but the kernel looks at the fields {names}")


def _fields(kernel: Kernel) -> Iterator[str]:
    if isinstance(kernel, FieldKernel):
        yield kernel.field
    elif isinstance(kernel, SumKernel):
        for part in kernel.parts:
            yield from _fields(part)
    elif isinstance(kernel, Normalized | ScaledKernel):
        yield from _fields(kernel.kernel)


class _Trees(_Part):
    def __init__(self, kernel: TreeKernel, support: Any, coef: Floats) -> None:
        indexed = kernel.examples(support).indexed()
        self._kernel = kernel
        self._outputs = coef.shape[1]
        self._native = _core.NodeShares(kernel._native, indexed, np.ascontiguousarray(coef).ravel(), self._outputs)

    def forest(self, data: Any) -> Forest:
        return self._kernel.examples(data)

    def shares(self, data: Any, shared: bool, threads: int, progress: Progress | None) -> tuple[Floats, Floats | None]:
        forest = self.forest(data)
        shape = int(forest.sizes()[0].sum()), self._outputs
        rooted, parts = np.empty(shape), np.empty(shape if shared else (0, self._outputs))
        self._native.explain(forest._store, forest._roots, rooted, parts, threads, progress)
        return rooted, parts if shared else None


class _Normalized(_Part):
    def __init__(self, kernel: Kernel, inner: _Part) -> None:
        self._kernel = kernel
        self._inner = inner

    def forest(self, data: Any) -> Forest:
        return self._inner.forest(data)

    def shares(self, data: Any, shared: bool, threads: int, progress: Progress | None) -> tuple[Floats, Floats | None]:
        rooted, parts = self._inner.shares(data, shared, threads, progress)
        sizes = self.forest(data).sizes()[0].astype(np.int64)
        scale = np.repeat(inverse_norms(self._kernel.diag(data, n_jobs=threads)), sizes)[:, None]
        return rooted * scale, None if parts is None else parts * scale


class _Field(_Part):
    def __init__(self, field: str, inner: _Part) -> None:
        self._field = field
        self._inner = inner

    def forest(self, data: Any) -> Forest:
        return self._inner.forest(data[self._field])

    def shares(self, data: Any, shared: bool, threads: int, progress: Progress | None) -> tuple[Floats, Floats | None]:
        return self._inner.shares(data[self._field], shared, threads, progress)


class _Sum(_Part):
    def __init__(self, parts: list[_Part]) -> None:
        self._parts = parts

    def forest(self, data: Any) -> Forest:
        return self._parts[0].forest(data)

    def shares(self, data: Any, shared: bool, threads: int, progress: Progress | None) -> tuple[Floats, Floats | None]:
        every = [part.shares(data, shared, threads, progress) for part in self._parts]
        rooted = np.sum([one for one, _ in every], axis=0)
        return rooted, np.sum([other for _, other in every if other is not None], axis=0) if shared else None
