"""SVMlight, TinySVM and opal models: read, written, refused."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.data_files import read_rows_for
from gristmill.machines.formats import MODEL_FORMATS, load_bytes, opal, svmlight, tinysvm, write
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import Scheme
from tests.data.strategies import eighths, parts, rows

GOLDEN = Path(__file__).parents[2] / "golden"
PLAIN = {"svmlight": svmlight, "tinysvm": tinysvm}

SVMLIGHT = b"""SVM-light Version V6.02
1 # kernel type
2 # kernel parameter -d
1 # kernel parameter -g
0.5 # kernel parameter -s
2 # kernel parameter -r
empty# kernel parameter -u
9 # highest feature index
100 # number of training documents
3 # number of support vectors plus 1
0.25 # threshold b, each following line is a SV (starting with alpha*y)
0.5 1:1 3:1 #
-0.75 2:1 9:1 # a comment
"""

TINYSVM = b"""TinySVM Version 0.09
1 # kernel type
2 # kernel parameter -d
1 # kernel parameter -g
0.5 # kernel parameter -s
2 # kernel parameter -r
empty # kernel parameter -u
3 1 100 0.5 # number of SVs/BSVs/number of training data/L1 loss
0.25 # threshold b
0.5 1:1 3:1
-0.75 2:1 9:1
"""

OPAL = b"""opal # $Id: pa.h 1934
1 # kernel type
2 # kernel parameter -d
1 # kernel parameter -s
1 # kernel parameter -r
-4.5 # sigmoid -A
0.5 # sigmoid -B
0 # threshold b
0.5 1:1 3:1
-0.75 2:1 9:1
"""

OPAL_CLASSES = b"""opal # $Id: pa.h 1934
3 # labels: NP VP O
1 # kernel type
2 # kernel parameter -d
1 # kernel parameter -s
1 # kernel parameter -r
0 0 0 # threshold b
0.5 -0.25 -0.25 1:1 3:1
-0.75 0.5 0.25 2:1 9:1
"""

ROWS = gm.ids([[0, 2], [1, 8], [0, 1], []])


def by_hand(gamma, coef0, threshold):
    """The scores of ROWS for the two support vectors above."""
    overlaps = [(2, 0), (0, 2), (1, 1), (0, 0)]
    return [0.5 * (gamma * m + coef0) ** 2 - 0.75 * (gamma * n + coef0) ** 2 - threshold for m, n in overlaps]


@pytest.mark.parametrize("engine", ["direct", "inverted"])
@pytest.mark.parametrize("text", [SVMLIGHT, TINYSVM], ids=["svmlight", "tinysvm"])
def test_a_small_file_scores_as_computed_by_hand(text, engine):
    machine = load_bytes(text)
    assert machine.compile(engine).decision_function(ROWS) == pytest.approx(by_hand(0.5, 2, 0.25), abs=1e-12)
    assert (machine.classes.tolist(), machine.zero_class, machine.first_id) == ([-1, 1], 0, 1)


@pytest.mark.parametrize("engine", ["direct", "inverted"])
@pytest.mark.parametrize(
    ("number", "value"),
    [
        (2, lambda m, x, s: np.exp(-0.125 * (x + s - 2 * m))),
        (3, lambda m, x, s: np.tanh(0.5 * m - 0.75)),
    ],
    ids=["rbf", "sigmoid"],
)
def test_svmlight_s_other_kernels_score_as_computed_by_hand(number, value, engine):
    text = SVMLIGHT.replace(b"1 # kernel type", b"%d # kernel type" % number)
    text = text.replace(b"1 # kernel parameter -g", b"0.125 # kernel parameter -g")
    machine = load_bytes(text.replace(b"2 # kernel parameter -r", b"-0.75 # kernel parameter -r"))
    counts = [(2, 2, 0), (0, 2, 2), (1, 2, 1), (0, 0, 0)]
    wanted = [0.5 * value(m, x, 2) - 0.75 * value(n, x, 2) - 0.25 for m, x, n in counts]
    assert machine.compile(engine).decision_function(ROWS) == pytest.approx(wanted, abs=1e-12)
    assert load_bytes(svmlight.write(machine)) == machine


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.1), gm.SigmoidKernel(0.1, -0.3)], ids=str)
def test_machines_with_other_kernels_go_from_libsvm_to_svmlight_and_back(kernel, tmp_path):
    rng = np.random.default_rng(0)
    support, x = ((rng.random((size, 15)) < 0.4).astype(float) for size in (40, 30))
    machine = gm.Machine(kernel, support, rng.normal(size=40), 0.25, classes=[-1, 1])
    for step, name in enumerate(("libsvm", "svmlight", "svmlight-tk", "libsvm")):
        write(machine if step == 0 else gm.load(tmp_path / str(step - 1)), tmp_path / str(step), name)
        found = gm.load(tmp_path / str(step))
        turned = 1 if found.classes.tolist() == [-1, 1] else -1
        assert np.array_equal(
            turned * found.compile("direct").decision_function(x), machine.compile("direct").decision_function(x)
        )


@pytest.mark.parametrize("name", ["tinysvm", "opal", "yamcha", "yamcha-text"])
def test_formats_without_other_kernels_say_which_have_them(name, tmp_path):
    machine = machine_of(kernel=gm.RBFKernel(0.1))
    with pytest.raises(
        ValueError, match=r"holds polynomial kernels on rows, .* write it as 'svmlight', 'svmlight-tk', "
    ):
        write(machine, tmp_path / "model", name)


@pytest.mark.parametrize("name", ["libsvm", "svmlight", "svmlight-tk"])
def test_kernels_that_no_other_program_has_are_kept_by_our_own_format_alone(name, tmp_path):
    machine = machine_of(kernel=gm.TanimotoKernel())
    with pytest.raises(
        ValueError, match=r"holds polynomial, RBF and sigmoid kernels on rows, .* write it as 'gristmill'$"
    ):
        write(machine, tmp_path / "model", name)
    write(machine, tmp_path / "model", "gristmill")
    assert gm.load(tmp_path / "model") == machine


def test_opal_answers_plus_one_at_zero_and_keeps_its_sigmoid():
    machine = load_bytes(OPAL)
    assert machine.compile().decision_function(ROWS) == pytest.approx(by_hand(1, 1, 0))
    assert (machine.zero_class, machine.probability.a[0], machine.probability.b[0]) == (1, -4.5, 0.5)
    score = machine.compile().decision_function(ROWS)
    assert machine.compile().predict_proba(ROWS)[:, 1] == pytest.approx(1 / (1 + np.exp(-4.5 * score + 0.5)), abs=1e-6)


def test_a_sigmoid_that_opal_did_not_fit_is_none():
    assert load_bytes(OPAL.replace(b"-4.5 #", b"-1 #").replace(b"0.5 # sig", b"0 # sig")).probability is None


def test_opal_with_classes_takes_the_highest():
    machine = load_bytes(OPAL_CLASSES)
    assert machine.classes.tolist() == ["NP", "VP", "O"]
    assert machine.compile().predict(ROWS).tolist() == ["NP", "VP", "VP", "VP"]


def test_labels_of_opal_that_are_numbers_are_read_as_numbers():
    assert load_bytes(OPAL_CLASSES.replace(b"NP VP O", b"1 -3 2")).classes.tolist() == [1, -3, 2]
    assert load_bytes(OPAL_CLASSES.replace(b"NP VP O", b"1 03 2")).classes.tolist() == ["1", "03", "2"]


@pytest.mark.parametrize("labels", [None, ["a", "b", "c"]])
def test_linear_opal_models_are_weights_per_feature(labels):
    weights = np.array([[0, 0, 0], [1.5, -1, 0], [0, 0, 0], [0.25, 2, -3]])
    if labels is None:
        data = np.concatenate([weights[:, 0], [-1.0, 0.0]]).tobytes()
    else:
        data = b"3 # labels: a b c\n" + weights.tobytes()
    machine = load_bytes(data)
    scores = machine.compile("inverted").decision_function([{1}, {1, 3}, {2}, {7}])
    wanted = np.array([weights[1], weights[1] + weights[3], weights[2], weights[0]])
    assert np.array_equal(scores, wanted[:, 0] if labels is None else wanted)
    assert machine.first_id == 0
    assert machine.is_binary_valued


def test_the_kernel_of_a_linear_model_has_no_constant():
    machine = load_bytes(SVMLIGHT.replace(b"1 # kernel type", b"0 # kernel type"))
    assert machine.compile().decision_function(ROWS) == pytest.approx([0.75, -1.75, -0.5, -0.25])


def test_older_tinysvm_files_count_only_support_vectors():
    machine = load_bytes(TINYSVM.replace(b"3 1 100 0.5 # number", b"3 # number"))
    assert machine.n_support == 2


def test_real_values_are_kept_and_scored_directly():
    machine = load_bytes(SVMLIGHT.replace(b"1:1 3:1", b"1:0.5 3:2"))
    assert not machine.is_binary_valued
    assert machine.compile().engine == "direct"


def test_the_stored_models_of_tinysvm_give_what_their_training_data_say(corpora):
    """No decision values came with these files; the polynomial one separates its own training data."""
    machine = gm.load(corpora / "models/tinysvm/poly3_perl_example.model.gz")
    assert machine.n_support == 869
    X, y = read_rows_for(machine, corpora / "models/tinysvm/train.svmdata.gz")
    assert np.mean(machine.compile().predict(X) == y) > 0.98
    linear = gm.load(corpora / "models/tinysvm/linear_perl_example.model.gz")
    assert (linear.n_support, linear.kernel) == (589, gm.PolynomialKernel(1, 1.0, 0.0))


def test_the_stored_vector_model_of_svm_light_tk_gives_its_stored_predictions(corpora):
    folder = corpora / "models/svmlight_tk"
    machine = gm.load(folder / "cdr_linear.model.gz")
    X, _ = read_rows_for(machine, folder / "cdr.test.gz")
    stored = np.loadtxt(folder / "cdr.test.predictions.gz")
    assert np.abs(machine.compile().decision_function(X) - stored).max() < 1e-6  # eight digits, values in 32 bits


# --- round trips ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", PLAIN.values(), ids=PLAIN)
@given(machine_parts=parts(max_outputs=1, values=eighths.filter(bool)), x=rows)
def test_what_is_written_reads_back_to_the_same_scores(module, machine_parts, x):
    machine = machine_parts.machine(classes=[-1, 1])
    again = load_bytes(module.write(machine))
    left, right = (m.compile("direct", binarize=False).decision_function(x) for m in (machine, again))
    assert np.array_equal(left, right)


@given(
    machine_parts=parts(kernel=st.integers(1, 3).map(gm.PolynomialKernel), min_outputs=2, max_outputs=4),
    x=rows,
)
def test_opal_with_classes_reads_back_to_the_same_scores(machine_parts, x):
    assume(all(machine_parts.support))  # opal has no examples without features
    names = list("abcd")[: machine_parts.n_outputs]
    machine = machine_parts.machine(classes=names, scheme="ovr")
    machine = gm.Machine(
        machine.kernel, machine.support, machine.coef, np.zeros(len(names)), names, "ovr", provenance={}
    )
    again = load_bytes(opal.write(machine))
    assert again.classes.tolist() == names
    assert np.array_equal(machine.compile("direct").decision_function(x), again.compile("direct").decision_function(x))


SINGLE = [known.NAME for known in MODEL_FORMATS if known.NAME in ("gristmill", "libsvm", "svmlight", "tinysvm", "opal")]


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(SINGLE, 2)))
def test_every_pair_of_formats_keeps_scores_and_labels(one, other, tmp_path):
    rng = np.random.default_rng(0)
    support = (rng.random((40, 15)) < 0.4).astype(float)
    support[0, 14] = 1
    machine = gm.Machine(gm.PolynomialKernel(2), support, rng.normal(size=40), 0.0, classes=[-1, 1])
    write(machine, tmp_path / "one", one)
    write(gm.load(tmp_path / "one"), tmp_path / "other", other)
    again = gm.load(tmp_path / "other")
    x = (rng.random((30, 15)) < 0.4).astype(float)
    turned = 1 if again.classes.tolist() == [-1, 1] else -1  # LIBSVM's way to answer +1 at a score of 0
    assert np.array_equal(
        turned * again.compile("direct").decision_function(x), machine.compile("direct").decision_function(x)
    )
    assert np.array_equal(again.compile().predict(x), machine.compile().predict(x))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("text-*.json")), ids=lambda path: path.stem)
@pytest.mark.parametrize("engine", ["direct", "inverted"])
def test_models_that_the_programs_made_score_as_the_programs_do(path, engine):
    wanted = json.loads(path.read_text(encoding="utf-8"))
    machine, rows = gm.load(GOLDEN / wanted["model"]), gm.ids(wanted["rows"])
    absolute = gm.Machine(machine.kernel, machine.support, np.abs(machine.coef), np.abs(machine.intercept))
    difference = np.abs(machine.compile(engine).decision_function(rows) - wanted["scores"])
    assert (difference <= 1e-9 * absolute.compile("direct").decision_function(rows) + 1e-300).all()
    assert machine.compile(engine).predict(rows).tolist() == wanted["labels"]


# --- refusals ---------------------------------------------------------------------------------------------------------


def machine_of(**changes):
    given = {
        "kernel": gm.PolynomialKernel(2),
        "support": [{0, 1}, {2}],
        "coef": [1.0, -1.0],
        "intercept": 0.0,
        "classes": [-1, 1],
        **changes,
    }
    return gm.Machine(**given)


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("svmlight", {"classes": [0, 1]}, "classes -1 and 1 only"),
        ("tinysvm", {"classes": ["a", "b"]}, "classes -1 and 1 only"),
        ("svmlight", {"coef": np.eye(2), "intercept": [0.0, 0.0], "scheme": "ovr"}, "one output"),
        ("svmlight", {"first_id": 0}, "counts features from 1"),
        ("opal", {"kernel": gm.PolynomialKernel(2, 0.5, 1.0)}, "opal's kernel"),
        ("opal", {"kernel": gm.PolynomialKernel(4)}, "d from 1 to 3"),
        ("opal", {"first_id": 0}, "feature 0"),
        ("opal", {"support": [set(), {1}]}, "without features"),
        ("opal", {"classes": None}, "classifiers only"),
        ("opal", {"intercept": 1.0}, "no intercept"),
        ("opal", {"support": np.array([[0.5, 1.0], [1.0, 0.0]])}, "0 or 1"),
        ("opal", {"classes": [0, 1]}, "classes -1 and 1 only"),
        (
            "opal",
            {"coef": np.eye(2), "intercept": [0.0, 0.0], "scheme": "ovr", "classes": ["a b", "c"]},
            "words without spaces",
        ),
    ],
)
def test_machines_a_format_cannot_hold_are_refused(name, changes, reason, tmp_path):
    with pytest.raises(ValueError, match=reason):
        write(machine_of(**changes), tmp_path / "model", name)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (SVMLIGHT[: SVMLIGHT.index(b"0.25 #")], 11, "before the line '# threshold b'"),
        (SVMLIGHT.replace(b"1 # kernel type", b"4 # kernel type"), 2, "a kernel of the user's own"),
        (
            SVMLIGHT.replace(b"1 # kernel type", b"2 # kernel type").replace(
                b"1 # kernel parameter", b"-1 # kernel parameter"
            ),
            4,
            "gamma must be 0 or more",
        ),
        (SVMLIGHT.replace(b"1 # kernel type", b"x # kernel type"), 2, "expected numbers"),
        (SVMLIGHT.replace(b"2 # kernel parameter -d", b"2.5 # kernel parameter -d"), 3, "whole number"),
        (SVMLIGHT.replace(b"2 # kernel parameter -d", b"2000 # kernel parameter -d"), 3, "degree must be"),
        (SVMLIGHT.replace(b"kernel parameter -s", b"kernel parameter -x"), 12, "no line '# kernel parameter -s'"),
        (SVMLIGHT.replace(b"3 # number of support", b"4 # number of support"), 10, "counts 3 support vectors"),
        (SVMLIGHT.replace(b"1 # kernel type", b"1 kernel type"), 2, "value # name"),
        (SVMLIGHT.replace(b"0.25 # threshold", b"nan # threshold"), 11, "finite numbers"),
        (SVMLIGHT.replace(b"-0.75 2:1", b"-0.75 2:x"), 13, "feature value"),
        (SVMLIGHT.replace(b"-0.75 2:1", b"x 2:1"), 13, "expected a coefficient"),
        (TINYSVM.replace(b"-0.75 2:1 9:1\n", b""), 8, "counts 2 support vectors, the file has 1"),
        (OPAL_CLASSES.replace(b"0 0 0 # thr", b"0 0 # thr"), 7, "3 labels, but 2 thresholds"),
        (OPAL_CLASSES.replace(b"3 # labels", b"4 # labels"), 2, "expected 4 labels"),
        (OPAL_CLASSES.replace(b"0.5 -0.25 -0.25", b"0.5 -0.25"), 8, "expected a coefficient"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(text, line, reason):
    with pytest.raises(gm.FormatError, match=reason) as caught:
        load_bytes(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bytes(8) + b"\1" * 9, "known format"),
        (bytes(8) + np.array([1.0]).tobytes(), "at least three"),
        (bytes(8) + np.array([np.nan, 1, 1]).tobytes(), "not finite"),
        (b"2 # labels: a b\n" + bytes(24), "rows of 2"),
        (b"3 # labels: a b\n" + bytes(24), "expected 3 labels"),
    ],
)
def test_a_bad_linear_opal_file_is_refused(data, reason):
    with pytest.raises(gm.FormatError, match=reason):
        load_bytes(data)


def test_opal_writes_the_sigmoid_of_a_machine():
    machine = machine_of(zero_class=1, probability=Sigmoid(np.array([-2.0]), np.array([0.5])))
    again = load_bytes(opal.write(machine))
    assert (again.probability.a[0], again.probability.b[0], again.scheme) == (-2.0, 0.5, Scheme.BINARY)


def test_classes_in_the_other_order_are_turned():
    machine = machine_of(classes=[1, -1], intercept=0.25)
    again = load_bytes(tinysvm.write(machine))
    x = gm.ids([[0, 1], [2], []])
    assert again.compile().decision_function(x) == pytest.approx(-machine.compile().decision_function(x))
    assert again.compile().predict(x).tolist() == machine.compile().predict(x).tolist()


@pytest.mark.parametrize("labels", [None, ["b", "a", "c"]])
def test_linear_opal_models_are_written_as_weights(labels):
    outputs = 1 if labels is None else 3
    coef = np.arange(1.0, 3 * outputs + 1).reshape(3, outputs) / 8
    machine = gm.Machine(
        gm.PolynomialKernel(1, 1.0, 0.0),
        [{0, 2}, {2}, {4}],
        coef,
        np.zeros(outputs),
        [-1, 1] if labels is None else labels,
        None if labels is None else "ovr",
        first_id=1,
    )
    again = load_bytes(opal.write(machine))
    ours, theirs = [{0, 2}, {2, 4}, {1}], [{1, 3}, {3, 5}, {2}]  # linear files count from 0
    assert np.array_equal(again.compile().decision_function(theirs), machine.compile().decision_function(ours))


def test_labels_of_opal_keep_their_bytes():
    text = OPAL_CLASSES.replace(b"NP VP O", "à 名詞 --5".encode())
    machine = load_bytes(text)
    assert machine.classes.tolist() == ["à", "名詞", "--5"]
    assert "à 名詞 --5".encode() in opal.write(machine)


def test_a_machine_that_uses_no_feature_0_is_written_with_the_ids_it_has():
    machine = machine_of(support=[{1, 2}, {3}], first_id=0)
    assert b" 1:1 2:1\n" in svmlight.write(machine)
    assert b"0:0" not in opal.write(machine)


def test_tinysvm_counts_kernels_its_own_way():
    with pytest.raises(gm.FormatError, match="radial basis functions; polynomial and linear"):
        load_bytes(TINYSVM.replace(b"1 # kernel type", b"3 # kernel type"))


def test_opal_has_polynomial_kernels_alone():
    with pytest.raises(gm.FormatError, match="radial basis functions; polynomial and linear"):
        load_bytes(OPAL.replace(b"1 # kernel type", b"2 # kernel type"))


NAMED = ["gristmill", "yamcha", "yamcha-text", "opal"]


def named(machine, names):
    """The machine with names again, where the format has none."""
    if machine.feature_names is not None:
        return machine
    parts = (machine.support, machine.coef, machine.intercept, machine.classes, machine.scheme)
    return gm.Machine(machine.kernel, *parts, feature_names=names, first_id=machine.first_id)


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(NAMED, 2)))
def test_every_pair_of_formats_with_words_as_classes_keeps_the_scores(one, other, tmp_path):
    """YamCha knows features by name and opal by number, so what opal gives back gets its names again."""
    rng = np.random.default_rng(1)
    support, x = ((rng.random((size, 9)) < 0.5).astype(float) for size in (20, 15))
    support[0] = 1  # every feature occurs
    coef = rng.normal(size=(20, 3))
    names, labels = [f"F:+0:0:{word}" for word in "abcdefghi"], ["NP", "VP", "O"]
    machine = gm.Machine(gm.PolynomialKernel(2), support, coef, np.zeros(3), labels, "ovr", feature_names=names)
    for step, format_name in enumerate((one, other)):
        write(machine, tmp_path / str(step), format_name)
        machine = named(gm.load(tmp_path / str(step)), names)
    turned = np.zeros_like(x)
    turned[:, [machine.feature_names.index(name) for name in names]] = x
    scores = machine.compile().decision_function(turned)
    wanted = (x @ support.T + 1) ** 2 @ coef
    assert scores[:, [machine.classes.tolist().index(label) for label in labels]] == pytest.approx(wanted, abs=1e-9)
