"""gristmill.tune: checks its parameters, runs the search and trains the best setting."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Indices
from gristmill.base.checks import check_choice, check_positive_int, is_whole, seed_of
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, compared_trees
from gristmill.data.rows import Binarize, Rows, as_rows, as_table, check_binarize
from gristmill.data.targets import check_no_missing
from gristmill.display.words import listed_labels, quoted_label
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.kernels.base import validate_no_fields
from gristmill.kernels.by_name import gamma_of
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.problems import check_class_count
from gristmill.solvers.batch.settings import MULTICLASS, check_semidefinite
from gristmill.tuning.dataset import (
    SCORINGS,
    Dataset,
    check_class_weight,
    check_folds,
    smallest_sample,
    stratified_order,
)
from gristmill.tuning.grid import Grid, Setting, make_grid
from gristmill.tuning.result import Tuning, TuningInterrupted
from gristmill.tuning.rounds import make_rounds
from gristmill.tuning.search import Search
from gristmill.tuning.solvers import SEARCHES, SolverOptions, choose_search
from gristmill.tuning.workers import ClusterWorkers, LocalWorkers

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def tune(
    X: Any,
    y: Any,
    *,
    kernels: Any,
    C: Any = COSTS,
    parameters: Mapping[str, Any] | None = None,
    held_out: Any = None,
    folds: int = 5,
    scoring: Any = "f1",
    search: str = "auto",
    sample_sizes: Any = None,
    factor: float = 3,
    class_weight: Any = None,
    multiclass: str = "ovo",
    fit_intercept: bool = True,
    tol: float = 1e-3,
    binarize: Binarize = 0.0,
    refit: bool = True,
    max_bytes: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: Progress | None = None,
    client: Any = None,
) -> Tuning:
    """Find the kernel, its parameters and C with which `KernelSVC` does best.

    All settings share what does not depend on them: folds, equal examples, and for each kernel one Gram matrix for all
    C, classes and folds. Most settings are only tried on small samples, and the best of them on all examples.

    Parameters
    ----------
    X : examples
        Trees (a `Forest`, or bracketed strings), vectors of 0 and 1 (a sparse matrix, table or data frame), sequences
        or `Examples`, as the kernels take them.
    y : labels, two classes or more
    kernels : name, kernel, list of them, or dict of kernels by name
        As for `KernelSVC`: 'sst', 'ptk', 'poly', 'rbf', or kernels of the library, also sums and kernels on fields.
    C : float, 'auto' or list of them
        LIBSVM's C; 'auto' as in `KernelSVC`, found for the examples of each training.
    parameters : dict or None
        Values to try, by name: decay, mu, degree, gamma, coef0 and other parameters of the kernels. Each goes to all
        kernels that have it, also within normalised kernels and sums; the others ignore it. gamma may be 'scale' or
        'auto', which are found from all rows of X; the names 'rbf' and 'sigmoid' have 'scale' unless it is given.
    held_out : (X, y) or None
        Validation examples; None: stratified folds.
    folds : int
        How many, without `held_out`. The score of a setting is the mean over them.
    scoring : {'f1', 'accuracy'}, name of a scikit-learn scorer, or callable
        'f1' is that of the second class (in sorted order) if there are two, and the mean over classes if there are
        more. Any other name is one of ``sklearn.metrics.get_scorer_names()``, as 'roc_auc', 'neg_log_loss',
        'balanced_accuracy'; a callable is ``scorer(estimator, X, y)``, the larger the better, whose estimator knows
        `predict`, `decision_function`, `predict_proba` and `classes_` for X. Probabilities are sigmoids fitted to the
        scores of the other folds (of `held_out`: in folds of it); where a scorer asks for them, the classifier has
        ``probability=True``.
    search : {'auto', 'subset', 'exact', 'cutting-plane', 'slicing'}
        'subset' tries all settings on the first sample, the best of them on a larger one and so on, up to all examples.
        'exact' tries all settings on all examples. 'cutting-plane', for positive semidefinite kernels, trains on all
        examples in every round, each cutting plane from a sample. 'slicing' is 'subset' with passive-aggressive
        learning instead of an SVM, for polynomial kernels. 'auto' is 'exact' for up to 1,000 examples or `factor`
        settings unless there are `sample_sizes`, else 'subset'. The last round is always exact.
    sample_sizes : list of int or None
        Of the rounds before the last; None: 600, times `factor` and so on.
    factor : float
        One in so many settings goes on to the next round, and ties and settings within noise of them. 1: all do.
    class_weight, multiclass, fit_intercept, tol, binarize, max_bytes
        As in `KernelSVC`. One Gram matrix takes at most a quarter of `max_bytes`, and so do the matrices that are kept
        for the next round; each of `n_jobs` computes one at a time.
    refit : bool
        Whether a `KernelSVC` of the best setting is trained on all examples. If that fails, the result comes without
        it, with a RuntimeWarning.
    n_jobs : int or None
        Kernels that are tried at a time, by threads, or by the backend of `joblib.parallel_config`. Results do not
        depend on it.
    random_state : int, RandomState, Generator or None
        Of the order of the examples; None: another order each time.
    progress : callable or None
        Called with (done, total), in settings; the total is an estimate.
    client : distributed.Client or None
        Kernels are tried by the workers of a Dask cluster, which get the examples once each; the result is the same. A
        worker that is lost costs its tasks only. The best setting is trained here.

    Returns
    -------
    Tuning
        `best`, `classifier`, `trials`, `agreement`; `print` shows a table, `plot(path)` draws.

    Raises
    ------
    TuningInterrupted
        A KeyboardInterrupt, once the examples are read; its `result` is the result so far, or None.

    Examples
    --------
    >>> import gristmill as gm
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c) (B b))"]
    >>> found = gm.tune(trees, [0, 0, 1, 1], kernels=["st", "sst"], C=[1, 10], folds=2)
    >>> print(found.best)
    sst C=1
    >>> found.classifier.predict(["(S (A d) (B e))"])
    array([0])
    """
    given = locals()
    made = make_search(**{name: value for name, value in given.items() if name not in ("refit", "progress")})
    found = made.run(progress)
    return refitted(found, made, X, binarize, n_jobs) if refit else found


def make_search(
    X: Any,
    y: Any,
    kernels: Any,
    C: Any,
    parameters: Mapping[str, Any] | None,
    *,
    held_out: Any,
    folds: Any,
    scoring: Any,
    search: str,
    sample_sizes: Any,
    factor: Any,
    class_weight: Any,
    multiclass: str,
    fit_intercept: bool,
    tol: float,
    binarize: Binarize,
    max_bytes: int | None,
    n_jobs: int | None,
    random_state: Any,
    client: Any = None,
) -> Search:
    """A search that is ready to run; all parameters are checked here."""
    check_choice("search", search, SEARCHES)
    check_choice("multiclass", multiclass, MULTICLASS)
    _check_factor(factor)
    resolve_jobs(n_jobs)  # checks it
    seed = _seed(random_state)
    grid = make_grid(kernels, C, parameters, _gamma_from(X, binarize))
    all_kernels = [setting.kernel for setting in grid.kernels]
    check_kinds(all_kernels)
    options = SolverOptions(tol, fit_intercept, multiclass, max_bytes, seed)
    options.settings(all_kernels[0])  # checks tol and the others
    name, scorer = scoring_of(scoring)
    more = {"scheme": Scheme.BINARY, "class_weight": class_weight, "scoring": name, "scorer": scorer}
    dataset = make_dataset(all_kernels, X, y, held_out, folds, binarize, seed, **more)
    if len(dataset.classes) > 2:
        dataset = replace(dataset, scheme=Scheme.parse(multiclass))
    check_class_weight(class_weight, dataset.classes)
    if scorer is not None:
        from gristmill.tuning.scoring import asks_for_probabilities

        dataset = replace(dataset, asks_probability=asks_for_probabilities(scorer, name, dataset))
    chosen = choose_search(search, sample_sizes, len(dataset), len(grid), factor)
    if chosen == "slicing":
        _check_sliced(grid, dataset.data)
    if chosen == "cutting-plane":
        for kernel in all_kernels:
            check_semidefinite(kernel, "search='cutting-plane'")
    rounds = make_rounds(
        chosen, sample_sizes, len(dataset), smallest_sample(dataset.order, len(dataset.classes)), factor
    )
    workers = LocalWorkers(n_jobs) if client is None else ClusterWorkers(client)
    return Search(grid, dataset, options, chosen, rounds, factor, workers)


def _gamma_from(X: Any, binarize: Binarize) -> Callable[[str], float]:
    """What 'scale' and 'auto' stand for, for these rows."""

    @functools.cache
    def number(word: str) -> float:
        if isinstance(X, Examples):
            raise ValueError(f"gamma={word!r} is found from rows, and X has several fields: give a number")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it comes when the rows are read to be compared
            return gamma_of(word, as_rows(as_table(X), binarize=binarize))

    return number


def scoring_of(scoring: Any) -> tuple[str, Any]:
    """Its name, and the scorer; None for those that are counted from labels."""
    if isinstance(scoring, str) and scoring in SCORINGS:
        return scoring, None
    from gristmill.tuning.scoring import scorer_of  # scikit-learn is imported for others only

    return scorer_of(scoring)


def refitted(found: Tuning, search: Search, X: Any, binarize: Binarize, n_jobs: int | None) -> Tuning:
    """The result with a classifier of the best setting; without it, and with a warning, if training fails."""
    classifier = classifier_of(found.best, search, binarize, n_jobs)
    try:
        classifier.fit(_to_fit(found.best, search, X), search.dataset.labels_in_given_order())
    except KeyboardInterrupt as stop:
        kept = classifier if hasattr(classifier, "classes_") else None
        raise TuningInterrupted(replace(found, classifier=kept, interrupted=True)) from stop
    except Exception as error:  # any: the result of hours of search must not be lost
        warnings.warn(
            f"the search is done, but training its best setting, {found.best}, on all examples failed, so there is no "
            f"`classifier`: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
        return found
    return replace(found, classifier=classifier)


def _to_fit(setting: Setting, search: Search, X: Any) -> Any:
    """Vectors as given, with their column names; other examples as parsed."""
    if setting.kernel.reads != "rows":
        return search.dataset.in_given_order()
    return X.to_csr() if isinstance(X, Rows) else X


def classifier_of(setting: Setting, search: Search, binarize: Binarize, n_jobs: int | None) -> Any:
    """A KernelSVC with this setting, not trained."""
    from gristmill.estimators import KernelSVC

    options = search.options
    return KernelSVC(
        setting.kernel,
        C=setting.C,
        tol=options.tol,
        fit_intercept=options.fit_intercept,
        multiclass=options.multiclass,
        class_weight=search.dataset.class_weight,
        probability=search.dataset.asks_probability,
        binarize=binarize,
        max_bytes=options.max_bytes,
        n_jobs=n_jobs,
    )


def _seed(random_state: Any) -> int:
    """A whole number is the seed itself; others draw one."""
    is_seed = is_whole(random_state) and random_state >= 0
    return int(random_state) if is_seed else seed_of(random_state)


def _check_factor(factor: Any) -> None:
    if isinstance(factor, bool) or not isinstance(factor, Real) or not 1 <= float(factor) < float("inf"):
        raise ValueError(f"factor must be a number from 1 on, got {factor!r}: one in so many settings goes on")


def _check_sliced(grid: Grid, data: Any) -> None:
    wrong = [setting for setting in grid.kernels if not isinstance(setting.kernel, PolynomialKernel)]
    if wrong:
        raise ValueError(f"search='slicing' is for polynomial kernels, not for {wrong[0]}; use 'subset'")
    if not data.is_binary:
        raise ValueError("search='slicing' needs values of 0 and 1; pass binarize=0.0, or use 'subset'")


def check_kinds(kernels: list[Kernel]) -> None:
    """All kernels of a search compare the same kind of examples."""
    kinds = sorted({kernel.reads for kernel in kernels})
    if len(kinds) > 1:
        raise ValueError(
            f"these kernels compare {' and '.join(kinds)}; tune one kind at a time, or name fields, as in k.on('trees')"
        )


def examples_for(kernels: list[Kernel], X: Any, binarize: Binarize) -> Any:
    """X as all the kernels take it."""
    if kernels[0].reads == "rows":
        validate_no_fields(X)
        return as_rows(as_table(X), binarize=binarize, training=True)
    if kernels[0].reads == "trees":
        validate_no_fields(X)
        return compared_trees(X, marked=_reads_marks(kernels, X))
    for kernel in kernels:
        X = kernel.examples(X)
    return X


def _reads_marks(kernels: list[Kernel], X: Any) -> bool:
    """Whether strings are read with marks; all kernels must agree."""
    marked = {kernel.marked for kernel in kernels}
    if len(marked) > 1 and not isinstance(X, Forest):
        raise ValueError(
            "some kernels look at marks and some do not: is '*' in the trees a mark? Read them first, "
            "gm.Forest.from_strings(trees, marks=True) or marks=False"
        )
    return True in marked


def make_dataset(
    kernels: list[Kernel],
    X: Any,
    y: Any,
    held_out: Any,
    folds: Any,
    binarize: Binarize,
    seed: int,
    **rest: Any,
) -> Dataset:
    """The dataset of a search; `rest` goes to `Dataset`."""
    check_binarize(binarize)
    data = examples_for(kernels, X, binarize)
    classes, labels = _labels(y, len(data), "X and y")
    check_class_count(classes)
    if held_out is None:
        _check_fold_count(folds)
        check_folds(labels, classes, int(folds))
        return Dataset.of(data, stratified_order(labels, int(folds), seed), classes=classes, **rest)
    held, held_labels = _held_out(kernels, held_out, classes, binarize)
    order = stratified_order(labels, 0, seed)
    return Dataset.of(data, order, classes=classes, held_out=held, held_out_labels=held_labels, **rest)


def _held_out(kernels: list[Kernel], held_out: Any, classes: NDArray[Any], binarize: Binarize) -> tuple[Any, Indices]:
    if not isinstance(held_out, tuple | list) or len(held_out) != 2:
        raise ValueError(f"held_out must be a pair (X, y), got {type(held_out).__name__}")
    held = examples_for(kernels, held_out[0], binarize)
    own, numbers = _labels(held_out[1], len(held), "held_out")
    unknown = np.setdiff1d(own, classes)
    if len(unknown):
        raise ValueError(
            f"held_out has the label {quoted_label(unknown[0])}, which is not one of {listed_labels(classes)}"
        )
    return held, np.searchsorted(classes, own)[numbers]


def _labels(y: Any, expected: int, where: str) -> tuple[NDArray[Any], Indices]:
    """Classes, and the class number of each example."""
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise ValueError(f"{where}: expected a label for each of {expected} examples, got {y!r}")
    y = y if isinstance(y, Sized) else list(y)
    check_no_missing(y)
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != expected:
        raise ValueError(f"{where}: expected a label for each of {expected} examples, got shape {labels.shape}")
    if expected == 0:
        raise ValueError(f"{where}: there are no examples")
    if labels.dtype.kind == "f" and not (np.isfinite(labels).all() and (labels == np.floor(labels)).all()):
        raise ValueError(f"{where}: labels must name classes, got numbers that are not whole; tune trains classifiers")
    classes, numbers = np.unique(labels, return_inverse=True)
    return classes, numbers.astype(np.intp)


def _check_fold_count(folds: Any) -> None:
    check_positive_int("folds", folds)
    if folds < 2:
        raise ValueError(f"folds must be 2 or more, got {folds}; or give a development set, held_out=(X, y)")
