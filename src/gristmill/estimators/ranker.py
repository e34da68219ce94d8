"""Ranking with any kernel, from preferences between examples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gristmill.base.arrays import Flags, Floats
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.estimators.forgetting import TrainingExamples
from gristmill.estimators.kernel_svm import KernelSVM
from gristmill.solvers.batch.deduplicate import purged, take
from gristmill.solvers.batch.problems import preferences
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.settings import check_semidefinite
from gristmill.solvers.batch.training import train_ranker


class KernelRanker(KernelSVM):
    """Learns to order examples, such as the parses of a sentence or the answers to a question: RankSVM with any kernel.

    Minimises ``1/2 |w|^2 + C sum_p max(0, 1 - w (phi(x_i) - phi(x_j)))`` over all pairs p = (i, j) of one query where
    y_i > y_j, by exact cutting planes: what is compared are examples, never pairs of pairs.

    Parameters
    ----------
    kernel : str, kernel or callable
    degree, gamma, coef0 : int, float or str, float
        See `KernelSVC`.
    C : float
        The price of a pair in the wrong order.
    tol, max_iter, line_search, patience, binarize, max_bytes, keep_examples, n_jobs, verbose, progress
        See `KernelSVC` with solver 'cutting-plane'.

    Attributes
    ----------
    machine_, scorer_, support_, support_vectors_, dual_coef_, n_iter_, objective_, fit_status_, gamma_
        See `KernelSVC`; there is one output, the score, and `n_iter_` is an int.

    Examples
    --------
    Two questions with three answers each:

    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    >>> ranker = gm.KernelRanker("linear").fit(X, y=[2, 1, 0, 2, 1, 0], qid=[0, 0, 0, 1, 1, 1])
    >>> ranker.score(X, [2, 1, 0, 2, 1, 0], [0, 0, 0, 1, 1, 1])
    1.0
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: Any = None,
        coef0: float | None = None,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        line_search: bool = True,
        patience: int = 20,
        binarize: Binarize = 0.0,
        max_bytes: int | None = None,
        keep_examples: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, qid: Any = None, feature_names: Any = None) -> KernelRanker:
        """Learn from X and y: in each query, those with a higher y come first. `qid` None: all are of one query.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        check_semidefinite(self._svm_kernel(), "KernelRanker")
        settings = self._svm_settings(solver="cutting-plane", fit_intercept=False)
        data, y = self._training_data(X, y, settings.kernel, feature_names, y_numeric=True)
        settings = self._settings_on(settings, data)
        data, queries = data.copy() if self.keep_examples else data, self._queries(y, qid)
        train = partial(train_ranker, data, y, queries, settings, n_jobs=self.n_jobs)
        self._learn_alone(train, settings.kernel, X, TrainingExamples(data, y, None, queries))
        return self

    def predict(self, X: Any) -> Floats:
        """Scores; the higher, the better. Their differences within a query are what counts."""
        return self._score(X)

    def score(self, X: Any, y: Any, qid: Any = None) -> float:
        """The share of pairs with different y that are in the right order; equal scores are half right."""
        scores, targets = self.predict(X), np.asarray(y)
        better, worse = preferences(targets, self._queries(targets, qid))
        if len(better) == 0:
            raise ValueError("no two examples of a query have different y: there is nothing to rank")
        return float(np.mean(np.sign(scores[better] - scores[worse]) / 2 + 0.5))

    def forget(
        self, indices: Any, X: Any = None, y: Any = None, sample_weight: Any = None, qid: Any = None
    ) -> KernelRanker:
        """See `KernelSVC.forget`; `qid` belongs to X and y. The preferences that remain are solved anew."""
        if sample_weight is not None:
            raise ValueError("a ranker has no weights of examples: leave sample_weight out")
        self._given_queries = None if X is None else self._queries(y, qid)
        try:
            super().forget(indices, X, y)
        finally:
            del self._given_queries
        return self

    def _training_examples(self, X: Any, y: Any, sample_weight: Any) -> TrainingExamples:
        found = super()._training_examples(X, y, sample_weight)
        return found if X is None else replace(found, queries=self._given_queries)

    def _targets(self, y: Any, size: int) -> NDArray[Any]:
        targets = np.asarray(column_or_1d(y))
        check_consistent_length(targets, np.empty(size))
        return targets

    def _without(self, before: SvmFit, examples: TrainingExamples, forgotten: Flags) -> tuple[SvmFit, tuple[str, ...]]:
        data = purged(take(examples.data, np.flatnonzero(~forgotten)))
        queries = None if examples.queries is None else examples.queries[~forgotten]
        assert examples.y is not None
        with self._reporting() as progress:
            found = train_ranker(
                data, examples.y[~forgotten], queries, before.settings, n_jobs=self.n_jobs, progress=progress
            )
        return found, ("preferences",)

    def _queries(self, y: Any, qid: Any) -> NDArray[Any] | None:
        if qid is None:
            return None
        queries = column_or_1d(qid)
        check_consistent_length(y, queries)
        return np.asarray(queries)
