"""Whether trees are converted before training: as set, or if it should pay.

Rows over different subtrees take a step for each pair of matching nodes, which a sample of trees estimates. Conversion
takes steps for searched states (sets of fragments in the same places), for pairs that share too much, and for shared
patterns; samples of growing size are converted to extrapolate these. Only counts decide, so the choice is the same on
every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.data.tree_summary import summarise_trees
from gristmill.kernels import Kernel, TreeKernel
from gristmill.kernels.conversion.forest import ConvertedForest, fragments_of, mine
from gristmill.kernels.trees import OrderedTreeKernel
from gristmill.solvers.batch.settings import Conversion, SvmKernel

_MAX_SIZE = "max_size is set by --conversion-max-size, or by X = gristmill.ConvertedForest(X, kernel, max_size=...)"
_FEW = 256  # trees whose rows are quick
_FIRST = 64  # trees of the first sample; the next ones double
_LAST = 2000  # trees of the largest sample
_NEIGHBOURS = 16  # consecutive trees in a sample: those of a sentence are alike
_NOTHING = 1e-9
_PEAK = 12  # bytes of mining for each byte that is kept
_SEVERAL = 4
_SHARE = 10  # the part of the steps of rows that a sample may take


@dataclass(frozen=True)
class ConversionChoice:
    """Whether trees are converted, and why."""

    converts: bool
    reason: str
    max_bytes: int | None = None  # at which conversion stops: several times the prediction


NOT_CONVERTED = ConversionChoice(False, "")


@dataclass(frozen=True)
class Costs:
    """Costs of steps, in nanoseconds of one core when measured; only their ratios matter."""

    match: float = 1.1  # of two nodes, for rows over different subtrees
    marked_match: float = 1.8  # the same for kernels with marks
    state: float = 3000.0  # that is searched: fragments in the same places
    marked_state: float = 1600.0
    cell: float = 2.7  # two nodes of a malicious pair
    entry: float = 3.0  # of a row of converted trees
    addition: float = 1.7  # to an entry, of a pattern that two trees share
    margin: float = 1.25  # factor by which rows must be slower: their prediction is better than that of conversion
    patience: float = 3e8  # steps of rows below which conversion is not considered


COSTS = Costs()


@dataclass(frozen=True)
class _Count:
    """Counts of converting so many trees."""

    trees: int
    searched: float
    malicious: float
    shared: float  # patterns of a pair
    nbytes: float


def check_convertible(kernel: SvmKernel, conversion: Conversion) -> None:
    """Raise ValueError for convert=True with a kernel that has no conversion."""
    if conversion.convert is True and fragments_of(kernel) is None:
        raise ValueError(
            "convert=True is for one kernel of trees, 'lo', 'lo-marked', 'c', 'c-marked' or 'sst', normalised or not, "
            f"got {kernel!r}; convert='auto' converts where that is possible and pays"
        )


def converted(
    kernel: Kernel,
    data: Any,
    how: Conversion,
    *,
    pairs: float,
    max_bytes: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[Any, ConversionChoice]:
    """Different trees, converted or not; `pairs` of them are going to be compared."""
    fragments = fragments_of(kernel)
    if fragments is None or not isinstance(data, Forest):
        return data, NOT_CONVERTED
    if isinstance(data, ConvertedForest) and data.supports(kernel):
        return data, ConversionChoice(True, "the trees came converted")
    limits: dict[str, Any] = {
        "max_size": how.max_size,
        "max_embeddings": how.max_embeddings,
        "min_support": how.min_support,
        "max_bytes": max_bytes,
    }
    choice = ConversionChoice(bool(how.convert), "as asked")
    if how.convert == "auto":
        choice = choose(fragments, data, pairs, limits)
    if not choice.converts:
        return data, choice
    limits["max_bytes"] = choice.max_bytes or max_bytes
    try:
        return ConvertedForest(data, kernel, **limits, n_jobs=n_jobs, progress=progress), choice
    except _core.PatternsTooLargeError as error:
        if how.convert is True:
            raise _core.PatternsTooLargeError(f"{error}; max_bytes may be raised, and {_MAX_SIZE}") from error
        return data, ConversionChoice(False, str(error))


def choose(
    fragments: TreeKernel, forest: Forest, pairs: float, limits: dict[str, Any], costs: Costs = COSTS
) -> ConversionChoice:
    """Compare the predicted steps of both ways; limits are those of `ConvertedForest`."""
    if len(forest) < _FEW:
        return ConversionChoice(False, "few trees")
    by_rows = pairs * _row_steps(fragments, forest, costs)
    if by_rows < costs.patience:
        return ConversionChoice(False, f"rows take no more than {by_rows:.1e} steps")
    try:
        counts = _samples(fragments, forest, by_rows, limits, costs)
    except _core.PatternsTooLargeError as error:
        return ConversionChoice(False, str(error))
    whole, room = _extrapolated(counts, len(forest)), limits["max_bytes"]
    if _PEAK * whole.nbytes > room:
        return ConversionChoice(False, f"conversion would take {_PEAK * whole.nbytes:.1e} bytes, more than {room}")
    steps = _search_steps(fragments, whole, costs)
    steps += _row_steps_after(whole, float(np.mean(forest.sizes()[0])), pairs, costs)
    reason = f"{steps:.1e} steps with conversion, {by_rows:.1e} without"
    return ConversionChoice(costs.margin * steps < by_rows, reason, min(room, int(_SEVERAL * _PEAK * whole.nbytes)))


def _row_steps(fragments: TreeKernel, forest: Forest, costs: Costs) -> float:
    """For a pair of trees."""
    seen = summarise_trees(_sample(forest, _FEW), top=0)
    matches = seen.label_matches if isinstance(fragments, OrderedTreeKernel) else seen.production_matches
    return matches * (costs.marked_match if fragments.marked else costs.match)


def _search_steps(fragments: TreeKernel, count: _Count, costs: Costs) -> float:
    return count.searched * (costs.marked_state if fragments.marked else costs.state)


def _row_steps_after(count: _Count, nodes: float, pairs: float, costs: Costs) -> float:
    """To compute malicious pairs, and to add up all others, when trees, of so many nodes, are converted."""
    return costs.cell * nodes**2 * count.malicious + pairs * (costs.entry + costs.addition * count.shared)


def _samples(
    fragments: TreeKernel, forest: Forest, by_rows: float, limits: dict[str, Any], costs: Costs
) -> list[_Count]:
    """Counts of samples, up to the last one that does not take too long."""
    counts = [_counted(fragments, _sample(forest, size), limits) for size in (_FIRST, 2 * _FIRST)]
    while 8 * counts[-1].trees <= len(forest) and counts[-1].trees < _LAST:
        if _search_steps(fragments, _extrapolated(counts, 2 * counts[-1].trees), costs) > by_rows / _SHARE:
            break
        counts.append(_counted(fragments, _sample(forest, 2 * counts[-1].trees), limits))
    return counts


def _sample(forest: Forest, size: int) -> Forest:
    """Runs of neighbours, evenly spread."""
    blocks = max(size // _NEIGHBOURS, 1)
    starts = np.linspace(0, max(len(forest) - _NEIGHBOURS, 0), blocks).astype(np.intp)
    numbers = np.unique(starts[:, None] + np.arange(_NEIGHBOURS))
    some: Forest = forest[numbers[numbers < len(forest)]]
    return some


def _counted(fragments: TreeKernel, sample: Forest, limits: dict[str, Any]) -> _Count:
    """With one thread: several may search more states, by chance."""
    patterns = mine(fragments, sample, **limits).patterns
    trees = patterns.n_trees
    lengths = np.diff(patterns.patterns()[0]).astype(np.float64)
    return _Count(trees, patterns.searched, patterns.n_malicious, float((lengths**2).sum()) / trees**2, patterns.nbytes)


def _extrapolated(counts: list[_Count], trees: int) -> _Count:
    """Counts extrapolated to more trees."""
    last, sizes = counts[-1], np.log([count.trees for count in counts])

    def more(name: str, slowest: float, fastest: float) -> float:
        seen = np.array([getattr(count, name) for count in counts], dtype=np.float64)
        power = float(np.polyfit(sizes, np.log(np.maximum(seen, _NOTHING)), 1)[0])
        return float(seen[-1] * (trees / last.trees) ** min(max(power, slowest), fastest))

    return _Count(trees, more("searched", 1, 2), more("malicious", 1, 2), more("shared", 0, 1), more("nbytes", 1, 2))
