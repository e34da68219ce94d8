"""Where commands write to: a folder that is there, and no file that is read or written by the same command."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gristmill.base.files import display_name


def check_place(target: str, *inputs: str) -> None:
    """Refuse a file that cannot be written, better now than after hours, or that is one of the inputs."""
    if target == "-":
        return
    with contextlib.suppress(FileNotFoundError):
        os.stat(target)  # noqa: PTH116 - an OSError for links that lead nowhere
    folder = _real(target).parent
    number = errno.EISDIR if Path(target).is_dir() else 0 if folder.is_dir() else errno.ENOENT
    if number:
        raise OSError(number, os.strerror(number), target)
    check_apart(target, *inputs)


def check_apart(target: str, *inputs: str) -> None:
    """Refuse to replace what is read by something else, whatever links or redirections lead to it."""
    written = _file(target, sys.stdout)
    for path in inputs:
        if written is not None and (written == _file(path, sys.stdin) or _is_within(target, path)):
            shown = "<stdout>" if target == "-" else target
            within = "" if written == _file(path, sys.stdin) else f", in {path},"
            raise click.UsageError(f"{shown}{within} is read, and would be replaced: name another file to write to")


def check_outputs(targets: Sequence[str]) -> None:
    """Refuse to write two things to one file."""
    for one, other in itertools.combinations(targets, 2):
        if "-" not in (one, other) and _real(one) == _real(other):
            raise click.UsageError(f"{display_name(one)} would be written twice: name another file")


def _real(path: str) -> Path:
    return Path(os.path.realpath(path))  # resolve raises a RuntimeError for loops of links


def _file(path: str, stream: Any) -> tuple[int, int] | None:
    """Which file it is, of the stream for '-'; None for what is not there, or is nothing that can be lost."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        found = os.fstat(stream.fileno()) if path == "-" else os.stat(path)  # noqa: PTH116 - of names as they were given
        return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
    return None


def _is_within(target: str, folder: str) -> bool:
    """Whether a file is one of a folder that is read."""
    return target != "-" and Path(folder).is_dir() and _real(target).is_relative_to(_real(folder))
