"""What a scorer is, why it was chosen, and what an example costs."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined


@dataclass(frozen=True)
class ScorerReport:
    """What a scorer is and why."""

    engine: str
    reason: str
    exact: bool
    nbytes: int
    kernel: str
    noun: str  # of support examples: row, tree or example
    n_support: int
    n_features: int | None  # of rows
    n_outputs: int
    conjunctions: int | None  # stored with their weights, where the engine stores any
    tiers: tuple[int, int, int] | None  # how many features are dense, common and rare
    work: dict[str, float]  # what a row like the support rows (or the sample) is expected to touch and cost

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        found = [
            ("engine", f"{self.engine} ({self.reason})"),
            ("exact", "yes" if self.exact else "no"),
            ("memory", memory(self.nbytes)),
            ("machine", self._machine()),
            ("kernel", self.kernel),
        ]
        if self.conjunctions is not None and self.tiers is not None:
            dense, common, rare = self.tiers
            features = f"{dense} dense, {common} common, {rare} rare features"
            found.append(("expansion", f"{counted(self.conjunctions, 'conjunction')}; {features}"))
        if self.work:
            found.append(("a row", ", ".join(f"{value:.1f} {name}" for name, value in self.work.items())))
        return found

    def _machine(self) -> str:
        parts = [counted(self.n_support, f"support {self.noun}")]
        if self.n_features is not None:
            parts.append(counted(self.n_features, "feature"))
        return ", ".join([*parts, counted(self.n_outputs, "output")])

    def __str__(self) -> str:
        return lined(self.facts())
