"""Words of hashed columns: a HashingVectorizer keeps none, but the texts at hand still have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction import FeatureHasher


def words_of_columns(vectorizer: Any, texts: Iterable[str]) -> list[str]:
    """A name for each column of a HashingVectorizer: the words of these texts that fall into it, else its number.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import HashingVectorizer
    >>> from gristmill.estimators.hashed_words import words_of_columns
    >>> words_of_columns(HashingVectorizer(n_features=4), ["a river bank"])
    ['0', 'bank', 'river', '3']
    """
    analyze = vectorizer.build_analyzer()
    words = sorted({word for text in texts for word in analyze(text)})
    hasher = FeatureHasher(vectorizer.n_features, input_type="string", alternate_sign=False)
    columns = hasher.transform([[word] for word in words]).indices if words else []
    found: dict[int, list[str]] = {}
    for word, column in zip(words, columns, strict=True):
        found.setdefault(int(column), []).append(word)
    names = list(map(str, range(vectorizer.n_features)))
    for column, own in found.items():
        names[column] = " | ".join(own)
    return names
