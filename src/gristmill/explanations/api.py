"""`gristmill.explain` and `gristmill.importance`."""

from __future__ import annotations

from typing import Any, Literal

from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, Rows
from gristmill.explanations.fragments import fragments_of
from gristmill.explanations.groups import GroupsLike
from gristmill.explanations.importances import Importance
from gristmill.explanations.models import AsTheModel, machine_of
from gristmill.explanations.rules import rules_of
from gristmill.explanations.shapley import Explainer
from gristmill.explanations.tree_nodes import explain_trees
from gristmill.machines.collection import Machines


def explain(
    machine: Any,
    X: Any = None,
    *,
    interactions: bool = False,
    groups: GroupsLike = None,
    background: Any = None,
    baseline: Any = None,
    absent: Literal["dropped"] | None = None,
    binarize: Binarize | AsTheModel = "auto",
    top: int | None = None,
    output: int | str | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Explain the scores of a machine, exactly: nothing is sampled and nothing is approximated.

    With X, explain each row or tree: the Shapley values of its features, which add up to its score, and the
    interactions of pairs of features; or what each node of a tree adds. Without X, explain the machine itself: its
    heaviest conjunctions of features, or fragments of trees.

    Parameters
    ----------
    machine : Machine, or what has one
        A Scorer, a fitted estimator, a fitted scikit-learn SVC and its like, a Pipeline or search that ends in one; an
        app, whose own `explain` is called with X; or Machines.
    X : rows or trees, or None
        As the model itself reads them: an estimator as in `predict` (a list of lists is a table), a machine or scorer
        as scorers do (`gristmill.ids([...])` for lists of feature ids).
    interactions : bool
        Also the interactions of pairs of features: Shapley interaction indices (Grabisch and Roubens).
    groups : None, 'fields', 'columns', False, mapping, sequence or TableEncoder
        The players: columns, or groups of them that come and go together. None: the fields of a machine that reads
        tables, else each column. 'fields': these. 'columns': the columns of tables, the parts of a date together.
        False: each column of the machine by itself, so each bin of a field. A dict from names to columns, lists of
        columns, or the fitted `TableEncoder` that made the columns. Columns are names, or numbers from 0: of the table
        where the machine reads tables (or names of bins, if all are), else of the machine. Columns outside all groups
        are players of their own.
    background : rows, 'fields' or None
        What rows are compared with: an absent player has the values of a row of the background, averaged over its rows,
        all of them. 'fields': the distribution of training, fields being independent. None is that where the fields of
        a machine are explained (and it knows the distribution), else the row without any feature.
    baseline : row, or None
        The same as a background of one row.
    absent : 'dropped' or None
        None: an absent player has the values of the background. 'dropped': the kernel is computed without absent
        columns, so that without any all support rows are equal to the row; values alone, of RBF machines. Players are
        then all columns, those that a row does not have as well.
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1, as for `Machine.compile`; 'auto': what the model does.
    top : int or None
        Without X: how many conjunctions or fragments; None: 100. `gristmill.explanations.rules_of` and
        `gristmill.explanations.fragments_of` have more options.
    output : int, str or None
        Without X: those of one output, by its number or name. Explanations of X have all outputs.
    n_jobs : int or None
        Threads; None is one, -1 all cores. Never changes a bit of the result.
    progress : callable or None

    Returns
    -------
    Explanation, TreeExplanations; or Rules, Fragments
        All can be printed and written as JSON. Of Machines, and of an app that has several, a dict by their names; of
        an app and X, the result of its `explain`.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> print(gm.explain(machine, gm.ids([[1, 2]]))[0])
    baseline          0.5
      river            -2  ----------------------------------------
      bank             +1  ####################
    score (finance)  -0.5
    >>> print(gm.explain(machine, top=2))
    2 conjunctions of 2 support rows; no other weighs more than 2
    weight  conjunction   output   support  positive  negative
        +3  money         finance        1        +3        +0
        +2  money & bank  finance        1        +2        +0
    """
    if X is not None and hasattr(machine, "explain") and not isinstance(X, Rows):  # an app reads sentences or trees
        return machine.explain(X, **({"interactions": True} if interactions else {}))
    if isinstance(several := getattr(machine, "machine_", machine), Machines):
        options = {"interactions": interactions, "groups": groups, "background": background, "baseline": baseline}
        options |= {
            "absent": absent,
            "binarize": binarize,
            "top": top,
            "output": output,
            "n_jobs": n_jobs,
            "progress": progress,
        }
        return {name: explain(one, X, **options) for name, one in several.items()}
    found = machine_of(machine)
    is_on_trees = not found.explains_features
    of_rows = {
        "interactions": interactions,
        "groups": groups not in (None, False),
        "background": background is not None,
        "baseline": baseline is not None,
        "absent": absent is not None,
        "binarize": binarize != "auto",
    }
    if X is None:
        _validate_absent(of_rows, "rows: give X, or leave it out")
        heaviest = fragments_of if is_on_trees else rules_of
        return heaviest(machine, top=100 if top is None else top, output=output, n_jobs=n_jobs, progress=progress)
    _validate_absent({"top": top is not None, "output": output is not None}, "the machine itself: leave it out, or X")
    if is_on_trees and found.kernel.reads != "rows":
        _validate_absent(of_rows, "rows of features; this machine is on trees")
        return explain_trees(machine, X, n_jobs=n_jobs, progress=progress)
    how: dict[str, Any] = {"groups": groups, "background": background, "baseline": baseline}
    how |= {"absent": absent, "binarize": binarize}
    explainer = Explainer(machine, **how)
    return explainer(X, interactions=interactions, n_jobs=n_jobs, progress=progress)


def _validate_absent(given: dict[str, bool], what: str) -> None:
    for name, is_given in given.items():
        if is_given:
            raise ValueError(f"{name} is for explaining {what}")


def importance(
    machine: Any,
    X: Any,
    *,
    interactions: bool = False,
    groups: GroupsLike = None,
    background: Any = None,
    baseline: Any = None,
    absent: Literal["dropped"] | None = None,
    binarize: Binarize | AsTheModel = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Importance:
    """The mean ``|Shapley value|`` of features, and of pairs of them, over a data set; exact.

    Parameters
    ----------
    machine : Machine, or what has one
    X : rows, or an iterator over blocks of rows
        Only one block is in memory.
    interactions, groups, background, baseline, absent, binarize, n_jobs, progress
        As for `explain`.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> print(gm.importance(machine, iter([gm.ids([[0, 1], [1, 2]]), gm.ids([[2]])])))
    mean |value| over 3 rows
      money  1.333  ########################################
      bank   1.167  ####################################
      river  1.167  ####################################
    """
    how: dict[str, Any] = {"groups": groups, "background": background, "baseline": baseline}
    how |= {"absent": absent, "binarize": binarize}
    explainer = Explainer(machine, **how)
    return explainer.importance(X, interactions=interactions, n_jobs=n_jobs, progress=progress)
