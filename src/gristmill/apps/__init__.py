"""Apps made of kernel machines. Their input and output are sentences, trees and texts.

Names are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.base.lazy import lazy_name

if TYPE_CHECKING:
    from gristmill.apps.editing.lemmatizer import Lemmatizer
    from gristmill.apps.editing.splitter import Splitter
    from gristmill.apps.parsing.parser import DependencyParser
    from gristmill.apps.parsing.tree import DependencyTree, Word
    from gristmill.apps.pipeline.pipeline import TextPipeline
    from gristmill.apps.roles import RoleLabeller
    from gristmill.apps.segmentation.segmenter import Segmenter
    from gristmill.apps.tagging.morphological_tagger import MorphologicalTagger
    from gristmill.apps.tagging.tagger import Tagger
    from gristmill.apps.tokenization.tokenizer import Tokenizer
    from gristmill.apps.tree_classification.classifier import TreeClassifier

__all__ = [
    "DependencyParser",
    "DependencyTree",
    "Lemmatizer",
    "MorphologicalTagger",
    "RoleLabeller",
    "Segmenter",
    "Splitter",
    "Tagger",
    "TextPipeline",
    "Tokenizer",
    "TreeClassifier",
    "Word",
]

_HOMES = {
    "DependencyParser": "gristmill.apps.parsing.parser",
    "DependencyTree": "gristmill.apps.parsing.tree",
    "Lemmatizer": "gristmill.apps.editing.lemmatizer",
    "MorphologicalTagger": "gristmill.apps.tagging.morphological_tagger",
    "RoleLabeller": "gristmill.apps.roles",
    "Segmenter": "gristmill.apps.segmentation.segmenter",
    "Splitter": "gristmill.apps.editing.splitter",
    "Tagger": "gristmill.apps.tagging.tagger",
    "TextPipeline": "gristmill.apps.pipeline.pipeline",
    "Tokenizer": "gristmill.apps.tokenization.tokenizer",
    "TreeClassifier": "gristmill.apps.tree_classification.classifier",
    "Word": "gristmill.apps.parsing.tree",
}


def __getattr__(name: str) -> Any:
    return lazy_name(globals(), _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
