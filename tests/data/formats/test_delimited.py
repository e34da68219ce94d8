"""Tables as text: what is written is read, and as pandas reads it; what is no table is refused with its place."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.base.errors import FormatError
from gristmill.data.formats.delimited import MISSING, parse_delimited

SEPARATORS = [",", ";", "\t", "|"]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6) | st.sampled_from(
    ["", "NA", "?", "a", "true", "1", "2.5", "-0", "007", "1e3", "inf", '"', 'x"y', "a\nb", " a", "2024-05-01"]
)
NUMBERS = st.one_of(st.integers(-5, 5), st.integers(-(2**60), 2**60), st.floats(allow_nan=False))


def columns_of(table):
    return [table.read(at) for at in range(len(table.names))]


def words_of(column):
    words = column.words()
    return [None if code < 0 else words.texts[code] for code in words.codes]


def written(rows, separator=",", end="\n", quoting=csv.QUOTE_ALL):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return text.getvalue().encode()


@st.composite
def tables(draw, cells):
    """A first line of names, and rows as long."""
    width = draw(st.integers(1, 4))
    names = [f"x{at}" for at in range(width)]
    return [names, *draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=8))]


# --- cells ------------------------------------------------------------------------------------------------------------


@given(tables(TEXTS), st.sampled_from(SEPARATORS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_is_written_is_read(rows, separator, end, has_mark):
    data = b"\xef\xbb\xbf" * has_mark + written(rows, separator, end)
    kinds = dict.fromkeys(rows[0], "category")
    table = parse_delimited(data, separator=separator, missing=["NA"], kinds=kinds)
    assert list(table.names) == rows[0]
    assert table.n_rows == len(rows) - 1
    for column, *cells in zip(columns_of(table), *rows[1:], strict=True):
        assert words_of(column) == [None if cell == "NA" else cell for cell in cells]


PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters=',;\t|"'), min_size=1)


@given(tables(PLAIN), st.sampled_from(SEPARATORS), st.sampled_from(["", " ", "  "]))
def test_blanks_around_cells_do_not_count_and_the_separator_shows(rows, separator, blanks):
    rows = [[*row, "0"] for row in rows]  # two columns, or there is no separator
    data = "\n".join(separator.join(f"{blanks}{cell}{blanks}" for cell in row) for row in rows).encode()
    table = parse_delimited(data, kinds=dict.fromkeys(rows[0], "category"), missing=())
    assert [words_of(column) for column in columns_of(table)] == [list(cells) for cells in zip(*rows[1:], strict=True)]


def test_empty_lines_do_not_count_and_the_last_line_needs_no_end():
    table = parse_delimited(b"\n\r\na,b\n \n1,x\n\n2,y")
    assert table.n_rows == 2
    assert [words_of(column) for column in columns_of(table)] == [["1", "2"], ["x", "y"]]


def test_a_quote_inside_of_a_plain_cell_is_a_quote():
    (column, _) = columns_of(parse_delimited(b'a,b\n5" pipe,1\n'))
    assert words_of(column) == ['5" pipe']


def test_the_separator_is_what_the_first_line_has_most_of_outside_of_quotes():
    assert parse_delimited(b'"a,b,c";d\n1;2\n').names == ("a,b,c", "d")
    assert parse_delimited(b"a\n1,5\n", separator=";").names == ("a",)


# --- kinds ------------------------------------------------------------------------------------------------------------

KINDS = [
    (["1", "2", ""], "number"),
    (["1.5", "+2", "-inf", "1e400", ".5"], "number"),
    (["?", "NA"], "number"),  # of which all are missing
    (["1_000", "2"], "category"),
    (["0x10"], "category"),
    (["+-1"], "category"),
    (["nan(1)", "x"], "category"),
    (["true", "FALSE", ""], "boolean"),
    (["yes", "no"], "category"),
    (["2024-05-01", "", "1999-12-31"], "date"),
    (["2024-05-01 17:45", "2024-05-01T17:45:10.5+02:00"], "date"),
    (["2024-02-31"], "category"),
    (["01/05/2024"], "category"),
    (["1.2.3", "1.2.4"], "category"),
    (["1,5", "x"], "category"),
]


@pytest.mark.parametrize(("cells", "kind"), KINDS, ids=[" ".join(cells) for cells, _ in KINDS])
def test_a_column_is_what_all_of_its_cells_are(cells, kind):
    (column, _) = columns_of(parse_delimited(written([["a", "b"], *([cell, "x"] for cell in cells)])))
    assert column.kind == kind
    assert column.missing().tolist() == [cell in MISSING for cell in cells]


@pytest.mark.parametrize("cells", [["1,5", "2", ""], ["1,234", "12"], ["1.234,5", "-7,0"], ["1,234,567.8"]])
def test_numbers_with_commas_are_no_numbers_and_that_is_said(cells):
    (column, _) = columns_of(parse_delimited(written([["a", "b"], *([cell, "x"] for cell in cells)])))
    with pytest.warns(
        gm.TableWarning, match=f"column 'a' is read as a category: .* numbers with commas, as '{cells[0]}'"
    ):
        assert column.kind == "category"


def test_numbers_are_those_that_python_reads():
    cells = ["1", "-2.5", "1e-400", "1e400", "-1e400", "0.1", "123456789012345678", "-0"]
    (column, _) = columns_of(parse_delimited(written([["a", "b"], *([cell, "x"] for cell in cells)])))
    assert column.numbers().tolist() == list(map(float, cells))
    assert not np.signbit(column.numbers()[-1])


def test_numbers_and_booleans_as_categories_are_spelled_as_elsewhere():
    table = parse_delimited(b"a,b\n007,true\n7.0,FALSE\n9007199254740993,\n")
    assert [words_of(column) for column in columns_of(table)] == [
        ["7", "7", "9007199254740993"],
        ["True", "False", None],
    ]


def test_a_declared_kind_is_kept_whatever_the_cells_look_like():
    table = parse_delimited(b"a,b\n007,true\n", kinds={"a": "category", "b": "category"})
    assert [words_of(column) for column in columns_of(table)] == [["007"], ["true"]]


FRAMES = st.one_of(
    st.lists(NUMBERS | st.none(), min_size=3, max_size=30),
    st.lists(st.sampled_from(["a", "b", "c d", "x,y", "true"]) | st.none(), min_size=3, max_size=30),
    st.lists(st.booleans(), min_size=3, max_size=30),
)


@given(st.lists(FRAMES, min_size=1, max_size=3))
def test_an_encoder_learns_what_it_learns_from_pandas(columns):
    rows = min(map(len, columns))
    frame = pd.DataFrame({f"x{at}": pd.Series(cells[:rows]) for at, cells in enumerate(columns)} | {"y": range(rows)})
    data = frame.to_csv(index=False).encode()
    ours = parse_delimited(data)
    theirs = pd.read_csv(io.BytesIO(data))
    learned = gm.TableEncoder(bins=4, min_frequency=2).fit(ours)
    assert learned.to_spec() == gm.TableEncoder(bins=4, min_frequency=2).fit(theirs).to_spec()
    assert np.array_equal(learned.codes(ours), learned.codes(theirs))


def test_row_numbers_of_pandas_are_no_column():
    data = pd.DataFrame({"a": [1.5, 2.5]}).to_csv().encode()
    with pytest.warns(gm.TableWarning, match="the first column has no name and is left out"):
        table = parse_delimited(data)
    assert table.names == ("a",)
    assert table.read(0).numbers().tolist() == [1.5, 2.5]


# --- what is no table -------------------------------------------------------------------------------------------------

REFUSED = [
    (b"", "1:1: the file is empty"),
    (b"\n\n", "3:1: the file is empty"),
    (b"a,b\n1,2\n\n3\n", "4:1: the row has 1 cell, the first line names 2 columns"),
    (b"a;b\n1;2;3\n", "2:1: the row has 3 cells"),
    (b'a,b\n1,"x\ny\n', "2:3: the quote that begins here is never closed"),
    (b'a,b\n"x\ny",1\n1,"2" 3\n', "4:7: expected the end of a cell behind the closing quote, got '3'"),
    (b"a,b\n1,M\xfcller\n", "2:4: the text is not UTF-8; convert it"),
    (b"a,a\n1,2\n", "1: 2 columns are called 'a'"),
    (b"a,,c\n1,2,3\n", "1: column 2 of the first line has no name"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_is_no_table_is_refused_with_its_place(data, message):
    with pytest.raises(FormatError) as error:
        parse_delimited(data)
    assert str(error.value).startswith(message)


def test_a_cell_of_another_kind_is_refused_with_its_place():
    table = parse_delimited(b'when,"n\nm"\n2024-05-01,1\nsoon,"a\nb"\n', kinds={"when": "date"}, path="t.csv")
    dates, numbers = columns_of(table)
    with pytest.raises(FormatError, match=r"t\.csv:4:1: column 'when': expected a date .*, got 'soon'"):
        dates.dates()
    with pytest.raises(FormatError, match=r"t\.csv:4:6: column 'n\\nm': expected a number, got 'a\\nb'"):
        numbers.numbers()


@pytest.mark.filterwarnings("ignore:the first column has no name")
@given(st.binary(max_size=60) | st.text('a,;"\n\r 1', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data):
    try:
        table = parse_delimited(data)
    except FormatError:
        return
    for column in columns_of(table):
        assert len(column.words().codes) == len(column.missing()) == table.n_rows


def test_booleans_have_numbers_and_others_are_refused_with_their_place():
    table = parse_delimited(b"x,y\n1,true\n2,?\n3,FALSE\n")
    assert np.array_equal(table.read(1).numbers(), [1.0, np.nan, 0.0], equal_nan=True)
    table = parse_delimited(b"x,y\n1,?\n2,yes\n", kinds={"y": "boolean"}, path="t.csv")
    with pytest.raises(FormatError, match=r"t\.csv:3:3: column 'y': expected a boolean, got 'yes'"):
        table.read(1).numbers()
