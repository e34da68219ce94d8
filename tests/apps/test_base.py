"""What all apps share: one example or many, NotFittedError, scores, explanations, files, pickle, interrupted fits."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError as NotFittedInSklearn

import gristmill as gm
from gristmill.apps import (
    DependencyParser,
    DependencyTree,
    Lemmatizer,
    RoleLabeller,
    Segmenter,
    Splitter,
    Tagger,
    Tokenizer,
    TreeClassifier,
    Word,
)
from gristmill.apps.base import RUNTIME, is_one, without_params
from gristmill.apps.segmentation.engine import SegmenterEngine
from gristmill.apps.tagging.engine import TaggerEngine
from gristmill.base.errors import NotFittedError
from gristmill.machines.formats import MODEL_FORMATS, read_model
from tests.apps.parsing.small_treebanks import plain, sentences
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES

SAID = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
TEXTS = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
QUESTIONS = ["(Q (W who) (V sang))", "(Q (W who) (V ran))", "(Q (W where) (V was) (N it))", "(Q (W where) (V ran))"]
KINDS = ["person", "person", "place", "place"]
TREEBANK = sentences(12)
MARKED = ["(S (NP (N mice)) (VP (V*1 fear) (NP (N cats)) (ADVP so)))", "(S (NP (N men)) (VP (V*1 see) (NP (N mice))))"]
NOTHING = 1e9  # a sigma that leaves no conjunction


@dataclass(frozen=True)
class Case:
    app: Any
    own_name: str  # of predict
    known: tuple[Any, ...]  # what it learns from
    one: Any
    many: Any


RAW = ["It is he. Is it he?", "It is not. Is he it?"]
SENTENCES = [
    [text.split() for text in ("It is he .", "Is it he ?")],
    [["It", "is", "not", "."], ["Is", "he", "it", "?"]],
]
SPLIT = [["au", "bois"], ["le", "mur"]]
WORDS = [[["à", "le"], ["bois"]], [["le"], ["mur"]]]
LEMMAS = [[Word("cats", "cat"), Word("runs", "run"), Word("The", "the")]]

CASES = {
    "tagger": Case(Tagger, "tag", (SAID,), ["the", "dog", "eats"], [["the", "dog", "eats"], ["a", "cat"]]),
    "segmenter": Case(Segmenter, "segment", (TEXTS,), "海を見たい", ["海を見たい", "また行きたい"]),
    "tokenizer": Case(Tokenizer, "tokenize", (RAW, SENTENCES), "It is he. It is.", ["It is he. It is.", "Is it?"]),
    "splitter": Case(Splitter, "split", (SPLIT, WORDS), ["au", "mur"], [["au", "mur"], ["le", "bois"]]),
    "lemmatizer": Case(Lemmatizer, "lemmatize", (LEMMAS,), ["dogs", "run"], [["dogs", "run"], ["cat"]]),
    "parser": Case(DependencyParser, "parse", (TREEBANK,), plain(TREEBANK)[0], plain(TREEBANK)[:3]),
    "roles": Case(RoleLabeller, "label", (TREES, PROPOSITIONS), MARKED[0], MARKED),
    "trees": Case(TreeClassifier, "predict", (QUESTIONS, KINDS), QUESTIONS[0], QUESTIONS),
}


def values(found):
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def app(case):
    return case.app().fit(*case.known)


# --- one or many ------------------------------------------------------------------------------------------------------


def test_one_example_gives_the_answer_that_it_has_among_many(case, app):
    predict = getattr(app, case.own_name)
    many = values(predict(case.many))
    assert values(app.predict(case.many)) == many
    one = predict(case.one)
    assert (one if case.own_name == "label" else [one]) == many[:1]  # a sentence may have several predicates


@pytest.mark.parametrize("token", ["cat", ("cat", "N"), Word("cat"), {"form": "cat"}])
def test_a_list_that_starts_with_a_token_is_one_sentence(token):
    assert is_one([token], tokens=True)
    assert not is_one([[token]], tokens=True)
    assert not is_one([token], tokens=False)


def test_tokens_may_come_one_by_one():
    tagger = Tagger().fit(SAID)
    assert tagger.tag(iter(["the", "dog"])) == tagger.tag(["the", "dog"])
    assert len(tagger.explain(iter([["the", "dog"], ["a"]]))) == 2


@pytest.mark.parametrize("tokens", [True, False])
def test_a_text_and_a_tree_are_one_and_an_empty_list_is_many(tokens):
    assert is_one("cat", tokens)
    assert is_one(DependencyTree((Word("cat"),)), tokens)
    assert not is_one([], tokens)


# --- before fit -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["machine_", "scorer_", "engine_"])
def test_what_was_learned_is_missing_before_fit(case, name):
    assert not hasattr(case.app(), name)
    with pytest.raises(NotFittedError, match=f"this {case.app.__name__} is not fitted: call fit, or load"):
        getattr(case.app(), name)


@pytest.mark.parametrize("method", ["predict", "explain", "evaluate", "score", "save", "write"])
def test_every_method_says_that_fit_is_missing(case, method, tmp_path):
    new = case.app()
    calls = {
        **{"predict": lambda: new.predict(case.many), "explain": lambda: new.explain(case.one)},
        **{"evaluate": lambda: new.evaluate(*case.known), "score": lambda: new.score(*case.known)},
        "save": lambda: new.save(tmp_path / "model"),
        "write": lambda: gm.write(new, tmp_path / "model", format="gristmill"),
    }
    with pytest.raises(NotFittedInSklearn):
        calls[method]()
    assert not (tmp_path / "model").exists()


def test_other_attributes_are_plainly_missing(case, app):
    with pytest.raises(AttributeError, match="object has no attribute 'wisdom_'") as caught:
        app.wisdom_  # noqa: B018
    assert not isinstance(caught.value, NotFittedError)


# --- scores and explanations ------------------------------------------------------------------------------------------


def test_score_is_one_number_of_all_scores(case, app):
    score = app.score(*case.known)
    assert type(score) is float
    assert 0.5 < score <= 1.0
    assert score == app.evaluate(*case.known).main


def test_tags_of_chunks_are_scored_by_chunks_and_others_by_tokens():
    chunks = [[("the", "B-NP"), ("mill", "I-NP"), ("turns", "O")], [("a", "B-NP"), ("dog", "I-NP"), ("naps", "O")]]
    found = Tagger().fit(chunks).evaluate([[("the", "B-NP"), ("mill", "B-NP"), ("turns", "O")]])
    assert found.main == found.total.f1 != found.accuracy
    raw = Tagger().fit(SAID).evaluate([[("the", "D"), ("dog", "X")]])
    assert raw.main == raw.accuracy == 0.5


def test_tags_may_stand_beside_the_sentences():
    words = [[word for word, _ in sentence] for sentence in SAID]
    tags = [[tag for _, tag in sentence] for sentence in SAID]
    assert Tagger().fit(words, tags).machine_ == Tagger().fit(SAID).machine_
    assert Tagger().fit(SAID).score(words, tags) == 1.0


def test_gm_explain_asks_the_app_about_examples(case, app):
    for X in (case.one, case.many):
        assert str(gm.explain(app, X)) == str(app.explain(X)) or len(gm.explain(app, X)) == len(app.explain(X))
    assert str(app.explain(case.many)[0]) == str(app.explain(case.one)) or case.own_name == "label"


@pytest.mark.parametrize("name", ["tagger", "segmenter"])
def test_gm_explain_of_an_app_alone_is_about_its_machine(name):
    app = CASES[name].app().fit(*CASES[name].known)
    assert str(gm.explain(app, top=3)) == str(gm.explain(app.machine_, top=3))


@pytest.mark.parametrize("name", ["parser", "roles"])
def test_gm_explain_of_an_app_with_several_machines_is_by_their_names(name):
    app = CASES[name].app().fit(*CASES[name].known)
    found = gm.explain(app, top=3)
    assert list(found) == list(app.machine_) == list(gm.explain(app.machine_, top=3))
    assert str(found[next(iter(found))]) == str(gm.explain(next(iter(app.machine_.values())), top=3))


# --- files ------------------------------------------------------------------------------------------------------------


def test_gm_load_gives_the_app(case, app, tmp_path):
    app.save(tmp_path / "model")
    again = gm.load(tmp_path / "model", n_jobs=2)
    assert type(again) is case.app
    assert again.get_params() == app.get_params() | {"n_jobs": 2}
    assert values(again.predict(case.many)) == values(app.predict(case.many))
    assert without_params(read_model(tmp_path / "model")) == again.machine_


def test_only_what_belongs_to_a_run_is_chosen_when_it_is_loaded(case, app, tmp_path):
    app.save(tmp_path / "model")
    with pytest.raises(ValueError, match="has no C to choose"):
        gm.load(tmp_path / "model", C=1.0)
    assert set(RUNTIME) - set(app.get_params()) == ({"engine"} if case.app is RoleLabeller else set())


def test_a_machine_has_nothing_to_choose(tmp_path):
    gm.Machine(gm.PolynomialKernel(2), np.eye(2), [1.0, -1.0], 0.0).save(tmp_path / "model")
    assert isinstance(gm.load(tmp_path / "model"), gm.Machine)
    with pytest.raises(ValueError, match=r"holds no app, but Machine.*: give engine to `compile`"):
        gm.load(tmp_path / "model", engine="direct")


def test_a_folder_of_models_is_machines_even_if_an_app_is_among_them(tmp_path):
    Tagger().fit(SAID).save(tmp_path / "tagger")
    gm.Machine(gm.PolynomialKernel(2), np.eye(2), [1.0, -1.0], 0.0).save(tmp_path / "other")
    assert list(gm.load(tmp_path)) == ["other", "tagger"]


def test_the_own_format_holds_every_app(app, tmp_path):
    app.save(tmp_path / "saved")
    gm.write(app, tmp_path / "written", format="gristmill")
    assert (tmp_path / "written").read_bytes() == (tmp_path / "saved").read_bytes()


@pytest.mark.parametrize("format", [known.NAME for known in MODEL_FORMATS if known.NAME != "gristmill"])
def test_other_formats_refuse_what_they_cannot_hold(case, app, tmp_path, format):
    if case.app is Tagger and format.startswith("yamcha"):
        return
    with pytest.raises(ValueError, match=r"cannot hold a .*: use save"):
        gm.write(app, tmp_path / "model", format=format)
    assert not (tmp_path / "model").exists()


def test_an_estimator_is_written_as_its_machine(tmp_path):
    classifier = gm.KernelSVC(kernel="poly").fit(np.eye(4), [0, 1, 0, 1])
    gm.write(classifier, tmp_path / "model")
    assert gm.load(tmp_path / "model").provenance["format"] == "libsvm"
    with pytest.raises(ValueError, match="expected a machine, or what has learned one, got list"):
        gm.write([], tmp_path / "model")


def test_apps_are_pickled_and_copied(case, app):
    expected = values(app.predict(case.many))
    for again in (pickle.loads(pickle.dumps(app)), copy.copy(app)):
        assert again.get_params() == app.get_params()
        assert values(again.predict(case.many)) == expected


# --- learning ---------------------------------------------------------------------------------------------------------


def test_an_interrupted_fit_keeps_what_was_learned(case, tmp_path):
    """Interrupted at every step in turn: it is as before, or it can predict, be saved and be loaded."""
    exact = {"solver": "smo"} if hasattr(case.app(), "solver") else {}
    calls = []
    case.app(progress=lambda *call: calls.append(call), **exact).fit(*case.known)
    kept = 0
    for after in range(len(calls)):
        app = case.app(progress=stopping(after), **exact)
        try:
            app.fit(*case.known)
        except KeyboardInterrupt:
            app.progress = None
            kept += hasattr(app, "machine_")
            if hasattr(app, "machine_"):
                app.save(tmp_path / "model")
                assert values(gm.load(tmp_path / "model").predict(case.many)) == values(app.predict(case.many))
    assert kept > 0


def stopping(after):
    left = [after]

    def progress(*_):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    return progress


def test_a_fit_that_fails_leaves_what_was_learned(case, app):
    before = values(app.predict(case.many))
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own message
        app.fit([], []) if len(case.known) > 1 else app.fit([])
    assert values(app.predict(case.many)) == before


# --- engines ----------------------------------------------------------------------------------------------------------


def test_a_tagger_decides_by_the_scorer_it_is_given():
    tagger = Tagger().fit(SAID)
    machine, model = tagger.machine_, tagger.engine_.model
    tagger.engine_ = TaggerEngine(machine, model, machine.compile("expanded", sigma=NOTHING))
    assert len(set(tagger.tag(["the", "dog", "eats"]))) == 1
    tagger.engine_ = TaggerEngine(machine, model, machine.compile("expanded", sigma=NOTHING, certified=True))
    assert tagger.tag(["the", "dog", "eats"]) == ["D", "N", "V"]


def test_a_segmenter_decides_by_the_scorer_it_is_given():
    segmenter = Segmenter().fit(TEXTS)
    machine, model = segmenter.machine_, segmenter.engine_.model
    given = machine.compile("expanded", sigma=NOTHING)
    segmenter.engine_ = SegmenterEngine.of(machine, model, given)
    assert segmenter.scorer_ is given
    assert len(segmenter.segment("海を見たい")) in (1, 5)
    segmenter.engine = "direct"
    assert segmenter.segment("海を見たい") == ["海", "を", "見", "たい"]
