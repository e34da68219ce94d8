"""Tables from frames: kernel machines over the fields of a table, with tables of weights that can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.data.tables.encoder import TableEncoder
from gristmill.data.tables.learning import Kind
from gristmill.data.targets import check_no_missing, check_values
from gristmill.estimators.base import class_weights, example_weights
from gristmill.estimators.table_base import TableEstimator
from gristmill.machines.probability import Softmax
from gristmill.solvers.batch.problems import check_class_count
from gristmill.solvers.tables import TableFit
from gristmill.solvers.tables.choosing import Choice


class TableClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """Classification of tables: a table of weights for each field and each pair of fields, from a frame in one line.

    A score is the intercept plus one entry of each table: a generalised additive model with interactions, and a kernel
    machine whose kernel is a sum over fields and pairs of fields (ANOVA). Minimises ``1/2 |V|^2 + C sum_i w_i loss_i``
    with the logistic loss (softmax for several classes); the tables are linear in V, the intercept is free. What is
    left open ('auto') is chosen by the loss on rows held out; then all rows are learned from.

    Parameters
    ----------
    C : float or 'auto'
        The price of losses.
    degree : {1, 2, 3} or 'auto'
        Fields alone, pairs too, or triples too. 'auto': as many as gain; triples are tried where pairs gain much and
        `interactions` is None.
    parts : {'both', 'thermometer', 'onehot'} or 'auto'
        How ordered bins resemble one another: by their distance ('thermometer': ``1 - abs(i - j) / (K - 1)``), not at
        all ('onehot'), or both. 'auto' uses the thermometer in pairs and chooses for fields alone.
    pair_scale : float or 'auto'
        The scale of pairs, that of fields being 2: the smaller, the smaller the weights of pairs stay. Pairs of columns
        of two bins have 0.6 of it, triples half of it.
    rounds : int or 'auto'
        How often pairs are given scales by how much of the function they have, and learned again. 'auto': up to 3.
    interactions : None, 'all', False or list of pairs of str
        The pairs of columns that may have tables. None: all, and the best `max_pairs` by the gradient where there are
        more. False: none.
    forbidden_interactions : list of pairs of str or None
        Pairs of columns that must not have one.
    max_pairs : int
        See `interactions`.
    monotone : dict or None
        By the name of a column 1 ('increasing') or -1 ('decreasing'): scores never fall, or never rise, along its
        ordered bins, whatever the other columns are. Missing values have a bin of their own, which is not bound.
    bins, min_frequency, kinds
        See `TableEncoder`.
    tol : float
        Training stops as soon as the objective is proven to be within so much, relative to that of the intercept alone,
        of its minimum.
    max_iter : int
        Iterations for each C and round.
    class_weight : dict, 'balanced' or None
        Factors of C by class.
    random_state : int, RandomState, Generator or None
        Of the rows held out.
    n_jobs : int or None
        Threads; they never change a result.
    verbose : int
        0: silent. 1 or more: lines on standard error, at most one a second.
    progress : callable or None
        Called with (done, total) some twenty times a second.

    Attributes
    ----------
    tables_ : dict of TableShape
        By the names of fields: the bins and what each adds to the score.
    machine_ : Machine
        The same as conjunctions of bins, a weight for each entry that is not 0: for `save`, `explain` and all else.
    scorer_ : Scorer
        The machine, compiled.
    encoder_ : TableEncoder
    classes_, intercept_ : array
    C_, degree_, parts_, pair_scale_, rounds_, validation_loss_
        What was chosen, and the mean loss of the rows held out.
    interactions_ : list of tuples of str
        The fields of pairs (and triples) that have tables.
    bounds_ : tuple of float
        The minimum of the objective is between them; the second is what was reached.
    n_iter_ : int
    fit_status_ : int
        0: within `tol`; 1: stopped before.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Rows of weight 0 are not learned from; the encoder sees them. A row's score by the tables and by `machine_` differ
    by rounding alone, and labels are always those of the machine. An interrupted `fit` keeps what was learned so far
    and raises KeyboardInterrupt again.

    Examples
    --------
    >>> import gristmill as gm
    >>> table = [{"age": 20 + n % 40, "housing": "own" if n % 3 else "rent"} for n in range(120)]
    >>> risk = ["bad" if row["age"] < 30 and row["housing"] == "rent" else "good" for row in table]
    >>> clf = gm.TableClassifier(degree=2, C=10.0).fit(table, risk)
    >>> clf.predict([{"age": 25, "housing": "rent"}, {"age": 25, "housing": "own"}])
    array(['bad', 'good'], dtype='<U4')
    >>> clf.tables_["age", "housing"].values.shape
    (32, 3)
    """

    def __init__(
        self,
        *,
        C: Any = "auto",
        degree: Any = "auto",
        parts: str = "auto",
        pair_scale: Any = "auto",
        rounds: Any = "auto",
        interactions: Any = None,
        forbidden_interactions: Sequence[Any] | None = None,
        max_pairs: int = 300,
        monotone: Mapping[str, Any] | None = None,
        bins: int = 32,
        min_frequency: int = 5,
        kinds: Mapping[str, Kind] | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TableClassifier:
        """Learn from X and y; `sample_weight` multiplies C, 0 leaves an example out."""
        check_no_missing(y)
        y = validate_data(self, y=y)
        check_classification_targets(y)
        weights = example_weights(sample_weight, y)
        classes = np.unique(y if weights is None else y[weights > 0])
        check_class_count(classes)
        labels = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        by_class = class_weights(self.class_weight, classes, y if weights is None else y[weights > 0])
        if not (by_class == 1).all():
            weights = by_class[labels] * (1.0 if weights is None else weights)
        self._learn(X, labels.astype(np.float64), weights, classes)
        return self

    def _keep(
        self, fit: TableFit, choice: Choice | None, *, encoder: TableEncoder, classes: NDArray[Any] | None
    ) -> None:
        super()._keep(fit, choice, encoder=encoder, classes=classes)
        self.classes_ = classes

    def decision_function(self, X: Any) -> Floats:
        """Scores: of shape (rows,) for two classes, above 0 is classes_[1]; else (rows, classes)."""
        scores = self._scores(X)
        return np.asarray(scores[:, 0]) if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of classes."""
        return Softmax().of_scores(self._scores(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels."""
        codes = self._codes(X)
        scores = self._learned.model.scores(codes, self.n_jobs)
        assert self.classes_ is not None
        return np.asarray(self.classes_[self._learned.class_numbers(codes, scores, self.n_jobs)])


class TableRegressor(RegressorMixin, TableEstimator):  # type: ignore[misc]
    """Regression on tables: `TableClassifier` with the squared loss, ``(y - f(x))^2 / 2``.

    Parameters
    ----------
    C, degree, parts, pair_scale, rounds, interactions, forbidden_interactions, max_pairs, monotone
        See `TableClassifier`.
    bins, min_frequency, kinds, tol, max_iter, random_state, n_jobs, verbose, progress
        See `TableClassifier`.

    Attributes
    ----------
    tables_, machine_, scorer_, encoder_, intercept_, C_, degree_, parts_, pair_scale_, rounds_, validation_loss_
        See `TableClassifier`; the loss of rows held out is the mean squared error.
    interactions_, bounds_, n_iter_, fit_status_, n_features_in_, feature_names_in_
        See `TableClassifier`.

    Examples
    --------
    >>> import gristmill as gm
    >>> table = [{"rooms": 1 + n % 5, "garden": n % 2 == 0} for n in range(60)]
    >>> price = [100.0 * row["rooms"] + 50.0 * row["garden"] for row in table]
    >>> model = gm.TableRegressor(degree=1, C=100.0, tol=1e-9).fit(table, price)
    >>> model.predict([{"rooms": 3, "garden": True}]).round()
    array([350.])
    """

    def __init__(
        self,
        *,
        C: Any = "auto",
        degree: Any = "auto",
        parts: str = "auto",
        pair_scale: Any = "auto",
        rounds: Any = "auto",
        interactions: Any = None,
        forbidden_interactions: Sequence[Any] | None = None,
        max_pairs: int = 300,
        monotone: Mapping[str, Any] | None = None,
        bins: int = 32,
        min_frequency: int = 5,
        kinds: Mapping[str, Kind] | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TableRegressor:
        """Learn from X and y; `sample_weight` multiplies C, 0 leaves an example out."""
        check_no_missing(y)
        check_values(y)
        targets = validate_data(self, y=y, y_numeric=True).astype(np.float64)
        weights = example_weights(sample_weight, targets)
        self._learn(X, np.ascontiguousarray(targets), weights, None)
        return self

    def predict(self, X: Any) -> Floats:
        """Predicted values."""
        return np.asarray(self._scores(X)[:, 0])
