"""Our own file: what is saved is loaded, to the bit; what is damaged is never loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as unpack
from safetensors.numpy import save as pack

import gristmill as gm
from gristmill.machines import store
from gristmill.machines.formats import load_bytes
from gristmill.machines.probability import CoupledSigmoid, Density, Laplace, Sigmoid
from tests.data.strategies import FEATURES, eighths, odd_kernels, parts
from tests.golden.make_polynomial_v1 import machine as golden_machine

GOLDEN = Path(__file__).parents[1] / "golden"
ENGINES = ["direct", "inverted"]

finite = st.floats(allow_nan=False, allow_infinity=False)
labels = st.one_of(
    *(st.lists(kind, min_size=2, max_size=2, unique=True) for kind in (st.integers(-(2**63), 2**63 - 1), finite)),
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2, unique=True),
    st.just([False, True]),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@st.composite
def probabilities(draw, n_outputs):
    numbers = st.lists(finite, min_size=n_outputs, max_size=n_outputs).map(np.array)
    kind = draw(st.sampled_from([None, Sigmoid, CoupledSigmoid, Laplace, Density]))
    if kind is None:
        return None
    if kind is Density:
        return Density(np.sort(draw(st.lists(finite, min_size=1, max_size=10))))
    return kind(*(draw(numbers) for _ in range(1 if kind is Laplace else 2)))


@st.composite
def machines(draw):
    """Any machine there can be, small."""
    drawn = draw(parts(kernel=odd_kernels(), values=draw(st.sampled_from([None, eighths, finite]))))
    n_outputs = drawn.n_outputs
    base = drawn.machine()
    names = draw(st.none() | st.lists(st.text(), min_size=FEATURES, max_size=FEATURES))
    return gm.Machine(
        base.kernel,
        base.support,
        sp.csr_matrix(base.coef) if draw(st.booleans()) else base.coef,
        base.intercept,
        draw(st.none() | labels) if n_outputs == 1 else draw(st.sampled_from([None, list(range(n_outputs))])),
        None if n_outputs == 1 else draw(st.just("regression")),
        feature_names=names,
        zero_class=draw(st.integers(0, 1)),
        probability=draw(probabilities(n_outputs)),
        provenance=draw(st.dictionaries(st.text(), json_values, max_size=3)),
    )


# --- round trips ------------------------------------------------------------------------------------------------------


@given(machine=machines())
def test_a_machine_survives_a_round_trip(machine):
    assert store.from_bytes(store.to_bytes(machine)) == machine


@given(machine=machines())
def test_equal_machines_give_equal_bytes(machine):
    data = store.to_bytes(machine)
    assert store.to_bytes(store.from_bytes(data)) == data


@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("classes", [["a", "b", "ç"], [3, 1, 2], [0.5, 1.5, 2.5]])
def test_classes_come_back_with_their_type_and_order(scheme, classes):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], np.ones((1, 3)), np.zeros(3), classes, scheme)
    back = store.from_bytes(store.to_bytes(machine))
    assert (back.classes.tolist(), back.classes.dtype.kind) == (classes, machine.classes.dtype.kind)
    assert back.scheme == scheme


@pytest.mark.parametrize(
    "machine",
    [
        gm.Machine(gm.PolynomialKernel(2), [], np.empty((0, 1)), 0.0),
        gm.Machine(gm.PolynomialKernel(2), [set()], [1.0], 0.0),
        gm.Machine(gm.PolynomialKernel(2), np.zeros((2, 0)), [1.0, 1.0], 0.0),
        gm.Machine(gm.PolynomialKernel(2), sp.csr_matrix((0, 5)), sp.csr_matrix((0, 3)), np.zeros(3), range(3), "ovo"),
        gm.Machine(gm.PolynomialKernel(2), [], np.empty((0, 0)), [], [7], "ovo"),
        gm.Machine(gm.PolynomialKernel(2), [{2**31 - 2}], [1.0], 0.0),
    ],
    ids=["no rows", "an empty row", "no features", "no sparse rows", "one class", "the largest id"],
)
def test_degenerate_machines_survive_a_round_trip(machine):
    assert store.from_bytes(store.to_bytes(machine)) == machine


def test_save_and_load_go_through_a_file(tmp_path):
    golden_machine().save(tmp_path / "machine")
    assert gm.load(tmp_path / "machine") == golden_machine()


def test_names_that_are_no_text_are_refused_when_saving():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, feature_names=["\ud800"])
    with pytest.raises(ValueError, match="surrogates"):
        store.to_bytes(machine)


# --- damage -----------------------------------------------------------------------------------------------------------

SMALL = gm.Machine(gm.PolynomialKernel(2), [{0}, {1, 2}], [1.0, -0.5], 0.25, ["no", "yes"], provenance={"a": 1})
PAIRS = gm.Machine(
    gm.PolynomialKernel(2), [{0}, {1}], sp.csr_matrix([[1.0, 0, 0], [0, 0, 2]]), np.zeros(3), range(3), "ovo"
)


def loads_as_something_else(data, machine):
    """True if the bytes load and give another machine; False for a FormatError or the machine itself."""
    try:
        return load_bytes(data) != machine
    except gm.FormatError:
        return False


@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF, 0x20])
def test_no_flipped_byte_gives_another_machine(flip):
    data = store.to_bytes(SMALL)
    damaged = (data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :] for at in range(len(data)))
    assert [at for at, changed in enumerate(damaged) if loads_as_something_else(changed, SMALL)] == []


def test_a_file_cut_anywhere_is_refused():
    data = store.to_bytes(SMALL)
    for length in range(len(data)):
        with pytest.raises(gm.FormatError):
            load_bytes(data[:length])


def test_a_file_with_something_behind_it_is_refused():
    with pytest.raises(gm.FormatError):
        load_bytes(store.to_bytes(SMALL) + b"\0")


def crafted(machine=SMALL, header=None, arrays=None):
    """A file with a checksum that fits whatever was put in."""
    facts = {**store._header(machine), **(header or {})}
    data = {**store._arrays(machine), **(arrays or {})}
    data = {name: array for name, array in data.items() if array is not None}
    facts["sha256"] = store._digest(facts, data)
    return pack(data, metadata={store.KEY: store._json(facts)})


def test_a_crafted_file_that_is_sound_is_loaded():
    assert load_bytes(crafted()) == SMALL


def test_a_newer_version_says_upgrade():
    with pytest.raises(gm.FormatError, match=r"version 4.*upgrade"):
        load_bytes(crafted(header={"version": 4}))


def test_an_unknown_kind_says_upgrade():
    with pytest.raises(gm.FormatError, match="upgrade"):
        load_bytes(crafted(header={"kind": "forest"}))


@pytest.mark.parametrize("version", [0, -1, "1", 1.5, None, [], True])
def test_a_version_that_never_was_is_refused(version):
    with pytest.raises(gm.FormatError, match="version"):
        load_bytes(crafted(header={"version": version}))


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.int64, np.int32, np.uint8, np.float64, np.bool_, np.complex64]
)
@pytest.mark.parametrize("machine", [golden_machine(), SMALL], ids=["sparse", "dense"])
def test_arrays_of_another_type_are_refused(machine, dtype):
    for name, array in store._arrays(machine).items():
        if array.dtype != dtype:
            with pytest.raises(gm.FormatError):
                load_bytes(crafted(machine, arrays={name: array.astype(dtype)}))


@pytest.mark.parametrize("machine", [golden_machine(), SMALL], ids=["sparse", "dense"])
def test_missing_arrays_are_refused(machine):
    for name in store._arrays(machine):
        if name != "feature_names":
            with pytest.raises(gm.FormatError):
                load_bytes(crafted(machine, arrays={name: None}))


INFINITY = float("inf")
BAD_HEADERS = [
    *({"n_features": value} for value in (INFINITY, 10**30, -1, 2, 2**31, "x", None, [])),
    *({"kernel": value} for value in ({"degree": INFINITY}, {"degree": -1}, {"gamma": 10**400}, {"gamma": INFINITY})),
    *({"kernel": value} for value in (None, [], {"sigma": 1}, {"gamma": []})),
    *(
        {"classes": value}
        for value in ([1], [1, 1], [None, 1], [[0], [1]], [[0], [1, 2]], {"a": 1}, "ab", 3, [10**30, 1])
    ),
    *({"scheme": value} for value in ("ovo-ish", 3, [], "one-vs-rest")),
    *({"probability": value} for value in ("sigmoid", "magic", [], 3)),
    *({"zero_class": value} for value in (2, [1], None)),
    *({"provenance": value} for value in ("ab", 3, [1])),
]


@pytest.mark.parametrize("header", BAD_HEADERS, ids=lambda header: str(header)[:40])
def test_a_header_that_makes_no_machine_is_refused(header):
    with pytest.raises(gm.FormatError):
        load_bytes(crafted(header=header))


def of_bytes(text):
    return np.frombuffer(text, dtype=np.uint8)


BAD_ARRAYS = [
    *({"support.ids": np.array(ids, dtype=np.int32)} for ids in ([-1, 1, 2], [0, 1, 3], [0, 1], [2**31 - 1, 1, 2])),
    *(
        {"support.offsets": np.array(starts)}
        for starts in ([0, 3, 1], [0, -3, 3], [1, 1, 3], [0, 1, 2**62], [0, 3], [0])
    ),
    *({"support.values": np.array(values)} for values in ([1.0], [1.0, np.nan, 1.0], [np.inf, 1.0, 1.0])),
    *({"coef": np.array(coef)} for coef in ([[1.0]], [[1.0, 2.0]], [[np.nan], [1.0]], [[[1.0]], [[1.0]]])),
    *({"intercept": np.array(intercept)} for intercept in ([], [[0.0]], [np.nan], [0.0, 0.0])),
    *({"feature_names": of_bytes(text)} for text in (b"", b"3", b'["a"]', b"[1,2,3]", b"\xff", b"[" * 100_000)),
    *({"feature_names": of_bytes(text)} for text in (b'"abc"', b'{"a":1,"b":1,"c":1}')),
    {"support.offsets": np.empty(0, dtype=np.int64)},
]


@pytest.mark.parametrize("arrays", BAD_ARRAYS, ids=lambda arrays: str(arrays)[:60])
def test_arrays_that_make_no_machine_are_refused(arrays):
    with pytest.raises(gm.FormatError):
        load_bytes(crafted(arrays=arrays))


def test_text_in_the_header_that_is_no_text_is_refused():
    header = store._json(store._header(SMALL)).replace('"a":1', '"a":"\\ud800"')
    with pytest.raises(gm.FormatError):
        load_bytes(pack(store._arrays(SMALL), metadata={store.KEY: header}))


DAMAGED_COEFFICIENTS = [
    *({"coef.offsets": np.array(starts)} for starts in ([0, 5, 2], [0, 1, 2**40], [0, -1, 2], [1, 1, 2], [0, 2, 1])),
    {"coef.offsets": np.empty(0, dtype=np.int64)},
    *({"coef.outputs": np.array(outputs, dtype=np.int32)} for outputs in ([0, 7], [0, -7], [0], [0, 2**31 - 1])),
    *({"coef.values": np.array(values)} for values in ([0.0], [0.0, 1.0, 2.0], [0.0, np.nan])),
]


def read_damaged_coefficients():
    for arrays in DAMAGED_COEFFICIENTS:
        try:
            load_bytes(crafted(PAIRS, arrays=arrays))
        except gm.FormatError as error:
            print("refused:", error, flush=True)
        else:
            print("read", flush=True)


def test_sparse_coefficients_that_are_damaged_are_refused():
    """Apart, because scipy trusts such arrays and may take the process with it: lines end where that happens."""
    program = "from tests.machines.test_store import read_damaged_coefficients; read_damaged_coefficients()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    answers = [line[:8] for line in done.stdout.splitlines()]
    assert (done.returncode, answers) == (0, ["refused:"] * len(DAMAGED_COEFFICIENTS)), done.stderr[-500:]


@pytest.mark.parametrize("data", [pack({"x": np.zeros(2)}), pack({"x": np.zeros(2)}, metadata={"format": "pt"})])
def test_the_safetensors_files_of_others_are_refused(data):
    with pytest.raises(gm.FormatError, match="not a gristmill machine"):
        load_bytes(data)


def test_files_hold_no_pickle_and_open_with_safetensors_alone():
    data = store.to_bytes(golden_machine())
    assert set(unpack(data)) == set(store._parts(golden_machine())[1])
    assert b"\x80\x04" not in data[:2]
    assert json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"].keys() == {store.KEY}


# --- golden -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_the_golden_file_of_version_1_still_answers_the_same(engine):
    expected = json.loads((GOLDEN / "polynomial-v1.json").read_text())
    scorer, rows = gm.load(GOLDEN / "polynomial-v1.safetensors").compile(engine), gm.ids(expected["rows"])
    assert np.allclose(scorer.decision_function(rows), expected["scores"], rtol=0, atol=1e-9)
    assert scorer.predict(rows).tolist() == expected["labels"]
    assert np.allclose(scorer.predict_proba(rows), expected["probabilities"], rtol=0, atol=1e-9)


def test_the_golden_file_of_version_1_still_gives_the_same_machine():
    assert gm.load(GOLDEN / "polynomial-v1.safetensors") == golden_machine()
