"""A machine as rules: its heaviest conjunctions of features.

The conjunctions of a machine with a `ConjunctionKernel` are its support rows. On binary rows a polynomial machine is a
linear one over conjunctions too: f(x) = f(empty row) + sum of w(s) over the
conjunctions s of x, w(s) = c(|s|) times the sum of the coefficients of the support rows that hold s. Those of largest
|w| summarise the machine. Branch and bound finds them all.
"""

from __future__ import annotations

import functools
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.display.bars import aligned
from gristmill.display.words import counted
from gristmill.explanations.coverage import Coverage, Table, Unlisted, rule_coverage, subset_weights
from gristmill.explanations.heaviest import Heaviest, Search
from gristmill.explanations.models import Model, feature_name, model_of, output_names
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme


@dataclass(frozen=True)
class Rule:
    """A conjunction of features and what it adds to one output wherever it holds.

    `positive` is the part of support rows that raise the output, `negative` of those that lower it; their sum is
    `weight`. `support` counts these rows.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    output: int
    output_name: str
    weight: float
    support: int
    positive: float
    negative: float

    @property
    def conjunction(self) -> str:
        return " & ".join(self.names)


class Rules(Heaviest[Rule]):
    """Rules of a machine, heaviest first. Made by `rules_of`.

    `floor` bounds what is not listed: no other conjunction within `limits` weighs more. `outputs` are those searched.
    """

    kind = "rules"
    numeric = (0, 3, 4, 5)

    def __init__(self, model: Model, table: Table, search: Search, subset_weights: Floats | None, size: int) -> None:
        super().__init__(model.machine, search, table.weights)
        self._examples = model.examples
        self._table = table
        limits = self.floor, size, search.limits.min_support, search.outputs
        self._unlisted = (
            Unlisted.given(model.machine, *limits)
            if subset_weights is None
            else Unlisted.shared(model.machine, subset_weights, *limits)
        )
        self._output_names = output_names(model.machine)

    def __len__(self) -> int:
        return len(self._table.outputs)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> list[Rule]: ...
    def __getitem__(self, at: int | slice) -> Rule | list[Rule]:
        found = range(len(self))[at]
        return self._rule(found) if isinstance(found, int) else [self._rule(one) for one in found]

    def _rule(self, at: int) -> Rule:
        table = self._table
        features = tuple(map(int, table.ids[table.offsets[at] : table.offsets[at + 1]]))
        output, positive, negative = int(table.outputs[at]), float(table.positive[at]), float(table.negative[at])
        return Rule(
            features,
            tuple(feature_name(self.machine, feature) for feature in features),
            output,
            self._output_names[output],
            positive + negative,
            int(table.support[at]),
            positive,
            negative,
        )

    def matching(self, x: Any) -> list[Rule]:
        """The rules that hold in one row, heaviest first.

        Parameters
        ----------
        x : data of one row, as the model itself reads them, or the set of its feature ids
        """
        rows = self._examples([x] if isinstance(x, Set) else x)
        if len(rows) != 1:
            raise ValueError(f"expected one row, got {len(rows)}")
        return [self._rule(int(at)) for at in np.sort(self._table.matches(rows).indices)]

    def coverage(self, X: Any, n_jobs: int | None = None) -> Coverage:
        """How much of the scores of X the rules give, and how much is left to all other conjunctions."""
        rows = self._examples(X)
        scores = self._scorer.decision_function(rows, n_jobs).reshape(len(rows), self.machine.n_outputs)
        base = self._scorer.decision_function([set()]).reshape(self.machine.n_outputs)
        searched = list(self.outputs)
        return rule_coverage(self._table, rows, self._unlisted, scores[:, searched], base[searched])

    def as_machine(self) -> Machine:
        """A machine of these rules alone: their conjunctions are support rows, their weights coefficients.

        What is not listed is left out, so it equals the machine only where the list is complete (`min_weight=0`).

        Examples
        --------
        >>> import gristmill as gm
        >>> from gristmill.explanations.rules import rules_of
        >>> machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0)
        >>> rules_of(machine, top=2).as_machine()
        Machine(ConjunctionKernel(), regression: 2 conjunctions, 3 features, 1 output)
        >>> whole = rules_of(machine, min_weight=0).as_machine()
        >>> whole.compile().decision_function(gm.ids([[0, 1], [2]])), machine.compile().decision_function([{0, 1}, {2}])
        (array([ 7., -1.]), array([ 7., -1.]))
        """
        table, machine = self._table, self.machine
        rows = Rows(table.offsets, table.ids, n_features=machine.n_features, feature_names=machine.feature_names)
        firsts, conjunctions = table.different()
        places = conjunctions, table.outputs
        coef = sp.csr_matrix((table.weights, places), shape=(len(firsts), machine.n_outputs))
        base = self._scorer.decision_function([set()]).reshape(machine.n_outputs)
        return Machine(
            ConjunctionKernel(),
            rows.take(firsts),
            coef if machine.n_outputs > 1 else coef.toarray(),
            base,
            machine.classes,
            str(machine.scheme),
            zero_class=machine.zero_class,
            first_id=machine.first_id,
        )

    @functools.cached_property
    def _scorer(self) -> Any:
        return self.machine.compile("inverted")

    def text(self) -> str:
        """A line for each rule."""
        named = self.machine.scheme in (Scheme.BINARY, Scheme.ONE_VS_REST, Scheme.ONE_CLASS)
        lines = [
            (f"{rule.weight:+.4g}", rule.conjunction, f"-> {'class ' * named}{rule.output_name}", f"({support})")
            for rule, support in ((rule, counted(rule.support, "support row")) for rule in self)
        ]
        return "\n".join(aligned(lines, right=(0,)))

    def lines(self, top: int | None = None) -> list[tuple[str, ...]]:
        """The list, or its first lines, as a table with a header."""
        lines: list[tuple[str, ...]] = [("weight", "conjunction", "output", "support", "positive", "negative")]
        for rule in self[:top]:
            numbers = str(rule.support), f"{rule.positive:+.4g}", f"{rule.negative:+.4g}"
            lines.append((f"{rule.weight:+.4g}", rule.conjunction, rule.output_name, *numbers))
        return lines

    def summary(self) -> str:
        """How many there are, and what the others weigh at most."""
        others = self.limits.others(self.floor, "feature", "support row")
        if not self.machine.is_polynomial:
            return f"{len(self):,} of {counted(self.machine.n_support, 'conjunction')}; {others}"
        return f"{counted(len(self), 'conjunction')} of {self.machine.n_support:,} support rows; {others}"


def rules_of(
    machine: Any,
    *,
    top: int = 100,
    output: int | str | None = None,
    min_support: int = 1,
    max_size: int | None = None,
    min_weight: float | None = None,
    max_rules: int = 1_000_000,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Rules:
    """The heaviest conjunctions of a machine.

    Parameters
    ----------
    machine : Machine, or what has one
        With a polynomial kernel of any parameters, and support rows of zeros and ones; or with a `ConjunctionKernel`,
        whose support rows are the conjunctions.
    top : int
        How many: those of largest ``|weight|``. Ties go to fewer features, then to smaller ids.
    output : int, str or None
        Of one output, by its number or name; None: of all together.
    min_support : int
        Support rows of its output that must hold a conjunction: those with a coefficient other than 0.
    max_size : int or None
        Features of a conjunction at most; None: as many as the kernel's degree.
    min_weight : float or None
        Instead of `top`: all with ``|weight|`` of at least this. 0: all that weigh anything, which is the whole
        machine.
    max_rules : int
        ValueError if there are more.
    n_jobs : int or None
        Threads; None is one, -1 all cores. Never changes the result.
    progress : callable or None
        Called with (done, total) about twenty times a second.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.rules import rules_of
    >>> names, classes = ["money", "bank", "river"], ["water", "finance"]
    >>> kernel = gm.PolynomialKernel(2)
    >>> machine = gm.Machine(kernel, gm.ids([[0, 1], [1, 2]]), [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> rules = rules_of(machine, top=3)
    >>> print(rules)
    3 conjunctions of 2 support rows; no other weighs more than 1.5
    weight  conjunction   output   support  positive  negative
        +3  money         finance        1        +3        +0
        +2  money & bank  finance        1        +2        +0
      +1.5  bank          finance        2        +3      -1.5
    >>> [rule.conjunction for rule in rules.matching({1, 2})]
    ['bank']
    >>> coverage = rules.coverage(gm.ids([[0, 1], [1, 2]]))
    >>> coverage.listed.ravel(), coverage.rest.ravel()
    (array([6.5, 1.5]), array([ 0. , -2.5]))
    """
    model = model_of(machine)
    machine = model.machine
    _check(machine)
    search = Search.of(machine, top, output, min_support, max_size, min_weight, max_rules=max_rules)
    largest = machine.feature_kernel.longest(machine.rows)
    size = largest if max_size is None else min(largest, int(max_size))
    wanted = search.top, search.least, search.limits.min_support
    limits = (*wanted, None if output is None else search.outputs.start, search.most)
    if not machine.is_polynomial:
        found = _core.given_conjunctions(machine._native, size, *limits)
        return Rules(model, Table(*found), search, None, size)
    weights = subset_weights(machine.polynomial, largest)
    how = resolve_jobs(n_jobs), progress
    found = _core.heaviest_conjunctions(machine._native, weights[: size + 1], *limits, *how)
    return Rules(model, Table(*found), search, weights, size)


def _check(machine: Machine) -> None:
    if not machine.explains_features:
        raise ValueError("rules are conjunctions of features; a machine on trees has fragments instead")
    if machine.compares_sets and not machine.is_polynomial:
        raise ValueError(
            f"rules are for polynomial and conjunction kernels; others weigh no conjunctions, got {machine.kernel!r}"
        )
    if not machine.is_binary_valued:
        raise ValueError(
            "rules are conjunctions of features that are present or absent, but support rows of this machine have "
            "values other than 0 and 1: what a conjunction adds then depends on the values of the row"
        )
