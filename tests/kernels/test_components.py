"""Components of a kernel: together they are the machine, whatever the combination."""

import numpy as np
import pytest

import gristmill as gm
from gristmill.kernels.components import components

TREES = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP (V sleep)))", "(S (NP dogs) (VP sleep))"]
EXAMPLES = gm.Examples(trees=TREES, vectors=gm.ids([[0, 1], [1, 2], [0, 2, 3]]))
TREE, ROW = gm.SubsetTreeKernel(0.5).on("trees"), gm.PolynomialKernel(2).on("vectors")
KERNELS = {
    "one field": TREE,
    "a weighted sum": 0.3 * TREE + ROW,
    "a normalised sum": gm.Normalized(TREE + 0.5 * ROW),
    "norms of parts": gm.Normalized(TREE) + 2.0 * gm.Normalized(ROW),
    "norms of norms": gm.Normalized(0.25 * gm.Normalized(TREE) + ROW),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_components_add_up_to_the_gram_matrix(kernel):
    coef = np.array([[1.0, -2.0], [0.5, 0.0], [-1.5, 3.0]])
    total = np.zeros((3, 2))
    for part in components(kernel, EXAMPLES, coef):
        values = part.kernel(part.examples(EXAMPLES), part.support) @ part.coef
        total += part.scale(EXAMPLES)[:, None] * values
    np.testing.assert_allclose(total, kernel(EXAMPLES) @ coef, rtol=1e-12)


def test_components_come_in_the_order_of_the_kernel_with_their_fields():
    found = list(components(gm.Normalized(TREE) + 0.5 * ROW, EXAMPLES, np.ones((3, 1))))
    assert [(type(part.kernel), part.field, len(part.norms)) for part in found] == [
        (gm.SubsetTreeKernel, "trees", 1),
        (gm.PolynomialKernel, "vectors", 0),
    ]
    assert found[1].coef.tolist() == [[0.5]] * 3
