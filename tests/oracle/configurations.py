"""Features of a parser's configurations by their definition: strings, a set for each configuration.

An address is (base, depth, steps), such as ("s", 0, ("ldep",)). A part of an item is (what, address, more): a column
with its view, deprel, lefts or rights with nothing more, distance with another address.
"""

from __future__ import annotations

from itertools import product

from tests.oracle.templates import lower, values

DISTANCES = {**{n: n for n in range(5)}, 5: 5, 6: 5, 7: 7, 8: 7, 9: 7, 10: 7}


def word_at(parser, address):
    """The word at an address, None if there is none."""
    base, depth, steps = address
    places = parser.stack[::-1] if base == "s" else parser.buffer
    word = places[depth] if depth < len(places) else None
    for step in steps:
        if word is None:
            return None
        word = _step(parser.heads, word, step)
    return word


def _step(heads, word, step):
    own = [w for w, head in enumerate(heads) if head == word]
    left, right = [w for w in own if w < word], [w for w in own if w > word][::-1]  # outermost first
    head = heads[word]
    siblings = [w for w, other in enumerate(heads) if head >= 0 and other == head and (w < head) == (word < head)]
    return {
        "head": head if head >= 0 else None,
        "ldep": next(iter(left), None),
        "rdep": next(iter(right), None),
        "ldep2": next(iter(left[1:]), None),
        "rdep2": next(iter(right[1:]), None),
        "lsib": max((w for w in siblings if w < word), default=None),
        "rsib": min((w for w in siblings if w > word), default=None),
        "pred": word - 1 if word > 0 else None,
        "succ": word + 1 if word + 1 < len(heads) else None,
    }[step]


def features(items, sentence, relations, parser):
    """Items are lists of (name, part)."""
    found = set()
    for item in items:
        name = "/".join(name for name, _ in item)
        seen = [list(_seen(part, sentence, relations, parser)) for _, part in item]
        found |= {f"{name}={'/'.join(one)}" for one in product(*seen)}
    return found


def _seen(part, sentence, relations, parser):
    what, address, more = part
    word = word_at(parser, address)
    if word is None:
        return []
    if what == "distance":
        other = word_at(parser, more)
        return [] if other is None else [str(DISTANCES.get(abs(word - other), 11))]
    if what == "deprel":
        return [] if parser.heads[word] < 0 else [relations[parser.relations[word]]]
    if what in ("lefts", "rights"):
        own = [w for w, head in enumerate(parser.heads) if head == word]
        return [str(min(3, sum((w < word) == (what == "lefts") for w in own)))]
    cell = sentence[word][what]
    if more.kind == "parts":
        text = lower(cell) if more.lower else cell
        return [] if text == "_" else [part for part in text.split("|") if part]
    return values(more, cell) if cell else []
