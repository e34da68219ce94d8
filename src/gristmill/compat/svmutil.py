"""A stand-in for LIBSVM's Python module svmutil: prediction with any model, compiled.

    from libsvm.svmutil import *            ->            from gristmill.compat.svmutil import *

Same arguments, printed lines and return values. Training is not offered yet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.base.files import PathLike
from gristmill.compat.svm import as_dictionaries, svm_forms, svm_model
from gristmill.data.formats.svmlight import parse_rows, read_rows
from gristmill.data.rows import Rows, as_rows
from gristmill.machines.formats import read_machine, write

__all__ = [
    "evaluations",
    "svm_forms",
    "svm_load_model",
    "svm_model",
    "svm_predict",
    "svm_read_problem",
    "svm_save_model",
]

Metrics = tuple[float, float, float]
_NAN = float("nan")


def svm_load_model(model_file_name: PathLike) -> svm_model | None:
    """Load a model of any format that gristmill knows.

    As in LIBSVM, a file that cannot be opened gives a printed line and None. One that is damaged raises FormatError.
    """
    try:
        return svm_model(read_machine(model_file_name))
    except OSError:
        print(f"can't open model file {os.fspath(model_file_name)}")
        return None


def svm_save_model(model_file_name: PathLike, model: svm_model) -> None:
    """Write a LIBSVM model file; ValueError if LIBSVM has no such machine."""
    write(model.machine, model_file_name, "libsvm")


# --- prediction -------------------------------------------------------------------------------------------------------


def svm_predict(
    y: Any, x: Any, m: svm_model, options: str = ""
) -> tuple[list[float], Metrics, list[list[float]] | list[list[int]]]:
    """Predict data with a model.

    Parameters
    ----------
    y : list, tuple or array
        True labels, for the metrics; [] if there are none.
    x : list of dictionaries or of lists, array or sparse matrix
        A dictionary maps feature ids, counted as in data files, to values; in tables the first column is feature 1.
    m : svm_model
    options : str
        '-b 1': probability estimates instead of decision values. '-q': print nothing.

    Returns
    -------
    labels : list of float
    (accuracy, mean squared error, squared correlation coefficient)
    values : list of lists
        Decision values, one for each pair of classes in the order of `m.get_labels()`; or probabilities in that order.
    """
    _check_types(y, x)
    probability, say = _parse_options(options)
    if probability and not m.is_probability_model():
        raise ValueError("Model does not support probabiliy estimates")
    rows = _rows(x, m.first_id)
    _announce(m, probability, say)
    labels, values = m.probabilities(rows) if probability else m.answers(rows)
    metrics = evaluations(y if len(y) else [0] * len(labels), labels.tolist())
    _report(m, metrics, len(labels), say)
    if not probability and m.get_nr_class() == 1:
        return labels.tolist(), metrics, [[1] for _ in range(len(labels))]
    return labels.tolist(), metrics, values.tolist()


def _check_types(y: Any, x: Any) -> None:
    if not (isinstance(x, list | tuple | np.ndarray) or sp.issparse(x)):
        raise TypeError(f"type of x: {type(x)} is not supported!")
    if not isinstance(y, list | tuple | np.ndarray):
        raise TypeError(f"type of y: {type(y)} is not supported!")


def _parse_options(options: str) -> tuple[bool, Callable[[str], None]]:
    """Whether to estimate probabilities, and what prints."""
    words = iter(options.split())
    probability, say = False, _print
    for word in words:
        if word == "-b":
            probability = int(next(words, "")) != 0
        elif word == "-q":
            say = _print_nothing
        else:
            raise ValueError("Wrong options")
    return probability, say


def _print(line: str) -> None:
    print(line)


def _print_nothing(line: str) -> None:
    pass


def _announce(m: svm_model, probability: bool, say: Callable[[str], None]) -> None:
    if probability and m.is_regression:
        say(noise_note(m))
    elif not probability and m.is_probability_model():
        say("Model supports probability estimates, but disabled in predicton.")  # as LIBSVM spells it here


def noise_note(m: svm_model) -> str:
    """What LIBSVM says of a regression's noise."""
    return (
        "Prob. model for test data: target value = predicted value + z,\n"
        f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={m.get_svr_probability():g}"
    )


def _report(m: svm_model, metrics: Metrics, count: int, say: Callable[[str], None]) -> None:
    accuracy, error, correlation = metrics
    if m.is_regression:
        say(f"Mean squared error = {error:g} (regression)")
        say(f"Squared correlation coefficient = {correlation:g} (regression)")
    else:
        correct = round(count * accuracy / 100) if count else 0
        say(f"Accuracy = {accuracy:g}% ({correct}/{count}) (classification)")


# --- metrics ----------------------------------------------------------------------------------------------------------


def evaluations(ty: Any, pv: Any, useScipy: bool = True) -> Metrics:
    """Accuracy in percent, mean squared error and squared correlation coefficient; nan where there is none.

    `useScipy` is there for LIBSVM's signature: both of its ways give the same but for rounding.
    """
    truth, answers = np.asarray(ty), np.asarray(pv)
    if len(truth) != len(answers):
        raise ValueError("len(ty) must be equal to len(pv)")
    if len(truth) == 0:
        return _NAN, _NAN, _NAN
    accuracy = 100.0 * (truth == answers).mean()
    return float(accuracy), float(((truth - answers) ** 2).mean()), _squared_correlation(truth, answers)


def _squared_correlation(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    n = len(truth)
    with np.errstate(all="raise"):
        try:
            both = n * (answers * truth).sum() - answers.sum() * truth.sum()
            one = n * (answers * answers).sum() - answers.sum() ** 2
            other = n * (truth * truth).sum() - truth.sum() ** 2
            return float(both * both / (one * other))
        except FloatingPointError:
            return _NAN


# --- data -------------------------------------------------------------------------------------------------------------


def svm_read_problem(data_source: Any, return_scipy: bool = False) -> tuple[Any, Any]:
    """Read a data file: labels and examples.

    Parameters
    ----------
    data_source : path or file object
        Compressed files are unpacked.
    return_scipy : bool
        False: a list of labels and a list of dictionaries. True: an array and a csr_matrix.
    """
    if return_scipy:
        rows, labels = _read(data_source, "auto")
        return labels, as_rows(rows, binarize=False).to_csr()
    rows, labels = _read(data_source, True)  # ids as they are written
    return labels.tolist(), as_dictionaries(rows, 0)


def _read(source: Any, zero_based: Any) -> tuple[Rows, NDArray[np.float64]]:
    if not hasattr(source, "read"):
        return read_rows(source, zero_based=zero_based)[:2]
    text = source.read()
    return parse_rows(text.encode() if isinstance(text, str) else text, zero_based=zero_based)[:2]


def _rows(x: Any, first_id: int) -> Rows:
    """Examples as rows; ids below the first that the model counts are features it cannot know."""
    if sp.issparse(x) or (isinstance(x, np.ndarray) and x.ndim == 2):
        rows = as_rows(x, binarize=False)
        shift = 1 - first_id  # the first column is feature 1
        return replace(rows, ids=rows.ids + np.int32(shift), n_features=rows.n_features + shift)
    return as_rows(_stacked([_entries(row) for row in x], first_id), binarize=False)


def _entries(row: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Feature ids and values of one example."""
    if isinstance(row, dict):
        return _whole(np.array(list(row))), np.array(list(row.values()), dtype=np.float64)
    if isinstance(row, tuple) and len(row) == 2 and all(isinstance(part, np.ndarray) for part in row):
        return _whole(row[0]) + 1, row[1].astype(np.float64)
    if isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1):
        values = np.asarray(row, dtype=np.float64)
        ids = np.flatnonzero(values)
        return ids + 1, values[ids]
    raise TypeError("xi should be a dictionary, list, tuple, 1-d numpy array, or tuple of (index, data)")


def _whole(ids: NDArray[Any]) -> NDArray[np.int64]:
    if len(ids) and ids.dtype.kind not in "iu":
        raise TypeError(f"feature ids must be whole numbers, got {ids.tolist()[:3]}")
    return ids.astype(np.int64)


def _stacked(entries: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]], first_id: int) -> sp.csr_matrix:
    """One matrix, columns counted from 0."""
    known = [ids >= first_id for ids, _ in entries]
    offsets = np.cumsum([0, *(int(mask.sum()) for mask in known)])
    columns = _joined([ids[mask] - first_id for (ids, _), mask in zip(entries, known, strict=True)], np.int64)
    values = _joined([row[mask] for (_, row), mask in zip(entries, known, strict=True)], np.float64)
    width = int(columns.max()) + 1 if len(columns) else 0
    return sp.csr_matrix((values, columns, offsets), shape=(len(entries), width))


def _joined(parts: list[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=dtype), *parts])
