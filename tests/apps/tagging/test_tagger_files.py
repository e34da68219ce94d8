"""Tagger and files: columns in and out, of any size and encoding, line by line; and models that last."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps import columns
from gristmill.apps.provenance import without_provenance
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError
from gristmill.scoring.engines import ENGINES
from tests.apps.tagging.chunked_sentences import plain, sentences, tags_of, text_of
from tests.oracle import columns as oracle

GOLDEN = Path(__file__).parents[2] / "golden"
KNOWN = sentences(30)
TEXT = text_of(KNOWN)


@pytest.fixture(scope="module")
def tagger():
    return Tagger(C=1.0, epochs=30).fit(KNOWN)


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        *(TEXT, TEXT.replace(" ", "\t"), TEXT.replace(" ", " \t "), TEXT.replace("\n", "\r\n"), TEXT.rstrip()),
        *("\n\n \n" + TEXT.replace("\n\n", "\n\n\n"), "\ufeff" + TEXT, TEXT.replace("\n\n", "\nEOS\n")),
        gzip.compress(TEXT.encode()),
    ],
    ids=["blanks", "tabs", "many-blanks", "crlf", "no-end", "blank-lines", "mark", "EOS", "gzip"],
)
def test_a_file_is_learned_from_as_its_sentences(write, tagger, content):
    assert Tagger(C=1.0, epochs=30).fit_file(write(content)).machine_ == tagger.machine_


def test_cells_between_tabs_may_hold_blanks(write):
    text = "New York\tB-LOC\nis\tO\nLos Angeles\tB-LOC\nwas\tO\n"
    tagger = Tagger("F:0:0", C=1.0).fit_file(write(text), tabs=True)
    assert tagger.tag(["Los Angeles", "is"]) == ["B-LOC", "O"]
    assert "F:+0:0:New York" in tagger.machine_.feature_names


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "euc-jp", "shift-jis"])
def test_files_of_any_encoding_are_read_and_written(write, tmp_path, encoding):
    known = [[(word.encode(encoding, "ignore").decode(encoding) or "?", *rest) for word, *rest in s] for s in KNOWN]
    path, out = write(text_of(known).encode(encoding)), tmp_path / "out"
    tagger = Tagger(C=1.0, epochs=30).fit_file(path, encoding=encoding)
    tagger.save(tmp_path / "model")
    Tagger.load(tmp_path / "model").tag_file(path, out)  # the model knows the encoding
    assert out.read_bytes().decode(encoding) == oracle.with_column(text_of(known), sum_of(tags_of(known)))


def test_an_encoding_that_is_said_is_used(write, tmp_path, tagger):
    path = write("Müller N\n".encode("latin-1"))
    tagger.tag_file(path, tmp_path / "out", encoding="latin-1")
    assert (tmp_path / "out").read_bytes() == "Müller N B-NP\n".encode("latin-1")
    with pytest.raises(FormatError, match=r"file:1:2: .*UTF-8"):
        tagger.tag_file(path, tmp_path / "out")


@pytest.mark.parametrize(("encoding", "message"), [("utf-16", "convert them to UTF-8"), ("klingon", "no encoding")])
def test_encodings_that_cannot_be_are_refused(write, encoding, message):
    with pytest.raises(ValueError, match=message):
        Tagger().fit_file(write(TEXT), encoding=encoding)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "file: there are no tokens"),
        ("\n \n\t\n", "file: there are no tokens"),
        ("a X\n\nb Y\nc\n", r"file:4:2: .*1.*2"),
        ("a X\nb Y Z\n", r"file:2:6: .*3.*2"),
        ("a\nb\n", "file: a token needs a word and, in the last column, its tag; got one column"),
        ("a X\nb X\n", "all decisions are 'X'"),
        (b"a X\nb \xff\n", "file:2:3: .*UTF-8"),
        (b"a X\n\xc3\xa9\xe9 Y\n", "file:2:3: .*UTF-8"),  # two encodings in one file
    ],
)
def test_what_cannot_be_learned_from_is_refused_with_its_place(write, content, message):
    with pytest.raises(FormatError if ":2:" in message or ":4:" in message else ValueError, match=message):
        Tagger("F:0:0").fit_file(write(content))


# --- tagging ----------------------------------------------------------------------------------------------------------

lines = st.one_of(
    st.sampled_from(
        ["", " ", "\t", "EOS", "the D", "\tthe  D", "mill\tN ", "grinds V", "\x00\x1b \x7f", "Müller 石臼"]
    ),
    st.sampled_from(["EOS D", "the\u3000 D", "\x85 \u2028"]),
)


@given(st.lists(st.tuples(lines, st.sampled_from(["\n", "\r\n"])), max_size=12), st.integers(1, 60), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_line_of_a_file_is_kept(tagger, write, monkeypatch, tmp_path, drawn, block, cut):
    text = "".join(line + end for line, end in drawn)
    text = text.rstrip("\r\n") if cut else text
    read, _ = oracle.read(text)
    assume(all(len(token) == 2 for sentence in read for token in sentence))  # else EOS is all there is
    tags = [tag for found in tagger.tag_sentences(read) for tag in found]
    monkeypatch.setattr(columns, "BLOCK", block)
    assert tagger.tag_file(write(text), tmp_path / "out") == len(tags)
    assert (tmp_path / "out").read_bytes().decode() == oracle.with_column(text, tags)


@pytest.mark.parametrize("block", [1, 100, 1000])
def test_blocks_of_a_file_are_the_file(tagger, write, tmp_path, monkeypatch, block):
    path = write(TEXT)
    assert tagger.tag_file(path, tmp_path / "whole") == sum(map(len, KNOWN))
    monkeypatch.setattr(columns, "BLOCK", block)
    assert sum(1 for _ in tagger.tag_blocks(path)) > 1
    tagger.tag_file(path, tmp_path / "blocks")
    assert (tmp_path / "blocks").read_bytes() == (tmp_path / "whole").read_bytes()


def test_what_is_written_has_the_tags(tagger, write, tmp_path):
    tagger.tag_file(write(text_of(plain(KNOWN))), tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TEXT + "the\n", ":.*: .*1.*3"),
        ("the\nmill\n", "file: tokens have 1 column; the tagger looks at 2"),
        (TEXT.encode() + b"\xff D O\n", "the text is not UTF-8|UTF-8"),
    ],
)
def test_nothing_is_written_where_something_is_wrong(tagger, write, tmp_path, monkeypatch, content, message):
    monkeypatch.setattr(columns, "BLOCK", 50)
    with pytest.raises(FormatError, match=message):
        tagger.tag_file(write(content), tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"multiclass": "ovo", "direction": "backward"},
        {"solver": "smo", "tag_scheme": "BIOES"},
        {"templates": "F:0:0.."},
    ],
)
def test_a_model_is_one_file_that_gives_the_same_tags(tmp_path, options):
    tagger, new = Tagger(**options).fit(KNOWN), plain(sentences(20, seed=1))
    tagger.save(tmp_path / "model")
    again = Tagger.load(tmp_path / "model")
    assert (again.machine_, again.engine_.model) == (tagger.machine_, tagger.engine_.model)
    assert (again.templates, again.direction, again.tags_) == (tagger.templates, tagger.direction, tagger.tags_)
    assert again.tag_sentences(new) == tagger.tag_sentences(new)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_golden_file_of_version_1_still_gives_the_same_tags(engine):
    expected = json.loads((GOLDEN / "tagger-v1.json").read_text())
    tagger = Tagger.load(GOLDEN / "tagger-v1.safetensors", engine=engine)
    assert tagger.tag_sentences(expected["sentences"]) == expected["tags"]


def test_a_model_is_a_machine(tagger, tmp_path):
    tagger.save(tmp_path / "model")
    machine = gm.load(tmp_path / "model")
    assert isinstance(machine, gm.Machine)
    assert without_provenance(machine, "params") == tagger.machine_
    assert machine.provenance["tagger"]["templates"] == tagger.templates


def test_other_models_are_refused(tmp_path):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {2}], [1.0, -0.5], -1.0, classes=["no", "yes"])
    machine.save(tmp_path / "one")
    gm.Machines({"one": machine, "two": machine}).save(tmp_path / "many")
    with pytest.raises(FormatError, match="one: expected a tagger, got a machine on rows: use `gristmill predict`"):
        Tagger.load(tmp_path / "one")
    with pytest.raises(FormatError, match="many: expected a tagger, got 2 machines: use `gristmill predict --machine"):
        Tagger.load(tmp_path / "many")


SOUND = {"templates": "F:0:0", "direction": "forward", "columns": 1}


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (SOUND | {"direction": "up"}, "direction"),
        (SOUND | {"columns": 0}, "columns"),
        (SOUND | {"columns": "1"}, "columns"),
        (SOUND | {"scheme": "IOB"}, "scheme"),
        (SOUND | {"templates": "F:0:1"}, "no column 1"),
        (SOUND | {"templates": 3}, "templates"),
        (SOUND | {"encoding": "utf-16"}, "UTF-8"),
        (SOUND | {"encoding": 3}, "encoding"),
        (SOUND | {"more": 1}, "more"),
        ({"templates": "F:0:0"}, "direction"),
        (SOUND, "names of features, and tags"),
    ],
)
def test_damaged_models_are_refused(tmp_path, known, message):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, ["no", "yes"], provenance={"tagger": known})
    machine.save(tmp_path / "model")
    with pytest.raises(FormatError, match=f"model: not a sound tagger: .*{message}"):
        Tagger.load(tmp_path / "model")


def sum_of(several):
    return [tag for tags in several for tag in tags]
