"""What parsing writes: no enhanced dependencies of another tree, and the text of sentences that came as text."""

from __future__ import annotations

import io
import sys

import pytest

from gristmill.apps import DependencyParser
from gristmill.apps.parsing import treebank
from gristmill.cli import run
from tests.apps.treebank_files import english

ENHANCED = """\
# sent_id = one
# text = the cat sees
1\tthe\tthe\tDET\tDT\t_\t2\tdet\t2:det\t_
2-3\tcatsees\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t3:nsubj|3.1:nsubj\tSpaceAfter=No
3\tsees\tsees\tVERB\tVBZ\t_\t0\troot\t0:root\t_
3.1\tsees\tsees\tVERB\tVBZ\t_\t_\t_\t3:conj\tCopyOf=3
3.2\tdog\tdog\tNOUN\tNN\t_\t_\t_\t3.1:obj\t_

# 8.1\tis a comment
0.1\tit\tit\tPRON\tPRP\t_\t_\t_\t1:nsubj\t_
1\tsees\tsees\tVERB\tVBZ\t_\t0\troot\t0:root\t_

"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parser")
    (folder / "known").write_text("".join("\n".join([*lines, "", ""]) for lines in english(30, 0)))
    DependencyParser("arc-standard", templates="{s0,s1,b0}.form", epochs=3).fit(folder / "known").save(folder / "model")
    return folder / "model"


def words_of(text):
    return [line.split("\t") for line in text.splitlines() if "\t" in line and not line.startswith("#")]


def sentences_of(text):
    """Comments by name, and the words, of each sentence."""
    found = []
    for block in text.strip("\n").split("\n\n"):
        comments = dict(line[2:].split(" = ", 1) for line in block.split("\n") if line.startswith("# "))
        found.append((comments, words_of(block)))
    return found


def detokenised(words):
    """The text of words, as CoNLL-U says it."""
    return "".join(cells[1] + " " * ("SpaceAfter=No" not in cells[9]) for cells in words).rstrip(" ")


# --- enhanced dependencies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_enhanced_dependencies_are_dropped_of_words_and_of_empty_nodes(model, tmp_path, capfdbinary, ends):
    text = ENHANCED.replace("\n", ends)
    (tmp_path / "file").write_bytes(text.encode())
    assert run(["parse", "run", str(model), str(tmp_path / "file")]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert [cells[8] for cells in words_of(out)] == ["_"] * 5
    assert [cells[0] for cells in words_of(out)] == ["1", "2-3", "2", "3", "1"]
    kept = [line for line in text.split(ends) if not line.startswith(("0.", "3."))]
    assert [line.split("\t")[:6] for line in out.split(ends)] == [line.split("\t")[:6] for line in kept]


def test_files_of_python_are_the_same(model, tmp_path, capfdbinary):
    (tmp_path / "file").write_text(ENHANCED)
    assert DependencyParser.load(model).parse_file(tmp_path / "file", tmp_path / "out") == 4
    assert run(["parse", "run", str(model), str(tmp_path / "file")]) == 0
    assert (tmp_path / "out").read_bytes() == capfdbinary.readouterr().out


def test_an_empty_node_at_the_end_of_a_file_is_dropped_too(model, tmp_path):
    (tmp_path / "file").write_text(ENHANCED.rstrip("\n") + "\n1.1\tdog\tdog\tNOUN\tNN\t_\t_\t_\t1:obj\t_")
    DependencyParser.load(model).parse_file(tmp_path / "file", tmp_path / "out")
    assert (tmp_path / "out").read_text().endswith("1\tsees\tsees\tVERB\tVBZ\t_\t0\troot\t_\t_\n")


def test_scores_are_not_touched_by_empty_nodes(model, tmp_path):
    bare = "".join(line for line in ENHANCED.splitlines(keepends=True) if not line.startswith(("0.", "3.")))
    parser = DependencyParser.load(model)
    for name, text in (("with", ENHANCED), ("without", bare)):
        (tmp_path / name).write_text(text)
    assert parser.evaluate(tmp_path / "with") == parser.evaluate(tmp_path / "without")


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [10, 1 << 18])
def test_text_has_its_text_and_a_number(model, tmp_path, capfdbinary, monkeypatch, block):
    monkeypatch.setattr(treebank, "TEXT_BLOCK", block)
    lines = ["the cat sees dog", "", "  the   old\tcat sees", "# dog = old", "石臼\u3000を 見"]
    (tmp_path / "text").write_text("\n".join(lines) + "\n")
    assert run(["parse", "run", str(model), str(tmp_path / "text"), "--text"]) == 0
    found = sentences_of(capfdbinary.readouterr().out.decode())
    expected = [" ".join(line.split()) for line in lines if line.strip()]
    assert [comments["text"] for comments, _ in found] == expected
    assert [comments["sent_id"] for comments, _ in found] == ["1", "2", "3", "4"]
    assert [detokenised(words) for _, words in found] == expected


def test_text_of_standard_input_is_drawn_without_its_comments(model, capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat sees dog\n")))
    assert run(["parse", "run", str(model), "-", "--text", "--pretty"]) == 0
    assert "# text" not in capfd.readouterr().out


def test_the_text_is_what_segment_reads_again(model, tmp_path, capfdbinary):
    """CoNLL-U that parse writes is a file of words."""
    (tmp_path / "text").write_text("the cat sees dog\n")
    assert run(["parse", "run", str(model), str(tmp_path / "text"), "--text", "-o", str(tmp_path / "parsed")]) == 0
    assert run(["segment", "join", str(tmp_path / "parsed")]) == 0
    assert capfdbinary.readouterr().out == b"the cat sees dog\n"


def test_help_says_what_becomes_of_enhanced_dependencies(capsys):
    assert run(["parse", "run", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Enhanced dependencies (the column DEPS, and empty nodes such as 8.1)" in said
    assert "dropped" in said
