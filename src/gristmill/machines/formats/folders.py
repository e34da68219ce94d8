"""Directories and archives of model files: each file a machine, named by its path without endings."""

from __future__ import annotations

import contextlib
import io
import itertools
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, TypeVar

from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import read_bytes, unpacked
from gristmill.base.packed import Budget
from gristmill.base.warnings import SkippedFileWarning
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine, counted_from_zero

MOST_MEMBERS = 10_000

_Member = TypeVar("_Member")


class Reader(Protocol):
    """What a recognised file is read with."""

    def read(self, data: bytes) -> Machine | Machines: ...


Recognise = Callable[[bytes], Reader | None]

_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, NotImplementedError, ValueError, LookupError, OverflowError),
)
_PORTION = 1 << 12  # bytes that are read of a member at once: bzip2 makes 80 MB of so many
_NAMED = 10  # files that warnings name
_COMPILED = ".scorer"  # lies beside its model
_ENDINGS = {".gz", ".bz2", ".xz", ".zst", ".model", ".safetensors", ".txt", ".bin", ".svm"}


def load_directory(folder: Path, recognise: Recognise) -> Machines:
    """The machines in the files of a directory and below it; hidden files and compiled scorers are passed over."""
    names = ((path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")) if path.is_file())
    return _collect(((name, read_bytes(path)) for name, path in names if _is_wanted(name)), recognise)


def is_archive(data: bytes) -> bool:
    """A zip or an (unpacked) tar archive."""
    return data.startswith(b"PK\x03\x04") or data[257:262] == b"ustar"


def load_archive(data: bytes, recognise: Recognise, budget: Budget | None = None) -> Machines:
    """The machines in the files of an archive, one unpacked at a time.

    budget : of what is unpacked, as `read_bytes` has left it
    """
    budget = Budget(len(data)) if budget is None else budget
    files = _zip_files(data) if data.startswith(b"PK") else _tar_files(data)
    return _collect(_unpacked(files, budget), recognise)


def _unpacked(files: Iterator[tuple[str, IO[bytes]]], budget: Budget) -> Iterator[tuple[str, bytes]]:
    with _damage_is_named():
        for name, file in files:
            content = _content(file, budget)
            with naming(name):
                yield name, unpacked(content, budget)


@contextlib.contextmanager
def _damage_is_named() -> Iterator[None]:
    try:
        yield
    except FormatError:
        raise
    except _DAMAGE as error:
        raise FormatError(f"the archive is damaged: {error}") from error


def _zip_files(data: bytes) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = _not_too_many(archive.infolist())
        for member in sorted(members, key=lambda member: member.filename):
            if not member.is_dir() and _is_wanted(member.filename):
                with archive.open(member) as file:
                    yield member.filename, file


def _tar_files(data: bytes) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in sorted(_not_too_many(archive), key=lambda member: member.name):
            file = archive.extractfile(member) if member.isfile() and _is_wanted(member.name) else None
            if file is not None:
                yield member.name, file


def _not_too_many(members: Iterable[_Member]) -> list[_Member]:
    found = list(itertools.islice(members, MOST_MEMBERS + 1))
    if len(found) > MOST_MEMBERS:
        raise FormatError(f"the archive has more than {MOST_MEMBERS:,} members: unpack it and name the folder")
    return found


def _content(file: IO[bytes], budget: Budget) -> bytes:
    portions = list[bytes]()
    while portion := file.read(_PORTION):
        budget.give(len(portion))
        portions.append(portion)
    return b"".join(portions)


def _is_wanted(path: str) -> bool:
    return not path.endswith(_COMPILED) and not any(part.startswith(".") for part in PurePosixPath(path).parts)


def _collect(files: Iterable[tuple[str, bytes]], recognise: Recognise) -> Machines:
    machines: dict[str, Machine] = {}
    others = list[str]()
    for path, data in files:
        known = recognise(data)
        if known is None:
            others.append(path)
            continue
        with naming(path):
            machines[_new_name(path, machines)] = _single(known, data)
    _warn_of(others)
    if not machines:
        raise FormatError("no model files in it")
    with refusing():
        return Machines(_counting_alike(machines))


def _warn_of(others: Sequence[str]) -> None:
    for path in others[:_NAMED]:
        warnings.warn(f"{path} is no model file and is passed over", SkippedFileWarning, stacklevel=5)
    if len(others) > _NAMED:
        message = f"{len(others) - _NAMED:,} more files are no model files and are passed over"
        warnings.warn(message, SkippedFileWarning, stacklevel=5)


def _single(known: Reader, data: bytes) -> Machine:
    with refusing():
        machine = known.read(data)
    if not isinstance(machine, Machine):
        raise FormatError("a collection inside a collection")
    return machine


def _counting_alike(machines: dict[str, Machine]) -> dict[str, Machine]:
    """A file without an id 0 is taken to count from 1; among files that show one, it counts from 0 like them."""
    if all(machine.first_id != 0 for machine in machines.values()):
        return machines
    return {
        name: counted_from_zero(machine) if machine.first_id == 1 else machine for name, machine in machines.items()
    }


def _new_name(path: str, taken: Container[str]) -> str:
    name = _name(path)
    if name in taken:
        raise FormatError(f"two files give a machine called {name!r}")
    return name


def _name(path: str) -> str:
    name = PurePosixPath(path)
    while name.suffix in _ENDINGS:
        name = name.with_suffix("")
    return name.as_posix()
