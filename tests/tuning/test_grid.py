"""What is tried."""

from __future__ import annotations

import pytest

import gristmill as gm
from gristmill.tuning.grid import make_grid, parameters_of, with_parameter


def test_each_parameter_goes_to_the_kernels_that_have_it():
    grid = make_grid(["sst", "ptk", "poly", "linear"], [1], {"decay": [0.2, 0.4], "mu": [0.1, 0.3], "degree": [1, 2]})
    assert [str(setting) for setting in grid.kernels] == [
        *("sst decay=0.2", "sst decay=0.4"),
        *("ptk decay=0.2 mu=0.1", "ptk decay=0.2 mu=0.3", "ptk decay=0.4 mu=0.1", "ptk decay=0.4 mu=0.3"),
        *("poly degree=1", "poly degree=2", "linear"),
    ]
    assert grid.kernels[3].kernel == gm.Normalized(gm.PartialTreeKernel(0.2, mu=0.3))


def test_parameters_reach_the_kernels_within_sums_and_fields():
    kernel = gm.Normalized(gm.SubsetTreeKernel()).on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    assert parameters_of(kernel) == {"decay", "leaves", "degree", "gamma", "coef0", "weight"}
    made = with_parameter(with_parameter(kernel, "decay", 0.7), "degree", 3)
    assert made == gm.Normalized(gm.SubsetTreeKernel(0.7)).on("trees") + 0.5 * gm.PolynomialKernel(3).on("vectors")
    assert with_parameter(kernel, "weight", 2.0).parts[1].weight == 2.0


def test_equal_settings_are_tried_once_and_costs_ascend():
    grid = make_grid(["sst", gm.Normalized(gm.SubsetTreeKernel(0.4))], [10, 1.0, 10.0], {"decay": [0.4, 0.4, 0.2]})
    assert grid.costs == [1.0, 10.0]
    assert [setting.kernel.kernel.decay for setting in grid.kernels] == [0.4, 0.2]
    assert len(grid) == len(grid.settings) == 4


def test_a_dict_names_kernels():
    assert str(make_grid({"mine": gm.SubsetTreeKernel()}, 1, {"decay": 0.3}).settings[0]) == "mine decay=0.3 C=1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([], [1], None), "kernels is empty"),
        (("sst", [], None), "C is empty"),
        (("sst", [1], {"decay": []}), r"parameters\['decay'\] is empty"),
        (
            (["sst", "ptk"], [1], {"degree": [2]}),
            "no kernel has a parameter 'degree'; those of these kernels are decay",
        ),
        (("linear", [1], {"degree": [2]}), "no kernel has a parameter 'degree'"),
        (("gaussian", [1], None), "among 'poly', 'linear', 'rbf', 'tanimoto'.* 'st', 'sst'.* got 'gaussian'"),
        (("rbf", [1], None), "gamma must be a number here, got 'scale'"),
        (("precomputed", [1], None), "got 'precomputed'"),
        (([len], [1], None), "kernels must be gristmill kernels"),
        (("sst", [1, float("nan")], None), "C must be a finite number above 0 or 'auto', got nan"),
        (("sst", [0], None), "C must be a finite number above 0 or 'auto', got 0"),
        (("sst", ["scale"], None), "C must be a finite number above 0 or 'auto', got 'scale'"),
        (("sst", [1], [0.2]), "parameters must be a dict"),
        (("sst", [1], {"decay": [0.2, -1]}), "decay must be a finite number above 0, got -1"),
    ],
)
def test_what_cannot_be_tried_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        make_grid(*arguments)
