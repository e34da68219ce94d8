"""Machines on trees as sums over fragments, by the book: every fragment of every tree is written down.

A family says how fragments are found in a tree, each with gap^(children skipped), and what one of them is worth.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

from tests.oracle.trees import children, complete, is_marked, label, node, nodes, of_productions, ordered, productions


@dataclass(frozen=True)
class Family:
    embeddings: object  # tree -> [(fragment, gap^skipped)]
    value: object  # fragment -> number
    size: object = productions


def _plain(fragments):
    return [(fragment, Fraction(1)) for fragment in fragments]


def subtrees(decay):
    """ST."""
    return Family(
        lambda tree: _plain(complete(n) for n in nodes(tree) if children(n)),
        lambda f: Fraction(decay) ** productions(f),
    )


def of_whole_productions(decay, marked=False, single_nodes=False, leaves=False):
    """SST and K_c; a leaf alone is worth decay (SST-bow), a node alone 1 (K_c with single nodes)."""

    def embeddings(tree):
        found = [f for n in nodes(tree) for f in of_productions(n)]
        found += [label(n) for n in nodes(tree) if single_nodes or (leaves and not children(n))]
        return _plain(f for f in found if is_marked(f) or not marked)

    return Family(embeddings, lambda f: Fraction(decay) ** (productions(f) or int(leaves)))


def skipping(decay, marked=False):
    """K_lo."""

    def embeddings(tree):
        return _plain(f for n in nodes(tree) for f in ordered(n) if is_marked(f) or not marked)

    return Family(embeddings, lambda f: Fraction(decay) ** len(nodes(f)), lambda f: len(nodes(f)))


def partial(decay, mu, weighting="gap", max_children=None, single_nodes=True):
    """PTK: mu for a node, decay^2 for one without children, and decay for what a subsequence of children spans."""
    square = Fraction(decay) ** 2
    first = square if weighting == "span" else 1
    step = 1 if weighting == "gap" else square

    def below(tree):
        yield label(tree), Fraction(1)
        for length in range(1, len(children(tree)) + 1 if max_children is None else max_children + 1):
            for at in combinations(range(len(children(tree))), length):
                gaps = Fraction(decay) ** (at[-1] - at[0] + 1 - length)
                for choice in product(*(list(below(children(tree)[i])) for i in at)):
                    fragment = node(label(tree), [fragment for fragment, _ in choice])
                    yield fragment, gaps * prod(weight for _, weight in choice)

    def embeddings(tree):
        found = [one for n in nodes(tree) for one in below(n)]
        return [(f, weight) for f, weight in found if single_nodes or children(f)]

    def value(fragment):
        every = nodes(fragment)
        above = [n for n in every if children(n)]
        further = sum(len(children(n)) - 1 for n in above)
        return Fraction(mu) ** len(every) * square ** (len(every) - len(above)) * first ** len(above) * step**further

    return Family(embeddings, value, lambda f: len(nodes(f)))


@dataclass
class Sum:
    weight: Fraction = Fraction(0)
    support: int = 0
    occurrences: int = 0


def weights(family, trees, coef):
    """{(fragment, output): Sum} of all fragments of the trees; coef is a list of numbers, one an output, for each."""
    sums = {}
    for tree, row in zip(trees, coef, strict=True):
        found = family.embeddings(tree)
        counts, gaps = Counter(f for f, _ in found), Counter()
        for fragment, weight in found:
            gaps[fragment] += weight
        for output, a in enumerate(row):
            for fragment, times in counts.items() if a else ():
                one = sums.setdefault((fragment, output), Sum())
                one.weight += Fraction(a) * family.value(fragment) * gaps[fragment]
                one.support += 1
                one.occurrences += times
    return {key: one for key, one in sums.items() if one.weight}


def score(family, sums, output, tree):
    """What all fragments of a tree add to an output."""
    found = ((f, gap, sums.get((f, output))) for f, gap in family.embeddings(tree))
    return sum((gap * one.weight for _, gap, one in found if one), Fraction(0))
