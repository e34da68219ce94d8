"""Exact explanations: of rows, of trees, of a data set, and of a machine itself."""

from gristmill.explaining.averages import Importance
from gristmill.explaining.door import explain, importance
from gristmill.explaining.explainer import Explainer
from gristmill.explaining.explanation import Contribution, Explanation, RowExplanation
from gristmill.explaining.fragments import Fragment, Fragments, fragments_of
from gristmill.explaining.rules import Rule, Rules, rules_of
from gristmill.explaining.tree_explanation import TreeExplanation, TreeExplanations
from gristmill.explaining.tree_nodes import explain_trees

__all__ = [
    "Contribution",
    "Explainer",
    "Explanation",
    "Fragment",
    "Fragments",
    "Importance",
    "RowExplanation",
    "Rule",
    "Rules",
    "TreeExplanation",
    "TreeExplanations",
    "explain",
    "explain_trees",
    "fragments_of",
    "importance",
    "rules_of",
]
