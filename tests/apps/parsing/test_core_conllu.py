"""CoNLL-U: what is read is what stands there, what is written again is the same but for what is filled in."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.parsing import treebank
from tests.apps.parsing.core_parse_tasks import any_trees, flat, line, numbers, star

cell_texts = st.sampled_from(["_", "a", "A|B=c", "b c", "#", "1", "-", "漢字", "é", "\u00a0", "=", '"'])
RELATIONS = ["nsubj", "obj", "root", "nsubj:pass"]


@dataclass
class Text:
    """Lines with their ends; of words the ten cells too."""

    lines: list = field(default_factory=list)  # (cells or text, end)
    sentences: list = field(default_factory=list)  # of words' cells

    def spelled(self, edit=lambda number, cells: cells):
        """The whole text; edit changes the cells of words."""
        out, number = [], 0
        for content, end in self.lines:
            if isinstance(content, list):
                content = "\t".join(edit(number, content))
                number += 1
            out.append(content + end)
        return "".join(out).encode()

    @property
    def words(self):
        return [word for sentence in self.sentences for word in sentence]


@st.composite
def texts(draw):
    """Comments, ranges, empty nodes, any line ends, empty lines of all sorts, perhaps no last line end."""
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    text = Text()

    def add(content):
        text.lines.append((content, draw(st.sampled_from(ends))))

    for heads in draw(st.lists(any_trees(5).filter(bool), max_size=3)):
        for comment in draw(st.lists(st.sampled_from(["# text = a", "#", "# 1\tx"]), max_size=2)):
            add(comment)
        text.sentences.append(draw(_sentence(heads, add)))
        for blank in draw(st.lists(st.sampled_from(["", "", " ", "\t"]), min_size=1, max_size=2)):
            add(blank)
    if text.lines and draw(st.booleans()):
        text.lines[-1] = (text.lines[-1][0], "")
    while text.lines and draw(st.booleans()) and not isinstance(text.lines[-1][0], list):
        text.lines.pop()
    return text


@st.composite
def _sentence(draw, heads, add):
    words, covered = [], 0
    more = "\t_" * 8
    for number, head in enumerate(heads, 1):
        if number == 1 and draw(st.booleans()):
            add(f"0.1\tnode{more}")
        if covered < number < len(heads) and draw(st.integers(0, 3)) == 0:
            covered = draw(st.integers(number, len(heads)))
            add(f"{number}-{covered}\trange{more}")
        cells = [str(number), draw(cell_texts), *(draw(cell_texts) for _ in range(4)), str(head + 1)]
        cells += [draw(st.sampled_from(RELATIONS)), draw(cell_texts), draw(cell_texts)]
        words.append(cells)
        add(cells)
        if draw(st.integers(0, 4)) == 0:
            add(f"{number}.1\tnode{more}")
    return words


def relation_names(parsed):
    book = _core.Strings([])
    return [book.words()[number] for number in parsed.relations(book).tolist()]


@given(texts())
def test_what_is_read_is_what_stands_there(text):
    parsed = _core.Conllu.parse(text.spelled())
    assert np.diff(parsed.columns.starts()).tolist() == [len(words) for words in text.sentences]
    for column in range(5):
        expected = [word[column + 1] for word in text.words]
        if column > 0:
            expected = ["" if cell == "_" else cell for cell in expected]
        assert parsed.columns.column(column) == expected
    assert parsed.heads().tolist() == [int(word[6]) - 1 for word in text.words]
    assert relation_names(parsed) == [word[7] for word in text.words]
    assert parsed.lines == sum(bool(content or end) for content, end in text.lines)


@given(texts())
def test_it_is_written_again_byte_for_byte(text):
    assert _core.Conllu.parse(text.spelled()).filled() == text.spelled()


@given(texts(), st.data())
def test_only_what_is_filled_in_changes(text, data):
    words = len(text.words)
    heads = flat(data.draw(any_trees(len(sentence), len(sentence))) for sentence in text.sentences)
    given = numbers([data.draw(st.integers(0, 1)) for _ in range(words)])
    parsed = _core.Conllu.parse(text.spelled())
    found = parsed.filled(numbers(heads), (given, ["é", "b"]), upos=(given, ["X", "Y"]))

    def edit(number, cells):
        own = int(given[number])
        return [*cells[:3], "XY"[own], *cells[4:6], str(heads[number] + 1), "éb"[own], "_", cells[9]]

    assert found == (text.spelled(edit) if words else text.spelled())
    again = _core.Conllu.parse(found)
    assert again.heads().tolist() == heads
    assert parsed.filled(xpos=(given, ["X", "Y"])) == text.spelled(
        lambda number, cells: [*cells[:4], "XY"[int(given[number])], *cells[5:]]
    )


@given(texts(), st.integers(1, 60))
def test_blocks_are_the_whole_text(text, size):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "text.conllu"
        path.write_bytes(text.spelled())
        patch.setattr(treebank, "BLOCK", size)
        blocks = list(treebank.conllu_blocks(path))
    assert b"".join(block.filled() for block in blocks) == text.spelled()
    starts = [length for block in blocks for length in np.diff(block.columns.starts()).tolist()]
    assert starts == [len(words) for words in text.sentences]


# --- what is wrong ----------------------------------------------------------------------------------------------------


def word_line(number, head=0, deprel="root", form="w"):
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\t{deprel}\t_\t_\n"


TWO = word_line(1) + word_line(2, 1, "obj")


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("x\n", 1, 1, "expected ten columns separated by tabs, got 1"),
        ("# a\n" + TWO + "3 w _ _ _ _ 0 root _ _\n", 4, 1, "got 1"),
        (word_line(1)[:-3] + "\n", 1, 1, "got 9"),
        (word_line(1)[:-1] + "\t_\n", 1, 1, "got 11"),
        ("a" + word_line(1), 1, 1, "expected the number of a word, got 'a1'"),
        (word_line("-1"), 1, 1, "expected the number of a word, got '-1'"),
        (word_line("1-"), 1, 1, "got '1-'"),
        (word_line(""), 1, 1, "got ''"),
        (word_line("1-2-3"), 1, 1, "got '1-2-3'"),
        (word_line("99999999999999999999"), 1, 1, "expected the number"),
        (word_line(2), 1, 1, "expected word 1, got '2'"),
        (word_line(0), 1, 1, "expected word 1, got '0'"),
        (TWO + word_line(2), 3, 1, "expected word 3, got '2'"),
        (TWO + "\n" + word_line(3), 4, 1, "expected word 1, got '3'"),
        (word_line("2.1"), 1, 1, "expected an empty node behind word 0, got '2.1'"),
        (TWO + word_line("1.1"), 3, 1, "expected an empty node behind word 2"),
        (word_line("2-3"), 1, 1, "expected word 1"),
        (word_line("1-3") + word_line(1) + word_line("2-3"), 3, 1, "range of words that begins behind the last"),
        (word_line("1-0"), 1, 1, "range"),
        (word_line("1-3") + TWO + "\n" + TWO, 4, 1, "word 3 of a range is missing"),
        (word_line("1-2") + word_line(1), 3, 1, "word 2 of a range is missing"),
        (word_line(1, form=""), 1, 3, "the form is empty"),
        (b"# \xff\n", 1, 3, "UTF-8"),
        (TWO.encode() + b"3\t\xc3\t_\t_\t_\t_\t0\troot\t_\t_\n", 3, 3, "UTF-8"),
    ],
)
def test_text_that_is_not_conllu(text, line, column, what):
    with pytest.raises(gm.FormatError) as error:
        _core.Conllu.parse(text if isinstance(text, bytes) else text.encode())
    assert (error.value.line, error.value.column) == (line, column)
    assert what in error.value.message
    with pytest.raises(gm.FormatError) as error:
        _core.Conllu.parse(text if isinstance(text, bytes) else text.encode(), 100)
    assert error.value.line == line + 99


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        (word_line(1, "_"), 1, 13, "expected the number of the word's head, or 0 for the root, got '_'"),
        (word_line(1, "-1"), 1, 13, "got '-1'"),
        (word_line(1, ""), 1, 13, "got ''"),
        (word_line(1, "9999999999"), 1, 13, "got '9999999999'"),
        (word_line(1, form="漢字"), None, None, None),
        (word_line(1, "x", form="漢字"), 1, 18, "got 'x'"),
        (word_line(1, 0, "_"), 1, 15, "expected the word's relation, got '_'"),
        (word_line(1, 0, ""), 1, 15, "expected the word's relation, got ''"),
        ("# a\n" + TWO + "\n" + word_line(1, 2), 5, 1, "the head 2 is no word of a sentence of 1"),
        (word_line(1, 1), 1, 1, "word 1 is its own head"),
        (word_line(1) + word_line(2), 2, 1, "words 1 and 2 are both roots"),
        (word_line(1) + word_line("1.1") + word_line(2, 3) + word_line(3, 2), 3, 1, "word 2 depends on itself"),
        (word_line(1, 2) + word_line(2, 1), 1, 1, "word 1 depends on itself"),
    ],
)
def test_text_that_has_no_trees(text, line, column, what):
    """It is CoNLL-U all the same: its words can be parsed."""
    parsed = _core.Conllu.parse(text.encode())
    assert parsed.filled() == text.encode()
    if what is None:
        return
    with pytest.raises(gm.FormatError) as error:
        parsed.heads()
    assert (error.value.line, error.value.column) == (line, column)
    assert what in error.value.message


@given(st.binary(max_size=60) | st.text("1-.2\t\n\r#_ a", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(text):
    try:
        parsed = _core.Conllu.parse(text)
    except gm.FormatError:
        return
    assert parsed.filled() == text


@pytest.mark.parametrize("text", [b"", b"\n", b"\r\n\r\n", b"# only\n# this", b"  \n\t\n"])
def test_no_words(text):
    parsed = _core.Conllu.parse(text)
    assert (len(parsed.columns), parsed.columns.tokens, parsed.heads().tolist()) == (0, 0, [])
    assert parsed.filled(numbers([]), (numbers([]), [])) == text


@pytest.mark.parametrize(
    "filled",
    [
        {"heads": numbers([0])},
        {"relations": (numbers([0, 0]), ["x"])},
        {"heads": numbers([0]), "relations": (numbers([0]), ["x"])},
        {"heads": numbers([0, 0]), "relations": (numbers([0, 1]), ["x"])},
        {"heads": numbers([0, 0]), "relations": (numbers([0, -1]), ["x"])},
        {"upos": (numbers([0]), ["x"])},
        {"upos": (numbers([0, 7]), ["x"])},
        {"xpos": (numbers([0, 0]), [])},
    ],
)
def test_what_does_not_fit_is_not_filled_in(filled):
    with pytest.raises(ValueError, match=r"fit|neither"):
        _core.Conllu.parse(TWO.encode()).filled(**filled)


@pytest.mark.parametrize("heads", [line(10_000), line(10_000, forward=False), star(10_000), star(10_000, 5_000)])
def test_long_sentences(heads):
    text = "".join(word_line(number, head + 1, "x") for number, head in enumerate(heads, 1)).encode()
    parsed = _core.Conllu.parse(text)
    assert parsed.heads().tolist() == heads
    assert parsed.filled(numbers(heads), (numbers([0] * len(heads)), ["x"])) == text
    cycle = text.replace(b"\t0\tx", b"\t10000\tx")
    with pytest.raises(gm.FormatError, match=r"itself|own head"):
        _core.Conllu.parse(cycle).heads()
