"""Words of messages: counts with nouns, labels and lists of labels, spelled in one way everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun, which gets an -s, or is `plural`, unless there is just one.

    Examples
    --------
    >>> from gristmill.display.words import counted
    >>> counted(1, "output"), counted(1200, "output"), counted(0, "class", "classes")
    ('1 output', '1,200 outputs', '0 classes')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def spelled_label(label: Any) -> str:
    """As data files have it: whole numbers without a point."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def quoted_label(label: Any) -> str:
    """As Python spells it, without NumPy's types: words in quotation marks, so that '1' differs from 1.

    Examples
    --------
    >>> import numpy as np
    >>> from gristmill.display.words import quoted_label
    >>> print(quoted_label(np.str_("p")), quoted_label(np.float64(2.0)), quoted_label(True))
    'p' 2 True
    """
    plain = label.item() if hasattr(label, "item") else label
    return spelled_label(plain) if isinstance(plain, float) else repr(plain)


def listed_labels(labels: Iterable[Any], most: int = 10) -> str:
    """Labels one after the other, the first few where there are many.

    Examples
    --------
    >>> import numpy as np
    >>> from gristmill.display.words import listed_labels
    >>> print(listed_labels(np.array(["p", "q"])), "and", listed_labels(range(30), most=3))
    'p', 'q' and 0, 1, 2, ... (30 in all)
    """
    shown = [quoted_label(label) for label in labels]
    return ", ".join(shown[:most]) + f", ... ({len(shown)} in all)" * (len(shown) > most)


def lined(facts: Iterable[tuple[str, str]]) -> str:
    """Facts below each other, for a terminal."""
    return "\n".join(f"{name:<9} {value}" for name, value in facts)
