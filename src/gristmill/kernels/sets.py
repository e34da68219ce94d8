"""The kernels of sets that are no polynomials: RBF, Tanimoto, sigmoid, cosine, Dice, and any that a user gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int32s, Int64s
from gristmill.kernels.overlap import OverlapKernel, check_finite


@dataclass(frozen=True)
class RBFKernel(OverlapKernel):
    """The Gaussian kernel ``k(x, y) = exp(-gamma |x - y|^2)``.

    On binary rows ``|x - y|^2`` is the number of features that one of them has and the other has not. The Laplacian
    kernel ``exp(-gamma |x - y|_1)`` is the same there.

    Parameters
    ----------
    gamma : float
        0 or more.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.RBFKernel(0.5)(gm.ids([[1, 2, 3], [7]]), gm.ids([[1, 2, 9]]))
    array([[0.36787944],
           [0.13533528]])
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_finite(self, "gamma")
        if self.gamma < 0:
            raise ValueError(f"gamma must be 0 or more, got {self.gamma!r}")

    @property
    def formula(self) -> str:
        return f"exp(-{self.gamma:g} |x - y|^2)"

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.rbf(self.gamma)

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return np.asarray(np.exp(-self.gamma * np.maximum(left + right - 2 * dots, 0.0)))

    def largest(self, lengths: Indices, longest: int) -> Floats:
        return np.ones(len(lengths))


class _Similarity(OverlapKernel):
    """A kernel from 0 to 1 of rows whose values are not negative, from -1 to 1 of others."""

    def largest(self, lengths: Indices, longest: int) -> Floats:
        return np.ones(len(lengths))


@dataclass(frozen=True)
class TanimotoKernel(_Similarity):
    """The Tanimoto kernel ``<x, y> / (|x|^2 + |y|^2 - <x, y>)``, on binary rows Jaccard's: shared features over all.

    Two empty rows have 1.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.TanimotoKernel()(gm.ids([[1, 2, 3], []]), gm.ids([[2, 3, 9], []]))
    array([[0.5, 0. ],
           [0. , 1. ]])
    """

    @property
    def formula(self) -> str:
        return "<x, y> / (|x|^2 + |y|^2 - <x, y>)"

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.tanimoto()

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return _ratio(dots, left + right - dots, empty=1.0)


@dataclass(frozen=True)
class CosineKernel(_Similarity):
    """The cosine ``<x, y> / (|x| |y|)``. An empty row has 0 with every row.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.CosineKernel()(gm.ids([[1, 2, 3, 4], []]), gm.ids([[4]]))
    array([[0.5],
           [0. ]])
    """

    @property
    def formula(self) -> str:
        return "<x, y> / (|x| |y|)"

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.cosine()

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return _ratio(dots, np.sqrt(left * right), empty=0.0)


@dataclass(frozen=True)
class DiceKernel(_Similarity):
    """The Dice kernel ``2 <x, y> / (|x|^2 + |y|^2)``. Two empty rows have 1.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.DiceKernel()(gm.ids([[1, 2, 3], []]), gm.ids([[3], []]))
    array([[0.5, 0. ],
           [0. , 1. ]])
    """

    @property
    def formula(self) -> str:
        return "2 <x, y> / (|x|^2 + |y|^2)"

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.dice()

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return _ratio(2 * dots, left + right, empty=1.0)


@dataclass(frozen=True)
class SigmoidKernel(OverlapKernel):
    """The sigmoid kernel tanh(gamma <x, y> + coef0).

    It is not positive semidefinite: solver 'smo' trains with it as LIBSVM does, others refuse it.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.SigmoidKernel(0.5, -1.0)(gm.ids([[1, 2], [7]]), gm.ids([[1, 2, 9]]))
    array([[ 0.        ],
           [-0.76159416]])
    """

    gamma: float = 1.0
    coef0: float = 0.0

    def __post_init__(self) -> None:
        check_finite(self, "gamma", "coef0")

    @property
    def formula(self) -> str:
        return f"tanh({self.gamma:g} <x, y> + {self.coef0:g})"

    @property
    def is_semidefinite(self) -> bool:
        return False

    @property
    def is_nonnegative(self) -> bool:
        return self.gamma >= 0 and self.coef0 >= 0

    @property
    def by_overlap(self) -> bool:
        return True

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.sigmoid(self.gamma, self.coef0)

    def bound(self, A: Any) -> Floats:
        """``|k|`` is at most 1."""
        return np.ones(len(self.examples(A)))

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return np.asarray(np.tanh(self.gamma * dots + self.coef0))

    def largest(self, lengths: Indices, longest: int) -> Floats:
        return np.ones(len(lengths))


@dataclass(frozen=True, eq=False)
class SetKernel(OverlapKernel):
    """Any kernel of binary rows that is a function g(m, x, s) of the overlap m and the lengths x and s.

    Parameters
    ----------
    function : callable or array
        A callable takes three arrays of whole numbers, of one shape, and gives an array of numbers of that shape. An
        array has g(m, x, s) at [m, x, s]; rows longer than it knows raise ValueError. Either must be symmetric:
        g(m, x, s) = g(m, s, x), which is checked for all lengths that are used. Machines with a callable cannot be
        saved; those with an array can.
    semidefinite : bool
        Whether every Gram matrix is positive semidefinite, which is your word: solvers other than 'smo' need it.

    Examples
    --------
    >>> import gristmill as gm
    >>> simpson = gm.SetKernel(lambda m, x, s: m / np.maximum(np.minimum(x, s), 1))
    >>> simpson(gm.ids([[1, 2, 3]]), gm.ids([[2, 3], [3, 4]]))
    array([[1. , 0.5]])
    """

    function: Callable[[Any, Any, Any], Any] | NDArray[np.float64]
    semidefinite: bool = field(default=False, kw_only=True)

    takes_values = False

    def __post_init__(self) -> None:
        if not isinstance(self.semidefinite, bool):
            raise ValueError(f"semidefinite must be True or False, got {self.semidefinite!r}")
        if callable(self.function):
            return
        table = np.array(self.function, dtype=np.float64)
        if table.ndim != 3 or table.shape[1] != table.shape[2] or table.shape[0] < table.shape[1] or not table.size:
            raise ValueError(
                "function must be a callable or an array of shape (m, x, s) with as many lengths x as lengths s, and "
                f"no fewer overlaps m, got shape {table.shape}"
            )
        table.setflags(write=False)
        object.__setattr__(self, "function", table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetKernel):
            return NotImplemented
        mine, theirs = self.function, other.function
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
            same = np.array_equal(mine, theirs)
        else:
            same = mine is theirs
        return same and self.semidefinite == other.semidefinite

    def __hash__(self) -> int:
        own = self.function
        return hash((own.tobytes() if isinstance(own, np.ndarray) else own, self.semidefinite))

    def __repr__(self) -> str:
        own = self.function
        what = f"<table up to {own.shape[1] - 1} features>" if isinstance(own, np.ndarray) else _name_of(own)
        return f"SetKernel({what}{', semidefinite=True' if self.semidefinite else ''})"

    @property
    def formula(self) -> str:
        return "g(m, |x|, |s|), as given"

    @property
    def is_semidefinite(self) -> bool:
        return self.semidefinite

    @property
    def is_nonnegative(self) -> bool:
        return False

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.given(self._values)

    def bound(self, A: Any) -> Floats:
        """k(a, a), which bounds k of a semidefinite kernel; else infinity."""
        return self.diag(A) if self.semidefinite else np.full(len(self.examples(A)), np.inf)

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return self._symmetric(*(np.asarray(one, dtype=np.int64) for one in np.broadcast_arrays(dots, left, right)))

    def largest(self, lengths: Indices, longest: int) -> Floats:
        others = np.arange(longest + 1)
        return np.array([np.abs(self._values(int(x), others.astype(np.int32))).max(initial=0.0) for x in lengths])

    def _values(self, x: int, lengths: Int32s) -> Floats:
        """For each length l: g(0, x, l), ..., g(l, x, l); 0 beyond what x can share."""
        sizes = lengths.astype(np.int64) + 1
        s = np.repeat(sizes - 1, sizes)
        m = np.arange(len(s)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        out = np.zeros(len(s))
        possible = m <= x
        some = m[possible]
        out[possible] = self._symmetric(some, np.full(len(some), x), s[possible])
        return out

    def _symmetric(self, m: Int64s, x: Int64s, s: Int64s) -> Floats:
        """g(m, x, s); ValueError where g(m, s, x) is another number."""
        found = self._at(m, x, s)
        differs = np.argwhere(found != self._at(m, s, x))
        if len(differs):
            shared, one, other = (int(part[tuple(differs[0])]) for part in (m, x, s))
            raise ValueError(f"g must be symmetric, but g({shared}, {one}, {other}) is not g({shared}, {other}, {one})")
        return found

    def _at(self, m: Int64s, x: Int64s, s: Int64s) -> Floats:
        if isinstance(self.function, np.ndarray):
            longest = max(int(x.max(initial=0)), int(s.max(initial=0)))
            if longest >= self.function.shape[1]:
                known = self.function.shape[1] - 1
                raise ValueError(f"the table of the kernel knows rows of up to {known} features, got one of {longest}")
            return np.asarray(self.function[m, x, s])
        found = np.asarray(self.function(m, x, s), dtype=np.float64)
        if found.shape != m.shape:
            raise ValueError(f"g must give one number for each overlap, shape {m.shape}, got shape {found.shape}")
        if not np.isfinite(found).all():
            at = tuple(np.argwhere(~np.isfinite(found))[0])
            raise ValueError(f"g({int(m[at])}, {int(x[at])}, {int(s[at])}) is {found[at]}: it must be finite")
        return found


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", repr(function)))


def _ratio(above: Floats, below: Floats, *, empty: float) -> Floats:
    """above / below; `empty` where below is 0."""
    above, below = np.broadcast_arrays(above, below)
    out = np.full(above.shape, empty)
    return np.asarray(np.divide(above, below, out=out, where=below > 0))
