"""Columns are matched by their names in one place, before any engine sees the data."""

import itertools

import numpy as np
import pytest

import gristmill as gm

pd = pytest.importorskip("pandas")

NAMES = ["money", "bank", "river", "boat"]
POLY = gm.PolynomialKernel(2)
KERNELS = {
    "polynomial": POLY,
    "normalised": gm.Normalized(POLY),
    "sum": POLY + 0.5 * gm.Normalized(gm.PolynomialKernel(3)),
    "scaled": 2.0 * POLY,
}
ENGINES = {"polynomial": ("direct", "inverted", "expanded", "split")}
TABLE = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0]])
CELLS = [(name, engine) for name in KERNELS for engine in ENGINES.get(name, ("direct", "forest"))]


def _frame(table=TABLE, names=NAMES):
    return pd.DataFrame(table, columns=names)


def _machine(kernel, support):
    return gm.Machine(kernel, support, [1.0, -1.0, 0.5, -0.75], 0.1, classes=["water", "finance"])


@pytest.mark.parametrize(("name", "engine"), CELLS)
def test_any_order_of_columns_gives_the_same_scores_with_any_engine(name, engine):
    scorer = _machine(KERNELS[name], _frame()).compile(engine)
    expected = scorer.decision_function(_frame())
    for order in itertools.permutations(NAMES):
        assert np.array_equal(scorer.decision_function(_frame()[list(order)]), expected)
        assert np.array_equal(scorer.predict(_frame()[list(order)]), scorer.predict(_frame()))


@pytest.mark.parametrize(("name", "engine"), CELLS)
def test_names_that_differ_are_refused(name, engine):
    scorer = _machine(KERNELS[name], _frame()).compile(engine)
    with pytest.raises(ValueError, match=r"1 missing \['boat'\], 1 unknown \['ship'\]"):
        scorer.predict(_frame(names=["money", "bank", "river", "ship"]))


@pytest.mark.parametrize("engine", ["direct", "forest"])
def test_fields_of_examples_are_matched_one_by_one(engine):
    trees = gm.Forest.from_strings(["(S a)", "(S b)", "(S c)", "(S a b)"])
    kernel = gm.SubsetTreeKernel().on("trees") + gm.Normalized(POLY).on("words")
    scorer = _machine(kernel, gm.Examples(trees=trees, words=_frame())).compile(engine)
    expected = scorer.decision_function(gm.Examples(trees=trees, words=_frame()))
    reordered = gm.Examples(trees=trees, words=_frame()[NAMES[::-1]])
    assert np.array_equal(scorer.decision_function(reordered), expected)
    assert np.allclose([one.score[0] for one in gm.explain(scorer.machine, reordered)], expected)
    with pytest.raises(ValueError, match="1 missing"):
        scorer.predict(gm.Examples(trees=trees, words=_frame(names=["money", "bank", "river", "ship"])))


@pytest.mark.parametrize("name", KERNELS)
def test_gram_matrices_match_columns_too(name):
    kernel, reordered = KERNELS[name], _frame()[NAMES[::-1]]
    for compare in (kernel, kernel.direct):
        assert np.allclose(compare(reordered, _frame()), kernel(TABLE, TABLE))
        with pytest.raises(ValueError, match="1 missing"):
            compare(_frame(names=["money", "bank", "river", "ship"]), _frame())


def test_explanations_match_columns_too():
    machine = _machine(POLY, _frame())
    expected = machine.compile().decision_function(_frame())
    assert np.allclose(gm.explain(machine, _frame()[NAMES[::-1]]).scores[:, 0], expected)


def test_data_without_names_are_read_by_position():
    for kernel in KERNELS.values():
        scorer = _machine(kernel, _frame()).compile()
        assert np.array_equal(scorer.decision_function(TABLE), scorer.decision_function(_frame()))
