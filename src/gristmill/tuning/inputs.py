"""What users give, checked once and put into the form that all settings share."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.checks import check_whole
from gristmill.data.forest import Forest, compared_trees
from gristmill.data.rows import Binarize, as_rows, as_table, check_binarize
from gristmill.display.words import listed_labels, quoted_label
from gristmill.kernels import Kernel
from gristmill.kernels.base import validate_no_fields
from gristmill.tuning.cases import Cases
from gristmill.tuning.samples import Numbers, check_folds, stratified_order


def check_kinds(kernels: list[Kernel]) -> None:
    """All kernels of a search compare the same kind of examples."""
    kinds = sorted({kernel.reads for kernel in kernels})
    if len(kinds) > 1:
        raise ValueError(
            f"these kernels compare {' and '.join(kinds)}; tune one kind at a time, or name fields, as in k.on('trees')"
        )


def examples_for(kernels: list[Kernel], X: Any, binarize: Binarize) -> Any:
    """Examples as all the kernels compare them."""
    if kernels[0].reads == "rows":
        validate_no_fields(X)
        return as_rows(as_table(X), binarize=binarize, training=True)
    if kernels[0].reads == "trees":
        validate_no_fields(X)
        return compared_trees(X, marked=_wants_marks(kernels, X))
    for kernel in kernels:
        X = kernel.examples(X)
    return X


def _wants_marks(kernels: list[Kernel], X: Any) -> bool:
    """Strings mean one thing to kernels that look at marks and another one to the others."""
    wants = {kernel.marked for kernel in kernels}
    if len(wants) > 1 and not isinstance(X, Forest):
        raise ValueError(
            "some kernels look at marks and some do not: is '*' in the trees a mark? Read them first, "
            "gm.Forest.from_strings(trees, marks=True) or marks=False"
        )
    return True in wants


def make_cases(
    kernels: list[Kernel],
    X: Any,
    y: Any,
    held_out: Any,
    folds: Any,
    binarize: Binarize,
    seed: int,
    **rest: Any,
) -> Cases:
    """The examples of a search, permuted; `rest` goes to `Cases`."""
    check_binarize(binarize)
    data = examples_for(kernels, X, binarize)
    classes, labels = _labels(y, len(data), "X and y")
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
    if held_out is None:
        _check_fold_count(folds)
        check_folds(labels, classes, int(folds))
        return Cases.of(data, stratified_order(labels, int(folds), seed), classes=classes, **rest)
    held, held_labels = _held_out(kernels, held_out, classes, binarize)
    order = stratified_order(labels, 0, seed)
    return Cases.of(data, order, classes=classes, held=held, held_labels=held_labels, **rest)


def _held_out(kernels: list[Kernel], held_out: Any, classes: NDArray[Any], binarize: Binarize) -> tuple[Any, Numbers]:
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


def _labels(y: Any, wanted: int, where: str) -> tuple[NDArray[Any], Numbers]:
    """Classes, and for each example the number of its own."""
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise ValueError(f"{where}: a label for each of {wanted} examples is wanted, got {y!r}")
    labels = np.asarray(y if isinstance(y, Sized) else list(y))
    if labels.ndim != 1 or len(labels) != wanted:
        raise ValueError(f"{where}: a label for each of {wanted} examples is wanted, got shape {labels.shape}")
    if wanted == 0:
        raise ValueError(f"{where}: there are no examples")
    if labels.dtype.kind == "f" and not (np.isfinite(labels).all() and (labels == np.floor(labels)).all()):
        raise ValueError(f"{where}: labels must name classes, got numbers that are not whole; tune is for classifiers")
    classes, numbers = np.unique(labels, return_inverse=True)
    return classes, numbers.astype(np.intp)


def _check_fold_count(folds: Any) -> None:
    check_whole("folds", folds)
    if folds < 2:
        raise ValueError(f"folds must be 2 or more, got {folds}; or give a development set, held_out=(X, y)")
