"""Packed data, unpacked as they are read: gzip, bzip2, xz and zstd, any number of streams one after the other.

Costs what goes in and what comes out, however many streams there are; a Budget bounds what comes out.
"""

from __future__ import annotations

import bz2
import contextlib
import importlib
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from gristmill.base.errors import FormatError

MAGIC = 6  # bytes that tell how a file is packed
_ZSTD = ("compression.zstd", "backports.zstd")  # Python's own from 3.14 on, and the same for earlier ones
_PLENTY = 1 << 28  # bytes that any file may unpack to
_RATIO = 200  # beyond that, how many times its size
_WINDOW = 1 << 28  # bytes of memory that a stream of xz may ask for; `xz -9` asks for 65 million
_PORTION = 1 << 20  # bytes that are read or unpacked at once
_FIRST = 1 << 12  # bytes that a stream is given at first; twice as many each time, so that a short one costs little


class Budget:
    """How much may come out of a file: out of the file itself and of whatever packed files it contains, in sum."""

    def __init__(self, taken: int = 0) -> None:
        self._taken = taken
        self._given = 0

    def take(self, count: int) -> None:
        """So many packed bytes were read."""
        self._taken += count

    def give(self, count: int) -> None:
        """So many bytes came out; FormatError where these are too many."""
        self._given += count
        limit = max(_PLENTY, _RATIO * self._taken)
        if self._given > limit:
            raise FormatError(
                f"{self._taken:,} bytes unpack to more than {limit:,}, the limit for them ({_RATIO} times as many, and "
                f"at least {_PLENTY:,}): if it is no trap, unpack it first and name what comes out"
            )


class _Gzip:
    """A stream of gzip, with the methods of the others."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    def decompress(self, data: Any, most: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail or data, most)


def _zstd() -> Any:
    for name in _ZSTD:
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(name).ZstdDecompressor()
    raise FormatError("it is packed by zstd, which needs Python 3.14 or later, or: pip install backports.zstd")


_STREAMS: tuple[tuple[bytes, Callable[[], Any]], ...] = (  # by how they begin
    (b"\x1f\x8b", _Gzip),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(memlimit=_WINDOW)),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def is_packed(begin: bytes) -> bool:
    """Whether data that begin so are packed."""
    return any(begin.startswith(magic) for magic, _ in _STREAMS)


def unpacked_portions(begin: bytes, read: Callable[[int], bytes], budget: Budget) -> Iterator[bytes]:
    """What packed data hold, in portions of any size; FormatError where they are damaged or hold too much."""
    make = next(make for magic, make in _STREAMS if begin.startswith(magic))
    source = _Source(begin, read, budget)
    while not source.is_at_end():
        for portion in _of_stream(make(), source):
            budget.give(len(portion))
            yield portion


def _of_stream(stream: Any, source: _Source) -> Iterator[bytes]:
    size = _FIRST
    while not stream.eof:
        data, size = (source.take(size), min(2 * size, _PORTION)) if stream.needs_input else (b"", size)
        try:
            portion = stream.decompress(data, _PORTION)
        except _damage() as error:
            raise FormatError(f"the compressed file is damaged: {error}") from error
        if not portion and not data and stream.needs_input and not stream.eof:
            raise FormatError("the compressed file is damaged: it ends too early")
        yield portion
    source.put_back(len(stream.unused_data))


def _damage() -> tuple[type[Exception], ...]:
    """What is raised where packed data are damaged."""
    own: list[type[Exception]] = [module.ZstdError for name in _ZSTD if (module := sys.modules.get(name))]
    return (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, *own)


class _Source:
    """Packed data as it is read; what a stream does not use of the last bytes that it took can be put back."""

    def __init__(self, begin: bytes, read: Callable[[int], bytes], budget: Budget) -> None:
        self._data, self._at = memoryview(begin), 0
        self._read, self._budget = read, budget

    def take(self, most: int) -> memoryview:
        if self._at == len(self._data):
            self._data, self._at = memoryview(self._read(_PORTION)), 0
            self._budget.take(len(self._data))
        found = self._data[self._at : self._at + most]
        self._at += len(found)
        return found

    def put_back(self, count: int) -> None:
        self._at -= count

    def is_at_end(self) -> bool:
        """Whether nothing follows but zeros, with which some programs fill up."""
        while data := self.take(_FIRST):
            rest = bytes(data).lstrip(b"\0")
            if rest:
                self.put_back(len(rest))
                return False
        return True
