"""Data files of KeLP."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import gristmill as gm

TEXT = """NUM |BS:quest| How far ? |ES| |BV:bow| how::w:1.0 far:0.5 |EV| |BT:grct| (root(mod(how::w))(be)) |ET|
LOC\t|BS:quest| (|ES| |BV:bow| far:1 where:2 |EV||BT:grct|(root (mod (where)))|ET|

"""


@pytest.fixture
def file(tmp_path):
    def put(text):
        (tmp_path / "data.klp").write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / "data.klp"

    return put


def test_representations_become_fields(file):
    X, y = gm.read_klp(file(TEXT))
    assert list(X.fields) == ["bow", "grct"]
    assert list(X["grct"]) == ["(root (mod how::w) be)", "(root (mod where))"]
    assert X["bow"].feature_names == ("how::w", "far", "where")
    assert X["bow"].to_csr().toarray().tolist() == [[1, 0.5, 0], [0, 1, 2]]
    assert y.tolist() == ["NUM", "LOC"]


def test_one_representation_alone(file):
    forest, y = gm.read_klp(file(TEXT), representation="grct")
    assert (type(forest), len(forest), y.dtype.kind) == (gm.Forest, 2, "U")
    rows, _ = gm.read_klp(file(TEXT), representation="bow")
    assert rows.feature_names == ("how::w", "far", "where")


def test_columns_like_those_of_another_file(file):
    first, _ = gm.read_klp(file(TEXT))
    second, _ = gm.read_klp(file("NUM |BV:bow| new:1 where:1 |EV| |BT:grct| (root) |ET|"), like=first)
    assert second["bow"].feature_names == ("how::w", "far", "where", "new")
    assert second["bow"].ids.tolist() == [2, 3]
    assert second["bow"].is_binary
    rows, _ = gm.read_klp(file("NUM |BV:bow| new:1 where:1 |EV|"), representation="bow", like=first["bow"])
    assert rows.feature_names == second["bow"].feature_names


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["1", "-1"], ["1", "-1"]),
        (["a b", "c"], [["a", "b"], ["c"]]),
        (["", "c"], [[], ["c"]]),
        (["height:10 a", "b"], [["height:10", "a"], ["b"]]),
    ],
)
def test_labels(file, labels, expected):
    _, y = gm.read_klp(file("".join(f"{label} |BT:t| (a) |ET|\n" for label in labels)))
    assert (y if isinstance(y, list) else y.tolist()) == expected


def test_dense_vectors_and_representations_without_names(file):
    X, _ = gm.read_klp(file("1 |BDV|10 0 -4.5|EDV| |BT| (a) |ET|\n1 |BDV|1, 2;3 |EDV| |BT| (b) |ET|"))
    assert list(X.fields) == ["0", "1"]
    assert X["0"].to_csr().toarray().tolist() == [[10, 0, -4.5], [1, 2, 3]]


def test_a_feature_that_occurs_twice_has_its_last_value(file):
    rows, _ = gm.read_klp(file("1 |BV:v| a:1 b:2 a:3 |EV|"), representation="v")
    assert rows.to_csr().toarray().tolist() == [[3, 2]]


def test_a_backslash_is_a_character_like_others(file):
    forest, _ = gm.read_klp(file("1 |BT:t| (a(\\)(b\\\\)) |ET|"), representation="t")
    assert forest == gm.Forest.from_nested([("a", "\\", "b\\\\")])


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("NUM", (2, 1), r"expected labels and then \|B"),
        ("NUM |BT:t| (a)", (2, 5), r"no \|ET\| ends this representation"),
        ("NUM |BT:t| (a) |EV|", (2, 5), r"no \|ET\| ends"),
        ("NUM |BT:t| (a |ET|", (2, 12), "this bracket is never closed"),
        ("NUM |BT:t| (a\\ (b |ET|", (2, 16), "this bracket is never closed"),
        ("NUM |BT:t| |ET|", (2, 11), "expected a tree, got nothing"),
        ("NUM |BT:t| (a) |ET| more |BT:u| (a) |ET|", (2, 21), r"expected \|B"),
        ("NUM |BT:t| (a) |ET| |BT:t| (a) |ET|", (2, 21), "a second representation 't'"),
        ("NUM |<| |BT:t| (a) |ET| |,| |BT:t| (a) |ET| |>|", (2, 5), "pairs of examples"),
        ("NUM |BT:u| (a) |ET|", (1, 3), "this example has no representation 'u', others do"),
        ("NUM |BV:t| a:1 |EV|", (2, 5), "'t' is of kind T in other examples"),
        ("NUM |BSQ:s| (a) |ESQ| |BT:t| (a) |ET|", (2, 5), "'s' is of kind SQ; trees"),
    ],
)
def test_what_is_malformed_is_refused_with_line_and_column(file, line, place, message):
    with pytest.raises(gm.FormatError, match=message) as caught:
        gm.read_klp(file(f"a |BT:t| (b) |ET|\n{line}\n"))
    assert (caught.value.line, caught.value.column) == place
    assert caught.value.path.endswith("data.klp")


@pytest.mark.parametrize(
    ("vector", "column", "message"),
    [
        ("|BV:v| a |EV|", 10, "expected name:value"),
        ("|BV:v| :1 |EV|", 10, "expected name:value"),
        ("|BV:v| a:1 b:x |EV|", 16, "expected a finite number, got 'x'"),
        ("|BV:v| a:nan |EV|", 12, "expected a finite number"),
        ("|BV:v| a:1_0 |EV|", 12, "expected a finite number"),
        ("|BDV:v| 1 z |EDV|", 13, "expected a finite number, got 'z'"),
    ],
)
def test_malformed_vectors(file, vector, column, message):
    with pytest.raises(gm.FormatError, match=message) as caught:
        gm.read_klp(file(f"1 {vector}"))
    assert (caught.value.line, caught.value.column) == (1, column)


def test_dense_vectors_have_one_length(file):
    with pytest.raises(gm.FormatError, match="2:10: expected 1 numbers as in the first example, got 2"):
        gm.read_klp(file("1 |BDV:v|1|EDV|\n1 |BDV:v|1 2|EDV|"))


def test_what_is_not_there_or_a_text_is_refused(file):
    with pytest.raises(gm.FormatError, match="no representation 'lct'; it has bow, grct, quest"):
        gm.read_klp(file(TEXT), representation="lct")
    with pytest.raises(gm.FormatError, match="1:5: representation 'quest' is a text"):
        gm.read_klp(file(TEXT), representation="quest")
    with pytest.raises(gm.FormatError, match="no representation of trees or vectors; it has s"):
        gm.read_klp(file("1 |BS:s| x |ES|"))
    with pytest.raises(gm.FormatError, match="it has none"):
        gm.read_klp(file(""))


@pytest.mark.parametrize("bad", [b"\xff |BT:t| (a) |ET|", b"1 |BV:v| \xff:1 |EV|", b"1 |BT:\xff| (a) |ET|"])
def test_only_utf_8_is_read(file, bad):
    with pytest.raises(gm.FormatError, match="not UTF-8") as caught:
        gm.read_klp(file(bad))
    assert caught.value.column == bad.index(b"\xff") + 1


@pytest.mark.parametrize(("name", "part"), [("train_5500", "train"), ("TREC_10", "test")])
def test_all_questions_are_read(corpora, name, part):
    X, y = gm.read_klp(corpora / f"qc/kelp/{name}.coarse.klp.gz")
    assert list(X.fields) == ["bow", "grct", "lct", "loct", "cgrct", "clct"]
    assert X["bow"].is_binary
    lines = gzip.decompress((corpora / f"qc/{part}.grct.tk.gz").read_bytes()).decode().splitlines()
    labels, trees = zip(*(line.split("\t") for line in lines), strict=True)
    assert np.array_equal(y, labels)
    stripped = X["grct"].relabelled(_lexical, _structural)
    assert stripped == gm.Forest.from_strings(trees)


def _structural(label):
    return label.rpartition("##")[2]


def _lexical(label):
    kind, _, rest = label.partition("##")
    return rest.rpartition("::")[0] if kind == "LEX" else rest
