"""What batch SVMs share as scikit-learn estimators: kernels by name, checks of data, fitted attributes, scores."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from gristmill.base.arrays import Flags, Floats, Indices, Int32s
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows, are_ids, as_rows, check_binarize, ids_as_csr
from gristmill.data.targets import check_no_missing, check_values
from gristmill.estimators.base import KernelEstimator, example_weights
from gristmill.estimators.forgetting import (
    NOT_KEPT,
    TrainingExamples,
    check_is_training,
    chosen,
    receipt_of,
    with_names_purged,
)
from gristmill.kernels import Kernel, as_kernel
from gristmill.kernels.by_name import finds_gamma, row_kernel
from gristmill.kernels.conversion.forest import are_converted_together
from gristmill.kernels.named import ROW_KERNELS, SEQUENCE_KERNELS, TREE_KERNELS
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import votes_and_confidence
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.batch.forgetting import Forgetting, forget
from gristmill.solvers.batch.present import Present
from gristmill.solvers.batch.result import SvmFit, SvmInterrupted, Task
from gristmill.solvers.batch.settings import PRECOMPUTED, SvmKernel, SvmSettings


class KernelSVM(KernelEstimator):
    """Subclasses call `_keep` in `fit`."""

    _learned: _Learned
    _examples: TrainingExamples | None
    n_iter_: Int32s | int

    @property
    def support_vectors_(self) -> Any:
        """As the kernel compares them: a table or sparse matrix, as X was, a Forest or Examples; else empty."""
        self._after_fit("support_vectors_")
        vectors = self._learned.fit.support_vectors
        if vectors is None:
            return np.empty((0, 0))
        if not isinstance(vectors, Rows):
            return vectors
        return vectors.to_csr() if self._learned.is_sparse else vectors.to_csr().toarray()

    @property
    def gamma_(self) -> float:
        """Of the kernel, a number; for kernels that have one."""
        self._after_fit("gamma_")
        gamma = getattr(self._learned.kernel, "gamma", None)
        if gamma is None:
            raise AttributeError(f"there is no gamma_ for kernel={self.kernel!r}")
        return float(gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        what = _reads(self.kernel)
        tags.input_tags.pairwise = what == PRECOMPUTED
        tags.input_tags.sparse = what in ("rows", "anything")
        tags.input_tags.two_d_array = what in ("rows", "anything", PRECOMPUTED)
        tags.input_tags.string = what in ("trees", "sequences")
        return tags

    # --- data ---------------------------------------------------------------------------------------------------------

    def _svm_kernel(self, rows: Rows | None = None) -> SvmKernel:
        """The kernel, parsed; before there are rows to find it from, gamma is any number."""
        check_binarize(self.binarize)
        kernel = self.kernel
        if isinstance(kernel, str) and kernel in ROW_KERNELS:
            return row_kernel(kernel, rows, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        if isinstance(kernel, str) and kernel == PRECOMPUTED:
            return PRECOMPUTED
        if isinstance(kernel, str) and kernel not in _OF_TREES:
            names = ", ".join(map(repr, (*ROW_KERNELS, PRECOMPUTED, *_OF_TREES)))
            raise ValueError(f"kernel must be a gristmill kernel, a callable or one of {names}, got {kernel!r}")
        return kernel if callable(kernel) and not isinstance(kernel, Kernel) else as_kernel(kernel)

    def _svm_settings(self, **others: Any) -> SvmSettings:
        settings: SvmSettings = self._settings_for(SvmSettings, kernel=self._svm_kernel(), **others)
        return settings

    def _settings_on(self, settings: SvmSettings, data: Any) -> SvmSettings:
        """The settings with the kernel for these data."""
        return replace(settings, kernel=self._svm_kernel(data)) if isinstance(data, Rows) else settings

    def _training_data(
        self, X: Any, y: Any, kernel: SvmKernel, feature_names: Any = None, **options: Any
    ) -> tuple[Any, NDArray[Any]]:
        """X as the kernel takes it, and y, both checked; `options` go to scikit-learn's check of y."""
        check_no_missing(y)
        if options.get("y_numeric"):
            check_values(y)
        if _is_table(kernel, X):
            X, y = validate_data(self, ids_as_csr(X), y, accept_sparse=_sparse(kernel), dtype="numeric", **options)
            return self._table(X, kernel, feature_names), y
        y = validate_data(self, y=y, **options)
        data = self._structured(X, kernel, feature_names)
        check_consistent_length(data, y)
        return data, y

    def _training_data_alone(self, X: Any, kernel: SvmKernel, feature_names: Any = None) -> Any:
        """The same without y."""
        if not _is_table(kernel, X):
            return self._structured(X, kernel, feature_names)
        X = validate_data(self, ids_as_csr(X), accept_sparse=_sparse(kernel), dtype="numeric")
        return self._table(X, kernel, feature_names)

    def _table(self, X: Any, kernel: SvmKernel, feature_names: Any) -> Any:
        self.shape_fit_ = X.shape
        names = self._column_names(feature_names)
        data = self._as_compared(X, kernel, training=True)
        if not isinstance(data, Rows):
            _check_no_names(feature_names, kernel)
            return data
        return data if names is None else replace(data, feature_names=names)

    def _structured(self, X: Any, kernel: SvmKernel, feature_names: Any) -> Any:
        _check_no_names(feature_names, kernel)
        for name in ("n_features_in_", "feature_names_in_"):  # of an earlier fit on vectors
            self.__dict__.pop(name, None)
        data = kernel.examples(X) if isinstance(kernel, Kernel) else _own_list(X)
        if len(data) == 0:
            raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
        self.shape_fit_ = (len(data),)
        return data

    def _data_to_score(self, X: Any) -> Any:
        check_is_fitted(self)
        kernel = self._learned.kernel
        if not _is_table(kernel, X):
            return kernel.examples(X) if isinstance(kernel, Kernel) else _own_list(X)
        table = ids_as_csr(X, self.n_features_in_)
        checked = validate_data(self, table, accept_sparse=_sparse(kernel), dtype="numeric", reset=False)
        counts_all = isinstance(kernel, Kernel) and are_ids(X)  # ids beyond the columns count for the length of a row
        return self._as_compared(X if counts_all else checked, kernel)

    def _as_compared(self, X: Any, kernel: SvmKernel, *, training: bool = False) -> Any:
        return as_rows(X, binarize=self.binarize, training=training) if isinstance(kernel, Kernel) else X

    def _learn(self, train: Callable[..., SvmFit], keep: Callable[[SvmFit], None]) -> None:
        """Train and keep the result, also of an interrupted training."""
        try:
            with self._reporting() as progress:
                keep(train(progress=progress))
        except SvmInterrupted as stopped:
            keep(stopped.fit)
            raise

    def _keep(self, fit: SvmFit, kernel: SvmKernel, *, is_sparse: bool) -> None:
        """Set the fitted attributes."""
        self.__dict__.pop("receipt_", None)
        self.support_ = fit.support.astype(np.int32)
        self.dual_coef_ = fit.dual_coef
        self.intercept_ = fit.intercept
        self.n_support_ = fit.n_support
        self.n_iter_ = fit.n_iter
        self.objective_ = fit.objective
        self.fit_status_ = int(not fit.converged)
        if hasattr(self, "C"):
            self.C_ = fit.settings.cost
        self._learned = _Learned(fit, kernel, self.binarize, is_sparse=is_sparse)

    def _learn_alone(self, train: Callable[..., SvmFit], kernel: SvmKernel, X: Any, examples: TrainingExamples) -> None:
        """The same for one output, without warm starts."""

        def keep(fit: SvmFit) -> None:
            self._keep_alone(fit, kernel, is_sparse=sp.issparse(X))
            self._keep_examples(examples, fit)

        self._learn(train, keep)

    def _keep_alone(self, fit: SvmFit, kernel: SvmKernel, *, is_sparse: bool) -> None:
        self._keep(fit if self.keep_examples else fit.without_state(), kernel, is_sparse=is_sparse)
        self.n_iter_ = int(fit.n_iter[0])

    # --- forgetting ---------------------------------------------------------------------------------------------------

    def forget(self, indices: Any, X: Any = None, y: Any = None, sample_weight: Any = None) -> Any:
        """Forget training examples: what is left is the machine of the others, as `fit` learns it, up to `tol`.

        The estimator changes in place, since what is to be forgotten must not live on in another one. `receipt_` says
        how well the remaining problem is solved, with digests of the examples and of the machine, before and after. If
        it is interrupted, nothing has changed.

        Parameters
        ----------
        indices : int, sequence of ints, or mask
            Of the examples of the last `fit` or `forget`, from 0. Those that remain are numbered anew.
        X, y, sample_weight
            The examples of the last `fit` or `forget` again, all of them, in the same order; not needed with
            `keep_examples`.
        """
        check_is_fitted(self)
        begin, before = time.perf_counter(), self._learned.fit
        examples = self._training_examples(X, y, sample_weight)
        forgotten = chosen(indices, len(examples))
        after, recomputed = self._fitted_anew(examples, forgotten) or self._without(before, examples, forgotten)
        if not hasattr(self, "feature_names_in_"):  # columns of frames are a layout, and `predict` asks for them
            after = with_names_purged(after, examples.data, forgotten)
        rest = examples.without(forgotten, after.rows)
        self._keep_forgotten(after, examples, forgotten)
        self._keep_examples(rest, after)
        self._count_examples(len(rest))
        seconds = time.perf_counter() - begin
        self.receipt_ = receipt_of(before, after, (examples, rest), forgotten, recomputed, seconds)
        return self

    def _without(self, before: SvmFit, examples: TrainingExamples, forgotten: Flags) -> tuple[SvmFit, tuple[str, ...]]:
        """The fit of the others, and the names of what was found anew."""
        task = self._task(examples, before)
        asked, recomputed = self._asked(task, examples, forgotten)
        present = Present.of(before, task, self._present_scores)
        with self._reporting() as progress:
            after = forget(present, asked, before.solver, n_jobs=self.n_jobs, progress=progress)
        return self._found_anew(after, examples, forgotten), recomputed

    def _fitted_anew(self, examples: TrainingExamples, forgotten: Flags) -> tuple[SvmFit, tuple[str, ...]] | None:
        """The fit of the others from the beginning, where the last one does not help; else None.

        Where gamma was found from all examples, without some all values of the kernel are others; of a kernel that is
        not semidefinite there may be other solutions near the last one than the one that `fit` finds.
        """
        kernel = self._learned.kernel
        finds, bounded = finds_gamma(self.kernel, self.gamma), not isinstance(kernel, Kernel) or kernel.is_semidefinite
        if bounded and not finds:
            return None
        rest, fresh = examples.without(forgotten, None), clone(self).set_params(keep_examples=True)
        more = rest.weights if rest.queries is None else rest.queries
        fresh.fit(rest.data, rest.y, more, getattr(rest.data, "feature_names", None))
        return fresh._learned.fit, ("gamma",) if finds else ("solution",)

    def _keep_examples(self, examples: TrainingExamples, fit: SvmFit) -> None:
        known = examples if examples.rows is fit.rows else replace(examples, rows=fit.rows)
        self._examples = known if self.keep_examples else None

    def _count_examples(self, size: int) -> None:
        is_gram = self._learned.kernel == PRECOMPUTED
        self.shape_fit_ = (size, size) if is_gram else (size, *self.shape_fit_[1:])
        if is_gram:
            self.n_features_in_ = size

    def _training_examples(self, X: Any, y: Any, sample_weight: Any) -> TrainingExamples:
        """Those that were kept, or that are given again."""
        kept: TrainingExamples | None = getattr(self, "_examples", None)
        if X is None:
            if kept is None:
                raise ValueError(NOT_KEPT)
            if y is not None or sample_weight is not None:
                raise ValueError("y and sample_weight are for examples that are given again: give X as well")
            return kept
        data = self._data_to_score(X)
        fit, support = self._learned.fit, self._learned.fit.support_vectors
        if isinstance(data, Rows) and isinstance(support, Rows):
            data = replace(data, feature_names=support.feature_names)
        check_is_training(data, fit, self.shape_fit_[0])
        y = self._targets(y, len(data))
        return TrainingExamples(data, y, example_weights(sample_weight, np.empty(len(data)) if y is None else y))

    def _present_scores(self, data: Any) -> Floats:
        learned = self._learned
        if learned.fit.machine is None:
            return learned.fit.gram_scores(data)
        found = learned.scorer.decision_function(data, self.n_jobs)
        return np.asarray(found.reshape(len(found), -1))

    def _found_anew(self, fit: SvmFit, examples: TrainingExamples, forgotten: Flags) -> SvmFit:
        """With what else is learned from all examples."""
        return fit

    def _targets(self, y: Any, size: int) -> NDArray[Any] | None:
        """y of examples that are given again, checked."""
        raise NotImplementedError

    def _task(self, examples: TrainingExamples, fit: SvmFit) -> Task:
        """The problems that the fit has solved."""
        raise NotImplementedError

    def _asked(self, task: Task, examples: TrainingExamples, forgotten: Flags) -> tuple[Forgetting, tuple[str, ...]]:
        """What is to be forgotten, with the costs of the others, and the names of what is found anew."""
        raise NotImplementedError

    def _keep_forgotten(self, fit: SvmFit, examples: TrainingExamples, forgotten: Flags) -> None:
        self._keep_alone(fit, fit.settings.kernel, is_sparse=self._learned.is_sparse)

    def _score(self, X: Any) -> Floats:
        """The score of each example, of one output."""
        return np.asarray(self._scores(X)[:, 0])

    def _scores(self, X: Any) -> Floats:
        """Raw scores, examples x outputs."""
        data = self._data_to_score(X)
        if self._learned.fit.machine is None:
            return self._learned.fit.gram_scores(data)
        return trusted_scores(self._learned.scorer_for(data), data, self.n_jobs)


class _Learned:
    """The result of a fit, and its scorers, each compiled when needed."""

    def __init__(self, fit: SvmFit, kernel: SvmKernel, binarize: Any, *, is_sparse: bool) -> None:
        self.fit = fit
        self.kernel = kernel
        self.binarize = binarize
        self.is_sparse = is_sparse

    def __getstate__(self) -> dict[str, Any]:
        """A pickle leaves out conversions."""
        return {name: value for name, value in self.__dict__.items() if name != "converted"}

    @property
    def machine(self) -> Machine | None:
        return self.fit.machine

    @functools.cached_property
    def scorer(self) -> Scorer:
        """For values other than 0 and 1 the engine 'direct'."""
        return self._compiled("auto")

    def scorer_for(self, data: Any) -> Scorer:
        """Trees that were converted together with the support trees have a scorer of their own."""
        machine = self.fit.machine
        together = machine is not None and are_converted_together(machine.support, data)
        return self.converted if together else self.scorer

    @functools.cached_property
    def converted(self) -> Scorer:
        return self._compiled("converted")

    @functools.cached_property
    def definition(self) -> Scorer:
        return self._compiled("direct")

    def _compiled(self, engine: str) -> Scorer:
        assert self.fit.machine is not None
        return self.fit.machine.compile(engine, binarize=False if self.binarize is False else 0.0)


_OF_TREES = (*TREE_KERNELS, *SEQUENCE_KERNELS)


def _reads(kernel: Any) -> str:
    """The kind of data of a kernel, parsed or not; 'rows' for an invalid one."""
    if isinstance(kernel, str):
        if kernel in SEQUENCE_KERNELS:
            return "sequences"
        return "trees" if kernel in TREE_KERNELS else PRECOMPUTED if kernel == PRECOMPUTED else "rows"
    if isinstance(kernel, Kernel):
        return kernel.reads
    return "anything" if callable(kernel) else "rows"


def _is_table(kernel: SvmKernel, X: Any) -> bool:
    """True for numbers, which scikit-learn checks. Callables also take lists of strings, forests and examples."""
    what = _reads(kernel)
    if what != "anything":
        return what in ("rows", PRECOMPUTED)
    is_list = isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], str)
    return not (isinstance(X, Forest | Examples) or is_list)


def _sparse(kernel: SvmKernel) -> Any:
    """The parameter `accept_sparse` of scikit-learn's checks."""
    return False if kernel == PRECOMPUTED else "csr"


def _check_no_names(feature_names: Any, kernel: SvmKernel) -> None:
    if feature_names is not None:
        raise ValueError(f"feature_names are for rows of features; kernel {kernel} compares other things")


def _own_list(X: Any) -> Any:
    return list(X) if isinstance(X, list | tuple) else X[:]


_CLOSE = 1e-6  # differences of confidence within rounding


def most_confident(scorer: Scorer, rows: Any, definition: Callable[[], Scorer], n_jobs: int | None) -> Indices:
    """Class numbers, ties of votes broken by confidence. Where rounding could decide, scores come from 'direct'."""
    n_classes = scorer.machine.n_classes
    confidence = votes_and_confidence(trusted_scores(scorer, rows, n_jobs), n_classes)
    top = np.sort(confidence, axis=1)[:, -2:]
    close = np.flatnonzero(top[:, 1] - top[:, 0] <= _CLOSE)
    if len(close):
        scores = trusted_scores(definition(), rows.take(close), n_jobs)
        confidence[close] = votes_and_confidence(scores, n_classes)
    return np.asarray(np.argmax(confidence, axis=1))
