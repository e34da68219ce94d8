"""The text of treebanks: tokens as they are written, their words, paragraphs."""

from __future__ import annotations

import pytest

from gristmill import _core
from gristmill.apps.parsing.surface import SurfaceToken, read_surface, surface_sentences
from gristmill.base.errors import FormatError


def line(number, form, misc="_"):
    return f"{number}\t{form}" + "\t_" * 7 + f"\t{misc}\n"


TEXT = (
    "# newdoc id = a\n# text = Va au bois.\n"
    + line(1, "Va")
    + line("2-3", "au")
    + line(2, "à")
    + line(3, "le")
    + line(4, "bois", "Gloss=wood|SpaceAfter=No")
    + line("4.1", "rien")
    + line(5, ".")
    + "\n"
    + line(1, "Va")
    + "\n# newpar\n"
    + line("1-2", "du", "SpaceAfter=No")
    + line(1, "de")
    + line(2, "le")
)


def test_tokens_words_and_paragraphs():
    first, second, third = surface_sentences([TEXT.encode()])
    assert first.tokens[:2] == [SurfaceToken("Va"), SurfaceToken("au", ("à", "le"))]
    assert first.text == "Va au bois. "
    assert [one.begins_paragraph for one in (first, second, third)] == [True, False, True]
    assert third.text == "du"


def test_a_file_and_what_was_read_of_it_are_the_same(tmp_path):
    (tmp_path / "file").write_text(TEXT)
    assert read_surface(tmp_path / "file") == read_surface(_core.Conllu.parse(TEXT.encode()))


@pytest.mark.parametrize("bad", ["1\tVa\n", line("x", "Va"), line(1, " ")])
def test_lines_that_are_not_conllu_are_refused(bad):
    with pytest.raises(FormatError, match="expected a number, a word and eight more columns") as error:
        list(surface_sentences([("\n" + bad).encode()]))
    assert error.value.line == 2
