"""The machine of whatever has one, and data as its owner reads them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gristmill.base.lazy import late
from gristmill.data.rows import Binarize, Rows
from gristmill.machines.formats.sklearn import from_sklearn
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer

AsTheModel = Literal["auto"]


@dataclass(frozen=True)
class Model:
    """A machine, and how whoever holds it reads data."""

    machine: Machine
    examples: Callable[[Any], Any]  # X as its `predict` reads it: Rows, a Forest or Examples
    compiled: Callable[[Any], Scorer]  # a scorer for such examples


def model_of(model: Any, binarize: Binarize | AsTheModel = "auto") -> Model:
    """A Machine or a Scorer reads rows as scorers do, an estimator as its `predict` does.

    Parameters
    ----------
    model : Machine, Scorer, fitted estimator, or fitted scikit-learn SVC and its like
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1; 'auto': what the model does. Estimators allow nothing else.
    """
    if isinstance(model, Scorer) and binarize == "auto":
        return Model(model.machine, model.examples, lambda _: model)
    if isinstance(model, Machine | Scorer):
        return _of_machine(model if isinstance(model, Machine) else model.machine, binarize)
    if binarize != "auto":
        raise ValueError("binarize is the estimator's own: leave it out, or explain its machine_")
    if isinstance(found := getattr(model, "machine_", None), Machine):
        read = getattr(model, "_data_to_score", None) or getattr(model, "examples", None)  # TreeClassifier has these
        if read is None:  # taggers and their like: what they are given is text, no rows
            return _of_machine(found, binarize)
        return Model(found, read, getattr(model, "_compiled_for", lambda _: model.scorer_))
    if type(model).__module__.partition(".")[0] == "sklearn":
        machine, read = from_sklearn(model), late("gristmill.estimators.accelerated:data_to_score")
        return Model(machine, functools.partial(read, model), functools.partial(_compiled_for, machine))
    raise ValueError(f"expected a machine, or a scorer or fitted estimator that has one, got {type(model).__name__}")


def machine_of(model: Any) -> Machine:
    """A Machine as it is, that of a Scorer, of a fitted estimator, or of a fitted scikit-learn model."""
    return model_of(model).machine


def _of_machine(machine: Machine, binarize: Binarize | AsTheModel) -> Model:
    values: Binarize = 0.0 if binarize == "auto" else binarize
    return Model(machine, functools.partial(machine.examples, binarize=values), lambda _: machine.compile())


def _compiled_for(machine: Machine, rows: Rows) -> Scorer:
    """Real values are computed with, as scikit-learn does."""
    return machine.compile() if rows.is_binary else machine.compile("direct", binarize=False)
