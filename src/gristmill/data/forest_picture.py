"""A forest as notebooks show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.data.tree_outlines import first_nodes
from gristmill.display.page import note, notebook, scroll
from gristmill.display.trees import svg_tree

if TYPE_CHECKING:
    from gristmill.data.forest import Forest

_DRAWN, _NODES = 3, 100  # trees, and nodes of each


def forest_picture(forest: Forest) -> str:
    """The first trees drawn, and how many there are."""
    few = forest[:_DRAWN]
    outlines = zip(first_nodes(few.flat(), _NODES), few.sizes()[0].tolist(), strict=True)
    drawn = [
        scroll(f"Tree {number}", svg_tree(labels, parents, nodes=nodes))
        for number, ((labels, parents), nodes) in enumerate(outlines)
    ]
    first = f"; the first {_DRAWN}" if len(forest) > _DRAWN else ""
    return notebook(note(f"{len(forest):,} trees, {forest.n_subtrees:,} different subtrees{first}"), drawn)
