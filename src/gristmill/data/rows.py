"""Rows: sparse rows, made from all kinds of data that users have. Data are checked here, once.

Accepted are scipy sparse matrices and arrays, dense arrays, pandas and polars frames (anything narwhals knows), and
feature ids that are marked as such: `ids([[3, 17], [4]])`, or sets. A plain list of lists could also be a table and is
refused; estimators read it as a table, as scikit-learn does (`as_table`). All other modules rely on these checks.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices, Int32s, Int64s
from gristmill.base.warnings import conversion_category

Binarize = float | Literal[False] | None
NO_VALUES: Floats = np.empty(0)
LARGEST_ID = 2**31 - 2
_WIDE = 2**20  # columns of which a table is small, whatever is in them


@dataclass(frozen=True, eq=False)
class Rows:
    """Sparse rows in three flat arrays, sorted and checked.

    Parameters
    ----------
    offsets : int64 array, one more than there are rows
        Where each row starts in `ids`.
    ids : int32 array
        The active features of each row, ascending.
    values : float64 array
        The value of each id; empty when every value is 1 (binary rows).
    n_features : int
        The width of the space.
    feature_names : tuple of str or None
        Names of the columns, where the data had any.
    """

    kind: ClassVar[str] = "rows"
    noun: ClassVar[str] = "row"

    offsets: Int64s
    ids: Int32s
    values: Floats = field(default_factory=lambda: NO_VALUES)
    n_features: int = 0
    feature_names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __eq__(self, other: object) -> bool:
        """Equal in every row, in width and in names."""
        if not isinstance(other, Rows):
            return NotImplemented
        same = self.n_features == other.n_features and self.feature_names == other.feature_names
        arrays = ((self.offsets, other.offsets), (self.ids, other.ids), (self.values, other.values))
        return same and all(np.array_equal(own, theirs) for own, theirs in arrays)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_binary(self) -> bool:
        return len(self.values) == 0

    @property
    def lengths(self) -> Int64s:
        """Number of active features of each row."""
        return np.diff(self.offsets)

    def copy(self) -> Rows:
        """The same in arrays of its own."""
        return replace(self, offsets=self.offsets.copy(), ids=self.ids.copy(), values=self.values.copy())

    def one(self, row: int) -> Rows:
        """A single row, without copying it."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return replace(self, offsets=np.array([0, end - begin]), ids=self.ids[begin:end], values=self.values[begin:end])

    def take(self, rows: Indices) -> Rows:
        """The rows with these numbers, in this order."""
        values = self.ids if self.is_binary else self.values  # of rows of 0 and 1 any would do
        csr = sp.csr_matrix((values, self.ids, self.offsets), shape=(len(self), self.n_features))[rows]
        values = NO_VALUES if self.is_binary else np.asarray(csr.data, dtype=np.float64)
        return replace(self, offsets=_as(csr.indptr, np.int64), ids=_as(csr.indices, np.int32), values=values)

    def without(self, gone: Indices) -> Rows:
        """All rows but these, whose numbers ascend; a copy, which is quick where they are few."""
        begins = np.concatenate([[0], self.offsets[gone + 1]]).tolist()
        ends = np.append(self.offsets[gone], len(self.ids)).tolist()
        ids, values = (
            np.concatenate([entries[begin:end] for begin, end in zip(begins, ends, strict=True)])
            for entries in (self.ids, self.values)
        )
        lengths = np.delete(self.lengths, gone)
        return replace(self, offsets=np.concatenate([[0], np.cumsum(lengths)]), ids=ids, values=values)

    def aligned(self, names: tuple[str, ...]) -> Rows:
        """The same rows with the columns in the order of these names, which must be the rows' own."""
        if self.feature_names is None or self.feature_names == names:
            return self
        missing, foreign = set(names) - set(self.feature_names), set(self.feature_names) - set(names)
        if missing or foreign:
            raise ValueError(
                f"the columns of X do not fit the machine's features: {len(missing)} missing {sorted(missing)[:5]}, "
                f"{len(foreign)} unknown {sorted(foreign)[:5]}"
            )
        place = {name: column for column, name in enumerate(self.feature_names)}
        csr = self.to_csr(len(place))[:, [place[name] for name in names]]
        csr.sort_indices()
        return replace(_view(csr), values=NO_VALUES if self.is_binary else csr.data, feature_names=names)

    def to_csr(self, n_features: int | None = None) -> sp.csr_matrix:
        """The same rows as a scipy matrix of float64, of their own width or with so many columns (others are cut)."""
        values = np.ones(len(self.ids)) if self.is_binary else self.values
        csr = sp.csr_matrix((values, self.ids, self.offsets), shape=(len(self), self.n_features))
        if n_features is not None:
            csr.resize(len(self), n_features)
        return csr


def most_columns(*parts: Rows) -> int:
    """How many columns may have an entry in a table each: a small file may name a column of two thousand million."""
    return max(_WIDE, 64 * sum(len(rows.ids) for rows in parts))


def check_width(rows: Rows, what: str) -> None:
    """ValueError where there are too many columns to list all of them."""
    if rows.n_features > most_columns(rows):
        raise ValueError(
            f"{what}, but there are {rows.n_features:,} of them and only {len(rows.ids):,} entries in them; at most "
            f"{most_columns(rows):,} can be listed: number the columns from 0 without gaps"
        )


def over_shared_columns(*parts: Rows) -> tuple[Rows, ...]:
    """The same rows over the columns that some of them have, renumbered, where their width is far larger than that.

    Products of sparse matrices and counts of columns take memory by the width, which a small file may name.
    """
    if max(rows.n_features for rows in parts) <= most_columns(*parts):
        return parts
    used = np.unique(np.concatenate([rows.ids for rows in parts]))
    return tuple(
        replace(rows, ids=_as(np.searchsorted(used, rows.ids), np.int32), n_features=len(used), feature_names=None)
        for rows in parts
    )


def ids(lists: Iterable[Collection[int]], n_features: int | None = None) -> Rows:
    """Rows from lists of feature ids: everything in gristmill that takes rows takes these.

    Parameters
    ----------
    lists : iterable of collections of int
        The ids of the active features of each row, in any order, none twice.
    n_features : int or None
        The width of the space; None: one more than the largest id.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.PolynomialKernel(2)(gm.ids([[1, 2, 3], [7]]), gm.ids([[2, 3, 9]]))
    array([[9.],
           [1.]])
    """
    if isinstance(lists, str | bytes | np.ndarray | Rows) or not isinstance(lists, Iterable):
        raise ValueError(f"ids takes a list of lists of feature ids, got {type(lists).__name__}")
    rows = _from_ids(lists)
    if n_features is None:
        return rows
    if not isinstance(n_features, Integral) or not rows.n_features <= n_features <= LARGEST_ID + 1:
        raise ValueError(f"n_features must be a whole number above every id, got {n_features!r}")
    return replace(rows, n_features=int(n_features))


def as_rows(X: Any, *, binarize: Binarize = 0.0, training: bool = False) -> Rows:
    """Check X and turn it into Rows, without copying where its arrays can be used as they are.

    Parameters
    ----------
    X : sparse matrix, array, frame, `ids([...])` or list of sets
        One row per example. Each set holds the ids of the active features of a row.
    binarize : float, None or False
        What becomes of values other than 0 and 1. A number from 0 up to 1: those above it become 1, the others 0,
        with a DataConversionWarning. None: they are refused. False: they are kept, for engines that compute with them.
    training : bool
        Whether X is for training: the warning then says where the threshold makes columns constant.
    """
    check_binarize(binarize)
    if isinstance(X, Rows):
        return _with_binarized(X, binarize, training)
    if sp.issparse(X):
        return _with_binarized(_from_sparse(X), binarize, training)
    if isinstance(X, np.ndarray):
        return _with_binarized(_from_dense(X), binarize, training)
    if isinstance(X, str | bytes):
        raise ValueError(f"expected rows of data, got {type(X).__name__}; read files with gristmill.read_svmlight")
    if isinstance(X, Sequence):
        return _from_sets(X)
    return _with_binarized(_from_frame(X), binarize, training)


def check_features(rows: Rows) -> Rows:
    """The same rows, to learn from; ValueError if there are some and none has a feature left."""
    if len(rows) and not len(rows.ids):
        raise ValueError("no example has a feature: all values are 0, or not above the threshold of binarize")
    return rows


def check_binarize(binarize: Binarize) -> None:
    """Raise ValueError unless it is a threshold below 1 (from 1 on, a 1 would become 0), None or False."""
    if binarize is None or binarize is False:
        return
    if isinstance(binarize, bool) or not isinstance(binarize, Real) or not 0 <= binarize < 1:
        raise ValueError(
            f"binarize must be a threshold from 0 up to (not including) 1, None or False, got {binarize!r}"
        )


def _as(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=dtype)


# --- values -----------------------------------------------------------------------------------------------------------


def _with_binarized(rows: Rows, binarize: Binarize, training: bool) -> Rows:
    """Drop zeros; keep, refuse or threshold values other than 1."""
    values = rows.values
    if rows.is_binary or bool((values == 1).all()):
        return replace(rows, values=NO_VALUES)
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"X holds {values[at]} at {_place(rows, at)}; NaN and infinity cannot be scored")
    if binarize is False:
        return _keep(rows, values != 0, values)
    ones, others = values == 1, (values != 0) & (values != 1)
    if not others.any():
        return _keep(rows, ones, NO_VALUES)
    first = _value_at(rows, int(np.flatnonzero(others)[0]))
    if binarize is None:
        raise ValueError(
            f"X must hold only 0 and 1, got {first}; pass binarize=0.0 to turn every value above 0 into 1, "
            "or one-hot encode the column"
        )
    kept = ones | (others & (values > binarize))
    lost = _lost(rows, others, kept) if training else ""
    warnings.warn(
        f"X holds values other than 0 and 1 (first: {first}); those above {binarize:g} become 1, the others 0{lost}",
        conversion_category(),
        stacklevel=3,
    )
    return _keep(rows, kept, NO_VALUES)


def _lost(rows: Rows, others: Flags, kept: Flags) -> str:
    """The end of the warning where the threshold makes columns constant or changes most values; else empty."""
    columns, which = np.unique(rows.ids[others], return_inverse=True)
    ones = np.zeros(len(columns), dtype=np.intp)
    known = kept & np.isin(rows.ids, columns)
    np.add.at(ones, np.searchsorted(columns, rows.ids[known]), 1)
    constant = int(((ones == 0) | (ones == len(rows))).sum())
    share = len(which) / (len(rows) * rows.n_features)
    if not constant and share <= 0.5:
        return ""
    what = f"{share:.0%} of all values change"
    if constant:
        what = f"{constant} of {rows.n_features} columns become constant"
    return (
        f". The features carry little or no information this way: {what}. Put numbers into bins first, as with "
        "sklearn.preprocessing.KBinsDiscretizer(encode='onehot'), or let a batch SVM compute with the values: "
        "binarize=False, on the command line --binarize keep"
    )


def _value_at(rows: Rows, at: int) -> str:
    return f"{rows.values[at]:g} at {_place(rows, at)}"


def _place(rows: Rows, at: int) -> str:
    row = int(np.searchsorted(rows.offsets, at, side="right")) - 1
    column = int(rows.ids[at])
    name = f" ({rows.feature_names[column]!r})" if rows.feature_names else ""
    return f"row {row}, column {column}{name}"


def _keep(rows: Rows, mask: Flags, values: Floats) -> Rows:
    kept = np.concatenate([[0], np.cumsum(mask)])
    values = values[mask] if len(values) else NO_VALUES
    if len(values) and bool((values == 1).all()):
        values = NO_VALUES
    return replace(rows, offsets=_as(kept[rows.offsets], np.int64), ids=rows.ids[mask], values=values)


# --- kinds of input ---------------------------------------------------------------------------------------------------


def _from_sparse(X: Any) -> Rows:
    if X.ndim != 2:
        raise ValueError(f"expected a matrix, got a sparse array of shape {X.shape}")
    if np.iscomplexobj(X):
        raise ValueError("expected real numbers, got complex ones")
    check_structure(X)
    csr = X if X.format == "csr" else X.astype(np.float64).tocsr()  # float64 holds the sums of duplicates
    rows = _view(csr)
    if not _core.rows_are_sorted(rows.offsets, rows.ids):
        csr = csr.astype(np.float64, copy=True)
        csr.sum_duplicates()
        rows = _view(csr)
    return rows


def check_structure(X: Any) -> None:
    """Raise ValueError for a damaged matrix: users may change its arrays, and compiled code relies on them."""
    if X.shape[1] - 1 > LARGEST_ID:
        raise ValueError(f"feature ids must stay below 2^31 - 1, got a matrix with {X.shape[1]} columns")
    if X.format in ("csr", "csc"):
        by_row = X.format == "csr"
        _check_pointers(X.indptr, X.shape[0 if by_row else 1], min(len(X.indices), len(X.data)))
        _check_indices(X.indices[: X.indptr[-1]], X.shape[1 if by_row else 0])
    elif X.format == "coo":
        for indices, size in zip(X.coords, X.shape, strict=True):
            _check_indices(indices, size)
            if len(indices) != len(X.data):
                raise ValueError("the sparse matrix is damaged: it has more or fewer values than coordinates")


def _check_pointers(starts: NDArray[Any], size: int, entries: int) -> None:
    sound = starts.dtype.kind == "i" and len(starts) == size + 1 and starts[0] == 0 and starts[-1] <= entries
    if not sound or (starts[1:] < starts[:-1]).any():
        raise ValueError("the sparse matrix is damaged: its indptr does not ascend from 0 to the number of entries")


def _check_indices(indices: NDArray[Any], size: int) -> None:
    if indices.dtype.kind != "i":
        raise ValueError(f"the sparse matrix is damaged: its indices are {indices.dtype}")
    if len(indices) and (indices.min() < 0 or indices.max() >= size):
        raise ValueError(
            f"the sparse matrix is damaged: indices must lie in 0..{size - 1}, got {indices.min()}..{indices.max()}"
        )


def _view(csr: Any) -> Rows:
    entries = int(csr.indptr[-1])
    return Rows(
        _as(csr.indptr, np.int64),
        _as(csr.indices[:entries], np.int32),
        _as(csr.data[:entries], np.float64),
        int(csr.shape[1]),
    )


def _from_dense(X: NDArray[Any], feature_names: tuple[str, ...] | None = None) -> Rows:
    if X.ndim != 2:
        hint = "; wrap a single example as X[None, :]" if X.ndim == 1 else ""
        raise ValueError(f"expected a table of examples x features, got an array of shape {X.shape}{hint}")
    if X.dtype == object:
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected numbers, got an array of objects: {error}") from error
    if X.dtype.kind not in "buif":
        raise ValueError(f"expected an array of numbers or booleans, got dtype {X.dtype}")
    if X.shape[1] - 1 > LARGEST_ID:
        raise ValueError(f"feature ids must stay below 2^31 - 1, got an array with {X.shape[1]} columns")
    at, ids = np.nonzero(X)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=X.shape[0]))])
    return Rows(_as(offsets, np.int64), _as(ids, np.int32), _as(X[at, ids], np.float64), X.shape[1], feature_names)


def _from_frame(X: Any) -> Rows:
    import narwhals as nw

    if hasattr(X, "sparse") and hasattr(X, "dtypes") and all(hasattr(d, "fill_value") for d in X.dtypes):
        return replace(_from_sparse(X.sparse.to_coo()), feature_names=tuple(map(str, X.columns)))
    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"columns of a frame must have different names: {error}") from error
    except TypeError as error:
        raise ValueError(
            f"cannot take data from {type(X).__name__}; give a scipy sparse matrix, a numpy array, "
            "a pandas or polars frame, or feature ids as gristmill.ids([...])"
        ) from error
    for column in frame.iter_columns():
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            raise ValueError(
                f"column {column.name!r} holds {column.dtype}, not numbers or booleans; one-hot encode it first"
            )
    columns = [column.cast(nw.Float64).to_numpy() for column in frame.iter_columns()]
    table = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return _from_dense(table, tuple(str(name) for name in frame.columns))


def as_table(X: Any) -> Any:
    """A plain list of rows as a table, which is what scikit-learn takes it for; anything else as it is."""
    if not isinstance(X, list | tuple) or _are_sets(X):
        return X
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "X is a list of rows that are no table: every row needs a number for each feature; "
            "for lists of feature ids pass gristmill.ids(X)"
        ) from None


def ids_as_csr(X: Any, n_features: int | None = None) -> Any:
    """Rows by feature ids as a matrix, which scikit-learn can check; anything else as it is.

    n_features : its width; features beyond it, never seen in training, count for nothing. None: that of the rows
    """
    if isinstance(X, list | tuple) and _are_sets(X):
        X = _from_ids(X)
    return X.to_csr(n_features) if isinstance(X, Rows) else X


def are_ids(X: Any) -> bool:
    """Whether X is rows by feature ids, which have no width."""
    return isinstance(X, Rows) or (isinstance(X, list | tuple) and _are_sets(X))


def _from_sets(X: Sequence[Any]) -> Rows:
    """Sets are feature ids; a list of lists is ambiguous and refused."""
    if len(X) and not _are_sets(X):
        for number, row in enumerate(X):
            _check_collection(row, number)
        raise ValueError(
            "a list of lists could be a table of values or lists of feature ids; "
            "for a table pass np.array(X), for feature ids pass gristmill.ids(X)"
        )
    return _from_ids(X)


def _are_sets(X: Sequence[Any]) -> bool:
    return len(X) > 0 and all(isinstance(row, Set) for row in X)


def _from_ids(lists: Iterable[Any]) -> Rows:
    checked = [_check_id_list(row, number) for number, row in enumerate(lists)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in checked], dtype=np.int64)])
    flat = np.concatenate(checked) if checked else np.empty(0, dtype=np.int32)
    return Rows(_as(offsets, np.int64), _as(flat, np.int32), n_features=int(flat.max()) + 1 if len(flat) else 0)


def _check_collection(row: Any, number: int) -> None:
    if not isinstance(row, Collection | np.ndarray) or isinstance(row, str | bytes):
        raise ValueError(f"row {number}: expected a list of feature ids, got {row!r}")


def _check_id_list(row: Any, number: int) -> Int32s:
    _check_collection(row, number)
    try:
        found = np.asarray(list(row))
    except (TypeError, ValueError):
        found = np.empty((0, 0))
    if found.shape == (0,):
        return np.empty(0, dtype=np.int32)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(
            f"row {number}: feature ids must be whole numbers, got {row!r}; for a table of values pass np.array(X)"
        )
    if found.min() < 0 or found.max() > LARGEST_ID:
        raise ValueError(f"row {number}: feature ids must lie in 0..{LARGEST_ID}, got {found.min()}..{found.max()}")
    unique = np.unique(found)
    if len(unique) != len(found):
        raise ValueError(
            f"row {number}: a feature id occurs twice; for a dense table of zeros and ones pass np.array(X)"
        )
    return unique.astype(np.int32)
