"""Examples: several fields per example, and kernels that look at one each."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import gristmill as gm
from gristmill.data.rows import Rows
from gristmill.machines import store
from gristmill.machines.formats import load_bytes
from tests.kernels.test_trees import forest, random_trees

SST, PTK, POLY = gm.SubsetTreeKernel(), gm.PartialTreeKernel(), gm.PolynomialKernel(2, 0.5, 1.0)
same_bits = np.testing.assert_array_equal
close = np.testing.assert_allclose
N = 40


@pytest.fixture(scope="module")
def fields():
    rng = np.random.default_rng(1)
    return {
        "syntax": forest(random_trees(N, seed=1)),
        "names": forest(random_trees(N, seed=2, largest=5)),
        "words": sp.csr_matrix(rng.random((N, 12)) < 0.3, dtype=np.float64),
        "numbers": rng.normal(size=(N, 3)),
    }


@pytest.fixture(scope="module")
def X(fields):  # noqa: N802
    return gm.Examples(**fields)


# --- fields -----------------------------------------------------------------------------------------------------------


def test_fields_are_forests_and_rows(X, fields):
    assert list(X.fields) == list(fields)
    assert X["syntax"] == fields["syntax"]
    assert isinstance(X["words"], Rows)
    same_bits(X["words"].to_csr().toarray(), fields["words"].toarray())
    same_bits(X["numbers"].to_csr().toarray(), fields["numbers"])
    assert repr(X) == f"Examples({N} of syntax: trees, names: trees, words: vectors, numbers: vectors)"


@pytest.mark.parametrize("trees", [["(a b)", "(c d)"], ("(a b)", "(c d)")], ids=["list", "tuple"])
def test_strings_are_trees_and_sets_of_ids_are_vectors(trees):
    X = gm.Examples(trees=trees, ids=[{0, 3}, set()])
    assert list(X["trees"]) == list(trees)
    same_bits(X["ids"].to_csr().toarray(), [[1, 0, 0, 1], [0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "at least one field"),
        ({"a": ["(a b)"], "b": [{0}, {1}]}, r"same number of examples, got \{'a': 1, 'b': 2\}"),
        ({"a": ["(a b"]}, "never closed"),
        ({"a": ["(a b)", 3]}, "row 0|tree 1"),
        ({"a": 3}, "int"),
    ],
    ids=repr,
)
def test_what_makes_no_examples_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        gm.Examples(**wrong)


def test_a_field_that_is_not_there_is_refused(X):
    with pytest.raises(ValueError, match="no field 'verbs'; the fields are 'syntax', 'names', 'words', 'numbers'"):
        X["verbs"]


# --- an array of examples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "which",
    [
        slice(2, 9),
        slice(None, None, -3),
        [3, 0, 3],
        [],
        np.arange(N) % 2 == 0,
        np.array([], dtype=int),
        (slice(0, 5), ...),
        ([1, 4], ...),
    ],
    ids=str,
)
def test_parts_have_parts_of_every_field(X, fields, which):
    part = X[which]
    numbers = np.arange(N)[which if not isinstance(which, list) or which else slice(0, 0)]
    assert (len(part), part.shape, part.ndim) == (len(numbers), (len(numbers),), 1)
    assert list(part["syntax"]) == [fields["syntax"][n] for n in numbers]
    same_bits(part["numbers"].to_csr().toarray(), fields["numbers"][numbers])


def test_numbers_and_iteration_give_examples_of_one(X):
    assert len(X[-1]) == 1
    assert list(X[-1]["syntax"]) == [X["syntax"][-1]]
    assert [one["names"][0] for one in X] == list(X["names"])


@pytest.mark.parametrize("which", [N, -N - 1, [N], [True, False], 1.0], ids=repr)
def test_parts_that_are_not_there_are_refused(X, which):
    with pytest.raises(IndexError):
        X[which]


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda X: pickle.loads(pickle.dumps(X))])
def test_copies_hold_the_same(X, travel):
    kernel = SST.on("syntax") + POLY.on("numbers")
    same_bits(kernel(travel(X)), kernel(X))


# --- kernels ----------------------------------------------------------------------------------------------------------

COMBINED = {
    "one": (SST.on("syntax"), lambda k: k(SST, "syntax")),
    "scaled": (0.5 * POLY.on("numbers"), lambda k: 0.5 * k(POLY, "numbers")),
    "scaled inside": ((3 * POLY).on("words"), lambda k: 3 * k(POLY, "words")),
    "sum": (SST.on("syntax") + POLY.on("words"), lambda k: k(SST, "syntax") + k(POLY, "words")),
    "two trees": (SST.on("syntax") + 2 * PTK.on("names"), lambda k: k(SST, "syntax") + 2 * k(PTK, "names")),
    "sum on a field": ((SST + 0.5 * PTK).on("names"), lambda k: k(SST, "names") + 0.5 * k(PTK, "names")),
    "many": (
        gm.Normalized(SST).on("syntax") + 0.25 * (POLY.on("words") + PTK.on("names")) + POLY.on("numbers"),
        lambda k: k(gm.Normalized(SST), "syntax") + 0.25 * (k(POLY, "words") + k(PTK, "names")) + k(POLY, "numbers"),
    ),
}
all_combined = pytest.mark.parametrize(("kernel", "by_hand"), COMBINED.values(), ids=list(COMBINED))


@all_combined
def test_kernels_on_fields_are_combined_as_by_hand(X, kernel, by_hand):
    left, right = X[:25], X[15:]
    expected = by_hand(lambda part, field: part(left[field], right[field]))
    close(kernel(left, right), expected, rtol=1e-12)
    close(kernel.direct(left, right), expected, rtol=1e-12)
    close(kernel.rows(right).against(left), expected, rtol=1e-12)
    gram = by_hand(lambda part, field: part(X[field]))
    close(kernel(X), gram, rtol=1e-12)
    close(kernel.rows(X)[[3, 5]], gram[[3, 5]], rtol=1e-12)
    close(kernel.diag(X), np.diagonal(gram), rtol=1e-12)
    norms = np.sqrt(np.where(np.diagonal(gram) > 0, np.diagonal(gram), 1))
    close(gm.Normalized(kernel)(X), gram / np.outer(norms, norms), rtol=1e-12)


def test_kernels_on_different_data_do_not_add_up():
    with pytest.raises(ValueError, match="kernels on fields and on trees do not add up; name fields"):
        SST.on("syntax") + PTK
    with pytest.raises(ValueError, match="kernels on rows and on trees"):
        SST + POLY


@pytest.mark.parametrize(
    ("kernel", "data", "message"),
    [
        (SST.on("syntax"), ["(a b)"], "compares the field 'syntax'; give gristmill.Examples, got list"),
        (SST.on("syntax"), forest(["a"]), "compares the field 'syntax'; give gristmill.Examples, got Forest"),
        (SST.on("verbs"), "X", "there is no field 'verbs'"),
        (SST.on("words"), "X", "expected a Forest"),
        (POLY.on("syntax"), "X", "cannot take data from Forest"),
        (SST, "X", "Examples.*field"),
        (POLY, "X", "Examples.*field"),
        (gm.Normalized(PTK), "X", "Examples.*field"),
    ],
    ids=str,
)
def test_kernels_and_data_that_do_not_fit_are_refused(X, kernel, data, message):
    with pytest.raises(ValueError, match=message):
        kernel(X if isinstance(data, str) else data)


@pytest.mark.parametrize("field", ["", 3, None])
def test_a_field_has_a_name(field):
    with pytest.raises(ValueError, match=re.escape("on() needs the name of a field")):
        SST.on(field)


def test_marks_of_strings_count_for_marked_kernels():
    kernel = gm.OrderedTreeKernel(1.0, marked=True)
    assert kernel.on("trees")(gm.Examples(trees=["(a*1 b)"])) == kernel(["(a*1 b)"])


# --- learning ---------------------------------------------------------------------------------------------------------

KERNEL = gm.Normalized(SST).on("syntax") + 0.5 * POLY.on("words")


@pytest.fixture(scope="module")
def y(fields):
    return np.asarray(fields["words"].toarray()[:, 0] > 0)


def test_svc_and_cross_validation_take_examples(X, y):
    gram = KERNEL(X)
    ours = SVC(kernel=KERNEL).fit(X[:30], y[:30])
    theirs = SVC(kernel="precomputed").fit(gram[:30, :30], y[:30])
    same_bits(ours.predict(X[30:]), theirs.predict(gram[30:, :30]))
    scores = cross_val_score(SVC(kernel=KERNEL), X, y, cv=3, error_score="raise")
    close(scores, cross_val_score(SVC(kernel="precomputed"), gram, y, cv=3))


@all_combined
@pytest.mark.parametrize("engine", ["direct", "forest"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_machines_on_examples_are_the_definition(X, engine, kernel, by_hand, n_outputs):
    rng = np.random.default_rng(3)
    coef, intercept = rng.normal(size=(25, n_outputs)), rng.normal(size=n_outputs)
    ours = gm.Machine(kernel, X[:25], coef, intercept, [1, 2, 3][: max(2, n_outputs)], "ovr" if n_outputs > 1 else None)
    gram = by_hand(lambda part, field: part(X[field], X[:25][field]))
    scorer, expected = ours.compile(engine), gram @ coef + intercept
    scores, bounds = (part.reshape(expected.shape) for part in (scorer.decision_function(X), scorer.error_bound(X)))
    assert (abs(scores - expected) <= 1e-9 * (abs(intercept) + abs(gram) @ abs(coef))).all()
    direct = ours.compile("direct").decision_function(X).reshape(expected.shape)
    assert (abs(scores - direct) <= bounds).all()
    same_bits(scorer.predict(X), ours.compile("direct").predict(X))
    same_bits(scorer.decision_function(X, n_jobs=2), scorer.decision_function(X))


@all_combined
def test_machines_on_examples_survive_a_round_trip(X, kernel, by_hand):
    ours = gm.Machine(kernel, X[:25], np.linspace(-1, 1, 25), 0.5)
    for back in (pickle.loads(pickle.dumps(ours)), load_bytes(store.to_bytes(ours))):
        same_bits(back.compile().decision_function(X), ours.compile().decision_function(X))
        assert back == ours
        assert store.to_bytes(back) == store.to_bytes(ours)


def test_the_error_bound_holds_for_kernels_that_are_negative(X):
    """Polynomial kernels may be: then k(x, x) bounds nothing."""
    kernel = SST.on("trees") + gm.PolynomialKernel(3, 1.0, -200.0).on("ids")
    data = gm.Examples(trees=["(a b)", "(c d)"], ids=gm.ids([range(200), range(200, 400)]))
    ours = gm.Machine(kernel, data, [0.1, 0.7], 0.0)
    fast = ours.compile()
    scale = 2**-52 * (abs(kernel(data)) @ [0.1, 0.7])
    assert (fast.error_bound(data) >= scale).all()


def test_names_of_fields_may_hold_anything():
    data = gm.Examples(**{"a": ["(a b)"], "a/b": ["(c d)"], "é ": [{0}]})
    ours = gm.Machine(SST.on("a") + SST.on("a/b") + POLY.on("é "), data, [1.0], 0.0)
    assert load_bytes(store.to_bytes(ours)) == ours
