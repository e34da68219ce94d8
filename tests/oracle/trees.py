"""Tree kernels by the book (docs/formulas.md C1, D1-D3): every fragment is written down, in exact rational arithmetic.

A tree is a nested tuple (label, child, ...) and a leaf a string; ("a",) is the leaf "a". Fragments are trees, too.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod, sqrt

MARKED = re.compile(r".+\*[1-9][0-9]*")


def label(tree):
    return tree if isinstance(tree, str) else tree[0]


def children(tree):
    return () if isinstance(tree, str) else tree[1:]


def node(name, below=()):
    """A tree of a label and the trees below it."""
    return (name, *below) if below else name


def nodes(tree):
    """The node itself and all below it, each as the tree that hangs from it."""
    return [tree, *(below for child in children(tree) for below in nodes(child))]


def productions(tree):
    return sum(bool(children(n)) for n in nodes(tree))


def is_marked(tree):
    """A node with a mark, like NP*1, is somewhere in it. Labels are compared with their marks."""
    return any(MARKED.fullmatch(label(n)) for n in nodes(tree))


# --- fragments that hang from a node ----------------------------------------------------------------------------------


def complete(tree):
    """All that is below, down to the leaves."""
    return node(label(tree), [complete(child) for child in children(tree)])


def of_productions(tree):
    """All children or none: a child is a bare label, or goes on with a fragment of its own. None for a leaf."""
    choices = [[label(child), *of_productions(child)] for child in children(tree)]
    return [node(label(tree), below) for below in product(*choices) if below]


def ordered(tree):
    """Any children in their order, each with a fragment of its own; the node alone, too."""
    choices = [[None, *ordered(child)] for child in children(tree)]
    return [node(label(tree), [child for child in below if child is not None]) for below in product(*choices)]


def inner_product(left, right, weight):
    """Sum over all fragments of both trees of weight * times in one * times in the other."""
    left, right = Counter(left), Counter(right)
    return sum((weight(f) * times * right[f] for f, times in left.items()), Fraction(0))


# --- kernels ----------------------------------------------------------------------------------------------------------


def subtree(a, b, decay):
    """ST: complete subtrees that are more than a leaf, decay^productions."""
    left, right = ([complete(n) for n in nodes(tree) if children(n)] for tree in (a, b))
    return inner_product(left, right, lambda f: Fraction(decay) ** productions(f))


def subset_tree(a, b, decay, leaves=False):
    """SST: fragments of whole productions, decay^productions; with `leaves` decay for each pair of equal leaves."""
    words = [[label(n) for n in nodes(tree) if not children(n)] for tree in (a, b)]
    bag = inner_product(*words, lambda _: Fraction(decay))
    return production_tree(a, b, decay) + (bag if leaves else 0)


def production_tree(a, b, decay, marked=False, single_nodes=False):
    """K_c: as SST; with `marked` only fragments that hold a mark, with `single_nodes` also labels alone, weight 1."""

    def fragments(tree):
        found = [f for n in nodes(tree) for f in of_productions(n) + [label(n)] * single_nodes]
        return [f for f in found if is_marked(f) or not marked]

    return inner_product(fragments(a), fragments(b), lambda f: Fraction(decay) ** productions(f))


def ordered_tree(a, b, decay, marked=False):
    """K_lo: fragments that may skip children, decay^nodes; with `marked` only those that hold a mark."""

    def fragments(tree):
        return [f for n in nodes(tree) for f in ordered(n) if is_marked(f) or not marked]

    return inner_product(fragments(a), fragments(b), lambda f: Fraction(decay) ** len(nodes(f)))


def partial_tree(a, b, decay, mu, weighting="gap", max_children=None, single_nodes=True, terminal_factor=1):
    """PTK: Delta = mu (decay^2 + all pairs of child subsequences of one length); without `single_nodes` uPTK.

    decay^2 is multiplied by the terminal factor where one of the two nodes, or both, has no children.

    A pair of subsequences counts decay^d times the Deltas of its children; with spans from first to last child d is
    the skipped children ("gap"), the steps from child to child ("span-1") or the children spanned ("span") of both.
    """
    decay, mu = Fraction(decay), Fraction(mu)

    def weight(*places):
        spans, length = sum(at[-1] - at[0] + 1 for at in places), len(places[0])
        return decay ** (spans - {"gap": 2 * length, "span-1": 2, "span": 0}[weighting])

    def below(m, n):
        left, right = children(m), children(n)
        longest = min(len(left), len(right), *([] if max_children is None else [max_children]))
        return sum(
            weight(i, j) * prod(delta(left[s], right[t]) for s, t in zip(i, j, strict=True))
            for length in range(1, longest + 1)
            for i in combinations(range(len(left)), length)
            for j in combinations(range(len(right)), length)
        )

    def alone(m, n):
        return decay**2 * (1 if children(m) and children(n) else Fraction(terminal_factor))

    @cache
    def delta(m, n):
        return mu * (alone(m, n) + below(m, n)) if label(m) == label(n) else Fraction(0)

    alike = [(m, n) for m in nodes(a) for n in nodes(b) if label(m) == label(n)]
    return sum((mu * ((alone(m, n) if single_nodes else 0) + below(m, n)) for m, n in alike), Fraction(0))


def partial_tree_of_kelp(a, b, decay, mu, terminal_factor):
    """PTK as KeLP computes it: a recursion over pairs of nodes, with a table of pairs of children for each length.

    ended[i, j] is what ends with child i of one and j of the other, open_[i, j] what ends there or before, faded.
    """
    decay, mu = Fraction(decay), Fraction(mu)

    def delta(m, n):
        if label(m) != label(n):
            return Fraction(0)
        if not children(m) or not children(n):
            return mu * decay**2 * Fraction(terminal_factor)
        return mu * (decay**2 + of_children(children(m), children(n)))

    def of_children(lefts, rights):
        pairs = list(product(range(len(lefts)), range(len(rights))))
        deltas = {(i, j): delta(lefts[i], rights[j]) for i, j in pairs}
        ended, total = dict(deltas), sum(deltas.values())
        for _ in range(1, min(len(lefts), len(rights))):
            open_ = {(i, j): Fraction(0) for i in range(-1, len(lefts)) for j in range(-1, len(rights))}
            for i, j in pairs:
                before = decay * (open_[i - 1, j] + open_[i, j - 1]) - decay**2 * open_[i - 1, j - 1]
                open_[i, j] = ended[i, j] + before
            ended = {(i, j): deltas[i, j] * open_[i - 1, j - 1] for i, j in pairs}
            total += sum(ended.values())
        return total

    return sum((delta(m, n) for m in nodes(a) for n in nodes(b)), Fraction(0))


def subsequences(s, t, decay, longest=None):
    """Lodhi et al. (2002) for sequences of symbols: common subsequences up to a length, decay^(span in s + in t)."""

    def spans(symbols):
        found = Counter()
        for length in range(1, (len(symbols) if longest is None else longest) + 1):
            for places in combinations(range(len(symbols)), length):
                found[tuple(symbols[at] for at in places)] += Fraction(decay) ** (places[-1] - places[0] + 1)
        return found

    left, right = spans(s), spans(t)
    return sum((total * right[u] for u, total in left.items()), Fraction(0))


def normalised(kernel):
    """k(a, b) / sqrt(k(a, a) k(b, b)) as a float; a tree without fragments has norm 1."""

    def value(a, b):
        squares = [Fraction(kernel(x, x)) or Fraction(1) for x in (a, b)]
        return sqrt(Fraction(kernel(a, b)) ** 2 / prod(squares))

    return value
