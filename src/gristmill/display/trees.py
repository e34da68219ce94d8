"""Constituency trees as SVG pictures, without scripts or fonts, for light and dark paper.

Lines and text have the colour of the text around the picture. The share of a node is a number in its box and the tint
of the box: blue for, orange against. Leaves stand in one line at the bottom, other nodes above the middle of their
children. Every subtree has a strip of its own, so boxes never touch and edges cross nothing. There is no recursion:
trees may be deep. Cost: the number of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from gristmill.display.markup import Html, element, picture, shortened, text_width
from gristmill.display.numbers import signed
from gristmill.display.stylesheet import strength, tone

DEEPEST = 40  # levels that are drawn
MOST = 400  # nodes that are drawn
_GAP = 10.0  # between strips
_LABEL, _NUMBER, _NOTE = 13, 10, 11  # sizes of type
_EDGE = 8  # around the picture
_PAD = 6  # between a box and its label, left and right
_STEP = 24  # from one level of boxes to the next
_LONGEST = 24  # characters of a label
_TITLE = 120  # characters of a title
_DESCRIBED = 12  # nodes of the description
_MORE = "…"


def svg_tree(
    labels: Sequence[str],
    parents: Sequence[int],
    shares: Sequence[float] | None = None,
    *,
    nodes: int | None = None,
) -> Html:
    """Draw a tree: leaves at the bottom, each node in a box with the colour of its share.

    Trees of more than 400 nodes, or 40 levels, are cut and say so.

    Parameters
    ----------
    labels : sequence of str
        Of the nodes, in pre-order.
    parents : sequence of int
        Positions of their parents, -1 for the root.
    shares : sequence of float or None
        What each node adds.
    nodes : int or None
        How many nodes the whole tree has, where `labels` are the first of them alone.

    Examples
    --------
    >>> from gristmill.display.trees import svg_tree
    >>> drawn = svg_tree(["NP", "the", "dog"], [-1, 0, 0], [0.42, 0.0, -0.1])
    >>> drawn[drawn.index("<title>") : drawn.index("<desc>")]
    '<title>the dog</title>'
    """
    parents, total = check_parents(parents), max(nodes or 0, len(labels))
    if len(labels) != len(parents) or (shares is not None and len(shares) != len(labels)):
        raise ValueError(f"expected as many labels, parents and shares, got {len(labels)}, {len(parents)} and {shares}")
    if not labels:
        return _svg(2 * _EDGE, 2 * _EDGE, [element("title", "an empty tree")])
    picture = _Picture(list(map(str, labels)), parents, None if shares is None else list(map(float, shares)))
    picture.undrawn = total - len(picture.drawn)
    return picture.svg(_leaves(picture.labels, parents), _description(picture.labels, picture.shares))


class _Picture:
    """A tree, the nodes that are drawn, and their positions."""

    undrawn = 0  # nodes

    def __init__(self, labels: list[str], parents: list[int], shares: list[float] | None) -> None:
        self.labels, self.shares = labels, shares
        finite = (abs(share) for share in shares or () if math.isfinite(share))
        self.most = max(finite, default=0.0) or 1.0
        self.drawn, cut = kept(parents)
        at = {node: place for place, node in enumerate(self.drawn)}
        above = [-1 if node == 0 else at[parents[node]] for node in self.drawn] + [at[node] for node in cut]
        shown = [*self.drawn, *(-1 for _ in cut)]
        self.placed = place(above, [self._width(node) for node in shown], shown)
        self.box = _LABEL + 10 + (_NUMBER + 3 if shares is not None else 0)  # its height
        self.top = max(one.level for one in self.placed)

    def svg(self, title: str, desc: str) -> Html:
        note = self._note()
        width = 2 * _EDGE + max(*(one.across + one.width / 2 for one in self.placed), text_width(note, _NOTE))
        height = 2 * _EDGE + self.box + self.top * (self.box + _STEP)
        parts = [element("title", title), element("desc", f"{desc} {note}".strip())]
        parts += [self._edges(), *map(self._node, self.placed)]
        if note:
            height += _NOTE + 10
            parts.append(element("text", note, x=_EDGE, y=height - _EDGE, font_size=_NOTE, text_anchor="start"))
        return _svg(width, height, parts)

    def _width(self, node: int) -> float:
        label = text_width(self._label(node), _LABEL)
        return max(label, text_width(self._share(node), _NUMBER), _LABEL) + 2 * _PAD

    def _label(self, node: int) -> str:
        return _MORE if node < 0 else shortened(self.labels[node], _LONGEST)

    def _share(self, node: int) -> str:
        return "" if self.shares is None or node < 0 else signed(self.shares[node], 2)

    def _down(self, level: int) -> float:
        """The upper edge of a level."""
        return _EDGE + (self.top - level) * (self.box + _STEP)

    def _edges(self) -> Html:
        """Slanting to the level below, then straight down: such lines cross no box."""
        lines = []
        for one in self.placed:
            if one.parent >= 0:
                above = self.placed[one.parent]
                begin, bend = self._down(above.level) + self.box, self._down(above.level - 1)
                end = self._down(one.level)
                down = f"V{end:g}" if end > bend else ""
                lines.append(f"M{_EDGE + above.across:.1f},{begin:g}L{_EDGE + one.across:.1f},{bend:g}{down}")
        return element("path", d="".join(lines), fill="none", stroke="currentColor", stroke_opacity=0.4)

    def _node(self, one: Placed) -> Html:
        down, middle = self._down(one.level), f"{_EDGE + one.across:.1f}"
        share = self._share(one.node)
        if one.node < 0:
            return element("text", _MORE, x=middle, y=f"{down + _LABEL:g}", font_size=_LABEL)
        texts = [element("text", self._label(one.node), x=middle, y=f"{down + _LABEL + 3:g}", font_size=_LABEL)]
        if share:
            texts.append(element("text", share, x=middle, y=f"{down + _LABEL + _NUMBER + 6:g}", font_size=_NUMBER))
        title = element("title", f"{self.labels[one.node]}: {share}" if share else self.labels[one.node])
        return element("g", title, self._box(one, down), texts, data_node=one.node)

    def _box(self, one: Placed, down: float) -> Html | None:
        """Leaves without a share have no box."""
        if self.shares is None and one.level == 0:
            return None
        share = 0.0 if self.shares is None else self.shares[one.node] / self.most
        return element(
            "rect",
            x=f"{_EDGE + one.across - one.width / 2:.1f}",
            y=f"{down:g}",
            width=f"{one.width:.1f}",
            height=self.box,
            rx=5,
            fill=tone(share),
            fill_opacity=f"{strength(share):.3f}",
            stroke="currentColor",
            stroke_opacity=0.25 if one.level else 0.0,
        )

    def _note(self) -> str:
        if not self.undrawn:
            return ""
        return f"{self.undrawn:,} more node{'s are' if self.undrawn > 1 else ' is'} not drawn ({_MORE})."


def _svg(width: float, height: float, parts: Sequence[Html]) -> Html:
    return picture("gm-tree", width, height, *parts, text_anchor="middle")


def _leaves(labels: Sequence[str], parents: Sequence[int]) -> str:
    """The first words of the tree, as a title."""
    inner = set(parents)
    words = (label for node, label in enumerate(labels) if node not in inner)
    return shortened(" ".join(islice(words, _TITLE)), _TITLE)


def _description(labels: Sequence[str], shares: Sequence[float] | None) -> str:
    """The nodes that add most."""
    if shares is None:
        return f"A tree of {len(labels):,} nodes."
    order = sorted((node for node, share in enumerate(shares) if share), key=lambda node: -abs(shares[node]))
    text = ", ".join(f"{shortened(labels[node], _LONGEST)} {signed(shares[node], 2)}" for node in order[:_DESCRIBED])
    return f"A tree of {len(labels):,} nodes; those that add most: {text}." if text else "No node adds anything."


# --- layout -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """A node on the picture: `node` is its number in the tree, -1 for the mark of what was cut off."""

    node: int
    parent: int  # among those placed; -1 for the root
    across: float  # its middle
    width: float
    level: int  # 0 for the leaves


def check_parents(parents: Sequence[int]) -> list[int]:
    """ValueError unless they are a tree with parents before their children."""
    found = [int(parent) for parent in parents]
    for node, parent in enumerate(found):
        if not (parent == -1 if node == 0 else 0 <= parent < node):
            expected = "-1, for the root" if node == 0 else f"one of the nodes before it, 0 to {node - 1}"
            raise ValueError(f"the parent of node {node} must be {expected}; got {parent}")
    return found


def kept(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Nodes that are drawn, and those of them that lose children: the first `MOST`, `DEEPEST` levels of them."""
    depths, shown = [0] * len(parents), [False] * len(parents)
    found, cut = list[int](), dict[int, None]()
    for node, parent in enumerate(parents):
        depths[node] = depths[parent] + 1 if node else 0
        if node == 0 or (shown[parent] and depths[node] < DEEPEST and len(found) < MOST):
            shown[node] = True
            found.append(node)
        elif shown[parent]:
            cut[parent] = None
    return found, list(cut)


def place(parents: Sequence[int], widths: Sequence[float], nodes: Sequence[int]) -> list[Placed]:
    """Nodes by their parents among themselves; `nodes` are their numbers in the tree."""
    children = _children(parents)
    levels, strips = [0] * len(parents), [0.0] * len(parents)
    for at in reversed(range(len(parents))):
        levels[at] = 1 + max((levels[child] for child in children[at]), default=-1)
        strips[at] = max(widths[at], _together(children[at], strips))
    across = _across(children, widths, strips)
    lists = zip(nodes, parents, across, widths, levels, strict=True)
    return [Placed(*one) for one in lists]


def _children(parents: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for at, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(at)
    return children


def _together(children: Sequence[int], strips: Sequence[float]) -> float:
    return sum(strips[child] for child in children) + _GAP * max(len(children) - 1, 0)


def _across(children: Sequence[Sequence[int]], widths: Sequence[float], strips: Sequence[float]) -> list[float]:
    """The middle of each node: between its first and last child, but within its own strip."""
    begins = [0.0] * len(children)
    for at, own in enumerate(children):
        begin = begins[at] + (strips[at] - _together(own, strips)) / 2
        for child in own:
            begins[child] = begin
            begin += strips[child] + _GAP
    across = [begin + strip / 2 for begin, strip in zip(begins, strips, strict=True)]
    for at in reversed(range(len(children))):
        if children[at]:
            middle = (across[children[at][0]] + across[children[at][-1]]) / 2
            room = (strips[at] - widths[at]) / 2
            across[at] = begins[at] + strips[at] / 2 + min(max(middle - begins[at] - strips[at] / 2, -room), room)
    return across
