"""Files in and out: compressed input is opened by its content, output appears whole or not at all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import importlib
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gristmill.base.errors import FormatError
from gristmill.base.replacing import PathLike, naming_target, replacing

# how packed files begin, what unpacks bytes, and what unpacks a file as it is read
_PACKED: tuple[tuple[bytes, Callable[[], Any], Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31), lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2Decompressor, bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMADecompressor, lzma.LZMAFile),
    (b"\x28\xb5\x2f\xfd", lambda: _zstd().ZstdDecompressor(), lambda file: _zstd().ZstdFile(file)),
)
_MAGIC = 6  # bytes that tell how a file is packed
_ZSTD = ("compression.zstd", "backports.zstd")  # Python's own from 3.14 on, and the same for earlier ones
_PLENTY = 1 << 28  # bytes that any file may unpack to
_RATIO = 200  # beyond that, how many times its size


def decoded(text: bytes) -> str:
    """Text of a file: UTF-8, or Latin-1 where it is not."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def display_name(path: PathLike) -> str:
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def read_bytes(path: PathLike) -> bytes:
    """Read a whole file, or standard input for '-'; gzip, bzip2, xz and zstd are unpacked."""
    data = _stream(sys.stdin, "input").buffer.read() if os.fspath(path) == "-" else Path(path).read_bytes()
    return unpacked(data, display_name(path))


def line_blocks(path: PathLike, size: int) -> Iterator[bytes]:
    """A file, or standard input for '-', in blocks of whole lines of about `size` bytes; unpacked as it is read."""
    with contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            source = _stream(sys.stdin, "input").buffer
        else:
            source = stack.enter_context(Path(path).open("rb"))
        begin = source.read(_MAGIC)
        opener = next((opener for magic, _, opener in _PACKED if begin.startswith(magic)), None)
        if opener is not None:
            source, begin = stack.enter_context(opener(io.BufferedReader(_Joined(begin, source)))), b""
        try:
            yield from _whole_lines(source, begin, size)
        except _damage() as error:
            if opener is None:
                raise
            raise FormatError(f"the compressed file is damaged: {error}", display_name(path)) from error


def blocks_of_bytes(data: bytes, size: int) -> Iterator[bytes]:
    """The blocks in which `line_blocks` gives a file that holds these bytes."""
    yield from _whole_lines(io.BytesIO(data[_MAGIC:]), data[:_MAGIC], size)


def _whole_lines(source: Any, begin: bytes, size: int) -> Iterator[bytes]:
    while data := source.read(size):
        complete, newline, rest = (begin + data).rpartition(b"\n")
        if newline:
            yield complete + newline
        begin = rest
    if begin:
        yield begin


class _Joined(io.RawIOBase):
    """What was read already, then the rest: pipes cannot go back."""

    def __init__(self, begin: bytes, rest: Any) -> None:
        self._begin = begin
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._begin or self._rest.read(len(buffer))
        part, self._begin = data[: len(buffer)], data[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _zstd() -> Any:
    for name in _ZSTD:
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(name)
    raise FormatError("it is packed by zstd, which needs Python 3.14 or later, or: pip install backports.zstd")


def _damage() -> tuple[type[Exception], ...]:
    """What is raised where a packed file is damaged."""
    own: list[type[Exception]] = [module.ZstdError for name in _ZSTD if (module := sys.modules.get(name))]
    return (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, *own)


def unpacked_limit(data: bytes) -> int:
    """How much a packed file may hold before it is taken for a trap."""
    return max(_PLENTY, _RATIO * len(data))


def unpacked(data: bytes, name: str) -> bytes:
    """What compressed bytes hold; other bytes as they are."""
    for magic, opener, _ in _PACKED:
        if data.startswith(magic):
            opener()  # says what is not installed
            try:
                return _decompress(data, opener, unpacked_limit(data))
            except _damage() as error:
                raise FormatError(f"the compressed file is damaged: {error}", name) from error
    return data


def _decompress(data: bytes, opener: Callable[[], Any], limit: int) -> bytes:
    """All streams of a file, one after another."""
    parts: list[bytes] = []
    while data:
        stream = opener()
        parts.append(stream.decompress(data, limit + 1 - sum(map(len, parts))))
        if sum(map(len, parts)) > limit:
            raise ValueError(f"it unpacks to more than {limit} bytes")
        if not stream.eof:
            raise EOFError("it ends too early")
        data = stream.unused_data
    return b"".join(parts)


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file, or standard output for '-': to a temporary neighbour first, then renamed over the target."""
    with writing(path) as out:
        out.write(data)


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[BinaryIO]:
    """A file to write to that appears whole or not at all, or standard output for '-'."""
    with naming_target("<stdout>" if os.fspath(path) == "-" else path), _opened(path) as out:
        yield out


@contextlib.contextmanager
def _opened(path: PathLike) -> Iterator[BinaryIO]:
    if os.fspath(path) == "-":
        out = _stream(sys.stdout, "output").buffer
        yield out
        out.flush()
    elif _is_device(Path(path)):  # has no content to protect and cannot be replaced
        with Path(path).open("ab") as device:
            yield device
    else:
        with replacing(path) as temporary, temporary.open("wb") as file:
            yield file


def _stream(stream: Any, name: str) -> Any:
    if stream is None:
        raise OSError(f"standard {name} is closed")
    return stream


def _is_device(target: Path) -> bool:
    in_system = target.absolute().parts[1:2] in (("dev",), ("proc",))  # /dev/stdout may lead to a file opened by others
    return in_system or (target.exists() and not target.is_file())
