"""Leave-one-out predictions of all training examples, from one solution."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gristmill.base.arrays import Flags, Floats
from gristmill.base.progress import Progress
from gristmill.display.words import counted, quoted_label
from gristmill.estimators.forgetting import TrainingExamples
from gristmill.estimators.kernel_svm import KernelSVM
from gristmill.estimators.ranker import KernelRanker
from gristmill.kernels import Kernel
from gristmill.kernels.by_name import finds_gamma
from gristmill.machines.schemes import DecisionRule, Scheme
from gristmill.solvers.batch.leave_one_out import left_out_scores
from gristmill.solvers.batch.present import Present
from gristmill.solvers.cost_scale import AUTO


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """What machines say about the examples that they were not given.

    Parameters
    ----------
    numbers : int array
        Of the training examples.
    predictions : array
        Labels, or values.
    scores : float array, examples x outputs
    truth : array or None
    solved : bool array
        Which examples took a solution of their own; without the others the machine is the same.
    """

    numbers: NDArray[Any]
    predictions: NDArray[Any]
    scores: Floats
    truth: NDArray[Any] | None
    solved: Flags

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def score(self) -> float:
        """The share of right labels; of values the mean squared error."""
        if self.truth is None:
            raise ValueError("a one-class machine has no labels to compare with")
        if self.truth.dtype.kind == "f" and self.predictions.dtype.kind == "f":
            return float(np.mean(np.square(self.predictions - self.truth)))
        return float(np.mean(self.predictions == self.truth))

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "examples": self.numbers.tolist(),
            "predictions": self.predictions.tolist(),
            "scores": self.scores.tolist(),
            "solved": int(self.solved.sum()),
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)

    def __repr__(self) -> str:
        return (
            f"LeaveOneOut({counted(len(self), 'example')}, {counted(int(self.solved.sum()), 'solution')} of their own)"
        )


def leave_one_out(
    model: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    indices: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Predict each training example by the machine that is learned from all others; exact up to `tol`.

    Without an example whose coefficient is 0 the machine is the same, but for its intercept where no coefficient is
    free. For each of the others the problem is solved again from the present solution, with rows of the kernel that all
    share.

    Parameters
    ----------
    model : fitted KernelSVC, KernelSVR or KernelOneClassSVM
    X, y, sample_weight
        The examples of the last `fit` again; not needed with ``keep_examples=True``.
    indices : sequence of int or None
        These examples alone.
    n_jobs : int or None
        Threads; None is the estimator's. Never changes a result.
    progress : callable or None
        Called with (done, total). Raise in it, or press Ctrl-C, to stop.

    Examples
    --------
    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]]
    >>> clf = gm.KernelSVC(degree=2, keep_examples=True).fit(X, ["a", "a", "b", "b", "a", "b"])
    >>> found = gm.leave_one_out(clf)
    >>> found.predictions
    array(['a', 'a', 'b', 'b', 'a', 'b'], dtype='<U1')
    >>> found
    LeaveOneOut(6 examples, 4 solutions of their own)
    """
    if not isinstance(model, KernelSVM) or isinstance(model, KernelRanker):
        raise ValueError(
            f"leave_one_out is for KernelSVC, KernelSVR and KernelOneClassSVM, got {type(model).__name__}: other "
            "learners have no solution that can be changed by one example"
        )
    check_is_fitted(model)
    examples = model._training_examples(X, y, sample_weight)
    _check(model, examples)
    numbers = np.arange(len(examples)) if indices is None else np.unique(np.asarray(indices, dtype=np.intp))
    if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < len(examples):
        raise ValueError(f"indices must be from 0 to {len(examples) - 1}, got {numbers.min()} to {numbers.max()}")
    fit, jobs = model._learned.fit, model.n_jobs if n_jobs is None else n_jobs
    present = Present.of(fit, model._task(examples, fit), model._present_scores)
    scores = model._present_scores(examples.data)
    share = model.nu if fit.scheme is Scheme.ONE_CLASS else None
    found, solved = left_out_scores(present, scores, numbers, share=share, n_jobs=jobs, progress=progress)
    truth = None if examples.y is None else examples.y[numbers]
    return LeaveOneOut(numbers, _answers(model, found), found, truth, solved)


def _answers(model: Any, scores: Floats) -> NDArray[Any]:
    fit = model._learned.fit
    if fit.scheme is Scheme.REGRESSION:
        return np.asarray(scores[:, 0])
    if fit.scheme is Scheme.ONE_CLASS:
        return np.where(scores[:, 0] > 0, 1, -1)
    size = len(model.classes_)
    return np.asarray(model.classes_[DecisionRule(fit.scheme, size, int(size == 2)).classes(scores)])


def _check(model: Any, examples: TrainingExamples) -> None:
    """Refuse what depends on all examples, by name, and what no machine can be learned without."""
    if getattr(model, "C", None) == AUTO:
        raise ValueError(f"C='auto' is another number without each example: fit with C={model.C_!r}, the one it found")
    if finds_gamma(model.kernel, model.gamma):
        raise ValueError(
            f"gamma is another number without each example: fit with gamma={model.gamma_!r}, the one it found"
        )
    kernel = model._learned.kernel
    if isinstance(kernel, Kernel) and not kernel.is_semidefinite:
        raise ValueError(
            f"{kernel!r} is not known to be positive semidefinite: what is left may have several solutions"
        )
    if isinstance(weight := getattr(model, "class_weight", None), str):
        factors = dict(zip(model.classes_.tolist(), model.class_weight_.tolist(), strict=True))
        raise ValueError(
            f"class_weight={weight!r} is another weight without each example: fit with class_weight={factors}"
        )
    solver = model._learned.fit.solver
    if solver == "cutting-plane":
        raise ValueError("the solution of solver='cutting-plane' is too coarse to leave one out: fit with solver='smo'")
    if hasattr(model, "classes_") and examples.y is not None:
        counts = [int(((examples.y == label) & (examples.factors > 0)).sum()) for label in model.classes_]
        if min(counts) < 2:
            raise ValueError(
                f"class {quoted_label(model.classes_[int(np.argmin(counts))])} has 1 example, and without it the "
                "machine would have another shape: leave one out where every class has 2"
            )
