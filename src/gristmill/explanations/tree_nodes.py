"""What every node of a tree adds to the scores of a machine on trees, exactly.

f(T) - b is divided among the nodes in two ways. `rooted` gives each common fragment to its top node. `shared` divides
it equally among all its nodes; these are the Shapley values of the game in which a fragment counts if all its nodes are
present. The norm of the tree (normalised kernels) and the gaps between children are held fixed. The features of vectors
next to the trees are explained separately.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.relations import tree_views
from gristmill.data.relations.tree_view import TreeView
from gristmill.explanations.models import Outputs, model_of
from gristmill.explanations.tree_explanation import NodeShare, Shares, TreeExplanation, TreeExplanations
from gristmill.explanations.vector_features import VectorExplainer, VectorFeatures, vector_features
from gristmill.kernels import Kernel
from gristmill.kernels.components import Component, components
from gristmill.kernels.trees import TreeKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import class_numbers
from gristmill.scoring.scorer import Scorer

__all__ = ["NodeShare", "TreeExplainer", "TreeExplanation", "explain_trees"]


def explain_trees(
    machine: Any,
    trees: Any,
    *,
    shares: Shares = "shared",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TreeExplanations:
    """What the nodes of each tree add to its scores. For several calls keep a `TreeExplainer`.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.tree_nodes import explain_trees
    >>> support = gm.Forest.from_strings(["(S (NP dogs) (VP bark))", "(S (NP dogs) (VP (V sleep)))"])
    >>> machine = gm.Machine(gm.SubsetTreeKernel(1.0), support, [1.0, -0.5], 0.25, classes=["quiet", "loud"])
    >>> (found,) = explain_trees(machine, ["(S (NP cats) (VP bark))"])
    >>> print(found)
    loud: 2.75 = 0.25 + 2.5
    S             +0.4167  ###################
    ├─ NP         +0.4167  ###################
    │  └─ cats    +0.0000
    └─ VP         +0.9167  ########################################
       └─ bark    +0.7500  #################################
    >>> (heaviest,) = found.top(1)
    >>> heaviest.text, round(heaviest.share, 4)
    ('(VP bark)', 0.9167)
    """
    model = model_of(machine)
    data = model.examples(trees)
    return TreeExplainer(model.machine).explain(data, shares=shares, n_jobs=n_jobs, progress=progress)


class TreeExplainer:
    """Explains scores of a machine by the nodes of trees. Immutable and safe to share between threads.

    Parameters
    ----------
    machine : Machine
        Its kernel must be a tree kernel, or a weighted sum of such, normalised or not, on one field of trees. It may
        also have polynomial kernels on other fields: these are explained by their features.
    """

    def __init__(self, machine: Machine) -> None:
        kernel: Kernel = machine.kernel
        self.machine = machine
        found = list(components(kernel, machine.support, machine.dense_coef()))
        self._nodes = [_NodeExplainer(one) for one in found if isinstance(one.kernel, TreeKernel)]
        self._vectors = [VectorExplainer(one) for one in found if not isinstance(one.kernel, TreeKernel)]
        _check_fields({one.component.field or "" for one in self._nodes})

    def explain(
        self,
        trees: Any,
        *,
        shares: Shares = "shared",
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> TreeExplanations:
        """What the nodes of each tree add to its scores.

        Parameters
        ----------
        trees : Forest, list of bracketed strings, or Examples
            The examples, as the machine reads them.
        shares : {'shared', 'rooted'}
            'rooted' skips `shared`, which takes longer: by about the number of nodes of the largest common fragment.
        n_jobs : int or None
            Threads; the result does not depend on it.
        progress : callable or None
            Called with (done, total). Raise in it, or press Ctrl-C, to stop.
        """
        if shares not in ("shared", "rooted"):
            raise ValueError(f"shares must be 'shared' or 'rooted', got {shares!r}")
        data = self.machine.examples(trees)
        forest = self._forest(data)
        forest.check_unfolding()
        rooted, shared = self._shares(data, forest, shares == "shared", n_jobs, progress)
        features, bases = self._features(data, n_jobs)
        outputs, winners = Outputs.of(self.machine), self._classes(data, n_jobs)
        found, begin = TreeExplanations(), 0
        for at, (tree, view) in enumerate(zip(forest, tree_views(forest), strict=True)):
            own = slice(begin, begin + len(view))
            begin += len(view)
            labels, parents = _pre_order(view)
            score = bases[at] + rooted[own].sum(axis=0) + sum(field.values.sum(axis=0) for field in features[at])
            part = None if shared is None else shared[own]
            predicted = outputs.predicted(score, int(winners[at]), self.machine.scheme)
            own_features = tuple(features[at])
            found.append(
                TreeExplanation(
                    tree, labels, parents, rooted[own], part, bases[at], score, outputs, predicted, own_features
                )
            )
        return found

    def _forest(self, data: Any) -> Forest:
        """The trees of the examples; where the machine compares vectors only, the first field of trees."""
        if self._nodes:
            return self._nodes[0].forest(data)
        fields = data.fields.values() if isinstance(data, Examples) else ()
        for field in fields:
            if isinstance(field, Forest):
                return field
        raise ValueError(
            f"the nodes of a tree cannot explain what {self.machine.kernel!r} adds to a score: it compares no trees; "
            "a machine that is explained by nodes has a tree kernel, or a sum with one"
        )

    def _shares(
        self, data: Any, forest: Forest, shared: bool, n_jobs: int | None, progress: Progress | None
    ) -> tuple[Floats, Floats | None]:
        sizes = forest.sizes()[0].astype(np.int64)
        totals = np.zeros((2 if shared else 1, int(sizes.sum()), self.machine.n_outputs))
        for part in self._nodes:
            found = part.explain(data, shared, n_jobs, progress)
            totals += found * np.repeat(part.component.scale(data, n_jobs), sizes)[:, None]
        return totals[0], totals[1] if shared else None

    def _features(self, data: Any, n_jobs: int | None) -> tuple[list[list[VectorFeatures]], Floats]:
        """The vector features of each tree, and its score without any node and feature."""
        if not self._vectors:
            return [[]] * len(data), np.broadcast_to(self.machine.intercept, (len(data), self.machine.n_outputs))
        features, bases = vector_features(self._vectors, data, n_jobs)
        return features, self.machine.intercept + bases

    def _classes(self, data: Any, n_jobs: int | None) -> Indices:
        """The number of the predicted class of each tree, where there are several outputs."""
        if self.machine.n_outputs == 1 or not self.machine.scheme.has_labels:
            return np.zeros(len(data), dtype=np.intp)
        return class_numbers(self._scorer, data, n_jobs)

    @functools.cached_property
    def _scorer(self) -> Scorer:
        return self.machine.compile()


class _NodeExplainer:
    """Explains what one kernel of trees adds."""

    def __init__(self, component: Component) -> None:
        assert isinstance(component.kernel, TreeKernel)
        indexed = component.kernel.examples(component.support).indexed()
        self.component, self._outputs = component, component.coef.shape[1]
        coef = np.ascontiguousarray(component.coef).ravel()
        self._native = _core.NodeShares(component.kernel._native, indexed, coef, self._outputs)

    def forest(self, data: Any) -> Forest:
        forest: Forest = self.component.examples(data)
        return forest

    def explain(self, data: Any, shared: bool, n_jobs: int | None, progress: Progress | None) -> Floats:
        """`rooted` and, if `shared`, also those: an array (1 or 2) x nodes x outputs, not yet divided by norms."""
        forest = self.forest(data)
        found = np.empty((2 if shared else 1, int(forest.sizes()[0].sum()), self._outputs))
        parts = found[1] if shared else np.empty((0, self._outputs))
        self._native.explain(forest._store, forest._roots, found[0], parts, resolve_jobs(n_jobs), progress)
        return found


def _check_fields(fields: set[str]) -> None:
    if len(fields) > 1:
        names = " and ".join(map(repr, sorted(fields)))
        raise ValueError(f"the nodes of one tree explain a score, but the kernel compares trees in the fields {names}")


def _pre_order(view: TreeView) -> tuple[tuple[str, ...], Any]:
    """Labels and parents in pre-order. Of nodes that begin at the same leaf, the last in post-order is highest."""
    order = np.lexsort((-np.arange(len(view)), np.asarray(view.begins)))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    parents = places[np.asarray(view.parents, dtype=np.int64)[order]]
    parents[0] = -1
    labels, marks = view.labels, view.marks
    return tuple(f"{labels[n]}*{marks[n]}" if marks[n] else labels[n] for n in order.tolist()), parents
