"""One reading of tables: frames, dict rows, structured arrays, arrays and lists of rows give the same columns.

pandas and polars are read through narwhals; neither is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.data.tables.columns import (
    Column,
    NumberColumn,
    WordColumn,
    column_of_array,
    column_of_cells,
    column_of_texts,
    no_column,
    word_column,
)
from gristmill.data.tables.pandas_columns import column_of_categories, column_of_native, natives_of

_MANY_ROWS = 1000  # from here on polars numbers texts faster than Python
_EXPECTED = "a pandas or polars frame, a list of dicts, a structured array, a 2-D array or a list of rows"


@dataclass(frozen=True)
class Table:
    """Columns with names, read when asked for.

    Parameters
    ----------
    names : tuple of str
        Without names of their own, columns are called x0, x1, ...
    is_named : bool
        Whether the names are the data's own.
    n_rows : int
    read : callable
        Gives the column of a number.
    lacking : dict of str to int
        Of dict rows: the keys that some row lacks, and the first such row.
    """

    names: tuple[str, ...]
    is_named: bool
    n_rows: int
    read: Callable[[int], Column]
    lacking: Mapping[str, int] | None = None

    def only(self, names: Sequence[str]) -> Table:
        """The columns of these names."""
        places = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), read=lambda at: self.read(places[at]))


def read_table(X: Any, *, may_be_empty: bool = False) -> Table:
    """The table that X holds; at least one column and, unless it may be empty, one row."""
    table = _read(X)
    if not (table.n_rows or may_be_empty):
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is required: "
            "a table needs rows"
        )
    if not table.names:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required: "
            "a table needs columns"
        )
    return table


def _read(X: Any) -> Table:
    if isinstance(X, Table):
        return X
    if hasattr(X, "toarray"):
        raise TypeError("Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert it")
    if isinstance(X, str | bytes | Mapping) or X is None:
        hint = "; a single row is a list of one dict: [row]" if isinstance(X, Mapping) else ""
        raise ValueError(f"expected a table, got {type(X).__name__}; give {_EXPECTED}{hint}")
    if isinstance(X, np.ndarray):
        return _from_array(X)
    if isinstance(X, list | tuple):
        return _from_dicts(X) if X and all(isinstance(row, Mapping) for row in X) else _from_lists(X)
    return _from_frame(X)


# --- arrays and lists -------------------------------------------------------------------------------------------------


def _from_array(X: NDArray[Any]) -> Table:
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("a masked array cannot be read as a table; fill it first: X.filled(np.nan)")
    names = X.dtype.names
    if names is not None and X.ndim == 1 and all(X.dtype[name].shape == () for name in names):
        return Table(tuple(names), True, len(X), lambda at: column_of_array(names[at], X[names[at]]))
    if X.ndim != 2 or names is not None:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: a table has rows and columns, the array has shape "
            f"{X.shape} and dtype {X.dtype}. Reshape your data: a single row is X.reshape(1, -1)"
        )
    default = _default_names(X.shape[1])
    X = np.asarray(X)  # a matrix has no columns of one dimension
    return Table(default, False, len(X), lambda at: column_of_array(default[at], X[:, at]))


def _default_names(count: int) -> tuple[str, ...]:
    return tuple(f"x{number}" for number in range(count))


def _from_lists(X: Sequence[Any]) -> Table:
    rows = [row.tolist() if isinstance(row, np.ndarray) and row.ndim == 1 else row for row in X]
    for number, row in enumerate(rows):
        if not isinstance(row, list | tuple) or len(row) != len(rows[0]):
            raise ValueError(
                f"Expected 2D array, got a list whose row {number} is {_shape(row)}; a table as a list needs a list "
                f"of the same length for each row, or a dict. Reshape your data or give {_EXPECTED}"
            )
    names = _default_names(len(rows[0]) if rows else 0)
    columns = list(zip(*rows, strict=True))
    return Table(names, False, len(rows), lambda at: column_of_cells(names[at], columns[at]))


def _shape(row: Any) -> str:
    if isinstance(row, list | tuple):
        return f"of length {len(row)}"
    return f"of type {type(row).__name__}"


def _from_dicts(rows: Sequence[Mapping[str, Any]]) -> Table:
    shapes = dict.fromkeys(map(tuple, rows))  # one where all rows have the same keys in the same order
    names = tuple(dict.fromkeys(chain.from_iterable(shapes)))
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"the keys of dict rows must be texts, got {list(names)}")
    some_lack = {name for shape in shapes if len(shape) < len(names) for name in set(names) - set(shape)}
    lacking = {name: _first_without(rows, name) for name in names if name in some_lack}

    def read(at: int) -> Column:
        get = methodcaller("get", names[at]) if names[at] in lacking else itemgetter(names[at])
        return column_of_cells(names[at], list(map(get, rows)))

    return Table(names, True, len(rows), read, lacking)


def _first_without(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    return next(number for number, row in enumerate(rows) if name not in row)


# --- frames -----------------------------------------------------------------------------------------------------------


def _from_frame(X: Any) -> Table:
    known = natives_of(X)
    if known is not None:
        names, is_named = _names_of(X.columns.tolist())
        return Table(names, is_named, len(X), lambda at: _column_of_pandas(names[at], known[at]))
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"columns of a frame must have different names: {error}") from error
    except TypeError as error:
        return _from_something(X, error)
    series = list(frame.iter_columns())
    names, is_named = _names_of([one.name for one in series])
    return Table(names, is_named, len(frame), lambda at: _column_of_native(names[at], series[at]))


def _names_of(native: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    """The names of columns, and whether they are the frame's own."""
    is_named = all(isinstance(name, str) for name in native)
    if not is_named and any(isinstance(name, str) for name in native):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted({type(name).__name__ for name in native})} as feature name / column name types; "
            "convert them: X.columns = X.columns.astype(str)"
        )
    return (tuple(native) if is_named else _default_names(len(native))), is_named


def _from_something(X: Any, error: Exception) -> Table:
    """Of what is no frame: whatever numpy reads as an array."""
    if not hasattr(X, "__array__") or hasattr(X, "to_frame"):
        raise _refusal(X) from error
    return _from_array(np.asarray(X))


def _refusal(X: Any) -> Exception:
    if hasattr(X, "to_frame"):
        return ValueError("Expected 2D array, got 1D array instead. Reshape your data: a row is X.to_frame().T")
    hint = "; collect it first: X.collect()" * hasattr(X, "collect")
    return TypeError(f"cannot read a table from {type(X).__name__}; give {_EXPECTED}{hint}")


def _column_of_pandas(name: str, series: Any) -> Column:
    found = column_of_native(name, series)
    if found is not None:
        return found
    import narwhals as nw

    return _column_of_native(name, nw.from_native(series, series_only=True))


def _column_of_native(name: str, series: Any) -> Column:
    import narwhals as nw

    dtype = series.dtype
    if dtype == nw.Boolean:
        return NumberColumn(name, series.cast(nw.Float64).to_numpy(), is_boolean=True)
    if dtype.is_decimal() or dtype in (nw.Int128, nw.UInt128):  # numpy has none
        return NumberColumn(name, series.cast(nw.Float64).to_numpy())
    if dtype.is_integer() and series.null_count():
        return NumberColumn(name, series.fill_null(0).to_numpy(), mask=series.is_null().to_numpy())
    if dtype.is_numeric():
        return column_of_array(name, series.to_numpy())
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _column_of_categories(name, series, isinstance(dtype, nw.Enum))
    if isinstance(dtype, nw.Datetime | nw.Date):
        is_local = isinstance(dtype, nw.Datetime) and dtype.time_zone is not None
        return column_of_array(name, (series.dt.replace_time_zone(None) if is_local else series).to_numpy())
    if isinstance(dtype, nw.String):
        return _column_of_texts(name, series)
    if isinstance(dtype, nw.Object | nw.Unknown | nw.Binary | nw.Time):
        return column_of_cells(name, series.to_list())
    raise ValueError(no_column(name, str(dtype)))


def _column_of_texts(name: str, series: Any) -> WordColumn:
    if not series.implementation.is_polars() or len(series) < _MANY_ROWS:
        return column_of_texts(name, series.to_list())
    import narwhals as nw

    values = series.unique().to_list()  # texts of polars become Python's one by one, which takes longer
    codes = series.replace_strict(values, list(range(len(values))), return_dtype=nw.Int32)
    return word_column(name, codes.to_numpy(), values)


def _column_of_categories(name: str, series: Any, is_ordered: bool) -> WordColumn:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # relatives of pandas
        return column_of_categories(name, native.cat.codes.to_numpy(), native.cat.categories, is_ordered)
    levels = list(series.dtype.categories) if is_ordered else []
    column = column_of_texts(name, [*levels, *series.to_list()])  # so the texts begin with the levels, in their order
    return replace(column, codes=column.codes[len(levels) :], is_ordered=is_ordered)
