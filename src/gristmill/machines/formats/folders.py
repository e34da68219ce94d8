"""Directories and archives of model files: each file a machine, named by its path without endings."""

from __future__ import annotations

import contextlib
import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import read_bytes, unpacked, unpacked_limit
from gristmill.base.warnings import SkippedFileWarning
from gristmill.machines.collection import Machines
from gristmill.machines.machine import Machine, counted_from_zero


class Reader(Protocol):
    """What a recognised file is read with."""

    def read(self, data: bytes) -> Machine | Machines: ...


Recognise = Callable[[bytes], Reader | None]

_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, NotImplementedError, ValueError, LookupError, OverflowError),
)
_COMPILED = ".scorer"  # lies beside its model
_ENDINGS = {".gz", ".bz2", ".xz", ".zst", ".model", ".safetensors", ".txt", ".bin", ".svm"}


def load_directory(folder: Path, recognise: Recognise) -> Machines:
    """The machines in the files of a directory and below it; hidden files and compiled scorers are passed over."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return _collect(((path.relative_to(folder).as_posix(), read_bytes(path)) for path in paths), recognise)


def is_archive(data: bytes) -> bool:
    """A zip or an (unpacked) tar archive."""
    return data.startswith(b"PK\x03\x04") or data[257:262] == b"ustar"


def load_archive(data: bytes, recognise: Recognise) -> Machines:
    """The machines in the files of an archive, one unpacked at a time."""
    limit = unpacked_limit(data)
    with _damage_is_named():
        names = sorted(_zip_members(data) if data.startswith(b"PK") else _tar_members(data))
    return _collect(((name, _content(data, name, limit)) for name in names), recognise)


@contextlib.contextmanager
def _damage_is_named() -> Iterator[None]:
    try:
        yield
    except FormatError:
        raise
    except _DAMAGE as error:
        raise FormatError(f"the archive is damaged: {error}") from error


def _zip_members(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [member.filename for member in archive.infolist() if not member.is_dir()]


def _tar_members(data: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [member.name for member in archive if member.isfile()]


def _content(data: bytes, name: str, limit: int) -> bytes:
    with _damage_is_named():
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as member:
                content = member.read(limit + 1)
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                file = tar.extractfile(name)
                content = b"" if file is None else file.read(limit + 1)
        if len(content) > limit:
            raise FormatError(f"{name} unpacks to more than {limit} bytes")
        return content


def _collect(files: Iterable[tuple[str, bytes]], recognise: Recognise) -> Machines:
    machines: dict[str, Machine] = {}
    for path, packed in files:
        if path.endswith(_COMPILED) or any(part.startswith(".") for part in PurePosixPath(path).parts):
            continue
        with naming(path):
            data = unpacked(packed, path)
            known = recognise(data)
            if known is None:
                warnings.warn(f"{path} is no model file and is passed over", SkippedFileWarning, stacklevel=4)
                continue
            machines[_new_name(path, machines)] = _single(known, data)
    if not machines:
        raise FormatError("no model files in it")
    with refusing():
        return Machines(_counting_alike(machines))


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
