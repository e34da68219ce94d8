"""Machines on sequences as weights of subsequences: PKE for the string kernel of Lodhi et al. 2002."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.fragments import fragments_of

halves = st.integers(-6, 6).map(lambda n: n / 2)
text = st.text("abz", max_size=5)
decays = st.sampled_from([0.25, 0.5, 1.0, 2.0])
lengths = st.none() | st.integers(1, 4)
tasks = st.lists(st.tuples(text, halves), min_size=1, max_size=4)


def machine_of(task, decay, longest):
    support, coef = zip(*task, strict=True)
    return gm.Machine(gm.SubsequenceKernel(decay, longest), list(support), list(coef), 0.25)


def occurrences(symbols, decay, longest):
    """{subsequence: sum of decay^span over where it is found}, by trying all places."""
    found = defaultdict(Fraction)
    for size in range(1, min(len(symbols), longest or len(symbols)) + 1):
        for places in combinations(range(len(symbols)), size):
            found["".join(symbols[at] for at in places)] += Fraction(decay) ** (places[-1] - places[0] + 1)
    return found


def expansion(task, decay, longest):
    """{subsequence: sum of a_i times what it counts in s_i}, zeros left out."""
    sums = defaultdict(Fraction)
    for symbols, a in task:
        for u, count in occurrences(symbols, decay, longest).items():
            sums[u] += Fraction(a) * count
    return {u: total for u, total in sums.items() if total}


def spelled(fragment):
    return "".join(fragment.tree.strip("()").split()[1:])


@given(task=tasks, decay=decays, longest=lengths)
def test_all_subsequences_are_those_of_the_enumeration(task, decay, longest):
    """A weight is that of an occurrence without gaps."""
    wanted = {u: float(w * Fraction(decay) ** len(u)) for u, w in expansion(task, decay, longest).items()}
    found = fragments_of(machine_of(task, decay, longest), min_weight=0)
    assert {spelled(one): one.weight for one in found} == wanted
    assert [abs(one.weight) for one in found] == sorted(map(abs, wanted.values()), reverse=True)


@given(task=tasks, decay=decays, longest=lengths, x=text)
def test_all_subsequences_together_are_the_kernel_by_its_recursion(task, decay, longest, x):
    """What dynamic programming computes without listing them."""
    counts, weights = occurrences(x, decay, longest), expansion(task, decay, longest)
    wanted = float(Fraction(1, 4) + sum(w * counts[u] for u, w in weights.items() if u in counts))
    machine = machine_of(task, decay, longest)
    coverage = fragments_of(machine, min_weight=0).coverage([x])
    np.testing.assert_allclose(coverage.base + coverage.listed, [[wanted]], rtol=1e-9, atol=1e-9)
    for engine in ("direct", "forest"):
        np.testing.assert_allclose(machine.compile(engine).decision_function([x]), [wanted], rtol=1e-9, atol=1e-9)


@given(task=tasks, decay=decays, least=st.sampled_from([0.125, 0.5, 2.0]), x=st.lists(text, min_size=1, max_size=4))
def test_the_heaviest_subsequences_leave_no_more_than_their_bound(task, decay, least, x):
    """PKE's threshold: those that weigh less are dropped, and scores are off by no more than is said."""
    machine = machine_of(task, decay, None)
    found = fragments_of(machine, min_weight=least)
    weights = expansion(task, decay, None)
    assert {spelled(one) for one in found} == {
        u for u, w in weights.items() if abs(w) * Fraction(decay) ** len(u) >= Fraction(least)
    }
    coverage = found.coverage(x)
    assert (abs(coverage.rest) <= coverage.bound + 1e-9 * (1 + abs(coverage.total))).all()
