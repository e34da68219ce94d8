"""What the nodes of a tree share with another one: every common fragment is written down as the set of its nodes.

A fragment is (its nodes in the first tree, its weight), once for each place it has in both trees; nodes are numbered in
pre-order, and the first of a fragment is its top. Trees are those of `oracle.trees`, weights are exact.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

from tests.oracle.trees import MARKED, label


def numbered(tree, first=0):
    """(number, label, children), and the number that comes next."""
    number, below = first, []
    first += 1
    for child in () if isinstance(tree, str) else tree[1:]:
        one, first = numbered(child, first)
        below.append(one)
    return (number, label(tree), below), first


def nodes(node):
    return [node, *(below for child in node[2] for below in nodes(child))]


def every_pair(tree, other, common):
    """What `common` finds at all pairs of nodes."""
    left, right = nodes(numbered(tree)[0]), nodes(numbered(other)[0])
    return [found for n in left for m in right for found in common(n, m)]


def joined(number, weight, parts):
    """One fragment of a node and fragments below it."""
    return (number, *(node for below, _ in parts for node in below)), weight * prod(w for _, w in parts)


# --- fragments of both trees, by kind of kernel -----------------------------------------------------------------------


def of_subtrees(tree, other, decay):
    def is_equal(n, m):
        return n[1] == m[1] and len(n[2]) == len(m[2]) and all(map(is_equal, n[2], m[2]))

    def common(n, m):
        if n[2] and is_equal(n, m):
            yield (
                tuple(number for number, _, _ in nodes(n)),
                Fraction(decay) ** sum(bool(below) for _, _, below in nodes(n)),
            )

    return every_pair(tree, other, common)


def of_productions(tree, other, decay, leaves=False, marked=False, single_nodes=False):
    names = {number: name for number, name, _ in nodes(numbered(tree)[0])}

    def goes_on(n, m):
        if not n[2] or n[1] != m[1] or [c[1] for c in n[2]] != [c[1] for c in m[2]]:
            return []
        choices = [[((c[0],), Fraction(1)), *goes_on(c, d)] for c, d in zip(n[2], m[2], strict=True)]
        return [joined(n[0], Fraction(decay), parts) for parts in product(*choices)]

    def common(n, m):
        found = goes_on(n, m)
        found += [((n[0],), Fraction(1))] * (single_nodes and n[1] == m[1])
        found += [((n[0],), Fraction(decay))] * (leaves and n[1] == m[1] and not n[2] and not m[2])
        return [one for one in found if not marked or any(MARKED.fullmatch(names[node]) for node in one[0])]

    return every_pair(tree, other, common)


def of_subsequences(
    tree, other, decay, mu, weighting="gap", max_children=None, single_nodes=True, base=None, terminal_factor=1
):
    decay, mu = Fraction(decay), Fraction(mu)

    def weight(*places):
        spans, length = sum(at[-1] - at[0] + 1 for at in places), len(places[0])
        return decay ** (spans - {"gap": 2 * length, "span-1": 2, "span": 0}[weighting])

    def goes_on(n, m):
        if n[1] != m[1]:
            return []
        at_a_leaf = 1 if n[2] and m[2] else Fraction(terminal_factor)
        found = [((n[0],), mu * (decay**2 if base is None else base) * at_a_leaf)]
        longest = min(len(n[2]), len(m[2]), *([] if max_children is None else [max_children]))
        for length in range(1, longest + 1):
            for i, j in product(*(combinations(range(len(x[2])), length) for x in (n, m))):
                below = [goes_on(n[2][s], m[2][t]) for s, t in zip(i, j, strict=True)]
                found += [joined(n[0], mu * weight(i, j), parts) for parts in product(*below)]
        return found

    found = every_pair(tree, other, goes_on)
    return [one for one in found if single_nodes or len(one[0]) > 1]


def of_ordered(tree, other, decay, marked=False):
    names = {number: name for number, name, _ in nodes(numbered(tree)[0])}
    found = of_subsequences(tree, other, 1, decay, base=1)  # no price for gaps
    return [one for one in found if not marked or any(MARKED.fullmatch(names[node]) for node in one[0])]


KINDS = {"st": of_subtrees, "sst": of_productions, "ptk": of_subsequences, "lo": of_ordered, "c": of_productions}


# --- shares -----------------------------------------------------------------------------------------------------------


def rooted(fragments, n_nodes):
    """All of a fragment for its top."""
    return [sum((w for at, w in fragments if at[0] == node), Fraction(0)) for node in range(n_nodes)]


def shared(fragments, n_nodes):
    """An equal part of a fragment for each of its nodes."""
    return [sum((w / len(at) for at, w in fragments if node in at), Fraction(0)) for node in range(n_nodes)]


def shapley(fragments, n_nodes):
    """What a node adds when it comes, on average over all orders in which the nodes may come."""
    total, orders = [Fraction(0)] * n_nodes, list(permutations(range(n_nodes)))
    for order in orders:
        for at, weight in fragments:
            total[max(at, key=order.index)] += weight  # it counts as soon as the last of its nodes is there
    return [value / len(orders) for value in total]
