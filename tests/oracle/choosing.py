"""What a parser does next, by the definition: greedy, or with a beam. Machines are scored directly, row by row."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np

from tests.oracle.configurations import features, word_at
from tests.oracle.parsing import Parser


class Chooser:
    """Machines and what their classes mean.

    parts: (machine, actions of its classes); route: (address, column, {value: part}, part of others) or None; common:
    the relation of arcs that no machine knows one for.
    """

    def __init__(self, items, relations, names, parts, route, common):
        self.items, self.relations, self.route, self.common = items, relations, route, common
        self.parts = [(machine, machine.compile("direct"), actions) for machine, actions in parts]
        self.number = {name: at for at, name in enumerate(names)}

    def part_for(self, parser, sentence):
        if self.route is None:
            return self.parts[0]
        address, column, values, other = self.route
        word = word_at(parser, address)
        return self.parts[other if word is None else values.get(sentence[word][column], other)]

    def scored(self, parser, sentence):
        """(score, class, action) of the legal actions, as the classes come."""
        machine, scorer, actions = self.part_for(parser, sentence)
        found = features(self.items, sentence, self.relations, parser)
        row = {self.number[name] for name in found if name in self.number}
        scores = class_scores(machine, np.atleast_1d(np.squeeze(scorer.decision_function([row]))).tolist())
        return [
            (score, at, action)
            for at, (score, action) in enumerate(zip(scores, actions, strict=True))
            if action[0] in parser.legal
        ]

    def last_resort(self, parser):
        move = next(move for move in ("shift", "reduce", "right", "left") if move in parser.legal)
        return move, self.common if move in ("right", "left") else -1

    def best(self, parser, sentence):
        legal = self.scored(parser, sentence)
        if not legal:
            return self.last_resort(parser)
        machine = self.part_for(parser, sentence)[0]
        first = 1 if is_sign(machine) and machine.zero_class == 1 else 0
        return max(legal, key=lambda one: (one[0], one[1] == first, -one[1]))[2]


def is_sign(machine):
    return machine.scheme in ("binary", "one-class")


def class_scores(machine, scores):
    """Of one output 0 and the score; of pairs the votes of classes; else the scores."""
    if is_sign(machine):
        return [0.0, scores[0]]
    if machine.scheme != "one-vs-one":
        return scores
    votes = [0] * len(machine.classes)
    for score, (one, other) in zip(scores, combinations(range(len(votes)), 2), strict=True):
        votes[one if score > 0 or (score == 0 and machine.zero_class == 1) else other] += 1
    return votes


def greedy(system, chooser, sentence):
    parser = Parser(system, len(sentence))
    while parser.legal:
        parser.take(*chooser.best(parser, sentence))
    return parser


# --- the beam ---------------------------------------------------------------------------------------------------------


def gains(chooser, parser, sentence, temperature):
    """(logarithm of its share, action) of the legal actions."""
    legal = chooser.scored(parser, sentence)
    if not legal:
        return [(0.0, chooser.last_resort(parser))]
    most = max(score for score, _, _ in legal)
    total = math.log(sum(math.exp((score - most) / temperature) for score, _, _ in legal))
    return [((score - most) / temperature - total, action) for score, _, action in legal]


def beam(system, chooser, sentence, width, temperature):
    """The parser with the highest sum; and how close to each other two sums were that decided, if not equal."""
    ways, closest = [(0.0, Parser(system, len(sentence)))], math.inf
    while any(parser.legal for _, parser in ways):
        longer = []
        for score, parser in ways:
            if not parser.legal:
                longer.append((score, parser, None))
                continue
            longer += [(score + gain, parser, action) for gain, action in gains(chooser, parser, sentence, temperature)]
        longer.sort(key=lambda one: -one[0])
        apart = [a[0] - b[0] for a, b in pairwise(longer)]
        closest = min([closest, *(distance for distance in apart if distance)])
        ways = [
            (score, parser if action is None else parser.after(*action)) for score, parser, action in longer[:width]
        ]
    return ways[0][1], closest


def best_ways(system, chooser, sentence, temperature):
    """(score, heads) of all ways to the end."""
    waiting = [(0.0, Parser(system, len(sentence)))]
    while waiting:
        score, parser = waiting.pop()
        if not parser.legal:
            yield score, parser.heads
            continue
        waiting += [(score + gain, parser.after(*a)) for gain, a in gains(chooser, parser, sentence, temperature)]
