"""Labels of machines on trees, and progress while they are compiled and asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.scoring import kernel_engines
from gristmill.scoring.kernel_engines import KernelDirect
from tests.across.interrupting import SOON, seconds_to_stop
from tests.data.tree_strategies import MAY_BE_UNMARKED
from tests.kernels.test_trees import forest, random_trees
from tests.scoring.test_scorer_trees import (
    DEPTH,
    WAYS,
    all_ways,
    chain,
    compiled,
    limited,
    many_of_one_production,
    random_machine,
    same_bits,
    seeds,
    some_kernels,
    stop,
    tasks,
)

pytestmark = MAY_BE_UNMARKED

__all__ = ["limited"]  # a fixture for all tests here: lists may not take too long


def labels_agree(machine, x):
    wanted = machine.compile("direct").predict(x)
    same_bits(machine.compile().predict(x), wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_engines, "_FEW_KERNELS", 0)
        for way in WAYS:
            same_bits(compiled(machine, way).predict(x), wanted)


@st.composite
def doubtful(draw):
    """Machines whose scores cancel, for some trees to nothing."""
    (kernel, support, x), rng = draw(tasks()), np.random.default_rng(draw(seeds))
    support, x = (some[rng.permutation(len(some))[:40]] for some in (support, x))
    order, half = rng.permutation(2 * len(support)), rng.choice([0.1, 0.2, 0.3, 1.0, 1 / 3], (len(support), 1))
    coef = np.vstack([half, -half])[order]
    coef = np.hstack([coef, coef[::-1], coef]) if (is_many := draw(st.booleans())) else coef
    support, coef = support[order % len(support)], coef * draw(st.sampled_from([1.0, 1e-300, 1e150]))
    intercept = np.zeros(coef.shape[1])
    if draw(st.booleans()):
        at = rng.integers(len(x))
        scores = gm.Machine(kernel, support, coef, intercept).compile("direct").decision_function(x[[at]])
        intercept = -np.ravel(scores)  # this one is exactly 0
    options = (
        {"classes": list("abc"), "scheme": draw(st.sampled_from(["ovo", "ovr"]))}
        if is_many
        else {"classes": ["a", "b"]}
    )
    return gm.Machine(kernel, support, coef, intercept, **options, zero_class=draw(st.integers(0, 1))), x


@given(task=doubtful())
def test_labels_are_those_of_the_definition(task):
    labels_agree(*task)


def test_labels_of_more_trees_than_the_definition_is_asked_about():
    support = many_of_one_production(400, 1)
    coef = np.random.default_rng(4).normal(size=len(support))
    x = forest([*support[:100], *many_of_one_production(70, 2), ("T", "unseen")])
    ours = gm.Machine(gm.SubsetTreeKernel(), forest(support * 2), np.append(coef, -coef), 0.0, ["no", "yes"])
    assert len(x) * ours.n_support > kernel_engines._FEW_KERNELS
    same_bits(ours.compile().predict(x), ours.compile("direct").predict(x))


@all_ways
def test_the_definition_is_not_asked_where_nothing_is_in_common(way, monkeypatch):
    monkeypatch.setattr(kernel_engines, "_FEW_KERNELS", 0)
    for zero_class, wanted in ((0, "no"), (1, "yes")):
        support = forest(random_trees(20, seed=1))
        ours = random_machine(gm.SubsetTreeKernel(), support, 1, classes=["no", "yes"], zero_class=zero_class)
        ours = gm.Machine(ours.kernel, support, ours.coef, 0.0, ["no", "yes"], zero_class=zero_class)
        scorer = compiled(ours, way)
        with monkeypatch.context() as patch:
            patch.setattr(KernelDirect, "scores", None)
            same_bits(scorer.predict(forest([("unseen", "word")] * 30)), [wanted] * 30)


@pytest.mark.parametrize("coef", [5e-324, 1e-322, 1e-310])
@pytest.mark.parametrize("kernel", [gm.Normalized(gm.SubsetTreeKernel(1.0)), 0.01 * gm.SubsetTreeKernel(1.0)], ids=str)
def test_labels_where_coefficients_underflow(kernel, coef):
    """What a machine is scaled by may take them to nothing, but not its labels."""
    x = [f"(S {'(a b) ' * 8})", "(a b)"]
    for sign in (1, -1):
        labels_agree(gm.Machine(kernel, x, [sign * coef, 0.0], 0.0, ["no", "yes"]), x)


# --- progress ---------------------------------------------------------------------------------------------------------


@all_ways
@some_kernels
def test_progress_hears_of_scoring_and_may_stop_it(kernel, way):
    x, calls = forest(random_trees(90, seed=1, labels=["a", "b", "d*1"])), []
    scorer = compiled(random_machine(kernel, x[:40], 2), way)
    scores = scorer.decision_function(x, progress=lambda *call: calls.append(call))
    assert calls[-1] == (90, 90)
    with pytest.raises(KeyError, match="enough"):
        scorer.decision_function(x, progress=stop)
    same_bits(scorer.decision_function(x), scores)


@some_kernels
def test_progress_hears_of_compiling_and_may_stop_it(kernel):
    calls, ours = [], random_machine(kernel, forest(random_trees(90, seed=1, labels=["a", "b", "d*1"])), 2)
    ours.compile(progress=lambda *call: calls.append(call))
    assert all(0 <= done <= total for done, total in calls)
    assert calls[-1][0] == calls[-1][1]
    with pytest.raises(KeyError, match="enough"):
        ours.compile(progress=stop)
    same_bits(ours.compile().decision_function(ours.support), ours.compile().decision_function(ours.support))


@pytest.mark.parametrize("kernel", [gm.SubsetTreeKernel(), gm.PartialTreeKernel()], ids=str)
def test_ctrl_c_stops_compiling(kernel):
    x = gm.Forest.from_strings([chain(["a"] * DEPTH)])
    machine = (kernel._native, x._store, x._roots, np.ones(1), 1)
    assert seconds_to_stop(lambda: _core.ForestScorer.by_lists(*machine, 2**62, 2**62)) < SOON
