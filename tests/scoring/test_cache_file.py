"""What happens to the file of a compiled scorer happens to nobody who has read it; a damaged one is built anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file

import gristmill as gm
from gristmill import _core
from gristmill.scoring import cache_file
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.scorer import Scorer

OPTIONS = {"engine": "expanded"}


def machine(seed=0):
    rng = np.random.default_rng(seed)
    return gm.Machine(gm.PolynomialKernel(2), (rng.random((40, 30)) < 0.3).astype(float), rng.normal(size=40), 0.25)


X = (np.random.default_rng(1).random((50, 30)) < 0.4).astype(float)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A machine, its scorer's file and what it scores."""
    path = tmp_path_factory.mktemp("kept") / "scorer"
    scores = machine().compile(**OPTIONS, cache=path).decision_function(X)
    return machine(), path.read_bytes(), scores


def test_the_checksum_is_the_end_of_a_file_that_others_can_read(kept, tmp_path):
    _, data, _ = kept
    (tmp_path / "scorer").write_bytes(data)
    assert data[-64:] == cache_file.checksum_of(data[:-64])
    assert load_file(tmp_path / "scorer")["~checksum"].tobytes() == data[-64:]


@given(at=st.integers(0, 2**20), flip=st.integers(1, 255))
def test_any_changed_byte_is_found(kept, tmp_path_factory, at, flip):
    ours, data, _ = kept
    path, at = tmp_path_factory.mktemp("changed") / "scorer", at % len(data)
    path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
    assert isinstance(cached_scorer(ours, path), str)


@pytest.mark.parametrize("cut", [1, 64, 4096, -8])
def test_a_damaged_file_is_built_anew_and_written(kept, tmp_path, cut):
    ours, data, scores = kept
    path = tmp_path / "scorer"
    path.write_bytes(data[:-cut] if cut > 0 else data + bytes(-cut))
    made = ours.compile(**OPTIONS, cache=path)
    assert not made.report().reason.startswith("read from")
    np.testing.assert_array_equal(made.decision_function(X), scores)
    assert path.read_bytes() == data


def overwritten(path, data):
    with path.open("r+b") as file:  # the same file, not another of its name
        file.write(data)


HAPPENS = {
    "cut": lambda path: os.truncate(path, 100),
    "emptied": lambda path: os.truncate(path, 0),
    "zeros": lambda path: overwritten(path, bytes(path.stat().st_size)),
    "another": lambda path: overwritten(path, path.with_name("other").read_bytes()),
    "removed": lambda path: path.unlink(),
}


@pytest.mark.parametrize("happens", HAPPENS.values(), ids=HAPPENS)
def test_what_happens_to_the_file_does_not_happen_to_who_has_read_it(kept, tmp_path, happens):
    """A mapped file gives other answers, or kills the process by SIGBUS."""
    ours, data, scores = kept
    path = tmp_path / "scorer"
    machine(1).compile(**OPTIONS, cache=tmp_path / "other")
    path.write_bytes(data)
    scorer = cached_scorer(ours, path)
    assert isinstance(scorer, Scorer)
    happens(path)
    np.testing.assert_array_equal(scorer.decision_function(X), scores)
    assert str(path) not in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("size", [0, 1 << 19])
def test_a_file_that_is_cut_while_it_is_read_is_no_scorer(kept, tmp_path, monkeypatch, size):
    ours, data, _ = kept
    path = tmp_path / "scorer"
    path.write_bytes(data)
    monkeypatch.setattr(cache_file, "_BLOCK", 1 << 10)
    real = _core.checksum

    def cutting(block):
        os.truncate(path, min(size, 2048))
        return real(block)

    monkeypatch.setattr(cache_file._core, "checksum", cutting)
    assert cached_scorer(ours, path) == "is damaged or of another release"


def forged(data, change):
    """With another header, and the checksum that fits it."""
    size = int.from_bytes(data[:8], "little")
    places = json.loads(data[8 : 8 + size])
    header = json.loads(places["__metadata__"][cache_file.KEY])
    change(header)
    places["__metadata__"][cache_file.KEY] = json.dumps(header)
    text = json.dumps(places).encode()
    text += b" " * (-len(text) % 64 + 56)
    content = len(text).to_bytes(8, "little") + text + data[8 + size : -64]
    return content + cache_file.checksum_of(content)


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just([]), st.just({}))


@given(part=st.sampled_from(["numbers", "lengths", "belongs_to"]), which=st.integers(0, 20), value=VALUES)
def test_forged_headers_are_refused_or_harmless(kept, tmp_path_factory, part, which, value):
    ours, data, _ = kept
    path = tmp_path_factory.mktemp("forged") / "scorer"

    def change(header):
        names = sorted(header[part])
        header[part][names[which % len(names)]] = value

    path.write_bytes(forged(data, change))
    found = cached_scorer(ours, path)
    if isinstance(found, Scorer):
        found.decision_function(X)
