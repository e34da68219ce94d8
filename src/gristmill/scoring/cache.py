"""Compiled scorers on disk: a cache beside the machine, mapped into memory instead of being built again.

A safetensors file: the arrays of the core as bytes, each padded to whole cache lines so that all are aligned, and
under the metadata key "gristmill-scorer" what they belong to: the machine's checksum and the options of `compile`. A
file that does not belong, or is damaged, is as good as none: the scorer is built anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.files import PathLike, write_bytes
from gristmill.machines.machine import Machine
from gristmill.machines.store import digest_of
from gristmill.scoring.engines import Options

KEY = "gristmill-scorer"
LAYOUT = 2  # of the core's arrays; another number is another release
TREE_LAYOUT = 2
_LINE = 64
T = TypeVar("T")

Bytes = NDArray[np.uint8]


def identity(machine: Machine, engine: str, options: Options) -> dict[str, Any]:
    """What a compiled scorer belongs to."""
    moves = {"rare_may_grow": True} if options.rare_may_grow else {}
    return moves | {
        "layout": LAYOUT,
        "byteorder": sys.byteorder,
        "machine": digest_of(machine),
        "engine": engine,
        "max_bytes": options.max_bytes,
        "sigma": options.sigma,
        "xi": options.xi,
        "rare": options.rare,
        "sample": None if options.sample is None else _digest(options.sample.offsets, options.sample.ids),
    }


def tree_identity(machine: Machine) -> dict[str, Any]:
    """What a compiled scorer for trees belongs to."""
    return {
        "layout": TREE_LAYOUT,
        "byteorder": sys.byteorder,
        "machine": digest_of(machine),
        "engine": "forest",
    }


def keep(arrays: Mapping[str, Bytes], numbers: dict[str, int], belongs_to: dict[str, Any], path: PathLike) -> None:
    """Write a compiled scorer, whole or not at all."""
    from safetensors.numpy import save as pack

    header = {
        "belongs_to": belongs_to,
        "numbers": numbers,
        "lengths": {name: len(array) for name, array in arrays.items()},
        "checksums": {name: _core.checksum(array) for name, array in arrays.items()},
    }
    padded = {name: np.pad(array, (0, -len(array) % _LINE)) for name, array in arrays.items()}
    write_bytes(path, pack(padded, metadata={KEY: json.dumps(header)}))


def belongings(path: PathLike) -> dict[str, Any] | None:
    """What the scorer in a file belongs to; None when there is no such file or it is not one of ours."""
    found = _header(path)
    return None if found is None else found[0]["belongs_to"]


def numbers(path: PathLike) -> dict[str, int] | None:
    """What the scorer in a file counts: conjunctions, features, how many of them are dense and common; else None."""
    found = _header(path)
    return None if found is None else found[0].get("numbers")


def find(
    belongs_to: dict[str, Any], path: PathLike, restore: Callable[[dict[str, int], dict[str, Bytes]], T]
) -> T | None:
    """What `restore` makes of the numbers and arrays in a file; None when it is not there, not sound or not ours."""
    found = _header(path)
    if found is None or found[0]["belongs_to"] != belongs_to:
        return None
    header, places, start = found
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
        arrays = {
            name: data[start + places[name]["data_offsets"][0] :][:length] for name, length in header["lengths"].items()
        }
        if any(_core.checksum(array) != header["checksums"][name] for name, array in arrays.items()):
            return None
        return restore(header["numbers"], arrays)
    except (OSError, KeyError, TypeError, ValueError, IndexError):
        return None


def _header(path: PathLike) -> tuple[dict[str, Any], dict[str, Any], int] | None:
    """The scorer's header, where its arrays stand, and where counting starts."""
    try:
        with Path(path).open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            places = json.loads(file.read(size)) if size < 1 << 20 else {}
        header = json.loads(places["__metadata__"][KEY])
        if not isinstance(header["belongs_to"], dict) or not isinstance(header["lengths"], dict):
            return None
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return header, places, 8 + size


def _digest(*arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
