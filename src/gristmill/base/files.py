"""Files in and out: compressed input is opened by its content, output appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from gristmill.base.errors import FormatError, naming
from gristmill.base.packed import MAGIC, Budget, is_packed, unpacked_portions
from gristmill.base.replacing import PathLike as PathLike  # noqa: PLC0414 - which is looked for here
from gristmill.base.replacing import naming_target, replacing

LONGEST_LINE = 1 << 28  # bytes


def decoded(text: bytes) -> str:
    """Text of a file: UTF-8, or Latin-1 where it is not."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def display_name(path: PathLike) -> str:
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def read_bytes(path: PathLike, budget: Budget | None = None) -> bytes:
    """Read a whole file, or standard input for '-'; gzip, bzip2, xz and zstd are unpacked.

    budget : of what is unpacked, where what the file holds may have to be unpacked in turn
    """
    data = _stream(sys.stdin, "input").buffer.read() if os.fspath(path) == "-" else Path(path).read_bytes()
    budget = Budget() if budget is None else budget
    budget.take(len(data))
    with naming(display_name(path)):
        return unpacked(data, budget)


def unpacked(data: bytes, budget: Budget) -> bytes:
    """What packed bytes hold; other bytes as they are."""
    return b"".join(unpacked_portions(data, lambda _: b"", budget)) if is_packed(data) else data


def line_blocks(path: PathLike, size: int) -> Iterator[bytes]:
    """A file, or standard input for '-', in blocks of whole lines of about `size` bytes; unpacked as it is read."""
    with contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            source = _stream(sys.stdin, "input").buffer
        else:
            source = stack.enter_context(Path(path).open("rb"))
        begin = source.read(MAGIC)
        stack.enter_context(naming(display_name(path)))
        if is_packed(begin):
            portions = unpacked_portions(begin, source.read, Budget(MAGIC))
        else:
            portions = chain([begin], iter(lambda: source.read(size), b""))
        yield from _whole_lines(_of_size(portions, size))


def blocks_of_bytes(data: bytes, size: int) -> Iterator[bytes]:
    """The blocks in which `line_blocks` gives a file that holds these bytes."""
    yield from _whole_lines(_of_size([data], size))


def _of_size(portions: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes, so many at a time."""
    waiting, held = list[bytes](), 0
    for portion in portions:
        waiting.append(portion)
        held += len(portion)
        if held >= size:
            joined, whole = b"".join(waiting), held - held % size
            yield from (joined[at : at + size] for at in range(0, whole, size))
            waiting, held = [joined[whole:]], held - whole
    yield b"".join(waiting)


def _whole_lines(portions: Iterable[bytes]) -> Iterator[bytes]:
    line, waiting, held = 1, list[bytes](), 0
    for portion in portions:
        end = portion.rfind(b"\n") + 1
        if end:
            block = b"".join([*waiting, portion[:end]])
            yield block
            line, waiting, held = line + block.count(b"\n"), [], 0
        waiting.append(portion[end:])
        held += len(portion) - end
        if held > LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes: is it text? Break it into lines", line=line)
    if held:
        yield b"".join(waiting)


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
