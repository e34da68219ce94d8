"""How text analysers learn: a machine with named features from rows of decisions, by any solver and scheme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Int32s
from gristmill.base.checks import check_choice, check_positive, check_positive_int
from gristmill.base.progress import Progress, part_progress
from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.machines.linear import as_weights
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs
from gristmill.solvers.batch import SvmInterrupted, SvmSettings, train_svm
from gristmill.solvers.online import OnlineLearner, OnlineSettings

SOLVERS = ("online", "dual-cd", "smo")
MULTICLASS = ("auto", "native", "ovr", "ovo")

# Prices of errors that have served well. Few chances to learn, of single features alone or of rare classes, take more.
_COSTS = {"online": 0.002, "dual-cd": 0.01, "smo": 0.01}
_LINEAR_COST = 0.1
_RARE_COST = 0.1
_RARE = 0.1  # the share of decisions that are not the commonest one, below which classes are rare
_ORDER = 0  # the seed of the order of examples

T = TypeVar("T")


@dataclass(frozen=True)
class Learning:
    """Settings of a learner of decisions; see `Tagger`, which has the same parameters."""

    solver: str = "online"
    multiclass: str = "auto"
    degree: int = 2
    C: float | None = None
    epochs: int = 10

    def __post_init__(self) -> None:
        check_choice("solver", self.solver, SOLVERS)
        check_choice("multiclass", self.multiclass, MULTICLASS)
        if self.multiclass == "native" and self.solver != "online":
            raise ValueError(
                f"multiclass='native' is of solver='online', got solver={self.solver!r}: use 'ovr' or 'ovo'"
            )
        check_positive_int("degree", self.degree)
        check_positive_int("epochs", self.epochs)
        check_positive("C", self.C, or_none=True)

    @property
    def kernel(self) -> PolynomialKernel:
        return PolynomialKernel(int(self.degree))

    @property
    def cost(self) -> float:
        """The price of an error, where nothing is known of the decisions."""
        if self.C is not None:
            return float(self.C)
        return _LINEAR_COST if self.solver == "online" and self.degree == 1 else _COSTS[self.solver]

    def settled(self, labels: Int32s) -> Learning:
        """The same with a price of errors that serves these decisions, unless it has one."""
        others = len(labels) - np.bincount(labels).max(initial=0)
        is_rare = self.solver == "online" and others < _RARE * len(labels)
        return replace(self, C=max(self.cost, _RARE_COST) if is_rare and self.C is None else self.cost)

    @property
    def scheme(self) -> str:
        """native, ovr or ovo."""
        if self.multiclass != "auto":
            return self.multiclass
        return "native" if self.solver == "online" else "ovr"


def recovered_learning(machine: Machine) -> dict[str, Any]:
    """Parameters read off a machine; it does not know how many epochs there were."""
    known = machine.provenance
    found: dict[str, Any] = {"degree": machine.polynomial.degree}
    if known.get("solver") in SOLVERS:
        found["solver"] = known["solver"]
    if isinstance(known.get("C"), Real) and known["C"] > 0:
        found["C"] = known["C"]
    if machine.scheme is Scheme.ONE_VS_ONE:
        found["multiclass"] = "ovo"
    return found


class LearningInterrupted(KeyboardInterrupt):
    """Learning was interrupted; `learned` is what there is so far: a machine or, of a parser, all it needs."""

    def __init__(self, learned: Any) -> None:
        super().__init__()
        self.learned = learned


def keep_learned(learn: Callable[[], T], keep: Callable[[T], None]) -> None:
    """Learn and keep it; where learning is interrupted, keep what there is so far and raise again."""
    try:
        learned = learn()
    except LearningInterrupted as stop:
        keep(stop.learned)
        raise
    keep(learned)


def learn(
    rows: Rows,
    labels: Int32s,
    classes: Sequence[str],
    how: Learning,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Machine:
    """A machine that tells classes, named by their numbers in `labels`; LearningInterrupted keeps what there is.

    One of degree 1 has weights of features, not examples.
    """
    if len(classes) < 2:
        raise ValueError(f"all decisions are {listed_labels(classes)}: there is nothing to tell apart")
    try:
        return as_weights(_learned(_Task(rows, labels, classes, how.settled(labels), n_jobs, progress)))
    except LearningInterrupted as stop:
        raise LearningInterrupted(as_weights(stop.learned)) from stop


def _learned(task: _Task) -> Machine:
    how = task.how
    if how.solver != "online":
        return _learn_svm(task)
    if how.scheme == "native" or len(task.classes) == 2:
        return _learn_online(task)
    return _learn_parts(task)


def decidable(
    rows: Rows, labels: Int32s, classes: Sequence[str], others: Sequence[str]
) -> tuple[Rows, Int32s, list[str]]:
    """The same with classes that occur alone. Where these are not two, examples without features are of others."""
    used = np.unique(labels)
    kept = [classes[number] for number in used.tolist()]
    added = [one for one in others if one not in kept][: max(0, 2 - len(kept))]
    offsets = np.append(rows.offsets, np.full(len(added), rows.offsets[-1]))
    more = np.arange(len(kept), len(kept) + len(added), dtype=np.int32)
    numbers = np.append(np.searchsorted(used, labels).astype(np.int32), more)
    return Rows(offsets, rows.ids, n_features=rows.n_features), numbers, [*kept, *added]


def named(machine: Machine, names: Sequence[str], provenance: dict[str, Any]) -> Machine:
    """The machine with names of features; those that no support row has say nothing and are left out."""
    return named_together([machine], names, provenance)[0]


def named_together(machines: Sequence[Machine], names: Sequence[str], provenance: dict[str, Any]) -> list[Machine]:
    """The same for machines that share their features; the first one remembers where they came from."""
    used = np.unique(np.concatenate([machine.rows.ids for machine in machines]))
    number = np.zeros(len(names), dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    kept = [names[feature] for feature in used.tolist()]
    first = _renumbered(machines[0], number, kept, provenance)
    return [first, *(_renumbered(machine, number, first.feature_names or kept, {}) for machine in machines[1:])]


def _thinned(coef: Any) -> Any:
    """Coefficients without zeros, where there are many: an online learner leaves a row two or three of its classes."""
    is_thin = isinstance(coef, np.ndarray) and coef.shape[1] > 2 and 4 * np.count_nonzero(coef) < coef.size
    return sp.csr_matrix(coef) if is_thin else coef


def _renumbered(machine: Machine, number: Int32s, names: Sequence[str], provenance: dict[str, Any]) -> Machine:
    return machine.replace(
        support=Rows(machine.rows.offsets, number[machine.rows.ids], n_features=len(names)),
        coef=_thinned(machine.coef),
        feature_names=names,
        provenance=machine.provenance | provenance,
    )


def learn_trees(
    kernel: Kernel | str,
    examples: Any,
    labels: Any,
    C: float,
    multiclass: str = "ovr",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Machine:
    """A support vector machine on trees; LearningInterrupted keeps what there is."""
    from gristmill.estimators import KernelSVC

    svm = KernelSVC(kernel, C=C, multiclass=multiclass, n_jobs=n_jobs, progress=progress)
    try:
        svm.fit(examples, labels)
    except KeyboardInterrupt as stop:
        if hasattr(svm, "machine_"):
            raise LearningInterrupted(svm.machine_) from stop
        raise
    machine: Machine = svm.machine_
    return machine


# --- solvers ----------------------------------------------------------------------------------------------------------


class _Task(NamedTuple):
    """What is to be learned, and how."""

    rows: Rows
    labels: Int32s
    classes: Sequence[str]
    how: Learning
    n_jobs: int | None
    progress: Progress | None


def _learn_svm(task: _Task) -> Machine:
    rows, labels, classes, how, n_jobs, progress = task
    settings = SvmSettings(how.kernel, C=how.cost, solver=how.solver, multiclass=how.scheme)
    try:
        fit = train_svm(rows, labels, np.array(classes), settings, n_jobs=n_jobs, progress=progress)
    except SvmInterrupted as stop:
        if stop.fit.machine is None:
            raise
        raise LearningInterrupted(stop.fit.machine) from stop
    assert fit.machine is not None  # it has a kernel
    return fit.machine


def _learn_online(task: _Task) -> Machine:
    rows, labels, classes, how, n_jobs, progress = task
    settings = OnlineSettings(how.kernel, C=how.cost, epochs=how.epochs)
    learner = OnlineLearner(settings, np.array(classes))
    try:
        learner.learn(rows, labels, passes=how.epochs, seed=_ORDER, n_jobs=n_jobs, progress=progress)
    except KeyboardInterrupt as stop:
        raise LearningInterrupted(learner.machine()) from stop
    return learner.machine()


def _learn_parts(task: _Task) -> Machine:
    """A machine for each class against the rest, or for each pair of classes, as one."""
    rows, labels, classes, how, *_ = task
    parts = list[Machine]()
    everything = np.arange(len(labels))
    sides: list[tuple[int, int | None]] = [(one, None) for one in range(len(classes))]
    if how.scheme == "ovo":
        sides = [*pairs(len(classes))]
    for number, (one, other) in enumerate(sides):
        of_part = part_progress(task.progress, number, len(sides))
        chosen = everything if other is None else np.flatnonzero((labels == one) | (labels == other))
        some = rows if other is None else rows.take(chosen)
        found = (labels[chosen] == one).astype(np.int32)
        try:
            parts.append(_learn_online(_Task(some, found, ["rest", "one"], how, task.n_jobs, of_part)))
        except LearningInterrupted as stop:
            counts = np.bincount(labels, minlength=len(classes)).tolist()
            missing = [_guess(rows, how, counts, *side) for side in sides[number + 1 :]]
            raise LearningInterrupted(_joined([*parts, stop.learned, *missing], classes, how)) from stop
    return _joined(parts, classes, how)


def _guess(rows: Rows, how: Learning, counts: list[int], one: int, other: int | None) -> Machine:
    """A part that has learned nothing and says what is commoner, with the margin that it would have learned."""
    others = sum(counts) - counts[one] if other is None else counts[other]
    nothing = sp.csr_matrix((0, rows.n_features))
    return Machine(how.kernel, nothing, np.zeros(0), 1.0 if counts[one] > others else -1.0, ["rest", "one"])


def _joined(parts: list[Machine], classes: Sequence[str], how: Learning) -> Machine:
    scheme = Scheme.ONE_VS_REST if how.scheme == "ovr" else Scheme.ONE_VS_ONE
    return Machine(
        how.kernel,
        sp.vstack([part.rows.to_csr() for part in parts], format="csr"),
        sp.block_diag([part.dense_coef() for part in parts], format="csr"),
        np.concatenate([part.intercept for part in parts]),
        classes,
        scheme,
        provenance=parts[0].provenance,
    )
