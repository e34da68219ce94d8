"""Words of hashed columns are in the columns that the vectorizer puts them into."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from gristmill.estimators.hashed_words import words_of_columns

TEXTS = st.lists(st.text("abc dE", max_size=12), max_size=4)


@given(TEXTS, st.integers(1, 40), st.sampled_from([{}, {"ngram_range": (1, 2)}, {"analyzer": "char"}]), st.booleans())
def test_each_word_is_in_the_name_of_its_column(texts, n_features, options, signs):
    vectorizer = HashingVectorizer(n_features=n_features, alternate_sign=signs, **options)
    names = words_of_columns(vectorizer, texts)
    assert len(names) == n_features
    words = {word for text in texts for word in vectorizer.build_analyzer()(text)}
    by_itself = HashingVectorizer(n_features=n_features, analyzer=lambda word: [word])
    for column, name in enumerate(names):
        own = sorted(word for word in words if by_itself.transform([word]).indices[0] == column)
        assert name == (" | ".join(own) if own else str(column))
