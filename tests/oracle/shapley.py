"""Shapley values and interactions by the book: a sum over all subsets of the players.

A game is any function of a frozenset of players; where it gives Fractions or whole numbers, so do these.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from math import factorial

from tests.oracle import polynomial, sets


def subsets(players):
    """All of them, as frozensets."""
    return [frozenset(chosen) for size in range(len(players) + 1) for chosen in combinations(players, size)]


def values(game, players):
    """{f: phi_f}: the mean over all orders of what f adds when it comes."""
    table = {s: game(s) for s in subsets(players)}
    return {f: _mean_gain(table, players, (f,)) for f in players}


def interactions(game, players):
    """{(f, g): I_fg} for f before g in `players`: what the two add beyond each alone (Grabisch and Roubens 1999)."""
    table = {s: game(s) for s in subsets(players)}
    return {pair: _mean_gain(table, players, pair) for pair in combinations(players, 2)}


def _mean_gain(table, players, joining):
    others = [p for p in players if p not in joining]
    return sum(_weight(len(s), len(others)) * _gain(table, s, joining) for s in subsets(others))


def _weight(size, others):
    """How likely it is that exactly these `size` of the others have come before."""
    return Fraction(factorial(size) * factorial(others - size), factorial(others + 1))


def _gain(table, coalition, joining):
    """The difference of the game at the coalition in the direction of every player that joins."""
    return sum((-1) ** (len(joining) - len(came)) * table[coalition | came] for came in subsets(joining))


def players_of(x, reference):
    """The features in which two rows, {feature: value}, differ."""
    return sorted(f for f in x.keys() | reference.keys() if x.get(f, 0) != reference.get(f, 0))


def polynomial_game(support, coef, kernel, x, reference=None):
    """S -> sum_i coef_i k(s_i, z), z the row that has the values of x in S and those of the reference elsewhere.

    Rows are {feature: value}, the reference is the empty row unless given, and kernel is (degree, gamma, coef0).
    """
    reference = {} if reference is None else reference

    def game(coalition):
        mixed = {f: (x if f in coalition else reference).get(f, 0) for f in x.keys() | reference.keys()}
        return polynomial.score(support, coef, 0, kernel, mixed)

    return game


def set_game(support, coef, intercept, kernel, x, reference=frozenset()):
    """S -> f of the set that agrees with x in S and with the reference elsewhere; rows are sets."""

    def game(coalition):
        mixed = (coalition & x) | (reference - coalition)
        return sets.score(support, coef, intercept, kernel, mixed)

    return game


def dropped_game(support, coef, intercept, gamma, x):
    """S -> f with an RBF kernel of the features of S alone; rows are {feature: value}."""

    def game(coalition):
        return intercept + sum(a * rbf(s, x, gamma, coalition) for s, a in zip(support, coef, strict=True))

    return game


def rbf_game(support, coef, intercept, gamma, x, reference):
    """S -> f of the row with the values of x in S and those of the reference elsewhere, with an RBF kernel."""

    def game(coalition):
        mixed = {f: (x if f in coalition else reference).get(f, 0) for f in x.keys() | reference.keys()}
        everywhere = mixed.keys() | set().union(*support)
        return intercept + sum(a * rbf(s, mixed, gamma, everywhere) for s, a in zip(support, coef, strict=True))

    return game


def grouped(game, groups):
    """The game of groups of players: {name: players}."""
    return lambda coalition: game(frozenset().union(*(groups[name] for name in coalition)))


def rbf(s, x, gamma, features):
    return math.exp(-gamma * sum((s.get(f, 0) - x.get(f, 0)) ** 2 for f in features))
