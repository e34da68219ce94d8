"""Relations between nodes of any trees, as marked trees: a tree in which some nodes have marks is an example.

Nodes are named by their positions in post-order: children before their parent, the root last. A `TreeView` finds them
by label or by the leaves they cover. Results are forests for the marked kernels, or for any kernel with marks as nodes
(`marks_as_nodes`).
"""

from gristmill.data.relations.fragments import FORMS, Form
from gristmill.data.relations.inserting import insert_above, marks_as_nodes, without_nodes
from gristmill.data.relations.marking import Example, mark, marked_nodes, pairs, spanning, tree_views, unmarked
from gristmill.data.relations.tree_view import Span, TreeView, post_order

__all__ = [
    "FORMS",
    "Example",
    "Form",
    "Span",
    "TreeView",
    "insert_above",
    "mark",
    "marked_nodes",
    "marks_as_nodes",
    "pairs",
    "post_order",
    "spanning",
    "tree_views",
    "unmarked",
    "without_nodes",
]
