"""The fewest subtrees to cut off a tree for another label: all sets of one, then all of two, and so on, each scored.

Nothing bounds what a cut can do to a kernel of trees, so there is no shorter way; but trees are small, and scoring is
fast. What is proven is that no fewer cuts do it: all of them were tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gristmill.base.checks import check_positive_int
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.data.relations import tree_views
from gristmill.data.relations.tree_view import TreeView
from gristmill.display.words import listed_labels, spelled_label
from gristmill.explanations.counterfactuals import Change, Counterfactual, Counterfactuals
from gristmill.explanations.models import model_of
from gristmill.machines.machine import Machine
from gristmill.machines.probability import has_class_probabilities, probabilities
from gristmill.scoring.deciding import class_numbers
from gristmill.scoring.engines import definition_of
from gristmill.scoring.scorer import Scorer

Cuts = tuple[int, ...]  # nodes, none of which is below another

_AT_ONCE = 1024  # trees
_LONGEST = 60  # characters of a subtree


def tree_cuts(
    model: Any,
    tree: Any,
    target: Any = None,
    k: int = 1,
    *,
    max_changes: int | None = None,
    max_nodes: int | None = 20_000,
    progress: Progress | None = None,
) -> Counterfactuals:
    """The fewest subtrees to cut off for another label, or that of `target`.

    Parameters
    ----------
    model : Machine on trees, or what has one
    tree : str, or a list or Forest of one tree
    target : label or None
        None: any other.
    k : int
        How many answers. None cuts off all that another one does.
    max_changes : int or None
        Subtrees that are cut off, at most.
    max_nodes : int or None
        Trees that are scored, at most.
    progress : callable or None
        Called with (trees, max_nodes).

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.tree_cuts import tree_cuts
    >>> support = gm.Forest.from_strings(["(S (NP dogs) (VP bark))", "(S (NP dogs) (VP (V sleep)))"])
    >>> machine = gm.Machine(gm.SubsetTreeKernel(1.0), support, [1.0, -0.5], -1.0, classes=["quiet", "loud"])
    >>> tree_cuts(machine, "(S (NP cats) (VP bark))")
    loud; another class: the cheapest answer (proven)
    quiet with 1 change
      (NP cats)  there  ->  cut off
    """
    check_positive_int("k", k)
    for name, value in (("max_changes", max_changes), ("max_nodes", max_nodes)):
        if value is not None:
            check_positive_int(name, value)
    found = model_of(model)
    forest = found.examples([tree] if isinstance(tree, str) else tree)
    if not isinstance(forest, Forest):
        raise ValueError("subtrees are cut off for machines that compare single trees, not examples of several fields")
    if len(forest) != 1:
        raise ValueError(f"expected a single tree, got {len(forest)}: ask for one after the other")
    search = _Search(found.machine, found.compiled(forest), forest, target, k)
    return search.run(max_changes, max_nodes, progress)


class _Search:
    def __init__(self, machine: Machine, scorer: Scorer, forest: Forest, target: Any, k: int) -> None:
        if machine.classes is None or not machine.scheme.has_labels:
            raise ValueError("subtrees are cut off for another label, which this machine does not have")
        self._machine, self._scorer, self._k = machine, scorer, k
        self._forest = forest
        (self._view,) = tree_views(forest)
        self._own = int(class_numbers(scorer, forest)[0])
        self._target = None if target is None else _number(machine, target)
        self._answers: list[Cuts] = []
        self._scored = 0

    def run(self, max_changes: int | None, max_nodes: int | None, progress: Progress | None) -> Counterfactuals:
        most = len(self._view) if max_changes is None else min(max_changes, len(self._view))
        complete, size = self._target == self._own, 0
        if complete:
            self._answers = [()]
        while not complete and size < most:
            size += 1
            if not self._search_size(size, max_nodes, progress):
                size -= 1
                break
            complete = len(self._answers) >= self._k
        else:
            complete = True
        answers = tuple(self._answer(cuts, complete or len(cuts) <= size) for cuts in self._answers[: self._k])
        bound = float(len(self._answers[0])) if answers and answers[0].is_proven else float(size)
        bound = float("inf") if complete and not answers else bound
        scores = definition_of(self._machine).scores(self._forest, 1, None)[0]
        return Counterfactuals(answers, self._label(self._own), scores, self._request(), complete, bound, self._scored)

    def _search_size(self, size: int, max_nodes: int | None, progress: Progress | None) -> bool:
        """Whether all sets of so many cuts were tried, or enough answers found."""
        sets = self._sets(size)
        while len(self._answers) < self._k and (some := list(islice(sets, _AT_ONCE))):
            left = len(some) if max_nodes is None else max_nodes - self._scored
            if left > 0:
                self._try(some[:left])
            if len(some) > left:
                return len(self._answers) >= self._k
            if progress is not None:
                progress(self._scored, max_nodes or self._scored + 1)
        return True

    def _try(self, sets: list[Cuts]) -> None:
        labels = class_numbers(self._scorer, self._trees(sets))
        is_other = labels != self._own if self._target is None else labels == self._target
        self._answers += [cuts for cuts, good in zip(sets, is_other.tolist(), strict=True) if good]
        self._scored += len(sets)

    def _sets(self, size: int) -> Iterator[Cuts]:
        """Sets of nodes in post-order, of which none is below another, and which hold no answer."""
        view, known = self._view, [set(cuts) for cuts in self._answers]

        def extend(chosen: Cuts, first: int) -> Iterator[Cuts]:
            if len(chosen) == size:
                if not any(cuts <= set(chosen) for cuts in known):
                    yield chosen
                return
            for node in range(first, len(view) - 1):  # the root stays
                if not chosen or view.begins[node] > chosen[-1]:
                    yield from extend((*chosen, node), node + 1)

        return extend((), 0)

    def _trees(self, sets: list[Cuts]) -> Forest:
        kept = [_kept(self._view, cuts) for cuts in sets]
        labels = [[self._spelled(node) for node in nodes] for nodes in kept]
        parents = [_parents(self._view, nodes) for nodes in kept]
        return Forest.from_parents(labels, parents, marks=self._forest.has_marks)

    def _spelled(self, node: int) -> str:
        mark = self._view.marks[node]
        return f"{self._view.labels[node]}*{mark}" if mark else self._view.labels[node]

    def _answer(self, cuts: Cuts, is_proven: bool) -> Counterfactual:
        cut = self._trees([cuts]) if cuts else self._forest
        scores = definition_of(self._machine).scores(cut, 1, None)
        number = int(self._machine.decision.classes(scores)[0])
        changes = tuple(Change(self._text(node), "there", "cut off") for node in cuts)
        share = None
        if has_class_probabilities(self._machine):
            share = float(probabilities(self._machine, scores)[0, number])
        return Counterfactual(changes, float(len(cuts)), self._label(number), scores[0], share, cut, is_proven)

    def _text(self, node: int) -> str:
        """The subtree of a node."""
        nodes = range(self._view.begins[node], node + 1)
        if len(nodes) == 1:
            return self._spelled(node)
        own = Forest.from_parents([[self._spelled(one) for one in nodes]], [_parents(self._view, list(nodes))])
        text = next(iter(own))
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

    def _label(self, number: int) -> Any:
        assert self._machine.classes is not None
        return self._machine.classes.tolist()[number]

    def _request(self) -> str:
        return "another class" if self._target is None else f"to be {spelled_label(self._label(self._target))}"


def _kept(view: TreeView, cuts: Cuts) -> list[int]:
    """The nodes that no cut takes away."""
    gone = np.zeros(len(view), dtype=np.bool_)
    for node in cuts:
        gone[view.begins[node] : node + 1] = True
    return np.flatnonzero(~gone).tolist()


def _parents(view: TreeView, nodes: list[int]) -> list[int]:
    """Of the nodes, ascending, in their own numbers; the last is the root."""
    place = {node: at for at, node in enumerate(nodes)}
    return [place[view.parents[node]] for node in nodes[:-1]] + [-1]


def _number(machine: Machine, target: Any) -> int:
    assert machine.classes is not None
    labels = [spelled_label(label) for label in machine.classes.tolist()]
    if spelled_label(target) not in labels:
        raise ValueError(f"target must be one of the classes {listed_labels(machine.classes)}, got {target!r}")
    return labels.index(spelled_label(target))
