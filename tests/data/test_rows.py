"""Rows: every kind of input gives the same rows, and invalid input is refused."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gristmill as gm
from gristmill.base.warnings import conversion_category
from gristmill.data.rows import as_rows

TABLE = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 1]])


def names_of(table):
    return [f"f{column}" for column in range(table.shape[1])]


def with_int64_indices(table):
    X = sp.csr_matrix(table)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def polars_frame(table):
    return pl.DataFrame({name: table[:, at] for at, name in enumerate(names_of(table))})


def id_lists(table, kind=list):
    return [kind(map(int, np.flatnonzero(row))) for row in table]


SPARSE = {
    **{f"{kind}_matrix": getattr(sp, f"{kind}_matrix") for kind in ("csr", "csc", "coo", "lil", "bsr")},
    **{f"{kind}_array": getattr(sp, f"{kind}_array") for kind in ("csr", "csc", "coo", "dok")},
    "csr with int64 indices": with_int64_indices,
}
DENSE = {
    f"array of {dtype.__name__}": lambda table, dtype=dtype: table.astype(dtype)
    for dtype in (bool, int, np.uint8, np.float32, np.float64, object)
}
FRAMES = {
    "pandas frame": lambda table: pd.DataFrame(table, columns=names_of(table)),
    "pandas frame of booleans": lambda table: pd.DataFrame(table.astype(bool), columns=names_of(table)),
    "polars frame": polars_frame,
    "polars frame of booleans": lambda table: polars_frame(table.astype(bool)),
}
TABLES = {**SPARSE, **DENSE, **FRAMES, "Fortran order": np.asfortranarray}
LISTS = {
    "lists": id_lists,
    "tuples": lambda table: tuple(id_lists(table, tuple)),
    "sets": lambda table: id_lists(table, set),
    "frozensets": lambda table: id_lists(table, frozenset),
    "numpy rows": lambda table: [np.flatnonzero(row) for row in table],
    "unsorted lists": lambda table: [ids[::-1] for ids in id_lists(table)],
}
MARKED = {kind: lambda table, build=build: gm.ids(build(table)) for kind, build in LISTS.items()}


def parametrize(kinds):
    return pytest.mark.parametrize("build", kinds.values(), ids=kinds.keys())


def dense(rows):
    return rows.to_csr().toarray()


# --- what is accepted -------------------------------------------------------------------------------------------------


@parametrize(TABLES)
@given(table=hnp.arrays(bool, st.tuples(st.integers(0, 6), st.integers(1, 6))))
def test_a_binary_table_comes_back_equal_from_every_container(build, table):
    assert np.array_equal(dense(as_rows(build(table.astype(np.int64)))), table)


@parametrize(MARKED)
@given(table=hnp.arrays(bool, st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_id_lists_hold_the_same_rows_as_a_table(build, table):
    rows = as_rows(build(table))
    assert np.array_equal(dense(rows), table[:, : rows.n_features])
    assert not table[:, rows.n_features :].any()


@parametrize(TABLES | MARKED)
def test_rows_come_out_in_the_form_the_core_wants(build):
    rows = as_rows(build(TABLE))
    assert (rows.offsets.dtype, rows.ids.dtype, rows.values.dtype) == (np.int64, np.int32, np.float64)
    assert rows.is_binary
    assert rows.lengths.tolist() == [2, 0, 3]
    assert rows.ids.tolist() == [0, 2, 1, 2, 3]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
@parametrize(SPARSE | DENSE)
def test_empty_tables_keep_their_shape(build, shape):
    if 0 in shape and build is sp.bsr_matrix:
        pytest.skip("scipy has no empty bsr")
    assert as_rows(build(np.zeros(shape, dtype=np.int64))).to_csr().shape == shape


@pytest.mark.parametrize("empty", [[], (), [[]], [[], ()], [set(), np.empty(0)]])
def test_empty_id_lists_are_empty_rows(empty):
    rows = gm.ids(empty)
    assert (len(rows), rows.n_features, len(rows.ids)) == (len(empty), 0, 0)


@parametrize(FRAMES)
def test_frames_bring_their_column_names(build):
    assert as_rows(build(TABLE)).feature_names == ("f0", "f1", "f2", "f3")


def test_frames_may_have_numbers_for_column_names():
    rows = as_rows(pd.DataFrame(TABLE))
    assert np.array_equal(dense(rows), TABLE)
    assert rows.feature_names == ("0", "1", "2", "3")


def test_a_clean_csr_matrix_is_not_copied():
    X = sp.csr_matrix(TABLE.astype(np.float64))
    assert np.shares_memory(as_rows(X).ids, X.indices)


def test_rows_pass_through_unchanged():
    rows = as_rows(TABLE)
    assert as_rows(rows).ids is rows.ids


def test_take_picks_rows_in_the_order_asked_for():
    assert np.array_equal(dense(as_rows(TABLE).take(np.array([2, 0, 2]))), TABLE[[2, 0, 2]])


# --- order, duplicates, zeros -----------------------------------------------------------------------------------------


def unsorted_csr():
    return sp.csr_matrix((np.array([1.0, 1.0, 1.0]), [3, 0, 2], [0, 3, 3]), shape=(2, 4))


def test_unsorted_indices_are_sorted():
    assert as_rows(unsorted_csr()).ids.tolist() == [0, 2, 3]


def test_the_matrix_of_the_caller_is_never_changed():
    X = unsorted_csr()
    as_rows(X)
    assert X.indices.tolist() == [3, 0, 2]


@pytest.mark.parametrize("trusted", [False, True])
def test_duplicate_indices_add_up_as_in_scipy(trusted):
    X = sp.csr_matrix((np.array([1.0, 1.0, 1.0]), [2, 2, 0], [0, 3]), shape=(1, 3))
    if trusted:  # a flag that scipy caches and that may be stale
        X.has_canonical_format = True
    rows = as_rows(X, binarize=False)
    assert (rows.ids.tolist(), rows.values.tolist()) == ([0, 2], [1.0, 2.0])


def test_duplicate_indices_that_add_up_to_two_are_not_binary():
    X = sp.coo_matrix(([1, 1], ([0, 0], [2, 2])), shape=(1, 3))
    with pytest.raises(ValueError, match="got 2 at row 0, column 2"):
        as_rows(X, binarize=None)


@pytest.mark.parametrize("binarize", [0.0, 0.5, None, False])
def test_explicit_zeros_are_dropped(binarize):
    X = sp.csr_matrix((np.array([0.0, 1.0, 0.0]), [0, 1, 3], [0, 2, 3]), shape=(2, 4))
    rows = as_rows(X, binarize=binarize)
    assert (rows.ids.tolist(), rows.offsets.tolist(), rows.is_binary) == ([1], [0, 1, 1], True)


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("binarize", "expected"), [(0.0, [1, 1, 0]), (0.3, [0, 1, 0]), (0.9, [0, 0, 0])])
def test_values_above_the_threshold_become_one(binarize, expected):
    with pytest.warns(gm.DataConversionWarning, match="row 0, column 0"):
        rows = as_rows(np.array([[0.25, 0.5, -2.0]]), binarize=binarize)
    assert dense(rows).tolist() == [expected]


@pytest.mark.parametrize("binarize", [0.0, 0.5, 0.99])
def test_what_becomes_of_a_one_does_not_hang_on_its_neighbours(binarize):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        beside_zero, beside_two = (dense(as_rows(np.array([[1.0, x]]), binarize=binarize))[0, 0] for x in (0, 2))
    assert beside_zero == beside_two


def test_binarize_none_refuses_other_values_with_their_place():
    with pytest.raises(ValueError, match=r"got 0\.5 at row 1, column 2.*binarize=0\.0"):
        as_rows(sp.csc_matrix([[1, 0, 0], [0, 0, 0.5]]), binarize=None)


def test_binarize_none_names_the_column_of_a_frame():
    with pytest.raises(ValueError, match="'weight'"):
        as_rows(pl.DataFrame({"flag": [1], "weight": [7]}), binarize=None)


@parametrize({"csr": sp.csr_matrix, "coo": sp.coo_array, "array": np.asarray, "polars frame": polars_frame})
def test_binarize_false_keeps_values(build):
    assert np.array_equal(dense(as_rows(build(TABLE * -2.5), binarize=False)), TABLE * -2.5)


@pytest.mark.parametrize("binarize", [0.0, 0.5, None, False])
@parametrize(TABLES)
def test_nothing_is_warned_about_when_nothing_changes(build, binarize):
    assert np.array_equal(dense(as_rows(build(TABLE), binarize=binarize)), TABLE)  # warnings are errors here


def test_the_warning_is_also_the_one_of_scikit_learn():
    from sklearn.exceptions import DataConversionWarning as SklearnWarning

    with pytest.warns(SklearnWarning) as caught:
        as_rows(np.array([[2.0]]))
    assert issubclass(caught[0].category, gm.DataConversionWarning)


def test_the_warning_does_not_import_scikit_learn(monkeypatch):
    monkeypatch.delitem(sys.modules, "sklearn.exceptions", raising=False)
    assert conversion_category() is gm.DataConversionWarning


@pytest.mark.parametrize("binarize", [0.0, None, False])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@parametrize({"dense": np.array, "sparse": sp.csr_matrix, "objects": lambda rows: np.array(rows, dtype=object)})
def test_nan_and_infinity_are_refused_with_their_place(build, value, binarize):
    with pytest.raises(ValueError, match=f"{value} at row 1, column 2"):
        as_rows(build([[1, 0, 0], [0, 1, value]]), binarize=binarize)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("column", [[1, None], [True, None], [0.5, None], [0.5, float("nan")]])
def test_nulls_are_refused_with_the_name_of_the_column(frame, column):
    kinds = {int: "Int64", bool: "boolean", float: "Float64"}
    if frame is pd.DataFrame:
        column = pd.array(column, dtype=kinds[type(column[0])])
    with pytest.raises(ValueError, match="'gap'"):
        as_rows(frame({"fine": [1, 0], "gap": column}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_strings_are_refused_by_name(frame):
    with pytest.raises(ValueError, match="column 'word' holds"):
        as_rows(frame({"fine": [1, 0], "word": ["a", "b"]}))


@pytest.mark.parametrize(
    "row",
    [
        *([-1], [3, -1], [0.5], [1.0], [True], ["a"], [None], [2**31 - 1], [2**63], [2**70], [3, 3], (0, 1, 0)),
        *([[1], [2]], [[1, 2], [3]], 3, None, "12", b"12", {"a", 1}, np.array(3), np.array([[1]]), np.array([1.0])),
    ],
    ids=lambda row: "a mixed set" if isinstance(row, set) else repr(row),
)
def test_id_lists_that_are_none_are_refused_with_the_row(row):
    with pytest.raises(ValueError, match="row 1"):
        gm.ids([[0], row])


@pytest.mark.parametrize("X", [[3, 4], [{0}, 3], ["(a b)"], [None], (b"1",)], ids=repr)
def test_lists_of_what_is_no_row_are_refused_with_the_row(X):
    with pytest.raises(ValueError, match=r"row [01]: expected a list of feature ids, got"):
        as_rows(X)


@pytest.mark.parametrize("X", [[[0], [1]], [(0, 1)], [{0}, [1]], [np.array([1, 0])], [[]]], ids=repr)
def test_lists_that_could_be_tables_are_refused_with_both_ways_out(X):
    with pytest.raises(ValueError, match=r"for a table pass np\.array\(X\), for feature ids pass gristmill\.ids\(X\)"):
        as_rows(X)


def test_the_largest_id_is_accepted():
    assert gm.ids([[2**31 - 2]]).n_features == 2**31 - 1


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.coo_array])
def test_more_columns_than_ids_can_name_are_refused(kind):
    with pytest.raises(ValueError, match="2147483648 columns"):
        as_rows(kind((1, 2**31)))


@pytest.mark.parametrize(
    "X",
    [
        *(np.zeros(3), np.zeros((1, 2, 3)), np.array(1.0), sp.coo_array(np.ones(3)), pd.Series([1]), pl.Series([1])),
        *("1 1:1", b"1 1:1", None, 3, {0: [1]}, iter([[1]]), pl.LazyFrame({"a": [1]})),
        *(np.array([["a"]]), np.array([["a"]], dtype=object), np.array([[1j]]), sp.csr_matrix([[1j]])),
        *(np.array([["2020-01-01"]], dtype="M8[D]"), np.array([[[1], [1, 2]]], dtype=object)),
    ],
    ids=lambda X: f"{type(X).__name__}{getattr(X, 'shape', '')}{getattr(X, 'dtype', '')}",
)
def test_what_is_no_table_is_refused(X):
    with pytest.raises(ValueError, match=r"expected|cannot take"):
        as_rows(X)


def damaged(**arrays):
    X = sp.csr_matrix(np.eye(3))
    for name, array in arrays.items():
        setattr(X, name, np.array(array))
    return X


@pytest.mark.parametrize(
    "arrays",
    [
        *({"indptr": starts} for starts in ([0, 2, 1, 3], [1, 1, 2, 3], [0, 1, 2], [0, 1, 2, 9], [0, -1, 2, 3], [])),
        *({"indptr": [0.0, 1.0, 2.0, 3.0]}, {"indices": [0.0, 1.5, 2.0]}),
        *({"indices": [0, 1, 3]}, {"indices": [0, -1, 2]}, {"indices": [0, 1]}, {"data": [1.0, 1.0]}),
        *({"indices": [2**40, 0, 0]}, {"indptr": [0, 3, 3, 3], "indices": [2, 1, 1], "data": [1.0]}),
    ],
    ids=str,
)
def test_a_damaged_csr_matrix_is_refused(arrays):
    with pytest.raises(ValueError, match="damaged"):
        as_rows(damaged(**arrays))


DAMAGES = [
    *(("csc", f"X.{array}[:] = 10**8") for array in ("indices", "indptr")),
    *(("coo", f"X.{array}[:] = 10**8") for array in ("row", "col")),
    *(("csr", f"X.indptr = np.array([0, 1, 2, np.iinfo({t}).min], dtype={t})") for t in ("np.int32", "np.int64")),
    ("csr", "X.indptr = np.array([0, 2**31 - 1, -(2**31), 3], dtype=np.int32)"),
]


def test_a_matrix_damaged_so_that_a_process_may_end_is_refused():
    """Apart, because scipy trusts such arrays, and differences of the last ones overflow."""
    program = f"""
import numpy as np, scipy.sparse as sp
from gristmill.data.rows import as_rows
for kind, damage in {DAMAGES}:
    X = getattr(sp, kind + "_matrix")(np.eye(3))
    exec(damage)
    try:
        as_rows(X)
    except ValueError as error:
        print("refused:", error, flush=True)
    else:
        print("read", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    answers = [line[:8] for line in done.stdout.splitlines()]
    assert (done.returncode, answers) == (0, ["refused:"] * len(DAMAGES)), done.stderr[-500:]


@pytest.mark.parametrize("binarize", [-0.1, 1.0, 5, float("nan"), True, "x"])
def test_what_is_no_threshold_is_refused(binarize):
    with pytest.raises(ValueError, match="binarize must be a threshold"):
        as_rows(np.eye(2), binarize=binarize)


def test_sums_of_duplicates_do_not_overflow_small_integers():
    X = sp.csr_matrix((np.array([127, 127], dtype=np.int8), [0, 0], [0, 2]), shape=(1, 1))
    assert as_rows(X, binarize=False).values.tolist() == [254.0]


def test_columns_are_aligned_by_name():
    rows = as_rows(pd.DataFrame({"b": [0.0, 1.0], "a": [1.0, 1.0]})).aligned(("a", "b"))
    assert dense(rows).tolist() == [[1, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"missing \['c'\].*unknown \['a'\]"):
        rows.aligned(("c", "b"))


def test_sparse_frames_keep_their_names():
    rows = as_rows(pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(2)), columns=["a", "b"]))
    assert (dense(rows).tolist(), rows.feature_names) == ([[1, 0], [0, 1]], ("a", "b"))


def test_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="different names"):
        as_rows(pd.DataFrame(np.eye(2), columns=["a", "a"]))


@pytest.mark.parametrize("gone", [[], [0], [3], [1, 2], [0, 1, 2, 3]])
@pytest.mark.parametrize("values", [False, True], ids=["binary", "real"])
def test_rows_without_some_are_the_others(gone, values):
    rows = gm.ids([[0, 2], [], [1], [0, 1, 4]], 6)
    if values:
        rows = replace(rows, values=np.arange(1.0, 7.0))
    rest = rows.without(np.array(gone, dtype=np.intp))
    assert rest == rows.take(np.setdiff1d(np.arange(4), gone))
    assert (rest.offsets.dtype, rest.ids.dtype) == (rows.offsets.dtype, rows.ids.dtype)
