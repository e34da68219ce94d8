"""`gristmill.counterfactual`, `gristmill.sufficient` and `gristmill.flip_radius`."""

from __future__ import annotations

from typing import Any

from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.explanations.change_options import NODES, Names
from gristmill.explanations.counterfactuals import Counterfactuals, FlipRadius
from gristmill.explanations.decisions import DecisionExplainer
from gristmill.explanations.groups import GroupsLike
from gristmill.explanations.models import AsTheModel, model_of
from gristmill.explanations.sufficient_reasons import SufficientReason
from gristmill.explanations.tree_cuts import tree_cuts


def counterfactual(
    model: Any,
    x: Any,
    target: Any = None,
    k: int = 1,
    *,
    probability: float | None = None,
    above: float | None = None,
    below: float | None = None,
    groups: GroupsLike = None,
    at_most_one: Names = (),
    costs: Any = None,
    immutable: Names = (),
    increase_only: Names = (),
    decrease_only: Names = (),
    add_only: Names = (),
    remove_only: Names = (),
    to_unknown: bool = False,
    max_changes: int | None = None,
    disjoint: bool = False,
    max_nodes: int | None = NODES,
    binarize: Binarize | AsTheModel = "auto",
    progress: Progress | None = None,
) -> Counterfactuals:
    """The cheapest changes of a row that give another class, with proof that no cheaper ones do.

    Parameters
    ----------
    model : Machine, or what has one
        See `DecisionExplainer`, which is faster where rows come one by one. Of a machine on trees the fewest subtrees
        are cut off, see `gristmill.explanations.tree_cuts.tree_cuts`.
    x : a single row, or a dict
        As the model itself reads rows.
    target : label or None
        The class to become; None: any other.
    k : int
        How many answers, the cheapest first. None holds all changes of another one.
    probability : float or None
        Of two classes: the least probability of the target (None: of the other class).
    above, below : float or None
        Instead of a class: a score above or below a number, as of regression.
    groups, at_most_one
        What can change, see `DecisionExplainer`.
    costs : None, 'distance' or dict
        None: each change costs 1. 'distance': ordered values, such as bins of numbers, cost the steps between them. A
        dict gives some variables a number for a change, 'distance', or a dict from values to numbers.
    immutable, increase_only, decrease_only, add_only, remove_only : names or column numbers; True for all
        Variables that may not change; may only become a later or an earlier one of their ordered values; may only
        become present, or absent.
    to_unknown : bool
        Whether values of tables may become missing or 'other'.
    max_changes : int or None
        Answers have at most so many.
    disjoint : bool
        Answers that share no variable: the best one, then the best without its variables, and so on.
    max_nodes : int or None
        How much is searched, counted in nodes and not in seconds: the answer does not depend on a clock. Where they end
        first, the answer says what is proven.
    binarize
        As for `gristmill.explain`.
    progress : callable or None
        Called with (nodes, max_nodes).

    Returns
    -------
    Counterfactuals
        A sequence of answers that can be printed and written as JSON.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> gm.counterfactual(machine, gm.ids([[0, 1, 2]]), k=2)
    finance; another class: the cheapest answer (proven)
    water with 1 change
      money  present  ->  absent
    """
    if _is_on_trees(model):
        _validate_for_trees(probability=probability, above=above, below=below, groups=groups, costs=costs)
        how: dict[str, Any] = {"max_changes": max_changes, "max_nodes": max_nodes, "progress": progress}
        return tree_cuts(model, x, target, k, **how)
    explainer = DecisionExplainer(model, groups, at_most_one=at_most_one, binarize=binarize, progress=progress)
    return explainer.counterfactual(
        x,
        target,
        k,
        probability=probability,
        above=above,
        below=below,
        costs=costs,
        immutable=immutable,
        increase_only=increase_only,
        decrease_only=decrease_only,
        add_only=add_only,
        remove_only=remove_only,
        to_unknown=to_unknown,
        max_changes=max_changes,
        disjoint=disjoint,
        max_nodes=max_nodes,
        progress=progress,
    )


def _is_on_trees(model: Any) -> bool:
    return not model_of(model).machine.explains_features


def _validate_for_trees(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is for rows of features; of trees subtrees are cut off")


def sufficient(
    model: Any,
    x: Any,
    *,
    absences: bool = True,
    smallest: bool = True,
    groups: GroupsLike = None,
    at_most_one: Names = (),
    max_nodes: int | None = NODES,
    binarize: Binarize | AsTheModel = "auto",
    progress: Progress | None = None,
) -> SufficientReason:
    """The fewest facts of a row that fix its class, whatever values all other variables have.

    Parameters
    ----------
    model, groups, at_most_one, binarize, progress
        See `DecisionExplainer`.
    x : a single row, or a dict
    absences : bool
        Whether it is a fact that a column is absent. Without these not even the whole row may fix the class.
    smallest : bool
        False: facts of which none can be left out, which is faster; others might be fewer.
    max_nodes : int or None
        How much is searched for the fewest facts, and once more for facts without excess where that does not end.

    Returns
    -------
    SufficientReason
        Its `kind` says what is proven.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> gm.sufficient(machine, gm.ids([[0, 1]]))
    finance is certain by 1 of 3 facts, the fewest (proven)
      money  present
    """
    explainer = DecisionExplainer(model, groups, at_most_one=at_most_one, binarize=binarize, progress=progress)
    return explainer.sufficient(x, absences=absences, smallest=smallest, max_nodes=max_nodes, progress=progress)


def flip_radius(
    model: Any,
    x: Any,
    *,
    groups: GroupsLike = None,
    at_most_one: Names = (),
    max_nodes: int | None = NODES,
    binarize: Binarize | AsTheModel = "auto",
    progress: Progress | None = None,
) -> FlipRadius:
    """How many variables of a row must change for another class, at least: fewer cannot, whatever they become.

    Parameters
    ----------
    model, groups, at_most_one, binarize, progress
        See `DecisionExplainer`.
    x : a single row, or a dict
    max_nodes : int or None
        How much is searched.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> gm.flip_radius(machine, gm.ids([[0, 1, 2]]))
    finance: it takes 1 change (proven), such as - money
    """
    explainer = DecisionExplainer(model, groups, at_most_one=at_most_one, binarize=binarize, progress=progress)
    return explainer.flip_radius(x, max_nodes=max_nodes, progress=progress)
