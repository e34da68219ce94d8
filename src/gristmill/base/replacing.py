"""Files that appear whole or not at all, and then stay: written beside their target, synced, renamed.

While it is written a temporary file is locked by flock, which ends with its process: what nobody has locked was left by
a process that was killed, and goes with the next file that is written to the folder.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PathLike = str | os.PathLike[str]

_PREFIX = ".gristmill-part-"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)  # of a write, where no file is named
_LOST = (errno.EIO, errno.ENOSPC, errno.EDQUOT)  # a sync that fails so has lost what was written


@contextlib.contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """An empty neighbour of a file, to be written to, that takes its place at the end; removed after an error.

    It is on the disk before it is renamed, and so is the new name when this returns: after a power cut there is the old
    file or the new one, whole.
    """
    target = _target_of(path)
    with naming_target(path), _part(target.parent, _touch) as temporary:
        yield temporary
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        _sync(temporary)
        temporary.replace(target)
        _sync_folder(target.parent)


@contextlib.contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A folder for parts of what is written to another one; removed at the end."""
    with naming_target(parent), _part(parent, Path.mkdir) as folder:
        yield folder


@contextlib.contextmanager
def naming_target(path: PathLike) -> Iterator[None]:
    """Name a file in errors of writing that name none, as those of a full disk, or the temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL if error.filename is None else _is_temporary(error.filename):
            error.filename, error.filename2 = os.fspath(path), None
        raise


def _is_temporary(name: Any) -> bool:
    return isinstance(name, str) and Path(name).name.startswith(_PREFIX)


def _target_of(path: PathLike) -> Path:
    """A link stays a link; what it points to is replaced."""
    with contextlib.suppress(FileNotFoundError):
        os.stat(path)  # noqa: PTH116 - which says that links lead nowhere; resolve raises a RuntimeError, or nothing
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    return target


def _touch(path: Path) -> None:
    with open(path, "xb"):  # noqa: PTH123 - the mode that the umask gives
        pass


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(path: Path) -> None:
    """As far as it can be: some folders may not be read, and some systems cannot sync folders."""
    try:
        _sync(path)
    except OSError as error:
        if error.errno in _LOST:
            raise


# --- temporary files and folders --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _part(folder: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """Something new in a folder, locked; removed at the end if it is still there."""
    _remove_left(folder)
    path, handle = _made(folder, make)
    try:
        yield path
    finally:
        _remove(path)
        if handle is not None:
            os.close(handle)


def _made(folder: Path, make: Callable[[Path], None]) -> tuple[Path, int | None]:
    """Another process may take it for left before it is locked: then there is a next one."""
    while True:
        path = folder / f"{_PREFIX}{secrets.token_hex(8)}"
        try:
            make(path)
        except BaseException:
            _remove(path)  # what could not be closed is there
            raise
        try:
            handle = _lock(path)
        except OSError:  # a system without locks, where nothing is taken for left
            return path, None
        if handle is not None:
            return path, handle


def _lock(path: Path) -> int | None:
    """A handle that has locked a file or folder; None where another process has, or it is gone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:
            return handle
    except BlockingIOError:
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


@functools.lru_cache(maxsize=256)
def _remove_left(folder: Path) -> None:
    """Remove what processes that were killed have left in a folder; once in a process is enough."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                _remove_unlocked(Path(entry.path))


def _remove_unlocked(path: Path) -> None:
    with contextlib.suppress(OSError):
        handle = _lock(path)
        if handle is not None:
            _remove(path)
            os.close(handle)
