"""Machines on trees: every engine is the definition, every label is the definition's, what is saved is loaded."""

from __future__ import annotations

import pickle
from fractions import Fraction
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines import formats, store
from gristmill.machines.formats import load_bytes
from gristmill.scoring.deciding import class_numbers
from tests.data.tree_strategies import MAY_BE_UNMARKED, tree_lists
from tests.kernels.test_trees import KERNELS, KINDS, all_kinds, eighths, forest, random_trees, twins

pytestmark = MAY_BE_UNMARKED

ENGINES = ["direct", "forest"]
all_engines = pytest.mark.parametrize("engine", ENGINES)
some_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)
same_bits = np.testing.assert_array_equal
signed = st.integers(-8, 8).map(lambda n: n / 8)
SST = gm.SubsetTreeKernel()


@st.composite
def coefficients(draw, n_support, n_outputs):
    rows = st.lists(signed, min_size=n_outputs, max_size=n_outputs)
    coef = np.array(draw(st.lists(rows, min_size=n_support, max_size=n_support))).reshape(n_support, n_outputs)
    return coef, np.array(draw(rows))


def classifier(kernel, support, coef, intercept, scheme=None):
    n_classes = 2 if scheme is None else coef.shape[1]
    return gm.Machine(kernel, support, coef, intercept, list("abc")[:n_classes], scheme)


def machine(kernel=SST, n_support=40, n_outputs=1, **options):
    support = forest(random_trees(n_support, seed=1, labels=["a", "b", "c", "d*1"]))
    coef = np.random.default_rng(2).normal(size=(n_support, n_outputs))
    return gm.Machine(kernel, support, coef, np.linspace(-1, 1, n_outputs), **options)


def queries(n_trees=60):
    return forest(random_trees(n_trees, seed=3, labels=["a", "b", "c", "d*1", "unseen"]))


# --- every engine is the definition -----------------------------------------------------------------------------------


@all_kinds
@all_engines
@given(data=st.data(), support=tree_lists(), x=tree_lists(), n_outputs=st.integers(1, 3))
def test_scores_are_those_of_the_oracle(engine, kind, data, support, x, n_outputs):
    twin = data.draw(twins(kind))
    coef, intercept = data.draw(coefficients(len(support), n_outputs))
    scorer = gm.Machine(twin.kernel, forest(support), coef, intercept).compile(engine)
    gram = twin.expected(x, support)
    scores = scorer.decision_function(forest(x)).reshape(len(x), n_outputs)
    allowed = 1e-9 * (abs(intercept) + gram @ abs(coef))
    assert (abs(scores - (gram @ coef + intercept)) <= allowed).all()
    same_bits(scorer.decision_function(forest(x), n_jobs=2).reshape(scores.shape), scores)


@pytest.mark.parametrize("kind", KINDS)
@all_engines
@given(data=st.data(), support=tree_lists(), x=tree_lists())
def test_the_error_bound_bounds_the_error(engine, kind, data, support, x):
    kernel_class, function, options = KINDS[kind]
    parameters = data.draw(st.fixed_dictionaries({"decay": eighths.map(lambda n: n * 0.8), **options}))
    coef, intercept = data.draw(coefficients(len(support), 1))
    scorer = gm.Machine(kernel_class(**parameters), forest(support), coef, intercept).compile(engine)
    scores, bounds = scorer.decision_function(forest(x)), scorer.error_bound(forest(x))
    for at, tree in enumerate(x):
        values = [Fraction(a) * function(tree, s, **parameters) for a, s in zip(coef[:, 0], support, strict=True)]
        assert abs(Fraction(scores[at]) - sum(values) - Fraction(intercept[0])) <= Fraction(bounds[at])


EQUAL = f"(S {'(x y) ' * 300})"
DIFFERENT = f"(S {' '.join(f'(a b c{n})' for n in range(1000))})"


@pytest.mark.parametrize(
    ("kernel", "support", "query"),
    [
        (gm.SubsetTreeKernel(0.3), EQUAL, EQUAL),
        (gm.PartialTreeKernel(0.3, 0.7), EQUAL, EQUAL),
        (gm.PartialTreeKernel(0.3, 0.7), "(a b)", DIFFERENT),
    ],
    ids=["a long product", "a long sum", "a large query"],
)
def test_the_error_bound_holds_for_few_different_subtrees_that_are_many(kernel, support, query):
    """And so the label of a score that the intercept cancels is the definition's."""
    make = partial(gm.Machine, kernel, [support], [1.0])
    fast, direct = (make(0.0).compile(engine).decision_function([query]) for engine in ("forest", "direct"))
    assert abs(fast - direct) <= make(0.0).compile().error_bound([query])
    for intercept in (-fast, -direct):
        for zero_class in (0, 1):
            ours = make(intercept, ["no", "yes"], zero_class=zero_class)
            assert ours.compile("forest").predict([query]) == ours.compile("direct").predict([query])


@some_kernels
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_larger_machine_equals_the_definition(kernel, n_outputs):
    ours, x = machine(kernel, 300, n_outputs), queries(200)
    magnitude = gm.Machine(kernel, ours.support, abs(ours.coef), abs(ours.intercept))
    allowed = 1e-9 * magnitude.compile("direct").decision_function(x)
    fast, direct = (ours.compile(engine).decision_function(x) for engine in ("forest", "direct"))
    assert (abs(fast - direct) <= allowed).all()
    assert (abs(fast - direct) <= ours.compile().error_bound(x) + ours.compile("direct").error_bound(x)).all()


@some_kernels
@all_engines
def test_a_score_does_not_depend_on_the_trees_beside_it(engine, kernel):
    for n_outputs in (1, 3):
        scorer, x = machine(kernel, 300, n_outputs).compile(engine), queries(100)
        scores = scorer.decision_function(x)
        same_bits([scorer.decision_function(x[n : n + 1])[0] for n in range(0, 100, 7)], scores[::7])
        same_bits(scorer.decision_function(x[::-1])[::-1], scores)


@some_kernels
@all_engines
def test_threads_do_not_change_a_bit(engine, kernel):
    scorer, x = machine(kernel, 100, 3).compile(engine), queries(300)
    for n_jobs in (2, 3, -1):
        same_bits(scorer.decision_function(x, n_jobs), scorer.decision_function(x))


@all_engines
def test_sparse_coefficients_are_as_dense_ones(engine):
    dense = machine(n_outputs=3)
    coef = np.where(abs(dense.coef) > 0.5, dense.coef, 0)
    scorers = [gm.Machine(SST, dense.support, c, dense.intercept).compile(engine) for c in (coef, sp.csr_matrix(coef))]
    np.testing.assert_allclose(*(scorer.decision_function(queries()) for scorer in scorers), rtol=0, atol=1e-12)


# --- labels -----------------------------------------------------------------------------------------------------------

SCHEMES = {
    None: lambda column: column,
    "ovo": lambda column: np.hstack([column, -column, column[::-1]]),
    "ovr": lambda column: np.hstack([column, column[::-1], -column]),
}
CANCELLING = [*permutations([0.1, 0.2, -0.3]), (0.7, 0.1, -0.8), (1e16, 1.0, -1e16), (0.1,) * 10 + (-1.0,), (1, -1)]


@some_kernels
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_labels_are_those_of_the_definition_where_scores_cancel(kernel, scheme):
    """Equal support trees, with coefficients that add up to nothing or nearly so."""
    some_trees = random_trees(4, seed=6, labels=["a", "b", "d*1"])
    x = forest(some_trees + random_trees(40, seed=7, labels=["a", "b", "d*1"]))
    for terms, copies in product(CANCELLING, [1, 40]):
        coef = SCHEMES[scheme](np.tile(terms, copies)[:, None])
        support = forest([some_trees[n // len(terms) % 4] for n in range(len(coef))])
        ours = classifier(kernel, support, coef, np.zeros(coef.shape[1]), scheme)
        found, wanted = (ours.compile(engine).predict(x) for engine in ("forest", "direct"))
        same_bits(found, wanted, err_msg=f"{terms}, {copies} times")


@all_kinds
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@given(data=st.data(), support=tree_lists(min_size=1), x=tree_lists())
def test_labels_are_those_of_the_definition(kind, scheme, data, support, x):
    kernel = data.draw(twins(kind)).kernel
    column = data.draw(coefficients(len(support), 1))[0] / 10
    coef = SCHEMES[scheme](column)
    ours = classifier(kernel, forest(support), coef, np.zeros(coef.shape[1]), scheme)
    same_bits(ours.compile("forest").predict(forest(x)), ours.compile("direct").predict(forest(x)))


def test_labels_are_those_of_the_definition_where_few_of_many_scores_cancel():
    """The definition is asked again for those alone, and must not say something else then."""
    some_trees = random_trees(30, seed=8, labels="ab")
    coef = np.random.default_rng(9).normal(size=30)
    support = forest([*some_trees, *some_trees[::-1], ("z", "q")])
    ours = classifier(SST, support, np.concatenate([coef, -coef[::-1], [5.0]])[:, None], [0.0])
    x = forest([("T", ("z" if n % 3 else "w", "q"), tree) for n, tree in enumerate(some_trees)])
    same_bits(ours.compile("forest").predict(x), ours.compile("direct").predict(x))


def test_labels_are_those_of_the_definition_where_products_underflow():
    least, tree = 5e-324, ["(a (b c))"]
    ours = gm.Machine(gm.SubsetTreeKernel(0.4), tree, [least], -least, ["no", "yes"], zero_class=1)
    assert ours.compile("forest").predict(tree) == ours.compile("direct").predict(tree)


@all_engines
def test_schemes_decide(engine):
    tree = ["(a b)"]
    make = partial(gm.Machine, gm.SubsetTreeKernel(1.0), tree)
    assert make([1.0], -0.5, ["no", "yes"]).compile(engine).predict(tree) == ["yes"]
    assert make([1.0], -1.0, ["no", "yes"]).compile(engine).predict(tree) == ["no"]
    assert make([1.0], -1.0, ["no", "yes"], zero_class=1).compile(engine).predict(tree) == ["yes"]
    scores = [[1.0, 3.0, 2.0]]
    assert make(scores, np.zeros(3), [4, 5, 6], "ovr").compile(engine).predict(tree) == [5]
    assert class_numbers(make(scores, np.zeros(3), [4, 5, 6], "ovo").compile(engine), tree) == [0]
    same_bits(make(scores, np.zeros(3)).compile(engine).predict(tree), scores)
    with pytest.raises(ValueError, match="no classes"):
        class_numbers(make(scores, np.zeros(3)).compile(engine), tree)


# --- edges ------------------------------------------------------------------------------------------------------------


@all_engines
@some_kernels
def test_degenerate_machines_and_data(engine, kernel):
    none = gm.Machine(kernel, forest([]), np.empty((0, 2)), [1.5, -2.0]).compile(engine)
    same_bits(none.decision_function(queries(2)), [[1.5, -2.0]] * 2)
    assert none.decision_function(forest([])).shape == (0, 2)
    some = machine(kernel, classes=["no", "yes"]).compile(engine)
    assert some.decision_function([]).shape == some.predict([]).shape == some.error_bound([]).shape == (0,)
    same_bits(some.decision_function(["(never (seen before))", "(never)"]), some.machine.intercept.repeat(2))


@all_engines
def test_trees_of_one_node(engine):
    ours = gm.Machine(gm.OrderedTreeKernel(0.5), ["(a)", "(b)"], [1.0, 3.0], 0.25)
    same_bits(ours.compile(engine).decision_function(["(a)", "(b)", "(c)", "(c a b)"]), [0.75, 1.75, 0.25, 2.25])


@all_engines
def test_strings_are_read_as_the_kernel_reads_them(engine):
    marked = gm.OrderedTreeKernel(1.0, marked=True)
    for kernel in (marked, marked + 0.5 * SST, 0.5 * SST + marked, gm.Normalized(SST) + marked):
        ours = gm.Machine(kernel, ["(a*1 b)"], [1.0], 0.0).compile(engine)
        as_forest = gm.Machine(kernel, forest([("a*1", "b")]), [1.0], 0.0).compile(engine)
        same_bits(ours.decision_function(["(a*1 b)"]), as_forest.decision_function(forest([("a*1", "b")])))


@all_engines
def test_machines_of_vectors_with_kernels_that_are_not_polynomial(engine):
    rows, kernel = [{0, 1}, {2}, set()], 2.0 * gm.PolynomialKernel(2) + gm.Normalized(gm.PolynomialKernel(3))
    ours = gm.Machine(kernel, rows, [1.0, -0.5, 0.25], 0.5)
    wanted = kernel([{0}, {1, 2}], rows) @ [1.0, -0.5, 0.25] + 0.5
    np.testing.assert_allclose(ours.compile(engine).decision_function([{0}, {1, 2}]), wanted)
    assert load_bytes(store.to_bytes(ours)) == ours


def test_a_machine_does_not_grow_with_the_forest_it_was_made_from():
    support = gm.Forest.from_strings(["(a b)"])
    ours = gm.Machine(SST, support, [1.0], 0.0)
    support.extend(["(c d)"])
    assert ours.n_support == len(ours.support) == 1


# --- engines ----------------------------------------------------------------------------------------------------------


def test_engines_and_memory():
    ours = machine()
    fast = ours.compile()
    assert (fast.engine, fast.exact) == ("forest", True)
    assert fast.nbytes > 0
    assert ours.compile("forest", max_bytes=fast.nbytes).engine == "forest"
    assert ours.compile(max_bytes=fast.nbytes - 1).engine == "direct"
    assert f"{fast.nbytes} bytes" in str(ours.compile(max_bytes=fast.nbytes - 1).report())
    with pytest.raises(ValueError, match=f"{fast.nbytes} bytes"):
        ours.compile("forest", max_bytes=fast.nbytes - 1)
    assert "engine    forest" in str(fast.report())
    assert "40 support trees" in str(fast.report())


@pytest.mark.parametrize("engine", ["inverted", "expanded", "split", "tree", None])
def test_engines_that_trees_do_not_have_are_refused(engine):
    with pytest.raises(ValueError, match="'auto', 'direct', 'forest'"):
        machine().compile(engine)


@all_engines
def test_progress_ascends_to_the_total(engine):
    calls = []
    machine().compile(engine).decision_function(queries(600), progress=lambda *call: calls.append(call))
    assert calls == sorted(calls)
    assert calls[-1] == (600, 600)


# --- saved and sent ---------------------------------------------------------------------------------------------------

SMALL = gm.Machine(
    gm.Normalized(gm.PartialTreeKernel(max_children=3)) + 0.5 * gm.OrderedTreeKernel(marked=True),
    forest([("S", ("NP", "é", "x*1")), "x*1"]),
    [1.0, -0.5],
    0.25,
    ["no", "yes"],
    provenance={"a": 1},
)


@all_kinds
@given(data=st.data(), support=tree_lists(), n_outputs=st.integers(1, 3))
def test_a_machine_survives_a_round_trip(kind, data, support, n_outputs):
    coef, intercept = data.draw(coefficients(len(support), n_outputs))
    ours = gm.Machine(data.draw(twins(kind)).kernel, forest(support)[::-1], coef, intercept)
    file = store.to_bytes(ours)
    assert load_bytes(file) == ours == pickle.loads(pickle.dumps(ours))
    assert store.to_bytes(load_bytes(file)) == file == store.to_bytes(pickle.loads(pickle.dumps(ours)))


def test_equal_machines_are_equal_however_their_forests_came_about():
    straight = gm.Forest.from_strings(["(a b)", "(c (a b))"])
    turned = gm.Forest.from_strings(["(x y)", "(c (a b))", "(z a)", "(a b)"])[[3, 1]]
    one, other = (gm.Machine(SST, support, [1.0, -1.0], 0.0) for support in (straight, turned))
    assert one == other
    assert store.to_bytes(one) == store.to_bytes(other)


def test_save_and_load_go_through_a_file(tmp_path):
    SMALL.save(tmp_path / "machine")
    back = gm.load(tmp_path / "machine")
    assert back == SMALL
    x = queries()
    same_bits(back.compile().decision_function(x), SMALL.compile().decision_function(x))


@all_engines
def test_scorers_travel(engine):
    scorer = SMALL.compile(engine)
    back = pickle.loads(pickle.dumps(scorer))
    assert (back.engine, back.machine) == (engine, SMALL)
    same_bits(back.predict(queries()), scorer.predict(queries()))


@pytest.mark.parametrize("flip", [0x01, 0x80])
def test_no_flipped_byte_gives_another_machine(flip):
    data = store.to_bytes(SMALL)
    for at in range(len(data)):
        try:
            assert load_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]) == SMALL
        except gm.FormatError:
            continue


@given(length=st.integers(0, len(store.to_bytes(SMALL)) - 1))
def test_a_file_cut_anywhere_is_refused(length):
    with pytest.raises(gm.FormatError):
        load_bytes(store.to_bytes(SMALL)[:length])


@given(data=st.data())
def test_arrays_that_make_no_machine_are_refused(data):
    """With a checksum that fits."""
    header, arrays = store._parts(SMALL)
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name].copy()
    change = data.draw(st.sampled_from(["type", "missing", "shorter", "number"]))
    if change == "type":
        arrays[name] = array.astype(np.float32)
    elif change == "shorter":
        arrays[name] = array[:-1]
    elif change == "number":
        array.flat[data.draw(st.integers(0, array.size - 1))] = 200
        arrays[name] = array
    else:
        del arrays[name]
    file = store.pack(header, arrays, store.KEY)
    if change == "number":
        try:
            load_bytes(file).compile().predict(queries(3))
        except gm.FormatError:
            return
    else:
        with pytest.raises(gm.FormatError):
            load_bytes(file)


BAD_HEADERS = [
    *({"kernel": value} for value in (None, {}, {"name": "warp"}, {"name": "subset-tree", "decay": -1}, [], "sst")),
    {"kernel": {"name": "subset-tree", "warp": 1}},
    {"kernel": {"name": "sum", "parts": []}},
    {"kernel": {"name": "field", "field": "x", "kernel": {"name": "subtree"}}},
    {"kernel": {"name": "polynomial", "degree": 2}},
    *(
        {"support": value}
        for value in (None, {}, {"kind": "warp"}, {"kind": "examples", "fields": {}}, {"kind": "rows"})
    ),
    *({"classes": value} for value in ([1], [1, 1], "ab")),
]


@pytest.mark.parametrize("changed", BAD_HEADERS, ids=repr)
def test_a_header_that_makes_no_machine_is_refused(changed):
    header, arrays = store._parts(SMALL)
    assert set(changed) <= set(header)
    with pytest.raises(gm.FormatError):
        load_bytes(store.pack({**header, **changed}, arrays, store.KEY))


@pytest.mark.parametrize("name", ["libsvm", "svmlight", "tinysvm", "opal", "yamcha", "yamcha-text"])
def test_formats_of_vectors_refuse_trees(name, tmp_path):
    ours = gm.Machine(SST, ["(a b)", "(c d)"], [1.0, -1.0], 0.0, [-1, 1])
    with pytest.raises(ValueError, match=r"tree|polynomial|kernel"):
        formats.write(ours, tmp_path / "model", name)
    assert list(tmp_path.iterdir()) == []
