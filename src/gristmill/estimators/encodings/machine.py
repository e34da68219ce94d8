"""The machine of a pipeline, with the steps before it as its encoding: it reads the user's tables alone.

The features of the machine are renumbered: each column of 0 and 1 is a bin of the encoding. Bins without a column
(dropped categories, unknown ones) are features that no support row has, which change no overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from gristmill.base.arrays import Int32s, Int64s
from gristmill.data.rows import Rows
from gristmill.data.tables.coders import Coder, JoinedCoder
from gristmill.data.tables.encoding import Encoding
from gristmill.estimators.containers import Contained, contained
from gristmill.estimators.encodings.bins import threshold
from gristmill.estimators.encodings.parts import Bit, Cells, Coding, Part, parts_after
from gristmill.explanations.models import machine_of
from gristmill.machines.machine import Machine


def encoded_machine(model: Any) -> Machine:
    """The machine of a fitted estimator or Pipeline that reads what `predict` of the model reads.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> import gristmill as gm
    >>> from gristmill.estimators.encodings import encoded_machine
    >>> table = [["own", 1], ["rent", 1], ["own", 2], ["rent", 3]] * 5
    >>> pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), gm.KernelSVC()).fit(table, [0, 1, 0, 1] * 5)
    >>> machine = encoded_machine(pipeline)
    >>> machine.feature_names
    ('x0 = own', 'x0 = rent', 'x0 = other', 'x1 = 1', 'x1 = 2', 'x1 = 3', 'x1 = other')
    >>> machine.compile().predict([["rent", 2], ["boat", 3]])
    array([1, 1])
    """
    inner = contained(model)
    machine = machine_of(inner.estimator)
    _check_decides(inner, machine)
    if not inner.steps:
        return machine
    if not machine.is_binary_valued:
        raise ValueError(
            "support rows hold values other than 0 and 1, which bins of columns do not have: put numbers into bins, as "
            "with gristmill.TableEncoder or KBinsDiscretizer(encode='onehot')"
        )
    steps = inner.steps if machine.encoding is None else (*inner.steps, inner.estimator.encoder_)
    encoding, places = encoding_of(steps, getattr(inner.estimator, "binarize", None))
    if not machine.explains_features and len(places) < encoding.starts[-1]:
        raise ValueError(f"the kernel {machine.kernel} counts features, and some bins of the encoding have none")
    plain = machine.replace(encoding=None, feature_names=None)
    return plain.replace(support=_renumbered(machine.rows, places, int(encoding.starts[-1])), encoding=encoding)


def encoding_of(steps: Sequence[Any], binarize: Any = None) -> tuple[Encoding, Int32s]:
    """Fitted transformers, one after the other, as an encoding; and the feature that each column they give is.

    binarize : float, None or False
        What the estimator behind them makes of columns of the table that reach it as they are.
    """
    names, is_named = _columns(steps[0])
    parts: list[Part] = [Cells(at, name) for at, name in enumerate(names)]
    for step in steps:
        parts = parts_after(step, parts)
    bits = [threshold(part, binarize) if isinstance(part, Cells) else part for part in parts]
    return _encoding(names, is_named, bits)


def _check_decides(inner: Contained, machine: Machine) -> None:
    """Refuse models that do not answer as their machine does."""
    if inner.is_calibrated:
        raise ValueError(
            "CalibratedClassifierCV answers by probabilities, which a machine's file does not have: save the estimator "
            "in one of its calibrated_classifiers_"
        )
    if getattr(inner.estimator, "break_ties", False) and machine.n_classes > 2:
        raise ValueError("break_ties=True: a machine breaks ties by the order of classes; fit with break_ties=False")


def _columns(first: Any) -> tuple[tuple[str, ...], bool]:
    """The names of the columns that the first step was fitted on, and whether they are the table's own."""
    named = getattr(first, "feature_names_in_", None)
    if named is not None:
        return tuple(map(str, named)), True
    width = getattr(first, "n_features_in_", None)
    if width is None:
        raise ValueError(
            f"{type(first).__name__} reads no tables: a model file holds encoders of columns alone. "
            "gristmill.save(..., encoding=False) saves the machine without the steps before it"
        )
    return tuple(f"x{at}" for at in range(width)), False


def _encoding(names: Sequence[str], is_named: bool, bits: Sequence[Bit]) -> tuple[Encoding, Int32s]:
    """Columns with the codings that bits are of, and the feature of each bit."""
    codings: dict[int, list[Coding]] = {at: [] for at in range(len(names))}
    for coding in dict.fromkeys(bit.coding for bit in bits):
        codings[coding.column].append(coding)
    coders = tuple(_joined([coding.coder for coding in own]) for own in codings.values())
    ordered = [coding for own in codings.values() for coding in own]
    encoding = Encoding(tuple(names), is_named, coders, _counts(ordered))
    first = dict(zip(ordered, np.cumsum([0, *(len(coding.coder.fields) for coding in ordered)]), strict=False))
    places = np.array([encoding.starts[first[bit.coding] + bit.field] + bit.bin for bit in bits], dtype=np.int32)
    if len(np.unique(places)) < len(places):
        raise ValueError("a column of 0 and 1 comes to the estimator twice: a bin of an encoding counts once")
    return encoding, places


def _counts(codings: Sequence[Coding]) -> tuple[Int64s, ...] | None:
    """Of all fields, or None where they are not known of all."""
    known = [coding.counts for coding in codings if coding.counts is not None]
    return tuple(chain.from_iterable(known)) if len(known) == len(codings) else None


def _joined(coders: list[Coder]) -> Coder:
    return coders[0] if len(coders) == 1 else JoinedCoder(tuple(coders))


def _renumbered(rows: Rows, places: Int32s, width: int) -> Rows:
    """The same rows, with the features in their places."""
    csr = replace(rows, ids=places[rows.ids], n_features=width, feature_names=None).to_csr()
    csr.sort_indices()
    return Rows(rows.offsets, csr.indices.astype(np.int32), n_features=width)
