"""Files in and out: compressed input is opened by its content, output appears whole or not at all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

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
    data = sys.stdin.buffer.read() if os.fspath(path) == "-" else Path(path).read_bytes()
    for magic, decompress in _OPENERS:
        if data.startswith(magic):
            try:
                return decompress(data)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise FormatError(f"the compressed file is damaged: {error}", display_name(path)) from error
    return data


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file, or standard output for '-': to a temporary neighbour first, then renamed over the target."""
    if os.fspath(path) == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe or device has no content to protect and cannot be replaced
        target.write_bytes(data)
        return
    target = target.resolve()  # a link stays a link; what it points to is replaced
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".gristmill-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(_mode_for(target))
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _mode_for(target: Path) -> int:
    """The mode the file has, or would get from an ordinary open()."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
