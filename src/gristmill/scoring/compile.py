"""From a machine to a scorer: options checked, an engine chosen, built or read from its file."""

from __future__ import annotations

import os
from typing import Any

from gristmill.base.files import PathLike
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring import cache, conjunction_engines  # noqa: F401 - which makes its engines known
from gristmill.scoring.engines import Engine, engines_for, within
from gristmill.scoring.kernel_engines import Folded, KernelDirect
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import TableEngine, cheapest, why_real
from gristmill.scoring.scorer import Scorer

_AS_ASKED = "as asked"
_FOLDED = "every different subtree is looked at once"


def engine_names(machine: Machine) -> tuple[str, ...]:
    """The engines that take a machine, after 'auto'."""
    return ("auto", *engines_for(machine))


def compile_machine(machine: Machine, **options: Any) -> Scorer:
    """See `Machine.compile`."""
    given = CompileOptions(**options)
    names = engine_names(machine)
    if given.engine not in names:
        raise ValueError(f"engine must be one of {', '.join(map(repr, names))} for this kernel, got {given.engine!r}")
    checked = given.checked(machine)
    engine, reason = _choose(machine, checked) if checked.cache is None else _kept(machine, checked, checked.cache)
    return Scorer(machine, within(engine, checked.max_bytes), reason, checked)


def scorer_for(machine: Machine, examples: Any) -> Scorer:
    """A scorer for examples that were read already: where rows hold real values, these are computed with."""
    is_real = isinstance(examples, Rows) and not examples.is_binary
    return machine.compile(binarize=False if is_real else 0.0)


def cached_scorer(machine: Machine, path: PathLike, options: CompileOptions | None = None) -> Scorer | str:
    """The scorer in a file if it gives what is asked for; else why not. Writes nothing.

    Unlike with `compile(cache=...)`, options that were left out fit any file: 'auto' takes whatever exact scorer is
    there, and so does a named engine whatever features it takes for rare.
    """
    given = (options or CompileOptions()).checked(machine)
    header = cache.header_of(path)
    if header is None:
        return "is no compiled scorer"
    reason = cache.refusal(machine, given, header)
    if reason is not None:
        return reason
    made = cache.options_of(machine, header, given)
    engine = cache.restored(machine, made, header, path)
    if engine is None:
        return "is damaged or of another release"
    if not _fits(engine, given):
        return f"takes {engine.nbytes} bytes, more than max_bytes={given.max_bytes}"
    return Scorer(machine, engine, f"read from {os.fspath(path)}", made)


def _kept(machine: Machine, options: CompileOptions, path: PathLike) -> tuple[Engine, str]:
    """The engine from its file, or built and written there."""
    header = cache.header_for(machine, options)
    if header is None:  # the definition, or real values: nothing is worth a file
        return _choose(machine, options)
    found = cache.restored(machine, options, header, path)
    if found is not None and (machine.explains_features or _fits(found, options)):
        return found, f"read from {os.fspath(path)}"
    engine, reason = _choose(machine, options, to_keep=found is None)
    arrays = engine.arrays() if isinstance(engine, TableEngine | Folded) and found is None else None
    if arrays is not None:
        cache.write(arrays, getattr(engine, "numbers", {}), header, path)
    return engine, reason


def _choose(machine: Machine, options: CompileOptions, *, to_keep: bool = False) -> tuple[Engine, str]:
    if machine.explains_features and options.engine == "auto":
        return cheapest(machine, options)
    if options.engine in ("auto", "forest"):
        return _folded(machine, options, to_keep)
    engine = engines_for(machine)[options.engine].build(machine, options)
    real = why_real(machine, options) if machine.explains_features else None
    return engine, real or _AS_ASKED


def _folded(machine: Machine, options: CompileOptions, to_keep: bool) -> tuple[Engine, str]:
    """'auto' falls back to the definition where the folded machine would take more memory than allowed."""
    folded = Folded.build(machine, options, to_keep=to_keep)
    if options.engine == "forest":
        return within(folded, options.max_bytes), _AS_ASKED
    if _fits(folded, options):
        return folded, _FOLDED
    return KernelDirect(machine), f"forest did not fit: it takes {folded.nbytes} bytes"


def _fits(engine: Engine, options: CompileOptions) -> bool:
    return options.max_bytes is None or engine.nbytes <= options.max_bytes
