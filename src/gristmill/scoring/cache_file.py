"""The file of a compiled scorer: read into memory of our own, whole and checked, or not at all.

A safetensors file: the arrays of the core as bytes, each padded to whole cache lines, a header of ours in the metadata,
and as the last tensor a checksum of all that is before it. The file is not mapped: whoever writes over a mapped file
changes the answers of a running process, and whoever cuts it kills the process.

Cost: one pass over the file, which copies and sums up a block at a time.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Bytes
from gristmill.base.files import PathLike, writing

KEY = "gristmill-scorer"
_CHECKSUM = "~checksum"  # behind all other names, which is where safetensors puts it
_LINE = 64
_BLOCK = 1 << 20  # bytes that are read and summed up at a time, while they are in the processor's cache
_LONGEST_HEADER = 1 << 20

_UNSOUND = (OSError, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError)


class Header(NamedTuple):
    """How a file begins."""

    ours: dict[str, Any]  # belongs_to, numbers, lengths
    places: dict[str, Any]  # of the tensors, behind the header
    nbytes: int


def write(header: dict[str, Any], arrays: Mapping[str, Bytes], path: PathLike) -> None:
    """Write a file, whole or not at all."""
    from safetensors.numpy import save as pack

    padded = {name: np.pad(array, (0, -len(array) % _LINE)) for name, array in arrays.items()}
    lengths = {name: len(array) for name, array in arrays.items()}
    ours = json.dumps({**header, "lengths": lengths})
    packed = memoryview(pack({**padded, _CHECKSUM: np.zeros(_LINE, np.uint8)}, metadata={KEY: ours}))
    with writing(path) as out:
        out.write(packed[:-_LINE])
        out.write(checksum_of(packed[:-_LINE]))


def checksum_of(content: memoryview | bytes) -> bytes:
    """The last bytes of a file, from those before."""
    blocks = (content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK))
    return _joined([_core.checksum(np.frombuffer(block, np.uint8)) for block in blocks])


def _joined(sums: list[int]) -> bytes:
    joined: int = _core.checksum(np.array(sums, np.uint64).view(np.uint8))
    return joined.to_bytes(8, "little") * (_LINE // 8)


def header_of(path: PathLike) -> dict[str, Any] | None:
    """Our header, which nothing has checked yet; None when there is no such file or it is not one of ours."""
    try:
        with Path(path).open("rb") as file:
            return _header_in(file).ours
    except _UNSOUND:
        return None


def read(path: PathLike, belongs_to: dict[str, Any]) -> tuple[dict[str, int], dict[str, Bytes]] | None:
    """Numbers and arrays of a file, if it belongs there and is as it was written; else None."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            header = _header_in(file)
            if header.ours["belongs_to"] != belongs_to:
                return None
            data = _checked(file, header)[header.nbytes :]
        lengths = header.ours["lengths"]
        return header.ours["numbers"], {name: _array(data, header.places[name], lengths[name]) for name in lengths}
    except _UNSOUND:
        return None


def _array(data: Bytes, place: dict[str, Any], length: int) -> Bytes:
    begin, end = place["data_offsets"]
    if not 0 <= begin <= begin + length <= end <= len(data):
        raise ValueError("an array that is not in the file")
    return data[begin : begin + length]


def _header_in(file: Any) -> Header:
    size = int.from_bytes(file.read(8), "little")
    if size > _LONGEST_HEADER:
        raise ValueError("no header of ours is so long")
    places = json.loads(file.read(size))
    ours = json.loads(places.pop("__metadata__")[KEY])
    if not all(isinstance(ours[name], dict) for name in ("belongs_to", "numbers", "lengths")):
        raise TypeError("no header of ours")
    return Header(ours, places, 8 + size)


def _checked(file: BinaryIO, header: Header) -> Bytes:
    """A copy of the whole file; ValueError unless the checksum fits."""
    size = os.fstat(file.fileno()).st_size
    if size != header.nbytes + header.places[_CHECKSUM]["data_offsets"][1]:
        raise ValueError("it was cut, or something follows")
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    copy, sums = memoryview(memory), list[int]()
    file.seek(0)
    for at in range(0, size - _LINE, _BLOCK):
        block = copy[at : min(at + _BLOCK, size - _LINE)]
        _fill(file, block)
        sums.append(_core.checksum(np.frombuffer(block, np.uint8)))
    _fill(file, copy[-_LINE:])
    if copy[-_LINE:] != _joined(sums):
        raise ValueError("the checksum does not fit")
    return np.frombuffer(copy.toreadonly(), np.uint8)


def _fill(file: BinaryIO, block: memoryview) -> None:
    while len(block):
        count = file.readinto(block)  # type: ignore[attr-defined]
        if not count:
            raise ValueError("it has become shorter")
        block = block[count:]
