"""Model files of other programs (one module each) and of our own: recognised by content, read and written by name.

A format is a module with NAME, TITLE, KERNELS (the kinds of kernels on rows that it has), `sniff(data) -> bool`,
`read(data) -> Machine` and `write(machine) -> bytes`. Adding one means writing that module and naming it in
MODEL_FORMATS.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import PathLike, display_name, read_bytes, write_bytes
from gristmill.base.packed import Budget
from gristmill.data.formats.kinds import BINARY, kind_of
from gristmill.machines.collection import Machines
from gristmill.machines.formats import folders, libsvm, opal, own, svmlight, svmlight_tk, tinysvm, yamcha, yamcha_text
from gristmill.machines.machine import Machine


class ModelFormat(Protocol):
    """What a module of this package offers."""

    NAME: str
    TITLE: str

    @property
    def KERNELS(self) -> tuple[type[Any], ...]: ...  # noqa: N802 - a constant of the module

    def sniff(self, data: bytes) -> bool: ...

    def read(self, data: bytes) -> Machine | Machines: ...

    def write(self, machine: Any) -> bytes: ...


MODEL_FORMATS: tuple[ModelFormat, ...] = (
    own,
    libsvm,
    svmlight_tk,
    svmlight,
    tinysvm,
    opal,
    yamcha,
    yamcha_text,
)


def recognise(data: bytes) -> ModelFormat | None:
    """The format of a model file by its content, or None."""
    return next((known for known in MODEL_FORMATS if known.sniff(data)), None)


def format_named(name: str) -> ModelFormat:
    """The format of this name."""
    for known in MODEL_FORMATS:
        if known.NAME == name:
            return known
    names = ", ".join(known.NAME for known in MODEL_FORMATS)
    raise ValueError(f"unknown model format {name!r}; known are {names}")


def read_model(path: PathLike) -> Machine | Machines:
    """Read the machine or machines of a model file of any known format, recognised by its content.

    Of an app's file these are the machines; `gristmill.load` gives the app.

    Parameters
    ----------
    path : path or '-'
        Compressed files are unpacked; '-' is standard input. A directory, zip or tar archive of model files gives
        `Machines`, named by the files.

    Raises
    ------
    FormatError
        With file, line and column, if a file is damaged or of no known format.
    """
    if os.fspath(path) != "-" and Path(path).is_dir():
        return folders.load_directory(Path(path), recognise)
    with naming(display_name(path)):
        budget = Budget()
        data = read_bytes(path, budget)
        return folders.load_archive(data, recognise, budget) if folders.is_archive(data) else load_bytes(data)


def read_machine(path: PathLike, name: str | None = None) -> Machine:
    """A single machine: the file's own, or the one of this name in a collection."""
    found = read_model(path)
    if isinstance(found, Machine):
        if name is not None:
            raise ValueError(f"{display_name(path)} holds a single machine, none called {name!r}")
        return found
    if name is None or name not in found:
        some = ", ".join(list(found)[:10]) + (", ..." if len(found) > 10 else "")
        raise ValueError(f"{display_name(path)} holds {len(found)} machines; say which: {some}")
    return found[name]


def load_bytes(data: bytes) -> Machine | Machines:
    """What is in the bytes of a model file."""
    known = recognise(data)
    if known is None:
        raise FormatError("the file is empty" if not data.strip() else _no_model(data))
    return read_as(known, data)


def _no_model(data: bytes) -> str:
    found = kind_of(data)
    titles = "; ".join(known.TITLE for known in MODEL_FORMATS)
    got = "" if found.kind == BINARY else f", but {found}"
    return f"not a model file of a known format ({titles}){got}"


def read_as(known: ModelFormat, data: bytes) -> Machine | Machines:
    """What is in a file of a known format."""
    with refusing():
        return known.read(data)


def write(model: Any, path: PathLike, format: str = "libsvm") -> None:
    """Write a model in the format of another program; ValueError, and no file, if that cannot hold it.

    Parameters
    ----------
    model : Machine, Machines, or a fitted estimator or app
        An estimator is written as its machine. An app says which formats can hold it; `save` can always.
    path : path or '-'
    format : str
        A name of MODEL_FORMATS, such as 'libsvm', 'svmlight', 'yamcha-text' or 'gristmill', the own format.

    Examples
    --------
    >>> import gristmill as gm
    >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0)
    >>> gm.write(machine, "old.model", format="libsvm")  # doctest: +SKIP
    """
    write_bytes(path, as_bytes(model, format))


def as_bytes(model: Any, format: str) -> bytes:
    """What `write` writes."""
    known = format_named(format)
    machine = model.machine_for(known) if hasattr(model, "machine_for") else getattr(model, "machine_", model)
    if not isinstance(machine, Machine | Machines):
        raise ValueError(f"expected a machine, or what has learned one, got {type(model).__name__}")
    if isinstance(machine, Machines) and known is not own:
        raise ValueError(f"a {known.TITLE} holds one machine; write a collection of {len(machine)} as 'gristmill'")
    if isinstance(machine, Machine) and not _can_hold(known, machine):
        *others, last = (repr(other.NAME) for other in reversed(MODEL_FORMATS) if _can_hold(other, machine))
        names = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"a {known.TITLE} holds {_held_by(known)} kernels on rows, got {machine}: write it as {names}")
    return known.write(machine)


def _can_hold(known: ModelFormat, machine: Machine) -> bool:
    """Whether a format has kernels of this kind."""
    combines = known is svmlight_tk and not machine.explains_features
    return known is own or isinstance(machine.kernel, known.KERNELS) or combines


def _held_by(known: ModelFormat) -> str:
    """Kinds of kernels, to be read: polynomial, RBF and sigmoid."""
    *others, last = (kind.__name__.removesuffix("Kernel").replace("Polynomial", "polynomial") for kind in known.KERNELS)
    return f"{', '.join(others)} and {last}".replace("Sigmoid", "sigmoid") if others else last
