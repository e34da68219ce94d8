"""A machine is immutable; `replace` changes a part and keeps everything else."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

import gristmill as gm
from gristmill.machines.probability import Sigmoid
from tests.data.strategies import classifiers


def _on_rows():
    return gm.Machine(
        gm.PolynomialKernel(2),
        gm.ids([[0, 1], [2]]),
        [1.0, -0.5],
        -1.0,
        classes=["no", "yes"],
        feature_names=["money", "bank", "river"],
        zero_class=1,
        first_id=1,
        probability=Sigmoid(np.array([-1.0]), np.array([0.5])),
        provenance={"format": "somewhere"},
    )


def _on_trees():
    support = gm.Forest.from_strings(["(S (A a) (B b))", "(S (A c))"])
    more = {"zero_class": 1, "probability": Sigmoid(np.array([-1.0]), np.array([0.5])), "provenance": {"a": 1}}
    return gm.Machine("sst", support, [1.0, -0.5], 0.25, ["no", "yes"], **more)


MACHINES = {"rows": _on_rows(), "trees": _on_trees()}
KEPT = ("zero_class", "first_id", "feature_names", "scheme", "provenance", "probability")


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("name", ["feature_names", "coef", "intercept", "classes", "kernel", "support", "anything"])
def test_no_part_can_be_assigned_or_deleted(kind, name):
    machine = MACHINES[kind]
    with pytest.raises(AttributeError, match=rf"immutable: use machine\.replace\({name}=\.\.\.\)"):
        setattr(machine, name, ["x"])
    with pytest.raises(AttributeError, match="immutable"):
        delattr(machine, name)


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_stays_immutable_after_a_journey(kind):
    for machine in (pickle.loads(pickle.dumps(MACHINES[kind])), copy.copy(MACHINES[kind])):
        assert machine == MACHINES[kind]
        machine.compile()
        with pytest.raises(AttributeError, match="immutable"):
            machine.feature_names = ["x"]


@pytest.mark.parametrize("kind", MACHINES)
def test_replace_keeps_everything_else(kind, tmp_path):
    machine = MACHINES[kind]
    changed = machine.replace(classes=[-1, 1])
    assert changed.classes.tolist() == [-1, 1]
    for name in KEPT:
        assert getattr(changed, name) is getattr(machine, name) or _same(getattr(changed, name), getattr(machine, name))
    assert changed.replace(classes=machine.classes) == machine
    changed.save(tmp_path / "changed")
    assert gm.load(tmp_path / "changed") == changed


def _same(one, other):
    return one == other or vars(one).keys() == vars(other).keys()


@given(classifiers(), st.integers(0, 1))
def test_replacing_nothing_changes_nothing(machine, zero_class):
    assert machine.replace() == machine
    assert machine.replace(zero_class=zero_class).replace(zero_class=machine.zero_class) == machine


def test_names_are_changed_by_replace_and_checked_there(tmp_path):
    machine = gm.KernelSVC(degree=2).fit([[1, 0, 1], [1, 1, 0], [0, 1, 1]], [0, 0, 1]).machine_
    with pytest.raises(ValueError, match="one for each of 3 features, got 2"):
        machine.replace(feature_names=["a", "b"])
    named = machine.replace(feature_names=["a", "b", "c"])
    named.save(tmp_path / "named")
    assert gm.load(tmp_path / "named").feature_names == ("a", "b", "c")


def test_rows_with_names_of_their_own_bring_them():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 1, 0], [0, 0, 1]], columns=["x", "y", "z"])
    assert MACHINES["rows"].replace(support=frame).feature_names == ("x", "y", "z")


@pytest.mark.parametrize("kind", MACHINES)
def test_provenance_is_to_be_read_only(kind):
    with pytest.raises(TypeError):
        MACHINES[kind].provenance["more"] = 1


def test_another_kind_of_kernel_keeps_the_names():
    """Of the columns, where the machine has no other place for them."""
    machine = MACHINES["rows"].replace(kernel=gm.Normalized(gm.PolynomialKernel(2)))
    assert machine.support.feature_names == ("money", "bank", "river")
    assert (machine.zero_class, machine.classes.tolist()) == (1, ["no", "yes"])


def test_a_part_that_there_is_not():
    with pytest.raises(TypeError, match="has no bias; its parts are kernel, support, coef"):
        MACHINES["rows"].replace(bias=1.0)
    with pytest.raises(ValueError, match="feature_names are for machines on rows; the support is trees"):
        MACHINES["trees"].replace(feature_names=["x"])


def test_ties_fall_as_before():
    """Of a machine from scikit-learn a score of 0 means the second class, also under other names of classes."""
    svc = SVC(kernel="poly", degree=1, gamma=1, coef0=0, C=1.0).fit([[1, 0], [0, 1]], ["a", "b"])
    machine = gm.from_sklearn(svc)
    assert svc.predict([[0, 0]]).tolist() == machine.compile().predict(np.zeros((1, 2))).tolist() == ["b"]
    assert machine.replace(classes=[0, 1]).compile().predict(np.zeros((1, 2))).tolist() == [1]
