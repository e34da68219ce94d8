"""Shapes as pictures: a curve of steps for a field, a heat map for a pair, a table of entries for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.display.contributions import bar_table
from gristmill.display.markup import Html, joined
from gristmill.display.page import note
from gristmill.display.shapes import Drawing, heat_map, step_curve

if TYPE_CHECKING:
    from gristmill.explanations.shapes import Shape

_MOST = 48  # bins that a picture shows
_ENTRIES = 12  # of triples


def shape_pictures(shape: Shape) -> list[Html]:
    """One for each output."""
    return [shape_picture(shape, output) for output in range(len(shape.output_names))]


def shape_picture(shape: Shape, output: int = 0) -> Html:
    """What the bins add to one output; of many bins those with most rows."""
    name = shape.output_names[output]
    if len(shape.fields) <= 2:
        left_out = sum(max(len(bins) - _MOST, 0) for bins in shape.bins)
        more = note(f"{left_out:,} bins with fewer rows are not drawn.") if left_out else None
        return joined(drawing(shape, output).figure(), more)
    caption = f"What {' & '.join(shape.names)} add together to the score of {name}"
    return bar_table(caption, shape.entries(output, _ENTRIES), heads=("bins", "adds"))


def drawing(shape: Shape, output: int = 0) -> Drawing:
    """The curve of a field, or the heat map of a pair."""
    name, table = shape.output_names[output], shape.table(output)
    kept = [_most_frequent(shape, axis) for axis in range(len(shape.fields))]
    return _curve(shape, name, table, kept[0]) if len(kept) == 1 else _map(shape, name, table, kept)


def _curve(shape: Shape, name: str, table: Floats, kept: Indices) -> Drawing:
    (own,) = shape.fields
    words = [own.bins[at] for at in kept.tolist()]
    ordered = int((kept < own.n_ordered).sum())
    numbers = table[kept].tolist(), shape.shares[0][kept].tolist()
    return step_curve(f"What {own.name} adds to the score of {name}", words, ordered, *numbers)


def _map(shape: Shape, name: str, table: Floats, kept: list[Indices]) -> Drawing:
    first, second = shape.fields
    words = [[own.bins[at] for at in places.tolist()] for own, places in zip(shape.fields, kept, strict=True)]
    caption = f"What {first.name} and {second.name} add together to the score of {name}"
    values = table[np.ix_(*kept)].tolist()
    return heat_map(caption, words[0], words[1], values, (first.name, second.name))


def _most_frequent(shape: Shape, axis: int) -> Indices:
    """The bins that are drawn, in their order."""
    return np.sort(np.argsort(-shape.shares[axis], kind="stable")[:_MOST])
