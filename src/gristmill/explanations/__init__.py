"""Exact explanations: of rows, of trees, of a data set, and of a machine itself."""

from gristmill.explanations.api import explain, importance
from gristmill.explanations.counterfactuals import Change, Counterfactual, Counterfactuals, FlipRadius
from gristmill.explanations.decision_api import counterfactual, flip_radius, sufficient
from gristmill.explanations.decisions import DecisionExplainer
from gristmill.explanations.explanation import Contribution, Explanation, RowExplanation
from gristmill.explanations.fragments import Fragment, Fragments, fragments_of
from gristmill.explanations.groups import Groups
from gristmill.explanations.importances import Importance
from gristmill.explanations.influences import Influence, Influencer, Influences, influence
from gristmill.explanations.rules import Rule, Rules, rules_of
from gristmill.explanations.shapes import Shape, Shapes, shape, shapes_of
from gristmill.explanations.shapley import Explainer
from gristmill.explanations.sufficient_reasons import Fact, SufficientReason
from gristmill.explanations.tree_explanation import TreeExplanation, TreeExplanations
from gristmill.explanations.tree_nodes import explain_trees

__all__ = [
    "Change",
    "Contribution",
    "Counterfactual",
    "Counterfactuals",
    "DecisionExplainer",
    "Explainer",
    "Explanation",
    "Fact",
    "FlipRadius",
    "Fragment",
    "Fragments",
    "Groups",
    "Importance",
    "Influence",
    "Influencer",
    "Influences",
    "RowExplanation",
    "Rule",
    "Rules",
    "Shape",
    "Shapes",
    "SufficientReason",
    "TreeExplanation",
    "TreeExplanations",
    "counterfactual",
    "explain",
    "explain_trees",
    "flip_radius",
    "fragments_of",
    "importance",
    "influence",
    "rules_of",
    "shape",
    "shapes_of",
    "sufficient",
]
