"""Machine: what it refuses, what it infers, what it keeps."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import gristmill as gm
from gristmill.machines.probability import CoupledSigmoid, Density, Laplace, Sigmoid
from gristmill.machines.schemes import Scheme

SUPPORT = [{0, 1}, {2}, set()]
KERNEL = gm.PolynomialKernel(2)


def machine(n_outputs=1, *, kernel=KERNEL, support=SUPPORT, **options):
    coef = options.pop("coef", np.arange(3.0 * n_outputs).reshape(3, n_outputs) - 1)
    intercept = options.pop("intercept", np.linspace(-0.5, 0.5, n_outputs))
    return gm.Machine(kernel, support, coef, intercept, **options)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_outputs", "options", "message"),
    [
        (1, {"kernel": "rbf?"}, "kernel must be a gristmill kernel or one of 'poly', 'linear', 'rbf'"),
        (1, {"kernel": None}, "kernel must be a gristmill kernel or one of 'poly'"),
        (1, {"intercept": [[1.0]]}, "intercept must be a number or one number per output, got shape (1, 1)"),
        (1, {"intercept": np.nan}, "intercept must be finite"),
        (1, {"intercept": [np.inf]}, "intercept must be finite"),
        (1, {"coef": [1.0, 2.0]}, "coef must have shape (3, 1)"),
        (2, {"coef": [1.0, 2.0, 3.0]}, "coef must have shape (3, 2)"),
        (1, {"coef": np.ones((1, 3))}, "got (1, 3)"),
        (1, {"coef": sp.csr_matrix((3, 2))}, "got (3, 2)"),
        (1, {"coef": [1.0, np.nan, 0.0]}, "coef must be finite"),
        (1, {"coef": sp.csr_matrix([[np.inf], [0.0], [0.0]])}, "coef must be finite"),
        (1, {"support": np.array([[np.nan], [1], [1]])}, "NaN and infinity cannot be scored"),
        (1, {"support": np.ones(3)}, "expected a table of examples x features"),
        (1, {"classes": []}, "classes must be a list of numbers, strings or booleans"),
        (1, {"classes": [["a", "b"]]}, "classes must be a list of numbers, strings or booleans"),
        (1, {"classes": [None, "a"]}, "classes must be a list of numbers, strings or booleans"),
        (1, {"classes": [b"a", b"b"]}, "classes must be a list of numbers, strings or booleans"),
        (1, {"classes": ["a", "a"]}, "classes must differ from one another"),
        (1, {"classes": [1, 1.0]}, "classes must differ from one another"),
        (3, {"classes": [0, 1, 2]}, "3 outputs for 3 classes: both one-vs-one and one-vs-rest would fit; say which"),
        (2, {"classes": [0, 1, 2]}, "2 outputs for 3 classes: no scheme fits"),
        (1, {"classes": [0, 1, 2]}, "1 output for 3 classes: no scheme fits"),
        (1, {"scheme": "ova"}, "scheme must be one of 'binary', 'one-vs-one'"),
        (1, {"scheme": 7}, "'ovo' or 'ovr', got 7"),
        (1, {"scheme": "binary"}, "scheme 'binary' needs classes"),
        (1, {"scheme": "one-class"}, "scheme 'one-class' needs classes"),
        (3, {"scheme": "ovo"}, "scheme 'one-vs-one' needs classes"),
        (1, {"scheme": "binary", "classes": [1, 2, 3]}, "scheme 'binary' needs two classes, got 3"),
        (1, {"scheme": "one-class", "classes": [1]}, "scheme 'one-class' needs two classes, got 1"),
        (2, {"scheme": "binary", "classes": [1, 2]}, "scheme 'binary' with 2 classes needs 1 output, got 2"),
        (2, {"scheme": "one-class", "classes": [1, 2]}, "scheme 'one-class' with 2 classes needs 1 output, got 2"),
        (4, {"scheme": "ovo", "classes": [1, 2, 3, 4]}, "scheme 'one-vs-one' with 4 classes needs 6 outputs, got 4"),
        (6, {"scheme": "ovr", "classes": [1, 2, 3, 4]}, "scheme 'one-vs-rest' with 4 classes needs 4 outputs, got 6"),
        (1, {"feature_names": ["a", "b"]}, "feature_names must be strings, one for each of 3 features, got 2"),
        (1, {"feature_names": ["a", "b", 3]}, "feature_names must be strings"),
        (1, {"zero_class": 2}, "zero_class must be 0 or 1, got 2"),
        (1, {"zero_class": -1}, "zero_class must be 0 or 1, got -1"),
        (1, {"probability": Sigmoid(np.ones(2), np.ones(2))}, "a needs one number per output (1), got 2"),
        (1, {"probability": Sigmoid(np.ones(1), np.ones((1, 1)))}, "b must be a list of finite numbers"),
        (1, {"probability": Sigmoid(np.ones(1), np.full(1, np.nan))}, "b must be a list of finite numbers"),
        (2, {"probability": Laplace(np.ones(1))}, "scale needs one number per output (2), got 1"),
        (1, {"probability": Density(np.array([1.0, 0.0]))}, "marks must ascend"),
        (1, {"probability": Density(np.empty(0))}, "marks must ascend"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_refuses(n_outputs, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        machine(n_outputs, **options)


def test_a_kernel_beyond_double_is_refused_when_compiled():
    with pytest.raises(ValueError, match="leaves the range of double at 1 shared features"):
        machine(kernel=gm.PolynomialKernel(12, 1e100)).compile()


# --- what is inferred -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_outputs", "classes", "scheme"),
    [
        (1, None, Scheme.REGRESSION),
        (5, None, Scheme.REGRESSION),
        (1, [0, 1], Scheme.BINARY),
        (2, [0, 1], Scheme.ONE_VS_REST),
        (1, [0], Scheme.ONE_VS_REST),
        (0, [0], Scheme.ONE_VS_ONE),
        (4, "abcd", Scheme.ONE_VS_REST),
        (6, "abcd", Scheme.ONE_VS_ONE),
    ],
)
def test_the_scheme_follows_from_the_counts(n_outputs, classes, scheme):
    assert machine(n_outputs, classes=None if classes is None else list(classes)).scheme is scheme


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("ovo", Scheme.ONE_VS_ONE), ("ovr", Scheme.ONE_VS_REST), (Scheme.ONE_VS_ONE, Scheme.ONE_VS_ONE)],
)
def test_three_classes_and_three_outputs_take_the_scheme_they_are_told(name, scheme):
    assert machine(3, classes=["a", "b", "c"], scheme=name).scheme is scheme


@pytest.mark.parametrize(
    "classes", [[False, True], [-1, 1], [0.5, 1.5], np.array(["no", "yes"], dtype=object)], ids=str
)
def test_classes_may_be_booleans_numbers_or_strings(classes):
    np.testing.assert_array_equal(machine(classes=classes).classes, classes)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize(
    "make", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.coo_array, list], ids=lambda f: f.__name__
)
def test_every_form_of_coef_means_the_same(make, n_outputs):
    plain = machine(n_outputs)
    other = machine(n_outputs, coef=make(plain.coef))
    np.testing.assert_array_equal(
        other.compile().decision_function(SUPPORT), plain.compile().decision_function(SUPPORT)
    )


def test_sparse_coef_counts_duplicates_once_as_their_sum():
    coef = sp.coo_matrix(([1.0, 2.0, 4.0], ([0, 0, 2], [0, 0, 0])), shape=(3, 1))
    np.testing.assert_array_equal(machine(coef=coef).coef.toarray(), [[3], [0], [4]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_give_feature_names(frame):
    support = frame({"red": [1, 0, 0], "round": [True, False, True]})
    assert machine(support=support).feature_names == ("red", "round")


@pytest.mark.parametrize(
    "names", [["x", "y"], ("x", "y"), np.array(["x", "y"], dtype=object)], ids=lambda n: type(n).__name__
)
def test_names_that_are_given_win_over_those_of_a_frame(names):
    support = pd.DataFrame({"red": [1, 0, 0], "round": [1, 0, 1]})
    assert machine(support=support, feature_names=names).feature_names == ("x", "y")


def test_a_machine_may_have_no_support_rows():
    empty = machine(support=[], coef=[], intercept=[2.5])
    assert (empty.n_support, empty.n_features, empty.n_outputs) == (0, 0, 1)


# --- what is kept -----------------------------------------------------------------------------------------------------


def change(array):
    array[0] += 1


def dense_support(values):
    return sp.csr_matrix(np.array([[1.0, values], [0.0, 1.0], [0.0, 0.0]]))


@pytest.mark.parametrize(
    ("options", "touch"),
    [
        ({"coef": np.ones(3)}, lambda o: change(o["coef"])),
        ({"coef": np.ones((3, 1))}, lambda o: change(o["coef"])),
        ({"coef": sp.csr_matrix(np.ones((3, 1)))}, lambda o: change(o["coef"].data)),
        ({"intercept": np.ones(1)}, lambda o: change(o["intercept"])),
        ({"classes": np.array([0, 5])}, lambda o: change(o["classes"])),
        ({"feature_names": ["a", "b", "c"]}, lambda o: o["feature_names"].reverse()),
        ({"provenance": {"format": "here"}}, lambda o: o["provenance"].update(format="there")),
        ({"support": np.eye(3)}, lambda o: change(o["support"])),
        ({"support": dense_support(1.0)}, lambda o: change(o["support"].indices[1:])),
        ({"support": dense_support(0.5)}, lambda o: change(o["support"].data)),
        ({"probability": Sigmoid(np.ones(1), np.ones(1))}, lambda o: change(o["probability"].a)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_changing_what_was_passed_does_not_change_the_machine(options, touch):
    made, twin = machine(**options), machine(**{name: copied(value) for name, value in options.items()})
    assert made == twin
    touch(options)
    assert made == twin


def copied(value):
    if isinstance(value, Sigmoid):
        return Sigmoid(value.a.copy(), value.b.copy())
    return value.copy()


def test_making_a_machine_does_not_change_what_was_passed():
    """A CSR matrix with unsorted columns and a duplicate is put in order in a copy."""
    coef = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 0]), np.array([0, 3, 3, 3])), shape=(3, 2))
    machine(2, coef=coef)
    np.testing.assert_array_equal(coef.data, [1, 2, 4])
    np.testing.assert_array_equal(coef.indices, [1, 0, 0])


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": gm.PolynomialKernel(3)},
        {"coef": [1.0, 2.0, 3.0]},
        {"coef": sp.csr_matrix([[-1.0], [0.0], [1.0]])},
        {"intercept": 0.25},
        {"support": [{0, 1}, {2}, {2}]},
        {"support": np.array([[1, 1, 0], [0, 0, 2], [0, 0, 0]])},
        {"classes": ["no", "maybe"]},
        {"scheme": "one-class"},
        {"zero_class": 1},
        {"feature_names": ["a", "b", "c"]},
        {"probability": Sigmoid(np.ones(1), np.ones(1))},
        {"probability": CoupledSigmoid(np.zeros(1), np.zeros(1))},
        {"provenance": {"format": "elsewhere"}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_machines_that_differ_in_one_thing_are_not_equal(options):
    basis = {"classes": ["no", "yes"], "probability": Sigmoid(np.zeros(1), np.zeros(1))}
    assert machine(**basis) == machine(**basis)
    assert machine(**basis) != machine(**(basis | options))


def test_a_machine_equals_nothing_else_and_has_no_hash():
    assert machine() != "machine"
    with pytest.raises(TypeError, match="unhashable"):
        hash(machine())


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({}, "regression: 3 support rows, 3 features, 1 output)"),
        ({"classes": ["no", "yes"]}, "binary: 3 support rows, 3 features, 1 output, 2 classes)"),
        ({"support": np.diag([1, 2, 3])}, "regression: 3 support rows, 3 features, 1 output, real values)"),
    ],
    ids=str,
)
def test_repr_says_what_it_is(options, ending):
    assert repr(machine(**options)) == f"Machine(PolynomialKernel(degree=2, gamma=1.0, coef0=1.0), {ending}"


def test_arrays_of_a_machine_cannot_be_changed():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0)
    for array in (machine.coef, machine.intercept, machine.support.ids):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_compiled_machine_can_be_pickled():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0)
    machine.compile()
    assert pickle.loads(pickle.dumps(machine)) == machine


@pytest.mark.parametrize("provenance", [{"a": object()}, {"a": float("nan")}, {1: 2, "b": 3}])
def test_provenance_that_json_cannot_hold_is_refused(provenance):
    with pytest.raises(ValueError, match="provenance"):
        gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, provenance=provenance)


def test_columns_of_a_frame_are_matched_by_name():
    frame = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
    scorer = gm.Machine(gm.PolynomialKernel(2), frame, [1.0, -1.0], 0.5).compile()
    assert scorer.decision_function(frame[["b", "a"]]).tolist() == scorer.decision_function(frame).tolist()
