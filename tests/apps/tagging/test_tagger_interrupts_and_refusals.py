"""Tagger: interruptions, progress, errors and their messages."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.tagging import tagger as tagger_module
from gristmill.apps.tagging.tagger import Tagger
from tests.apps.tagging.chunked_sentences import plain, sentences

KNOWN, NEW = sentences(40), sentences(60, seed=1)
WAYS = [
    *(("online", "native"), ("online", "ovr"), ("online", "ovo")),
    *(("dual-cd", "ovr"), ("dual-cd", "ovo"), ("smo", "ovr"), ("smo", "ovo")),
]


@pytest.fixture(scope="module")
def tagger():
    return Tagger().fit(KNOWN)


# --- interruptions, progress ------------------------------------------------------------------------------------------


def test_what_was_learned_when_interrupted_is_kept(tagger, monkeypatch):
    def stopped(*_, **__):
        raise LearningInterrupted(tagger.machine_)

    monkeypatch.setattr(tagger_module, "learn", stopped)
    other = Tagger()
    with pytest.raises(KeyboardInterrupt):
        other.fit(KNOWN)
    assert other.machine_.n_support == tagger.machine_.n_support
    assert other.n_features_ == tagger.n_features_
    assert len(other.tag(plain(NEW)[0])) == len(NEW[0])


@pytest.mark.parametrize(("solver", "multiclass"), WAYS)
def test_whenever_it_is_interrupted_it_is_as_before_or_can_tag(solver, multiclass):
    calls = []
    Tagger(solver=solver, multiclass=multiclass, progress=lambda *call: calls.append(call)).fit(KNOWN)
    for after in range(len(calls) if solver != "online" else 1):  # online learning tells it by the clock
        reports = []

        def stop(*call, after=after, reports=reports):
            reports.append(call)
            if len(reports) > after:
                raise KeyboardInterrupt

        other = Tagger(solver=solver, multiclass=multiclass, progress=stop)
        stopped = None
        try:
            other.fit(KNOWN)
        except KeyboardInterrupt as caught:
            stopped = caught
        if stopped is None:
            assert len(reports) <= after  # a busy machine reports less often
        else:
            assert hasattr(other, "machine_") == isinstance(stopped, LearningInterrupted)
        other.progress = None
        assert not hasattr(other, "machine_") or len(other.tag(plain(NEW)[0])) == len(NEW[0])


def test_progress_is_told():
    calls = []
    other = Tagger(progress=lambda *call: calls.append(call)).fit(KNOWN)
    learning = len(calls)
    other.tag(plain(NEW))
    assert learning > 0
    assert calls[-1] == (60, 60)  # sentences
    assert all(done <= total for done, total in calls)


def test_a_failed_fit_leaves_what_was_learned(tagger):
    before = tagger.machine_
    with pytest.raises(ValueError, match="there are no tokens"):
        tagger.fit([])
    assert tagger.machine_ is before


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "there are no tokens"),
        ([[], []], "there are no tokens"),
        ([["word"]], r"a token needs a word and, in the last column, its tag; got one column"),
        ([[("a", "X"), ("b", "X")]], "all decisions are 'X': there is nothing to tell apart"),
        ([[("a", "X"), ("b", "y z")]], "a tag is a word without blanks, got 'y z'"),
        ([[("a", "X"), ("b", "")]], "a tag is a word without blanks, got ''"),
        ([[("a", "X"), ("b", "Y\r")]], "a tag is a word without blanks"),
        ([[("a", "X")], [("b", "c", "Y")]], r"sentence 1, token 0, counted from 0: expected 2 strings, got \('b'"),
        ([[("a", "X"), ("b", 3)]], "sentence 0, token 1, counted from 0: expected 2 strings"),
        ([[3]], "sentence 0, token 0, counted from 0: expected a string, got 3"),
        ([[()]], r"sentence 0, token 0, counted from 0: expected a string, got \(\)"),
        ([[("a\ud800", "X"), ("b", "Y")]], "half a surrogate pair"),
        ([[("a", "b", "X"), ("b", "c", "Y")]], "there is no column 2, counted from 0: tokens have 2 columns"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Tagger("F:0:0 F:0:2" if "column 2" in message else "F:0:0").fit(given)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"templates": 3}, "templates must be text"),
        ({"direction": "up"}, "direction"),
        ({"tag_scheme": "IOB"}, "scheme"),
        ({"engine": "fast"}, "engine"),
        ({"solver": "dual-cd", "multiclass": "native"}, "native"),
        ({"C": -1}, "C"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Tagger(**settings)
    changed = Tagger()
    vars(changed).update(settings)
    with pytest.raises(ValueError, match=message):
        changed.fit(KNOWN)


def test_columns_that_are_missing_are_refused(tagger):
    with pytest.raises(ValueError, match="tokens have 1 column; the tagger looks at 2, as in the sentences it has"):
        tagger.tag(["the", "mill"])


def test_a_tag_is_not_taken_for_a_column(tagger):
    with pytest.raises(ValueError, match="tokens have 2 columns with the tag; the tagger looks at 2 in addition to it"):
        tagger.evaluate([[("the", "B-NP"), ("mill", "I-NP")]])


def test_nothing_is_tagged_before_something_is_learned(tmp_path):
    for call in (lambda: Tagger().tag(["a"]), lambda: Tagger().tags_, lambda: Tagger().save(tmp_path / "model")):
        with pytest.raises(ValueError, match="is not fitted: call fit, or load what was saved"):
            call()


# --- behaviour --------------------------------------------------------------------------------------------------------


def test_it_says_what_it_is():
    assert repr(Tagger()) == "Tagger()"
    assert repr(Tagger("F:0:0", C=2, n_jobs=3)) == "Tagger(templates='F:0:0', C=2)"


def test_tagging_does_not_import_scikit_learn(tagger, tmp_path):
    tagger.save(tmp_path / "model")
    code = (
        "import sys; from gristmill.apps.tagging.tagger import Tagger; "
        f"Tagger.load({str(tmp_path / 'model')!r}).tag([('the', 'D')]); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
