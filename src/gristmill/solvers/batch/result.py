"""The solution of one problem, and the result of a fit: coefficients, machine and state for warm starts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices, Int32s
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import Scheme, pairwise_coef
from gristmill.solvers.batch.converting import NOT_CONVERTED, ConversionChoice
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.gram import callable_gram
from gristmill.solvers.batch.problems import PairProblem, Problem, compact_coefficients
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings


@dataclass(frozen=True)
class Solution:
    """The variables of a dual problem, and how good they are."""

    alpha: Floats
    intercept: float
    objective: float
    violation: float  # infinite before it is evaluated
    iterations: int
    converged: bool
    limited: bool = False  # stopped by max_iter
    handed_over: bool = False  # finished by another solver
    primal: float | None = None  # the objective of the machine itself, where the solver knows it
    gradient: Floats | None = None  # signs * (Qa + p), where the solver knows it
    gradient_errors: Floats | None = None  # how far off it is at most, at variables at a bound; empty: exact

    @classmethod
    def of(cls, native: _core.DualSolution, limit: int) -> Solution:
        """From a solution of the core with at most `limit` iterations; below 0: no limit."""
        return cls(
            np.asarray(native.alpha),
            native.intercept,
            native.objective,
            native.violation,
            native.iterations,
            native.converged,
            limited=not native.converged and 0 <= limit <= native.iterations,
            gradient=np.asarray(native.gradient),
            gradient_errors=np.asarray(native.gradient_errors),
        )

    @property
    def is_evaluated(self) -> bool:
        """False when a solver was interrupted before it had evaluated all variables."""
        return not math.isinf(self.violation)

    def scaled(self, factor: float, alpha: Floats) -> Solution:
        """The solution for `factor` times these variables, for a linear part of -1; `alpha` are those, rounded."""
        total = float(self.alpha.sum())
        return replace(
            self,
            alpha=alpha,
            intercept=factor * self.intercept,
            objective=factor * factor * (self.objective + total) - factor * total,
            violation=self.violation if factor == 1 else math.inf,
            iterations=0,
            converged=False,
            gradient=None,
            gradient_errors=None,
        )


_MOST = np.iinfo(np.int32).max  # iterations are of this type in scikit-learn; there may be more


@dataclass(frozen=True)
class SvmFit:
    """What was learned, and how. A pickle leaves out the rows of the kernel."""

    settings: SvmSettings
    machine: Machine | None  # None for Gram matrices and callables
    scheme: Scheme
    support: Indices  # numbers of examples, by class, then ascending
    support_vectors: Any  # what the kernel compares; None for Gram matrices
    dual_coef: Floats  # columns of `compact_coefficients` x support
    coef: Any  # support x outputs, as `Machine` has it
    intercept: Floats  # per output, as what follows
    n_support: Int32s  # per class
    n_iter: Int32s  # 2^31 - 1 also stands for more
    objective: Floats
    violation: Floats
    converged: bool
    solver: str
    handed_over: Flags  # per output: whether smo went on from what dual-cd had found
    primal: Floats  # per output: the objective of the machine itself, NaN where the solver does not know it
    seconds: float  # of rows and solver
    nbytes: int  # of what was kept of the kernel
    problems: list[Problem]
    alphas: list[Floats]  # per problem and variable
    gradients: list[Floats]  # likewise; empty where the solver does not know them
    gradient_errors: list[Floats]  # likewise: how far off those are at most; empty: exact
    rows: TrainingRows | None
    conversion: ConversionChoice = NOT_CONVERTED  # whether rows were those of converted trees, and why
    probability: Sigmoid | None = None  # also where there is no machine

    def solution(self, problem: int) -> Solution:
        """The solution of one problem."""
        return Solution(
            self.alphas[problem],
            float(self.intercept[problem]),
            float(self.objective[problem]),
            float(self.violation[problem]),
            int(self.n_iter[problem]),
            self.converged,
        )

    @property
    def bounds(self) -> Floats:
        """Per output: what the minimum is not below, and the objective of the machine; NaN where it is not known."""
        kernel = self.settings.kernel
        is_dual = not isinstance(kernel, Kernel) or kernel.is_semidefinite  # else the dual bounds nothing
        return np.stack([-self.objective if is_dual else np.full_like(self.objective, np.nan), self.primal], axis=1)

    def gram_scores(self, X: Any) -> Floats:
        """Scores of rows of a Gram matrix, or of examples of a callable, where there is no machine."""
        values = X[:, self.support] if isinstance(self.settings.kernel, str) else self._called(X)
        coef = self.coef.toarray() if sp.issparse(self.coef) else self.coef
        columns = [(values * coef[:, output]).sum(axis=1) for output in range(coef.shape[1])]
        return np.asarray(np.stack(columns, axis=1) + self.intercept)

    def _called(self, X: Any) -> Floats:
        if len(self.support) == 0:
            return np.empty((len(X) if isinstance(X, list) else X.shape[0], 0))
        return callable_gram(self.settings.kernel, X, self.support_vectors)

    def without_state(self) -> SvmFit:
        """Without the state for warm starts."""
        return replace(self, problems=[], alphas=[], gradients=[], gradient_errors=[], rows=None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class SvmInterrupted(KeyboardInterrupt):
    """Training was interrupted; `fit` is what was learned so far."""

    def __init__(self, fit: SvmFit) -> None:
        super().__init__()
        self.fit = fit


@dataclass(frozen=True)
class Task:
    """The problems of one training."""

    settings: SvmSettings
    rows: TrainingRows
    labels: Indices
    classes: NDArray[Any] | None  # None for regression
    scheme: Scheme
    problems: list[Problem]
    first_id: int | None = None

    @classmethod
    def single(
        cls, settings: SvmSettings, rows: TrainingRows, scheme: Scheme, problem: Problem, classes: Any = None
    ) -> Task:
        """One problem of all examples, without labels."""
        return cls(settings, rows, np.zeros(len(rows), dtype=np.intp), classes, scheme, [problem])


def make_fit(
    task: Task, solutions: list[Solution], *, solver: str, seconds: float, more: dict[str, Any] | None = None
) -> SvmFit:
    """The result, with examples in the order of LIBSVM; `more` goes to the provenance of the machine."""
    alphas = [solution.alpha for solution in solutions]
    n_classes = int(task.labels.max()) + 1  # one where there are no labels
    folded = solver == "cutting-plane"  # one of equal examples stands for all
    used, table = compact_coefficients(task.problems, alphas, task.labels, n_classes, task.scheme, folded=folded)
    order = np.argsort(task.labels[used], kind="stable")
    support, compact = used[order], table[order]
    n_support = np.bincount(task.labels[support], minlength=n_classes)
    coef = pairwise_coef(compact, n_support) if task.scheme is Scheme.ONE_VS_ONE else compact
    intercept = np.array([solution.intercept for solution in solutions])
    vectors = None if isinstance(task.settings.kernel, str) else take(task.rows.data, support)
    handed_over = np.array([solution.handed_over for solution in solutions])
    return SvmFit(
        settings=task.settings,
        machine=_machine(task, vectors, coef, intercept, _provenance(task, solver, handed_over) | (more or {})),
        scheme=task.scheme,
        support=support,
        support_vectors=vectors,
        dual_coef=np.ascontiguousarray(compact.T),
        coef=coef,
        intercept=intercept,
        n_support=n_support.astype(np.int32),
        n_iter=np.array([min(solution.iterations, _MOST) for solution in solutions], dtype=np.int32),
        objective=np.array([solution.objective for solution in solutions]),
        violation=np.array([solution.violation for solution in solutions]),
        converged=all(solution.converged for solution in solutions),
        solver=solver,
        handed_over=handed_over,
        primal=np.array([np.nan if solution.primal is None else solution.primal for solution in solutions]),
        seconds=seconds,
        nbytes=task.rows.nbytes + int((more or {}).get("operator_bytes", 0)),
        problems=task.problems,
        alphas=alphas,
        gradients=[_known(solution.gradient) for solution in solutions],
        gradient_errors=[_known(solution.gradient_errors) for solution in solutions],
        rows=task.rows,
        conversion=task.rows.choice,
    )


def _known(gradient: Floats | None) -> Floats:
    return np.empty(0) if gradient is None else gradient


def _provenance(task: Task, solver: str, handed_over: Flags) -> dict[str, Any]:
    how: dict[str, Any] = {"trained": "batch", "solver": solver, "C": task.settings.C, "tol": task.settings.tol}
    if any(isinstance(problem, PairProblem) for problem in task.problems):
        how["ranks"] = True
    if solver == "dual-cd":
        how["handed_over"] = handed_over.tolist()
    if solver == "cutting-plane" and task.settings.sampling is not None:
        how |= {name: getattr(task.settings, name) for name in ("sampling", "sample_size", "seed", "confirm")}
    if task.rows.choice.converts:
        how["converted"] = True
    return how | _unusual(task)


def _unusual(task: Task) -> dict[str, Any]:
    """What another training needs to know besides: the intercept, the rule for C, weights."""
    settings, found = task.settings, dict[str, Any]()
    if not settings.fit_intercept:
        found["fit_intercept"] = False
    elif settings.intercept_scaling is not None:
        found["intercept_scaling"] = settings.intercept_scaling
    if settings.auto_cost:
        found["C_rule"] = "auto"
    return found if task.classes is None or task.scheme is Scheme.ONE_CLASS else found | _weights(task)


def _weights(task: Task) -> dict[str, Any]:
    """Factors of C: of classes, or that examples had their own."""
    costs = np.zeros(len(task.labels))
    for problem in task.problems:
        costs[problem.members] = problem.costs
    first = [int(np.flatnonzero(task.labels == number)[0]) for number in range(int(task.labels.max()) + 1)]
    if not np.array_equal(costs, costs[first][task.labels]):
        return {"weighted": True}
    factors = costs[first] / task.settings.cost
    return {} if (factors == 1).all() else {"class_factors": factors.tolist()}


def _machine(task: Task, support: Any, coef: Any, intercept: Floats, provenance: dict[str, Any]) -> Machine | None:
    kernel = task.settings.kernel
    if not isinstance(kernel, Kernel):
        return None
    more: dict[str, Any] = {"provenance": provenance}
    if isinstance(support, Rows):
        more["first_id"] = task.first_id
    # LIBSVM decides on the negated score of two classes: at exactly 0 it answers the second one
    zero_class = int(task.scheme is Scheme.BINARY)
    return Machine(kernel, support, coef, intercept, task.classes, task.scheme, zero_class=zero_class, **more)
