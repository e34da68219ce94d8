"""Columns of pandas frames of the usual types, without detours: the cost of a single row is how it is read."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from gristmill.data.tables.columns import Column, WordColumn, column_of_array, column_of_texts, word_column

_FEW = 100  # rows: a frame of one type is then read as one array, which larger ones may have to be copied for
_MANY = 4  # categories for each row: then only those of the rows are looked at


def natives_of(X: Any) -> list[Any] | None:
    """The columns of a pandas frame, as series or arrays; None for all else, and where names are there twice."""
    pandas = sys.modules.get("pandas")
    if pandas is None or type(X) is not pandas.DataFrame or not X.columns.is_unique:
        return None
    if len(X) <= _FEW and len(types := set(X.dtypes.tolist())) == 1 and _is_plain(*types):
        return list(X.to_numpy().T)
    return [series for _, series in X.items()]


def column_of_native(name: str, native: Any) -> Column | None:
    """Of numbers, categories or texts; None for other types."""
    dtype = native.dtype
    if isinstance(dtype, np.dtype):
        return column_of_array(name, np.asarray(native)) if _is_plain(dtype) else None
    if dtype.name == "category":
        array = native.array
        return column_of_categories(name, array.codes, array.categories, array.ordered)
    if dtype.name in ("str", "string"):
        return column_of_texts(name, native.tolist())
    return None


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf"


def column_of_categories(name: str, codes: Any, categories: Any, is_ordered: bool) -> WordColumn:
    """Of numbers of categories, -1 where a value is missing."""
    if _MANY * len(codes) < len(categories) and not is_ordered:  # all levels belong to an ordered one
        return column_of_texts(name, [None if code < 0 else categories[code] for code in codes.tolist()])
    column = word_column(name, codes.astype(np.int32), categories.tolist())
    return replace(column, is_ordered=is_ordered)
