"""TreeExplanation: what the nodes of one tree add to the scores of a machine, as numbers and drawn."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np

from gristmill.base.arrays import Floats, Int64s
from gristmill.display.bars import bar, cells, first_few, printable
from gristmill.display.page import notebook
from gristmill.explanations.explanation import Contribution
from gristmill.explanations.models import Outputs, largest
from gristmill.explanations.pictures import FEW, first_pictures, tree_picture
from gristmill.explanations.vector_features import VectorFeatures

Shares = Literal["shared", "rooted"]

_DEEPEST = 40  # levels that are indented: the text would grow with the square of the depth


class NodeShare(NamedTuple):
    """A node, by its place in pre-order, and what it adds to one output."""

    node: int
    label: str
    text: str  # its subtree, shortened
    share: float


@dataclass(frozen=True, eq=False)
class TreeExplanation:
    """Why a machine gave a tree its scores: what each node adds to them.

    Attributes
    ----------
    tree : str
        Bracketed.
    labels : tuple of str
        Of the nodes, in pre-order; with their marks.
    parents : array of int
        Places of their parents, -1 for the root.
    rooted : array, nodes x outputs
        What is counted with its top at the node.
    shared : array, nodes x outputs, or None
        The node's equal part of every fragment that contains it: its Shapley value. None for `shares='rooted'`.
    base : array
        The intercept; where there are vectors next to the tree, with their score without any feature.
    score : array
        base plus all of `rooted` (or all of `shared`) and all values of `vector_features`.
    outputs : Outputs
        The names of the outputs; of one-vs-one machines also of the classes.
    predicted : int
        The output or class that is explained by default: that of the predicted class.
    vector_features : tuple of VectorFeatures
        What the features of each vector next to the tree add, such as its words.
    """

    tree: str
    labels: tuple[str, ...]
    parents: Int64s
    rooted: Floats
    shared: Floats | None
    base: Floats
    score: Floats
    outputs: Outputs
    predicted: int = 0
    vector_features: tuple[VectorFeatures, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def output_names(self) -> tuple[str, ...]:
        return self.outputs.names

    def total(self) -> Floats:
        """The base plus all shares and values, which is the score up to rounding."""
        shares = self.rooted if self.shared is None else self.shared
        return np.asarray(
            self.base + shares.sum(axis=0) + sum(field.values.sum(axis=0) for field in self.vector_features)
        )

    def shares(self, output: int | str | None = None, kind: Shares | None = None) -> Floats:
        """What each node adds to an output, by its number or name; None: `predicted`. `kind` is 'shared' if there."""
        kind = kind or ("rooted" if self.shared is None else "shared")
        if kind not in ("shared", "rooted"):
            raise ValueError(f"shares are 'shared' or 'rooted', got {kind!r}")
        shares = self.rooted if kind == "rooted" else self.shared
        if shares is None:
            raise ValueError("this explanation has no 'shared': explain the tree with shares='shared'")
        return self._column(shares, output)

    def top(self, k: int | None = None, output: int | str | None = None, kind: Shares | None = None) -> list[NodeShare]:
        """The nodes that add most, up or down, with their subtrees; those of 0 are left out."""
        shares = self.shares(output, kind)
        order = largest(shares, k)
        return [NodeShare(n, self.labels[n], self.text(n), float(shares[n])) for n in order if shares[n]]

    def top_vector_features(self, k: int | None = None, output: int | str | None = None) -> list[Contribution]:
        """The vector features that add most, up or down; those of 0 are left out."""
        found = [one for field in self.vector_features for one in field.top(self._column(field.values, output))]
        return [found[at] for at in largest(np.array([one.value for one in found]), k)]

    def only(self, output: int | str) -> TreeExplanation:
        """The same for one output."""
        number = self.output(output)

        def one(table: Floats) -> Floats:
            return self.outputs.column(table, number)[..., None]

        return replace(
            self,
            rooted=one(self.rooted),
            shared=None if self.shared is None else one(self.shared),
            base=one(self.base),
            score=one(self.score),
            outputs=Outputs((self.outputs.name(number),)),
            predicted=0,
            vector_features=tuple(replace(field, values=one(field.values)) for field in self.vector_features),
        )

    def text(self, node: int, width: int = 60) -> str:
        """The subtree of a node, bracketed; an ellipsis replaces what exceeds the width."""
        depths, found = self._depths, ""
        for at in range(node, len(self)):
            found += f" {self._opened(at)}" if at > node else self._opened(at)
            after = depths[at + 1] if at + 1 < len(self) else 0
            if not self._has_children[at]:
                found += ")" * (depths[at] - max(after, depths[node]))
            if len(found) > width:
                return f"{found[: max(width - 1, 0)]}…"
            if after <= depths[node]:
                break
        return found

    def draw(self, output: int | str | None = None, kind: Shares | None = None) -> str:
        """The tree on a terminal, a line for each node: what it adds, with a bar of '#' (up) or '-' (down)."""
        number, shares = self.output(output), self.shares(output, kind)
        features = [
            (printable(field.field), field.top(self._column(field.values, number))) for field in self.vector_features
        ]
        values = [one.value for _, found in features for one in found]
        most = float(np.abs([*shares, *values]).max()) or 1.0
        trunks = [trunk + printable(label) for trunk, label in zip(self._trunks(), self.labels, strict=True)]
        names = [[f"   {printable(one.name)}" for one in found] for _, found in features]
        widest = max(map(cells, [*trunks, *chain(*names)]))
        score = float(self._column(self.score, number))
        base = float(self._column(self.base, number)) + 0.0  # a zero has no sign
        name = printable(self.outputs.name(number))
        lines = [f"{name}: {score:.4g} = {base:.4g} {'-+'[score >= base]} {abs(score - base):.4g}"]
        lines += [_drawn(trunk, widest, share, most) for trunk, share in zip(trunks, shares.tolist(), strict=True)]
        for (field, found), own in zip(features, names, strict=True):
            lines += [field, *(_drawn(name, widest, one.value, most) for name, one in zip(own, found, strict=True))]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        nodes = [
            {"label": label, "parent": parent, "rooted": rooted}
            for label, parent, rooted in zip(self.labels, self.parents.tolist(), self.rooted.tolist(), strict=True)
        ]
        if self.shared is not None:
            for node, shared in zip(nodes, self.shared.tolist(), strict=True):
                node["shared"] = shared
        found: dict[str, Any] = {
            "tree": self.tree,
            "outputs": list(self.output_names),
            "baseline": self.base.tolist(),
            "score": self.score.tolist(),
            "nodes": nodes,
        }
        if self.vector_features:
            found["vector_features"] = {field.field: field.as_list() for field in self.vector_features}
        return found

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def __str__(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        return notebook(tree_picture(self))

    def output(self, output: int | str | None) -> int:
        """The number of an output or class, given by number or name; None: `predicted`."""
        return self.predicted if output is None else self.outputs.number(output)

    def _column(self, table: Floats, output: int | str | None) -> Floats:
        return self.outputs.column(table, self.output(output))

    def _opened(self, node: int) -> str:
        return f"({self.labels[node]}" if self._has_children[node] else self.labels[node]

    @cached_property
    def _has_children(self) -> list[bool]:
        found = np.zeros(len(self), dtype=bool)
        found[self.parents[1:]] = True
        return found.tolist()

    @cached_property
    def _depths(self) -> list[int]:
        depths = [0] * len(self)
        for node, parent in enumerate(self.parents.tolist()[1:], 1):
            depths[node] = depths[parent] + 1
        return depths

    def _trunks(self) -> list[str]:
        """The lines drawn before the labels: a branch to each node, and lines for ancestors with more children."""
        last = [True] * len(self)
        seen: set[int] = set()
        for node in range(len(self) - 1, 0, -1):
            parent = int(self.parents[node])
            last[node] = parent not in seen
            seen.add(parent)
        trunks, below = [""] * len(self), [""] * len(self)
        for node in range(1, len(self)):
            above = below[int(self.parents[node])]
            trunks[node] = above + ("└─ " if last[node] else "├─ ")
            deep = self._depths[node] > _DEEPEST
            below[node] = above if deep else above + ("   " if last[node] else "│  ")
        return trunks


def _drawn(name: str, widest: int, share: float, most: float) -> str:
    space = " " * (widest - cells(name) + 2)
    return f"{name}{space}{share:+9.4f}  {bar(abs(share) / most, float(share > 0))}".rstrip()


class TreeExplanations(list[TreeExplanation]):
    """Explanations of some trees, tree by tree."""

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {"trees": [tree.as_dict() for tree in self]}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def __str__(self) -> str:
        """The first trees, drawn."""
        return first_few(self, "tree")

    def _repr_html_(self) -> str:
        return notebook(first_pictures([tree_picture(tree) for tree in self[:FEW]], "tree", len(self)))
