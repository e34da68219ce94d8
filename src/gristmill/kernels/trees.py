"""Tree kernels, and the gap-weighted kernel on sequences, which is one of them."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.checks import check_flag, check_positive, is_whole
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.forest import Forest, compared_trees
from gristmill.kernels.base import Kernel, KernelRows, validate_no_fields
from gristmill.kernels.conversion.forest import ConvertedForest

_CACHE_BYTES = 64 << 20  # per thread, to keep Delta from row to row
_DIAGONAL_TREES = 1 << 16  # trees that are indexed together
_ONE = np.ones(0)
_SAFE_FACTOR = 1e-30  # from here on the smallest fragments stay in the range of double

_TerminalFactor = float  # checked in its own way


class TreeKernel(Kernel):
    """K(S, T) = sum of Delta(n1, n2) over pairs of nodes. Subclasses, which are dataclasses, define Delta."""

    def __post_init__(self) -> None:
        """Check parameters by the types of their fields: numbers above 0, flags, and counts or None."""
        for one in fields(self):  # type: ignore[arg-type]
            checked = _CHECKS.get(str(one.type))
            if checked is not None:
                object.__setattr__(self, one.name, checked(one.name, getattr(self, one.name)))

    @property
    @abc.abstractmethod
    def _native(self) -> _core.TreeKernel: ...

    reads = "trees"

    def examples(self, X: Any) -> Forest:
        """X as a Forest; strings are parsed, with marks if the kernel is marked. Then it warns if there is no mark."""
        validate_no_fields(X)
        return compared_trees(X, marked=self.marked)

    def rows(self, A: Any) -> KernelRows:
        return tree_rows(self, self.examples(A))

    @property
    def fragments(self) -> TreeKernel | None:
        """The kernel that counts the same fragments with decay 1: kernels with equal `fragments` share a conversion.

        None where fragments cannot be mined.
        """
        return None

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        forest = self.examples(A)
        return forest.per_tree(self, lambda: _diagonal(self._native, forest, n_jobs))

    def vanishes(self, A: Any) -> Flags:
        """Whether no fragment counts, whatever a fragment weighs: K(t, t) is 0 with all factors 1."""
        factors = {one.name: 1.0 for one in fields(self) if one.name in ("decay", "mu")}  # type: ignore[arg-type]
        if all(getattr(self, name) >= _SAFE_FACTOR for name in factors):
            return np.ones(len(A), dtype=np.bool_)
        plain: TreeKernel = replace(self, **factors)  # type: ignore[type-var]
        return np.asarray(_self_kernels(plain._native, A, None) == 0)

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        left = self.examples(A)
        right = left if B is None else self.examples(B)
        out = np.empty((len(left), len(right)))
        indexed = right.indexed()
        _core.tree_direct(self._native, indexed, left._store, left._roots, out, resolve_jobs(n_jobs), progress)
        return out


@dataclass(frozen=True)
class SubtreeKernel(TreeKernel):
    """ST: counts equal subtrees, whole down to the leaves, each decay^(number of productions).

    Parameters
    ----------
    decay : float
        Above 0; usually at most 1.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.SubtreeKernel(decay=1.0)(["(NP (D the) (N dog))"], ["(NP (D the) (N cat))"])
    array([[1.]])
    """

    decay: float = 0.4

    @property
    def _native(self) -> _core.TreeKernel:
        return _core.TreeKernel(_core.TreeFamily.identity, self.decay)


@dataclass(frozen=True)
class SubsetTreeKernel(TreeKernel):
    """SST: counts common fragments that keep productions whole, each decay^(number of productions).

    Parameters
    ----------
    decay : float
    leaves : bool
        True adds decay for every pair of equal leaves (SST-bow, KeLP's default).

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.SubsetTreeKernel(decay=1.0)(["(NP (D the) (N dog))"], ["(NP (D the) (N cat))"])
    array([[3.]])
    """

    decay: float = 0.4
    leaves: bool = False

    @property
    def _native(self) -> _core.TreeKernel:
        leaves = self.decay if self.leaves else 0.0
        return _core.TreeKernel(_core.TreeFamily.production, self.decay, leaves=leaves)

    @property
    def fragments(self) -> TreeKernel | None:
        return None if self.leaves else ProductionTreeKernel(1.0)


@dataclass(frozen=True)
class PartialTreeKernel(TreeKernel):
    """PTK: counts common fragments that may skip children.

    Parameters
    ----------
    decay : float
        lambda: the factor for every skipped child (and, squared, for every node).
    mu : float
        The factor for every level.
    weighting : {'gap', 'span-1', 'span'}
        The weight of a subsequence of children: lambda to the number of children skipped in both trees (what
        SVM-light-TK and KeLP compute), to the two spans minus 2 (Moschitti 2006 as printed), or to the two spans.
    max_children : int or None
        The longest subsequence of children; SVM-light-TK has 5. None: no limit. Set it where nodes have thousands
        of children with the same label.
    single_nodes : bool
        False leaves out fragments of one node (uPTK).
    terminal_factor : float
        KeLP's: a node alone (lambda squared) is multiplied by it where it is a leaf in one of the trees or in both, as
        words are. 0, or from 0.001 to 1000. Above 1, where a label stands at leaves and at inner nodes, the kernel is
        not positive semidefinite.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.PartialTreeKernel(decay=1.0, mu=1.0)(["(NP the dog)"], ["(NP the big dog)"])
    array([[6.]])
    """

    decay: float = 0.4
    mu: float = 0.4
    weighting: Literal["gap", "span-1", "span"] = "gap"
    max_children: int | None = None
    single_nodes: bool = True
    terminal_factor: _TerminalFactor = field(default=1.0, metadata={"saved": "unless default"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weighting not in ("gap", "span-1", "span"):
            raise ValueError(f"weighting must be 'gap', 'span-1' or 'span', got {self.weighting!r}")

    @property
    def _native(self) -> _core.TreeKernel:
        return self._with_base(self.decay * self.decay, self.terminal_factor)

    def _with_base(self, base: float, terminals: float) -> _core.TreeKernel:
        square = self.decay * self.decay
        return _core.TreeKernel(
            _core.TreeFamily.sequence,
            self.mu,
            base=base,
            gap=self.decay,
            first=square if self.weighting == "span" else 1.0,
            step=1.0 if self.weighting == "gap" else square,
            longest=self.max_children or 0,
            constants=self.single_nodes,
            terminals=terminals,
        )

    @property
    def is_semidefinite(self) -> bool:
        return self.terminal_factor <= 1

    def bound(self, A: Any) -> Floats:
        """k(a, a); where leaves count for more than other nodes, that of the kernel in which all nodes do."""
        if self.is_semidefinite:
            return self.diag(A)
        larger = self._with_base(self.decay * self.decay * self.terminal_factor, 1.0)
        return _diagonal(larger, self.examples(A), None)


@dataclass(frozen=True)
class OrderedTreeKernel(TreeKernel):
    """K_lo (Kashima and Koyanagi): counts common fragments that may skip children, each decay^(number of nodes).

    Parameters
    ----------
    decay : float
    marked : bool
        True counts only fragments with a marked node (K_lo^r, Kazama and Torisawa 2005).

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.OrderedTreeKernel(decay=1.0)(["(a b c)"], ["(a b c)"])
    array([[6.]])
    >>> gm.OrderedTreeKernel(decay=1.0, marked=True)(["(a b*1 c)"], ["(a b*1 c)"])
    array([[3.]])
    """

    decay: float = 0.2
    marked: bool = False

    @property
    def _native(self) -> _core.TreeKernel:
        return _core.TreeKernel(_core.TreeFamily.sequence, self.decay, marked=self.marked)

    @property
    def fragments(self) -> TreeKernel:
        return replace(self, decay=1.0)


@dataclass(frozen=True)
class ProductionTreeKernel(TreeKernel):
    """K_c (Collins and Duffy): SST under its name in Kazama and Torisawa 2005, with marks.

    Parameters
    ----------
    decay : float
    marked : bool
        True counts only fragments with a marked node (K_c^r, Kazama and Torisawa 2005).
    single_nodes : bool
        True also counts fragments of one node, 1 each.
    """

    decay: float = 0.2
    marked: bool = False
    single_nodes: bool = False

    @property
    def _native(self) -> _core.TreeKernel:
        alone = 1.0 if self.single_nodes else 0.0
        return _core.TreeKernel(_core.TreeFamily.production, self.decay, single_nodes=alone, marked=self.marked)

    @property
    def fragments(self) -> TreeKernel:
        return replace(self, decay=1.0)


@dataclass(frozen=True)
class SubsequenceKernel(TreeKernel):
    """Common subsequences of sequences of symbols, decay^(the two spans) each (Lodhi et al. 2002).

    Parameters
    ----------
    decay : float
    max_length : int or None
        The longest subsequence that counts; all lengths from 1 on count together.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.SubsequenceKernel(decay=0.5)(["cat"], ["car"])
    array([[0.5625]])
    """

    decay: float = 0.5
    max_length: int | None = None

    reads = "sequences"

    def examples(self, X: Any) -> Forest:
        """X as a Forest of sequences: a str is a sequence of letters, anything else one of symbols."""
        if isinstance(X, Forest):
            if np.any(X.sizes()[2] > 2):
                raise ValueError("SubsequenceKernel compares sequences, got trees; make them by Forest.from_sequences")
            return X
        if isinstance(X, str | bytes):
            raise ValueError(f"expected sequences, got a single {type(X).__name__}; wrap it in a list")
        return Forest.from_sequences(X)

    @property
    def _native(self) -> _core.TreeKernel:
        square = self.decay * self.decay
        return _core.TreeKernel(
            _core.TreeFamily.sequence,
            1.0,
            gap=self.decay,
            first=square,
            step=square,
            longest=self.max_length or 0,
            constants=False,
        )


def tree_rows(kernel: TreeKernel, forest: Forest, *, normalised: bool = False) -> KernelRows:
    """Rows over a conversion of the trees if it supports the kernel, else over their distinct subtrees."""
    from gristmill.kernels.conversion.rows import ConvertedRows

    if isinstance(forest, ConvertedForest) and forest.supports(kernel):
        return ConvertedRows(kernel, forest, normalised=normalised)
    return TreeRows(kernel, forest, normalised=normalised)


class TreeRows(KernelRows):
    """Rows of the Gram matrix of a tree kernel over a forest, all trees at once."""

    def __init__(self, kernel: TreeKernel, forest: Forest, *, normalised: bool = False) -> None:
        self.kernel = kernel
        self.normalised = normalised
        self.data = forest[:]
        self._indexed = forest.indexed()
        self._native = _core.TreeRows(kernel._native, self._indexed, _CACHE_BYTES)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def nbytes(self) -> int:
        return self._native.nbytes

    @functools.cached_property
    def scale(self) -> Floats:
        """The factor for each tree: 1 / sqrt(K(s, s)) if normalised; empty for 1."""
        return self._find_scale(None)

    def _find_scale(self, n_jobs: int | None) -> Floats:
        if not self.normalised:
            return _ONE
        return self.kernel.inverse_norms(self.data, n_jobs=n_jobs)

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        forest = self.kernel.examples(X)
        scale = self.kernel.inverse_norms(forest, n_jobs=n_jobs) if self.normalised else _ONE
        out = np.empty((len(forest), len(self)))
        self._native.fill(forest._store, forest._roots, scale, self.scale, out, resolve_jobs(n_jobs), progress)
        return out

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        out = np.empty((len(numbers), len(self)))
        numbers = np.arange(len(self))[numbers]
        own = np.ascontiguousarray(numbers, dtype=np.uint32)
        self._native.fill_own(own, self.scale, out, resolve_jobs(n_jobs), progress)
        return out

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None, out: Floats | None = None) -> Floats:
        """All rows; into `out` if given, which avoids a new allocation."""
        if "scale" not in self.__dict__:
            self.scale = self._find_scale(n_jobs)  # with as many threads
        if out is None:
            out = np.empty((len(self), len(self)))
        elif out.shape != (len(self), len(self)):
            raise ValueError(f"out must have shape {(len(self), len(self))}, got {out.shape}")
        elif out.dtype != np.float64 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError("out must be an array of float64 that is contiguous and writeable")
        self._native.fill_symmetric(self.scale, out, resolve_jobs(n_jobs), progress)
        return out

    def lower(self, begin: int, end: int, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """Rows begin..end up to the diagonal; 0 to the right of it."""
        out = np.zeros((end - begin, len(self)))
        self._native.fill_lower(begin, end, self.scale, out, resolve_jobs(n_jobs), progress)
        return out


def _diagonal(native: _core.TreeKernel, forest: Forest, n_jobs: int | None) -> Floats:
    """K(t, t); ValueError where it leaves the range of double."""
    diagonal = _self_kernels(native, forest, n_jobs)
    if not np.isfinite(diagonal).all():
        tree = int(np.flatnonzero(~np.isfinite(diagonal))[0])
        raise ValueError(
            f"the kernel of tree {tree} with itself leaves the range of double; use a smaller decay, or leave out such "
            "large trees"
        )
    return diagonal


def _self_kernels(native: _core.TreeKernel, forest: Forest, n_jobs: int | None) -> Floats:
    """Each distinct tree once, in blocks: an index of millions of trees would take gigabytes."""
    roots, of_trees = forest._roots, np.zeros(1, dtype=np.intp)
    if len(roots) != 1:
        roots, of_trees = np.unique(roots, return_inverse=True)
    values = np.empty(len(roots))
    for begin in range(0, len(roots), _DIAGONAL_TREES):
        some = slice(begin, begin + _DIAGONAL_TREES)
        indexed = _core.IndexedForest(forest._store, roots[some])
        _core.tree_diagonal(native, indexed, values[some], resolve_jobs(n_jobs))
    return np.asarray(values[of_trees])


def _positive(name: str, value: Any) -> float:
    check_positive(name, value)
    return float(value)


def _flag(name: str, value: Any) -> bool:
    check_flag(name, value)
    return bool(value)


def _count(name: str, value: Any) -> int | None:
    if value is not None and (not is_whole(value) or not 1 <= value < 2**31):
        raise ValueError(f"{name} must be a whole number from 1 on or None, got {value!r}")
    return None if value is None else int(value)


def _terminal_factor(name: str, value: Any) -> float:
    """Beyond the limits sums would lose digits; 0 loses none."""
    factor = _positive(name, value) if value != 0 or isinstance(value, bool) else 0.0
    if factor != 0 and not 1e-3 <= factor <= 1e3:
        raise ValueError(f"{name} must be 0, or from 0.001 to 1000, got {value!r}")
    return factor


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "float": _positive,
    "bool": _flag,
    "int | None": _count,
    "_TerminalFactor": _terminal_factor,
}
