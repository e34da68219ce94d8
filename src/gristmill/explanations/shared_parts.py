"""What a support example has in common with an example: its features, or the nodes of its tree, each shared or not.

A node is shared if it is in a fragment that both trees have, as the kernel counts fragments: its share of the kernel of
the two is not 0 (see `tree_nodes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.display.markup import Child, Html, element, joined, shortened
from gristmill.explanations.models import feature_name
from gristmill.explanations.tree_nodes import TreeExplainer
from gristmill.kernels import Kernel, TreeKernel
from gristmill.kernels.components import components
from gristmill.machines.machine import Machine

_NAMES = 12  # of features that a line shows, of either kind
_OTHER = "·"  # stands for a label that is not shared


class Piece(NamedTuple):
    """A feature, or a part of a bracketed tree."""

    text: str
    shared: bool


@dataclass(frozen=True)
class Part:
    """One field of a support example.

    Parameters
    ----------
    field : str or None
        The name of the field, where there are several.
    is_tree : bool
    pieces : tuple of Piece
        The features, shared ones first; or labels and brackets of a tree, in order.
    """

    field: str | None
    is_tree: bool
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """For people: features by name; a tree with dots for labels that are not shared."""
        if self.is_tree:
            return "".join(piece.text if piece.shared or piece.text in _BRACKETS else _OTHER for piece in self.pieces)
        shared, others = self._names(True), self._names(False)
        return shared + (f"; not shared: {others}" if others else "") if shared else f"not shared: {others}"

    def _names(self, shared: bool) -> str:
        names = [piece.text for piece in self.pieces if piece.shared == shared]
        more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        return ", ".join(names[:_NAMES]) + more

    @property
    def picture(self) -> Html:
        """The same with marks for what is shared; long names are cut."""
        between: Child = "" if self.is_tree else ", "
        found: list[Child] = []
        for piece in self.pieces:
            text = shortened(piece.text, _LONGEST)
            found += [element("mark", text) if piece.shared else text, between]
        return joined(*found[:-1])

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        own: dict[str, Any] = {} if self.field is None else {"field": self.field}
        if self.is_tree:
            tree = "".join(piece.text for piece in self.pieces)
            return own | {"tree": tree, "shared": [piece.text for piece in self.pieces if piece.shared]}
        names = {True: list[str](), False: list[str]()}
        for piece in self.pieces:
            names[piece.shared].append(piece.text)
        return own | {"shared": names[True], "not_shared": names[False]}


_BRACKETS = frozenset("() ")
_LONGEST = 80  # characters of a name in a picture


def parts_of(machine: Machine, example: Any, number: int) -> tuple[Part, ...]:
    """A support example, by its number, beside an example that is compared with it."""
    support = machine.support.take(np.array([number]))
    if isinstance(support, Rows):
        return (_features(None, support, example, machine),)
    if isinstance(support, Forest):
        return (_tree(None, support, example, machine.kernel),)
    return tuple(_fields(machine.kernel, support, example))


def _fields(kernel: Kernel, support: Examples, example: Examples) -> Iterator[Part]:
    """Of the fields that the kernel compares."""
    nothing = np.zeros((len(support), 1))
    found = {one.field: one.kernel for one in components(kernel, support, nothing)}
    for name, own in found.items():
        assert name is not None
        field, other = support[name], example[name]
        if isinstance(field, Rows):
            names = Machine(own, field, [0.0], 0.0)
            yield _features(name, field, replace(other, feature_names=None), names)
        else:
            yield _tree(name, field, other, own)


def _features(field: str | None, support: Rows, example: Rows, machine: Machine) -> Part:
    both = np.isin(support.ids, example.ids)
    values = np.ones(len(support.ids)) if support.is_binary else support.values
    pieces = [
        Piece(_named(machine, int(feature), float(value)), bool(shared))
        for feature, value, shared in zip(support.ids, values, both, strict=True)
    ]
    return Part(field, False, tuple(sorted(pieces, key=lambda piece: not piece.shared)))


def _named(machine: Machine, feature: int, value: float) -> str:
    name = feature_name(machine, feature)
    return name if value == 1 else f"{name} = {value:.4g}"


def _tree(field: str | None, support: Forest, example: Forest, kernel: Kernel) -> Part:
    plain = [one.kernel for one in components(kernel, support, np.ones((1, 1)))]
    trees = [one for one in plain if isinstance(one, TreeKernel)]
    shared: Any = None
    for one in trees:
        (found,) = TreeExplainer(Machine(one, example, [1.0], 0.0)).explain(support)
        labels, parents = found.labels, found.parents
        own = found.shares() != 0
        shared = own if shared is None else shared | own
    if shared is None:
        return Part(field, True, (Piece(str(next(iter(support))), False),))
    return Part(field, True, tuple(_bracketed(labels, parents.tolist(), shared.tolist())))


def _bracketed(labels: tuple[str, ...], parents: list[int], shared: list[bool]) -> Iterator[Piece]:
    """Nodes in pre-order as the pieces of a bracketed tree."""
    is_leaf = [True] * len(labels)
    for parent in parents[1:]:
        is_leaf[parent] = False
    opened: list[int] = []
    for node, parent in enumerate(parents):
        while opened and opened[-1] != parent:
            opened.pop()
            yield Piece(")", False)
        if node:
            yield Piece(" ", False)
        if not is_leaf[node] or node == 0:
            yield Piece("(", False)
            opened.append(node)
        yield Piece(labels[node], shared[node])
    yield from (Piece(")", False) for _ in opened)
