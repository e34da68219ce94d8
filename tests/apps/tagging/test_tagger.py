"""Tagger: tags by every way of learning, in any spelling, by whatever engine."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.columns import columns_of, read_columns
from gristmill.apps.tagging.chunks import SCHEMES, Chunk
from gristmill.apps.tagging.engine import TaggerEngine
from gristmill.apps.tagging.scores import score_chunks
from gristmill.apps.tagging.tagger import Tagger
from gristmill.apps.templates import parse_templates
from gristmill.machines.schemes import Scheme
from gristmill.scoring.engines import ENGINES
from tests.apps.tagging.chunked_sentences import plain, sentences, spelled, tags_of
from tests.apps.tagging.tagging_tasks import Task
from tests.oracle import templates as oracle
from tests.properties import share

KNOWN, NEW = sentences(40), sentences(60, seed=1)
WAYS = [
    *(("online", "native"), ("online", "ovr"), ("online", "ovo")),
    *(("dual-cd", "ovr"), ("dual-cd", "ovo"), ("smo", "ovr"), ("smo", "ovo")),
]
EXACT = {"C": 1.0, "epochs": 30}  # with so little to learn from, all of it can be learned


@pytest.fixture(scope="module")
def tagger():
    return Tagger(**EXACT).fit(KNOWN)


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_what_was_learned_from_is_tagged_as_it_was(solver, multiclass, direction):
    tagger = Tagger(solver=solver, multiclass=multiclass, direction=direction, **EXACT).fit(KNOWN)
    assert tagger.tag(plain(KNOWN)) == tags_of(KNOWN)
    assert tagger.machine_.scheme is Scheme.parse({"native": "ovr"}.get(multiclass, multiclass))


def test_new_sentences_are_tagged(tagger):
    assert tagger.evaluate(NEW).total.f1 > 0.95


@pytest.mark.parametrize("inside", ["keep", *SCHEMES])
@pytest.mark.parametrize("given_scheme", SCHEMES)
def test_tags_come_out_as_they_were_spelled(given_scheme, inside):
    given = spelled(KNOWN, given_scheme)
    tagger = Tagger(tag_scheme=inside, **EXACT).fit(given)
    assert tagger.tag(plain(given)) == tags_of(given)
    assert {tag for tags in tagger.tag(plain(NEW)) for tag in tags} <= set(tagger.tags_)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_machine_learns_the_spelling_it_is_told(scheme):
    machine = Tagger(tag_scheme=scheme).fit(KNOWN).machine_
    assert machine.classes.tolist() == sorted({tag for tags in tags_of(spelled(KNOWN, scheme)) for tag in tags})


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_tags_are_those_of_the_definition(multiclass, direction):
    learned = Tagger(multiclass=multiclass, direction=direction, C=0.05).fit(KNOWN)
    templates, text = parse_templates(learned.templates, 2), plain(NEW[:8])
    task = Task(2, templates, text, learned.machine_, direction == "backward")
    assert [tag for tags in learned.tag(text) for tag in tags] == task.greedy(learned.engine_.scorer)


@pytest.mark.parametrize("backward", [False, True])
def test_features_are_those_of_the_definition(backward):
    learned = Tagger(direction="backward" if backward else "forward").fit(KNOWN)
    templates = parse_templates(learned.templates, 2)
    rows = [
        oracle.features(templates, text, tags, backward)
        for text, tags in zip(plain(KNOWN), tags_of(KNOWN), strict=True)
    ]
    found = set().union(*(row for sentence in rows for row in sentence))
    assert learned.n_features_ == len(found)
    assert set(learned.machine_.feature_names) <= found


@pytest.mark.parametrize("first", range(0, 40, 13))
def test_tags_are_numbered_by_their_names(first):
    rotated = [*KNOWN[first:], *KNOWN[:first]]
    assert Tagger().fit(rotated).tags_ == sorted({tag for tags in tags_of(KNOWN) for tag in tags})


@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_a_second_run_writes_the_same_bytes(tmp_path, solver, multiclass):
    for name, jobs in (("one", 1), ("two", 2)):
        Tagger(solver=solver, multiclass=multiclass, n_jobs=jobs).fit(KNOWN).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_templates_of_crfpp_are_learned_from():
    text = "# words\nU00:%x[-1,0]/%x[0,0]\nU01:%x[0,1]\nU02:%x[1,1]\nB\n"
    tagger = Tagger(text, **EXACT).fit(KNOWN)
    assert tagger.tag(plain(KNOWN)) == tags_of(KNOWN)
    assert any(name.startswith("B/") for name in tagger.machine_.feature_names)


# --- engines and threads ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_tags(engine, multiclass):
    direct = Tagger(multiclass=multiclass, engine="direct").fit(KNOWN)
    other = Tagger(multiclass=multiclass, engine=engine).fit(KNOWN)
    assert other.machine_ == direct.machine_
    assert other.tag(plain(NEW)) == direct.tag(plain(NEW))
    assert engine in ("auto", other.engine_.scorer.engine)


@given(jobs=st.integers(1, 4), first=st.integers(0, 60), last=st.integers(0, 60))
@share(0.3)
def test_a_sentence_is_tagged_alike_in_any_company(tagger, jobs, first, last):
    alone = [tagger.tag(text) for text in plain(NEW[first:last])]
    tagger.n_jobs = jobs
    assert tagger.tag(plain(NEW[first:last])) == alone


def test_a_machine_compiled_with_options_gives_the_same_tags(tagger):
    scorer = tagger.machine_.compile("split", rare=5)
    engine = TaggerEngine(tagger.machine_, tagger.engine_.model, scorer)
    numbers = engine.numbers(columns_of(plain(NEW)), 1, None)
    assert [engine.tags[number] for number in numbers] == [*chain(*tagger.tag(plain(NEW)))]


# --- odd sentences ----------------------------------------------------------------------------------------------------


def test_empty_sentences_have_no_tags(tagger):
    one = ("the", "D")
    assert tagger.tag([]) == []
    assert tagger.tag([]) == []
    assert tagger.tag([[], [one], [], []]) == [[], ["B-NP"], [], []]


def test_empty_sentences_teach_nothing(tagger):
    assert Tagger(**EXACT).fit([[], *KNOWN[:9], [], *KNOWN[9:], []]).machine_ == tagger.machine_


def test_what_was_never_seen_gets_some_tag(tagger):
    words = ["", "\x00\x1b", "a b\tc\n", "\u200b\U0001f600", "x" * 10_000, "\ufffd"]
    assert set(tagger.tag([(word, "?") for word in words])) <= set(tagger.tags_)


def test_columns_too_many_do_not_matter(tagger):
    more = [[(*token, "unheard of") for token in text] for text in plain(NEW)]
    assert tagger.tag(more) == tagger.tag(plain(NEW))


def test_words_alone_are_learned_from():
    only = [[(word, tag) for word, _, tag in sentence] for sentence in KNOWN]
    tagger = Tagger(**EXACT).fit(only)
    assert tagger.tag([word for word, _ in only[0]]) == tags_of(only)[0]


def test_a_sentence_of_100000_tokens_is_tagged(tagger):
    text = plain(KNOWN)[0]
    times = 100_000 // len(text)
    found = tagger.tag(text * times)
    assert len(found) == times * len(text)
    assert found[-4 * len(text) : -len(text)] == found[len(text) : 2 * len(text)] * 3


# --- chunks and scores ------------------------------------------------------------------------------------------------


def test_chunks_are_those_of_the_tags(tagger):
    text = [("the", "D"), ("old", "A"), ("mill", "N"), ("grinds", "V"), ("grain", "N"), (".", ".")]
    assert tagger.chunks(text) == [Chunk(0, 2, "NP"), Chunk(3, 3, "VP"), Chunk(4, 4, "NP")]


def test_scores_compare_tags(tagger):
    given = [[(*token[:-1], "O") for token in KNOWN[0]], [], *NEW]
    assert tagger.evaluate(given) == score_chunks(tags_of(given), tagger.tag(plain(given)))


def test_tags_that_were_never_learned_are_errors(tagger):
    scores = tagger.evaluate([[("the", "D", "B-LST")]])
    assert [(score.type, score.gold, score.predicted) for score in scores.types] == [("LST", 1, 0), ("NP", 0, 1)]


def test_chunks_of_a_corpus_are_found(corpora):
    known, new = first(corpora / "chunking/train.txt.gz", 400), first(corpora / "chunking/test.txt.gz", 200)
    learned, direct = Tagger().fit(known), Tagger(engine="direct").fit(known)
    assert learned.evaluate(new).total.f1 > 0.88
    assert direct.tag(plain(new)) == learned.tag(plain(new))


def first(path, count):
    """The first sentences of a file."""
    columns = read_columns(path)
    tokens = list(zip(*map(columns.column, range(columns.columns)), strict=True))
    return [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist()[: count + 1])]


# --- why --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_tokens_are_explained_by_what_the_machine_saw_of_them(direction, multiclass):
    tagger = Tagger(direction=direction, multiclass=multiclass).fit(KNOWN)
    scorer, unsure = tagger.machine_.compile(), 0
    for sentence in plain(NEW):
        explained, found = tagger.explain(sentence), tagger.tag(sentence)
        rows = tagger.engine_.rows(columns_of([sentence]))
        assert scorer.predict(rows).tolist() == found
        assert [row.output_names[row.predicted] for row in explained] == found
        assert [step.label for step in explained] == list(explained.tags) == found
        assert np.array([step.score for step in explained]) == pytest.approx(scorer.decision_function(rows))
        unsure += any(name.startswith("T:") for row in explained for name in row.names)
    assert unsure  # features of tags take part


def test_a_tagger_that_has_learned_nothing_explains_nothing():
    with pytest.raises(Exception, match="fit"):
        Tagger().explain(["a"])


# --- candidates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_candidates_are_ranked_by_score_and_begin_with_the_tag(solver, multiclass):
    tagger = Tagger(solver=solver, multiclass=multiclass).fit(KNOWN)
    sentences = plain(NEW)
    found = tagger.candidates(sentences, n=3)
    assert [[token[0][0] for token in one] for one in found] == tagger.tag(sentences)
    for token in (token for one in found for token in one):
        assert len({tag for tag, _ in token}) == min(3, len(tagger.tags_))
        assert [score for _, score in token] == sorted((score for _, score in token), reverse=True)
    assert tagger.candidates(sentences[0], n=1) == [token[:1] for token in found[0]]
    every = tagger.candidates(sentences[0], n=1000)
    assert {tag for tag, _ in every[0]} == set(tagger.tags_)


def test_scores_of_candidates_are_those_of_the_machine():
    tagger = Tagger().fit(KNOWN)
    (sentence, *_) = plain(NEW)
    scores = tagger.scorer_.decision_function(tagger.engine_.rows(columns_of([sentence])))
    for token, own in zip(tagger.candidates(sentence, n=1000), scores.tolist(), strict=True):
        assert dict(token) == dict(zip(tagger.machine_.classes.tolist(), own, strict=True))


def test_there_must_be_a_candidate():
    with pytest.raises(ValueError, match="n must be a whole number from 1 on, got 0"):
        Tagger().fit(KNOWN).candidates(plain(NEW)[0], n=0)
