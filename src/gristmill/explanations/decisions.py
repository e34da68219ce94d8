"""DecisionExplainer: what would change a decision, what suffices for it, and how far it is from another; with proof.

The core searches the changes of a row by branch and bound (`core/explain/decisions`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Int32s
from gristmill.base.checks import check_flag, check_positive_int
from gristmill.base.lazy import late
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, Rows
from gristmill.explanations.change_options import NO_LIMIT, NODES, ChangeOptions, Names, limit
from gristmill.explanations.change_rules import ChangeRules, Choices
from gristmill.explanations.counterfactuals import Change, Counterfactual, Counterfactuals, FlipRadius
from gristmill.explanations.groups import GroupsLike, encoded
from gristmill.explanations.models import AsTheModel, Model, model_of
from gristmill.explanations.request import Request, request_of
from gristmill.explanations.row_variables import RowVariables
from gristmill.explanations.sufficient_reasons import SufficientReason, sufficient_reason
from gristmill.kernels import SetKernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import has_class_probabilities, probabilities
from gristmill.scoring.engines import definition_of


class DecisionExplainer:
    """Asks one machine about its decisions: keep it where rows come one by one.

    Parameters
    ----------
    model : Machine, or what has one
        With a kernel of sets or a conjunction kernel on binary rows: also a Scorer, a fitted estimator, a fitted
        scikit-learn SVC, a Pipeline or search that ends in one. Of a pipeline whose steps are encoders of columns, the
        columns of the user's table are what changes.
    groups : None, 'fields', False, mapping, sequence or TableEncoder
        Columns of which a row has one each, see `gristmill.explain`. None: the fields of a machine that reads tables,
        else each column by itself, which can be present or absent.
    at_most_one : names of groups, or True for all
        Groups of which a row may have no column. A row that has none may always stay so.
    binarize : float, None, False or 'auto'
        As for `gristmill.explain`.
    progress : callable or None
        Of getting the machine ready.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> decisions = gm.DecisionExplainer(machine)
    >>> decisions.counterfactual(gm.ids([[1, 2]]))
    water; another class: the cheapest answer (proven)
    finance with 1 change
      money  absent  ->  present
    >>> decisions.sufficient(gm.ids([[0, 1]]))
    finance is certain by 1 of 3 facts, the fewest (proven)
      money  present
    >>> decisions.flip_radius(gm.ids([[0, 1]]))
    finance: it takes 2 changes (proven), such as - money, + river
    """

    def __init__(
        self,
        model: Any,
        groups: GroupsLike = None,
        *,
        at_most_one: Names = (),
        binarize: Binarize | AsTheModel = "auto",
        progress: Progress | None = None,
    ) -> None:
        self._model = _decider(model, groups, binarize)
        machine, groups = encoded(self._model.machine, groups)
        _check_machine(machine)
        self.machine: Machine = machine
        self.variables = RowVariables.of(machine, groups, at_most_one)
        self._native = _core.Decisions(machine._native, *self.variables.grouped, _policy(machine), progress)
        self._definition = definition_of(machine)

    def counterfactual(
        self,
        x: Any,
        target: Any = None,
        k: int = 1,
        *,
        progress: Progress | None = None,
        **options: Any,
    ) -> Counterfactuals:
        """The cheapest changes of a row that give another class.

        Options are those of `gristmill.counterfactual` from `probability` to `max_nodes`, but for `groups` and
        `at_most_one`, which the explainer has.
        """
        check_positive_int("k", k)
        rules = ChangeRules(self.variables, ChangeOptions(**options))
        asked = rules.options
        row, scores = self._one(x)
        request = request_of(self.machine, scores, target, asked.probability, asked.above, asked.below)
        search = self._search_disjoint if asked.disjoint else self._search
        answers, is_proven, bound, nodes = search(row, request, rules, k, progress)
        answer = self._answer(scores)
        return Counterfactuals(tuple(answers), answer, scores, request.text, is_proven, bound, nodes)

    def flip_radius(self, x: Any, *, max_nodes: int | None = NODES, progress: Progress | None = None) -> FlipRadius:
        """The fewest variables that must change for another class; see `gristmill.flip_radius`."""
        found = self.counterfactual(x, to_unknown=True, max_nodes=max_nodes, progress=progress)
        return FlipRadius.of(found)

    def sufficient(
        self,
        x: Any,
        *,
        absences: bool = True,
        smallest: bool = True,
        max_nodes: int | None = NODES,
        progress: Progress | None = None,
    ) -> SufficientReason:
        """The fewest facts of a row that fix its class; see `gristmill.sufficient`."""
        check_flag("absences", absences)
        check_flag("smallest", smallest)
        row, scores = self._one(x)
        request = request_of(self.machine, scores)
        rules = ChangeRules(self.variables, ChangeOptions(to_unknown=True))

        def changing(held: Iterable[int], nodes: int) -> tuple[Counterfactual | None, frozenset[int], bool, int]:
            """An answer that leaves these variables as they are, the variables it changes; whether that is proven."""
            choices = rules.choices(row.ids, held)
            found = self._native.search(*choices[:4], request.native, 1, NO_LIMIT, nodes, progress)
            if not len(found.costs):
                return None, frozenset(), bool(found.complete), int(found.nodes)
            answer = self._answers(found, choices, rules, row)[0]
            changed = frozenset(self.variables.variable[choices.values[found.values]].tolist())
            return answer, changed, bool(found.complete), int(found.nodes)

        own, nodes = self.variables.own(row.ids), limit("max_nodes", max_nodes)
        return sufficient_reason(self.variables, own, self._answer(scores), changing, absences, smallest, nodes)

    # --- the search ---------------------------------------------------------------------------------------------------

    def _search(
        self,
        row: Rows,
        request: Request,
        rules: ChangeRules,
        k: int,
        progress: Progress | None,
        held: Iterable[int] = (),
        spent: int = 0,
    ) -> tuple[list[Counterfactual], bool, float, int]:
        """Answers, whether they are proven, what no answer costs less than, and the nodes; some were spent before."""
        choices = rules.choices(row.ids, held)
        found = self._native.search(
            *choices[:4], request.native, k, rules.options.change_limit, rules.options.nodes_after(spent), progress
        )
        answers = self._answers(found, choices, rules, row)
        bound = found.searched
        if found.complete:
            bound = answers[0].cost if answers else float("inf")
        elif answers and answers[0].is_proven:
            bound = answers[0].cost
        return answers, found.complete, bound, found.nodes

    def _search_disjoint(
        self, row: Rows, request: Request, rules: ChangeRules, k: int, progress: Progress | None
    ) -> tuple[list[Counterfactual], bool, float, int]:
        """The best answer, then the best that changes none of its variables, and so on."""
        answers: list[Counterfactual] = []
        held: set[int] = set()
        first, proven, nodes = 0.0, True, 0
        while len(answers) < k and proven and rules.options.nodes_after(nodes) > 0:
            found, proven, bound, own = self._search(row, request, rules, 1, progress, held, nodes)
            first, nodes = first if answers else bound, nodes + own
            if not found or not found[0].changes:
                return answers or found, proven, first, nodes
            answers += found
            held |= self._changed(row, found[0].row)
        return answers, proven and len(answers) == k, first, nodes

    def _changed(self, before: Rows, after: Rows) -> set[int]:
        return set(np.flatnonzero(self.variables.own(before.ids) != self.variables.own(after.ids)).tolist())

    def _answers(
        self, found: _core.FoundDecisions, choices: Choices, rules: ChangeRules, row: Rows
    ) -> list[Counterfactual]:
        if not len(found.costs):
            return []
        parts = [slice(found.starts[at], found.starts[at + 1]) for at in range(len(found.costs))]
        rows = [self._changed_row(row.ids, choices, found.values[part]) for part in parts]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        changed = Rows(offsets, np.concatenate(rows).astype(np.int32), n_features=row.n_features)
        scores = self._definition.scores(changed, 1, None)
        return [
            Counterfactual(
                tuple(self._change(choices, value) for value in found.values[part].tolist()),
                float(cost),
                self._answer(scores[at]),
                scores[at],
                self._probability(scores[at]),
                changed.one(at),
                bool(found.complete or cost <= found.searched),
            )
            for at, (part, cost) in enumerate(zip(parts, found.costs.tolist(), strict=True))
        ]

    def _changed_row(self, ids: Int32s, choices: Choices, changed: Any) -> Int32s:
        own = choices.own.copy()
        values = choices.values[changed]
        own[self.variables.variable[values]] = values
        columns = self.variables.columns[own]
        group = self.variables.variables_of(ids)
        return np.sort(np.concatenate([columns[columns >= 0], ids[group < 0]])).astype(np.int32)

    def _change(self, choices: Choices, place: int) -> Change:
        value, variables = int(choices.values[place]), self.variables
        variable = int(variables.variable[value])
        before = variables.word(int(choices.own[variable]))
        return Change(variables.name(variable), before, variables.word(value), float(choices.costs[place]))

    # --- answers ------------------------------------------------------------------------------------------------------

    def _one(self, x: Any) -> tuple[Rows, Floats]:
        """The row, and its scores by the definition."""
        rows: Rows = self._model.examples([x] if isinstance(x, dict) else x)
        if len(rows) != 1:
            raise ValueError(f"expected a single row, got {len(rows)}: ask for one after the other")
        if not rows.is_binary:
            raise ValueError("decisions are searched for binary rows, but the row holds values other than 0 and 1")
        return rows, self._definition.scores(rows, 1, None)[0]

    def _answer(self, scores: Floats) -> Any:
        answer = self.machine.answers(scores[None])[0]
        return answer.item() if hasattr(answer, "item") else answer.tolist() if hasattr(answer, "tolist") else answer

    def _probability(self, scores: Floats) -> float | None:
        if not has_class_probabilities(self.machine) or not self.machine.scheme.has_labels:
            return None
        number = int(self.machine.decision.classes(scores[None])[0])
        return float(probabilities(self.machine, scores[None])[0, number])


def _decider(model: Any, groups: Any, binarize: Binarize | AsTheModel) -> Model:
    """The model; of a pipeline of encoders the machine that reads the user's table."""
    found = model_of(model, binarize)
    if groups is None and hasattr(model, "predict") and found.machine.encoding is None:
        try:
            machine = late("gristmill.estimators.encodings:encoded_machine")(model)
        except ValueError:  # the steps are no encoders of columns, such as those of texts
            return found
        if machine.encoding is not None:
            return model_of(machine)
    return found


def is_searchable(machine: Machine) -> bool:
    """Whether the decisions of machines with this kernel are searched."""
    return machine.explains_features and not isinstance(machine.kernel, SetKernel)  # which is Python's to evaluate


def _policy(machine: Machine) -> _core.DecisionPolicy:
    """How scores decide; of values nobody asks for a class."""
    if machine.classes is None or not machine.scheme.has_labels:
        return _core.DecisionPolicy(_core.DecisionRule.sign, 2, 0)
    return machine.decision.native


def _check_machine(machine: Machine) -> None:
    if not is_searchable(machine):
        raise ValueError(
            "decisions are searched for machines on rows with a kernel of sets that gristmill knows itself, or a "
            f"ConjunctionKernel, got {machine.kernel!r}"
        )
    if not machine.is_binary_valued:
        raise ValueError("decisions are searched for machines on binary rows; this one has other support values")
