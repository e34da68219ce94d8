"""From a machine to a scorer: options checked, an engine chosen."""

from __future__ import annotations

import functools
import math
import os
from numbers import Integral, Real
from typing import Any

from gristmill import _core
from gristmill.base.files import PathLike
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, Rows, as_rows, check_binarize
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES, Direct, Engine, Expanded, Inverted, Options, expected_costs
from gristmill.scoring.engines import Real as RealEngine
from gristmill.scoring.scorer import Scorer

_PAPER_RARE = 0.005  # splitSVM: features of less than 0.5 % of the support vectors are rare


def compile_machine(
    machine: Machine,
    engine: str,
    *,
    max_bytes: int | None,
    binarize: Binarize,
    sigma: float,
    xi: int,
    certified: bool,
    rare: float | None,
    sample: Any,
    progress: Progress | None,
    cache: PathLike | None,
) -> Scorer:
    """See `Machine.compile`."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(map(repr, ENGINES))}, got {engine!r}")
    check_binarize(binarize)
    _check_mining(engine, sigma, xi, certified)
    options = Options(
        max_bytes=_check_bytes(max_bytes),
        sigma=float(sigma),
        xi=int(xi),
        rare=_rare_count(machine, engine, rare),
        rare_may_grow=engine == "split" and rare is None,
        sample=_check_sample(machine, sample, binarize),
        progress=progress,
    )
    recipe: dict[str, Any] = {"max_bytes": max_bytes, "binarize": binarize}
    recipe |= {"sigma": sigma, "xi": xi, "certified": certified} if engine == "expanded" else {}
    recipe |= {"rare": rare} if engine == "split" else {}
    recipe |= {} if options.sample is None else {"sample": options.sample}
    chosen, reason = _mapped(machine, engine, binarize, options, cache)
    return Scorer(machine, _within(chosen, options.max_bytes), reason, binarize, recipe)


def _mapped(
    machine: Machine, engine: str, binarize: Binarize, options: Options, cache: PathLike | None
) -> tuple[Engine, str]:
    """The engine from its file, or built and written there."""
    if cache is None or _why_real(machine, binarize) is not None:
        return _choose(machine, engine, binarize, options)
    from gristmill.scoring import cache as scorer_store

    identity = scorer_store.identity(machine, engine, options)
    native = scorer_store.find(identity, cache, functools.partial(_core.ExpandedScorer.restore, machine._native))
    if native is not None:
        name = "expanded" if engine == "auto" else engine
        return Expanded(machine, name, options, native), f"mapped from {os.fspath(cache)}"
    chosen, reason = _choose(machine, engine, binarize, options)
    if isinstance(chosen, Expanded):
        scorer_store.keep(chosen.native.arrays(), chosen.numbers, identity, cache)
    return chosen, reason


def kept_scorer(
    machine: Machine,
    path: PathLike,
    engine: str = "auto",
    *,
    max_bytes: int | None = None,
    binarize: Binarize = 0.0,
    sigma: float = 0.0,
    xi: int = 1,
    certified: bool = False,
    rare: float | None = None,
) -> Scorer | str:
    """The scorer in a file, mapped, if it gives what is asked for; else why not. Writes nothing.

    Unlike with `compile(cache=...)`, options that were left out fit any file: 'auto' takes whatever exact scorer is
    there, and so does a named engine whatever line there is between common and rare features.
    """
    from gristmill.machines.store import digest_of
    from gristmill.scoring import cache as scorer_store

    _check_mining(engine, sigma, xi, certified)
    line = _rare_count(machine, engine, rare)
    made = scorer_store.belongings(path)
    if made is None:
        return "is no compiled scorer"
    name = "expanded" if made.get("engine") == "auto" else str(made.get("engine"))
    if made.get("machine") != digest_of(machine):
        return "belongs to another machine"
    if engine not in ("auto", name):
        return f"was compiled with engine {name!r}"
    if (made.get("sigma"), made.get("xi")) != (sigma, xi):
        return f"was compiled with sigma={made.get('sigma')} and xi={made.get('xi')}"
    if rare is not None and (made.get("rare") != line or made.get("rare_may_grow")):
        return "was compiled with other features as rare"
    if _why_real(machine, binarize) is not None:
        return "scores binary rows only"
    native = scorer_store.find(made, path, functools.partial(_core.ExpandedScorer.restore, machine._native))
    if native is None:
        return "is damaged or of another release"
    if max_bytes is not None and native.nbytes > max_bytes:
        return f"takes {native.nbytes} bytes, more than max_bytes={max_bytes}"
    options = Options(max_bytes=made["max_bytes"], sigma=sigma, xi=xi, rare=made["rare"])
    recipe = {"max_bytes": made["max_bytes"], "binarize": binarize}
    recipe |= {"sigma": sigma, "xi": xi, "certified": certified} if name == "expanded" else {}
    recipe |= {"rare": None if made["rare"] is None else made["rare"] + 1} if name == "split" else {}
    return Scorer(machine, Expanded(machine, name, options, native), f"mapped from {os.fspath(path)}", binarize, recipe)


def _choose(machine: Machine, engine: str, binarize: Binarize, options: Options) -> tuple[Engine, str]:
    real = _why_real(machine, binarize)
    if real is not None:
        if engine not in ("auto", "direct"):
            raise ValueError(f"engine {engine!r} needs binary rows, but {real}; use engine='direct' or 'auto'")
        return RealEngine(machine), real
    if engine == "auto":
        return _automatic(machine, options)
    return _named(machine, engine, options), "as asked"


def _why_real(machine: Machine, binarize: Binarize) -> str | None:
    if not machine.is_binary_valued:
        return "support rows hold values other than 0 and 1"
    return "binarize=False keeps data values" if binarize is False else None


def _named(machine: Machine, engine: str, options: Options) -> Engine:
    if engine == "direct":
        return Direct(machine)
    if engine == "inverted":
        return Inverted(machine)
    if not machine.kernel.expandable:
        raise ValueError(
            f"engine {engine!r} needs degree 1 to 12, gamma > 0 and coef0 >= 0, so that conjunctions have weights; "
            f"the kernel is {machine.kernel}; use engine='inverted' or 'auto'"
        )
    return Expanded(machine, engine, options)


def _automatic(machine: Machine, options: Options) -> tuple[Engine, str]:
    """The engine that is expected to cost least among those that fit."""
    costs = expected_costs(machine, options)
    if not machine.kernel.expandable:
        costs.pop("expanded", None)
    refused = []
    for name in sorted(costs, key=lambda name: costs[name]):
        try:
            engine = _within(_named(machine, name, options), options.max_bytes)
        except (ValueError, MemoryError) as error:
            refused.append(f"{name} did not fit: {error}")
            continue
        others = ", ".join(f"{other} {costs[other] / 1000:.2f}" for other in costs if other != name)
        reason = f"expected {costs[name] / 1000:.2f} us a row; {others}"
        return engine, "; ".join([reason, *refused])
    raise ValueError("no engine fits: " + "; ".join(refused))


def _within(engine: Engine, max_bytes: int | None) -> Engine:
    if max_bytes is not None and engine.nbytes > max_bytes:
        raise ValueError(
            f"engine {engine.name!r} takes {engine.nbytes} bytes for this machine, more than max_bytes={max_bytes}"
        )
    return engine


# --- options ----------------------------------------------------------------------------------------------------------


def _check_mining(engine: str, sigma: float, xi: int, certified: bool) -> None:
    if not (isinstance(sigma, Real) and math.isfinite(sigma) and sigma >= 0):
        raise ValueError(f"sigma must be a number from 0 on, got {sigma!r}")
    if not (isinstance(xi, Integral) and xi >= 1):
        raise ValueError(f"xi must be a whole number from 1 on, got {xi!r}")
    if engine != "expanded" and (sigma > 0 or xi > 1 or certified):
        raise ValueError(f"sigma, xi and certified belong to engine='expanded', got engine={engine!r}")


def _check_bytes(max_bytes: int | None) -> int | None:
    if max_bytes is not None and not (isinstance(max_bytes, Integral) and max_bytes >= 0):
        raise ValueError(f"max_bytes must be a whole number of bytes or None, got {max_bytes!r}")
    return None if max_bytes is None else int(max_bytes)


def _rare_count(machine: Machine, engine: str, rare: float | None) -> int | None:
    """Features in at most so many support rows are rare; None leaves the line to the engine."""
    if engine != "split":
        if rare is not None:
            raise ValueError(f"rare belongs to engine='split', got engine={engine!r}")
        return None
    if rare is None:
        rare = _PAPER_RARE
    if isinstance(rare, Integral) and not isinstance(rare, bool) and rare >= 0:
        return max(int(rare) - 1, 0)
    if isinstance(rare, float) and 0 <= rare <= 1:
        return max(math.ceil(rare * machine.n_support) - 1, 0)
    raise ValueError(f"rare must be a number of support rows or a share of them from 0.0 to 1.0, got {rare!r}")


def _check_sample(machine: Machine, sample: Any, binarize: Binarize) -> Rows | None:
    if sample is None or not machine.is_binary_valued or binarize is False:
        return None
    rows = as_rows(sample, binarize=binarize)
    names = machine.feature_names
    return rows if names is None or rows.feature_names is None else rows.aligned(names)
