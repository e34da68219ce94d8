"""Features of tokens by their definition: strings, a set for each token. And what is seen of cells, by unicodedata."""

from __future__ import annotations

import re
import unicodedata

SCRIPTS = {
    "HIRAGANA": "H",
    "KATAKANA": "K",
    "HALFWIDTH KATAKANA": "K",
    "CJK": "C",
    "IDEOGRAPHIC": "C",
    "HANGUL": "G",
    "HALFWIDTH HANGUL": "G",
    "THAI": "T",
}
SYMBOL = "S"


# --- characters -------------------------------------------------------------------------------------------------------


def type_of(character):
    """A letter: upper case X, lower case x, digit d, symbol S, space _, a script's own, other letters L."""
    category = unicodedata.category(character)
    if category[0] == "Z" or character in "\t\n\v\f\r":
        return "_"
    if category == "Nd":
        return "d"
    if category[0] not in "LM" and category != "Nl":
        return SYMBOL
    script = re.match("|".join(SCRIPTS), unicodedata.name(character, ""))
    return SCRIPTS[script[0]] if script else {"Lu": "X", "Lt": "X", "Ll": "x"}.get(category, "L")


def lower(text):
    """Character by character, where the lower case is one character."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def shape(text):
    return "".join(c if type_of(c) == SYMBOL else type_of(c) for c in text)


def squeezed(text):
    """Equal neighbours once."""
    return re.sub(r"(.)\1+", r"\1", text, flags=re.DOTALL)


def values(view, cell):
    """All that is seen of a cell."""
    text, n = lower(cell) if view.lower else cell, view.size
    runs = [text[at : at + n] for at in range(len(text) - n + 1)]
    return {
        "whole": [text],
        "prefix": runs[:1],
        "suffix": runs[-1:],
        "shape": [shape(text)],
        "brief": [squeezed(shape(text))],
        "type": [squeezed("".join(map(type_of, text)))],
        "grams": runs,
        "pieces": re.split(",+", text.lstrip(",")),
    }[view.kind]


# --- features ---------------------------------------------------------------------------------------------------------


def outside(names, place, size):
    """What is seen at a place before the first token or behind the last one."""
    left_before, left_after, right_before, right_after = names
    return f"{left_before}{-place}{left_after}" if place < 0 else f"{right_before}{place - size + 1}{right_after}"


def features(templates, tokens, tags, backward=False):
    """A set for each token of a sentence, given the tags of all of them, None where there is none."""
    if backward:
        return features(templates, tokens[::-1], tags[::-1])[::-1]
    return [
        {name for item in templates.items for name in spelled(item, templates.outside, at, tokens, tags)}
        for at in range(len(tokens))
    ]


def spelled(item, names, at, tokens, tags):
    """The features that an item makes of the token at a place."""
    found = [""]
    for before, look in item.pieces:
        found = [name + before + value for name in found for value in seen(look, names, at, tokens, tags)]
    return [name + item.after for name in found]


def seen(look, names, at, tokens, tags):
    place = at + look.distance
    is_inside = 0 <= place < len(tokens)
    if look.column is None:
        return [tags[place]] if is_inside and tags[place] is not None else []
    return values(look.view, tokens[place][look.column]) if is_inside else [outside(names, place, len(tokens))]


def crfpp_features(lines, tokens):
    """What CRF++ makes of the lines of a template file that begin with U."""

    def cell(at, row, column):
        place = at + row
        if place < 0:
            return f"_B{place}"
        return tokens[place][column] if place < len(tokens) else f"_B+{place - len(tokens) + 1}"

    def filled(line, at):
        return re.sub(r"%x\[(-?\d+),(\d+)\]", lambda macro: cell(at, int(macro[1]), int(macro[2])), line)

    return [{filled(line, at) for line in lines} for at in range(len(tokens))]
