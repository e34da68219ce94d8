"""OneHotEncoder: a category is a bin; dropped ones are bins without a column, and so are unknown ones where ignored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.preprocessing import OneHotEncoder

from gristmill.data.tables.coders import WordCoder
from gristmill.data.tables.fields import MISSING, OTHER, Field, special_word
from gristmill.data.tables.words import is_missing, text_of
from gristmill.estimators.encodings.parts import Bit, Cells, Coding, Part, cannot, cells_of, converts

_BEYOND = {int: 2**63, float: 2**53}  # columns hold whole numbers as int64, or as float64, which then rounds
_SAME = {"0": "False", "False": "0", "1": "True", "True": "1"}  # numbers and booleans that are equal


@converts(OneHotEncoder)
def one_hot(step: Any, parts: Sequence[Part]) -> list[Part]:
    """The categories of each column, but for those that are dropped."""
    found: list[Part] = []
    for at, cells in enumerate(cells_of(step, parts)):
        found += _column(step, at, cells)
    return found


def _column(step: Any, at: int, cells: Cells) -> list[Part]:
    categories = step.categories_[at].tolist()
    texts = [_text(step, category) for category in categories]
    if len(set(texts)) < len(texts):
        raise cannot(step, f"categories of column {cells.name!r} have the same text", "make them all texts or numbers")
    merged = _merged(step, at)
    kept = [text for text in texts if text not in merged]
    place = {text: number for number, text in enumerate(kept)}
    bin_of = {text: place.get(text, len(kept)) for text in texts}
    coder = _coder(step, cells, kept, bin_of, numbers=not any(isinstance(one, str) for one in categories))
    shown = range(len(kept) + bool(merged))
    dropped = None if step.drop_idx_ is None or step.drop_idx_[at] is None else bin_of[texts[step.drop_idx_[at]]]
    coding = Coding(cells.column, coder)
    return [Bit(coding, 0, number) for number in shown if number != dropped]


def _merged(step: Any, at: int) -> set[str | None]:
    """The texts of infrequent categories, which share a bin behind the others."""
    merged = getattr(step, "infrequent_categories_", None)
    return set() if merged is None or merged[at] is None else {_text(step, one) for one in merged[at].tolist()}


def _coder(
    step: Any, cells: Cells, kept: list[str | None], bin_of: dict[str | None, int], *, numbers: bool
) -> WordCoder:
    """None in `kept` and `bin_of` is a missing value."""
    texts = [text for text in kept if text is not None]
    words = [special_word(MISSING, texts) if text is None else text for text in kept]
    has_merged = len(kept) in bin_of.values()
    default = _default(step, len(kept), has_merged)
    while len(words) < max(len(kept) + has_merged, 0 if default is None else default + 1):
        words.append(special_word(OTHER, words))
    known = {text: number for text, number in bin_of.items() if text is not None}
    if numbers:
        known |= {_SAME[text]: number for text, number in known.items() if text in _SAME}
    missing = bin_of.get(None) if cells.fill is None else known.get(text_of(cells.fill), default)
    field = Field(cells.name, cells.name, "category", tuple(words), 0, missing, default)
    return WordCoder(field, known, default)


def _default(step: Any, n_kept: int, has_merged: bool) -> int | None:
    """The bin of unknown categories, perhaps one behind all that have columns; None: they are refused."""
    if step.handle_unknown == "error":
        return None
    shares = has_merged and step.handle_unknown in ("infrequent_if_exist", "warn")
    return n_kept if shares else n_kept + has_merged


def _text(step: Any, category: Any) -> str | None:
    """What a category is known by; None is a missing one."""
    if is_missing(category):
        return None
    if isinstance(category, str | bool) or (
        isinstance(category, int | float) and abs(category) < _BEYOND[type(category)]
    ):
        return text_of(category)
    what = f"it has a category {category!r} of type {type(category).__name__}"
    raise cannot(step, what, "use gristmill.TableEncoder, or make texts of it")
