"""The stand-in for LIBSVM's svmutil, compared with the original."""

from __future__ import annotations

import functools
import io
import math
from pathlib import Path

import libsvm.svmutil as theirs
import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from gristmill.compat import svmutil as ours
from gristmill.compat.svm import svm_forms, svm_model
from gristmill.machines.probability import Sigmoid
from tests.machines.formats.libsvm_training_data import CLASSIFIERS, OTHERS, TYPES, as_dictionaries, table_of

# LIBSVM's own svm_predict has room for one decision value of nu_svc and crashes on more
SAFE = [entry for entry in TYPES if entry[0] != "nu_svc" or entry[1] == 2]
pytestmark = pytest.mark.usefixtures("one_thread")
every_type = pytest.mark.parametrize(("svm_type", "n_classes"), TYPES)
every_safe_type = pytest.mark.parametrize(("svm_type", "n_classes"), SAFE)


@functools.cache
def labels_of(svm_type, n_classes, kind):
    rng = np.random.default_rng(n_classes)
    target = table_of(kind) @ rng.normal(size=14) + 0.3 * rng.normal(size=70)
    labels = target if svm_type.endswith("svr") else np.argsort(np.argsort(target)) * n_classes // 70 * 3 - 4
    return [1.0, -1.0] * 35 if svm_type == "one_class" else labels.tolist()


@functools.cache
def trained(svm_type, n_classes, more="", kind="binary"):
    options = f"-q -m 10 -e 0.1 -t 1 -d 2 -g 0.3 -r 0.7 {(CLASSIFIERS | OTHERS)[svm_type]} {more}"
    return theirs.svm_train(labels_of(svm_type, n_classes, kind), as_dictionaries(table_of(kind)), options)


@pytest.fixture
def pair(tmp_path):
    """A model as LIBSVM and as the stand-in load it from one file."""

    def load(*arguments, **options):
        path = str(tmp_path / "model")
        theirs.svm_save_model(path, trained(*arguments, **options))
        return theirs.svm_load_model(path), ours.svm_load_model(path)

    return load


def assert_same(got, expected):
    assert got[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    assert got[1] == pytest.approx(expected[1], rel=1e-9, abs=1e-9, nan_ok=True)
    assert type(got[2]) is list
    assert [len(row) for row in got[2]] == [len(row) for row in expected[2]]
    assert np.allclose(np.array(got[2]), np.array(expected[2]), rtol=0, atol=1e-9)


# --- prediction -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("options", ["-b 0", "-b 1", "-q", "-b 1 -q"])
@every_safe_type
def test_predictions_and_printed_lines_are_libsvm_s(pair, capsys, svm_type, n_classes, options, kind):
    their_model, our_model = pair(svm_type, n_classes, "-b 1", kind=kind)
    y, x = labels_of(svm_type, n_classes, kind), as_dictionaries(table_of(kind))
    expected = theirs.svm_predict(y, x, their_model, options)
    printed = capsys.readouterr()
    got = ours.svm_predict(y, x, our_model, options)
    assert capsys.readouterr() == printed
    assert_same(got, expected)
    if not svm_type.endswith("svr"):
        assert got[0] == expected[0]


@pytest.mark.parametrize("n_classes", [3, 5])
def test_nu_svc_of_many_classes_gives_every_decision_value(pair, capsys, n_classes):
    their_model, our_model = pair("nu_svc", n_classes)
    x, n_pairs = as_dictionaries(table_of()), n_classes * (n_classes - 1) // 2
    scores = (theirs.c_double * n_pairs)()
    nodes = [theirs.gen_svm_nodearray(row)[0] for row in x]
    expected = [(theirs.libsvm.svm_predict_values(their_model, node, scores), list(scores)) for node in nodes]
    labels, _, values = ours.svm_predict([], x, our_model)
    assert labels == [label for label, _ in expected]
    assert np.allclose(values, [row for _, row in expected], rtol=0, atol=1e-9)


KINDS = {
    "dictionaries": as_dictionaries,
    "a tuple of dictionaries": lambda table: tuple(as_dictionaries(table)),
    "lists": lambda table: table.tolist(),
    "tuples": lambda table: [tuple(row) for row in table.tolist()],
    "an array": lambda table: table,
    "an array in the other order": np.asfortranarray,
    "a list of arrays": list,
    "a csr matrix": sp.csr_matrix,
    "a csc matrix": sp.csc_matrix,
    "ids and values": lambda table: [(np.flatnonzero(row), row[np.flatnonzero(row)]) for row in table],
    "a mixture": lambda table: [*as_dictionaries(table[:3]), *table[3:6].tolist(), *table[6:]],
    "zeros among the values": lambda table: [dict(enumerate(row, 1)) for row in table.tolist()],
}


@pytest.mark.parametrize("values", ["binary", "real"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_x_is_read_as_libsvm_reads_it(pair, capsys, kind, values):
    their_model, our_model = pair("c_svc", 3)
    x = KINDS[kind](table_of(values)[:20])
    assert_same(ours.svm_predict([], x, our_model), theirs.svm_predict([], x, their_model))


def test_y_may_be_an_array_and_x_hold_features_nobody_knows(pair, capsys):
    their_model, our_model = pair("c_svc", 2)
    y, x = np.array([-4, 2, -4]), [{1: 1, 400: 1}, {0: 1, 3: 1}, {}]
    assert_same(ours.svm_predict(y, x, our_model), theirs.svm_predict(y, x, their_model))


def test_a_model_that_counts_from_0_keeps_its_count(tmp_path, capsys):
    text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\n"
    (tmp_path / "m").write_text(f"{text}SV\n1 0:1 1:1\n-1 2:1\n")
    their_model, our_model = theirs.svm_load_model(str(tmp_path / "m")), ours.svm_load_model(tmp_path / "m")
    for x in ([{0: 1}, {1: 1, 2: 1}], [[0, 1], [1, 0]], np.eye(3), sp.csr_matrix(np.eye(3))):
        assert_same(ours.svm_predict([], x, our_model), theirs.svm_predict([], x, their_model))


def test_a_model_of_one_class_has_the_value_1(tmp_path, capsys):
    path = str(tmp_path / "m")
    theirs.svm_save_model(path, theirs.svm_train([5] * 70, as_dictionaries(table_of()), "-q -t 1"))
    x = as_dictionaries(table_of()[:4])
    got = ours.svm_predict([5, 5, 1, 5], x, ours.svm_load_model(path))
    assert_same(got, theirs.svm_predict([5, 5, 1, 5], x, theirs.svm_load_model(path)))
    assert got[2] == [[1]] * 4


@pytest.mark.parametrize(
    ("y", "x", "options", "error"),
    [
        ([1], {1: 1}, "", TypeError),
        (1, [{1: 1}], "", TypeError),
        ([1], [{1: 1}], "-x", ValueError),
        ([1], [{1: 1}], "-b 1", ValueError),
        ([1], [{1: 1}], "-b x", ValueError),
        ([1, 2], [{1: 1}], "", ValueError),
        ([1], [3], "", TypeError),
        ([1], [{1.5: 1}], "", TypeError),
    ],
    ids=str,
)
def test_what_libsvm_refuses_is_refused_with_the_same_error(pair, capsys, y, x, options, error):
    for module, model in zip((theirs, ours), pair("c_svc", 2), strict=True):
        with pytest.raises(error):
            module.svm_predict(y, x, model, options)


def test_no_examples_give_nothing(pair, capsys):
    _, model = pair("c_svc", 2)
    labels, metrics, values = ours.svm_predict([], [], model)
    assert (labels, values) == ([], [])
    assert all(map(math.isnan, metrics))
    assert capsys.readouterr().out == "Accuracy = nan% (0/0) (classification)\n"


def test_labels_of_close_probabilities_are_those_of_the_definition():
    machine = gm.Machine(
        gm.PolynomialKernel(2),
        [{0}, {1}],
        [1.0, -1.0],
        0.0,
        [-1, 1],
        probability=Sigmoid(np.array([-1.0]), np.zeros(1)),
    )
    fast, slow = svm_model(machine, "inverted"), svm_model(machine, "direct")
    rows = gm.ids([[], [0], [1], [0, 1]])
    assert np.array_equal(fast.probabilities(rows)[0], slow.probabilities(rows)[0])


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", ["", "-b 1"])
@every_type
def test_a_model_tells_what_libsvm_s_model_tells(pair, svm_type, n_classes, more):
    their_model, our_model = pair(svm_type, n_classes, more)
    for name in "svm_type nr_class labels nr_sv sv_coef SV sv_indices".split():
        assert getattr(our_model, f"get_{name}")() == getattr(their_model, f"get_{name}")(), name
    assert our_model.is_probability_model() == their_model.is_probability_model()
    assert our_model.nr_class == their_model.nr_class
    assert our_model.l == their_model.l
    assert our_model.rho == their_model.rho[: len(our_model.rho)]
    if svm_type.endswith("svr"):
        assert our_model.get_svr_probability() == (their_model.get_svr_probability() if more else 0.0)


@every_safe_type
def test_a_saved_model_is_libsvm_s_to_load(pair, tmp_path, capsys, svm_type, n_classes):
    their_model, our_model = pair(svm_type, n_classes, "-b 1")
    ours.svm_save_model(str(tmp_path / "again"), our_model)
    x = as_dictionaries(table_of())
    expected = theirs.svm_predict([], x, their_model, "-b 1")
    again = theirs.svm_predict([], x, theirs.svm_load_model(str(tmp_path / "again")), "-b 1")
    assert again[0::2] == expected[0::2]


@pytest.mark.parametrize("module", [theirs, ours], ids=["libsvm", "gristmill"])
def test_a_missing_file_is_printed_and_gives_none(module, tmp_path, capfd):
    assert module.svm_load_model(str(tmp_path / "nothing")) is None
    assert capfd.readouterr().out == f"can't open model file {tmp_path / 'nothing'}\n"


def test_a_damaged_file_is_an_error(tmp_path):
    (tmp_path / "bad").write_text("svm_type c_svc\nkernel_type polynomial\n")
    with pytest.raises(gm.FormatError):
        ours.svm_load_model(tmp_path / "bad")


@pytest.mark.parametrize("zero_class", [0, 1])
def test_any_machine_answers_as_its_libsvm_file_does(tmp_path, capsys, zero_class):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}], [0.5, -0.5], 0.0, [3, 8], zero_class=zero_class)
    machine.save(tmp_path / "own")
    model = ours.svm_load_model(tmp_path / "own")
    ours.svm_save_model(tmp_path / "m", model)
    x = [{1: 1}, {2: 1}, {}]
    their_model = theirs.svm_load_model(str(tmp_path / "m"))
    assert_same(ours.svm_predict([], x, model), theirs.svm_predict([], x, their_model))
    assert model.get_labels() == their_model.get_labels()


def test_a_one_vs_rest_machine_gives_a_value_per_class(capsys):
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}, {1}], np.eye(2, 3), np.zeros(3), [1, 2, 3], "one-vs-rest")
    model = svm_model(machine)
    labels, _, values = ours.svm_predict([], [{1: 1}, {2: 1}], model)
    assert labels == [1, 2]
    assert values == machine.compile().decision_function([{0}, {1}]).tolist()
    assert model.get_svm_type() == svm_forms.C_SVC
    with pytest.raises(ValueError, match="one-vs-rest"):
        model.get_sv_coef()


def test_classes_must_be_numbers():
    with pytest.raises(ValueError, match="numbers"):
        svm_model(gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, ["a", "b"]))


def test_one_line_is_all_that_changes():
    used = {}
    exec("from gristmill.compat.svmutil import *", used)
    offered = set(used) - {"__builtins__"}
    assert {"svm_load_model", "svm_predict", "svm_save_model", "svm_read_problem", "evaluations"} <= offered
    assert offered <= set(theirs.__all__)


def test_one_changed_line_leaves_what_a_script_prints(tmp_path, monkeypatch, capsys):
    """The example of the guide, as it stands there: what changes is what its diff shows."""
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
    section = guide[guide.index("### LIBSVM's Python module") :]
    lines = section[section.index("```diff\n") + 8 : section.index("\n```\n")].split("\n")
    assert [line[0] for line in lines if line[:1] in ("-", "+")] == ["-", "+"]
    scripts = ["\n".join(line[1:] for line in lines if not line.startswith(sign)) for sign in ("+", "-")]
    monkeypatch.chdir(tmp_path)
    gm.write_svmlight("test.svm", table_of(), labels_of("c_svc", 2, "binary"))
    theirs.svm_save_model("libsvm.model", trained("c_svc", 2, "-b 1"))
    printed, names = [], [{}, {}]
    for script, found in zip(scripts, names, strict=True):
        exec(script, found)
        printed.append(capsys.readouterr())
    assert names[1]["svm_predict"] is ours.svm_predict
    assert printed[0] == printed[1]
    assert names[0]["labels"] == names[1]["labels"]
    np.testing.assert_allclose(names[1]["values"], names[0]["values"], rtol=0, atol=1e-9)


# --- data and metrics -------------------------------------------------------------------------------------------------

DATA = "+1 1:1 3:0.5 7:1e-3\n-1\n2.5 2:-1 3:0\n"


def test_problems_are_read_as_libsvm_reads_them(tmp_path):
    (tmp_path / "d").write_text(DATA)
    path = str(tmp_path / "d")
    assert ours.svm_read_problem(path) == theirs.svm_read_problem(path)
    for text in (io.StringIO(DATA), io.BytesIO(DATA.encode())):
        assert ours.svm_read_problem(text) == theirs.svm_read_problem(path)


@pytest.mark.parametrize("text", [DATA, DATA.replace("2:-1", "0:1 2:-1"), "1 0:1 4:1\n"])
def test_problems_are_read_into_scipy(tmp_path, text):
    (tmp_path / "d").write_text(text)
    y, x = ours.svm_read_problem(tmp_path / "d", return_scipy=True)
    assert isinstance(x, sp.csr_matrix)
    labels, rows = theirs.svm_read_problem(str(tmp_path / "d"))
    first = 0 if " 0:" in text else 1
    table = np.zeros(x.shape)
    for number, row in enumerate(rows):
        for feature, value in row.items():
            table[number, feature - first] = value
    assert y.tolist() == labels
    assert np.array_equal(x.toarray(), table)
    assert (x.data != 0).all()


@pytest.mark.parametrize("use_scipy", [True, False])
@pytest.mark.parametrize(
    ("truth", "answers"),
    [([1, 2, 3], [1, 2, 4]), ([1.5, -2.0], (1.0, 7.0)), ([0, 0], [1.0, 1.0]), (np.array([1, -1]), np.array([1, 1]))],
    ids=str,
)
def test_evaluations_are_libsvm_s(truth, answers, use_scipy):
    expected = theirs.evaluations(truth, answers, use_scipy)
    assert ours.evaluations(truth, answers, use_scipy) == pytest.approx(expected, nan_ok=True)


def test_evaluations_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="len"):
        ours.evaluations([1], [1, 2])
