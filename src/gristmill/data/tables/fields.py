"""Fields: the discrete variables that a table is encoded as, and the names of their bins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

MISSING = "missing"
OTHER = "other"
MAX_BINS = 2**16  # codes have 16 bits
KINDS = ("number", "category", "ordered", "boolean", "date")

_RANGE = re.compile(r"[<>]|finite$|\S+(?: to |(?<=[\d.])-)\S+$")


@dataclass(frozen=True)
class Field:
    """One discrete variable; a column of dates gives several.

    Parameters
    ----------
    name : str
        As it is shown: 'age', 'date: month'.
    column : str
        The user's column that it comes from.
    kind : {'number', 'category', 'ordered', 'boolean', 'date'}
    bins : tuple of str
        The words of each bin: '37-41', 'own', '0', 'missing', 'other'. They differ.
    n_ordered : int
        The first so many bins are in their order (numbers, ordered categories, parts of dates); 0: none are.
    missing : int or None
        The bin of missing values; None: training had none.
    other : int or None
        The bin of rare and unseen categories; None: the field has no categories.
    """

    name: str
    column: str
    kind: str
    bins: tuple[str, ...]
    n_ordered: int
    missing: int | None
    other: int | None

    def __post_init__(self) -> None:
        """Refuse what is no field: it may come from a file."""
        special = [at for at in (self.missing, self.other) if at is not None]
        if not all(isinstance(text, str) for text in (self.name, self.column)):
            raise ValueError(f"a field has a name and a column, both texts, got {self.name!r:.60}, {self.column!r:.60}")
        if not all(isinstance(at, int) for at in (self.n_ordered, *special)):
            raise ValueError(f"the bins of field {self.name!r} are counted in whole numbers, got {special!r:.60}")
        inside = all(self.n_ordered <= at < len(self.bins) for at in special)
        if self.kind not in KINDS or not inside or not 0 <= self.n_ordered <= len(self.bins):
            raise ValueError(f"the bins of field {self.name!r} do not fit together")
        if not 0 < len(self.bins) == len(set(self.bins)) <= MAX_BINS:
            raise ValueError(f"the bins of field {self.name!r} must be 1 to {MAX_BINS} different words")

    def label(self, number: int) -> str:
        """The name of a bin with its field.

        Examples
        --------
        >>> from gristmill.data.tables.fields import Field
        >>> age = Field("age", "age", "number", ("<= 36", "37-41", "42", "missing"), 3, 3, None)
        >>> [age.label(number) for number in range(4)]
        ['age <= 36', 'age 37-41', 'age = 42', 'age = missing']
        """
        word = self.bins[number]
        is_range = number < self.n_ordered and self.kind in ("number", "date") and _RANGE.match(word)
        return f"{self.name} {word}" if is_range else f"{self.name} = {word}"


def special_word(word: str, taken: Iterable[str]) -> str:
    """The word, in as many brackets as keep it different from the categories.

    Examples
    --------
    >>> from gristmill.data.tables.fields import special_word
    >>> special_word("other", ["red", "blue"]), special_word("other", ["red", "other"])
    ('other', '(other)')
    """
    words = set(taken)
    while word in words:
        word = f"({word})"
    return word


def labels(fields: Iterable[Field]) -> list[str]:
    """The names of all bins, field after field; later ones that repeat an earlier one get a number."""
    return distinct([field.label(number) for field in fields for number in range(len(field.bins))])


def distinct(names: Sequence[str]) -> list[str]:
    """The same names, those that repeat an earlier one with a number behind them.

    Examples
    --------
    >>> from gristmill.data.tables.fields import distinct
    >>> distinct(["a", "b", "a", "a"])
    ['a', 'b', 'a (2)', 'a (3)']
    """
    taken, found = set(names), []
    numbers: dict[str, Iterator[int]] = {}  # the next ones, of names that were there before
    for name in names:
        own = name if name not in numbers else next(x for n in numbers[name] if (x := f"{name} ({n})") not in taken)
        numbers.setdefault(name, count(2))
        taken.add(own)
        found.append(own)
    return found
