"""LIBSVM models: read, they answer as LIBSVM does; written, LIBSVM answers as we do."""

from __future__ import annotations

import ctypes
import functools
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from libsvm.svm import gen_svm_nodearray
from libsvm.svm import libsvm as native
from libsvm.svmutil import svm_load_model, svm_save_model, svm_train

import gristmill as gm
from gristmill.machines.formats import format_named, load_bytes
from gristmill.machines.probability import Sigmoid
from tests.data.strategies import FEATURES, kernels, rows
from tests.machines.formats.libsvm_training_data import CLASSIFIERS, OTHERS, TYPES, as_dictionaries, table_of

GOLDEN = Path(__file__).parents[2] / "golden"
ENGINES = ["direct", "inverted"]
KERNELS = [
    *("-t 0", *(f"-t 1 -d {degree} -g 0.3 -r 0.7" for degree in range(1, 7)), "-t 1 -d 2 -g 2 -r 0"),
    *("-t 2", "-t 2 -g 0.3", "-t 3 -g 0.05 -r -0.2"),
]
SEVERAL = [KERNELS[0], KERNELS[3], *KERNELS[-2:]]

every_type = pytest.mark.parametrize(("svm_type", "n_classes"), TYPES)
every_kernel = pytest.mark.parametrize("kernel", KERNELS)
every_engine = pytest.mark.parametrize("engine", ENGINES)

write = format_named("libsvm").write
pytestmark = pytest.mark.usefixtures("one_thread")


@functools.cache
def trained(svm_type, n_classes, kernel, more="", kind="binary"):
    """A model of LIBSVM for labels that can be learned in part: with random ones nu-SVC degenerates."""
    table = table_of(kind)
    rng = np.random.default_rng(n_classes)
    target = table @ rng.normal(size=14) + 0.3 * rng.normal(size=70)
    labels = target if svm_type.endswith("svr") else np.argsort(np.argsort(target)) * n_classes // 70 * 3 - 4
    options = f"-q -m 10 -e 0.1 {(CLASSIFIERS | OTHERS)[svm_type]} {kernel} {more}"
    return svm_train(labels.tolist(), as_dictionaries(table), options)


def through_file(model, path):
    svm_save_model(str(path), model)
    return gm.load(path)


def asked(model, table):
    """Labels (or values) and scores, as LIBSVM answers; its own svm_predict has room for one score of nu-SVC only."""
    n_outputs = model.nr_class * (model.nr_class - 1) // 2
    scores = (ctypes.c_double * n_outputs)()
    answers = [(native.svm_predict_values(model, nodes, scores), list(scores)) for nodes in nodes_of(table)]
    return np.array([label for label, _ in answers]), np.array([row for _, row in answers])


def asked_for_probabilities(model, table):
    """A column per label of the model; for one-class inlier and outlier."""
    shares = (ctypes.c_double * model.nr_class)()
    return np.array([(native.svm_predict_probability(model, nodes, shares), *shares)[1:] for nodes in nodes_of(table)])


def nodes_of(table):
    return [gen_svm_nodearray(row)[0] for row in as_dictionaries(table)]


def magnitude(machine, table):
    """|b| + sum_i |a_i| |k(s_i, x)|: what law one measures with."""
    k = np.abs(machine.kernel(table, machine.support))
    return np.abs(machine.intercept) + k @ abs(machine.coef)


def assert_law_one(machine, got, wanted, table):
    shape = len(table), machine.n_outputs
    assert (np.abs(np.reshape(got, shape) - np.reshape(wanted, shape)) <= 1e-9 * magnitude(machine, table)).all()


# --- reading ----------------------------------------------------------------------------------------------------------


@every_engine
@every_kernel
@every_type
def test_scores_are_those_of_libsvm(tmp_path, svm_type, n_classes, kernel, engine):
    model = trained(svm_type, n_classes, kernel)
    machine = through_file(model, tmp_path / "model")
    table = table_of()
    scores = machine.compile(engine).decision_function(table)
    assert_law_one(machine, scores, asked(model, table)[1], table)


@every_kernel
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("svm_type", CLASSIFIERS)
def test_direct_scores_of_classifiers_are_bit_for_bit_those_of_libsvm(tmp_path, svm_type, n_classes, kernel):
    model = trained(svm_type, n_classes, kernel)
    machine = through_file(model, tmp_path / "model")
    scores = machine.compile("direct").decision_function(table_of()).reshape(70, -1)
    assert np.array_equal(scores, asked(model, table_of())[1])


@every_engine
@every_kernel
@every_type
def test_answers_are_those_of_libsvm(tmp_path, svm_type, n_classes, kernel, engine):
    model = trained(svm_type, n_classes, kernel)
    machine = through_file(model, tmp_path / "model")
    answers = machine.compile(engine).predict(table_of())
    wanted = asked(model, table_of())[0]
    if machine.classes is None:
        assert_law_one(machine, answers, wanted, table_of())
    else:
        assert np.array_equal(answers, wanted)


@every_engine
@pytest.mark.parametrize("kernel", SEVERAL)
@pytest.mark.parametrize(("svm_type", "n_classes"), [entry for entry in TYPES if not entry[0].endswith("svr")])
def test_probabilities_are_those_of_libsvm(tmp_path, svm_type, n_classes, kernel, engine):
    model = trained(svm_type, n_classes, kernel, "-b 1")
    machine = through_file(model, tmp_path / "model")
    got = machine.compile(engine).predict_proba(table_of())
    wanted = asked_for_probabilities(model, table_of())
    order = [1, -1] if svm_type == "one_class" else model.get_labels()
    columns = [order.index(label) for label in machine.classes]
    assert np.allclose(got, wanted[:, columns], rtol=0, atol=1e-9)


@pytest.mark.parametrize("svm_type", ["epsilon_svr", "nu_svr"])
def test_the_noise_of_a_regression_is_kept(tmp_path, svm_type):
    model = trained(svm_type, 2, KERNELS[3], "-b 1")
    assert through_file(model, tmp_path / "model").probability.scale.tolist() == [model.get_svr_probability()]


@every_type
@pytest.mark.parametrize("kernel", SEVERAL)
def test_real_values_are_scored_as_libsvm_does(tmp_path, svm_type, n_classes, kernel):
    table = table_of("real")
    model = trained(svm_type, n_classes, kernel, kind="real")
    machine = through_file(model, tmp_path / "model")
    scores = machine.compile().decision_function(table)
    assert_law_one(machine, scores, asked(model, table)[1], table)


@every_engine
def test_a_model_of_one_class_always_answers_that(tmp_path, engine):
    model = svm_train([5] * 70, as_dictionaries(table_of()), "-q -t 1")
    machine = through_file(model, tmp_path / "model")
    assert machine.compile(engine).predict(table_of()).tolist() == [5] * 70
    assert load_bytes(write(machine)) == machine


@every_engine
@pytest.mark.parametrize("degree", [2, 3])
def test_scores_are_those_stored_with_the_corpora(corpora, degree, engine):
    """One decision value a line, in the order of test.svmdata; above 0 is the first label, 1: classes[1] here."""
    folder = corpora / "models" / "libsvm"
    machine = gm.load(folder / f"tinysvmdata_poly{degree}.model.gz")
    X, y = gm.read_svmlight(corpora / "models" / "tinysvm" / "test.svmdata.gz", zero_based=False)
    with gzip.open(folder / f"tinysvmdata_poly{degree}.test.decision.gz", "rt") as lines:
        wanted = np.array([float(line) for line in lines])
    scorer = machine.compile(engine)
    scores = scorer.decision_function(X)
    assert_law_one(machine, scores, wanted, X.toarray())
    assert engine != "direct" or np.array_equal(scores, wanted)
    assert np.array_equal(scorer.predict(X), np.where(wanted > 0, 1, -1))
    assert round(100 * np.mean(scorer.predict(X) == y), 1) == {2: 77.8, 3: 77.2}[degree]


@every_engine
@pytest.mark.parametrize("name", ["poly3", "rbf", "sigmoid"])
def test_golden_models_still_read_and_score_the_same(name, engine):
    expected = json.loads((GOLDEN / f"libsvm-{name}.json").read_text())
    scorer = gm.load(GOLDEN / f"libsvm-{name}.model").compile(engine)
    assert np.allclose(scorer.decision_function(gm.ids(expected["rows"])), expected["scores"], rtol=0, atol=1e-12)
    assert scorer.predict(gm.ids(expected["rows"])).tolist() == expected["labels"]


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", SEVERAL)
@pytest.mark.parametrize("kind", ["binary", "real"])
@every_type
def test_libsvm_reads_what_is_written_and_answers_the_same(tmp_path, svm_type, n_classes, kernel, kind):
    table = table_of(kind)
    model = trained(svm_type, n_classes, kernel, "-b 1", kind)
    gm.write(through_file(model, tmp_path / "theirs"), tmp_path / "ours")
    ours = svm_load_model(str(tmp_path / "ours"))
    for got, wanted in zip(asked(ours, table), asked(model, table), strict=True):
        assert np.array_equal(got, wanted)
    if not svm_type.endswith("svr"):
        assert np.array_equal(asked_for_probabilities(ours, table), asked_for_probabilities(model, table))


@every_kernel
@every_type
def test_a_machine_survives_a_round_trip(tmp_path, svm_type, n_classes, kernel):
    machine = through_file(trained(svm_type, n_classes, kernel), tmp_path / "model")
    assert load_bytes(write(machine)) == machine


@pytest.mark.parametrize(("svm_type", "n_classes"), [("c_svc", 3), ("one_class", 2), ("nu_svr", 2)])
def test_probabilities_survive_a_round_trip(tmp_path, svm_type, n_classes):
    machine = through_file(trained(svm_type, n_classes, KERNELS[3], "-b 1"), tmp_path / "model")
    assert machine.probability is not None
    assert load_bytes(write(machine)) == machine


@st.composite
def pairwise_machines(draw):
    """One-vs-one machines whose support rows belong to any number of classes."""
    n_classes = draw(st.integers(2, 5))
    n_pairs = n_classes * (n_classes - 1) // 2
    support = draw(st.lists(st.frozensets(st.integers(0, FEATURES - 1)), max_size=6))
    weights = st.lists(st.sampled_from([0, 0, 0, 1.5, -2.25]), min_size=n_pairs, max_size=n_pairs)
    coef = np.array([draw(weights) for _ in support]).reshape(len(support), n_pairs)
    intercept = np.array(draw(weights)) / 8
    return gm.Machine(draw(kernels()), support, sp.csr_matrix(coef), intercept, range(n_classes), "one-vs-one")


@given(machine=pairwise_machines(), x=rows)
def test_support_rows_of_several_classes_are_written_correctly(machine, x):
    back = load_bytes(write(machine)).compile("direct")
    wanted = machine.compile("direct")
    assert_law_one(machine, back.decision_function(x), wanted.decision_function(x), x)
    assert np.array_equal(back.predict(x), wanted.predict(x))


def small(classes=(0, 1), scheme=None, **options):
    n_outputs = 3 if len(classes) == 3 else 1
    coef = np.ones((2, n_outputs))
    return gm.Machine(gm.PolynomialKernel(2), [{0}, {1, 2}], coef, np.zeros(n_outputs), classes, scheme, **options)


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        (small((0, 1, 2), "ovr"), "one-vs-rest"),
        (small(("a", "b")), "whole numbers"),
        (small((0.5, 1.5)), "whole numbers"),
        (small(("out", "in"), "one-class"), "class"),
        (small((2**53 + 1, 0)), "label"),
        (small((1e300, 0)), "label"),
        (gm.Machine(gm.PolynomialKernel(2), [{0}], [[1.0, 2.0]], [0.0, 0.0]), "one regression output"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_machines_that_libsvm_cannot_hold_are_refused(machine, reason):
    with pytest.raises(ValueError, match=reason):
        write(machine)


@pytest.mark.parametrize("zero_class", [0, 1])
def test_the_class_of_a_score_of_zero_survives_writing(zero_class):
    machine = gm.Machine(gm.PolynomialKernel(1, 1, 0), [{0}], [1.0], 0.0, [0, 1], zero_class=zero_class)
    assert load_bytes(write(machine)).compile().predict([set()]).tolist() == [zero_class]


@pytest.mark.parametrize("classes", [(False, True), (7.0, -7.0), (3, 1)])
def test_whole_numbers_of_any_type_are_class_labels(classes):
    assert load_bytes(write(small(classes))).classes.tolist() == [int(label) for label in classes]


# --- bad files --------------------------------------------------------------------------------------------------------

MODEL = """svm_type c_svc
kernel_type polynomial
degree 2
gamma 1
coef0 1
nr_class 2
total_sv 2
rho 0.5
label 1 -1
nr_sv 1 1
SV
1 1:1
-1 2:1
"""
SV_LINE = 11


def without(key):
    return "".join(line for line in MODEL.splitlines(keepends=True) if line.split()[0] != key)


def with_line(old, new):
    assert f"{old}\n" in MODEL
    return MODEL.replace(f"{old}\n", f"{new}\n")


def test_the_model_that_the_others_damage_is_sound():
    assert load_bytes(MODEL.encode()).classes.tolist() == [-1, 1]


@pytest.mark.parametrize(
    "variant", [MODEL.replace("\n", "\r\n"), MODEL.replace("\n", "\n\n"), MODEL[:-1], f"\n{MODEL}"]
)
def test_line_ends_and_blank_lines_do_not_matter(variant):
    assert load_bytes(variant.encode()) == load_bytes(MODEL.encode())


def test_ids_from_zero_survive_a_round_trip_even_if_only_a_zero_value_shows_them():
    machine = load_bytes(with_line("1 1:1", "1 0:0 1:1").encode())
    assert load_bytes(write(machine)) == machine


@pytest.mark.parametrize(("old", "new"), [("1 1:1", "-1 1:1"), ("-1 2:1", "0 2:1"), ("1 1:1", "0 1:1")])
def test_coefficients_of_any_sign_survive_a_round_trip(old, new):
    """nu-SVC without a margin gives the first class negative ones."""
    machine = load_bytes(MODEL.replace(f"\n{old}\n", f"\n{new}\n").encode())
    assert load_bytes(write(machine)) == machine


BAD = {
    **{
        f"no {key}": (without(key), SV_LINE - 1, f"no '{key}'")
        for key in ["nr_class", "total_sv", "rho", "label", "nr_sv"]
    },
    **{f"no {key}": (without(key), None, key) for key in ("degree", "gamma", "coef0")},
    "no kernel_type": (without("kernel_type"), SV_LINE - 1, "no 'kernel_type'"),
    **{
        f"{key} twice": (MODEL.replace("SV\n", f"{line}\nSV\n"), SV_LINE, f"'{key}' stands twice")
        for key, line in ((line.split()[0], line) for line in MODEL.splitlines()[: SV_LINE - 1])
    },
    "unknown key": (with_line("gamma 1", "gamma 1\nsigma 2"), 5, "unknown header 'sigma'"),
    "no SV": (MODEL[: MODEL.index("SV")], SV_LINE, "before the line 'SV'"),
    "only a key": ("svm_type c_svc", 1, "before the line 'SV'"),
    "too few labels": (with_line("label 1 -1", "label 1"), SV_LINE, "'label' has 1 numbers, expected 2"),
    "too many rho": (with_line("rho 0.5", "rho 0.5 1"), SV_LINE, "'rho' has 2 numbers, expected 1"),
    "too few nr_sv": (with_line("nr_sv 1 1", "nr_sv 2"), SV_LINE, "'nr_sv' has 1 numbers, expected 2"),
    "too many probA": (with_line("rho 0.5", "rho 0.5\nprobA 1 2"), SV_LINE + 1, "'probA' has 2 numbers"),
    "nr_sv does not add up": (with_line("nr_sv 1 1", "nr_sv 1 2"), None, "add up to the 2"),
    "negative nr_sv": (with_line("nr_sv 1 1", "nr_sv 3 -1"), None, "add up to the 2"),
    "huge nr_class": (with_line("nr_class 2", "nr_class 1e300"), SV_LINE, "'nr_class' is not a sensible"),
    "broken nr_class": (with_line("nr_class 2", "nr_class 2.5"), SV_LINE, "'nr_class' is not a sensible"),
    "negative total_sv": (with_line("total_sv 2", "total_sv -1"), SV_LINE, "'total_sv' is not a sensible"),
    "rho is nan": (with_line("rho 0.5", "rho nan"), 8, "not a finite"),
    "rho is a word": (with_line("rho 0.5", "rho half"), 8, "expected a number of 'rho', got 'half'"),
    "labels run together": (with_line("label 1 -1", "label 1-1"), 9, "label"),
    "two words": (with_line("svm_type c_svc", "svm_type c_svc nu_svc"), 1, "expected the end of the line"),
    "truncated": (MODEL[: MODEL.index("-1 2:1")], 13, "after 1 of 2 support vectors"),
    "surplus": (f"{MODEL}1 3:1\n", 14, "more support vectors than the 2"),
    "truncated pair": (MODEL[:-3], 13, "expected ':'"),
    "a coefficient too many": (with_line("1 1:1", "1 2 1:1"), 12, "expected ':'"),
    "coefficient is a word": (with_line("1 1:1", "one 1:1"), 12, "expected a coefficient"),
    "coefficient is infinite": (with_line("1 1:1", "1e999 1:1"), 12, "not a finite"),
    "an id twice": (with_line("1 1:1", "1 1:1 1:1"), 12, "occurs twice"),
    "a comment": (with_line("1 1:1", "1 1:1 # first"), 12, "expected the end of the line"),
}


@pytest.mark.parametrize(("text", "line", "reason"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_with_the_line(tmp_path, text, line, reason):
    path = tmp_path / "bad.model"
    path.write_text(text)
    with pytest.raises(gm.FormatError) as caught:
        gm.load(path)
    error = caught.value
    assert reason in error.message
    assert error.line is not None
    assert line is None or error.line == line
    assert str(error).startswith(f"{path}:{error.line}:")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        *(("kernel_type polynomial", f"kernel_type {name}", name) for name in ("precomputed", "tree")),
        ("svm_type c_svc", "svm_type ranking", "'ranking' is no svm_type"),
        ("label 1 -1", "label 1 1", "differ"),
        *(("label 1 -1", f"label {label} 0", "whole numbers") for label in ("0.5", "1e300", "9223372036854775808")),
        *(("degree 2", f"degree {degree}", "'degree' is not a sensible") for degree in ("-1", "2.5", "1e300", "1001")),
    ],
)
def test_a_machine_we_have_no_kernel_or_labels_for_is_refused_with_the_reason(old, new, reason):
    with pytest.raises(gm.FormatError, match=reason):
        load_bytes(with_line(old, new).encode())


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty"), (b"1 1:1\n", "LIBSVM model"), (b"\0" * 100, "known format")]
)
def test_what_is_no_model_is_refused_with_what_is_known(data, reason):
    with pytest.raises(gm.FormatError, match=reason):
        load_bytes(data)


def test_a_sigmoid_is_written_where_libsvm_looks_for_it():
    machine = small(probability=Sigmoid(np.array([-1.5]), np.array([0.25])))
    assert b"probA -1.5\nprobB 0.25\nnr_sv" in write(machine)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [("rbf\ngamma -1", "gamma must be 0 or more"), ("rbf", "no 'gamma'"), ("sigmoid\ngamma 1", "no 'coef0'")],
)
def test_kernels_without_sound_settings_are_refused(kernel, reason):
    text = MODEL.replace("degree 2\ngamma 1\ncoef0 1\n", "").replace("kernel_type polynomial", f"kernel_type {kernel}")
    with pytest.raises(gm.FormatError, match=reason):
        load_bytes(text.encode())


def test_the_rbf_model_of_the_corpora_answers_as_in_libsvm(corpora, tmp_path):
    path = corpora / "models" / "libsvm" / "a9a_rbf.model.gz"
    machine = gm.load(path)
    (tmp_path / "model").write_bytes(gzip.decompress(path.read_bytes()))
    model = svm_load_model(str(tmp_path / "model"))
    table = (np.random.default_rng(0).random((60, machine.n_features)) < 0.1).astype(float)
    assert np.array_equal(machine.compile("direct").decision_function(table), asked(model, table)[1][:, 0])
    assert np.array_equal(machine.compile().predict(table), asked(model, table)[0])


@pytest.mark.parametrize("old", [b"gamma", b"polynomial", b"c_svc"])
def test_words_that_are_no_text_are_refused(old):
    with pytest.raises(gm.FormatError):
        load_bytes(MODEL.encode().replace(old, old + b"\xff", 1))


def test_writing_keeps_the_order_of_rows_so_that_ties_stay():
    rng = np.random.default_rng(3)
    support = (rng.random((40, 12)) < 0.4).astype(float)
    machine = gm.Machine(gm.PolynomialKernel(3, 0.3, 0.1), support, rng.normal(size=40), 0.1, classes=[0, 1])
    again = load_bytes(write(machine))
    x = (rng.random((50, 12)) < 0.4).astype(float)
    direct = [m.compile("direct").decision_function(x).tolist() for m in (machine, again)]
    assert direct[0] == direct[1]
