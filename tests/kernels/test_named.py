"""Kernels by name: wherever a kernel is accepted, a name is."""

import pytest

import gristmill as gm
from gristmill.kernels import as_kernel
from gristmill.kernels.named import from_spec, to_spec


def test_names_of_kernels_on_rows_have_their_defaults():
    assert as_kernel("poly") == gm.PolynomialKernel(2, 1.0, 1.0)
    assert as_kernel("linear") == gm.PolynomialKernel(1, 1.0, 0.0)


def test_names_of_tree_kernels_mean_the_normalised_kernel():
    assert as_kernel("sst-bow") == gm.Normalized(gm.SubsetTreeKernel(leaves=True))
    assert as_kernel("uptk") == gm.Normalized(gm.PartialTreeKernel(single_nodes=False))


@pytest.mark.parametrize("name", ["poly", "linear"])
def test_a_machine_takes_the_name_of_its_kernel(name):
    support, x = gm.ids([[0, 1], [1, 2]]), gm.ids([[1], [0, 2]])
    machine = gm.Machine(name, support, [1.0, -0.5], 0.25)
    same = gm.Machine(as_kernel(name), support, [1.0, -0.5], 0.25)
    assert machine == same
    assert machine.compile().decision_function(x).tolist() == same.compile().decision_function(x).tolist()


@pytest.mark.parametrize("kernel", ["polynomial", "gaussian", None, 3])
def test_other_names_are_refused_with_the_known_ones(kernel):
    with pytest.raises(ValueError, match="must be a gristmill kernel or one of 'poly', 'linear', 'rbf', 'tanimoto'"):
        as_kernel(kernel)


def test_a_field_that_came_later_is_saved_unless_it_has_its_default():
    """So that files of older versions and of this one are the same bytes."""
    plain, leaves = to_spec(gm.PartialTreeKernel()), to_spec(gm.PartialTreeKernel(terminal_factor=0.5))
    assert list(plain) == ["name", "decay", "mu", "weighting", "max_children", "single_nodes"]
    assert leaves == {**plain, "terminal_factor": 0.5}
    for spec in (plain, leaves):
        assert to_spec(from_spec(spec)) == spec
