"""Semantic roles: examples of them, and a labeller that finds the arguments of predicates and names their roles."""

from __future__ import annotations

from gristmill.apps.role_counts import RoleCounts
from gristmill.apps.role_examples import RoleExamples, boundary_examples, role_examples
from gristmill.apps.role_labeller import DEFAULT_KERNEL, RoleLabeller
from gristmill.apps.role_scores import RoleScore, RoleScores, score_roles
from gristmill.apps.role_trees import (
    labelled_trees,
    marked_predicates,
    read_labelled,
    read_labelled_trees,
    write_labelled_trees,
)
from gristmill.formats.propbank import (
    Argument,
    Proposition,
    Sentences,
    read_propbank,
    read_propositions,
    read_sentences,
    write_propositions,
    write_sentences,
)

__all__ = [
    "DEFAULT_KERNEL",
    "Argument",
    "Proposition",
    "RoleCounts",
    "RoleExamples",
    "RoleLabeller",
    "RoleScore",
    "RoleScores",
    "Sentences",
    "boundary_examples",
    "labelled_trees",
    "marked_predicates",
    "read_labelled",
    "read_labelled_trees",
    "read_propbank",
    "read_propositions",
    "read_sentences",
    "role_examples",
    "score_roles",
    "write_labelled_trees",
    "write_propositions",
    "write_sentences",
]
