"""What gristmill inspect shows of files of trees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from gristmill.cli.screen import count, note, progress_bar, table
from gristmill.formats.tree_data import TreeData
from gristmill.tree_summary import BINS, SimilaritySummary, TreeSummary, summarise_similarity, summarise_trees

_BAR = 40  # characters


def show_trees(data: TreeData, *, top: int, histogram: bool, as_json: bool) -> None:
    """Tables, or JSON with an entry for each tree of an example where there are several."""
    summaries = {name: summarise_trees(forest, data.labels, top=top) for name, forest in data.trees.items()}
    alike: dict[str, SimilaritySummary] = {}
    if histogram:
        with progress_bar("comparing") as progress:
            alike = {name: summarise_similarity(forest, progress=progress) for name, forest in data.trees.items()}
    if as_json:
        each = {name: asdict(summary) | _facts(alike.get(name)) for name, summary in summaries.items()}
        found = {"trees_by_name": each} if len(each) != 1 else next(iter(each.values()))
        click.echo(json.dumps({"format": data.title, **found}))
        return
    for name, summary in summaries.items():
        _draw(data.title if len(summaries) == 1 else f"{data.title}: {name}", summary, alike.get(name))


def _facts(alike: SimilaritySummary | None) -> dict[str, Any]:
    return {} if alike is None else {"similarity": asdict(alike) | {"warnings": alike.warnings}}


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


def _lines(data: TreeSummary) -> Iterator[tuple[str, str]]:
    yield "trees", count(data.trees)
    for label, size in list(data.labels.items())[:20]:
        yield f"  labelled {label}", count(size)
    if len(data.labels) > 20:
        yield "  other labels", count(len(data.labels) - 20)
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
        bar = "#" * -(-_BAR * pairs // most)  # at least one for what there is
        yield f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}", bar, count(pairs)
