"""Small things that surprised, each with its test."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import gristmill as gm


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = (X[:300] > 8).astype(float)
    return SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y[:300]), X


def test_one_vs_one_explains_the_class_that_won_not_one_pair(digits):
    svc, X = digits
    explanation = gm.explain(svc, X[:20], interactions=True)
    pairwise = gm.from_sklearn(svc).compile().decision_function(X[:20])
    for row, label, scores in zip(explanation, svc.predict(X[:20]), pairwise, strict=True):
        found = row.as_dict()
        assert found["output"] == str(label)
        assert found["score"] == pytest.approx(_of_class(scores, label))
        assert found["score"] == pytest.approx(found["baseline"] + sum(one["value"] for one in found["features"]))
        assert f"score ({label})" in row.draw()
        assert row.matrix().sum() == pytest.approx(found["score"] - found["baseline"])


def _of_class(scores, label):
    """The sum of the scores of its pairs, each signed in its favour."""
    signs = [int(a == label) - int(b == label) for a in range(10) for b in range(a + 1, 10)]
    return float(np.dot(scores, signs))


def test_pairs_and_other_classes_can_be_named(digits):
    svc, X = digits
    row = gm.explain(svc, X[:1])[0]
    assert row.as_dict("0 : 3")["output"] == "0 : 3"
    assert row.as_dict("0 : 3")["score"] == pytest.approx(row.score[2])
    assert row.as_dict("7")["output"] == "7"
    with pytest.raises(ValueError, match="output must be one of"):
        row.as_dict("10")


def test_trees_of_several_classes_are_explained_by_the_class_that_won():
    trees = ["(S (A a))", "(S (B b))", "(S (C c))", "(S (A a) (A a))", "(S (B b) (B b))", "(S (C c) (C c))"]
    clf = gm.KernelSVC("sst", C=10).fit(trees, list("xyzxyz"))
    for tree, label in zip(trees, clf.predict(trees), strict=True):
        (found,) = gm.explain(clf, [tree])
        assert str(found).startswith(f"{label}: ")
        only = found.only(str(label))
        assert only.score[0] == pytest.approx(only.base[0] + only.shares().sum())


def test_two_classes_have_one_output_as_before():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1]]), [[1.0]], [0.0], ["a", "b"], "ovo")
    assert gm.explain(machine, gm.ids([[0]]))[0].as_dict()["output"] == "a : b"


def test_values_of_a_class_are_the_signed_sum_of_its_pairs(digits):
    svc, X = digits
    row = gm.explain(svc, X[:1])[0]
    expected = [_of_class(values, 4) for values in row.values]
    assert np.allclose(row.outputs.column(row.values, row.output("4")), expected)
