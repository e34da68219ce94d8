"""Files in and out: compressed input is opened by its content, output appears whole or not at all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import secrets
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gristmill.errors import FormatError

PathLike = str | os.PathLike[str]

_OPENERS: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", gzip.decompress),
    (b"BZh", bz2.decompress),
    (b"\xfd7zXZ\x00", lzma.decompress),
)


def display_name(path: PathLike) -> str:
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def read_bytes(path: PathLike) -> bytes:
    """Read a whole file, or standard input for '-'; gzip, bzip2 and xz are unpacked."""
    data = _stream(sys.stdin, "input").buffer.read() if os.fspath(path) == "-" else Path(path).read_bytes()
    return unpacked(data, display_name(path))


def unpacked(data: bytes, name: str) -> bytes:
    """What compressed bytes hold; other bytes as they are."""
    for magic, decompress in _OPENERS:
        if data.startswith(magic):
            try:
                return decompress(data)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise FormatError(f"the compressed file is damaged: {error}", name) from error
    return data


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file, or standard output for '-': to a temporary neighbour first, then renamed over the target."""
    if os.fspath(path) == "-":
        out = _stream(sys.stdout, "output").buffer
        out.write(data)
        out.flush()
        return
    target = Path(path)
    if _is_device(target):  # has no content to protect and cannot be replaced
        with target.open("ab") as out:
            out.write(data)
        return
    _replace(target.resolve(), data)  # a link stays a link; what it points to is replaced


def _stream(stream: Any, name: str) -> Any:
    if stream is None:
        raise OSError(f"standard {name} is closed")
    return stream


def _is_device(target: Path) -> bool:
    in_system = target.absolute().parts[1:2] in (("dev",), ("proc",))  # /dev/stdout may lead to a file opened by others
    return in_system or (target.exists() and not target.is_file())


def _replace(target: Path, data: bytes) -> None:
    temporary = target.parent / f".gristmill-{secrets.token_hex(8)}"
    try:
        with open(temporary, "xb") as out:  # noqa: PTH123 - the mode that the umask gives
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(target)
        raise
