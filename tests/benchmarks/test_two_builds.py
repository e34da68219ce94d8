"""Two builds side by side: a line about each case, and an error where they disagree."""

from __future__ import annotations

import pytest

from benchmarks.two_builds import ROUNDS, cases, compare


class Fake:
    """A build that takes the seconds it is told, and answers the same each time."""

    def __init__(self, *seconds, answer="same"):
        self.seconds, self.answer = list(seconds), answer

    def run(self, name):
        return self.seconds.pop(0), self.answer


def test_the_ratio_is_that_of_the_fastest_rounds_without_the_first():
    old = Fake(9.0, *[0.4] * (ROUNDS - 1), 0.2)
    new = Fake(0.01, *[0.4] * (ROUNDS - 1), 0.1)
    words = compare(old, new, "score").split()
    assert words == ["score", "200.0", "100.0", "0.50", "1.00"]


def test_other_answers_are_an_error():
    with pytest.raises(AssertionError, match="score: the builds give different answers"):
        compare(Fake(1.0), Fake(1.0, answer="other"), "score")


def test_every_kind_of_engine_has_a_case():
    named = " ".join(cases())
    assert all(word in named for word in ("direct", "inverted", "split", "expanded", "online", "rows", "smo", "tag"))
