"""YamCha models: scored as YamCha scores them, written so that it can read them, refused where it cannot hold them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.machines.formats import format_named, load_bytes, recognise
from gristmill.machines.formats import yamcha as compiled
from tests.data.strategies import FEATURES, eighths, feature_sets, odd_kernels, rows
from tests.oracle import yamcha_files

GOLDEN = Path(__file__).parents[2] / "golden"
EXPECTED = json.loads((GOLDEN / "yamcha.json").read_text())
NAMES = [f"F:{row:+d}:{column}:w{column}" for row in (-1, 0, 1) for column in range(FEATURES // 3)]
FORMATS = ["yamcha", "yamcha-text"]
every_format = pytest.mark.parametrize("name", FORMATS)
quiet = pytest.mark.filterwarnings("ignore::gristmill.SwappedParametersWarning")


def ids_of(machine, names):
    """The machine's ids of named features; those it does not know are nothing to it."""
    known = {name: at for at, name in enumerate(machine.feature_names)}
    return {known[name] for name in names if name in known}


def close(machine, got, wanted, X):
    scale = np.abs(machine.intercept) + np.abs(machine.kernel(X, machine.support)) @ abs(machine.coef)
    return bool((np.abs(got.reshape(scale.shape) - wanted.reshape(scale.shape)) <= 1e-9 * scale).all())


# --- golden files -----------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("engine", ["direct", "inverted"])
@pytest.mark.parametrize("kind", EXPECTED["scores"])
def test_golden_files_keep_their_scores(kind, engine):
    machine = gm.load(GOLDEN / f"yamcha-{kind}")
    X = [ids_of(machine, [EXPECTED["names"][at] for at in row]) for row in EXPECTED["rows"]]
    scores = machine.compile(engine).decision_function(X)
    assert close(machine, scores, np.array(EXPECTED["scores"][kind]), X)


@pytest.mark.parametrize(
    ("kind", "name"), [("pairs.model", "yamcha"), ("pke.model", "yamcha"), ("rest.txtmodel", "yamcha-text")]
)
def test_files_are_recognised_by_content(kind, name):
    assert recognise((GOLDEN / f"yamcha-{kind}").read_bytes()).NAME == name


@quiet
@pytest.mark.parametrize(("kind", "name"), [("pairs.model", "yamcha"), ("rest.txtmodel", "yamcha-text")])
def test_a_machine_of_yamcha_survives_a_round_trip(kind, name):
    machine = gm.load(GOLDEN / f"yamcha-{kind}")
    assert load_bytes(format_named(name).write(machine)) == machine


def test_a_tagger_finds_what_it_needs_in_the_provenance():
    provenance = gm.load(GOLDEN / "yamcha-rest.txtmodel").provenance
    assert provenance["one_vs_rest"] is True
    assert provenance["classes"] == ["A", "B", "C", "___OTHER___"]
    assert provenance["parameters"]["parsing_direction"] == "forward"
    assert provenance["parameters"]["features"] == "-1:0 0:0"
    assert provenance["parameters"]["tag_features"] == "-1"
    assert provenance["encoding"] == "utf-8"


# --- PKE --------------------------------------------------------------------------------------------------------------

conjunction_ids = [ids for size in (1, 2, 3) for ids in combinations(range(1, FEATURES + 1), size)]
weight_vectors = st.dictionaries(st.integers(0, 2), eighths, min_size=1)


@st.composite
def pke_models(draw, degree):
    keys = st.sampled_from([ids for ids in conjunction_ids if len(ids) <= degree])
    return draw(st.dictionaries(keys, weight_vectors, max_size=20))


def pke_file(degree, vectors, marks):
    classifiers = [(0, 1, 0.25), (0, 2, -0.5), (2, 1, 0.125)]
    features = {name.encode(): number for number, name in enumerate(sorted(NAMES), 1)}
    return yamcha_files.pke([b"A", b"B", b"C"], classifiers, degree, features, vectors, marks=marks)


def read_on(vectors):
    """Vectors as the program reads them: on into the next one while the numbers ascend."""
    runs = [[(number, vector[number]) for number in sorted(vector)] for vector in vectors.values()] + [[(0, 0.0)]]
    joined = []
    for run in reversed(runs):
        follows = joined and joined[-1][0][0] > run[-1][0]
        joined.append(run + (joined[-1] if follows else []))
    return dict(zip(vectors, map(dict, reversed(joined)), strict=False))


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("degree", [1, 2, 3])
@given(data=st.data(), X=rows)
def test_pke_sums_the_weights_of_the_conjunctions(degree, marks, data, X):
    vectors = data.draw(pke_models(degree))
    machine = load_bytes(pke_file(degree, vectors, marks))
    met = vectors if marks else read_on(vectors)
    sums = [
        [sum(vector.get(n, 0.0) for ids, vector in met.items() if {i - 1 for i in ids} <= set(x)) for n in range(3)]
        for x in X
    ]
    # pairs in order are (A, B), (A, C), (B, C); the file has (C, B), so that score changes its sign
    wanted = (np.array(sums).reshape(len(X), 3) - [0.25, -0.5, 0.125]) * [1, 1, -1]
    for engine in ("direct", "inverted"):
        assert close(machine, machine.compile(engine).decision_function(X), wanted, X)


def test_conjunctions_of_lost_features_are_left_out():
    features = {b"a": 1, b"b": 2}
    data = yamcha_files.pke([b"A", b"B"], [(0, 1, 0.0)], 2, features, {(1, 2): {0: 1.0}, (1, 7): {0: 9.0}})
    assert load_bytes(data).compile().decision_function([{0, 1}, {0}]).tolist() == [1.0, 0.0]


# --- signs, ties, parameters ------------------------------------------------------------------------------------------

PAIRS = ([b"A", b"B", b"C"], [(0, 1, 0.0), (0, 2, 0.5), (1, 2, -0.5)])


def pki_file(classes=PAIRS[0], classifiers=PAIRS[1], kernel=(2, 1.0, 1.0), weights=None, **options):
    features = {b"x": [0, 1], b"y": [1]}
    weights = [{0: 1.0, 1: -1.0}, {0: 2.0}, {1: 3.0}][: len(classifiers)] if weights is None else weights
    return yamcha_files.pki(classes, classifiers, kernel, features, weights, **options)


def test_pki_is_the_kernel_machine_it_says():
    machine = load_bytes(pki_file())
    assert machine.feature_names == ("x", "y")
    assert machine.support.to_csr().toarray().tolist() == [[1, 0], [1, 1]]
    assert machine.compile("direct").decision_function([{0, 1}, set()]).tolist() == [[-5, 7.5, 27.5], [0, 1.5, 3.5]]


def test_a_score_of_zero_is_a_vote_for_the_positive_class():
    assert load_bytes(pki_file()).compile().predict([set()]).tolist() == ["A"]  # 0 for A, 1.5 for A
    turned = load_bytes(pki_file(classifiers=[(1, 0, 0.0), (2, 0, 0.5), (2, 1, -0.5)]))
    assert turned.compile().predict([set()]).tolist() == ["C"]  # C, C, and 0 for B
    binary = load_bytes(pki_file([b"A", b"B"], [(0, 1, 0.0)]))
    assert binary.compile().predict([set()]).tolist() == ["A"]


def test_the_first_of_the_most_voted_wins():
    circle = load_bytes(pki_file(classifiers=[(0, 1, -9.0), (0, 2, 9.0), (1, 2, -9.0)], weights=[{0: 0.0}, {}, {}]))
    assert circle.compile().predict([set()]).tolist() == ["A"]


def test_the_class_of_all_others_is_never_answered():
    classes = [b"A", b"B", b"C", b"___OTHER___"]
    machine = load_bytes(pki_file(classes, [(2, 3, 1.0), (0, 3, 2.0), (1, 3, 3.0)], one_vs_rest=1))
    assert machine.classes.tolist() == ["A", "B", "C"]
    assert machine.scheme == "one-vs-rest"
    assert machine.intercept.tolist() == [-2, -3, -1]


def test_the_program_takes_s_for_r_and_says_so():
    data = pki_file(kernel=(2, 0.5, 2.0))
    with pytest.warns(gm.SwappedParametersWarning, match=r"\(2 m \+ 0.5\)\^2.*trained with \(0.5 m \+ 2\)\^2"):
        machine = load_bytes(data)
    assert machine.kernel == gm.PolynomialKernel(2, 2.0, 0.5)
    assert compiled.read(data, as_trained=True).kernel == gm.PolynomialKernel(2, 0.5, 2.0)


def test_strings_that_are_not_utf8_are_latin1():
    machine = load_bytes(pki_file([b"\xb4\xa8", b"B"], [(0, 1, 0.0)]))
    assert machine.classes.tolist() == ["B", "\xb4\xa8"]
    assert machine.provenance["encoding"] == "latin-1"
    assert b"\xb4\xa8" in compiled.write(machine)


def test_the_older_format_is_read():
    features, weights = {b"x": [0, 1], b"y": [1]}, [{0: 1.0, 1: -1.0}, {0: 2.0}, {1: 3.0}]
    older, newer = load_bytes(yamcha_files.older(*PAIRS, (2, 1.0, 1.0), features, weights)), load_bytes(pki_file())
    assert older.compile().decision_function([{0, 1}, set()]).tolist() == [[-5, 7.5, 27.5], [0, 1.5, 3.5]]
    assert older.classes.tolist() == newer.classes.tolist()
    assert older.provenance["version"] == "0.2"


# --- writing ----------------------------------------------------------------------------------------------------------

SCHEMES = [("binary", 2, 1), ("ovo", 2, 1), ("ovo", 4, 6), ("ovr", 2, 2), ("ovr", 3, 3)]


@st.composite
def machines(draw, scheme, n_classes, n_outputs):
    support = draw(st.lists(feature_sets, max_size=8))
    coef = [draw(st.lists(eighths, min_size=n_outputs, max_size=n_outputs)) for _ in support]
    table = np.zeros((len(support), FEATURES))
    for at, row in enumerate(support):
        table[at, sorted(row)] = 1
    return gm.Machine(
        draw(odd_kernels()),
        table,
        sp.csr_matrix(np.array(coef).reshape(len(support), n_outputs)),
        draw(st.lists(eighths, min_size=n_outputs, max_size=n_outputs)),
        draw(st.permutations(["B-NP", "I-NP", "O", "Ö"]))[:n_classes],
        scheme,
        feature_names=draw(st.permutations(NAMES)),
        zero_class=draw(st.integers(0, 1)),
    )


@quiet
@every_format
@pytest.mark.parametrize(("scheme", "n_classes", "n_outputs"), SCHEMES)
@given(data=st.data(), X=rows)
def test_what_is_written_answers_the_same(name, scheme, n_classes, n_outputs, data, X):
    machine = data.draw(machines(scheme, n_classes, n_outputs))
    back = load_bytes(format_named(name).write(machine))
    there = [ids_of(back, [machine.feature_names[at] for at in x]) for x in X]
    scores = machine.compile("direct").decision_function(X).reshape(len(X), n_outputs)
    zero_rule_is_lost = name == "yamcha-text" and scheme == "ovo"
    same = [at for at in range(len(X)) if not (zero_rule_is_lost and (scores[at] == 0).any())]
    wanted, got = machine.compile("direct").predict(X), back.compile("direct").predict(there)
    assert wanted[same].tolist() == got[same].tolist()


@quiet
@every_format
def test_a_machine_of_conjunctions_can_be_written_with_its_support_rows(name):
    machine = gm.load(GOLDEN / "yamcha-pke.model")
    back = load_bytes(format_named(name).write(machine))
    X = [ids_of(machine, [EXPECTED["names"][at] for at in row]) for row in EXPECTED["rows"]]
    there = [ids_of(back, [machine.feature_names[at] for at in x]) for x in X]
    assert close(machine, machine.compile().decision_function(X), back.compile().decision_function(there), X)


def machine_with(**changes):
    parts = {"classes": ["A", "B"], "scheme": "binary", "feature_names": ["F:+0:0:a", "T:-1:A"], "support": [{0}, {1}]}
    parts |= changes
    support = parts.pop("support")
    outputs = 1 if parts["scheme"] in ("binary", "one-class", "regression") else 2
    return gm.Machine(gm.PolynomialKernel(2), support, np.ones((2, outputs)), np.zeros(outputs), **parts)


@every_format
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"feature_names": None}, "has no feature_names"),
        ({"feature_names": ["F:+0:0:a", "F:+0:0:a"]}, "a name twice"),
        ({"feature_names": ["F:+0:0:a b", "T:-1:A"]}, "without blanks"),
        ({"feature_names": ["F:+0:0:" + 505 * "a", "T:-1:A"]}, "1 to 511 bytes"),
        ({"feature_names": ["F:+0:0:a", "word=b"]}, "never makes the feature 'word=b'"),
        ({"classes": ["A", 32 * "B"]}, "1 to 31 bytes"),
        ({"classes": ["A", "B C"]}, "without blanks"),
        ({"classes": ["A", ""]}, "1 to 31 bytes"),
        ({"classes": ["A", "___OTHER___"]}, "for itself"),
        ({"classes": [0.5, 1.5]}, "classes are words"),
        ({"classes": None, "scheme": "regression"}, "this machine is regression"),
        ({"classes": [-1, 1], "scheme": "one-class"}, "this machine is one-class"),
        ({"support": np.array([[0.5, 1], [1, 0]])}, "other support values"),
        ({"provenance": {"format": "yamcha", "parameters": {"a": "b\nc"}}}, "lines of text"),
    ],
)
def test_what_yamcha_has_no_room_for_is_refused(name, changes, reason):
    with pytest.raises(ValueError, match=reason):
        format_named(name).write(machine_with(**changes))


# --- double arrays ----------------------------------------------------------------------------------------------------

key_sets = st.dictionaries(st.binary(max_size=5), st.integers(0, 2**31 - 1), max_size=30)


@given(entries=key_sets)
def test_double_arrays_are_built_as_the_walk_reads_them(entries):
    keys = sorted(entries)
    array = _core.build_double_array(keys, [entries[key] for key in keys])
    assert {key: yamcha_files.look_up(array, key) for key in keys} == entries
    others = {key + b"a" for key in keys} | {key[:-1] for key in keys}
    assert all(yamcha_files.look_up(array, key) is None for key in others - entries.keys())


@given(entries=key_sets)
def test_double_arrays_give_their_keys_in_order(entries):
    wanted = sorted(entries.items())
    assert _core.double_array_keys(yamcha_files.double_array(entries), 5) == wanted
    keys = [key for key, _ in wanted]
    assert _core.double_array_keys(_core.build_double_array(keys, [entries[key] for key in keys]), 5) == wanted


@pytest.mark.parametrize("keys", [[b"b", b"a"], [b"a", b"a"], [b"\xff", b"a"]])
def test_keys_must_ascend(keys):
    with pytest.raises(ValueError, match="must ascend"):
        _core.build_double_array(keys, [1, 2])
