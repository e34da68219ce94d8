"""The scorers of a collection of machines, and what they take together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from gristmill.base.progress import Progress
from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined
from gristmill.machines.collection import Machines
from gristmill.scoring.scorer import Scorer


def compile_machines(machines: Machines, engine: str, progress: Progress | None, **options: Any) -> Scorers:
    """A scorer for each machine; the options are those of `Machine.compile`."""
    if "cache" in options:
        raise ValueError("a compiled scorer in a file belongs to one machine: compile machines[name] with cache=")
    scorers = Scorers()
    for done, (name, machine) in enumerate(machines.items(), 1):
        try:
            scorers[name] = machine.compile(engine, **options)
        except ValueError as error:
            raise ValueError(f"machine {name!r}: {error}") from error
        if progress is not None:
            progress(done, len(machines))
    return scorers


class Scorers(dict[str, Scorer]):
    """The scorers of a collection, by the names of its machines."""

    @property
    def exact(self) -> bool:
        return all(scorer.exact for scorer in self.values())

    @property
    def nbytes(self) -> int:
        return sum(scorer.nbytes for scorer in self.values())

    def report(self) -> ScorersReport:
        """What was chosen and what it takes, over all machines."""
        reports = [scorer.report() for scorer in self.values()]
        stored = [report.conjunctions for report in reports if report.conjunctions is not None]
        return ScorersReport(
            machines=len(self),
            engines=dict(Counter(report.engine for report in reports)),
            exact=self.exact,
            nbytes=self.nbytes,
            n_support=sum(report.n_support for report in reports),
            conjunctions=sum(stored) if stored else None,
        )

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts

        return notebook(facts("Scorers", self.report().facts()))


@dataclass(frozen=True)
class ScorersReport:
    """What the scorers of a collection are."""

    machines: int
    engines: dict[str, int]  # how many machines each engine serves
    exact: bool
    nbytes: int
    n_support: int
    conjunctions: int | None  # stored with their weights, where an engine stores any

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        found = [
            ("engines", ", ".join(f"{engine} {times}" for engine, times in self.engines.items())),
            ("exact", "yes" if self.exact else "no"),
            ("memory", memory(self.nbytes)),
            ("machines", f"{self.machines}, {counted(self.n_support, 'support example')}"),
        ]
        return (
            found if self.conjunctions is None else [*found, ("expansion", counted(self.conjunctions, "conjunction"))]
        )

    def __str__(self) -> str:
        return lined(self.facts())
