"""Influence: what each support example adds, against the definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm

TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c) (B b))"]
NAMES = ["money", "bank", "river", "loan"]


@st.composite
def machines(draw):
    """Polynomial machines with one or several outputs."""
    rows = draw(st.lists(st.frozensets(st.integers(0, 5)), min_size=1, max_size=6))
    outputs = draw(st.sampled_from([1, 3]))
    numbers = st.integers(-8, 8).map(lambda number: number / 4)
    coef = draw(st.lists(st.lists(numbers, min_size=outputs, max_size=outputs), min_size=len(rows), max_size=len(rows)))
    kernel = gm.PolynomialKernel(
        draw(st.integers(1, 4)), draw(st.sampled_from([0.5, 1.0])), draw(st.sampled_from([0, 1]))
    )
    scheme, classes = ("binary", [0, 1]) if outputs == 1 else (draw(st.sampled_from(["ovo", "ovr"])), [0, 1, 2])
    return gm.Machine(kernel, gm.ids(map(sorted, rows), 6), coef, [0.5] * outputs, classes, scheme), rows, coef


@given(machines(), st.frozensets(st.integers(0, 5)))
def test_values_are_coefficients_times_kernels_and_add_up_to_the_score(drawn, x):
    machine, rows, coef = drawn
    (found,) = gm.influence(machine, gm.ids([sorted(x)], 6))
    kernel = machine.polynomial
    expected = [
        [a * (kernel.gamma * len(s & x) + kernel.coef0) ** kernel.degree for a in own]
        for s, own in zip(rows, coef, strict=True)
    ]
    size = 1e-9 * (1 + np.abs(expected).sum())
    assert found.values == pytest.approx(np.array(expected), abs=size)
    scores = machine.compile("direct").decision_function(gm.ids([sorted(x)], 6)).ravel()
    assert found.score == pytest.approx(scores, abs=size)


@given(machines(), st.frozensets(st.integers(0, 5)))
def test_both_sides_together_are_the_score_of_an_output(drawn, x):
    machine, _, _ = drawn
    (found,) = gm.influence(machine, gm.ids([sorted(x)], 6))
    for output in range(len(found.outputs.all_names)):
        sides = found.total(output, "for") + found.total(output, "against")
        assert sides == pytest.approx(found.column(output).sum(), abs=1e-9 * (1 + np.abs(found.values).sum()))
        values = [one.value for one in found.top(None, output, "for")]
        assert values == sorted(values, reverse=True)
        assert all(one.value < 0 for one in found.top(None, output, "against"))
    json.loads(found.to_json())
    assert "gm-notebook" in found._repr_html_()


def test_shared_features_are_named():
    support, classes = gm.ids([[0, 1], [1, 2]], 4), ["water", "finance"]
    machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=NAMES)
    (found,) = gm.influence(machine, gm.ids([[0, 1]], 4))
    (best,), (worst,) = found.top(1, side="for"), found.top(1, side="against")
    assert (best.label, best.text, best.kernel, best.coef) == ("finance", "money, bank", 9.0, 1.0)
    assert (worst.label, worst.text) == ("water", "bank; not shared: river")
    assert worst.as_dict()["parts"] == [{"shared": ["bank"], "not_shared": ["river"]}]
    assert "<mark>bank</mark>, river" in found._repr_html_()


def test_estimators_name_their_training_examples():
    X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    clf = gm.KernelSVC(degree=2).fit(X, ["a", "a", "b", "b"])
    (found,) = gm.influence(clf, X[:1])
    named = {one.example: one.label for one in found.top(None)}
    assert named == {0: "a", 1: "a", 2: "b", 3: "b"}
    assert found.score[0] == pytest.approx(clf.decision_function(X[:1])[0])


def test_nodes_that_trees_share_stand_out():
    clf = gm.KernelSVC("sst", C=10).fit(TREES, [0, 0, 1, 1])
    (found,) = gm.influence(clf, ["(S (A d) (B b))"])
    texts = {one.example: one.text for one in found.top(None)}
    assert texts[0] == "(S (A ·) (B b))"
    assert texts[3] == "(· (· ·) (B b))"
    assert found.score[0] == pytest.approx(clf.decision_function(["(S (A d) (B b))"])[0])
    assert found.top(1)[0].as_dict()["parts"][0]["tree"] in TREES


def test_fields_of_examples_have_a_part_each():
    X = gm.Examples(trees=gm.Forest.from_strings(TREES), vectors=gm.ids([[1, 2], [2, 3], [3], [1]]))
    kernel = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    clf = gm.KernelSVC(kernel, C=1).fit(X, [0, 0, 1, 1])
    found = gm.influence(clf, X)
    assert [own.score[0] for own in found] == pytest.approx(clf.decision_function(X).tolist())
    parts = found[0].top(1)[0].parts
    assert [part.field for part in parts] == ["trees", "vectors"]
    json.loads(found.to_json())


def test_conjunctions_that_hold_decide_where_weights_are_known():
    X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    clf = gm.KernelLogisticRegression(C=1.0).fit(X, ["a", "a", "b", "b"])
    (found,) = gm.influence(clf, X[:1])
    holds = found.top(None)
    assert all(one.kernel == 1 and one.label is None and not one.text.startswith("not") for one in holds)
    assert found.score[0] == pytest.approx(clf.decision_function(X[:1])[0])


def test_a_side_that_is_none_is_refused():
    machine = gm.Machine(gm.PolynomialKernel(1), gm.ids([[0]]), [1.0], 0.0, ["a", "b"])
    with pytest.raises(ValueError, match="'for', 'against' or None"):
        gm.influence(machine, gm.ids([[0]]))[0].top(side="both")


def test_no_examples_have_no_influence():
    machine = gm.Machine(gm.PolynomialKernel(1), gm.ids([[0]]), [1.0], 0.0, ["a", "b"])
    found = gm.influence(machine, gm.ids([], 1))
    assert len(found) == 0
    assert repr(found) == "Influences(0 examples, 0 support examples)"
