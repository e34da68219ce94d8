"""Numbers as bins: KBinsDiscretizer, Binarizer, and the threshold of an estimator for columns that nobody encoded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.preprocessing import Binarizer, KBinsDiscretizer

from gristmill.base.arrays import Floats
from gristmill.data.tables.coders import NumberCoder, WordCoder
from gristmill.data.tables.fields import Field
from gristmill.data.tables.words import distinct_numbers, number_text
from gristmill.estimators.encodings.parts import Bit, Cells, Coding, Part, cannot, cells_of, converts


@converts(KBinsDiscretizer)
def bins(step: Any, parts: Sequence[Part]) -> list[Part]:
    """A number is in the bin of the last edge that is not above it."""
    if not step.encode.startswith("onehot"):
        raise cannot(step, "it gives numbers of bins, not columns of 0 and 1", "use encode='onehot'")
    if step.dtype == np.float32:
        raise cannot(step, "it rounds numbers to float32", "leave dtype out")
    found: list[Part] = []
    for cells, edges in zip(cells_of(step, parts), step.bin_edges_, strict=True):
        inner = np.asarray(edges[1:-1], dtype=np.float64)
        coding = Coding(cells.column, _number_coder(cells, np.nextafter(inner, -np.inf), _words(inner)))
        found += [Bit(coding, 0, number) for number in range(len(inner) + 1)]
    return found


@converts(Binarizer)
def above(step: Any, parts: Sequence[Part]) -> list[Part]:
    """Whether a number is above the threshold; of columns of 0 and 1, themselves."""
    return [_above(step, part) if isinstance(part, Cells) else _same(step, part) for part in parts]


def threshold(cells: Cells, binarize: Any) -> Bit:
    """What an estimator makes of a column that no step has encoded.

    binarize : float, None or False
        The estimator's. Without a threshold other values than 0 and 1 are computed with or refused; they are refused.
    """
    if binarize is None or binarize is False:
        field = Field(cells.name, cells.name, "boolean", ("0", "1"), 0, _filled(cells, {"0": 0, "1": 1}), None)
        coder = WordCoder(field, {"0": 0, "1": 1, "False": 0, "True": 1}, None)
        return Bit(Coding(cells.column, coder), 0, 1)
    return _split(cells, float(binarize))


def _above(step: Any, cells: Cells) -> Bit:
    if not np.isfinite(step.threshold):
        raise cannot(step, "its threshold is infinite", "leave the column out")
    return _split(cells, float(step.threshold))


def _same(step: Any, bit: Bit) -> Bit:
    if not 0 <= step.threshold < 1:
        raise cannot(step, "its threshold makes columns of 0 and 1 constant", "use one from 0 up to 1")
    return bit


def _split(cells: Cells, limit: float) -> Bit:
    words = (f"<= {number_text(limit)}", f"> {number_text(limit)}")
    return Bit(Coding(cells.column, _number_coder(cells, np.array([limit]), words)), 0, 1)


def _number_coder(cells: Cells, inner: Floats, words: tuple[str, ...]) -> NumberCoder:
    """Missing numbers are in the bin of what they were filled with, else refused."""
    field = Field(cells.name, cells.name, "number", words, len(words), None, None)
    default = None if cells.fill is None else int(np.searchsorted(inner, float(cells.fill)))
    return NumberCoder(field, np.append(inner, np.inf), default)


def _filled(cells: Cells, bin_of: dict[str, int]) -> int | None:
    return None if cells.fill is None else bin_of.get(number_text(float(cells.fill)))


def _words(edges: Floats) -> tuple[str, ...]:
    """The upper end of a bin is in the next one."""
    texts = distinct_numbers(edges.tolist())
    if not texts:
        return ("finite",)
    between = [f"{lower} to <{upper}" for lower, upper in pairwise(texts)]
    return (f"< {texts[0]}", *between, f">= {texts[-1]}")
