"""Boundary examples of semantic role labelling: is this constituent an argument of that predicate?

For every predicate of a PropBank set, in the order of its file, the candidates are the nodes of the sentence's tree in
post-order, without words (in delexicalised sets tags are the leaves, and candidates), punctuation marks, and what
dominates the predicate. An example is 1 where the tokens of the candidate are exactly those of an argument, else -1.
The root of its tree is the lowest node above predicate and candidate; below it is one of two forms:

path     the branches to the predicate and to the candidate, nothing beside them, and all that is below the candidate;
minimal  all from the first to the last token of the two; the predicate has mark 1, the candidate mark 2.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import corpora
from gristmill.apps import roles
from gristmill.data.relations import unmarked

Form = Literal["path", "minimal"]


def boundary_examples(
    name: str, n: int | None = None, form: Form = "path", marks: bool = False
) -> tuple[gm.Forest, NDArray[np.int8]]:
    """The first n examples of a set (None: all): trees and labels. With marks, paths have those of the other form."""
    folder = corpora() / "srl"
    sentences, propositions = roles.read_propbank(folder / f"{name}.trees.gz", folder / f"{name}.props.gz")
    made = roles.boundary_examples(
        sentences, propositions, form=form, candidates="all", lowercase=False, words="delex" not in name, limit=n
    )
    return made.trees if marks or form == "minimal" else unmarked(made.trees), made.labels
