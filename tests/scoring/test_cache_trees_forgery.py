"""Compiled scorers from arrays that nobody made: refused, or harmless."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from tests.kernels.test_trees import forest, random_trees
from tests.scoring.test_cache_trees import LABELS
from tests.scoring.test_scorer_trees import many_of_one_production, same_bits


class Forged:
    """A machine's own scorer, from arrays that may be anything."""

    def __init__(self, kernel, n_outputs):
        trees = [*many_of_one_production(30, 1, 2), *random_trees(20, 1, LABELS, largest=10), ("b", "a", "a", "a", "a")]
        self.kernel, self.n_outputs, self.support = kernel._native, n_outputs, forest(trees)
        self.scored = forest([*trees[::4], *many_of_one_production(6, 2, 2), *random_trees(20, 3, LABELS, largest=10)])
        coef = np.random.default_rng(0).normal(size=len(trees) * n_outputs)
        of_machine = (self.kernel, self.support._store, self.support._roots, coef, n_outputs)
        self.made = _core.ForestScorer.by_lists(*of_machine, 2**62, 2**62)
        self.arrays = {name: array.copy() for name, array in self.made.arrays().items()}

    def restore(self, arrays, n_outputs=None):
        of_machine = (self.kernel, self.support._store, self.support._roots, n_outputs or self.n_outputs)
        return _core.ForestScorer.restore(*of_machine, arrays)

    def score(self, scorer, n_outputs=None):
        out = np.full((len(self.scored), n_outputs or self.n_outputs), np.nan)
        scorer.score(self.scored._store, self.scored._roots, out, 1, None)
        return out

    def try_them(self, arrays, n_outputs=None):
        """Refused, or scored without harm."""
        try:
            self.score(self.restore(arrays, n_outputs), n_outputs)
        except ValueError:
            return False
        return True


FORGED = [
    Forged(kernel, n_outputs)
    for n_outputs, kernel in enumerate(
        [
            gm.SubtreeKernel(),
            gm.SubsetTreeKernel(leaves=True),
            gm.ProductionTreeKernel(marked=True, single_nodes=True),
            gm.PartialTreeKernel(max_children=2),
            gm.PartialTreeKernel(single_nodes=False),
            gm.OrderedTreeKernel(marked=True),
        ],
        start=1,
    )
]


@st.composite
def forgeries(draw):
    """Arrays with words, numbers and lengths changed."""
    of = draw(st.sampled_from(FORGED))
    arrays = {name: array.copy() for name, array in of.arrays.items()}
    words = {name: arrays[name].view(np.uint32) for name in ("code", "roots") if len(arrays[name])}
    for _ in range(draw(st.integers(0, 4)) if words else 0):
        name = draw(st.sampled_from(sorted(words)))
        at, code = draw(st.integers(0, len(words[name]) - 1)), words["code"]
        near = st.sampled_from([0, 1, 2, at, at + 1, len(code), len(code) - 1, len(of.support), 2**31, 2**32 - 1])
        own = st.integers(0, len(code) - 1).map(lambda other, code=code: int(code[other]))
        words[name][at] = draw(near | own | st.integers(0, len(code)) | st.integers(int(words[name][at]), 2**32 - 1))
    for name in sorted(arrays):
        if (change := draw(st.integers(0, 30))) < 3:
            doubled = np.tile(arrays[name], 2)
            arrays[name] = [arrays[name][: draw(st.integers(0, len(arrays[name])))], doubled, doubled[:8]][change]
    if not draw(st.integers(0, 9)) and len(arrays["weights"]) >= 8:
        arrays["weights"][:8] = np.frombuffer(
            np.float64(draw(st.sampled_from([np.nan, np.inf, 1e308]))).tobytes(), np.uint8
        )
    return of, arrays


@given(forgery=forgeries())
def test_forged_arrays_are_refused_or_harmless(forgery):
    forged, arrays = forgery
    forged.try_them(arrays)


@pytest.mark.parametrize("forged", FORGED, ids=lambda forged: str(forged.n_outputs))
def test_arrays_that_are_right_are_taken_and_others_are_not(forged):
    same_bits(forged.score(forged.restore(forged.arrays)), forged.score(forged.made))
    for name, array in forged.arrays.items():
        without = {other: own for other, own in forged.arrays.items() if other != name}
        with pytest.raises(KeyError, match=name):
            forged.restore(without)
        for wrong in (array[1:], array[:-1], np.zeros((1, 8), np.uint8), np.zeros(8, np.float64), None, "text"):
            if wrong is None or isinstance(wrong, str) or len(wrong) != len(array):
                with pytest.raises((ValueError, TypeError, RuntimeError)):
                    forged.restore({**without, name: wrong})
    for n_outputs in range(8):
        if n_outputs not in (0, forged.n_outputs):
            forged.try_them(forged.arrays, n_outputs)


@pytest.mark.parametrize("name", ["code", "roots"])
@pytest.mark.parametrize("forged", FORGED, ids=lambda forged: str(forged.n_outputs))
def test_every_word_changed_is_refused_or_harmless(forged, name):
    """To what comes after it, to itself, to the end and beyond."""
    words = forged.arrays[name].view(np.uint32)
    random = Random(1)
    for at in random.sample(range(len(words)), min(len(words), 60)):
        for value in (0, 1, int(words[at]) + 1, at, len(words), 2**32 - 1):
            array = words.copy()
            array[at] = value
            forged.try_them({**forged.arrays, name: array.view(np.uint8)})


def test_arrays_of_one_machine_for_another_are_refused_or_harmless():
    for one in FORGED:
        for other in FORGED:
            other.try_them(one.arrays)
            other.try_them(one.arrays, one.n_outputs)


def test_nodes_in_a_circle_are_refused():
    """A list that leads to itself, below a position that is there again and again."""
    forged = next(forged for forged in FORGED if forged.n_outputs == 2)
    refused = 0
    for root in np.flatnonzero(forged.arrays["roots"].view(np.uint32)):
        code, start = forged.arrays["code"].view(np.uint32).copy(), int(forged.arrays["roots"].view(np.uint32)[root])
        at = start + 1 + 2 * int(code[start])
        if code[at] == 1 and code[at + 3] > 0:  # a split with groups
            code[at + 4 + code[at + 3] : at + 4 + 2 * code[at + 3]] = start
            code[at + 2] = start
            with pytest.raises(ValueError, match="do not fit"):
                forged.restore({**forged.arrays, "code": code.view(np.uint8)})
            refused += 1
    assert refused
