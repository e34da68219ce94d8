"""Compiled scorers on disk: a cache beside the machine, read into memory instead of being built again.

Its header says what it belongs to: the machine's checksum and the options of `compile`. A file that does not belong, or
is damaged, is as good as none: the scorer is built anew.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Bytes
from gristmill.base.files import PathLike
from gristmill.machines.machine import Machine
from gristmill.machines.store import digest_of
from gristmill.scoring import cache_file
from gristmill.scoring.engines import Engine, engines_for
from gristmill.scoring.kernel_engines import Folded
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import why_real

LAYOUT = 4  # of the file; another number is another release
TREE_LAYOUT = 3
_REFUSED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RuntimeError)  # by the engines
_OTHER_RELEASE = "is damaged or of another release"


def header_for(machine: Machine, options: CompileOptions) -> dict[str, Any] | None:
    """What a compiled scorer belongs to; None where none is kept."""
    common = {"byteorder": sys.byteorder, "machine": digest_of(machine)}
    if not machine.explains_features:
        is_folded = options.engine in ("auto", "forest")
        return common | {"layout": TREE_LAYOUT, "engine": "forest"} if is_folded else None
    if why_real(machine, options) is not None:
        return None
    sample, grows = options.sample, {"rare_may_grow": True} if options.rare_may_grow else {}
    return (
        common
        | grows
        | {
            "layout": LAYOUT,
            "engine": options.engine,
            "max_bytes": options.max_bytes,
            "sigma": options.sigma,
            "xi": options.xi,
            "rare": options.rare_count(machine),
            "sample": None if sample is None else _digest(sample.offsets, sample.ids),
        }
    )


def refusal(machine: Machine, options: CompileOptions, header: dict[str, Any]) -> str | None:
    """Why the scorer in a file does not give what the options ask for; None where it does."""
    if header.get("machine") != digest_of(machine):
        return "belongs to another machine"
    known = {"byteorder": sys.byteorder, "layout": LAYOUT if machine.explains_features else TREE_LAYOUT}
    if any(header.get(name) != value for name, value in known.items()):
        return _OTHER_RELEASE
    if not machine.explains_features:
        if header.get("engine") != "forest":
            return _OTHER_RELEASE
        return None if options.engine in ("auto", "forest") else "was compiled with engine 'forest'"
    name = _engine_of(header)
    if options.engine not in ("auto", name):
        return f"was compiled with engine {name!r}"
    if (header.get("sigma"), header.get("xi")) != (options.sigma, options.xi):
        return f"was compiled with sigma={header.get('sigma')} and xi={header.get('xi')}"
    is_other = header.get("rare") != options.rare_count(machine) or header.get("rare_may_grow")
    if options.rare is not None and is_other:
        return "was compiled with other features as rare"
    return "scores binary rows only" if why_real(machine, options) is not None else None


def options_of(machine: Machine, header: dict[str, Any], options: CompileOptions) -> CompileOptions:
    """The options that the scorer in a file was compiled with; how data are read is as asked now."""
    if not machine.explains_features:
        return replace(options, engine="forest")
    name = _engine_of(header)
    keeps = name == "split" and isinstance(header.get("rare"), int) and not header.get("rare_may_grow")
    return replace(options, engine=name, max_bytes=header.get("max_bytes"), rare=header["rare"] + 1 if keeps else None)


def _engine_of(header: dict[str, Any]) -> str:
    return "expanded" if header.get("engine") == "auto" else str(header.get("engine"))


def restored(machine: Machine, options: CompileOptions, header: dict[str, Any], path: PathLike) -> Engine | None:
    """The engine in a file; None when it is not there, not sound or does not belong to the header."""
    if not machine.explains_features:
        return _read(header, path, lambda _, arrays: Folded.restored(machine, arrays))
    kind: Any = engines_for(machine).get("split" if options.engine == "split" else "expanded")
    if kind is None:  # kernels without tables of weights
        return None
    return _read(header, path, lambda numbers, arrays: kind.restored(machine, options, numbers, arrays))


def write(arrays: Mapping[str, Bytes], numbers: dict[str, int], belongs_to: dict[str, Any], path: PathLike) -> None:
    """Write a compiled scorer, whole or not at all."""
    cache_file.write({"belongs_to": belongs_to, "numbers": numbers}, arrays, path)


def header_of(path: PathLike) -> dict[str, Any] | None:
    """What the scorer in a file belongs to; None when there is no such file or it is not one of ours."""
    found = cache_file.header_of(path)
    return None if found is None else found["belongs_to"]


def numbers(path: PathLike) -> dict[str, int] | None:
    """What the scorer in a file counts: conjunctions, features, how many of them are dense and common; else None."""
    found = cache_file.header_of(path)
    return None if found is None else found.get("numbers")


def _read(
    belongs_to: dict[str, Any], path: PathLike, restore: Callable[[dict[str, int], dict[str, Bytes]], Engine]
) -> Engine | None:
    """What `restore` makes of the numbers and arrays in a file; None when it is not there, not sound or not ours."""
    found = cache_file.read(path, belongs_to)
    try:
        return None if found is None else restore(*found)
    except _REFUSED:
        return None


def _digest(*arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
