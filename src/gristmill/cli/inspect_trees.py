"""What gristmill inspect shows of files of trees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from gristmill.cli.kernel_options import CONVERSION_LIMITS
from gristmill.cli.screen import count, note, progress_bar, table
from gristmill.data.forest import Forest
from gristmill.data.formats.tree_data import TreeData
from gristmill.data.tree_summary import TreeSummary, summarise_trees
from gristmill.display.bars import bar
from gristmill.evaluation.summaries import BINS, SimilaritySummary, summarise_similarity
from gristmill.kernels.conversion.forest import ConversionStats, ConvertedForest
from gristmill.kernels.conversion.histogram import PairHistogram


@dataclass(frozen=True)
class TreeView:
    """What to show of trees."""

    top: int
    histogram: bool
    conversion: str | None  # for the kernel of this name
    max_size: int
    max_embeddings: float
    min_support: int
    rules: tuple[str, ...]  # as marks, or no-marks
    compress: bool
    max_bytes: int | None  # of conversion
    jobs: int | None


@dataclass(frozen=True)
class _Seen:
    """What is to be said about the trees of one name."""

    summary: TreeSummary
    alike: SimilaritySummary | None
    stats: ConversionStats | None
    pairs: PairHistogram | None

    def facts(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(self.summary)
        if self.alike is not None:
            found["similarity"] = asdict(self.alike) | {"warnings": self.alike.warnings}
        if self.stats is not None:
            found["conversion"] = asdict(self.stats) | ({} if self.pairs is None else {"pairs": asdict(self.pairs)})
        return found

    def draw(self, title: str, kernel: str | None) -> None:
        """Tables."""
        _draw(title, self.summary, self.alike)
        if self.stats is not None:
            table(f"converted for {kernel}", ["", ""], self.stats.lines())
        if self.pairs is not None:
            which = f"K of {count(self.pairs.rows)} trees with all others, by {kernel} with decay 1, from"
            table(which, ["", "", "pairs", "malicious"], self.pairs.lines(), left=2)


def show_trees(data: TreeData, view: TreeView, *, as_json: bool) -> None:
    """Tables, or JSON with an entry for each tree of an example where there are several."""
    seen = {name: _seen(forest, data.labels, view) for name, forest in data.trees.items()}
    if as_json:
        each = {name: found.facts() for name, found in seen.items()}
        facts = {"trees_by_name": each} if len(each) != 1 else next(iter(each.values()))
        click.echo(json.dumps({"format": data.title, **facts}))
        return
    for name, found in seen.items():
        found.draw(data.title if len(seen) == 1 else f"{data.title}: {name}", view.conversion)


def _seen(forest: Forest, labels: Any, view: TreeView) -> _Seen:
    summary, alike = summarise_trees(forest, labels, top=view.top), None
    if view.histogram:
        with progress_bar("comparing") as progress:
            alike = summarise_similarity(forest, progress=progress)
    if view.conversion is None:
        return _Seen(summary, alike, None, None)
    if view.conversion.endswith("-marked") and not summary.marked:
        note(f"warning: no node has a mark (as NP*1), so trees have nothing in common by {view.conversion}")
    settings: dict[str, Any] = {name: getattr(view, name) for name in (*CONVERSION_LIMITS, "compress", "max_bytes")}
    settings["rules"] = {rule.removeprefix("no-").replace("-", "_"): not rule.startswith("no-") for rule in view.rules}
    with progress_bar("converting") as progress:
        converted = ConvertedForest(forest, view.conversion, **settings, n_jobs=view.jobs, progress=progress)
    return _Seen(summary, alike, converted.stats, _pairs(converted, view) if view.histogram else None)


def _pairs(converted: ConvertedForest, view: TreeView) -> PairHistogram | None:
    with progress_bar("comparing") as progress:
        try:
            return converted.histogram(n_jobs=view.jobs, progress=progress)
        except ValueError as error:  # trees may be too large to count what they share
            note(f"no histogram of pairs: {error}")
            return None


def _draw(title: str, summary: TreeSummary, alike: SimilaritySummary | None) -> None:
    table(title, ["", ""], _lines(summary))
    if summary.frequent:
        cells = [(production, count(times)) for production, times in summary.frequent]
        table("most frequent productions", ["production", "occurrences"], cells)
    if alike is not None:
        which = f"{count(alike.pairs)} pairs of {alike.trees} different trees"
        table(f"{which}, by normalised sst", ["similarity", "", "pairs"], _bars(alike), left=2)
        for warning in alike.warnings:
            note(f"warning: {warning}")


def label_lines(labels: Mapping[str, int], most: int = 20) -> Iterator[tuple[str, str]]:
    """How many examples have each label."""
    for label, size in list(labels.items())[:most]:
        yield f"  labelled {label}", count(size)
    if len(labels) > most:
        yield "  other labels", count(len(labels) - most)


def _lines(data: TreeSummary) -> Iterator[tuple[str, str]]:
    yield "trees", count(data.trees)
    yield from label_lines(data.labels)
    yield "nodes", count(data.nodes)
    yield "  in a tree: average", count(data.nodes_per_tree)
    if data.marked:
        yield "  with a mark", count(data.marked)
    yield "leaves", count(data.leaves)
    yield "  in a tree: average", count(data.leaves_per_tree)
    yield "levels: average", count(data.levels_per_tree)
    yield "  deepest", count(data.deepest)
    yield "largest number of children", count(data.most_children)
    yield "different labels of nodes", count(data.node_labels)
    yield "different productions", count(data.productions)
    yield "different subtrees", count(data.subtrees)
    yield "  nodes for each", count(data.node_sharing)
    yield "different trees", count(data.different_trees)
    yield "  trees for each", count(data.tree_sharing)
    yield "matching pairs of nodes, for a pair of trees on average", ""
    yield "  with equal labels", count(data.label_matches)
    yield "  with equal productions", count(data.production_matches)


def _bars(alike: SimilaritySummary) -> Iterator[tuple[str, str, str]]:
    most = max(*alike.bins, 1)
    for number, pairs in enumerate(alike.bins):
        yield f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}", bar(pairs / most), count(pairs)
