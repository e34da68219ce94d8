"""What inspect says of compiled scorers: the one beside the model, and the one that --engine asks for."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.cli.compiling import Compilation, scorer_path
from gristmill.cli.screen import count
from gristmill.display.numbers import memory
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine


@dataclass(frozen=True)
class CompiledSummary:
    """One scorer: facts by name, for JSON and for `scorer_lines`."""

    key: str
    title: str
    facts: dict[str, Any]


def beside(machine: Machine, model: str) -> CompiledSummary | None:
    """The compiled scorer in the file beside the model, if there is one."""
    from gristmill.scoring.cache import belongings, numbers
    from gristmill.scoring.compile import kept_scorer
    from gristmill.scoring.structured_scorer import kept_tree_scorer

    path = scorer_path(model)
    if path is None:
        return None
    facts: dict[str, Any] = {"file": str(path), "belongs": False}
    made, numbered = belongings(path), numbers(path)
    if made is None or numbered is None:
        facts["reason"] = "is no compiled scorer"
    elif isinstance(machine, StructuredMachine):
        kept = kept_tree_scorer(machine, path)
        facts |= {"belongs": True} if not isinstance(kept, str) else {"reason": kept}
        facts |= {"engine": str(made.get("engine")), "exact": True}
        facts["nbytes"] = path.stat().st_size if isinstance(kept, str) else kept.nbytes
    else:
        engine = "expanded" if made.get("engine") == "auto" else str(made.get("engine"))
        sigma, xi = made.get("sigma", 0.0), made.get("xi", 1)
        found = kept_scorer(machine, path, engine, sigma=sigma, xi=xi)
        facts |= {"belongs": True} if not isinstance(found, str) else {"reason": found}
        dense, common, features = (numbered.get(key, 0) for key in ("dense", "common", "features"))
        facts |= {"engine": engine, "exact": sigma == 0 and xi == 1, "sigma": sigma, "xi": xi}
        facts |= {"conjunctions": numbered.get("conjunctions", 0), "lines": [dense, common - dense, features - common]}
        facts["nbytes"] = path.stat().st_size if isinstance(found, str) else found.nbytes
    return CompiledSummary("scorer", f"compiled scorer {path.name}", facts)


def compiled(machine: Machine, how: Compilation) -> CompiledSummary | None:
    """What compiling as asked gives."""
    if how.engine is None:
        return None
    start = time.perf_counter()
    report = how.compile(machine).report()
    facts = asdict(report) | {"seconds": time.perf_counter() - start}
    return CompiledSummary("compiled", f"compiled with --engine {how.engine}", facts)


_WORK = {"ns": "  nanoseconds", "entries": "  weights looked at", "probes": "  probes", "lines": "  cache lines"}


def scorer_lines(facts: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """For a table."""
    if "belongs" in facts:
        yield "belongs to this model", "yes" if facts["belongs"] else f"no: it {facts['reason']}"
    if "engine" not in facts:
        return
    yield "engine", facts["engine"]
    if "belongs" not in facts:
        yield "  because", facts["reason"]
    yield "exact", "yes" if facts["exact"] else "no"
    if facts.get("sigma") or facts.get("xi", 1) > 1:
        yield "  sigma, xi", f"{facts['sigma']:g}, {facts['xi']}"
    if facts.get("conjunctions") is not None:
        yield "conjunctions", count(facts["conjunctions"])
    if facts.get("lines") is not None:
        yield "features dense, common, rare", ", ".join(map(count, facts["lines"]))
    yield "memory", memory(facts["nbytes"])
    if "seconds" in facts:
        yield "seconds to compile", f"{facts['seconds']:.3f}"
    for name, value in facts.get("work", {}).items():
        yield f"{_WORK.get(name, name)} expected for a row", f"{value:,.1f}"
