"""Chunks of tags by the book: the transitions of conlleval, one by one, and its counting."""

from __future__ import annotations

from collections import Counter
from itertools import product


def split(tag):
    """Kind and type; U and L are S and E."""
    kind, _, label = tag.partition("-")
    return {"U": "S", "L": "E"}.get(kind, kind), label


def ends(before, tag):
    """Whether a chunk ends between two tokens."""
    (kind, label), (next_kind, next_label) = before, tag
    if kind in {"E", "S"}:
        return True
    if kind in {"B", "I"} and next_kind in {"B", "S", "O"}:
        return True
    return kind != "O" and label != next_label


def begins(before, tag):
    """Whether a chunk begins between two tokens."""
    (kind, label), (next_kind, next_label) = before, tag
    if next_kind in {"B", "S"}:
        return True
    if kind in {"O", "E", "S"} and next_kind in {"I", "E"}:
        return True
    return next_kind != "O" and label != next_label


def chunks(tags):
    """[(first, last, type)] of a sentence."""
    outside = ("O", "")
    around = [outside, *map(split, tags), outside]
    firsts = [at for at in range(len(tags)) if begins(around[at], around[at + 1])]
    lasts = [at for at in range(len(tags)) if ends(around[at + 1], around[at + 2])]
    return [(first, last, around[first + 1][1]) for first, last in zip(firsts, lasts, strict=True)]


def encode(found, length, scheme):
    """The tags of a sentence with these chunks."""
    tags = ["O"] * length
    firsts = {(first, label) for first, _, label in found}
    lasts = {(last, label) for _, last, label in found}
    for first, last, label in found:
        kinds = ["I"] * (last - first + 1)
        if scheme == "IOB2" or (scheme == "IOB1" and (first - 1, label) in lasts):
            kinds[0] = "B"
        if scheme == "IOE2" or (scheme == "IOE1" and (last + 1, label) in firsts):
            kinds[-1] = "E"
        if scheme == "BIOES":
            kinds = ["S"] if first == last else ["B", *kinds[1:-1], "E"]
        tags[first : last + 1] = [f"{kind}-{label}" if label else kind for kind in kinds]
    return tags


def is_well_spelled(tags, scheme):
    """Whether the chunks of the tags have the same tags in a scheme."""
    return [*map(split, tags)] == [*map(split, encode(chunks(tags), len(tags), scheme))]


def well_spelled(classes, length, scheme):
    """All tags of a sentence that are."""
    return [tags for tags in product(classes, repeat=length) if is_well_spelled(tags, scheme)]


def counts(gold, predicted, of=chunks):
    """Of each type: how many of gold, of predicted, of both."""
    sides = [{(at, *one) for at, tags in enumerate(side) for one in of(tags)} for side in (gold, predicted)]
    numbers = [Counter(one[-1] for one in side) for side in (*sides, sides[0] & sides[1])]
    return {label: tuple(number[label] for number in numbers) for label in {*numbers[0], *numbers[1]}}


def single_tokens(tags):
    """Tags as types of single tokens."""
    return [(at, at, tag) for at, tag in enumerate(tags) if tag != "O"]
