"""DependencyParser: interruptions, progress, errors and their messages."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps import DependencyParser, Word
from gristmill.apps.learning import LearningInterrupted, learn
from gristmill.apps.parsing import learning as parser_learning
from gristmill.apps.parsing.model import PSEUDO_PROJECTIVE, default_templates
from gristmill.apps.parsing.pseudo_projective import SCHEMES
from gristmill.apps.parsing.tree import columns_of_words
from gristmill.apps.parsing.treebank import read_treebank
from tests.across.interrupting import SOON, seconds_to_stop
from tests.apps.parsing.small_treebanks import ALGORITHMS, EXACT, WAYS, crossing, plain, sentences, treebank_of, trees

KNOWN, NEW = sentences(20), sentences(20, seed=1)
TWO = [Word("a", head=2, deprel="x"), Word("b", head=0, deprel="root")]


@pytest.fixture(scope="module")
def parser():
    return DependencyParser().fit(KNOWN)


# --- interruptions, progress ------------------------------------------------------------------------------------------


def stopping(after):
    """Progress that is interrupted after some calls."""
    left = iter(range(after))

    def stop(*_):
        if next(left, None) is None:
            raise KeyboardInterrupt

    return stop


def interrupted(known, after, **options):
    """A parser whose learning was interrupted, and by what; None where it had ended."""
    parser = DependencyParser(progress=stopping(after), **options)
    try:
        parser.fit(known)
    except KeyboardInterrupt as stop:
        parser.progress = None
        return parser, type(stop)
    return None


@pytest.mark.parametrize(
    "options",
    [
        *({"solver": solver, "multiclass": multiclass} for solver, multiclass in WAYS if solver != "online"),
        {"solver": "smo", "split": "b0.upos", "split_threshold": 5},
        {"solver": "dual-cd", "split": "b0.upos", "split_threshold": 5},
        {"solver": "smo", "algorithm": "arc-eager", "oracle": "dynamic"},
        {"solver": "smo", "algorithm": "head-final"},
    ],
)
def test_whenever_it_is_interrupted_it_is_as_before_or_can_parse(options):
    known, calls = treebank_of(options.get("algorithm", "swap"), 10), []
    DependencyParser(progress=lambda *call: calls.append(call), **options).fit(known)
    assert all(done <= total for done, total in calls)
    kept = 0
    for after in range(len(calls)):
        parser, kind = interrupted(known, after, **options) or (None, None)
        if parser is not None:
            kept += kind is LearningInterrupted
            assert hasattr(parser, "machine_") == (kind is LearningInterrupted)
            assert not hasattr(parser, "machine_") or len(parser.parse(plain(known))) == len(known)
    assert kept > 0


@pytest.mark.parametrize("number", [0, 1, 3])
@pytest.mark.parametrize("kind", [LearningInterrupted, KeyboardInterrupt])
def test_machines_learned_before_it_was_interrupted_are_kept(monkeypatch, tmp_path, kind, number):
    done = []

    def stopped(*data, **options):
        if len(done) == number:
            raise kind(learn(*data, **options)) if kind is LearningInterrupted else kind
        done.append(learn(*data, **options))
        return done[-1]

    monkeypatch.setattr(parser_learning, "learn", stopped)
    parser, machines = DependencyParser(split="b0.upos", split_threshold=5), number + (kind is LearningInterrupted)
    with pytest.raises(KeyboardInterrupt):
        parser.fit(KNOWN)
    assert hasattr(parser, "machine_") == (machines > 0)
    if machines:
        parser.save(tmp_path / "model")
        assert len(parser.machine_) == machines
        assert DependencyParser.load(tmp_path / "model").parse(plain(NEW)) == parser.parse(plain(NEW))


@pytest.mark.parametrize("kind", [LearningInterrupted, KeyboardInterrupt])
@pytest.mark.parametrize("when", ["learning", "exploring", "learning again"])
def test_the_explorer_of_a_dynamic_oracle_is_kept(monkeypatch, tmp_path, when, kind):
    done, explored_rows = [], parser_learning._core.explored_rows

    def stopped(*data, **options):
        done.append(learn(*data, **options))
        if (when, len(done)) in (("learning", 1), ("learning again", 2)):
            raise kind(done[-1]) if kind is LearningInterrupted else kind
        return done[-1]

    def explored(*parts):
        if when == "exploring":
            raise KeyboardInterrupt
        return explored_rows(*parts)

    monkeypatch.setattr(parser_learning, "learn", stopped)
    monkeypatch.setattr(parser_learning._core, "explored_rows", explored)
    parser = DependencyParser("arc-eager", oracle="dynamic", split="b0.upos", split_threshold=5)
    with pytest.raises(KeyboardInterrupt):
        parser.fit(KNOWN)
    assert hasattr(parser, "machine_") == (when != "learning" or kind is LearningInterrupted)
    if hasattr(parser, "machine_"):
        parser.save(tmp_path / "model")
        assert DependencyParser.load(tmp_path / "model").parse(plain(NEW)) == parser.parse(plain(NEW))


@pytest.mark.parametrize(("solver", "cost"), [("online", 0.5), ("dual-cd", None), ("smo", None)])
def test_explorers_learn_online_whatever_the_solver(monkeypatch, solver, cost):
    calls = []

    def listened(rows, numbers, actions, how, **options):
        calls.append(how)
        return learn(rows, numbers, actions, how, **options)

    monkeypatch.setattr(parser_learning, "learn", listened)
    DependencyParser("arc-eager", oracle="dynamic", solver=solver, C=0.5).fit(sentences(5))
    assert [(how.solver, how.C) for how in calls] == [("online", cost), (solver, 0.5)]


def test_actions_of_many_machines_are_numbered_once(monkeypatch):
    calls, numbered = [], parser_learning.numbered_actions

    def listened(*parts):
        calls.append(parts)
        return numbered(*parts)

    monkeypatch.setattr(parser_learning, "numbered_actions", listened)
    parser = DependencyParser(split="b0.form", split_threshold=1, epochs=1).fit(KNOWN)
    assert (len(calls), len(parser.machine_) > 10) == (1, True)


@pytest.mark.parametrize("options", [{}, {"multiclass": "ovr"}, {"split": "b0.upos", "split_threshold": 5}])
def test_ctrl_c_stops_learning_soon_and_keeps_what_was_learned(options):
    parser = DependencyParser(epochs=10_000_000, **options)
    assert seconds_to_stop(lambda: parser.fit(KNOWN)) < SOON
    assert len(parser.parse(plain(NEW))) == len(NEW)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_stops_parsing_soon(jobs):
    slow = DependencyParser(engine="direct", beam=64, n_jobs=jobs).fit(KNOWN)
    columns = columns_of_words([tuple(words) for words in plain(NEW)] * 2000)
    assert seconds_to_stop(lambda: slow.parse_columns(columns)) < SOON


def test_progress_is_told():
    calls = []
    other = DependencyParser(progress=lambda *call: calls.append(call)).fit(KNOWN)
    learning = len(calls)
    other.parse(plain(NEW))
    assert learning > 0
    assert calls[-1] == (20, 20)  # sentences
    assert all(done <= total for done, total in calls)


def test_a_failed_fit_leaves_what_was_learned(parser):
    before = parser.machine_
    for treebank, message in (([], "there are no words"), ([TWO[1:] * 2], "both roots"), ([TWO], "nothing to learn")):
        with pytest.raises(ValueError, match=message):
            parser.fit(treebank)
    assert parser.machine_ is before
    assert len(parser.parse(plain(NEW))) == len(NEW)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "treebank", "message"),
    [
        ({}, [[], []], "there are no words"),
        ({}, [[Word("a", head=0, deprel="root")]] * 3, "there is nothing to learn: all sentences have one word"),
        ({}, [TWO, TWO], "there is nothing to learn: all configurations ask for the same action"),
        ({}, crossing(), "arc-standard cannot give the trees of any sentence in which there is a choice"),
        ({"algorithm": "head-final"}, [TWO], "all words are chunks of their own"),
        ({"pseudo_projective": "head"}, [[Word("a", head=2, deprel="x↑"), TWO[1]]], "these mark lifted ones"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(options, treebank, message):
    with pytest.raises(ValueError, match=message):
        DependencyParser(**options).fit(treebank)


LIFTINGS = [
    (algorithm, lifting)
    for algorithm in ALGORITHMS
    for lifting in (SCHEMES if algorithm in PSEUDO_PROJECTIVE else ["none"])
]


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")  # new words may all lack UPOS
@given(st.randoms(use_true_random=False), st.sampled_from(LIFTINGS), st.sampled_from([1, 4]))
def test_any_trees_are_learned_from_or_refused(rng, how, beam):
    algorithm, lifting = how
    known, new = ([random_tree(rng) for _ in range(rng.randint(1, 6))] for _ in range(2))
    parser = DependencyParser(
        algorithm, pseudo_projective=lifting, beam=beam, epochs=2, split="b0.upos", split_threshold=2
    )
    try:
        parser.fit(known)
    except ValueError as error:
        assert re.search("nothing to learn|cannot give the trees|chunks of their own", str(error))  # noqa: PT017
        return
    found = parser.parse(new)
    assert read_treebank(found).columns.tokens == sum(map(len, new))  # it refuses what is no tree
    assert {relation for tree in found for relation in tree.relations} <= {w.deprel for words in known for w in words}


def random_tree(rng):
    order = list(range(1, rng.randint(1, 9) + 1))
    rng.shuffle(order)
    heads = {word: rng.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
    relations = ["x", "y:z", "case", "aux", "fixed"]
    return [
        Word(rng.choice("abc"), upos=rng.choice("NV_"), head=heads[at], deprel=rng.choice(relations))
        for at in sorted(order)
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "covington"}, "algorithm must be one of arc-standard, .*stacklazy, got 'covington'"),
        ({"algorithm": ["swap"]}, "algorithm must be one of"),
        ({"templates": 3}, "templates must be text, got 3"),
        ({"templates": "s0.form\n s0.word"}, "templates:2:2: expected one of form, .*, got 'word'"),
        ({"templates": " # nothing"}, "templates: templates that make no feature"),
        ({"oracle": "none"}, "oracle"),
        ({"oracle": "dynamic"}, "oracle='dynamic' is of algorithm='arc-eager', got algorithm='arc-standard'"),
        (
            {"pseudo_projective": "up"},
            "pseudo_projective must be one of 'none', 'baseline', .*, 'head\\+path', got 'up'",
        ),
        *(
            (
                {"algorithm": algorithm, "pseudo_projective": "head"},
                f"pseudo_projective='head' is of arc-standard and arc-eager, got algorithm='{algorithm}': use 'none'",
            )
            for algorithm in ("swap", "stacklazy", "head-final", "cascaded")
        ),
        ({"split": "upos"}, "expected a cell of a word to split by, such as b0.upos, got 'upos'"),
        ({"split": 3}, "expected a cell"),
        ({"split": "q0.upos"}, "expected a place"),
        ({"split": "b0.deprel"}, "the column to split by must be one of 'form', .*, got 'deprel'"),
        ({"split": "b0.last-form"}, "the column to split by"),
        ({"split_threshold": 0}, "split_threshold"),
        ({"solver": "sgd"}, "solver"),
        ({"solver": "smo", "multiclass": "native"}, "native"),
        ({"degree": 0}, "degree"),
        ({"C": -1}, "C must be"),
        ({"epochs": 1.5}, "epochs"),
        ({"chunks": "<"}, "expected relations such as case or dep<"),
        ({"chunks": ""}, "chunks need relations that join words, got ''"),
        ({"engine": "fast"}, "engine"),
        ({"beam": 0}, "beam"),
        ({"beam": True}, "beam"),
        ({"temperature": 0}, "temperature"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        DependencyParser(**settings)
    changed = DependencyParser()
    vars(changed).update(settings)
    with pytest.raises(ValueError, match=message):
        changed.fit(KNOWN)


def test_nothing_is_parsed_before_something_is_learned(tmp_path):
    new = DependencyParser()
    calls = [
        *(lambda: new.parse([["a"]]), lambda: new.relations_, lambda: new.save(tmp_path / "model")),
        *(lambda: new.evaluate(KNOWN), lambda: new.parse(["a"])),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="is not fitted: call fit, or load what was saved"):
            call()


def test_threads_are_a_number():
    with pytest.raises(ValueError, match="n_jobs must be a whole number and not be 0"):
        DependencyParser(n_jobs=0).fit(KNOWN)


# --- behaviour --------------------------------------------------------------------------------------------------------


def test_it_says_what_it_is():
    assert repr(DependencyParser()) == "DependencyParser()"
    assert repr(DependencyParser("swap", beam=4, n_jobs=3)) == "DependencyParser(algorithm='swap', beam=4)"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_default_templates_may_be_given(algorithm):
    known = treebank_of(algorithm, 10)
    given, default = (DependencyParser(algorithm, templates=text) for text in (default_templates(algorithm), None))
    assert given.fit(known).machine_ == default.fit(known).machine_


def test_another_fit_forgets_the_first():
    parser = DependencyParser(**EXACT).fit(KNOWN)
    renamed = [[Word(word.form, head=word.head, deprel=f"my-{word.deprel}") for word in words] for words in KNOWN]
    assert trees(parser.fit(renamed).parse(plain(renamed))) == trees(renamed)
    assert all(relation.startswith("my-") for relation in parser.relations_)


def test_parsing_does_not_import_scikit_learn(parser, tmp_path):
    parser.save(tmp_path / "model")
    code = (
        "import sys; from gristmill.apps import DependencyParser; "
        f"DependencyParser.load({str(tmp_path / 'model')!r}).parse([['mill']]); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
