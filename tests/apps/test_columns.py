"""Files of columns are read by the book, whole or in blocks, and written again with a column more."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps import columns as column_files
from gristmill.apps.columns import column_blocks, columns_of, read_columns
from tests.oracle import columns as oracle

WORDS = ["O", "B-é", "I X"]
odd_texts = st.text(st.sampled_from("ab \t\r\n\n\0é漢"), max_size=25)
cells = st.text(st.sampled_from("abE,é漢\0\x0b\u2028"), min_size=1, max_size=3) | st.just("EOS")


@st.composite
def even_texts(draw):
    """Lines that mostly have as many cells."""
    columns = draw(st.integers(1, 3))
    has_tabs = draw(st.booleans())
    blank = st.just("\t") if has_tabs else st.sampled_from([" ", "\t", "  ", " \t"])
    some = cells | st.just("") if has_tabs else cells
    end = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\nEOS\n", "\n \t\r\n"])
    made = ""
    for _ in range(draw(st.integers(0, 8))):
        own = draw(st.lists(some, min_size=columns, max_size=columns + (draw(st.integers(0, 9)) == 0)))
        made += "".join(cell + draw(blank) for cell in own[:-1]) + own[-1] + draw(end)
    return made + draw(st.sampled_from(["", "\n", "EOS", "  ", "x" + " y" * (columns - 1)]))


texts = odd_texts | even_texts()


def listed(columns):
    """Sentences of tuples."""
    tokens = list(zip(*[columns.column(c) for c in range(columns.columns)], strict=True))
    return [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]


def numbered(columns):
    return np.arange(columns.tokens, dtype=np.int32) % len(WORDS)


def outcome(read):
    """What was read, or where it failed."""
    try:
        return read()
    except gm.FormatError as error:
        return error.line, error.column
    except oracle.UnevenError as error:
        return error.args


# --- parsing ----------------------------------------------------------------------------------------------------------


@given(texts, st.booleans())
@example("a b\n\n\n \t\nEOS\nc d", True)
@example("EOS\na\nEOS\n", False)
@example("EOS\na b\nEOS\nc d", False)
@example("EOS\t\nEOS\n", True)
def test_sentences_are_those_of_the_definition(text, tabs):
    found = outcome(lambda: listed(_core.Columns.parse(text.encode(), tabs=tabs)))
    assert found == outcome(lambda: oracle.read(text, tabs)[0])


@given(texts, st.booleans(), st.booleans())
def test_a_column_more_or_another_last_one_is_written_as_the_definition_says(text, tabs, replace):
    def written():
        columns = _core.Columns.parse(text.encode(), tabs=tabs)
        return columns.with_column(numbered(columns), WORDS, replace).decode()

    words = [WORDS[number % len(WORDS)] for number in range(len(text))]
    assert outcome(written) == outcome(lambda: oracle.with_column(text, words, tabs, replace))


@given(texts, st.booleans())
def test_what_is_written_holds_the_sentences_and_the_column(text, tabs):
    columns = outcome(lambda: _core.Columns.parse(text.encode(), tabs=tabs))
    if isinstance(columns, _core.Columns) and columns.tokens:
        again = _core.Columns.parse(columns.with_column(numbered(columns), ["O", "B", "I"]), tabs=tabs)
        tags = iter("OBI"[number] for number in numbered(columns))
        assert listed(again) == [[(*token, next(tags)) for token in s] for s in listed(columns)]


def test_nothing_is_no_sentence():
    for text in (b"", b"\n", b"\n\n \t\n\r\n", b" "):
        columns = _core.Columns.parse(text)
        assert (len(columns), columns.tokens, columns.columns, columns.starts().tolist()) == (0, 0, 0, [0])
    assert _core.Columns.parse(b"").with_column(np.empty(0, dtype=np.int32), []) == b""


def test_control_characters_are_characters_like_others():
    text = b"a\0b \x01\n\x7f \x1b[0m\n\x0b \x0c\n"
    columns = _core.Columns.parse(text)
    assert listed(columns) == [[("a\0b", "\x01"), ("\x7f", "\x1b[0m"), ("\x0b", "\x0c")]]
    assert columns.with_column(np.zeros(3, dtype=np.int32), ["O"]) == b"a\0b \x01 O\n\x7f \x1b[0m O\n\x0b \x0c O\n"


def test_with_tabs_cells_may_hold_blanks_or_nothing():
    columns = _core.Columns.parse(b"New York\t\tX\r\n\tb c \t\n\n", tabs=True)
    assert listed(columns) == [[("New York", "", "X"), ("", "b c ", "")]]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        (b"a b\n\nc\n", 3, 2, "1 column, expected 2 as the first line has"),
        (b"a\nb c d \n", 2, 6, "3 columns, expected 1"),
        ("é é\né\n".encode(), 2, 3, "1 column, expected 2"),
        (b"a\nbc\xff\n", 2, 3, "not UTF-8"),
        (b"\xe6\xbc", 1, 1, "not UTF-8"),
        (b"a b\nc \xed\xa0\x80\n", 2, 3, "not UTF-8"),
        ("é".encode() + b" \xc0\x80", 1, 4, "not UTF-8"),
        (b"a\n\xf4\x90\x80\x80\n", 2, 1, "not UTF-8"),
        ("a é\n".encode() + "b é\n".encode("latin-1"), 2, 3, "not UTF-8"),
    ],
)
def test_an_error_says_where(text, line, column, said):
    with pytest.raises(gm.FormatError, match=said) as error:
        _core.Columns.parse(text)
    assert (error.value.line, error.value.column) == (line, column)


def test_lines_and_columns_may_be_counted_from_elsewhere():
    with pytest.raises(gm.FormatError, match="2 columns, expected 3") as error:
        _core.Columns.parse(b"\na b\n", 11, 3)
    assert error.value.line == 12


def test_a_column_more_needs_a_word_for_each_token():
    columns = _core.Columns.parse(b"a\nb\n")
    for numbers in ([0], [0, 1], [0, -1], [0, 0, 0]):
        with pytest.raises(ValueError, match="number"):
            columns.with_column(np.array(numbers, dtype=np.int32), ["O"])


def test_columns_are_numbered_as_their_words_arrive():
    columns, words = _core.Columns.parse(b"a x\nb x\na y\n"), _core.Strings(["b"])
    assert columns.numbers(0, words).tolist() == [1, 0, 1]
    assert columns.numbers(1, words).tolist() == [2, 2, 3]
    assert words.words() == ["b", "a", "x", "y"]
    for refused in (lambda: columns.column(2), lambda: columns.numbers(2, words)):
        with pytest.raises(ValueError, match="no such column"):
            refused()


# --- sentences of Python ----------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.tuples(st.text(), st.text())), max_size=5))
def test_sentences_of_python_stay_as_they_are(text):
    assert listed(columns_of(text, 2)) == text


@pytest.mark.parametrize("token", [("a",), ("a", "b", "c"), "a", ("a", 1), ("a", None), ()])
def test_a_token_unlike_the_first_one_is_named(token):
    with pytest.raises(ValueError, match="sentence 1, token 2, counted from 0: expected 2 strings"):
        columns_of([[("x", "y")], [("x", "y"), ("x", "y"), token]])


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(ValueError, match="surrogate"):
        columns_of([["a", "\ud800"]])


# --- blocks -----------------------------------------------------------------------------------------------------------


@given(texts, st.booleans())
@example("a\tb\nEOS\t\nc\td\n", True)
def test_complete_sentences_end_with_the_last_line_that_is_no_token(text, tabs):
    several, ends, end = oracle.has_several(text, tabs), [0], 0
    for line in oracle.lines(text):
        end += len(line.encode())
        if line.endswith("\n") and (oracle.is_blank(line) or (several and oracle.content(line, tabs) == "EOS")):
            ends.append(end)
    assert _core.complete_sentences(text.encode(), tabs) == ends[-1]


def in_blocks(path, size, **options):
    """Sentences, and what is written again, block by block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_files, "BLOCK", size)
        blocks = list(column_blocks(path, **options))
    text = b"".join(block.with_column(np.zeros(block.tokens, dtype=np.int32), ["O"]) for block in blocks)
    return [sentence for block in blocks for sentence in listed(block)], text.decode()


@given(texts, st.integers(1, 30), st.booleans(), st.booleans())
def test_blocks_cut_anywhere_give_what_the_whole_gives(tmp_path_factory, text, size, tabs, marked):
    assume(not re.match(r"\s*EOS", text))  # what that is, only the next line can say
    path = tmp_path_factory.mktemp("columns") / "file"
    path.write_bytes(text.encode("utf-8-sig" if marked else "utf-8"))

    def whole():
        columns = read_columns(path, tabs=tabs)
        return listed(columns), columns.with_column(np.zeros(columns.tokens, dtype=np.int32), ["O"]).decode()

    assert outcome(lambda: in_blocks(path, size, tabs=tabs)) == outcome(whole)


@pytest.mark.parametrize("encoding", ["utf-8", "UTF_8", "utf-8-sig", "euc-jp", "shift_jis", "iso-2022-jp"])
@pytest.mark.parametrize("size", [1, 7, 1 << 22])
def test_files_in_other_encodings(tmp_path, encoding, size):
    text = "東京 名詞\nへ 助詞\n\n" * 3 + "行く 動詞"
    (tmp_path / "file").write_bytes(text.encode(encoding))
    sentences, written = in_blocks(tmp_path / "file", size, encoding=encoding)
    assert sentences == listed(read_columns(tmp_path / "file", encoding=encoding)) == oracle.read(text)[0]
    assert written == oracle.with_column(text, ["O"] * 7)


@pytest.mark.parametrize("read", [read_columns, lambda path, **how: in_blocks(path, 1, **how)], ids=["whole", "blocks"])
def test_text_that_is_not_in_its_encoding_is_refused_with_its_place(tmp_path, read):
    path = tmp_path / "file"
    path.write_bytes("あ い\n\nう え\n".encode("euc-jp") + b"a \x8f\n")
    with pytest.raises(gm.FormatError, match="not euc-jp") as error:
        read(path, encoding="euc-jp")
    assert (error.value.path, error.value.line, error.value.column) == (str(path), 4, 3)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("klingon", "no encoding 'klingon'"), ("utf-16", "convert them to UTF-8"), ("utf-32-be", "convert them to UTF-8")],
)
def test_encodings_that_nobody_knows_or_that_have_other_lines_are_refused(tmp_path, encoding, said):
    (tmp_path / "file").write_bytes(b"a b\n")
    with pytest.raises(ValueError, match=said):
        read_columns(tmp_path / "file", encoding=encoding)
    with pytest.raises(ValueError, match=said):
        list(column_blocks(tmp_path / "file", encoding=encoding))


def test_files_may_be_packed(tmp_path):
    (tmp_path / "file.gz").write_bytes(gzip.compress(b"a b\n\nc d\n"))
    assert in_blocks(tmp_path / "file.gz", 3)[0] == [[("a", "b")], [("c", "d")]]


def test_a_sentence_may_be_longer_than_a_block(tmp_path):
    text = "\n".join(f"word{i} X{i % 7}" for i in range(100_000)) + "\n\nlast one\n"
    (tmp_path / "file").write_text(text)
    sentences, written = in_blocks(tmp_path / "file", 100_000)
    assert [len(sentence) for sentence in sentences] == [100_000, 1]
    assert written == "\n".join(f"word{i} X{i % 7} O" for i in range(100_000)) + "\n\nlast one O\n"
