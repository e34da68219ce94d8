"""Compiled scorers of machines on trees in files: written once, read afterwards, and never trusted."""

from __future__ import annotations

import contextlib
import json
import pickle
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.machines import store
from gristmill.machines.formats import load_bytes
from gristmill.scoring import cache, cache_file
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.scorer import Scorer
from tests.kernels.test_trees import forest, random_trees
from tests.scoring.test_scorer_trees import (
    FIELDS,
    KERNELS,
    many_of_one_production,
    random_machine,
    same_bits,
    some_kernels,
    stop,
)

SST = gm.SubsetTreeKernel()
LABELS = ["a", "b", "c", "d*1"]
X = forest([*random_trees(30, seed=2, labels=[*LABELS, "unseen"]), *many_of_one_production(10, 2)])
WIDE = [f"(S {' '.join(f'(a w{n * k % 7} x{n * k % 5})' for n in range(300))})" for k in (1, 2, 3)]  # not by lists


def machine(kernel=SST, n_outputs=2, seed=0):
    """With lists long enough to be taken apart."""
    return random_machine(
        kernel, forest([*random_trees(30, 1, LABELS), *many_of_one_production(40, 1, 2)]), n_outputs, seed
    )


def is_read(scorer, path):
    return scorer.report().reason == f"read from {path}"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scorer"


# --- written once -----------------------------------------------------------------------------------------------------


@some_kernels
def test_a_scorer_is_written_once_and_read_afterwards(kernel, path):
    ours = machine(kernel)
    made = ours.compile(cache=path)
    written = path.stat()
    again = ours.compile(cache=path)
    assert (is_read(made, path), is_read(again, path)) == (False, True)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert list(path.parent.iterdir()) == [path]
    assert (again.engine, again.exact, again.nbytes) == ("forest", True, made.nbytes)
    for x in (X, ours.support):
        same_bits(again.decision_function(x), made.decision_function(x))
        same_bits(again.decision_function(x, n_jobs=2), made.decision_function(x))


@pytest.mark.parametrize("kernel", FIELDS, ids=str)
def test_machines_on_several_fields(kernel, path):
    trees = forest(random_trees(60, 1, LABELS))
    examples = gm.Examples(trees=trees, others=trees[::-1], vectors=np.random.default_rng(2).integers(0, 2, (60, 5)))
    ours = random_machine(kernel, examples[:40], 2)
    made, again = (ours.compile(cache=path) for _ in range(2))
    assert is_read(again, path)
    same_bits(again.decision_function(examples), made.decision_function(examples))


ELSEWHERE = """
import sys
import numpy as np
import gristmill as gm

folder = sys.argv[1]
x = gm.load(f"{folder}/x").support
for number in range(int(sys.argv[2])):
    scorer = gm.load(f"{folder}/{number}").compile(cache=f"{folder}/{number}.scorer")
    assert scorer.report().reason.startswith("read from"), scorer.report()
    np.save(f"{folder}/{number}.npy", scorer.decision_function(x))
"""


def test_another_process_reads_what_this_one_wrote(tmp_path):
    random_machine(SST, X, 1).save(tmp_path / "x")
    scores = []
    for number, kernel in enumerate(KERNELS):
        ours = machine(kernel)
        ours.save(tmp_path / str(number))
        scores.append(ours.compile(cache=tmp_path / f"{number}.scorer").decision_function(X))
    command = [sys.executable, "-c", ELSEWHERE, tmp_path, str(len(KERNELS))]
    subprocess.run(command, check=True, timeout=100, capture_output=True)
    for number, wanted in enumerate(scores):
        same_bits(np.load(tmp_path / f"{number}.npy"), wanted)


@some_kernels
def test_equal_machines_share_a_scorer_however_their_forests_came_about(kernel, path):
    ours = machine(kernel)
    made = ours.compile(cache=path)
    turned = forest([("x", "y"), "d*1", ("unseen", ("c", "a"))])
    turned.extend(ours.support[::-1])
    other = gm.Machine(kernel, turned[: -len(ours.support) - 1 : -1], ours.coef, ours.intercept)
    for equal in (other, load_bytes(store.to_bytes(ours)), pickle.loads(pickle.dumps(ours))):
        assert equal == ours
        again = equal.compile(cache=path)
        assert is_read(again, path)
        same_bits(again.decision_function(X), made.decision_function(X))


def test_a_scorer_from_a_file_outlives_its_file(path):
    ours = machine()
    made, again = (ours.compile(cache=path) for _ in range(2))
    path.unlink()
    same_bits(again.decision_function(X), made.decision_function(X))
    again = pickle.loads(pickle.dumps(again))
    assert again.engine == "forest"
    same_bits(again.predict(X), made.predict(X))
    again = [ours.compile(cache=path) for _ in range(2)][1]
    machine(seed=1).compile(cache=path)  # which takes its place
    same_bits(again.decision_function(X), made.decision_function(X))


@pytest.mark.parametrize("options", [{"engine": "direct"}, {"engine": "warp"}])
def test_nothing_is_written_by_who_needs_no_file(options, path):
    with contextlib.suppress(ValueError):
        machine().compile(**options, cache=path)
    assert not path.exists()


def test_nothing_is_written_of_what_is_not_by_lists(path, monkeypatch):
    monkeypatch.setattr(_core, "worthwhile", lambda trees: (1, 1))
    ours = gm.Machine(gm.PartialTreeKernel() + SST, WIDE[:2], [1.0, -1.0], 0.0)
    scorer = ours.compile(cache=path)
    assert not path.exists()
    same_bits(scorer.decision_function(WIDE), ours.compile().decision_function(WIDE))


def test_nothing_is_written_that_takes_more_than_it_may(path):
    assert machine().compile(max_bytes=100, cache=path).engine == "direct"
    with pytest.raises(ValueError, match="max_bytes=100"):
        machine().compile("forest", max_bytes=100, cache=path)
    assert not path.exists()


def test_a_scorer_from_a_file_keeps_to_max_bytes(path):
    ours = machine()
    nbytes = ours.compile(cache=path).nbytes
    assert is_read(ours.compile(max_bytes=nbytes, cache=path), path)
    assert ours.compile(max_bytes=nbytes - 1, cache=path).engine == "direct"
    with pytest.raises(ValueError, match=f"{nbytes} bytes"):
        ours.compile("forest", max_bytes=nbytes - 1, cache=path)
    assert isinstance(cached_scorer(ours, path, CompileOptions(max_bytes=nbytes)), Scorer)
    assert f"takes {nbytes} bytes" in cached_scorer(ours, path, CompileOptions(max_bytes=nbytes - 1))


@pytest.mark.parametrize("before", [None, b"what was there"])
@some_kernels
def test_nothing_is_written_after_an_exception_of_the_callback(kernel, before, path):
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(KeyError, match="enough"):
        machine(kernel).compile(cache=path, progress=stop)
    assert [file.read_bytes() for file in path.parent.iterdir()] == ([] if before is None else [before])


def test_progress_is_heard_of_while_compiling_and_not_while_reading(path):
    calls = []
    for _ in range(2):
        machine().compile(cache=path, progress=lambda *call: calls.append(call))
        assert calls[-1][0] == calls[-1][1]
    heard = len(calls)
    machine().compile(cache=path, progress=lambda *call: calls.append(call))
    assert len(calls) == heard


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        machine().compile(cache=tmp_path / "none" / "scorer")
    with pytest.raises(OSError, match=str(tmp_path)):
        machine().compile(cache=tmp_path)


# --- whose it is ------------------------------------------------------------------------------------------------------


def others(ours):
    """Machines that differ in one thing."""
    coef = ours.coef.copy()
    coef[0, 0] += 1e-12
    order = np.arange(len(ours.support))
    order[:2] = 1, 0
    return {
        "kernel": gm.Machine(gm.SubsetTreeKernel(0.41), ours.support, ours.coef, ours.intercept),
        "coefficients": gm.Machine(ours.kernel, ours.support, coef, ours.intercept),
        "intercept": gm.Machine(ours.kernel, ours.support, ours.coef, ours.intercept + 1),
        "order": gm.Machine(ours.kernel, ours.support[order], ours.coef, ours.intercept),
        "support": gm.Machine(ours.kernel, forest([*random_trees(len(order), 9)]), ours.coef, ours.intercept),
        "rows": gm.Machine(gm.PolynomialKernel(2), [{n} for n in order], ours.coef, ours.intercept),
    }


@pytest.mark.parametrize("what", others(machine()))
def test_a_scorer_of_another_machine_is_replaced(what, path):
    ours = machine()
    other = others(ours)[what]
    for one in (ours, other, ours):
        x, options = (X, {}) if one is not other or what != "rows" else ([{1}, {2}], {"engine": "expanded"})
        made, again = (one.compile(**options, cache=path) for _ in range(2))
        assert not made.report().reason.startswith("read from")
        assert again.report().reason.startswith("read from")
        same_bits(again.decision_function(x), made.decision_function(x))
        same_bits(made.decision_function(x), one.compile(**options).decision_function(x))
        if one is ours:
            assert isinstance(cached_scorer(ours, path), Scorer)


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A machine, its scorer's file and what it scores; small enough to break every byte."""
    ours = random_machine(gm.ProductionTreeKernel(single_nodes=True), forest(many_of_one_production(12, 1, 2)), 2)
    path = tmp_path_factory.mktemp("kept") / "scorer"
    scores = ours.compile(cache=path).decision_function(X)
    return ours, path.read_bytes(), scores


def unpacked(data):
    """Places of arrays, our own header, and the arrays."""
    size = struct.unpack("<Q", data[:8])[0]
    places = json.loads(data[8 : 8 + size])
    return places, json.loads(places["__metadata__"][cache_file.KEY]), data[8 + size :]


def packed(places, header, arrays):
    text = json.dumps({**places, "__metadata__": {cache_file.KEY: json.dumps(header)}}).encode()
    text += b" " * (-len(text) % 64 + 56)
    content = struct.pack("<Q", len(text)) + text + arrays[:-64]
    return content + cache_file.checksum_of(content)


def edited(change):
    """change(places, header) made to a file; the checksum fits."""

    def edit(data):
        places, header, arrays = unpacked(data)
        change(places, header)
        return packed(places, header, arrays)

    return edit


def swap(kind, one, other):
    def change(places, header):
        for table in (places,) if kind == "places" else (places, header["lengths"]):
            table[one], table[other] = table[other], table[one]

    return edited(change)


def put(*keys, value):
    def change(places, header):
        *above, last = keys
        table = header
        for key in above:
            table = table[key]
        table[last] = value

    return edited(change)


DAMAGE = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "header only": lambda data: data[: 8 + struct.unpack("<Q", data[:8])[0]],
    "size only": lambda data: data[:8],
    "one line less": lambda data: data[:-64],
    "no safetensors": lambda data: b"(S (NP a) (VP b))\n" * 100,
    "zeros": lambda data: bytes(len(data)),
    "ones": lambda data: b"\xff" * len(data),
    "twice the header": lambda data: data[: len(data) // 4] + data,
    "a large header": lambda data: struct.pack("<Q", 2**63) + data[8:],
    "a list": lambda data: struct.pack("<Q", 2) + b"[]",
    "deep": lambda data: struct.pack("<Q", 2**19) + b"[" * 2**19,
    "deep inside": lambda data: packed({}, {}, b"").replace(b"{}", b"[" * 2),
    "another machine model": lambda data: store.to_bytes(machine()),
    "layout": put("belongs_to", "layout", value=cache.TREE_LAYOUT + 1),
    "byte order": put("belongs_to", "byteorder", value="middle"),
    "engine": put("belongs_to", "engine", value="split"),
    "no lengths": put("lengths", value={}),
    "lengths of nothing": put("lengths", value=None),
    "a negative length": put("lengths", "0/code", value=-4),
    "a long length": put("lengths", "0/code", value=10**30),
    "a broken length": put("lengths", "0/code", value=1.5),
    "a length of text": put("lengths", "0/code", value="4"),
    "another checksum": lambda data: data[:-64] + bytes(64),
    "no checksum": edited(lambda places, header: places.pop("~checksum")),
    "numbers of nothing": put("numbers", value=None),
    "a line more": lambda data: data + bytes(64),
    "no numbers": edited(lambda places, header: header.pop("numbers")),
    "an array missing": edited(lambda places, header: header["lengths"].pop("0/code")),
    "a place missing": edited(lambda places, header: places.pop("0/code")),
    "a place of nothing": edited(lambda places, header: places.update({"0/code": None})),
    "a place of text": edited(lambda places, header: places["0/code"].update(data_offsets="ab")),
    "a place before": edited(lambda places, header: places["0/code"].update(data_offsets=[-64, 0])),
    "a place beyond": edited(lambda places, header: places["0/code"].update(data_offsets=[10**30, 10**31])),
    "code and weights swapped": swap("all", "0/code", "0/weights"),
    "weights and values swapped": swap("all", "0/weights", "0/values"),
    "code and roots swapped": swap("all", "0/code", "0/roots"),
    "places swapped": swap("places", "0/code", "0/roots"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_scorer_is_built_anew(damage, kept, path):
    ours, data, scores = kept
    path.write_bytes(DAMAGE[damage](data))
    assert cached_scorer(ours, path) in (
        "is no compiled scorer",
        "is damaged or of another release",
        "belongs to another machine",
    )
    made = ours.compile(cache=path)
    assert not is_read(made, path)
    same_bits(made.decision_function(X), scores)
    assert is_read(ours.compile(cache=path), path)


@given(at=st.integers(0, 2**16), flip=st.integers(1, 255))
def test_no_changed_byte_gives_another_scorer(kept, tmp_path_factory, at, flip):
    ours, data, _ = kept
    path, at = tmp_path_factory.mktemp("changed") / "scorer", at % len(data)
    path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
    assert isinstance(cached_scorer(ours, path), str)


@given(length=st.integers(0, 2**16))
def test_a_file_cut_anywhere_is_no_scorer(kept, tmp_path_factory, length):
    ours, data, _ = kept
    path = tmp_path_factory.mktemp("cut") / "scorer"
    path.write_bytes(data[: length % len(data)])
    assert isinstance(cached_scorer(ours, path), str)
