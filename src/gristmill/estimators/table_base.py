"""What the table estimators share: from a frame to tables of weights, and to the machine that says the same."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gristmill.base.arrays import Floats, Indices
from gristmill.base.checks import generator_of
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.data.tables.encoder import TableEncoder
from gristmill.estimators.base import KernelEstimator
from gristmill.estimators.table_terms import allowed_pairs, directions
from gristmill.kernels.conjunction import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Softmax
from gristmill.scoring.deciding import class_numbers
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.tables import TableFit, TableModel, TableSettings, TableTask, choose, train
from gristmill.solvers.tables.choosing import Choice
from gristmill.solvers.tables.training import TableInterrupted


@dataclass(frozen=True, eq=False)
class TableShape:
    """The table of a field, of a pair or of a triple: what each bin adds to the score.

    Parameters
    ----------
    fields : tuple of str
    bins : tuple of tuples of str
        The words of the bins, along each axis.
    values : float64 array
        An axis for each field; one more for classes where there are more than two.
    """

    fields: tuple[str, ...]
    bins: tuple[tuple[str, ...], ...]
    values: Floats


class TableEstimator(KernelEstimator):
    """What the table estimators share; subclasses say what is learned of y."""

    _learned: _Learned
    encoder_: TableEncoder

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _learn(self, X: Any, targets: Floats, weights: Floats | None, classes: NDArray[Any] | None) -> None:
        """Encode, choose settings, train and keep what was learned, also of an interrupted training."""
        settings: TableSettings = self._settings_for(TableSettings)
        encoder = self._encoder().fit(X)
        self._take_names(encoder)
        codes = encoder.codes(X)
        check_consistent_length(codes, targets)
        kept = slice(None) if weights is None else weights > 0
        own = np.ones(len(targets)) if weights is None else weights
        task = TableTask(codes[kept], targets[kept], own[kept], 0 if classes is None else len(classes))
        pairs, screened = allowed_pairs(self.interactions, self.forbidden_interactions, encoder.fields_)
        how: dict[str, Any] = {"pairs": pairs, "screened": screened, "rng": generator_of(self.random_state)}
        how["monotone"] = directions(self.monotone, encoder.fields_)
        keep = functools.partial(self._keep, encoder=encoder, classes=classes)
        with self._reporting() as progress:
            try:
                first, second = _parts(progress)
                choice = choose(task, encoder.fields_, settings, n_jobs=self.n_jobs, progress=first, **how)
                keep(train(task, choice.plan, choice.C, choice.rounds, settings, self.n_jobs, second), choice)
            except TableInterrupted as stopped:
                keep(stopped.fit, None)
                raise

    def _encoder(self) -> TableEncoder:
        return TableEncoder(self.bins, min_frequency=self.min_frequency, kinds=self.kinds)

    def _take_names(self, encoder: TableEncoder) -> None:
        self.n_features_in_ = encoder.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_

    def _keep(
        self, fit: TableFit, choice: Choice | None, *, encoder: TableEncoder, classes: NDArray[Any] | None
    ) -> None:
        self.encoder_ = encoder
        self._learned = _Learned(fit.model, encoder, classes)
        self.intercept_ = fit.model.intercepts
        self.bounds_ = (fit.objective - fit.gap, fit.objective)
        self.n_iter_ = max(fit.iterations, 1)
        self.fit_status_ = int(not fit.converged)
        plan = fit.model.plan
        names = [own.name for own in plan.fields]
        self.interactions_ = [tuple(names[number] for number in term) for term in plan.terms if len(term) > 1]
        self.degree_, self.pair_scale_, self.parts_ = plan.degree, plan.pair_scale, plan.single_parts
        self.C_ = None if choice is None else choice.C
        self.rounds_ = None if choice is None else choice.rounds
        self.validation_loss_ = None if choice is None or np.isnan(choice.loss) else choice.loss

    def forget(self, *_: Any, **__: Any) -> None:
        """Refused: bins, categories and the choice of pairs come from all examples."""
        raise ValueError(
            "learners of tables cannot forget: the encoder's bins and categories, C and the pairs were found from all "
            "examples; fit anew without the rows"
        )

    @property
    def tables_(self) -> dict[tuple[str, ...], TableShape]:
        """The tables that scores are sums of, by the names of their fields."""
        self._after_fit("tables_")
        return self._learned.shapes

    def _data_to_score(self, X: Any) -> Rows:
        return self._learned.rows(self._codes(X))

    def _codes(self, X: Any) -> NDArray[np.uint16]:
        check_is_fitted(self)
        return self.encoder_.codes(X)

    def _scores(self, X: Any) -> Floats:
        """Rows x outputs, by the tables themselves."""
        codes = self._codes(X)
        return self._learned.model.scores(codes, self.n_jobs)


class _Learned:
    """The tables, and the machine and scorer that say the same, made when needed."""

    def __init__(self, model: TableModel, encoder: TableEncoder, classes: NDArray[Any] | None) -> None:
        self.model = model
        self.encoder = encoder
        self.classes = classes

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("model", "encoder", "classes")}

    @functools.cached_property
    def machine(self) -> Machine:
        rows, weights = self.model.conjunctions(self.encoder.starts_)
        return Machine(
            ConjunctionKernel(),
            rows,
            weights,
            self.model.intercepts,
            self.classes,
            "one-vs-rest" if len(self.model.intercepts) > 1 else None,
            probability=None if self.classes is None else Softmax(),
            encoding=self.encoder.encoding_,
        )

    @functools.cached_property
    def scorer(self) -> Scorer:
        return self.machine.compile()

    def scorer_for(self, data: Any) -> Scorer:
        return self.scorer

    @functools.cached_property
    def shapes(self) -> dict[tuple[str, ...], TableShape]:
        found, fields = {}, self.model.plan.fields
        for term, table in self.model.tables.items():
            names = tuple(fields[number].name for number in term)
            values = table[..., 0] if table.shape[-1] == 1 else table
            found[names] = TableShape(names, tuple(fields[number].bins for number in term), values)
        return found

    def rows(self, codes: NDArray[np.uint16]) -> Rows:
        return self.encoder.encoding_.rows(codes)

    def class_numbers(self, codes: NDArray[np.uint16], scores: Floats, n_jobs: int | None) -> Indices:
        """By the scores; where rounding could decide, the machine's."""
        if scores.shape[1] == 1:
            found, certain = (scores[:, 0] > 0).astype(np.intp), np.abs(scores[:, 0])
        else:
            found, top = scores.argmax(axis=1), np.sort(scores, axis=1)
            certain = (top[:, -1] - top[:, -2]) / 2
        unsure = np.flatnonzero(~(certain > self.model.error_bound))
        if len(unsure):
            found[unsure] = class_numbers(self.scorer, self.rows(codes[unsure]), n_jobs)
        return found


def _parts(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Nine tenths of the time is choosing, one is training."""
    if progress is None:
        return None, None
    return (
        lambda done, total: progress(900 * done // max(total, 1), 1000),
        lambda done, total: progress(900 + 100 * done // max(total, 1), 1000),
    )
