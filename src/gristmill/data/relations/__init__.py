"""Relations between nodes of any trees, as marked trees: a tree in which some nodes have marks is an example.

Nodes are named by their positions in post-order: children before their parent, the root last. An `Outline` finds them
by label or by the leaves they cover. What is made are forests, for the marked kernels, or for any kernel once marks are
nodes of their own (`marks_as_nodes`).
"""

from gristmill.data.relations.choosing import Example, pairs
from gristmill.data.relations.fragments import FORMS, Form
from gristmill.data.relations.inserting import insert_above, marks_as_nodes, without_nodes
from gristmill.data.relations.marking import mark, marked_nodes, outlines, spanning, unmarked
from gristmill.data.relations.tree_view import Outline, Span, post_order

__all__ = [
    "FORMS",
    "Example",
    "Form",
    "Outline",
    "Span",
    "insert_above",
    "mark",
    "marked_nodes",
    "marks_as_nodes",
    "outlines",
    "pairs",
    "post_order",
    "spanning",
    "unmarked",
    "without_nodes",
]
