"""Semantic roles: examples of them, and a labeller that finds the arguments of predicates and names their roles."""

from __future__ import annotations

from gristmill.apps.roles.examples import RoleCounts, RoleExamples, boundary_examples, role_examples
from gristmill.apps.roles.labeller import DEFAULT_KERNEL, RoleLabeller
from gristmill.apps.roles.scores import RoleScore, RoleScores, score_roles
from gristmill.apps.roles.trees import (
    labelled_trees,
    marked_predicates,
    read_labelled,
    read_labelled_trees,
    write_labelled_trees,
)
from gristmill.data.formats.propbank import (
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
