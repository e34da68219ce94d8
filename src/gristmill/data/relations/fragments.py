"""Trees around marked nodes: what is kept of a tree, and what is cut off.

Between the marked nodes stand the lowest common nodes of neighbours; from each of these nodes a branch leads up to the
next. A branch is the same in many trees, so it is made once, upwards, as far as needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, get_args

from gristmill.data.relations.subtree_pool import SubtreePool
from gristmill.data.relations.tree_view import TreeView

Form = Literal["whole", "subtree", "minimal", "path"]
FORMS: tuple[str, ...] = get_args(Form)

# What a branch loses on its way up: siblings on the left, siblings on the right, all siblings.
_CUT_LEFT, _CUT_RIGHT, _ALONE = 1, 2, 4
_CUTS = {"whole": 0, "subtree": 0, "minimal": _CUT_LEFT | _CUT_RIGHT, "path": _ALONE}

Branch = tuple[int, int]  # its place below the next node, and its number in the pool


class Fragments:
    """Makes the trees around marked nodes of one tree.

    Parameters
    ----------
    pool : SubtreePool
    view : TreeView
        Of one tree of the pool.
    form : str
        One of FORMS.
    below : bool
        Whether all that is below a marked node is kept.
    """

    def __init__(self, pool: SubtreePool, view: TreeView, form: Form, below: bool) -> None:
        self.pool, self.view, self.form, self.below = pool, view, form, below
        self._branches: dict[tuple[int, int, int], list[Branch]] = {}

    def tree(self, marks: Mapping[int, int]) -> int:
        """The number, in the pool, of the tree around marked nodes."""
        if len(marks) == 2 and self.form != "whole":
            left, right = sorted(marks)
            top = self.view.common(left, right)
            if top != right:
                return self._pair(top, left, right, marks)
        return self._any_number(marks)

    def _pair(self, top: int, left: int, right: int, marks: Mapping[int, int]) -> int:
        """Two nodes, none above the other, as in most relations; half the time of the general case."""
        cut, depth = _CUTS[self.form], self.view.depths[top] + 1
        ends = (left, cut & ~_CUT_RIGHT), (right, cut & ~_CUT_LEFT)
        return self._joined(top, [self._branch(node, marks, depth, lost, {}) for node, lost in ends], cut)

    def _any_number(self, marks: Mapping[int, int]) -> int:
        joints = self._joints(marks)
        below, cuts = self._cuts(joints, marks)
        made: dict[int, int] = {}  # joints that have others below
        for joint in joints:
            if below[joint] or joint not in marks:
                depth = self.view.depths[joint] + 1
                branches = [self._branch(node, marks, depth, cuts[node], made) for node in below[joint]]
                inner = 0 if self.below and joint in marks else cuts[joint]
                made[joint] = self._joined(joint, branches, inner, marks.get(joint))
        top = joints[-1]
        return made[top] if top in made else self._bottom(top, marks[top])

    def _joints(self, marks: Mapping[int, int]) -> list[int]:
        """The marked nodes, the lowest common ones of neighbours and, for the whole tree, the root: upwards."""
        nodes = sorted(marks)
        joints = set(nodes)
        for left, right in pairwise(nodes):
            joints.add(self.view.common(left, right))
        if self.form == "whole":
            joints.add(len(self.view) - 1)
        return sorted(joints)

    def _cuts(self, joints: list[int], marks: Mapping[int, int]) -> tuple[dict[int, list[int]], dict[int, int]]:
        """The joints next below each, and what the branches that end in joints lose."""
        below: dict[int, list[int]] = {}
        open_joints: list[int] = []
        for joint in joints:
            at = len(open_joints)
            while at and open_joints[at - 1] >= self.view.begins[joint]:
                at -= 1
            below[joint] = open_joints[at:]
            open_joints[at:] = [joint]
        cuts = {joints[-1]: _CUTS[self.form]}
        for joint in reversed(joints):
            inner = 0 if self.below and joint in marks else cuts[joint]
            nodes = below[joint]
            for node in nodes:
                cuts[node] = inner & _ALONE
            if nodes:
                cuts[nodes[0]] |= inner & _CUT_LEFT
                cuts[nodes[-1]] |= inner & _CUT_RIGHT
        return below, cuts

    def _branch(self, node: int, marks: Mapping[int, int], depth: int, cut: int, made: Mapping[int, int]) -> Branch:
        """From a joint up to a depth."""
        if node in made:
            branch = [(self.view.places[node], made[node])]
        else:
            key = node, marks[node], cut
            branch = self._branches.setdefault(key, [])
            if not branch:
                branch.append((self.view.places[node], self._bottom(node, marks[node])))
        height = self.view.depths[node] - depth
        if len(branch) <= height:
            self._lengthen(branch, node, height, cut)
        return branch[height]

    def _lengthen(self, branch: list[Branch], node: int, height: int, cut: int) -> None:
        parents, places = self.view.parents, self.view.places
        for _ in range(len(branch) - 1):
            node = parents[node]
        while len(branch) <= height:
            node = parents[node]
            branch.append((places[node], self._joined(node, branch[-1:], cut)))

    def _bottom(self, node: int, mark: int) -> int:
        symbol, *children = self.pool.keys[self.view.numbers[node]]
        return self.pool.node(self.pool.marked(symbol, mark), *(children if self.below else ()))

    def _joined(self, node: int, branches: list[Branch], cut: int, mark: int | None = None) -> int:
        """A node whose branches have taken the places of children."""
        symbol, *children = self.pool.keys[self.view.numbers[node]]
        if mark is not None:
            symbol = self.pool.marked(symbol, mark)
        if cut & _ALONE:
            return self.pool.node(symbol, *(number for _, number in branches))
        for place, number in branches:
            children[place] = number
        begin = branches[0][0] if cut & _CUT_LEFT else 0
        end = branches[-1][0] + 1 if cut & _CUT_RIGHT else len(children)
        return self.pool.node(symbol, *children[begin:end])
