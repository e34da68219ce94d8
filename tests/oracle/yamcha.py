"""YamCha's features and sums, by the book: what its program looks up for a token, and what it prints with -V."""

from __future__ import annotations

import re

import numpy as np


def sentences(text):
    """Lists of tokens, each a list of columns. A last sentence without an empty line after it is dropped, as there."""
    tokens, found = [], []
    for line in text.split("\n")[:-1]:
        if line in ("", "\t", "EOS"):
            found.append(tokens)
            tokens = []
        else:
            tokens.append(re.split(r"[\t ]+", line))
    return found


def features(parameters, tokens, tags):
    """The feature strings of each token of a sentence, given the tags of all of them."""
    if parameters["parsing_direction"] == "backward":
        return features({**parameters, "parsing_direction": "forward"}, tokens[::-1], tags[::-1])[::-1]
    static = [tuple(map(int, place.split(":"))) for place in parameters["features"].split()]
    bags = [tuple(map(int, place.split(":"))) for place in parameters["bow_features"].split()]
    earlier = [int(row) for row in parameters["tag_features"].split()]

    def text(at, column):
        if at < 0:
            return f"{at}__BOS__"
        return tokens[at][column] if at < len(tokens) else f"+{at - len(tokens) + 1}__EOS__"

    def of_token(at):
        found = [f"F:{row:+d}:{column}:{text(at + row, column)}" for row, column in static]
        pieces = [(row, column, re.split(",+", text(at + row, column).lstrip(","))) for row, column in bags]
        found += [f"B:{row:+d}:{column}:{piece}" for row, column, several in pieces for piece in several]
        return found + [f"T:{row}:{tags[at + row]}" for row in earlier if at + row >= 0]

    return [of_token(at) for at in range(len(tokens))]


def distances(scores, n_classes, scheme):
    """What -V prints: for pairs, each score added to its first class and taken from its second."""
    if scheme == "one-vs-rest":
        return scores
    if scheme == "binary":  # classes[1] is the positive one
        return np.column_stack([-scores, scores])
    sums = np.zeros((len(scores), n_classes))
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for output, (i, j) in enumerate(pairs):
        sums[:, i] += scores[:, output]
        sums[:, j] -= scores[:, output]
    return sums
