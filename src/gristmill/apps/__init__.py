"""Programs made of kernel machines: what they take and give are sentences, trees and texts.

Names are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill.apps.dependency_parser import DependencyParser
    from gristmill.apps.dependency_tree import DependencyTree, Word
    from gristmill.apps.roles import RoleLabeller
    from gristmill.apps.segmenter import Segmenter
    from gristmill.apps.tagger import Tagger
    from gristmill.apps.tree_classifier import TreeClassifier

__all__ = ["DependencyParser", "DependencyTree", "RoleLabeller", "Segmenter", "Tagger", "TreeClassifier", "Word"]

_HOMES = {
    "DependencyParser": "gristmill.apps.dependency_parser",
    "DependencyTree": "gristmill.apps.dependency_tree",
    "RoleLabeller": "gristmill.apps.roles",
    "Segmenter": "gristmill.apps.segmenter",
    "Tagger": "gristmill.apps.tagger",
    "TreeClassifier": "gristmill.apps.tree_classifier",
    "Word": "gristmill.apps.dependency_tree",
}


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
