"""Kernels in exact arithmetic: as fractions, or to more digits than any comparison here can see.

Trees are nested tuples as in `tests/oracle/trees.py`, whose kernels write down every fragment; those here are
recursions over pairs of nodes (docs/formulas.md C2, C4, D1), for larger trees.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import prod

from tests.oracle.trees import MARKED, children, label, nodes

_DIGITS = Context(prec=100, Emin=-(10**6), Emax=10**6)

SetValue = Callable[[int, int, int], Fraction]  # of the overlap and both lengths


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def exp(value: Fraction) -> Fraction:
    return Fraction(_DIGITS.exp(_decimal(value)))


def sqrt(value: Fraction) -> Fraction:
    return Fraction(_DIGITS.sqrt(_decimal(value)))


# --- of sets ----------------------------------------------------------------------------------------------------------


def polynomial(degree: int, gamma: float, coef0: float) -> SetValue:
    return lambda m, x, s: (Fraction(gamma) * m + Fraction(coef0)) ** degree


def rbf(gamma: float) -> SetValue:
    return lambda m, x, s: exp(-Fraction(gamma) * (x + s - 2 * m))


def sigmoid(gamma: float, coef0: float) -> SetValue:
    def value(m: int, x: int, s: int) -> Fraction:
        squared = exp(-2 * abs(Fraction(gamma) * m + Fraction(coef0)))
        size = (1 - squared) / (1 + squared)
        return size if Fraction(gamma) * m + Fraction(coef0) > 0 else -size

    return value


def tanimoto(m: int, x: int, s: int) -> Fraction:
    return Fraction(m, x + s - m) if x + s else Fraction(1)


def dice(m: int, x: int, s: int) -> Fraction:
    return Fraction(2 * m, x + s) if x + s else Fraction(1)


def cosine(m: int, x: int, s: int) -> Fraction:
    return m / sqrt(Fraction(x * s)) if x and s else Fraction(0)


# --- of trees ---------------------------------------------------------------------------------------------------------


def _is_marked(tree) -> bool:
    return MARKED.fullmatch(label(tree)) is not None


def _production(tree):
    return label(tree), tuple(label(child) for child in children(tree))


def production_tree(a, b, decay, marked=False, single_nodes=False):
    """K_c, and with `marked` what its fragments with a mark add: all fragments less those without one."""

    @cache
    def common(m, n, plain):
        """Fragments that hang from both; `plain`: without a mark."""
        if not children(m) or _production(m) != _production(n):
            return Fraction(0)
        if plain and any(map(_is_marked, (m, *children(m)))):
            return Fraction(0)
        pairs = zip(children(m), children(n), strict=True)
        return Fraction(decay) * prod((1 + common(c, d, plain) for c, d in pairs), start=Fraction(1))

    pairs = [(m, n) for m in nodes(a) for n in nodes(b) if label(m) == label(n)]
    alone = sum(1 for m, _ in pairs if _is_marked(m) or not marked) if single_nodes else 0
    found = sum((common(m, n, False) for m, n in pairs), Fraction(alone))
    return found - sum((common(m, n, True) for m, n in pairs), Fraction(0)) if marked else found


def subset_tree(a, b, decay, leaves=False):
    """SST, with `leaves` and the bag of leaves."""
    words = [[label(n) for n in nodes(tree) if not children(n)] for tree in (a, b)]
    equal = sum(words[1].count(word) for word in words[0]) if leaves else 0
    return production_tree(a, b, decay) + Fraction(decay) * equal


def ordered_tree(a, b, decay, marked=False):
    """K_lo, and with `marked` what its fragments with a mark add."""

    @cache
    def common(m, n, plain):
        if label(m) != label(n) or (plain and _is_marked(m)):
            return Fraction(0)
        row = [Fraction(1)] * (len(children(n)) + 1)
        for c in children(m):
            above, row = row, [Fraction(1)]
            for at, d in enumerate(children(n)):
                row.append(above[at + 1] + row[at] - above[at] + above[at] * common(c, d, plain))
        return Fraction(decay) * row[-1]

    def total(plain):
        return sum((common(m, n, plain) for m in nodes(a) for n in nodes(b)), Fraction(0))

    return total(False) - total(True) if marked else total(False)


def normalised(kernel):
    """k(a, b) / sqrt(k(a, a) k(b, b)); a tree without fragments has norm 1."""

    @cache
    def square(tree):
        return Fraction(kernel(tree, tree)) or Fraction(1)

    return lambda a, b: kernel(a, b) / sqrt(square(a) * square(b))
