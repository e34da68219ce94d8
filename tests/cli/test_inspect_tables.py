"""gristmill inspect of files that hold a table, or should."""

from __future__ import annotations

import json

import polars as pl
import pytest

from gristmill.cli import run
from gristmill.data.formats.kinds import TABLE, kind_of


@pytest.fixture
def inspected(tmp_path, capsys):
    """The exit code and what is said of a file of this content."""

    def inspect(name, content, *options):
        (tmp_path / name).write_bytes(content)
        code = run(["inspect", str(tmp_path / name), *options])
        said = capsys.readouterr()
        return code, said.out + said.err

    return inspect


@pytest.mark.parametrize("content", [b"age,home,risk\n", b"age,home,risk"])
def test_a_header_alone_says_nothing_of_columns_but_their_names(inspected, content):
    code, said = inspected("t", content)
    assert code == 0
    assert "0, there is a header alone" in said
    assert all(name in said for name in ("age", "home", "risk"))
    assert "number" not in said
    code, said = inspected("t", content, "--json")
    names = [{"name": name} for name in ("age", "home", "risk")]
    assert json.loads(said) == {"format": "table", "rows": 0, "columns": names}


def test_parquet_may_have_no_rows_either(inspected, tmp_path):
    pl.DataFrame({"age": [1]})[:0].write_parquet(tmp_path / "made")
    code, said = inspected("t", (tmp_path / "made").read_bytes())
    assert code == 0
    assert "0, there is a header alone" in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv:1:1: the file is empty"),
        (b"a,b,y\n1,2,x\n2,3\n", "t.csv:3:1: the row has 2 cells, the first line names 3 columns"),
        (b'a,b,y\n1,"2,x\n2,3,y\n', "t.csv:2:3: the quote that begins here is never closed"),
        (b"a,a\n1,2\n", "t.csv:1: 2 columns are called 'a'"),
        (b"\xff\xfea\x00,\x00b\x00", "t.csv:1:1: the text is not UTF-8"),
    ],
)
def test_a_file_of_this_name_is_a_table_with_a_mistake(inspected, content, message):
    code, said = inspected("t.csv", content)
    assert code == 1
    assert message in said


def test_a_file_of_this_name_may_have_one_column(inspected):
    code, said = inspected("t.csv", b"age\n7\n8\n", "--json")
    assert code == 0
    assert json.loads(said)["columns"][0]["kind"] == "number"


def test_rows_stay_rows_whatever_they_are_called(inspected):
    code, said = inspected("t.csv", b"+1 1:1 2:1\n-1 1:1\n", "--json")
    assert code == 0
    assert json.loads(said)["format"] != "table"


def test_a_column_that_cannot_be_read_is_refused_with_the_file(inspected, tmp_path):
    pl.DataFrame({"age": [1], "l": [[1]]}).write_parquet(tmp_path / "made")
    code, said = inspected("t.parquet", (tmp_path / "made").read_bytes())
    assert code == 1
    assert "t.parquet: column 'l' holds List(Int64)" in said


def test_a_damaged_parquet_file_is_no_other_kind_of_file(inspected):
    code, said = inspected("t.parquet", b"PAR1garbage")
    assert code == 1
    assert "cannot read the Parquet file" in said
    assert "looks like" not in said
    assert str(kind_of(b"PAR1garbage")).startswith("a table in Parquet: gristmill train takes it")
    assert kind_of(b"PAR1garbage").kind == TABLE
