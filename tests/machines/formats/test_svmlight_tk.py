"""Models of SVM-light-TK: read, written, refused."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.data.rows import as_rows
from gristmill.machines.formats import load_bytes, recognise, svmlight, svmlight_tk, write
from tests.data.tree_strategies import tree_lists

LINEAR = gm.PolynomialKernel(1, 1.0, 0.0)
SST = gm.SubsetTreeKernel(1.0)
TREE = "|BT| (S (A (a))(B (b))) |ET|"
BOTH = f"{TREE} 1:1 |EV|"

HEADER = """SVM-light Version V5.01-TK-1.5
{t} # kernel type
2 # kernel parameter -d\x20
1 # kernel parameter -g\x20
1 # kernel parameter -s\x20
{r} # kernel parameter -r\x20
empty# kernel parameter -u\x20
{L} # kernel parameter -L\x20
2 # kernel parameter -T\x20
{C} # kernel parameter -C\x20
{F} # kernel parameter -F\x20
{S} # kernel parameter -S\x20
0.500000 # kernel parameter -M\x20
{N} # kernel parameter -N\x20
{V} # kernel parameter -V\x20
{W} # kernel parameter -W\x20
{U} # kernel parameter -U\x20
60 # highest feature index\x20
178 # number of training documents\x20
{count} # number of support vectors plus 1\x20
{b} # threshold b, each following line is a SV (starting with alpha*y)
"""


def model(*lines, **changes):
    values = {"t": 5, "r": 1, "L": 1, "C": "T", "F": 1, "S": 1, "N": 0, "V": "S", "W": "S", "U": 0, "b": 0.25}
    values |= {"count": len(lines) + 1} | changes
    return (HEADER.format(**values) + "".join(f"{line}\n" for line in lines)).encode()


def scores(data, *examples, **options):
    X, _ = parse_examples("".join(f"1 {example}\n" for example in examples).encode(), **options)
    machine = load_bytes(data)
    assert np.allclose(machine.compile("direct").decision_function(X), machine.compile().decision_function(X))
    return machine.compile("direct").decision_function(X).tolist()


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_small_file_scores_as_computed_by_hand():
    machine = load_bytes(model(f"0.5  {TREE} ", "-0.75  |BT| (S (A (a))(B (c))) |ET| "))
    assert (machine.classes.tolist(), machine.zero_class, machine.kernel) == ([-1, 1], 0, SST)
    assert machine.provenance == {"format": "svmlight-tk", "version": "V5.01-TK-1.5"}
    assert list(machine.support) == ["(S (A a) (B b))", "(S (A a) (B c))"]
    wanted = 0.5 * 6 - 0.75 * 3 - 0.25
    assert scores(model(f"0.5  {TREE} ", "-0.75  |BT| (S (A (a))(B (c))) |ET| "), TREE) == [wanted]


@pytest.mark.parametrize(
    ("number", "kernel"),
    [
        (0, gm.SubtreeKernel(0.3)),
        (1, gm.SubsetTreeKernel(0.3)),
        (2, gm.SubsetTreeKernel(0.3, leaves=True)),
        (3, gm.PartialTreeKernel(0.3, 0.5, max_children=5)),
    ],
)
@pytest.mark.parametrize("norms", [0, 1, 2, 3])
def test_kernels_on_trees(number, kernel, norms):
    machine = load_bytes(model(f"1 {TREE}", F=number, L=0.3, N=norms))
    assert machine.kernel == (gm.Normalized(kernel) if norms in (1, 3) else kernel)


@pytest.mark.parametrize(
    ("changes", "vectors"),
    [
        ({"S": 0}, LINEAR),
        ({}, gm.PolynomialKernel(2, 1.0, 1.0)),
        ({"S": 2}, gm.RBFKernel(1.0)),
        ({"S": 3}, gm.SigmoidKernel(1.0, 1.0)),
    ],
)
@pytest.mark.parametrize("norms", [0, 1, 2, 3])
def test_sums_of_trees_and_vectors(changes, vectors, norms):
    machine = load_bytes(model(f"1 {BOTH}", C="+", N=norms, **changes))
    trees = gm.Normalized(SST) if norms in (1, 3) else SST
    vectors = gm.Normalized(vectors) if norms in (2, 3) else vectors
    assert machine.kernel == vectors.on("vectors") + 2 * trees.on("trees")


# Support vector, example, parameters and what svm_classify of SVM-light-TK 1.5 prints.
PROBES = [
    (BOTH, BOTH, {"C": "+"}, 16),
    (BOTH, BOTH, {"C": "V"}, 4),
    (BOTH, BOTH, {"C": "T"}, 6),
    (BOTH, BOTH, {"C": "+", "W": "A"}, 16),
    (BOTH, BOTH, {"C": "+", "W": "N"}, 16),
    (BOTH, BOTH, {"C": "+", "V": "A"}, 16),
    (TREE, TREE, {"C": "+"}, 12),
    (BOTH, f"{TREE} |EV|", {"C": "+"}, 13),
    (f"{TREE} |BV| 1:1 |EV|", f"{TREE} |BV| 1:1 |EV|", {"C": "+"}, 17),
    (f"{TREE} 1:1 |BV| 1:1 |EV|", f"{TREE} 1:1 |BV| 2:1 |EV|", {"C": "V"}, 5),
    ("|BT| |BT| (S (A a)) |ET|", "|BT| (S (A a)) |BT| (S (A a)) |ET|", {}, 3),
    ("|BT| |BT| (S (A a)) |ET|", "|BT| |BT| (S (A a)) |ET|", {"F": 2}, 4),
    ("|BT| |BT| (S (A a)) |ET|", "|BT| |BT| (S (A a)) |ET|", {"F": 2, "N": 3}, 1),
    ("|BT| (a) |ET|", "|BT| (a) |ET|", {"F": 1, "N": 3}, 0),
    (r"|BT| (S (A (\))) |ET|", r"|BT| (S (A \)) |ET|", {}, 3),
]


@pytest.mark.parametrize(("support", "example", "changes", "wanted"), PROBES)
def test_parameters_mean_what_they_mean_to_the_program(support, example, changes, wanted):
    assert scores(model(f"1 {support}", b=0, **changes), example, absent="none") == [pytest.approx(wanted)]


@pytest.mark.parametrize(("support", "example", "changes", "wanted"), PROBES)
def test_the_program_says_the_same(svm_classify_tk, support, example, changes, wanted, tmp_path):
    (tmp_path / "model").write_bytes(model(f"1 {support}", b=0, **changes))
    (tmp_path / "data").write_text(f"1 {example}\n")
    assert svm_classify_tk(tmp_path / "data", tmp_path / "model") == pytest.approx([wanted])


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [(0, LINEAR), (1, gm.PolynomialKernel(2, 1.0, 1.0)), (2, gm.RBFKernel(1.0)), (3, gm.SigmoidKernel(1.0, 1.0))],
)
def test_models_of_vectors_alone(kind, kernel):
    machine = load_bytes(model("0.5 1:1 3:0.5 |EV| ", "-1 2:1  |BV| 9:1 |EV| ", "2", t=kind))
    assert (machine.kernel, machine.first_id, machine.n_support, machine.n_features) == (kernel, 1, 3, 3)
    assert machine.support.to_csr().toarray().tolist() == [[1, 0, 0.5], [0, 1, 0], [0, 0, 0]]


def test_svm_light_itself_is_another_format():
    data = model("0.5 1:1", t=0)
    assert recognise(data) is svmlight_tk
    assert recognise(data.replace(b"V5.01-TK-1.5", b"V6.02")) is svmlight


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "line", "message"),
    [
        ({"t": 4}, 2, "kernel type 4 is a kernel of the user's own"),
        ({"t": 11}, 2, "kernel type 11 is something unknown"),
        ({"L": 0}, 8, "decay must be a finite number above 0"),
        ({"L": "x"}, 8, "expected numbers before '# kernel parameter -L'"),
        ({"C": "*"}, 10, r"-C \* is the product of trees and vectors"),
        ({"C": "x"}, 10, "-C x is unknown"),
        ({"F": -1}, 11, "-F -1 is the kernel of shallow semantic trees"),
        ({"F": 4}, 11, "-F 4 is the partial tree kernel less its single nodes"),
        ({"F": 6}, 11, "-F 6 is a kernel on sequences"),
        ({"F": 7}, 11, "-F 7 is unknown"),
        ({"C": "V", "S": 4}, 12, "-S 4 is a kernel of the user's own"),
        ({"N": 4}, 14, "-N must be 0, 1, 2 or 3"),
        ({"C": "+", "V": "R"}, 15, "-V R compares rankings"),
        ({"W": "R"}, 16, "-W R compares rankings"),
        ({"U": 1}, 17, r"another file, tree_kernels\.param"),
        ({"count": 3}, 20, "counts 2 support vectors, the file has 1; is it truncated"),
        ({"b": "1 2"}, 21, "expected one threshold, got 2"),
        ({"b": "nan"}, 21, "expected finite numbers"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_name(changes, line, message):
    with pytest.raises(gm.FormatError, match=message) as caught:
        load_bytes(model(f"1 {BOTH}", **changes))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("lines", "changes", "place", "message"),
    [
        (["1 |BT| (S (a) |ET|"], {}, (22, 8), "this bracket is never closed"),
        (["x |BT| (S (a)) |ET|"], {}, (22, 1), "expected a label, got 'x'"),
        (["1 |BT| ( (S (a))) |ET|"], {}, (22, 8), "a bracket without a label"),
        (["1 1:1 |EV|"], {}, (10, 1), "with -C T nothing of the support vectors is compared"),
        ([f"1 {TREE}"], {"C": "V"}, (10, 1), "with -C V nothing"),
        ([], {}, (21, 1), "has no support vectors"),
        (["1 |BT| (S (a)) |BT| (S (a)) |ET|"], {"W": "A"}, (16, 1), "-W A compares all trees or vectors of one"),
        ([f"1 {BOTH}", f"1 {TREE}"], {"C": "+"}, (23, 1), "this support vector has 0 vectors, others 1"),
        ([f"1 {BOTH}", f"1 {TREE}"], {"C": "+", "S": 2}, (23, 1), "is 0 to SVM-light-TK, but not here with RBF"),
    ],
)
def test_support_vectors_that_cannot_be_scored(lines, changes, place, message):
    with pytest.raises(gm.FormatError, match=message) as caught:
        load_bytes(model(*lines, **changes))
    assert (caught.value.line, caught.value.column) == place


def test_a_vector_that_is_not_there_has_a_linear_kernel_of_0():
    assert scores(model(f"1 {BOTH}", f"1 {TREE}", C="+", S=0, b=0), BOTH) == [25]


def test_a_header_without_the_lines_of_version_1_5_is_refused():
    lines = model(f"1 {TREE}").replace(b"kernel parameter -F", b"kernel parameter -Z")
    with pytest.raises(gm.FormatError, match="the header has no line '# kernel parameter -F'"):
        load_bytes(lines)


# --- writing ----------------------------------------------------------------------------------------------------------

FOREST = gm.Forest.from_strings(["(S (A a) (B b c))", "(S (A a) b)", "(a)"])
ROWS = as_rows(np.array([[0, 0.5, 1], [1, 0, 0], [0, 0, 0]]), binarize=False)
FIELDS = gm.Examples(tree1=FOREST, tree2=FOREST[::-1], vector1=ROWS, vector2=ROWS)
TREES = [SST, gm.SubtreeKernel(), gm.SubsetTreeKernel(leaves=True), gm.PartialTreeKernel(0.7, 0.2, max_children=5)]


def again(machine):
    return load_bytes(svmlight_tk.write(machine))


@pytest.mark.parametrize("kernel", TREES, ids=str)
@pytest.mark.parametrize("normalised", [False, True])
def test_machines_on_trees_read_back_the_same(kernel, normalised):
    kernel = gm.Normalized(kernel) if normalised else kernel
    machine = gm.Machine(kernel, FOREST, [0.1, -1e-17, 3], -0.3, classes=[-1, 1], provenance={})
    back = again(machine)
    assert (back.kernel, back.support, back.coef.tolist()) == (kernel, FOREST, machine.coef.tolist())
    assert again(back) == back


@pytest.mark.parametrize("tree", TREES[:2], ids=str)
@pytest.mark.parametrize(
    "vector", [LINEAR, gm.PolynomialKernel(3, 0.5, 2.0), gm.RBFKernel(0.3), gm.SigmoidKernel(0.2, -1.0)], ids=str
)
def test_sums_read_back_the_same(tree, vector):
    tree = gm.Normalized(tree)
    sums = [
        vector.on("vector1") + vector.on("vector2") + 0.25 * (tree.on("tree1") + tree.on("tree2")),
        vector.on("vector1") + vector.on("vector2"),
        tree.on("tree1") + tree.on("tree2"),
    ]
    for kernel in sums:
        machine = gm.Machine(kernel, FIELDS, [0.1, -2, 3], -0.3, classes=[-1, 1])
        back = again(machine)
        assert back.kernel == kernel
        assert again(back) == back
        assert np.array_equal(
            back.compile("direct").decision_function(FIELDS), machine.compile("direct").decision_function(FIELDS)
        )


def test_weights_move_into_the_coefficients():
    parts = [2 * LINEAR.on("vector1"), 3 * SST.on("tree2"), 3 * SST.on("tree1"), 2 * LINEAR.on("vector2")]
    machine = gm.Machine(sum(parts[1:], parts[0]), FIELDS, [0.1, -2, 3], -0.3, classes=[-1, 1])
    back = again(machine)
    assert back.coef.ravel().tolist() == [0.2, -4, 6]
    assert np.allclose(back.compile().decision_function(FIELDS), machine.compile().decision_function(FIELDS))


def test_the_classes_may_stand_the_other_way_round():
    machine = gm.Machine(SST, FOREST, [1, 2, 3], 0.5, classes=[1, -1])
    assert again(machine).compile().decision_function(FOREST) == pytest.approx(
        -machine.compile().decision_function(FOREST)
    )


def test_absent_trees_are_written_as_nothing():
    machine = load_bytes(model("1 |BT| |BT| (S (a)) |ET|"))
    assert b"1 |BT|  |BT| (S (a)) |ET|\n" in svmlight_tk.write(machine)
    assert again(machine) == machine


@given(tree_lists(["a", "b", "\\", "#"], min_size=1), st.data())
def test_any_trees_read_back(trees, data):
    forest = gm.Forest.from_nested(trees)
    numbers = st.floats(-1e9, 1e9)
    coef = data.draw(st.lists(numbers, min_size=len(forest), max_size=len(forest)))
    machine = gm.Machine(gm.Normalized(SST), forest, coef, data.draw(numbers), classes=[-1, 1])
    back = again(machine)
    assert back.support == forest
    assert np.array_equal(back.coef, machine.coef)
    assert np.array_equal(back.intercept, machine.intercept)


@pytest.mark.parametrize(
    ("kernel", "support", "message"),
    [
        (gm.PartialTreeKernel(), FOREST, "no kernel like PartialTreeKernel"),
        (gm.PartialTreeKernel(max_children=5, weighting="span"), FOREST, "no kernel like"),
        (gm.PartialTreeKernel(max_children=5, terminal_factor=0.5), FOREST, "no kernel like"),
        (gm.OrderedTreeKernel(), FOREST, "no kernel like OrderedTreeKernel"),
        (SST + gm.SubtreeKernel(), FOREST, "one kernel with one weight for all trees"),
        (SST.on("tree1") + 2 * SST.on("tree2"), FIELDS, "one kernel with one weight for all trees"),
        (SST.on("tree1"), FIELDS, r"adds up all trees, each once: \['tree1', 'tree2'\]"),
        (SST.on("tree1") + SST.on("tree1") + SST.on("tree2"), FIELDS, "each once"),
        (gm.Normalized(SST.on("tree1") + SST.on("tree2")), FIELDS, "normalises each tree and vector"),
        (SST.on("tree1") + gm.TanimotoKernel().on("vector1"), FIELDS, "no kernel like TanimotoKernel"),
    ],
)
def test_what_the_program_has_not_is_not_written(kernel, support, message):
    machine = gm.Machine(kernel, support, [1, 2, 3], 0, classes=[-1, 1])
    with pytest.raises(ValueError, match=message):
        svmlight_tk.write(machine)


def test_machines_that_are_not_binary_are_not_written():
    with pytest.raises(ValueError, match="hold one output"):
        svmlight_tk.write(gm.Machine(SST, FOREST, np.ones((3, 2)), [0, 0]))
    with pytest.raises(ValueError, match="classes -1 and 1 only"):
        svmlight_tk.write(gm.Machine(SST, FOREST, np.ones(3), 0, classes=["a", "b"]))


# --- corpora, and the program -----------------------------------------------------------------------------------------


def test_the_stored_tree_model_gives_its_stored_predictions(corpora):
    folder = corpora / "models/svmlight_tk"
    machine = gm.load(folder / "ddi.tk.model.gz")
    assert machine.kernel == gm.Normalized(gm.SubsetTreeKernel(0.4)).on("trees")
    X, _ = gm.read_svmlight_tk(folder / "ddi.test.gz")
    stored = np.loadtxt(folder / "ddi.test.predictions.gz")
    for engine in ("direct", "forest"):
        assert np.abs(machine.compile(engine).decision_function(X) - stored).max() < 1e-6  # eight digits, 32 bits
    assert again(machine) == machine


@pytest.mark.parametrize(("name", "data"), [("ddi.tk.model", "ddi.test"), ("cdr_linear.model", "cdr.test")])
def test_what_is_written_scores_the_same_in_the_program(svm_classify_tk, corpora, name, data, tmp_path):
    folder = corpora / "models/svmlight_tk"
    for file in (name, data):
        (tmp_path / file).write_bytes(gzip.decompress((folder / f"{file}.gz").read_bytes()))
    theirs = svm_classify_tk(tmp_path / data, tmp_path / name)
    write(gm.load(tmp_path / name), tmp_path / "again", "svmlight-tk")
    assert np.array_equal(svm_classify_tk(tmp_path / data, tmp_path / "again"), theirs)


@pytest.mark.parametrize("normalises_trees", [False, True])
@pytest.mark.parametrize("normalises_vectors", [False, True])
@pytest.mark.parametrize("vector", [LINEAR, gm.PolynomialKernel(3, 0.5, 2.0)], ids=["linear", "polynomial"])
@pytest.mark.parametrize("shape", ["T", "V", "+", "weighted"])
def test_combinations_score_as_in_the_program(
    svm_classify_tk, shape, vector, normalises_trees, normalises_vectors, tmp_path
):
    rng = np.random.default_rng(0)
    words = ["(A a)", "(A b)", "(B a)", "(B (A a) b)", "c"]
    tree1, tree2 = (
        gm.Forest.from_strings(f"(S {' '.join(rng.choice(words, size=rng.integers(1, 5)))})" for _ in range(60))
        for _ in range(2)
    )
    tables = [(rng.random((60, 8)) < 0.4) * rng.normal(size=(60, 8)) for _ in range(2)]
    vector1, vector2 = (as_rows(table, binarize=False) for table in tables)
    X = gm.Examples(tree1=tree1, tree2=tree2, vector1=vector1, vector2=vector2)
    tree = gm.Normalized(SST) if normalises_trees else SST
    vector = gm.Normalized(vector) if normalises_vectors else vector
    trees, vectors = tree.on("tree1") + tree.on("tree2"), vector.on("vector1") + vector.on("vector2")
    kernel = {"T": trees, "V": vectors, "+": vectors + trees, "weighted": vectors + 0.3 * trees}[shape]
    coef = rng.normal(size=20)
    machine = gm.Machine(kernel, X[:20], coef, 0.7, classes=[-1, 1])
    write(machine, tmp_path / "model", "svmlight-tk")
    gm.write_svmlight_tk(tmp_path / "data", X, np.ones(60))
    ours = machine.compile().decision_function(X)
    size = 0.7 + np.abs(kernel.direct(X, X[:20])) @ np.abs(coef)
    assert (np.abs(svm_classify_tk(tmp_path / "data", tmp_path / "model") - ours) < 1e-6 * size).all()
    read, _ = gm.read_svmlight_tk(tmp_path / "data")
    assert np.allclose(gm.load(tmp_path / "model").compile().decision_function(read), ours, rtol=0, atol=1e-9)


def test_trees_that_are_not_there_score_as_in_the_program(svm_classify_tk, tmp_path):
    """Also under kernels that count leaves: an absent tree has kernel 0 with everything, itself included."""
    lines = ["|BT| |BT| (S (A a)) |ET|", "|BT| (S b) |BT| |ET|", "|BT| (S b) |BT| (S (A a)) |ET|"]
    (tmp_path / "data").write_text("".join(f"1 {line}\n" for line in lines))
    for number, norms in itertools.product(range(4), (0, 1)):
        data = model(*(f"{weight} {line}" for weight, line in enumerate(lines, 1)), F=number, N=norms, L=0.4)
        (tmp_path / "model").write_bytes(data)
        theirs = svm_classify_tk(tmp_path / "data", tmp_path / "model")
        assert theirs == pytest.approx(scores(data, *lines, absent="none"), abs=1e-6)
