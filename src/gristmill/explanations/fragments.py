"""A machine on trees by its heaviest fragments.

A tree kernel is an inner product over fragments, so a machine on trees is a linear one: f(T) = b + sum of weight(s)
times how often T has s, over all fragments s. Those of largest |weight| summarise the machine. Branch and bound finds
them all. A sum of tree kernels has one list of fragments for each kernel; the lists are merged.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Int64s, Uint32s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.forest import Forest
from gristmill.display.bars import printable
from gristmill.display.words import counted
from gristmill.explanations.coverage import Coverage
from gristmill.explanations.heaviest import Heaviest, Limits, Search
from gristmill.explanations.models import machine_of, output_names
from gristmill.kernels.components import Component, components
from gristmill.kernels.trees import ProductionTreeKernel, SubsetTreeKernel, SubtreeKernel, TreeKernel
from gristmill.machines.machine import Machine


@dataclass(frozen=True)
class Fragment:
    """A part of a tree and what it adds to one output wherever a tree has it.

    The weight is that of a fragment found without gaps: kernels that weigh gaps (PTK) count less where children are
    skipped. A normalised kernel divides by the norm of the tree.

    Parameters
    ----------
    tree : str
        In brackets.
    size : int
        Number of productions (SST, K_c, ST) or nodes (K_lo, PTK); 0 for a label that counts alone.
    output : int
    output_name : str
    weight : float
    support : int
        Support trees that have it, of those with a coefficient for the output.
    occurrences : int
        How often they have it; a fragment that may skip children counts once for each way to find it.
    kernel : str
        The kernel that counts it, one of several in a sum.
    field : str or None
        The field of `Examples` that this kernel looks at.
    """

    tree: str
    size: int
    output: int
    output_name: str
    weight: float
    support: int
    occurrences: int
    kernel: str
    field: str | None


class Fragments(Heaviest[Fragment]):
    """Fragments of a machine on trees, heaviest first. Made by `fragments_of`.

    `floor` bounds what is not listed: no other fragment within `limits` weighs more. `outputs` are those searched.
    """

    kind = "fragments"
    numeric = (0, 1, 2)

    def __init__(self, machine: Machine, mined: list[MinedFragments], search: Search) -> None:
        names = output_names(machine)
        super().__init__(machine, search, np.concatenate([some.weights for some in mined]))
        self._mined = mined
        self._all = sorted((one for some in mined for one in _fragments(some, names)), key=_order)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Fragment: ...
    @overload
    def __getitem__(self, at: slice) -> list[Fragment]: ...
    def __getitem__(self, at: int | slice) -> Fragment | list[Fragment]:
        return self._all[at]

    def coverage(self, trees: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Coverage:
        """How much of the scores of trees the fragments give, and how much is left to all others.

        `base` is the intercept. `bound` is the smaller of two bounds: no unlisted fragment of a tree weighs more than
        the lightest listed one, and together they weigh no more than the score with the absolute values of all
        coefficients.

        Parameters
        ----------
        trees : Forest, or what else the machine takes
        n_jobs : int or None
        progress : callable or None
            Called with (done, total), once more for each kernel of a sum.
        """
        data = self.machine.examples(trees)
        sums = [mined.coverage(data, self.outputs, progress) for mined in self._mined]
        listed, magnitudes, others = (np.sum(matrices, axis=0) for matrices in zip(*sums, strict=True))
        scores = self._scores(self._scorer, data, n_jobs)
        bound = np.maximum(self._scores(self._unsigned, data, n_jobs) - magnitudes, 0)
        if self.limits == Limits():  # else unlisted ones may weigh anything
            bound = np.fmin(bound, self.floor * others)
        return Coverage(scores, self.machine.intercept[list(self.outputs)], listed, bound)

    def _scores(self, scorer: Any, data: Any, n_jobs: int | None) -> Floats:
        scores = scorer.decision_function(data, n_jobs=n_jobs).reshape(len(data), self.machine.n_outputs)
        return np.asarray(scores[:, list(self.outputs)])

    @functools.cached_property
    def _scorer(self) -> Any:
        return self.machine.compile()

    @functools.cached_property
    def _unsigned(self) -> Any:
        """A scorer of the machine with absolute coefficients and without an intercept."""
        machine = self.machine
        return Machine(machine.kernel, machine.support, abs(machine.coef), np.zeros(machine.n_outputs)).compile()

    def text(self) -> str:
        """A line for each fragment."""
        columns = self._distinctive()
        return "\n".join(printable(_line(one, columns)) for one in self)

    def lines(self, top: int | None = None) -> list[tuple[str, ...]]:
        """The list, or its first lines, as a table with a header."""
        columns = self._distinctive()
        lines: list[tuple[str, ...]] = [(f"{'weight':>10}", "support", f"{'times':>7}", "output", *columns, "fragment")]
        for one in self[:top]:
            numbers = f"{one.weight:+.4g}", str(one.support), str(one.occurrences)
            lines.append((*numbers, one.output_name, *(str(getattr(one, name)) for name in columns), one.tree))
        return lines

    def summary(self) -> str:
        """How many there are, and what the others weigh at most."""
        units = {some.unit for some in self._mined}
        others = self.limits.others(self.floor, units.pop() if len(units) == 1 else "part", "support tree")
        return f"{counted(len(self), 'fragment')} of {self.machine.n_support:,} support trees; {others}"

    def _distinctive(self) -> list[str]:
        """The columns that tell the kernels of a sum apart."""
        parts = [some.component for some in self._mined]
        return [name for name in ("field", "kernel") if len({getattr(part, name) for part in parts}) > 1]


def fragments_of(
    machine: Any,
    *,
    top: int = 100,
    output: int | str | None = None,
    min_support: int = 1,
    max_size: int | None = None,
    min_weight: float | None = None,
    max_fragments: int = 1_000_000,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Fragments:
    """The heaviest fragments of a machine on trees.

    Parameters
    ----------
    machine : Machine, or what has one
        With any tree kernel, normalised or not, or a sum of tree kernels, each also on a field of `Examples`.
    top : int
        How many: those of largest ``|weight|``. Ties go to the smaller, then by text.
    output : int, str or None
        Of one output, by its number or name; None: of all together.
    min_support : int
        Support trees of its output that must have a fragment: those with a coefficient other than 0.
    max_size : int or None
        Productions or nodes of a fragment at most; None: any number.
    min_weight : float or None
        Instead of `top`: all with ``|weight|`` of at least this. 0: all that weigh anything, which is the whole
        machine; trees with more than about twenty nodes have too many.
    max_fragments : int
        ValueError if there are more.
    n_jobs : int or None
        Threads; None is one, -1 all cores. Never changes the result.
    progress : callable or None
        Called with (done, total), once more for each kernel of a sum. Raise in it, or press Ctrl-C, to stop.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.fragments import fragments_of
    >>> support = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP sleep))", "(S (NP cats) (VP bark))"]
    >>> kernel = gm.SubsetTreeKernel(decay=0.5)
    >>> machine = gm.Machine(kernel, support, [1.0, -1.0, 0.5], 0.0, classes=["quiet", "loud"])
    >>> fragments = fragments_of(machine, top=3)
    >>> print(fragments)
    3 fragments of 3 support trees; no other weighs more than 0.5
        weight  support    times  output  fragment
         +0.75        2        2  loud    (VP bark)
          +0.5        1        1  loud    (NP dogs)
          -0.5        1        1  loud    (VP sleep)
    >>> coverage = fragments.coverage(["(S (NP dogs) (VP bark))"])
    >>> coverage.total.ravel(), coverage.listed.ravel(), coverage.rest.ravel()
    (array([2.25]), array([1.25]), array([1.]))
    """
    machine = machine_of(machine)
    _check(machine)
    search = Search.of(machine, top, output, min_support, max_size, min_weight, max_fragments=max_fragments)
    parts = list(components(machine.kernel, machine.support, machine.dense_coef()))
    for part in parts:
        if not isinstance(part.kernel, TreeKernel):
            raise ValueError(f"fragments are parts of trees, and {part.kernel!r} does not compare trees")
    mined = [mine_fragments(part, search, resolve_jobs(n_jobs), progress) for part in parts]
    if search.top is not None and len(mined) > 1:
        mined = _heaviest(mined, search.top)
    return Fragments(machine, mined, search)


def _heaviest(mined: list[MinedFragments], top: int) -> list[MinedFragments]:
    """The first few of each kernel, so that they are the heaviest of all together."""
    unnamed = [""] * (1 + max(int(some.outputs.max(initial=0)) for some in mined))
    ranked = [(_order(one), number) for number, some in enumerate(mined) for one in _fragments(some, unnamed)]
    kept = Counter(number for _, number in sorted(ranked)[:top])
    return [some[: kept[number]] for number, some in enumerate(mined)]


def _order(fragment: Fragment) -> tuple[float, int, str, int]:
    """The order of the core."""
    return -abs(fragment.weight), fragment.size, fragment.tree, fragment.output


def _fragments(mined: MinedFragments, names: Sequence[str]) -> Iterator[Fragment]:
    columns = mined.forest, mined.sizes, mined.outputs, mined.weights, mined.support, mined.embeddings
    for tree, size, output, weight, support, embeddings in zip(*columns, strict=True):
        numbers = float(weight), int(support), int(embeddings)
        kernel, field = repr(mined.component.kernel), mined.component.field
        yield Fragment(tree, int(size), int(output), names[output], *numbers, kernel, field)


def _line(one: Fragment, columns: list[str]) -> str:
    facts = [counted(one.support, "support tree")]
    facts += [f"{name} {getattr(one, name)}" for name in columns]
    return f"{one.weight:+.4g}  {one.tree}  -> {one.output_name}  ({', '.join(facts)})"


def _check(machine: Machine) -> None:
    if machine.explains_features:
        raise ValueError("fragments are parts of trees; a machine on rows has conjunctions instead")


# --- mining -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MinedFragments:
    """Fragments of one component of a machine, heaviest first."""

    component: Component
    forest: Forest
    weights: Floats
    outputs: Uint32s
    sizes: Int64s
    support: Int64s
    embeddings: Floats

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, some: slice) -> MinedFragments:
        columns = "forest", "weights", "outputs", "sizes", "support", "embeddings"
        return replace(self, **{name: getattr(self, name)[some] for name in columns})

    @property
    def unit(self) -> str:
        """What the size of a fragment counts."""
        whole = SubtreeKernel | SubsetTreeKernel | ProductionTreeKernel
        return "production" if isinstance(self.component.kernel, whole) else "node"

    def coverage(self, data: Any, outputs: range, progress: Progress | None) -> tuple[Floats, Floats, Floats]:
        """Three arrays of trees x outputs: what the fragments give, the same without signs, the number of others.

        All are normalised as the score is.
        """
        native, trees = _native(self.component), self.component.examples(data)
        indexed = trees.indexed()
        listed, magnitudes, counts = (np.zeros((len(trees), len(outputs))) for _ in range(3))
        own = self.forest._store, self.forest._roots, self.outputs - np.uint32(outputs.start), self.weights
        _core.sum_fragments(native, indexed, *own, listed, magnitudes, counts, progress)
        every = np.empty(len(trees))
        _core.count_all_fragments(native, indexed, every)
        scale = self.component.scale(data)[:, None]
        others = np.maximum(every[:, None] - counts, 0)
        return scale * listed, scale * magnitudes, scale * others


def mine_fragments(component: Component, search: Search, threads: int, progress: Progress | None) -> MinedFragments:
    """The heaviest fragments of a component."""
    outputs, limits = search.outputs, search.limits
    most = search.top or 0, search.least, limits.min_support, limits.max_size or 0, search.most
    coef = sp.csr_matrix(component.coef[:, list(outputs)])
    used = np.flatnonzero(np.diff(coef.indptr))
    coef = coef[used]
    starts, columns = coef.indptr.astype(np.int64), coef.indices.astype(np.int32)
    indexed = component.kernel.examples(component.support)[used].indexed()
    store, roots, weights, found, sizes, support, embeddings = _core.heaviest_fragments(
        _native(component), indexed, starts, columns, coef.data, len(outputs), *most, threads, progress
    )
    numbers = found + np.uint32(outputs.start)
    return MinedFragments(component, Forest(store, roots), weights, numbers, sizes, support, embeddings)


def _native(component: Component) -> _core.TreeKernel:
    assert isinstance(component.kernel, TreeKernel)
    return component.kernel._native
