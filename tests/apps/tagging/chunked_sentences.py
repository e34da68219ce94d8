"""Sentences of a small made-up language to learn chunks from: words, parts of speech, and tags in IOB2."""

from __future__ import annotations

import numpy as np

from gristmill.apps.tagging.chunks import convert_tags

WORDS = {
    "D": ["the", "a", "every"],
    "A": ["old", "fine", "übergroß"],
    "N": ["mill", "stone", "grain", "wind", "石臼", "Müller"],
    "V": ["grinds", "turns", "eats"],
    "P": ["in", "with"],
    "R": ["slowly", "now"],
    ".": [".", ";"],
}
PHRASES = ["D N", "D A N", "N", "N N"]


def sentences(count=40, seed=0):
    """Lists of (word, part of speech, tag)."""
    rng = np.random.default_rng(seed)
    return [_sentence(rng) for _ in range(count)]


def plain(tagged):
    """Without the tags."""
    return [[token[:-1] for token in sentence] for sentence in tagged]


def tags_of(tagged):
    return [[token[-1] for token in sentence] for sentence in tagged]


def spelled(tagged, scheme):
    """The same sentences, their chunks in another scheme."""
    again = convert_tags(tags_of(tagged), scheme)
    return [
        [(*token[:-1], tag) for token, tag in zip(sentence, tags, strict=True)]
        for sentence, tags in zip(tagged, again, strict=True)
    ]


def text_of(tagged, blank=" ", end="\n"):
    """A file of columns."""
    return "".join("".join(blank.join(token) + end for token in sentence) + end for sentence in tagged)


def _sentence(rng):
    tokens = [*_phrase(rng, str(rng.choice(PHRASES)), "NP"), *_phrase(rng, "V", "VP")]
    if rng.random() < 0.6:
        tokens += _phrase(rng, str(rng.choice(PHRASES)), "NP")
    if rng.random() < 0.3:  # two chunks of a type side by side
        tokens += _phrase(rng, "D N", "NP")
    if rng.random() < 0.4:
        tokens += [*_phrase(rng, "P", "PP"), *_phrase(rng, str(rng.choice(PHRASES)), "NP")]
    if rng.random() < 0.3:
        tokens += _phrase(rng, "R", "ADVP")
    return [*tokens, (str(rng.choice(WORDS["."])), ".", "O")]


def _phrase(rng, kinds, name):
    return [
        (str(rng.choice(WORDS[kind])), kind, f"{'I' if at else 'B'}-{name}") for at, kind in enumerate(kinds.split())
    ]
