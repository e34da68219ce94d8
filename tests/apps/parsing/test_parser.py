"""DependencyParser: trees by every algorithm and way of learning, by whatever engine."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps import DependencyParser, Word
from gristmill.apps.parsing.engine import ParserEngine
from gristmill.apps.parsing.model import MALT_NAMES
from gristmill.apps.parsing.pseudo_projective import SCHEMES
from gristmill.apps.parsing.scores import score_conllu
from gristmill.apps.parsing.treebank import read_treebank
from gristmill.scoring.engines import ENGINES
from tests.apps.parsing.small_treebanks import (
    ALGORITHMS,
    EXACT,
    OF_WORDS,
    WAYS,
    crossing,
    head_final,
    plain,
    sentences,
    text_of,
    treebank_of,
    trees,
)
from tests.properties import share

KNOWN, NEW = sentences(30), sentences(40, seed=1)
CROSSING = [*sentences(15), *crossing(8)]


@pytest.fixture(scope="module")
def parser():
    return DependencyParser(**EXACT).fit(KNOWN)


def parsed(parser, treebank):
    return trees(parser.parse(plain(treebank)))


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_was_learned_from_is_parsed_as_it_was(algorithm, beam):
    known = treebank_of(algorithm)
    parser = DependencyParser(algorithm, beam=beam, **EXACT).fit(known)
    assert parsed(parser, known) == trees(known)
    assert parser.n_skipped_ == 0
    assert parser.evaluate(treebank_of(algorithm, 40, seed=1)).las.f1 > 0.85


@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_every_way_of_learning_learns(solver, multiclass):
    parser = DependencyParser(solver=solver, multiclass=multiclass, **EXACT).fit(KNOWN)
    assert parsed(parser, KNOWN) == trees(KNOWN)


@pytest.mark.parametrize("degree", [1, 3])
def test_other_degrees_learn(degree):
    parser = DependencyParser(degree=degree, **EXACT).fit(KNOWN)
    assert parser.machine_["all"].kernel.degree == degree
    assert parser.evaluate(KNOWN).las.f1 > 0.95


def test_a_dynamic_oracle_teaches_more():
    static, dynamic = (DependencyParser("arc-eager", oracle=oracle).fit(KNOWN) for oracle in ("static", "dynamic"))
    assert dynamic.n_rows_ > static.n_rows_
    assert parsed(dynamic, KNOWN) == trees(KNOWN)


@pytest.mark.parametrize("lifting", SCHEMES[2:])
def test_crossing_arcs_are_lifted_and_put_back(lifting):
    parser = DependencyParser(pseudo_projective=lifting, **EXACT).fit(CROSSING)
    assert parser.n_skipped_ == 0
    assert parsed(parser, CROSSING) == trees(CROSSING)
    assert not any(mark in relation for relation in parser.relations_ for mark in "↑↓")


def test_crossing_arcs_are_lifted_for_good_or_skipped():
    lifted, none = (
        DependencyParser(pseudo_projective=lifting, **EXACT).fit(CROSSING) for lifting in ("baseline", "none")
    )
    assert (lifted.n_skipped_, none.n_skipped_) == (0, 8)
    assert parsed(lifted, CROSSING[:15]) == parsed(none, CROSSING[:15]) == trees(CROSSING[:15])
    assert parsed(lifted, CROSSING[15:]) != trees(CROSSING[15:])
    assert parsed(none, KNOWN[:15]) == trees(KNOWN[:15])


def test_relations_may_look_like_lifted_ones():
    known = [[replace(word, deprel=f"{word.deprel}↑") for word in words] for words in KNOWN]
    for algorithm in OF_WORDS:
        assert parsed(DependencyParser(algorithm, **EXACT).fit(known), known) == trees(known)


def test_swap_needs_no_lifting():
    parser = DependencyParser("swap", **EXACT).fit(CROSSING)
    assert parser.n_skipped_ == 0
    assert parsed(parser, CROSSING) == trees(CROSSING)


@pytest.mark.parametrize(
    ("split", "threshold", "machines"),
    [("b0.upos", 1, 7), ("b0.upos", 40, 2), ("b0.upos", 10**9, 1), ("s0.ldep.form", 1, 7), ("b100.form", 1, 1)],
    ids=["each", "common", "all-rare", "far", "never-there"],
)
def test_machines_are_split_by_a_cell(split, threshold, machines):
    parser = DependencyParser(split=split, split_threshold=threshold, **EXACT).fit(KNOWN)
    assert len(parser.machine_) == machines
    assert parsed(parser, KNOWN) == trees(KNOWN)
    unseen = [replace(word, form="?", upos="?") for word in NEW[0]]
    assert len(parser.parse(unseen)) == len(unseen)


def test_units_are_split_by_words_with_a_role():
    known = head_final()
    parser = DependencyParser("head-final", split="s0.last-form", split_threshold=5, **EXACT).fit(known)
    assert len(parser.machine_) > 2
    assert parsed(parser, known) == trees(known)


@pytest.mark.parametrize(("name", "own"), MALT_NAMES.items())
def test_names_of_maltparser_mean_the_same(name, own):
    assert DependencyParser(name).fit(KNOWN).machine_ == DependencyParser(own).fit(KNOWN).machine_


def test_templates_say_what_is_a_feature():
    parser = DependencyParser(templates="{s0,b0}.upos  # two\ns1.form:lower+suffix:2", C=1.0).fit(KNOWN)
    names = {name.partition("=")[0] for name in parser.machine_.feature_names}
    assert names == {"s0.upos", "b0.upos", "s1.form:lower+suffix:2"}


@pytest.mark.parametrize("solver", ["online", "smo"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_second_run_writes_the_same_bytes(tmp_path, algorithm, solver):
    known = treebank_of(algorithm, 20)
    for name, jobs in (("one", 1), ("two", 2)):
        parser = DependencyParser(algorithm, solver=solver, split="b0.upos", split_threshold=9, n_jobs=jobs)
        parser.fit(known).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_actions_are_classes(parser):
    moves = {name.partition(":")[0] for name in parser.machine_["all"].classes.tolist()}
    assert moves == {"SHIFT", "LEFT", "RIGHT"}
    assert parser.relations_ == sorted({word.deprel for words in KNOWN for word in words})


# --- engines and threads ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"beam": 3}, {"multiclass": "ovo"}, {"split": "b0.upos", "split_threshold": 9}]
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_engine_gives_the_same_trees(algorithm, options):
    known, new = treebank_of(algorithm, 20), plain(treebank_of(algorithm, 20, seed=1))
    found = {}
    for engine in ENGINES:
        parser = DependencyParser(algorithm, engine=engine, **options).fit(known)
        found[engine] = parser.parse(new)
        assert engine in ("auto", *{scorer.engine for scorer in parser.engine_.scorers.values()})
    assert all(one == found["direct"] for one in found.values())


@given(jobs=st.integers(1, 4), first=st.integers(0, 40), last=st.integers(0, 40))
@share(0.3)
def test_a_sentence_is_parsed_alike_in_any_company(parser, jobs, first, last):
    alone = [parser.parse(words) for words in plain(NEW[first:last])]
    parser.n_jobs = jobs
    assert parser.parse(plain(NEW[first:last])) == alone


def test_machines_compiled_with_options_give_the_same_trees(parser):
    columns = read_treebank(NEW).columns
    scorers = parser.machine_.compile("split", rare=5)
    engine = ParserEngine(parser.machine_, parser.engine_.model, scorers)
    heads, relations = engine.parse(columns, 1, None)
    expected = parser.parse_columns(columns)
    assert (heads.tolist(), relations.tolist()) == (expected[0].tolist(), expected[1].tolist())


# --- odd sentences ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")
def test_empty_sentences_have_empty_trees(parser):
    assert parser.parse([]) == []
    assert [len(tree) for tree in parser.parse([[], ["mill"], []])] == [0, 1, 0]


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_was_never_seen_gets_a_tree(algorithm):
    parser = DependencyParser(algorithm).fit(treebank_of(algorithm))
    words = ["_", "\x00\x1b", "a b", "\u200b\U0001f600", "x" * 10_000, "\ufffd", "#", "\u2028"]
    for count in range(1, len(words) + 1):
        tree = parser.parse(words[:count])
        read_treebank([tree])  # refuses what is no tree with one root
        assert [word.form for word in tree] == words[:count]
        assert set(tree.relations) <= set(parser.relations_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_words_alone_are_learned_from(algorithm):
    known = [
        [Word(word.form, head=word.head, deprel=word.deprel) for word in words] for words in treebank_of(algorithm)
    ]
    parser = DependencyParser(algorithm, **EXACT).fit(known)
    assert trees(parser.parse([[word.form for word in words] for words in known])) == trees(known)


@pytest.mark.parametrize("algorithm", OF_WORDS)
def test_one_relation_is_enough(algorithm):
    known = [[replace(word, deprel="dep") for word in words] for words in KNOWN]
    parser = DependencyParser(algorithm, **EXACT).fit(known)
    assert parser.relations_ == ["dep"]
    assert parsed(parser, known) == trees(known)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_sentence_of_20000_words_is_parsed(algorithm):
    parser = DependencyParser(algorithm).fit(treebank_of(algorithm))
    words = [word for words in plain(treebank_of(algorithm)) for word in words]
    tree = parser.parse((words * 200)[:20_000])
    read_treebank([tree])
    assert len(tree) == 20_000


@pytest.mark.parametrize("algorithm", OF_WORDS)
@pytest.mark.parametrize("step", [-1, 1])
def test_a_chain_of_10000_words_is_learned_from(algorithm, step):
    count = 10_000
    root = 1 if step < 0 else count
    chain = [Word("w", head=0 if at == root else at + step, deprel="dep") for at in range(1, count + 1)]
    parser = DependencyParser(algorithm, epochs=1).fit([chain, *KNOWN])
    assert len(parser.parse(chain)) == count


# --- scores -----------------------------------------------------------------------------------------------------------


def test_scores_are_those_of_what_is_parsed(parser):
    found = text_of(tree.words for tree in parser.parse(plain(NEW)))
    assert parser.evaluate(NEW) == score_conllu(text_of(NEW), found)
    assert parser.evaluate(KNOWN).las.f1 == 1


def test_nothing_has_no_scores(parser):
    assert parser.evaluate([]).las.gold == parser.evaluate([[], []]).las.gold == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([Word("a")], "sentence 1, counted from 0, word 1: expected a head and a relation, got None and None"),
        ([Word("a", head=0)], "expected a head and a relation, got 0 and None"),
        ([Word("a", head=0, deprel="x"), Word("b", head=0, deprel="x")], "words 1 and 2 are both roots"),
    ],
)
def test_only_trees_are_compared(parser, words, message):
    with pytest.raises(ValueError, match=message):
        parser.evaluate([KNOWN[0], words])


def test_trees_of_a_corpus_are_found(corpora, write):
    path = corpora / "dep" / "en_ewt-ud-dev.conllu.gz"
    if not path.exists():
        pytest.skip(f"no treebank: {path.name} is not among the corpora")
    text = gzip.decompress(path.read_bytes()).decode().split("\n\n")
    known, new = write("\n\n".join(text[:120]), "known"), write("\n\n".join(text[120:160]), "new")
    learned = DependencyParser().fit(known)
    direct = DependencyParser(engine="direct").fit(known)
    assert learned.evaluate(new).las.f1 > 0.6
    assert learned.evaluate(new) == direct.evaluate(new)
