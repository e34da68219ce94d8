"""Directories and archives of model files: each file a machine, named by its path without endings."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from gristmill.collection import Machines
from gristmill.errors import FormatError, naming, refusing
from gristmill.files import read_bytes, unpacked
from gristmill.machine import Machine

Load = Callable[[bytes], Machine | Machines]

_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(OSError, EOFError, RuntimeError, NotImplementedError, ValueError),
)
_ENDINGS = {".gz", ".bz2", ".xz", ".model", ".safetensors", ".txt", ".bin", ".svm"}


def load_directory(folder: Path, load: Load) -> Machines:
    """The machines in the files of a directory and what is below it; hidden files are passed over."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return _collect(((path.relative_to(folder).as_posix(), read_bytes(path)) for path in paths), load)


def is_archive(data: bytes) -> bool:
    """A zip or an (unpacked) tar archive."""
    return data.startswith(b"PK\x03\x04") or data[257:262] == b"ustar"


def load_archive(data: bytes, load: Load) -> Machines:
    """The machines in the files of an archive."""
    try:
        members = list(_zip_members(data) if data.startswith(b"PK") else _tar_members(data))
    except _DAMAGE as error:
        raise FormatError(f"the archive is damaged: {error}") from error
    return _collect(iter(sorted(members)), load)


def _zip_members(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                yield member.filename, archive.read(member)


def _tar_members(data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member.name, content.read()


def _collect(files: Iterator[tuple[str, bytes]], load: Load) -> Machines:
    machines: dict[str, Machine] = {}
    for path, data in files:
        if any(part.startswith(".") for part in PurePosixPath(path).parts):
            continue
        with naming(path):
            machine = load(unpacked(data, path))
            name = _name(path)
            if not isinstance(machine, Machine):
                raise FormatError("a collection inside a collection")
            if name in machines:
                raise FormatError(f"two files give a machine called {name!r}")
        machines[name] = machine
    if not machines:
        raise FormatError("no model files in it")
    with refusing():
        return Machines(machines)


def _name(path: str) -> str:
    name = PurePosixPath(path)
    while name.suffix in _ENDINGS:
        name = name.with_suffix("")
    return name.as_posix()
