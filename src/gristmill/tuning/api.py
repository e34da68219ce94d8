"""gristmill.tune: the front door."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

from gristmill.base.checks import check_choice, is_whole, seed_of
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, Rows
from gristmill.kernels import PolynomialKernel
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.settings import MULTICLASS
from gristmill.tuning.cases import MEASURES, check_class_weight
from gristmill.tuning.grid import Grid, Setting, make_grid
from gristmill.tuning.inputs import check_kinds, make_cases
from gristmill.tuning.result import Tuning, TuningInterrupted
from gristmill.tuning.rounds import make_rungs
from gristmill.tuning.samples import smallest_sample
from gristmill.tuning.search import Search
from gristmill.tuning.solvers import SEARCHES, Solving, choose_search

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
    scoring: str = "f1",
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
        As for `KernelSVC`: 'sst', 'ptk', 'poly', or kernels of the library, also sums and kernels on fields.
    C : float or list
        LIBSVM's C.
    parameters : dict or None
        Values to try, by name: decay, mu, degree, gamma, coef0, and whatever else the kernels have. Each goes to all
        kernels that have it, also within normalised kernels and sums; the others ignore it.
    held_out : (X, y) or None
        Examples that judge; None: stratified folds do.
    folds : int
        How many, without `held_out`. The score of a setting is the mean over them.
    scoring : {'f1', 'accuracy'}
        'f1' is that of the second class (in sorted order) if there are two, and the mean over classes if there are
        more.
    search : {'auto', 'subset', 'exact', 'cutting-plane', 'slicing'}
        'subset' tries all settings on the first sample, the best of them on a larger one and so on, up to all examples.
        'exact' tries all on all. 'cutting-plane' solves for all examples on every rung, each cutting plane from a
        sample. 'slicing' is 'subset' with passive-aggressive learning instead of an SVM, for polynomial kernels. 'auto'
        is 'exact' for up to 1,000 examples or `factor` settings unless there are `sample_sizes`, else 'subset'. The
        last rung is always exact.
    sample_sizes : list of int or None
        Of the rungs before the last; None: 600, and by factors on.
    factor : float
        One in so many settings goes on to the next rung, ties and what is within noise of them as well. 1: all do.
    class_weight, multiclass, fit_intercept, tol, binarize, max_bytes
        As in `KernelSVC`. A quarter of `max_bytes` is what one Gram matrix may take, and what matrices may take that
        wait for the next rung; every one of `n_jobs` computes one at a time.
    refit : bool
        Whether a `KernelSVC` of the best setting is trained on all examples. Where that fails, what was found is
        returned without it, with a RuntimeWarning.
    n_jobs : int or None
        Kernels that are tried at a time, by threads; inside `joblib.parallel_config` by whatever it says. Results do
        not depend on it.
    random_state : int, RandomState, Generator or None
        Of the order of the examples; None: another order each time.
    progress : callable or None
        Called with (done, total), in settings; the total is an estimate.

    Returns
    -------
    Tuning
        `best`, `classifier`, `trials`, `agreement`; `print` shows a table, `plot(path)` draws.

    Raises
    ------
    TuningInterrupted
        A KeyboardInterrupt, once the examples are read; its `found` is what is known so far, or None.

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
    made = make_search(
        *(X, y, kernels, C, parameters),
        held_out=held_out,
        folds=folds,
        scoring=scoring,
        search=search,
        sample_sizes=sample_sizes,
        factor=factor,
        class_weight=class_weight,
        multiclass=multiclass,
        fit_intercept=fit_intercept,
        tol=tol,
        binarize=binarize,
        max_bytes=max_bytes,
        n_jobs=n_jobs,
        random_state=random_state,
    )
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
    scoring: str,
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
) -> Search:
    """A search that is ready to run; everything is checked here."""
    check_choice("scoring", scoring, MEASURES)
    check_choice("search", search, SEARCHES)
    check_choice("multiclass", multiclass, MULTICLASS)
    _check_factor(factor)
    resolve_jobs(n_jobs)  # checks it
    seed = _seed(random_state)
    grid = make_grid(kernels, C, parameters)
    all_kernels = [setting.kernel for setting in grid.kernels]
    check_kinds(all_kernels)
    solving = Solving(tol, fit_intercept, multiclass, max_bytes, seed)
    solving.settings(all_kernels[0])  # checks tol and the others
    more = {"scheme": Scheme.BINARY, "class_weight": class_weight, "measure": scoring}
    cases = make_cases(all_kernels, X, y, held_out, folds, binarize, seed, **more)
    if len(cases.classes) > 2:
        cases = replace(cases, scheme=Scheme.parse(multiclass))
    check_class_weight(class_weight, cases.classes)
    chosen = choose_search(search, sample_sizes, len(cases), len(grid), factor)
    if chosen == "slicing":
        _check_sliced(grid, cases.data)
    if chosen == "cutting-plane":
        solving.sampled(all_kernels[0], 1.0, 1)
    rungs = make_rungs(chosen, sample_sizes, len(cases), smallest_sample(cases.order, len(cases.classes)), factor)
    return Search(grid, cases, solving, chosen, rungs, factor, n_jobs)


def refitted(found: Tuning, search: Search, X: Any, binarize: Binarize, n_jobs: int | None) -> Tuning:
    """With a classifier of the best setting, from all examples; without it, and with a warning, where that fails."""
    classifier = classifier_of(found.best, search, binarize, n_jobs)
    try:
        classifier.fit(_to_fit(found.best, search, X), search.cases.labels_as_they_came())
    except KeyboardInterrupt as stop:
        kept = classifier if hasattr(classifier, "classes_") else None
        raise TuningInterrupted(replace(found, classifier=kept, interrupted=True)) from stop
    except Exception as error:  # whatever it is: hours of search are worth more
        warnings.warn(
            f"the search is done, but training its best setting, {found.best}, on all examples failed, so there is no "
            f"`classifier`: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
        return found
    return replace(found, classifier=classifier)


def _to_fit(setting: Setting, search: Search, X: Any) -> Any:
    """Vectors as they were given, with the names they may have; of others what was parsed already."""
    if setting.kernel.reads != "rows":
        return search.cases.as_they_came()
    return X.to_csr() if isinstance(X, Rows) else X


def classifier_of(setting: Setting, search: Search, binarize: Binarize, n_jobs: int | None) -> Any:
    """A KernelSVC, not trained."""
    from gristmill.estimators import KernelSVC

    solving = search.solving
    return KernelSVC(
        setting.kernel,
        C=setting.C,
        tol=solving.tol,
        fit_intercept=solving.fit_intercept,
        multiclass=solving.multiclass,
        class_weight=search.cases.class_weight,
        binarize=binarize,
        max_bytes=solving.max_bytes,
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
