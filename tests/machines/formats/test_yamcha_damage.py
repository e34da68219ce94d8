"""Damaged YamCha models: a FormatError that says where, never a crash, a cycle or memory for nothing."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest

import gristmill as gm
from gristmill import _core
from gristmill.machines.formats import format_named, load_bytes
from tests.oracle import yamcha_files

GOLDEN = Path(__file__).parents[2] / "golden"
COMPILED = {kind: (GOLDEN / f"yamcha-{kind}.model").read_bytes() for kind in ("pairs", "pke")}
TEXT = (GOLDEN / "yamcha-rest.txtmodel").read_text()

pytestmark = pytest.mark.filterwarnings("ignore::gristmill.SwappedParametersWarning")
read = format_named("yamcha").read

CLASSES, CLASSIFIERS = [b"A", b"B"], [(0, 1, 0.0)]


def pki(features=None, weights=None, classifiers=CLASSIFIERS, classes=CLASSES, **options):
    features = {b"x": [0, 1], b"y": [1]} if features is None else features
    weights = [{0: 1.0, 1: 2.0}] if weights is None else weights
    return yamcha_files.pki(classes, classifiers, (2, 1.0, 1.0), features, weights, **options)


def pke(vectors, degree=2, features=None):
    features = {b"x": 1, b"y": 2} if features is None else features
    return yamcha_files.pke(CLASSES, CLASSIFIERS, degree, features, vectors)


def put(data, at, form, *values):
    """The data with other numbers at this place."""
    piece = struct.pack(form, *values)
    return data[:at] + piece + data[at + len(piece) :]


@pytest.mark.parametrize("kind", COMPILED)
def test_every_truncation_is_refused(kind):
    data = COMPILED[kind]
    for size in range(len(data)):
        with pytest.raises(gm.FormatError, match=r"byte \d+: "):
            read(data[:size])
    with pytest.raises(gm.FormatError, match="is it truncated"):
        read(data + b"\0")


@pytest.mark.parametrize("at", range(100, 144, 4))
@pytest.mark.parametrize("kind", COMPILED)
def test_no_count_of_the_header_is_believed(kind, at):
    for number in (0, 1, 7, 2**31 - 1, 2**31, 2**32 - 1):
        data = put(COMPILED[kind], at, "<I", number)
        nothing_depends = at in (108, 112, 120, 132, 136) or data == COMPILED[kind]
        with suppress(gm.FormatError) if nothing_depends else pytest.raises(gm.FormatError):
            read(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (put(pki(), 32, "<I", 3), r"byte 36: expected solver 1 \(PKI\) or 2 \(PKE\), got 3"),
        (put(pki(), 32, ">I", 1), "compiled on a big-endian machine"),
        (put(pki(), 36, "<I", 2), "one-vs-rest mark is 0 or 1, got 2"),
        (put(pki(), 72, "<I", 2000), "degree must be"),
        (put(pki(), 84, "<d", float("nan")), "byte 84: the kernel parameter r is not a finite number"),
        (put(pki(), 92, "<d", float("inf")), "byte 92: the kernel parameter s is not a finite number"),
        (pki(classifiers=[(0, 0, 1.0)]), "a classifier for classes 0 and 0 of 2"),
        (pki(classifiers=[(0, 9, 1.0)]), "a classifier for classes 0 and 9 of 2"),
        (pki(classifiers=[(0, 1, float("inf"))]), "a threshold is not a finite number"),
        (pki(classes=[b"A", b"A"]), "two classes have one name"),
        (pki(classes=[b"A", b"B", b"C"]), "1 different pairs in 1 classifiers for 3 classes"),
        (pki(one_vs_rest=1), "one-vs-rest, but 1 classifiers for 1 classes"),
        (pki(weights=[{0: float("nan"), 1: 1.0}]), "not a finite number"),
        (pki(features={b"x": [1, 0]}), "expected a support vector after 1 and below 3, got 0"),
        (pki(features={b"x": [7]}), "expected a support vector after -1 and below 3, got 7"),
        (pki(features={600 * b"x": [1]}), "longer than 511 bytes"),
        (pke({(1, 2): {0: 1.0}}, degree=4), "degree 4; PKE has 1 to 3"),
        (pke({(2, 1): {0: 1.0}}), "must ascend"),
        (pke({(1, 1): {0: 1.0}}), "must ascend"),
        (pke({(1, 2): {0: 1.0}}, degree=1), "longer than 4 bytes"),
        (pke({(1,): {5: 1.0}}), "a weight of no classifier"),
        (pke({(1,): {0: float("inf")}}), "a weight is not a finite number"),
        (pke({(1,): {0: 1.0}}, features={b"x": 1, b"y": 1}), "two features have one id"),
    ],
)
def test_what_is_wrong_is_said(data, reason):
    with pytest.raises(gm.FormatError, match=reason):
        load_bytes(data)


def test_lists_of_support_vectors_are_nobody_elses():
    """Or a file of n bytes could claim n * n postings."""
    table = [0, 1, -1]
    array = yamcha_files.double_array({b"x": 0, b"y": 1})
    body = array + struct.pack("<3i2i2d", *table, 0, -1, 1.0, 0.0)
    head = yamcha_files.header(1, 0, 2, 1.0, 1.0, (1, 2, 9, 9, len(array), 3, 3, 2), b"")
    with pytest.raises(gm.FormatError, match="share their list"):
        load_bytes(head + yamcha_files.names_and_classifiers(CLASSES, CLASSIFIERS) + body)


def units(*pairs):
    return b"".join(struct.pack("<iI", *pair) for pair in pairs)


@pytest.mark.parametrize(
    "array",
    [
        units((1, 0), (1, 0), (1, 1)),  # a node that is its own child
        units((1, 0), (0, 0), (5, 1), (5, 1), (0, 0), (-1, 5)),  # two nodes with one base
        units((1, 0), (0, 0), (3, 1), (0, 0), (1, 3)),  # a cycle of two
    ],
)
def test_cycles_are_refused(array):
    with pytest.raises(gm.FormatError, match=r"byte \d+: two nodes of a double array share their children"):
        _core.double_array_keys(array, 100)


@pytest.mark.parametrize(
    "array",
    [
        b"",
        units((0, 0)),
        units((-5, 0), (0, 0)),
        units((2**31 - 1, 0), (0, 0)),
        units((1, 0), (0, 2**32 - 1), (0, 1), (-(2**31), 1)),
    ],
)
def test_arrays_without_keys_have_none(array):
    assert _core.double_array_keys(array, 100) == []


def test_deep_arrays_take_no_stack():
    deep = b"x" * 100_000
    array = _core.build_double_array([deep], [7])
    assert _core.double_array_keys(array, len(deep)) == [(deep, 7)]


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Column_Size: 1", "Column_Size 1", ":3:1: expected a line 'Key: value'"),
        ("1 F:", "x F:", "expected the id of a feature"),
        ("2 F:", "1 F:", "a feature id occurs twice"),
        ("MULTI_CLASS A ___OTHER___", "MULTI_CLASS A", "expected two classes"),
        ("MULTI_CLASS A ___OTHER___", "MULTI_CLASS A A", "against itself"),
        ("MULTI_CLASS A ___OTHER___", "MULTI_CLASS B ___OTHER___", "one-vs-rest, but 3 classifiers for 2 classes"),
        ("MULTI_CLASS A", "CLASS A", "expected a line MULTI_CLASS"),
        ("1 # kernel type", "2 # kernel type", "neither linear nor polynomial"),
        ("3 # kernel parameter -d", "2 # kernel parameter -d", "different kernels"),
        ("3 # kernel parameter -d", "0.5 # kernel parameter -d", "no whole number"),
        ("1.0 # kernel parameter -s\n", "", "no line '# kernel parameter -s'"),
        (" 1:1", " 77:1", "feature 77 is not in the dictionary"),
        (" 1:1", " x:1", "expected a feature id"),
    ],
)
def test_damaged_text_is_refused_with_the_place(tmp_path, old, new, reason):
    assert old in TEXT
    (tmp_path / "model").write_text(TEXT.replace(old, new, 1))
    with pytest.raises(gm.FormatError, match=reason):
        gm.load(tmp_path / "model")


def test_text_may_end_its_lines_as_windows_does():
    assert format_named("yamcha-text").read(TEXT.replace("\n", "\r\n").encode()) == load_bytes(TEXT.encode())


def test_a_text_without_classifiers_is_refused():
    with pytest.raises(gm.FormatError, match="ends before the first line MULTI_CLASS"):
        load_bytes(TEXT[: TEXT.index("MULTI_CLASS")].encode())
