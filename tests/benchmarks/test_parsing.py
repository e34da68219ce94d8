"""The benchmarks of the parser, on a few made-up sentences."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import analyser_tables, measure, parsing, parsing_engines, parsing_libsvm, parsing_peers
from benchmarks.parsing import BARE, EWT, FOUND, GIVEN, GSD
from benchmarks.parsing_engines import Case
from tests.apps.treebank_files import put_treebanks

pytestmark = pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")  # words have few columns here

# learns nothing, and hangs every word on the one before it
FAKE = """
import sys
from pathlib import Path

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if given["-m"] == "parse":
    lines = Path(given["-i"]).read_text(encoding="utf-8").splitlines()
    assert all(len(line.split("\\t")) == 6 for line in lines if line)
    found = (f"{line}\\t{int(line.split()[0]) - 1}\\tdep\\t_\\t_" if line else "" for line in lines)
    Path(given["-o"]).write_text("".join(f"{line}\\n" for line in found), encoding="utf-8")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    parsing._blocks.cache_clear()
    put_treebanks(tmp_path, train=40, test=8)
    yield tmp_path
    parsing._blocks.cache_clear()


def result(folder, name):
    return json.loads((folder / "data" / f"{name}.json").read_text())


def test_parsers_are_measured(folder):
    parsing.main(sizes=[10, 20], part=20, workers=1)
    found = result(folder, "parsing")
    names = ["arc-standard", "arc-eager", "arc-eager, dynamic oracle"]
    for treebank, last in ((EWT, "arc-standard"), (GSD, "head-final")):
        rows = [row for row in found["rows"] if row[0] == treebank]
        assert set(names) <= {row[1] for row in rows if row[2] == GIVEN}
        assert [row[1:3] for row in rows[-2:]] == [[last, BARE], [last, FOUND]]
    tags, degrees, splits, curve = found["more"]
    assert [row[:3] for row in tags["rows"]] == [[EWT, "100.00", "100.00"], [GSD, "100.00", "100.00"]]
    assert [row[:2] for row in degrees["rows"]] == [["20", 1], ["20", 2], ["20", 3], ["all", 1], ["all", 2]]
    assert [row[0] for row in splits["rows"]] == ["one machine", "s0.upos"]
    assert curve["columns"] == ["", "10", "20", "40"]


def test_a_bare_sentence_has_no_lemmas_and_no_features(folder):
    (sentence,) = parsing.text_of(GSD, "test", 1, is_bare=True)
    (whole,) = parsing.text_of(GSD, "test", 1)
    assert sentence.startswith("# text = ")
    bare, cells = ([line.split("\t") for line in text.splitlines() if "\t" in line] for text in (sentence, whole))
    assert bare == [[*line[:2], "_", *line[3:5], "_", *line[6:]] for line in cells]


@pytest.mark.slow  # starts programs again and again
def test_parsers_are_learned_in_processes_of_their_own(folder):
    job = parsing.Job(EWT, "arc-standard")
    apart, here = (parsing.outcomes([job], None, workers)[job] for workers in (2, 1))
    assert apart.tested[GIVEN, 1].scores == here.tested[GIVEN, 1].scores
    assert apart.support == here.support


@pytest.mark.slow  # starts programs again and again
def test_engines_are_measured(folder):
    parsing_engines.main([Case(GSD, {"algorithm": "head-final"})], parsing_engines.Sizes(4, None, 4, 30), rounds=1)
    found = result(folder, "parsing_engines")
    assert [row[:2] for row in found["rows"]] == [["GSD, head-final", engine] for engine in parsing_engines.ENGINES]
    (libsvm,) = found["more"]
    assert [row[1] for row in libsvm["rows"]] == ["LIBSVM", "direct", *parsing_engines.FAST] * 2


@pytest.mark.parametrize("options", [{}, {"split": "b0.upos", "split_threshold": 20}], ids=["one", "split"])
def test_libsvm_decides_as_the_engines_do(folder, options):
    found = parsing_libsvm.replaced(EWT, options, 30, 5, ["direct", "split"], 1)
    assert (found.machines > 1) == bool(options)
    assert found.sentences == 5
    assert found.decisions >= 5 * 5
    assert found.over_libsvm("direct") == found.libsvm / found.engines["direct"].median


@pytest.mark.parametrize("wrong", [lambda values: -values, lambda values: values[::-1]], ids=["signs", "order"])
def test_other_decisions_than_libsvm_s_are_found(folder, monkeypatch, wrong):
    own = parsing_libsvm._by_libsvm
    monkeypatch.setattr(parsing_libsvm, "_by_libsvm", lambda *asked: (wrong(own(*asked)[0]), 1.0))
    with pytest.raises(AssertionError):
        parsing_libsvm.replaced(EWT, {}, 30, 5, ["direct"], 1)


def test_engines_that_write_other_trees_are_found(folder, tmp_path):
    parser = parsing.DependencyParser(n_jobs=1).fit(folder / "dep/en_ewt-ud-train.conllu.gz")
    for text in ("sample", "whole"):
        parsing.write(tmp_path / text, parsing.text_of(EWT, "test"))
    (tmp_path / "sample.other").write_text("another tree")
    with pytest.raises(AssertionError):
        parsing_engines.timed(dict.fromkeys(parsing_engines.ENGINES, parser), tmp_path, rounds=1)


def test_links_between_units_are_measured_as_in_the_paper(folder, monkeypatch):
    monkeypatch.setattr(analyser_tables, "ANALYSERS", {"JDP": analyser_tables.ANALYSERS["JDP"]})
    analyser_tables.main(rounds=1)
    found = result(folder, "analyser_tables")
    assert [row[:2] for row in found["rows"]] == [
        ["JDP", engine] for engine in ("direct", "inverted", *["expanded"] * 5)
    ]
    pruned, machines = found["more"]
    assert [row[:3] for row in pruned["rows"]] == [["JDP", "0.0005", xi] for xi in (1, 2, 3)]
    assert [row[0] for row in machines["rows"]] == ["JDP", "JDP, paper"]


# --- MaltParser -------------------------------------------------------------------------------------------------------


def test_without_maltparser_there_is_nothing_to_compare(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(measure.Missing, match="maltparser or malt"):
        parsing_peers.main()


@pytest.mark.slow  # starts programs again and again
def test_maltparser_is_compared(folder, monkeypatch):
    program = folder / "malt"
    program.write_text(f"#!{sys.executable}\n{FAKE}", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(measure, "_git", lambda *_: "")  # not on that path
    parsing_peers.main(times=1)
    rows = result(folder, "parsing_peers")["rows"]
    assert [row[0] for row in rows] == [
        *("MaltParser, LIBSVM", "MaltParser, LIBLINEAR"),
        *("gristmill", "gristmill, with the features of LIBSVM"),
    ]
    assert {row[2] for row in rows[:2]} == {"**0.00**"}
    assert all(row[1:4] == ["**100.00**", "**100.00**", "0"] for row in rows[2:])


def test_relations_count_up_to_the_colon_and_every_sentence_has_one_root(tmp_path):
    gold = [[["1", "a", *["_"] * 4, "2", "nmod:of"], ["2", "b", *["_"] * 4, "0", "root"]]]
    found = [[["1", "a", *["_"] * 4, "2", "nmod"], ["2", "b", *["_"] * 4, "1", "root"]]]
    assert parsing_peers.right(gold, found) == (0.5, 0.5)
    assert [parsing_peers._lacks_root(sentence) for sentence in (*gold, *found)] == [False, True]
    parsing_peers.write(tmp_path / "text", gold)
    assert parsing_peers.read(tmp_path / "text") == [[[*token, "_", "_"] for token in gold[0]]]
