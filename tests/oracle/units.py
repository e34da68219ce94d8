"""Units of words by their definition.

A tag is (whether it begins a unit, its relation or -1 of a head word, how far away its head is or 0 for the head word).
"""

from __future__ import annotations

from itertools import pairwise

from tests.oracle.parsing import above

FARTHEST = 3


def borders(heads, relations, joins):
    """First words of the units of a sentence: where no arc that joins goes over the border before a word."""
    joined = []
    for word, head in enumerate(heads):
        side = 1 if head < word else 2
        if head >= 0 and joins[relations[word]] & side:
            joined.append((min(word, head), max(word, head)))
    return [w for w in range(len(heads)) if not any(low < w <= high for low, high in joined)]


def inside(heads, relations, joins):
    """For each unit: its words, its head word, and {word: (head, relation)} of the others.

    The head word is the one nearest to the root, of several the first; others whose head is elsewhere hang on it.
    """
    found = []
    starts = borders(heads, relations, joins)
    for begin, end in pairwise([*starts, len(heads)]):
        words = range(begin, end)
        top = min(words, key=lambda word: len(above(heads, word)))
        own = {w: (heads[w] if heads[w] in words else top, relations[w]) for w in words if w != top}
        found.append((words, top, own))
    return found


def tags(units):
    found = []
    for words, top, own in units:
        for word in words:
            head, relation = own.get(word, (top, -1))
            away = 0 if head == top or abs(head - word) > FARTHEST else head - word
            found.append((word == words[0], relation, away))
    return found


def of_tags(given, fallback):
    """Units that any tags give: of several head words the last one counts, of none the first word."""
    starts = [word for word, (begins, _, _) in enumerate(given) if begins or word == 0]
    found = []
    for begin, end in pairwise([*starts, len(given)]):
        words = range(begin, end)
        top = max((word for word in words if given[word][1] < 0), default=begin)
        heads = {}
        for word in words:
            head = word + given[word][2]
            heads[word] = head if given[word][2] and head in words else top
        heads[top] = top
        for word in words:  # from left to right: a way that does not lead to the head word is cut at its beginning
            if top not in _way_up(heads, word):
                heads[word] = top
        own = {w: (heads[w], given[w][1] if given[w][1] >= 0 else fallback) for w in words if w != top}
        found.append((words, top, own))
    return found


def _way_up(heads, word):
    seen = []
    while word not in seen:
        seen.append(word)
        word = heads[word]
    return seen


def composed(units, links, relations):
    """Heads and relations of words, given those of units."""
    heads, found = {}, {}
    for (_, top, own), link, relation in zip(units, links, relations, strict=True):
        heads[top], found[top] = (-1 if link < 0 else units[link][1]), relation
        for word, (head, inner) in own.items():
            heads[word], found[word] = head, inner
    return [heads[word] for word in sorted(heads)], [found[word] for word in sorted(found)]


def unit_of(units, word):
    return next(number for number, (words, _, _) in enumerate(units) if word in words)


def links(units, heads):
    return [-1 if heads[top] < 0 else unit_of(units, heads[top]) for _, top, _ in units]


def roles(unit, sentence):
    """The words that a unit shows: head, last and last but one function word, before, first, mark; None for none."""
    words, top, _ = unit
    behind = [word for word in words if word > top]
    marks = [word for word in behind if sentence[word][2] in ("PUNCT", "SYM")]
    last = [None, None, *(word for word in behind if word not in marks)]
    front = (top - 1, words[0]) if top > words[0] else (None, None)
    return [top, last[-1], last[-2], *front, marks[-1] if marks else None]
