"""The learner behind the classifier and the command line: its state as plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.data.rows import as_rows
from gristmill.solvers.online import OnlineLearner, OnlineSettings, checkpoint

RNG = np.random.default_rng(2)
X = as_rows((RNG.random((120, 20)) < 0.3).astype(float))
LABELS = RNG.integers(3, size=120).astype(np.int32)


def learned(kernel=gm.PolynomialKernel(2), classes=("a", "b", "c")):  # noqa: B008 - a value object
    learner = OnlineLearner(OnlineSettings(kernel, C=1.0, epochs=1), np.array(classes))
    learner.learn(X, LABELS % len(classes))
    return learner


@pytest.mark.parametrize("kernel", [gm.PolynomialKernel(2), gm.PolynomialKernel(2, 0.3)], ids=["integer", "double"])
@pytest.mark.parametrize("classes", [("a", "b"), (1, 2, 3)], ids=str)
def test_the_state_is_everything(kernel, classes):
    learner = learned(kernel, classes)
    header, arrays = learner.state()
    again = OnlineLearner.from_state(json.loads(json.dumps(header)), arrays)
    assert again.machine() == learner.machine()
    assert replace(again.stats(), nbytes=0) == replace(learner.stats(), nbytes=0)
    for one in (learner, again):
        one.learn(X, LABELS[::-1] % len(classes), stream=True)
    assert again.machine() == learner.machine()


def test_a_learner_that_has_seen_nothing_has_a_state_and_a_machine():
    learner = OnlineLearner(OnlineSettings(gm.PolynomialKernel(2)), np.array([0, 1]))
    assert learner.machine().n_support == 0
    assert learner.stats().examples == 0
    again = OnlineLearner.from_state(*learner.state())
    again.learn(X, LABELS % 2)
    learner.learn(X, LABELS % 2)
    assert again.machine() == learner.machine()


def test_a_machine_to_start_from_is_there_before_the_first_rows():
    init = learned(classes=("a", "b")).machine()
    learner = OnlineLearner(OnlineSettings(gm.PolynomialKernel(2), C=1.0), np.array(["a", "b"]), init=init)
    np.testing.assert_array_equal(learner.machine().dense_coef(), init.dense_coef())
    learner.ensure_begun(X)
    again = OnlineLearner.from_state(*learner.state())
    for one in (learner, again):
        one.learn(X, LABELS % 2)
    assert again.machine() == learner.machine()
    assert learner.stats().updates < learned(classes=("a", "b")).stats().updates


def test_slices_are_reused_from_degree_3_on():
    for degree, reuse in ((2, False), (3, True)):
        settings = OnlineSettings(gm.PolynomialKernel(degree), engine="reslice")
        assert settings.engine_options(stream=False)["reuse"] is reuse
        forced = replace(settings, reuse=not reuse)
        assert forced.engine_options(stream=False)["reuse"] is not reuse
        found = [OnlineLearner(one, np.array([0, 1])) for one in (settings, forced)]
        for learner in found:
            learner.learn(X, LABELS % 2, passes=3)
        assert found[0].machine() == found[1].machine()


EVERYTHING = 2**62
VARIANTS = {  # of Yoshinaga and Kitsuregawa 2010: expanded features, does equation 7 choose, is equation 6 used
    "expanded": (EVERYTHING, False, False),  # KE
    "split": (7, False, False),  # SP
    "slice": (7, True, False),  # SL-
    "reslice": (7, True, True),  # SL
}


@pytest.mark.parametrize(("name", "wanted"), VARIANTS.items())
def test_the_paper_s_variants_are_engines_by_name(name, wanted):
    settings = OnlineSettings(gm.PolynomialKernel(3), engine=name, expanded=7)
    options = settings.engine_options(stream=False)
    assert options["engine"] == _core.OnlineEngine.sliced
    assert (options["expanded"], options["choose"], options["reuse"]) == wanted
    assert options["terminate"]
    whole = replace(settings, early_termination=False).engine_options(stream=False)
    assert whole == options | {"terminate": False}


def test_the_paper_s_kernel_learner_is_the_inverted_index():
    settings = OnlineSettings(gm.PolynomialKernel(3), engine="inverted")
    assert settings.engine_options(stream=False)["engine"] == _core.OnlineEngine.kernel


@given(st.data())
def test_a_state_that_does_not_fit_together_is_refused(data):
    """Whatever number is changed, the core is not handed what it would trip over."""
    header, arrays = learned().state()
    name = data.draw(st.sampled_from(sorted(set(arrays) - {"sizes", "numbers", "times", "units"})))
    changed = arrays[name].copy()
    info = np.iinfo(changed.dtype)
    at = data.draw(st.integers(0, len(changed) - 1))
    changed[at] = data.draw(st.one_of(st.integers(info.min, info.max), st.sampled_from([info.min, info.max])))
    try:
        learner = OnlineLearner.from_state(header, arrays | {name: changed})
    except ValueError:
        return
    learner.learn(X, LABELS)
    learner.machine()


@pytest.mark.parametrize("name", ["features", "rows", "units", "numbers"])
def test_arrays_that_are_missing_or_short_are_refused(name):
    header, arrays = learned().state()
    with pytest.raises(ValueError, match="do not fit together"):
        OnlineLearner.from_state(header, arrays | {name: arrays[name][:-1]})
    with pytest.raises(ValueError, match="missing or of another type"):
        OnlineLearner.from_state(header, {key: array for key, array in arrays.items() if key != name})


def test_checkpoints_are_written_and_read(tmp_path):
    learner = learned()
    run = checkpoint.Run(120, None, 1, [1.0, 1.0, 1.0], None)
    checkpoint.save(learner, run, tmp_path / "c")
    again, same = checkpoint.load(tmp_path / "c")
    assert same == run
    assert again.machine() == learner.machine()


def test_a_sound_checksum_does_not_make_a_sound_checkpoint(tmp_path):
    from gristmill.machines.store import pack

    header, arrays = learned().state()
    for damaged in ({}, header | {"classes": ["a"]}, header | {"settings": {}}, header | {"cost": "much"}):
        (tmp_path / "c").write_bytes(pack({"version": 1, "learner": damaged, "run": {}}, arrays, checkpoint.KEY))
        with pytest.raises(gm.FormatError, match="not a sound checkpoint"):
            checkpoint.load(tmp_path / "c")
