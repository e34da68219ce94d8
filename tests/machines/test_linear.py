"""Machines of degree 1 as weights of features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps import Tagger
from gristmill.machines.linear import as_weights
from gristmill.machines.schemes import Scheme

FEATURES = 7
rows = st.lists(st.lists(st.integers(0, FEATURES - 1), unique=True).map(sorted), min_size=1, max_size=6)
numbers = st.integers(-4, 4).map(lambda number: number / 4)


@st.composite
def machines(draw):
    support = draw(rows)
    outputs = draw(st.sampled_from([1, 3]))
    coef = np.array(draw(st.lists(numbers, min_size=len(support) * outputs, max_size=len(support) * outputs)))
    kernel = gm.PolynomialKernel(1, draw(st.sampled_from([0.5, 1.0])), draw(st.sampled_from([0.0, 1.0, 2.5])))
    intercept = np.array(draw(st.lists(numbers, min_size=outputs, max_size=outputs)))
    data = gm.ids(support, n_features=FEATURES)
    if outputs == 1:
        return gm.Machine(kernel, data, coef, intercept[0], ["no", "yes"])
    return gm.Machine(kernel, data, coef.reshape(-1, 3), intercept, ["a", "b", "c"], Scheme.ONE_VS_REST)


@given(machines(), rows)
def test_scores_are_the_same_and_there_is_a_row_a_feature(machine, x):
    linear, data = as_weights(machine), gm.ids(x, n_features=FEATURES)
    expected = machine.compile("direct").decision_function(data)
    found = linear.compile("direct").decision_function(data)
    assert np.all(np.abs(found - expected) <= 1e-9 * (1 + np.abs(expected)))
    weights = machine.kernel.gamma * machine.rows.to_csr().T @ machine.dense_coef()
    if np.any(weights):
        assert linear.rows.to_csr().toarray().tolist() == np.eye(FEATURES)[np.any(weights != 0, axis=1)].tolist()
        assert np.array_equal(linear.dense_coef(), weights[np.any(weights != 0, axis=1)])
    assert as_weights(linear).rows.to_csr().nnz == linear.rows.to_csr().nnz


def test_machines_of_other_kernels_stay_as_they_are():
    for kernel in (gm.PolynomialKernel(2), gm.RBFKernel(1.0)):
        machine = gm.Machine(kernel, gm.ids([[0], [1]]), [1.0, -1.0], 0.0)
        assert as_weights(machine) is machine


@pytest.mark.parametrize(("solver", "multiclass"), [("online", "native"), ("online", "ovo"), ("dual-cd", "ovr")])
def test_what_taggers_of_degree_1_save_is_weights(tmp_path, solver, multiclass):
    said = [[(f"w{at % 5}", "ABC"[at % 3]), (f"v{at % 2}", "XY"[at % 2])] for at in range(60)]
    tagger = Tagger("F:-1..1:0 T:-1", solver=solver, multiclass=multiclass, degree=1).fit(said)
    assert tagger.machine_.kernel == gm.PolynomialKernel(1, coef0=0.0)
    assert tagger.machine_.n_support == len(tagger.machine_.feature_names)
    assert set(np.diff(tagger.machine_.rows.offsets)) == {1}
    tagger.save(tmp_path / "model")
    words = [[token[0] for token in sentence] for sentence in said]
    assert gm.load(tmp_path / "model").tag(words) == tagger.tag(words)
    assert gm.load(tmp_path / "model").explain(words[0])[0].label == tagger.tag(words[0])[0]
