"""The machine behind a model, how the model reads data, and the names of its features and outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.checks import is_whole
from gristmill.base.errors import not_fitted
from gristmill.base.lazy import late
from gristmill.data.rows import Binarize
from gristmill.display.words import spelled_label
from gristmill.machines.formats.sklearn import from_sklearn
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs
from gristmill.machines.table_files import TableSource
from gristmill.scoring.compile import scorer_for
from gristmill.scoring.scorer import Scorer

AsTheModel = Literal["auto"]


@dataclass(frozen=True)
class Model:
    """A machine, and how the model that owns it reads data."""

    machine: Machine
    examples: Callable[[Any], Any]  # X as its `predict` reads it: Rows, a Forest or Examples
    compiled: Callable[[Any], Scorer]  # a scorer for such examples
    words: Callable[[Any], Machine] | None = None  # the machine with names from X, of a model that hashes words

    def named_by(self, X: Any) -> Model:
        """The same, with features named by the words of X where the model hashes words and forgets them."""
        if self.words is None:
            return self
        machine = self.words(X)
        return Model(machine, self.examples, functools.partial(scorer_for, machine))


def model_of(model: Any, binarize: Binarize | AsTheModel = "auto") -> Model:
    """A Machine or a Scorer reads rows as scorers do, an estimator or a Pipeline as its `predict` does.

    Parameters
    ----------
    model : Machine, Scorer, fitted estimator, fitted scikit-learn SVC and its like, or what has one inside
        A Pipeline, a search over parameters, a CalibratedClassifierCV. Features are then named by
        `get_feature_names_out` of the steps before it.
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1; 'auto': what the model does. Estimators allow nothing else.
    """
    if isinstance(model, Scorer) and binarize == "auto":
        return Model(model.machine, model.examples, lambda _: model)
    if isinstance(model, Machine | Scorer):
        return _of_machine(model if isinstance(model, Machine) else model.machine, binarize)
    if binarize != "auto":
        raise ValueError("binarize is a parameter of the estimator: leave it out, or explain its machine_")
    if isinstance(getattr(model, "machine_", None), Machine):
        return _of_estimator(model)
    if _derives_from("sklearn", model):
        return _of_contained(late("gristmill.estimators.containers:contained")(model))
    raise _no_machine(model)


def machine_of(model: Any) -> Machine:
    """A Machine as it is; the machine of a Scorer, of a fitted estimator, or of a fitted scikit-learn model."""
    return model_of(model).machine


def _of_machine(machine: Machine, binarize: Binarize | AsTheModel) -> Model:
    values: Binarize = 0.0 if binarize == "auto" else binarize
    return Model(machine, functools.partial(machine.examples, binarize=values), functools.partial(scorer_for, machine))


def _of_estimator(model: Any) -> Model:
    found: Machine | None = getattr(model, "machine_", None)
    if found is None and _derives_from("gristmill", model):  # not fitted, or fitted on a Gram matrix
        raise _no_machine(model)
    if found is None:
        machine, reader = from_sklearn(model), late("gristmill.estimators.accelerated:data_to_score")
        return Model(machine, functools.partial(reader, model), functools.partial(scorer_for, machine))
    read = getattr(model, "_data_to_score", None) or getattr(model, "examples", None)  # TreeClassifier has these
    if read is None:  # taggers and other apps read text, not rows
        return _of_machine(found, "auto")
    return Model(found, read, getattr(model, "_compiled_for", lambda _: model.scorer_))


def _of_contained(inner: Any) -> Model:
    """The estimator inside a container, with the names of its columns, if the steps before it know them."""
    own = _of_estimator(inner.estimator)
    if not inner.steps:
        return own

    def named(X: Any = None) -> Machine:
        names = inner.feature_names(X)
        return own.machine if names is None else _with_names(own.machine, names)

    machine = named()
    compiled = own.compiled if machine is own.machine else functools.partial(scorer_for, machine)
    words = named if inner.hashes_words else None
    return Model(machine, lambda X: own.examples(inner.transformed(X)), compiled, words)


def _with_names(machine: Machine, names: tuple[str, ...]) -> Machine:
    """With the names of its columns, or of those of its tables, where it has none of its own."""
    encoding = machine.encoding
    if encoding is not None:
        return machine if encoding.is_named else machine.replace(encoding=encoding.renamed(names))
    return machine.replace(feature_names=names) if machine.n_features and not machine.feature_names else machine


def _no_machine(model: Any) -> ValueError:
    name = type(model).__name__
    if hasattr(model, "predict") and _derives_from("gristmill", model) and not _is_fitted(model):
        return not_fitted(f"this {name} is not fitted yet: call fit first")
    return ValueError(f"expected a machine, or a scorer or fitted estimator that has one, got {name}")


def _is_fitted(model: Any) -> bool:
    """As scikit-learn tells: it has what was learned, whose names end in _."""
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))


def _derives_from(package: str, model: Any) -> bool:
    """Whether its class, or one that it is derived from, is of the package."""
    return any(base.__module__.partition(".")[0] == package for base in type(model).__mro__)


# --- names ------------------------------------------------------------------------------------------------------------


def feature_name(machine: Machine, feature: int) -> str:
    """The name of a column, else its number as data files count; also for features that the machine does not have."""
    names = machine.feature_names
    return names[feature] if names and feature < len(names) else str(feature + (machine.first_id or 0))


def output_names(machine: Machine) -> tuple[str, ...]:
    """For each output the class that a positive score favours.

    For a pair of classes it is "a : b", where a positive score favours a; for regression the name of what is predicted
    where it is known, else "value", with a number where there are several outputs.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.models import output_names
    >>> coef, classes = [[1.0, 2.0, 3.0]], ["a", "b", "c"]
    >>> pairs = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0]]), coef, [0.0, 0.0, 0.0], classes, "ovo")
    >>> output_names(pairs)
    ('a : b', 'a : c', 'b : c')
    """
    if machine.classes is None or machine.scheme is Scheme.REGRESSION:
        if machine.n_outputs == 1:
            return (TableSource.of(machine).target or "value",)
        return tuple(f"value {output}" for output in range(machine.n_outputs))
    classes = class_names(machine)
    if machine.scheme is Scheme.ONE_VS_ONE:
        return tuple(f"{classes[first]} : {classes[second]}" for first, second in pairs(len(classes)))
    return classes if machine.scheme is Scheme.ONE_VS_REST else (classes[1],)


def output_number(names: tuple[str, ...], output: int | str) -> int:
    """The number of an output, given by number or name; ValueError where there is none."""
    if isinstance(output, str):
        if names.count(output) == 1:
            return names.index(output)
        raise ValueError(f"output must be one of {', '.join(map(repr, names))}, got {output!r}")
    if not is_whole(output) or not 0 <= output < len(names):
        raise ValueError(f"output must be a number from 0 to {len(names) - 1} or a name, got {output!r}")
    return int(output)


@dataclass(frozen=True)
class Outputs:
    """What can be explained: each output of a machine and, for one-vs-one with three classes or more, each class.

    The score of such a class is the sum of the scores of its pairs, each signed in its favour. It is a sum of outputs,
    so its Shapley values are the same sum of theirs. Classes are numbered after the outputs.

    Parameters
    ----------
    names : tuple of str
        Of the outputs.
    classes : tuple of str
        The classes of a one-vs-one machine with three classes or more; empty for other machines.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...] = ()

    @classmethod
    def of(cls, machine: Machine) -> Outputs:
        is_pairs = machine.classes is not None and machine.scheme is Scheme.ONE_VS_ONE and machine.n_classes > 2
        return cls(output_names(machine), class_names(machine) if is_pairs else ())

    def number(self, output: int | str) -> int:
        """The number of an output or a class, given by number or name; ValueError where there is none."""
        return output_number(self.all_names, output)

    @property
    def all_names(self) -> tuple[str, ...]:
        """Of the outputs, then of the classes."""
        return (*self.names, *self.classes)

    def name(self, number: int) -> str:
        return self.all_names[number]

    def column(self, table: Floats, number: int) -> Floats:
        """The numbers of one output or class; the last axis of the table is outputs."""
        if number < len(self.names):
            return np.asarray(table[..., number])
        winner = number - len(self.names)
        return np.asarray(sum(sign * table[..., output] for output, sign in _pairs_of(winner, len(self.classes))))

    def predicted(self, scores: Floats, winner: int, scheme: Scheme) -> int:
        """The output or class that is explained by default: that of the predicted class, `winner`.

        Without classes it is the output of largest magnitude.
        """
        if self.classes:
            return len(self.names) + winner
        if scheme is Scheme.ONE_VS_REST:
            return winner
        if not len(scores):
            raise ValueError("the machine has one class and no output: there is nothing to explain")
        return int(np.argmax(np.abs(scores)))


def class_names(machine: Machine) -> tuple[str, ...]:
    """The classes, spelled as in data files; none for a machine without classes."""
    return () if machine.classes is None else tuple(spelled_label(label) for label in machine.classes.tolist())


def _pairs_of(winner: int, n_classes: int) -> list[tuple[int, int]]:
    """The outputs that compare a class with others; with 1 where a positive score favours the class, else -1."""
    found = enumerate(pairs(n_classes))
    return [(output, 1 if pair[0] == winner else -1) for output, pair in found if winner in pair]


def largest(column: Floats, k: int | None) -> list[int]:
    """Indices of the numbers of largest magnitude, in that order; all, or the first k."""
    if k is not None and not (is_whole(k) and k >= 0):
        raise ValueError(f"expected a number of 0 or more, or None, got {k!r}")
    return [int(at) for at in np.argsort(-np.abs(column), kind="stable")[:k]]
