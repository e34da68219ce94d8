"""From a program and sentences to what a report on it says."""

from __future__ import annotations

from typing import Any

from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.roles.labeller import RoleLabeller
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.tagger import Tagger
from gristmill.report.apps.content import Asked, Told
from gristmill.report.apps.parser import tell_trees
from gristmill.report.apps.reading import read_parsed, read_segmented, read_tagged
from gristmill.report.apps.roles import tell_roles
from gristmill.report.apps.segmenter import tell_words
from gristmill.report.apps.tagger import tell_tags

Program = Tagger | Segmenter | DependencyParser | RoleLabeller


def tell(program: Program, source: Any, asked: Asked) -> Told:
    """What there is to say; `source` is the X of `make_report`."""
    program.machine_  # noqa: B018 - NotFittedError
    told = _told(program, source, asked)
    if not len(told.known):
        raise ValueError("there are no examples to report on")
    return told


def _told(program: Program, source: Any, asked: Asked) -> Told:
    if isinstance(program, Tagger):
        return tell_tags(program, read_tagged(program, source, asked.labels), asked)
    if isinstance(program, Segmenter):
        return tell_words(program, read_segmented(source, asked.labels), asked)
    if isinstance(program, DependencyParser):
        return tell_trees(program, read_parsed(source, asked.labels), asked)
    if not isinstance(source, tuple) or len(source) != 2:
        raise ValueError(f"a role labeller takes (sentences, propositions), got {type(source).__name__}")
    sentences, propositions = source
    return tell_roles(program, sentences, list(propositions), asked)
