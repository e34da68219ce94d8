"""Sentences with arguments, for tests of roles."""

from __future__ import annotations

import numpy as np

import gristmill as gm
from gristmill.apps.roles import Argument, Proposition

RNG = np.random.default_rng(5)
NOUNS, VERBS = ("dogs", "cats", "mice", "men"), ("saw", "ate", "liked")


def sentence(number):
    """Somebody does something to somebody, perhaps somewhere, or it is done."""
    subject, object_, place = (str(RNG.choice(NOUNS)) for _ in range(3))
    verb = str(RNG.choice(VERBS))
    somewhere = f" (PP (P near) (NP (N {place})))" if RNG.random() < 0.5 else ""
    tree = f"(S (NP (N {subject})) (VP (V {verb}) (NP (D the) (N {object_})){somewhere}) (. .))"
    arguments = [Argument(0, 0, "ARG0"), Argument(2, 3, "ARG1")]
    if somewhere:
        arguments.append(Argument(4, 5, "ARGM-LOC"))
    return tree, Proposition(("-", str(number)), 1, f"{verb}.01", tuple(arguments))


DATA = [sentence(number) for number in range(60)]
TREES = gm.Forest.from_strings([tree for tree, _ in DATA])
PROPOSITIONS = [proposition for _, proposition in DATA]
ARGUMENTS_OF_ALL = sum(len(one.arguments) for one in PROPOSITIONS)
