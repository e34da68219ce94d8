"""KernelSVC over the partitions of a Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gristmill import estimators
from gristmill.base.checks import check_flag, check_positive, check_positive_int
from gristmill.base.progress import Progress
from gristmill.base.warnings import convergence_category, outside
from gristmill.cluster.clients import client_of
from gristmill.cluster.loading import Reading, raw_partitions
from gristmill.cluster.partitions import Survey
from gristmill.cluster.predicting import predict
from gristmill.cluster.rounds import Totals, Training
from gristmill.cluster.spread import SpreadPartitions
from gristmill.data.rows import Binarize, Rows, check_binarize
from gristmill.estimators.base import KernelEstimator
from gristmill.kernels import Kernel, as_kernel
from gristmill.kernels.by_name import finds_gamma, row_kernel
from gristmill.kernels.named import ROW_KERNELS
from gristmill.machines.machine import Machine
from gristmill.solvers.batch.problems import check_class_count
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.settings import SvmSettings, check_semidefinite

_SHARED = (  # parameters that KernelSVC has, too
    *("degree", "gamma", "coef0", "C", "solver", "tol", "fit_intercept", "intercept_scaling", "multiclass"),
    *("class_weight", "binarize", "max_bytes", "n_jobs", "verbose"),
)


class KernelSVC(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """`gristmill.KernelSVC` for examples that no machine holds, spread over the workers of a Dask cluster.

    The solution is that of all examples, exact up to `tol` and certified by `bounds_`; it is the same, bit for bit, for
    any number and order of partitions and workers. Training goes in rounds: a working set is solved on the client,
    workers score their partitions with the machine found and send the examples that violate their margin, which join
    the working set, until there are none. What must fit on the client is a multiple of the support vectors.

    Parameters
    ----------
    kernel : str or kernel
        As in `gristmill.KernelSVC`: positive semidefinite kernels of rows ('poly', 'rbf', 'tanimoto', ...) and trees
        ('sst', 'ptk', ...).
    degree, gamma, coef0
        Of kernels by name. gamma is a number or None, since 'scale' is found from rows on one machine.
    C : float
        LIBSVM's C.
    solver : {'auto', 'smo', 'dual-cd', 'cutting-plane'}
        Of the working set.
    tol : float
        The largest violation of the optimality conditions that is left, of examples in the working set and outside it.
        For 'cutting-plane' the gap of `bounds_`, as in `gristmill.KernelSVC`.
    fit_intercept, intercept_scaling, multiclass, class_weight, binarize, max_bytes
        As in `gristmill.KernelSVC`.
    max_working_set : int
        Examples that the client holds and solves at most. Support vectors must fit: where they do not, training stops
        with a ConvergenceWarning, and the machine so far with its bounds is kept.
    zero_based : bool
        Whether feature ids of svmlight files count from 0.
    n_jobs : int or None
        Threads of the client.
    verbose : int
        1: a line on standard error for every round.
    progress : callable or None
        Called with (done, total) while the client solves. Raise KeyboardInterrupt in it to stop.
    client : distributed.Client or None
        None: the active one.

    Attributes
    ----------
    machine_ : Machine
    classes_ : array
    intercept_, n_support_ : array
    bounds_ : array
        Per output: what the minimum of the objective is not below, and the objective of what was learned, of all
        examples. The lower one is NaN after the first round.
    rounds_ : list of Round
        Sizes, violators, bounds, bytes moved and seconds of each round.
    client_ : distributed.Client
    n_features_in_ : int
        For rows.

    Notes
    -----
    Weights are counted in units of 2^-20. An interrupted `fit` keeps the machine of the last round and raises
    KeyboardInterrupt again; no work is left on the cluster. A worker that is lost costs its partitions only: Dask reads
    them again.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> import gristmill.cluster
    >>> with Client(processes=False, n_workers=2, dashboard_address=None) as client:
    ...     X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    ...     clf = gristmill.cluster.KernelSVC(degree=2).fit(X, ["a", "a", "b", "b"])
    >>> clf.to_local().predict(X)
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: Any = None,
        coef0: float | None = None,
        C: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-3,
        fit_intercept: bool = True,
        intercept_scaling: float | None = None,
        multiclass: str = "ovo",
        class_weight: Any = None,
        binarize: Binarize = 0.0,
        max_working_set: int = 200_000,
        max_bytes: int | None = None,
        zero_based: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
        client: Any = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelSVC:
        """Learn from Dask collections, delayed partitions, files or data of the client.

        Parameters
        ----------
        X : Dask array, data frame or bag; list of delayed partitions; list of paths; or data of the client
            Bags and partitions of trees hold bracketed strings. A delayed partition may be a pair (X, y).
        y : labels, partitioned as X; None for files and pairs
        sample_weight : weights, partitioned as X, or None
        """
        settings, how = self._checked()
        self.client_ = client_of(self.client)
        partitions = SpreadPartitions(self.client_, raw_partitions(self.client_, how, X, y, sample_weight))
        try:
            with self._reporting() as progress:
                self._train(partitions, settings, progress)
        finally:
            partitions.release()
        return self

    def predict(self, X: Any) -> Any:
        """Class labels: of a Dask collection as one, of data of the client as an array."""
        check_is_fitted(self)
        return predict(self.machine_, X, client=self.client)

    def decision_function(self, X: Any) -> Any:
        """Raw scores, in the order of `machine_`."""
        check_is_fitted(self)
        return predict(self.machine_, X, client=self.client, output="scores")

    def to_local(self) -> estimators.KernelSVC:
        """A fitted `gristmill.KernelSVC` with the same machine. Its `support_` counts the support vectors."""
        check_is_fitted(self)
        fit = self._learned.fit
        local = estimators.KernelSVC(self.kernel, **{name: getattr(self, name) for name in _SHARED})
        numbered = replace(fit.without_state(), support=np.arange(len(fit.support)))
        local._keep_classes(numbered, self.classes_, self._factors, fit.settings.kernel, is_sparse=True)
        local.shape_fit_ = self.shape_fit_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(local, name, getattr(self, name))
        return local

    # --- steps of fit -------------------------------------------------------------------------------------------------

    def _checked(self) -> tuple[SvmSettings, Reading]:
        check_positive("C", self.C)  # 'auto' is found from examples on one machine
        check_positive_int("max_working_set", self.max_working_set)
        check_flag("zero_based", self.zero_based)
        check_binarize(self.binarize)
        kernel = self._kernel()
        settings: SvmSettings = self._settings_for(SvmSettings, kernel=kernel)
        return settings, Reading(kernel, self.binarize, self.zero_based)

    def _kernel(self) -> Kernel:
        if isinstance(self.kernel, str) and self.kernel in ROW_KERNELS:
            if finds_gamma(self.kernel, self.gamma):
                raise ValueError(f"gamma must be a number for kernel={self.kernel!r} on a cluster, got {self.gamma!r}")
            kernel: Any = row_kernel(self.kernel, None, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        else:
            kernel = as_kernel(self.kernel)
        if not isinstance(kernel, Kernel) or kernel.reads not in ("rows", "trees"):
            raise ValueError(f"kernel must compare rows or trees on a cluster, got {self.kernel!r}")
        check_semidefinite(kernel, "training over partitions")
        return kernel

    def _train(self, partitions: SpreadPartitions, settings: SvmSettings, progress: Progress | None) -> None:
        surveys = partitions.survey()
        totals = Totals.of(surveys)
        check_class_count(totals.classes)
        _check_class_weight(self.class_weight, totals.classes)
        self._factors = totals.factors(self.class_weight)
        partitions.key(totals.classes)
        training = Training(partitions, totals, settings, self._factors, self.max_working_set, self.n_jobs, progress)
        try:
            training.run()
        finally:
            if training.fit is not None:
                self._keep(training, surveys)
        if training.is_full:
            _warn_full(training)

    def _keep(self, training: Training, surveys: list[Survey]) -> None:
        fit = training.fit
        assert fit is not None
        self._learned: Any = _Learned(fit)
        self.classes_ = training.totals.classes
        self.rounds_ = training.rounds
        self.bounds_ = training.rounds[-1].bounds
        self.intercept_, self.n_support_ = fit.intercept, fit.n_support
        examples, width = sum(training.totals.counts), max(one.n_features for one in surveys)
        self.shape_fit_: tuple[int, ...] = (examples,)
        if isinstance(fit.support_vectors, Rows):
            self.shape_fit_, self.n_features_in_ = (examples, width), width


class _Learned:
    """The fit of the last round, and its machine."""

    def __init__(self, fit: SvmFit) -> None:
        self.fit = fit

    @property
    def machine(self) -> Machine | None:
        return self.fit.machine


def _check_class_weight(class_weight: Any, classes: NDArray[Any]) -> None:
    """None, 'balanced' or factors above 0 by class."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}")
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not one of the classes {classes.tolist()}")
    for factor in class_weight.values():
        check_positive("class_weight", factor)


def _warn_full(training: Training) -> None:
    last = training.rounds[-1]
    warnings.warn(
        f"training stopped: {last.n_support} support vectors and examples near them fill max_working_set="
        f"{training.max_working_set}, and {last.n_violators} examples outside violate their margin. The machine so far "
        f"is kept; its objective is at most {last.gap:.2g} of itself above the minimum. Raise max_working_set (and "
        "have the memory), or lower C",
        convergence_category(),
        stacklevel=outside(),
    )
