"""Segmenter and files: segmented text and CoNLL-U in and out, of any size, and models that last."""

from __future__ import annotations

import gzip

import pytest

import gristmill as gm
from gristmill.apps.segmentation import files
from gristmill.apps.segmentation.engine import SegmenterModel
from gristmill.apps.segmentation.files import is_conllu, join_file, segmented_blocks
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.base.errors import FormatError

SENTENCES = ["また 行き たい 。", "海 を 見 たい 。", "海 が 見え た 。", "また 海 を 見 た 。"]
WORDS = "".join(f"{line}\n" for line in SENTENCES)
TEXT = WORDS.replace(" ", "")


def token(number, word, misc="SpaceAfter=No"):
    return f"{number}\t{word}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


CONLLU = "".join(
    f"# sent_id = {number}\n" + "".join(token(at, word) for at, word in enumerate(line.split(), 1)) + "\n"
    for number, line in enumerate(SENTENCES)
)


@pytest.fixture(scope="module")
def segmenter():
    return Segmenter().fit(SENTENCES)


def words_of(path):
    return b"".join(segmented_blocks(path)).decode()


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [WORDS, CONLLU, CONLLU.replace("\n", "\r\n"), "\ufeff" + WORDS, "\ufeff" + CONLLU])
def test_either_format_is_learned_from(write, segmenter, content):
    assert Segmenter().fit_file(write(content)).machine_ == segmenter.machine_
    assert Segmenter().fit_file(write(gzip.compress(content.encode()))).machine_ == segmenter.machine_


def test_lines_that_end_as_on_windows_are_learned_from(write, segmenter):
    learned = Segmenter().fit_file(write(WORDS.replace("\n", "\r\n")))
    assert learned.words_ == segmenter.words_


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CONLLU, True),
        ("# a comment\n\n" + CONLLU, True),
        (token("1-2", "zum"), True),
        (WORDS, False),
        ("# hash\n# tags\n", False),
        ("", False),
        ("1\ttoo few columns\n", True),
        ("# sent_id = 1\n一 _ _\n", True),
        ("# text = 海\n海\n", True),
        ("#  text  =  海\n", False),
        ("1 \t海\n", False),
    ],
)
def test_the_format_is_seen(content, expected):
    assert is_conllu(content.encode()) is expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (token(1, "a") + token(2, "b", "_") + token(3, "c", "_"), "a b  c\n"),
        (token(1, "a", "Gloss=x|SpaceAfter=No") + token(2, "b"), "a b\n"),
        (token("1-2", "zum", "_") + token(1, "zu", "_") + token(2, "dem", "_") + token(3, "x"), "zum  x\n"),
        (token(1, "a") + token("1.1", "silent") + token(2, "b"), "a b\n"),
        (token(1, "New York", "_") + token(2, "b"), "New  York  b\n"),
        (token(1, "a", "SpacesAfter=\\s\\t") + token(2, "b"), "a  \tb\n"),
        (token(1, "a", "SpacesAfter=\\n") + token(2, "b"), "a  b\n"),
        (token(1, "a", "SpacesAfter=no") + token(2, "b"), "a  b\n"),
        (token(1, "a") + "\n\n\n" + token(1, "b"), "a\nb\n"),
    ],
)
def test_words_of_conllu_are_those_of_its_text(write, content, expected):
    assert words_of(write(content)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CONLLU + "1\tword\n", ":29:1: expected a number, a word and eight more columns of CoNLL-U"),
        (CONLLU + token("x", "word"), ":29:1: expected a number"),
        (CONLLU + token(1, ""), ":29:1: expected a number"),
        (CONLLU.encode() + token(1, "ab").encode().replace(b"b", b"\xff"), ":29:4: the text is not UTF-8"),
        (WORDS.encode() + b"ok \xe3\x81\n", ":5:4: the text is not UTF-8; convert it first"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(write, content, message):
    with pytest.raises(FormatError, match=message):
        Segmenter().fit_file(write(content))


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@pytest.mark.parametrize(
    "text",
    [
        *(TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, "# no comment\n" + TEXT),
        *("", "\n", "海", " \t\n\n海 を\u3000見た \r\n", "\x00\x1b\n"),
    ],
)
def test_files_of_any_size_are_had_again(write, tmp_path, segmenter, monkeypatch, block, text):
    monkeypatch.setattr(files, "BLOCK", block)
    count = segmenter.segment_file(write(text), tmp_path / "words")
    assert count == sum(not character.isspace() for character in text.removeprefix("\ufeff"))
    join_file(tmp_path / "words", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == text.encode()


def test_words_of_a_file_are_those_of_the_text(write, tmp_path, segmenter):
    segmenter.segment_file(write(TEXT), tmp_path / "words")
    assert (tmp_path / "words").read_text(encoding="utf-8") == segmenter.segmented(TEXT) == WORDS


def test_conllu_has_the_words_and_the_text(write, tmp_path, segmenter):
    segmenter.segment_file(write(" 海を 見た \n\n海\tが　見えた。\n"), tmp_path / "words", to="conllu")
    assert (tmp_path / "words").read_text(encoding="utf-8") == (
        "# text = 海を 見た\n"
        + token(1, "海")
        + token(2, "を", "_")
        + token(3, "見")
        + token(4, "た", "_")
        + "\n# text = 海\tが　見えた。\n"
        + token(1, "海", "SpacesAfter=\\t")
        + token(2, "が", "SpacesAfter=　")
        + token(3, "見え")
        + token(4, "た")
        + token(5, "。", "_")
        + "\n"
    )


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
def test_conllu_that_was_written_is_read(write, tmp_path, segmenter, monkeypatch, block):
    monkeypatch.setattr(files, "BLOCK", block)
    segmenter.segment_file(write(TEXT + "海 を\t見た\r\n"), tmp_path / "words", to="conllu")
    assert words_of(tmp_path / "words") == WORDS + "海  を \t見 た\n"


def test_another_format_is_refused(write, tmp_path, segmenter):
    with pytest.raises(ValueError, match="to"):
        segmenter.segment_file(write(TEXT), tmp_path / "words", to="xml")


def test_nothing_is_written_where_text_is_not_utf8(write, tmp_path, segmenter, monkeypatch):
    monkeypatch.setattr(files, "BLOCK", 8)
    with pytest.raises(FormatError, match=r"file:5:4: the text is not UTF-8"):
        segmenter.segment_file(write(TEXT.encode() + b"abc\xff\n"), tmp_path / "words")
    assert not (tmp_path / "words").exists()


def test_progress_of_a_file_is_told(write, tmp_path, segmenter):
    calls = []
    segmenter.progress = lambda done, total: calls.append((done, total))
    try:
        segmenter.segment_file(write(TEXT), tmp_path / "words")
    finally:
        segmenter.progress = None
    assert calls[-1] == (26, 26)


@pytest.mark.parametrize("content", [WORDS, CONLLU])
def test_words_of_a_file_are_scored(write, segmenter, monkeypatch, content):
    monkeypatch.setattr(files, "BLOCK", 40)
    assert segmenter.evaluate_file(write(content)) == segmenter.evaluate(SENTENCES)


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"dictionary": False}, {"templates": "F:0..1:0", "longest_word": 2}])
def test_a_model_is_one_file_that_finds_the_same_words(tmp_path, settings):
    segmenter = Segmenter(**settings).fit(SENTENCES)
    segmenter.save(tmp_path / "model")
    again = Segmenter.load(tmp_path / "model")
    assert again.machine_ == segmenter.machine_
    assert again.words_ == segmenter.words_
    assert again.segmented(TEXT) == segmenter.segmented(TEXT)
    assert (again.dictionary, again.longest_word) == (segmenter.dictionary, segmenter.longest_word)


def test_words_of_the_dictionary_may_have_any_character(tmp_path):
    segmenter = Segmenter().fit(['"\\ \x00\x1f 海', "\x85 \ufeff海 を", "海を \x00"])
    segmenter.save(tmp_path / "model")
    assert Segmenter.load(tmp_path / "model").words_ == segmenter.words_


def test_other_models_are_refused(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {2}], [1.0, -0.5], -1.0, classes=["no", "yes"])
    machine.save(tmp_path / "model")
    with pytest.raises(
        FormatError, match="model: expected a segmenter, got a machine on rows: use `gristmill predict`"
    ):
        Segmenter.load(tmp_path / "model")


def test_a_dictionary_that_is_no_text_is_refused():
    with pytest.raises(ValueError, match="half a surrogate pair"):
        SegmenterModel("F:0:0", "海 \ud800")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"templates": "F:0:0", "dictionary": ["海"]}, "the dictionary must be words in one text"),
        ({"templates": "F:0:0", "longest": 0}, "longest"),
        ({"templates": "T:-1"}, "templates"),
        ({"templates": "F:0:0", "more": 1}, "more"),
        ({"templates": "F:0:0"}, "expected names of features and the classes"),
    ],
)
def test_damaged_models_are_refused(tmp_path, known, message):
    provenance = {"segmenter": known}
    gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=["no", "yes"], provenance=provenance).save(
        tmp_path / "model"
    )
    with pytest.raises(FormatError, match=f"not a sound segmenter: .*{message}"):
        Segmenter.load(tmp_path / "model")
