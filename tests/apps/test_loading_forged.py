"""Forged model files, with the right checksum and anything in the header: loading gives a model or a FormatError."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path

import pytest

import gristmill as gm
from gristmill.machines import store

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*-v*.safetensors"))
MODELS = [path for path in FILES if "checkpoint" not in path.name]
ABSURD = [None, True, -1, 0, 2**31, 2**64, 1e308, float("nan"), "", "x", "a\0b", [], {}, [1], [[]], {"a": 1}, "é" * 99]
EACH = 40  # forgeries of a file


def _unpacked(path):
    header, arrays = store._unpack(path.read_bytes(), store.KEY, "machine")
    header.pop("sha256")
    return header, arrays


def _parents(value):
    """All objects and lists in a header, that of the whole first."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value[:8]:
            yield from _parents(inner)


def _forge(header, draw):
    """Another value for something, or one key less."""
    parent = draw.choice([one for one in _parents(header) if one])
    key = draw.choice([*parent] if isinstance(parent, dict) else range(min(len(parent), 8)))
    if isinstance(parent, dict) and draw.random() < 0.3:
        del parent[key]
    else:
        parent[key] = copy.deepcopy(draw.choice(ABSURD))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_forged_header_gives_a_model_or_an_error_of_the_format(path, tmp_path):
    header, arrays = _unpacked(path)
    draw = random.Random(path.name)
    for _ in range(EACH):
        forged = copy.deepcopy(header)
        _forge(forged, draw)
        (tmp_path / "model").write_bytes(store.pack(forged, arrays, store.KEY))
        try:
            gm.load(tmp_path / "model")
        except gm.FormatError:
            continue
        except Exception as error:
            raise AssertionError(json.dumps(forged)[:2000]) from error


ESCAPES = [
    ("segmenter-v1", ["provenance", "segmenter", "templates"], 2**63, "not a sound segmenter"),
    ("splitter-v1", ["provenance", "splitter", "known", "keep:="], 1e308, "expected a list of the forms"),
    ("lemmatizer-v1", ["provenance", "lemmatizer", "known", "keep:="], [7], "expected a list of the forms"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), ESCAPES, ids=lambda value: str(value)[:20])
def test_what_once_escaped_is_refused(name, place, value, message, tmp_path):
    (path,) = (path for path in MODELS if path.stem == name)
    header, arrays = _unpacked(path)
    *above, last = place
    inner = header
    for key in above:
        inner = inner[key]
    inner[last] = value
    (tmp_path / "model").write_bytes(store.pack(header, arrays, store.KEY))
    with pytest.raises(gm.FormatError, match=message):
        gm.load(tmp_path / "model")
