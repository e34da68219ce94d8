"""What the kernel learners share as scikit-learn estimators: parameters, fitted attributes, weights, progress lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer

_EVERY = 1.0  # seconds between two lines


class Learned(Protocol):
    """The result of a fit. It compiles scorers when needed, so that prediction does not change the estimator."""

    @property
    def machine(self) -> Machine | None: ...

    @property
    def scorer(self) -> Scorer: ...

    def scorer_for(self, data: Any) -> Scorer:
        """The scorer that is best for these data."""
        ...


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """Subclasses set `_learned` in `fit` and read data to predict in `_data_to_score`."""

    _learned: Learned

    def _store(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters of `__init__`, which passes its `locals()`."""
        self.__dict__ |= {name: value for name, value in parameters.items() if name != "self"}

    def _settings_for(self, kind: Any, **others: Any) -> Any:
        """Settings from the parameters that have the names of their fields, and `others`."""
        names = {field.name for field in fields(kind)}
        return kind(**{name: value for name, value in vars(self).items() if name in names} | others)

    @property
    def machine_(self) -> Machine:
        """What was learned; a Gram matrix or a callable makes no machine."""
        machine = self._after_fit("machine_").machine
        if machine is None:
            raise AttributeError(f"there is no machine_ for kernel={self.kernel!r}: machines need a gristmill kernel")
        return machine

    @property
    def scorer_(self) -> Scorer:
        """The machine, compiled at the first call; it reads data as `predict` does."""
        learned = self._after_fit("scorer_")
        self.machine_  # noqa: B018 - raises where there is none
        return learned.scorer._read_by(self._data_to_score)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")

    def _after_fit(self, name: str) -> Learned:
        if not hasattr(self, "_learned"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before it is fitted")
        return self._learned

    def _column_names(self, given: Any) -> tuple[str, ...] | None:
        """The names of the columns: those of the data, or those that `fit` was given for data without names."""
        own = getattr(self, "feature_names_in_", None)
        if given is None:
            return None if own is None else tuple(own)
        names = tuple(map(str, given)) if isinstance(given, Iterable) and not isinstance(given, str) else ()
        if own is not None and names != tuple(own):
            raise ValueError("X has names of columns and feature_names are others: leave feature_names out")
        if len(names) < self.n_features_in_:
            raise ValueError(
                f"feature_names must be a list with a name for each of {self.n_features_in_} columns of X, "
                f"got {str(given)[:80]}"
            )
        return names

    def _data_to_score(self, X: Any) -> Any:
        raise NotImplementedError

    def _compiled_for(self, data: Any) -> Scorer:
        return self._learned.scorer_for(data)

    def _reporting(self) -> Any:
        """A context: the progress function of a fit."""
        return reporting(type(self).__name__, self.verbose, self.progress)


def class_weights(class_weight: Any, classes: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Factors of C, by class."""
    weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=y), dtype=np.float64)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(f"class weights must be above 0, got {weights.tolist()}")
    return weights


def example_weights(sample_weight: Any, y: NDArray[Any], by_class: Floats | None = None) -> Floats | None:
    """Factors of C by example: sample weights times those of classes; None where all are 1."""
    if sample_weight is None:
        return by_class
    checked = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
    return checked if by_class is None else np.ascontiguousarray(checked * by_class)


@contextmanager
def reporting(name: str, verbose: Any, progress: Progress | None) -> Iterator[Progress | None]:
    """The function to call while fitting: `progress`, and with verbose=1 one that prints lines on standard error."""
    if not isinstance(verbose, Integral) or verbose < 0:
        raise ValueError(f"verbose must be 0 (silent), 1 (lines on standard error) or above, got {verbose!r}")
    if not verbose:
        yield progress
        return
    lines = _Lines(name, progress)
    yield lines
    lines.print("fitted")


class _Lines:
    """Prints at most a line a second, and passes the call on."""

    def __init__(self, name: str, progress: Progress | None) -> None:
        self._name = name
        self._progress = progress
        self._begin = self._printed = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._printed >= _EVERY:
            self._printed = time.monotonic()
            self.print(f"{100 * done // max(total, 1)} %")
        if self._progress is not None:
            self._progress(done, total)

    def print(self, text: str) -> None:
        print(f"{self._name}: {text}, {time.monotonic() - self._begin:.1f} s", file=sys.stderr, flush=True)
