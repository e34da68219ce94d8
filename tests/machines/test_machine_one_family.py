"""One class for machines on rows, trees and fields: the same parts, options and ways to read data."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import gristmill as gm
from gristmill.machines.store import from_bytes, to_bytes
from gristmill.scoring.engines import engines_for

ROWS = gm.ids([[0, 2], [1], []], n_features=4)
FOREST = gm.Forest.from_strings(["(S (A a))", "(S (B b))", "(leaf)"])
COEF = [0.75, -0.5, 0.25]
COMBINED = gm.SubsetTreeKernel().on("trees") + gm.PolynomialKernel(2).on("vectors")
MACHINES = {
    "polynomial": gm.Machine("poly", ROWS, COEF, 0.5, classes=["no", "yes"]),
    "normalized rows": gm.Machine(gm.Normalized(gm.PolynomialKernel(3)), ROWS, COEF, 0.5, classes=["no", "yes"]),
    "trees": gm.Machine("sst", FOREST, COEF, 0.5, classes=["no", "yes"]),
    "fields": gm.Machine(COMBINED, gm.Examples(trees=FOREST, vectors=ROWS), COEF, 0.5, classes=["no", "yes"]),
}


@pytest.fixture(params=MACHINES)
def machine(request):
    return MACHINES[request.param]


def test_the_signature_tells_the_truth(machine):
    assert type(machine) is gm.Machine
    names = list(inspect.signature(gm.Machine).parameters)
    assert names[:6] == ["kernel", "support", "coef", "intercept", "classes", "scheme"]
    assert set(names) == set(gm.Machine._PARTS)


def test_kernels_by_name():
    assert MACHINES["polynomial"].kernel == gm.PolynomialKernel()
    assert gm.Machine("linear", ROWS, COEF, 0.0).kernel == gm.PolynomialKernel(1, 1.0, 0.0)


def test_all_are_replaced_saved_and_compiled_alike(machine):
    assert from_bytes(to_bytes(machine)) == machine == machine.replace()
    other = machine.replace(intercept=0.25)
    assert other != machine
    expected = machine.compile("direct").decision_function(machine.support)
    for engine in ("auto", *engines_for(machine)):
        if engine == "converted":
            continue
        np.testing.assert_allclose(machine.compile(engine).decision_function(machine.support), expected, atol=1e-12)
        np.testing.assert_allclose(
            other.compile(engine).decision_function(machine.support), expected - 0.25, atol=1e-12
        )


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("trees", {"sample": ROWS}, "sample is for kernels on rows"),
        ("trees", {"sigma": 0.5}, "sigma, xi and certified belong to engine='expanded'"),
        ("fields", {"rare": 3}, "rare belongs to engine='split'"),
        ("normalized rows", {"engine": "expanded"}, "engine must be one of 'auto', 'direct', 'forest'"),
        ("polynomial", {"engine": "forest"}, "engine must be one of 'auto', 'direct', 'inverted'"),
    ],
)
def test_options_of_another_kind_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        MACHINES[name].compile(**options)


@pytest.mark.parametrize("parts", [{"feature_names": ["a"]}, {"first_id": 1}])
@pytest.mark.parametrize("name", ["trees", "fields"])
def test_parts_of_rows_are_refused_where_there_are_none(name, parts):
    with pytest.raises(ValueError, match=r"for machines on rows; the support is (trees|examples)"):
        MACHINES[name].replace(**parts)


def test_rows_under_any_kernel_have_features_names_and_numbers():
    named = MACHINES["normalized rows"].replace(feature_names=list("abcd"), first_id=1)
    assert (named.n_features, named.feature_names, named.first_id) == (4, ("a", "b", "c", "d"), 1)
    assert from_bytes(to_bytes(named)) == named


@pytest.mark.parametrize("engine", ["direct", "forest"])
def test_columns_are_matched_by_name_under_any_kernel(engine):
    pd = pytest.importorskip("pandas")
    machine = MACHINES["normalized rows"].replace(feature_names=list("abcd"))
    table = pd.DataFrame([[1, 0, 1, 0], [0, 1, 0, 0]], columns=list("abcd"))
    scorer = machine.compile(engine)
    expected = scorer.decision_function(table)
    np.testing.assert_array_equal(scorer.decision_function(table[["d", "b", "a", "c"]]), expected)


@pytest.mark.parametrize("name", ["polynomial", "normalized rows"])
def test_values_of_rows_are_read_in_one_way(name):
    machine, data = MACHINES[name], np.array([[0.0, 2.5, 0.0, 0.0]])
    with pytest.warns(gm.DataConversionWarning):
        found = machine.compile().decision_function(data)
    assert found == machine.compile().decision_function(gm.ids([[1]]))
    with pytest.raises(ValueError, match="X must hold only 0 and 1"):
        machine.compile(binarize=None).decision_function(data)
    kept = machine.compile(binarize=False).decision_function(data)
    assert kept == pytest.approx(machine.kernel(data, ROWS)[0] @ COEF + 0.5)


def test_narrow_views_refuse_other_machines():
    assert MACHINES["polynomial"].rows == ROWS
    with pytest.raises(ValueError, match="a machine on rows, got one whose support is trees"):
        _ = MACHINES["trees"].rows
    with pytest.raises(ValueError, match="a machine with a polynomial kernel, got"):
        _ = MACHINES["normalized rows"].polynomial


def test_rows_and_examples_are_equal_where_all_is_equal():
    assert ROWS == gm.ids([[0, 2], [1], []], n_features=4) != gm.ids([[0, 2], [1], []])
    one, other = (gm.Examples(trees=FOREST, vectors=rows) for rows in (ROWS, gm.ids([[0], [1], []], n_features=4)))
    assert one == one.copy() != other


def test_supports_that_can_be_read_once_are_replaced():
    support = (tree for tree in ["(S (A a))", "(S (B b))", "(S c)"])
    assert len(MACHINES["trees"].replace(support=support).support) == 3


def test_machines_that_were_pickled_are_immutable(machine):
    again = pickle.loads(pickle.dumps(machine))
    assert again == machine
    assert not again.coef.flags.writeable
    with pytest.raises(AttributeError, match="immutable"):
        again.intercept = 0.0


def test_names_of_combined_kernels_are_their_own_in_a_collection(tmp_path):
    machines = {
        "own": MACHINES["normalized rows"].replace(feature_names=list("abcd")),
        "one": MACHINES["polynomial"].replace(feature_names=list("pqrs")),
        "two": MACHINES["polynomial"].replace(feature_names=list("pqrs")),
    }
    gm.Machines(machines).save(tmp_path / "all")
    again = gm.load(tmp_path / "all")
    assert {name: machine.feature_names for name, machine in again.items()} == {
        "own": tuple("abcd"),
        "one": tuple("pqrs"),
        "two": tuple("pqrs"),
    }


def test_names_may_outnumber_columns():
    machine = MACHINES["polynomial"].replace(feature_names=list("abcdef"))
    turned = machine.replace(feature_names=list("fedcba"))
    assert len(turned.compile().decision_function(machine.support)) == 3


def test_numpy_numbers_are_options_too(machine, tmp_path):
    options = {"max_bytes": np.int64(1 << 30), "cache": tmp_path / "scorer"}
    assert machine.compile(**options).engine == machine.compile(**options).engine
