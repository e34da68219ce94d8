"""Model files of other programs (one module each) and of our own: recognised by content, read and written by name.

A format is a module with NAME, TITLE, `sniff(head) -> bool`, `read(data) -> Machine` and `write(machine) -> bytes`.
Adding one means writing that module and naming it in MODEL_FORMATS.
"""

from __future__ import annotations

from typing import Protocol

from gristmill.errors import FormatError, naming
from gristmill.files import PathLike, display_name, read_bytes, write_bytes
from gristmill.formats import libsvm, opal, own, svmlight_model, tinysvm
from gristmill.machine import Machine

HEAD = 4096  # bytes a sniffer may look at


class ModelFormat(Protocol):
    """What a module of this package offers."""

    NAME: str
    TITLE: str

    def sniff(self, head: bytes) -> bool: ...

    def read(self, data: bytes) -> Machine: ...

    def write(self, machine: Machine) -> bytes: ...


MODEL_FORMATS: tuple[ModelFormat, ...] = (own, libsvm, svmlight_model, tinysvm, opal)


def recognise(data: bytes) -> ModelFormat | None:
    """The format of a model file by its content, or None."""
    return next((known for known in MODEL_FORMATS if known.sniff(data[:HEAD])), None)


def format_named(name: str) -> ModelFormat:
    """The format of this name."""
    for known in MODEL_FORMATS:
        if known.NAME == name:
            return known
    names = ", ".join(known.NAME for known in MODEL_FORMATS)
    raise ValueError(f"unknown model format {name!r}; known are {names}")


def load(path: PathLike) -> Machine:
    """Load a machine from a model file of any known format, recognised by its content.

    Parameters
    ----------
    path : path or '-'
        Compressed files are unpacked; '-' is standard input.

    Raises
    ------
    FormatError
        With file, line and column, if the file is damaged or of no known format.
    """
    with naming(display_name(path)):
        return load_bytes(read_bytes(path))


def load_bytes(data: bytes) -> Machine:
    """The same from bytes."""
    known = recognise(data)
    if known is None:
        titles = "; ".join(known.TITLE for known in MODEL_FORMATS)
        raise FormatError("the file is empty" if not data else f"not a model file of a known format ({titles})")
    return known.read(data)


def write_model(machine: Machine, path: PathLike, name: str) -> None:
    """Write a machine in a named format; ValueError, and no file, if the format cannot hold it."""
    write_bytes(path, format_named(name).write(machine))
