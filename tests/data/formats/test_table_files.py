"""Files of tables: compressed text and Parquet give the same content; other files are refused by what they are."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gristmill as gm
from gristmill.base.errors import FormatError
from gristmill.data.formats.table_files import TableReading, read_table_file

FRAME = pd.DataFrame(
    {
        "age": [34, 47, None, 21, 60],
        "housing": ["own", "rent", None, "own", "a, b"],
        "member": [True, False, True, True, False],
        "joined": pd.to_datetime(["2024-05-01", "2023-01-31", None, "2021-11-11", "2021-11-12"]),
    }
)
TEXT = FRAME.to_csv(index=False).encode()


def codes_of(table):
    encoder = gm.TableEncoder(min_frequency=1).fit(FRAME)
    return encoder.codes(table)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_is_unpacked(tmp_path, pack):
    path = tmp_path / "table"
    path.write_bytes(pack(TEXT))
    table = read_table_file(path)
    assert table.names == tuple(FRAME.columns)
    assert np.array_equal(codes_of(table), codes_of(FRAME))


def test_parquet_has_the_same_content(tmp_path):
    path = tmp_path / "table.parquet"
    cells = {name: [None if pd.isna(cell) else cell for cell in FRAME[name].tolist()] for name in FRAME.columns}
    pl.DataFrame(cells).write_parquet(path)
    table = read_table_file(path)
    assert [table.read(at).kind for at in range(4)] == ["number", "category", "boolean", "date"]
    assert np.array_equal(codes_of(table), codes_of(FRAME))


def test_a_damaged_parquet_file_is_refused(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(FormatError, match=r"table\.parquet: .* cannot read the Parquet file"):
        read_table_file(path)


def test_parquet_needs_a_library(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1")
    for library in ("pyarrow", "pyarrow.parquet", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FormatError, match="Parquet needs pyarrow or polars: pip install pyarrow"):
        read_table_file(path)


def test_what_is_said_of_the_text_holds(tmp_path):
    path = tmp_path / "table"
    path.write_text("a|b,c\n1|-\n2|x\n")
    table = read_table_file(path, TableReading("|", ("-",), {"a": "category"}))
    assert table.names == ("a", "b,c")
    assert table.read(0).kind == "category"
    assert table.read(1).missing().tolist() == [True, False]


REFUSED = {
    "1 1:1 3:1\n-1 2:1\n": "expected a table, got rows in svmlight format",
    "": "1:1: the file is empty",
    "a,b\n1\n": "2:1: the row has 1 cell",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_other_files_are_refused_by_what_they_are(tmp_path, text, message):
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_table_file(path)
    assert message in str(error.value)
    assert error.value.path == str(path)


def test_a_header_without_rows_is_called_so_and_nothing_else(tmp_path):
    path = tmp_path / "table"
    path.write_text("a,b\n")
    with pytest.raises(FormatError) as error:
        read_table_file(path)
    assert str(error.value) == f"{path}: the table has a header and no rows"
