"""Files of our own with other headers and arrays in them, and a checksum that fits: what only an adversary makes."""

from __future__ import annotations

import copy
import json
import warnings

import numpy as np
from safetensors.numpy import load as arrays_of_file
from safetensors.numpy import save as pack_arrays

from gristmill.machines import store
from tests.fuzz.damage import damaged

ODD = (
    *(None, True, -1, 0, 1, 2, 5, 1.5, 2**31, 2**53, 10**30, 10**400, 1e308, 1e-320, float("inf"), float("nan")),
    *("", "x", "\ud800", "ovo", "density", "a\0b", [], [1], [[]], [1, "a"], {}, {"a": 1}, [None] * 3, ["a", "b", "c"]),
)
NUMBERS = (0, 1, -1, 2, 5, 127, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, 1e300, 1e-300)
DTYPES = ("u1", "i4", "i8", "f4", "f8", "?", "f2", "u8", "c8")


def opened(data):
    """Metadata key, header and arrays of a sound file."""
    size = int.from_bytes(data[:8], "little")
    ((key, text),) = json.loads(data[8 : 8 + size])["__metadata__"].items()
    return key, json.loads(text), dict(sorted(arrays_of_file(data).items()))  # the library has no order


def sealed(key, header, arrays):
    """The file with its checksum, as far as there is one."""
    header = {name: value for name, value in header.items() if name != "sha256"}
    try:
        return store.pack(header, arrays, key)
    except (UnicodeEncodeError, ValueError, RecursionError):
        return pack_arrays(arrays, metadata={key: json.dumps({**header, "sha256": ""})})


def forged(rng, data):
    """A sound file with a few changes in its header, its arrays or both."""
    key, header, arrays = opened(data)
    what = rng.random()
    if what < 0.6:
        header = changed_header(rng, header)
    if what > 0.4:
        arrays = changed_arrays(rng, arrays)
    return sealed(key, header, arrays)


# --- headers ----------------------------------------------------------------------------------------------------------


def changed_header(rng, header):
    """A few places of a JSON object with something else there, or nothing."""
    header = copy.deepcopy(header)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = list(_places(header))
        if not places:
            break
        container, at = rng.choice(places)
        _change(rng, container, at, places)
    return header


def _places(value):
    """Everything below a JSON value: (list or dict, index or key)."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for at, below in inside:
        yield value, at
        yield from _places(below)


def _change(rng, container, at, places):
    value = container[at]
    match rng.randrange(6):
        case 0:
            del container[at]
        case 1:
            other, there = rng.choice(places)
            container[at] = copy.deepcopy(other[there])
        case 2 if isinstance(value, str):
            container[at] = damaged(rng, value.encode(errors="replace")).decode(errors="replace")
        case 3 if isinstance(value, int | float):
            container[at] = rng.choice([value + 1, value - 1, -value, value * 2, value // 2, 0.5])
        case 4 if isinstance(value, list) and value:
            container[at] = value + [rng.choice(value)] * rng.choice([1, 1, 1000])
        case _:
            container[at] = rng.choice(ODD)


# --- arrays -----------------------------------------------------------------------------------------------------------


def changed_arrays(rng, arrays):
    """The arrays with a few damaged, gone or under another name."""
    arrays = dict(arrays)
    for _ in range(rng.choice([1, 1, 2, 3])):
        name = rng.choice(list(arrays))
        action = rng.random()
        if action < 0.05 and len(arrays) > 1:
            del arrays[name]
        elif action < 0.1:
            arrays[rng.choice([*arrays, "support.values", "coef", "probability.a"])] = arrays[name]
        else:
            arrays[name] = damaged_array(rng, arrays[name])
    return arrays


def damaged_array(rng, array):
    """One array with an odd number, cut, grown, turned, or of another type or shape."""
    flat = array.ravel().copy()
    match rng.randrange(9):
        case 0 | 1 | 2 if len(flat):
            at = rng.randrange(len(flat))
            near = [flat[at] + flat.dtype.type(1), rng.choice(list(flat))] if flat.dtype != bool else [True]
            flat[at] = _as_type(rng.choice([*near, *NUMBERS]), flat.dtype)
        case 3:
            return flat[: rng.randrange(len(flat) + 1)].copy()
        case 4:
            return np.concatenate([flat, flat[: rng.randrange(1, 4)]])
        case 5:
            return flat[::-1].copy()
        case 6:
            return _as_type(array, rng.choice(DTYPES))
        case 7:
            one = flat[:1].reshape(()) if len(flat) else flat
            return rng.choice([flat.reshape(-1, 1), flat.reshape(1, -1), flat[:0], one])
        case 8:
            raw = damaged(rng, flat.tobytes())
            return np.frombuffer(raw[: len(raw) // flat.itemsize * flat.itemsize], dtype=flat.dtype)
    return flat.reshape(array.shape)


def _as_type(array, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(array).astype(dtype)


# --- trees that share their parts -------------------------------------------------------------------------------------


def with_shared_parts(rng, data):
    """A file of a machine on trees, the first of which is a few nodes that stand for very many."""
    key, header, arrays = opened(data)
    nodes, ends = list(arrays["support.nodes"]), list(arrays["support.node_ends"])
    top = len(ends) - 1
    for _ in range(rng.choice([1, 5, 10, 20, 40, 200])):
        children = [top] * rng.choice([1, 2, 2, 2, 3, 30])
        nodes += [0, *children]
        ends.append(len(nodes))
        top = len(ends) - 1
    roots = arrays["support.roots"].copy()
    roots[rng.randrange(len(roots))] = top
    changed = {
        "support.nodes": np.array(nodes, "u4"),
        "support.node_ends": np.array(ends, "i8"),
        "support.roots": roots,
    }
    return sealed(key, header, arrays | changed)
