"""svmlight data: read as others read it, written so that it reads back to the same bits, refused with the place."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import gristmill as gm
from gristmill.data.formats.svmlight import parse_rows
from gristmill.machines.data_files import read_rows_for

finite = st.floats(allow_nan=False, allow_infinity=False)
row_dicts = st.lists(st.dictionaries(st.integers(0, 40), finite.filter(bool), max_size=8), max_size=6)


def matrix_of(dicts):
    """The rows as CSR, without a detour that could change a value."""
    rows = [sorted(row.items()) for row in dicts]
    offsets = np.cumsum([0] + [len(row) for row in rows])
    ids = [feature for row in rows for feature, _ in row]
    return sp.csr_matrix(([value for row in rows for _, value in row], ids, offsets), shape=(len(rows), 41))


def same_bits(left, right):
    return np.asarray(left, dtype=np.float64).tobytes() == np.asarray(right, dtype=np.float64).tobytes()


def written(tmp_path_factory, *args, **options):
    path = tmp_path_factory.getbasetemp() / "round-trip.svm"
    gm.write_svmlight(path, *args, **options)
    return path


def parsed(text, **options):
    """Rows as lists of (id, value), and labels."""
    rows, labels, *_ = parse_rows(text.encode(), **options)
    csr = rows.to_csr()
    lists = [list(zip(csr[i].indices.tolist(), csr[i].data.tolist(), strict=True)) for i in range(len(rows))]
    return lists, labels.tolist()


# --- round trips ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zero_based", [True, False])
@given(dicts=row_dicts, data=st.data())
def test_what_is_written_reads_back_to_the_same_bits(tmp_path_factory, zero_based, dicts, data):
    X = matrix_of(dicts)
    y = data.draw(st.lists(finite, min_size=len(dicts), max_size=len(dicts)))
    path = written(tmp_path_factory, X, y, zero_based=zero_based)
    Z, z = gm.read_svmlight(path, n_features=41, zero_based=zero_based)
    assert same_bits(y, z)
    assert same_bits(X.data, Z.data)
    assert (X.indices.tolist(), X.indptr.tolist()) == (Z.indices.tolist(), Z.indptr.tolist())


@given(queries=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
def test_query_ids_survive_a_round_trip(tmp_path_factory, queries):
    path = written(tmp_path_factory, [{0}] * len(queries), np.ones(len(queries)), query_id=queries)
    assert gm.read_svmlight(path, query_id=True)[2].tolist() == queries


@pytest.mark.parametrize("zero_based", [True, False])
def test_the_largest_id_of_all_survives_a_round_trip(tmp_path, zero_based):
    gm.write_svmlight(tmp_path / "file", [{0, 2**31 - 2}], [1.0], zero_based=zero_based)
    assert gm.read_svmlight(tmp_path / "file", zero_based=zero_based)[0].indices.tolist() == [0, 2**31 - 2]


@pytest.mark.parametrize(
    ("y", "query_id"),
    [
        ([1.0], None),
        ([1.0, np.nan], None),
        ([[1.0, 2.0]], None),
        ([1.0, 2.0], [1]),
        (["a", "b c"], None),
        (["a"], None),
    ],
)
def test_what_cannot_be_written_leaves_no_file(tmp_path, y, query_id):
    with pytest.raises(ValueError, match=r"y must|query_id must|a label must be a word"):
        gm.write_svmlight(tmp_path / "file", [{0}, {1}], y, query_id=query_id)
    assert not (tmp_path / "file").exists()


# --- the language -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows", "labels"),
    [
        ("1 1:1 3:0.5\n-1 2:2\n", [[(0, 1), (2, 0.5)], [(1, 2)]], [1, -1]),
        ("1 1:1", [[(0, 1)]], [1]),
        ("+1 1:+2\n", [[(0, 2)]], [1]),
        ("1 1:1\r\n2 2:1\r\n", [[(0, 1)], [(1, 1)]], [1, 2]),
        ("# all about it\n1 1:1 # one\n#\n2 2:3# two\n3# three\n", [[(0, 1)], [(1, 3)], []], [1, 2, 3]),
        ("\n  \n1 1:1\n\t\n\n2\n", [[(0, 1)], []], [1, 2]),
        ("  1\t1:1  \t2:1  \n", [[(0, 1), (1, 1)]], [1]),
        ("1 3:3 1:1 2:2\n", [[(0, 1), (1, 2), (2, 3)]], [1]),
        ("1 3:1 1:1\n", [[(0, 1), (2, 1)]], [1]),
        ("1 qid:3 1:1\n2 qid:4\n", [[(0, 1)], []], [1, 2]),
        ("1 1:1e-400 2:-1e-400 3:5e-324\n", [[(0, 0), (1, 0), (2, 5e-324)]], [1]),
        ("1e2 1:.5 2:1. 3:1E3\n", [[(0, 0.5), (1, 1), (2, 1000)]], [100]),
        ("1 0:1 5:1\n", [[(0, 1), (5, 1)]], [1]),
        ("1 5:1\n2 0:1\n", [[(5, 1)], [(0, 1)]], [1, 2]),
        ("1 007:1\n", [[(6, 1)]], [1]),
        ("", [], []),
        ("\n", [], []),
        ("# nothing", [], []),
    ],
)
def test_is_read_as(text, rows, labels):
    assert parsed(text) == (rows, labels)


@pytest.mark.parametrize(("zero_based", "first"), [(True, 3), (False, 2), ("auto", 2)])
def test_the_base_of_ids_is_as_asked(zero_based, first):
    rows, _, _, counts_from_zero = parse_rows(b"1 3:1\n", zero_based=zero_based)
    assert rows.ids.tolist() == [first]
    assert counts_from_zero is (zero_based is True)


def test_an_id_of_zero_makes_automatic_zero_based():
    assert parse_rows(b"1 0:1 3:1\n")[3] is True


@pytest.mark.parametrize("zero_based", [True, "auto"])
def test_huge_ids_are_read(zero_based):
    assert parse_rows(b"1 0:1 2147483646:1\n", zero_based=zero_based)[0].n_features == 2**31 - 1


def test_values_are_kept_only_when_one_is_not_one():
    assert parse_rows(b"1 1:1 2:1.0\n")[0].is_binary
    assert parse_rows(b"1 1:1 2:2\n")[0].values.tolist() == [1, 2]


def test_n_features_widens_the_table():
    assert parse_rows(b"1 3:1\n", n_features=9)[0].n_features == 9


@pytest.mark.parametrize(
    "options", [{"n_features": 2}, {"n_features": -1}, {"n_features": 3.5}, {"zero_based": "maybe"}]
)
def test_options_that_cannot_be_met_are_refused(options):
    with pytest.raises(ValueError, match=r"n_features|zero_based"):
        parse_rows(b"1 3:1\n", **options)


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("1 1:1\n1 2:1 2:1\n", 2, 7, "2 occurs twice"),
        ("1 5:1 2:1 5:3 7:1 # c\n", 1, 11, "5 occurs twice"),
        ("1 1:1\n\n# c\nx 1:1\n", 4, 1, "expected a label, got 'x'"),
        ("1 a:1\n", 1, 3, "expected a feature id, got 'a:1'"),
        ("1 1:1 -2:1\n", 1, 7, "must lie between 0 and"),
        ("1 1.5:1\n", 1, 4, "expected ':'"),
        ("1 2147483648:1\n", 1, 3, "must lie between"),
        ("1 99999999999999999999:1\n", 1, 3, "too large"),
        ("1 1\n", 1, 4, "expected ':' and a value after feature id 1, got the end of the line"),
        ("1 1", 1, 4, "got the end of the file"),
        ("1 1:\n", 1, 5, "expected a feature value, got the end of the line"),
        ("1 1:", 1, 5, "got the end of the file"),
        ("1 1: 2:1\n", 1, 5, "expected a feature value"),
        ("1 1:x\n", 1, 5, "expected a feature value, got 'x'"),
        ("1 1:0x10\n", 1, 6, "expected a space after a feature value"),
        ("1 1:1,2:1\n", 1, 6, "expected a space after a feature value"),
        ("1 1:+-1\n", 1, 5, "expected a feature value"),
        *((f"1 1:{value}\n", 1, 5, "") for value in ("nan", "NaN", "inf", "-inf", "infinity", "1e999", "-1e999")),
        *((f"{value} 1:1\n", 1, 1, "label") for value in ("nan", "inf", "1e999", "one")),
        ("1:1 2:1\n", 1, 2, "expected a space after the label"),
        ("1 1:1\n1,2 1:1\n", 2, 2, "expected a space after the label"),
        ("1 1:1\r\n1 1:1 1:1\r\n", 2, 7, "occurs twice"),
        ("1 qid:x 1:1\n", 1, 7, "expected a query id"),
        ("1 qid:1.5 1:1\n", 1, 8, "expected a space after the query id"),
        ("1 qid:9223372036854775808\n", 1, 7, "a query id is too large"),
        ("1 1:1\0 2:1\n", 1, 6, "expected a space"),
        ("\0", 1, 1, "expected a label, got '?'"),
        ("1 1:1\r2 1:1\n", 1, 6, "expected a space"),
        ("é 1:1\n", 1, 1, "expected a label, got '??'"),
    ],
)
def test_bad_text_is_refused_at_its_place(tmp_path, text, line, column, reason):
    path = tmp_path / "bad.svm"
    path.write_bytes(text.encode())
    with pytest.raises(gm.FormatError) as caught:
        gm.read_svmlight(path)
    error = caught.value
    assert reason in error.message
    assert (error.line, error.column) == (line, column)
    assert str(error) == f"{path}:{line}:{column}: {error.message}"


def test_an_id_of_zero_is_refused_where_ids_count_from_one():
    with pytest.raises(gm.FormatError, match="zero_based=True") as caught:
        parse_rows(b"1 1:1\n1 0:1\n", zero_based=False)
    assert (caught.value.line, caught.value.column) == (2, 3)


# --- as scikit-learn reads it -----------------------------------------------------------------------------------------


def scikit_learn_can_write(dicts):
    """It writes 16 digits, so the largest doubles become infinite."""
    return all(abs(value) < 1e308 for row in dicts for value in row.values())


def assert_equal_to_sklearn(ours, theirs):
    (X, y), (Z, z) = ours, theirs
    assert X.shape == Z.shape
    assert abs(X - Z).nnz == 0
    assert y.tolist() == z.tolist()


@pytest.mark.parametrize("zero_based", [True, False])
@given(dicts=row_dicts.filter(any).filter(scikit_learn_can_write))
def test_reads_generated_files_as_scikit_learn_does(tmp_path_factory, zero_based, dicts):
    out = io.BytesIO()
    dump_svmlight_file(matrix_of(dicts), np.arange(len(dicts)), out, zero_based=zero_based)
    path = tmp_path_factory.getbasetemp() / "generated.svm"
    path.write_bytes(out.getvalue())
    options = {"n_features": 41, "zero_based": zero_based}
    assert_equal_to_sklearn(gm.read_svmlight(path, **options), load_svmlight_file(path, **options))


def test_reads_a_corpus_as_scikit_learn_does(corpora):
    path = corpora / "binary" / "a1a.gz"
    assert_equal_to_sklearn(gm.read_svmlight(path), load_svmlight_file(path))


def test_a_byte_order_mark_and_a_last_carriage_return_are_passed_over():
    rows, labels, _, _ = parse_rows(b"\xef\xbb\xbf1 2:1\r\n-1 3:1\r")
    assert (labels.tolist(), rows.ids.tolist()) == ([1, -1], [1, 2])


def test_query_ids_that_are_not_whole_are_refused(tmp_path):
    with pytest.raises(ValueError, match="whole numbers"):
        gm.write_svmlight(tmp_path / "file", [{0}, {1}], [1, 2], query_id=[1.5, 2.5])


def test_qid_may_stand_on_some_lines_and_sid_and_cost_are_passed_over():
    found = parse_rows(b"1 1:1\n1 cost:2.5 qid:7 sid:1 2:1\n-1 3:1\n")
    assert (found.queries.tolist(), found.rows.ids.tolist()) == ([0, 7, 0], [0, 1, 2])


def test_labels_may_be_words():
    found = parse_rows("NN 1:1\nça 2:1\nNN 3:1\n".encode(), words=True)
    assert found.labels.tolist() == ["NN", "ça", "NN"]


def test_data_for_a_machine_with_words_as_classes_have_words_as_labels(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}], [1.0, -1.0], 0.0, classes=["NN", "VB"])
    (tmp_path / "data").write_text("VB 1:1\nNN 2:1\n")
    rows, labels = read_rows_for(machine, tmp_path / "data")
    assert machine.compile().predict(rows).tolist() == labels.tolist() == ["VB", "NN"]
