"""What a conversion of trees took and gave, in the numbers of the paper (Kazama and Torisawa 2005, Table 3)."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill import _core
from gristmill.display.numbers import memory


@dataclass(frozen=True)
class ConversionStats:
    """A conversion in numbers, those of the paper's Table 3; printed, they look like it.

    Parameters
    ----------
    examples : int
    trees : int
        Different ones.
    features : int
        Fragments that at least two trees share, not all of whose pairs are malicious.
    patterns : int
        Different patterns of occurrences among them: the features after compression.
    entries_per_tree : float
        Patterns of a tree on average, the paper's ``|V|``.
    malicious_rate : float
        The paper's r_m: pairs (i, j) of different trees that are malicious or i = j, of all such pairs.
    searched : int
        What was looked at: fragments in the same places as one, or one by one with ``rules={"same_places": False}``.
    seconds : float
    nbytes : int
    """

    examples: int
    trees: int
    features: int
    patterns: int
    entries_per_tree: float
    malicious_rate: float
    searched: int
    seconds: float
    nbytes: int

    @classmethod
    def of(cls, patterns: _core.SubtreePatterns, examples: int, seconds: float) -> ConversionStats:
        """Those of what was mined."""
        trees = patterns.n_trees
        return cls(
            examples=examples,
            trees=trees,
            features=patterns.features,
            patterns=patterns.size,
            entries_per_tree=patterns.entries / max(trees, 1),
            malicious_rate=(2 * patterns.n_malicious + trees) / max(trees, 1) ** 2,
            searched=patterns.searched,
            seconds=seconds,
            nbytes=patterns.nbytes,
        )

    def lines(self) -> list[tuple[str, str]]:
        """Names and figures, as in Table 3."""
        return [
            ("# examples", f"{self.examples:,}"),
            ("# different trees", f"{self.trees:,}"),
            ("# feature subtrees (x10^4)", f"{self.features / 1e4:,.4g}"),
            ("# features (compressed) (x10^4)", f"{self.patterns / 1e4:,.4g}"),
            ("avg. |V| (compressed)", f"{self.entries_per_tree:,.1f}"),
            ("rate of malicious pairs r_m (%)", f"{100 * self.malicious_rate:.3g}"),
            ("conversion time (sec.)", f"{self.seconds:,.1f}"),
            ("states searched (x10^4)", f"{self.searched / 1e4:,.4g}"),
            ("memory", memory(self.nbytes)),
        ]

    def __str__(self) -> str:
        lines = self.lines()
        widths = [max(len(line[at]) for line in lines) for at in range(2)]
        return "\n".join(f"{name:<{widths[0]}}  {figure:>{widths[1]}}" for name, figure in lines)
